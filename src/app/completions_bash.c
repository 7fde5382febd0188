/*
 * Completions for bash. Plain bash 4 or later, without the package of completions: readline splits words at = and :,
 * which the script undoes, so that what follows speaks of gwtop's own words.
 */
#include "completions.h"

static const char head[] =
    "# bash completions of gwtop, as `gwtop completions bash` writes them.\n"
    "_gwtop_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$value\"); }\n"
    "_gwtop_list() {\n"
    "    local done='' last=$value\n"
    "    [[ $last == *,* ]] && done=${last%,*}, last=${last##*,}\n"
    "    [[ $last == -* ]] && done+=- last=${last#-}\n"
    "    mapfile -t COMPREPLY < <(compgen -P \"$done\" -W \"$1\" -- \"$last\")\n"
    "    compopt -o nospace 2>/dev/null\n"
    "}\n"
    "_gwtop_settings() { _gwtop_words \"$1\"; compopt -o nospace 2>/dev/null; }\n"
    "_gwtop_from() { mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$value\"); }\n"
    "_gwtop_paths() { _gwtop_from \"$1\"; compopt -o filenames 2>/dev/null; }\n"
    "_gwtop_pids() { _gwtop_words \"$(cd /proc && echo [0-9]*)\"; }\n"
    "\n"
    "_gwtop() {\n"
    "    local raw=${COMP_WORDS[COMP_CWORD]} option='' command='' prefix='' glue='' rest='' word "
    "i\n"
    "    local count=0 words=()\n"
    "    COMPREPLY=()\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ -n $glue || $word == [=:]* ]] && ((${#words[@]})); then\n"
    "            words[${#words[@]}-1]+=$word\n"
    "        else\n"
    "            words+=(\"$word\")\n"
    "        fi\n"
    "        glue=''\n"
    "        [[ $word == [=:] ]] && glue=yes\n"
    "    done\n"
    "    [[ $raw == [=:] ]] && raw=''\n"
    "    local last=$((${#words[@]} - 1))\n"
    "    local value=${words[last]}\n"
    "    for ((i = 0; i < last; i++)); do\n"
    "        word=${words[i]}\n"
    "        if [[ $command == stat && $count -gt 0 || $rest ]]; then\n"
    "            ((count++))\n"
    "            continue\n"
    "        fi\n"
    "        case $word in\n"
    "        --) rest=yes ;;\n"
    "        ";

static const char middle[] = ") ((++i == last)) && option=$word ;;\n"
                             "        -*) ;;\n"
                             "        *)\n"
                             "            if [[ $command ]]; then\n"
                             "                ((count++))\n"
                             "            else\n"
                             "                command=$word\n"
                             "            fi\n"
                             "            ;;\n"
                             "        esac\n"
                             "    done\n"
                             "    if [[ $command == stat && $count -gt 0 ]]; then\n"
                             "        rest=yes\n"
                             "    fi\n"
                             "    if [[ -z $option$rest && $value == --*=* ]]; then\n"
                             "        option=${value%%=*} value=${value#*=}\n"
                             "        prefix=$option=\n"
                             "    fi\n"
                             "    if [[ $option ]]; then\n"
                             "        case $option in\n";

static const char tail[] = "        esac\n"
                           "    fi\n"
                           "    if [[ $prefix && $raw == \"$prefix\"* ]]; then\n"
                           "        COMPREPLY=(\"${COMPREPLY[@]/#/$prefix}\")\n"
                           "    elif ((${#COMPREPLY[@]})); then\n"
                           "        prefix=${value%\"$raw\"}\n"
                           "        COMPREPLY=(\"${COMPREPLY[@]#\"$prefix\"}\")\n"
                           "    fi\n"
                           "}\n"
                           "complete -F _gwtop gwtop\n";

/* The line of the script that offers what may stand in a place. */
static void put_offer(struct buf *out, struct completion c) {
    static const char *const calls[] = {
        [COMPLETE_FREE] = ":",
        [COMPLETE_FILE] = "_gwtop_paths -f",
        [COMPLETE_FOLDER] = "_gwtop_paths -d",
        [COMPLETE_USER] = "_gwtop_from -u",
        [COMPLETE_PID] = "_gwtop_pids",
        [COMPLETE_COMMAND] = "_gwtop_from -c",
        [COMPLETE_WORDS] = "_gwtop_words '",
        [COMPLETE_LIST] = "_gwtop_list '",
        [COMPLETE_SETTING] = "_gwtop_settings '",
    };
    buf_text(out, calls[c.what]);
    if (c.what >= COMPLETE_WORDS) {
        completion_put_words(out, c, " ");
        buf_char(out, '\'');
    }
    buf_text(out, " ;;\n");
}

static void put_option(struct buf *out, const struct option_info *o, const char *between) {
    if (o->letter) {
        buf_char(out, '-');
        buf_char(out, o->letter);
        buf_text(out, between);
    }
    buf_text(out, "--");
    buf_text(out, o->name);
}

static void put_operands(struct buf *out, const struct command *c) {
    struct completion it;
    for (int i = 0; c->name[0] && completion_of_operand(c, i, &it); i++) {
        buf_text(out, "        ");
        buf_text(out, c->name);
        buf_char(out, ':');
        buf_char(out, (char)('0' + i));
        buf_text(out, ") ");
        put_offer(out, it);
        if (it.what != COMPLETE_COMMAND)
            continue;
        buf_text(out, "        ");
        buf_text(out, c->name);
        buf_text(out, ":*) _gwtop_paths -f ;;\n");
    }
}

void completions_bash(struct buf *out) {
    const char *between = "";
    buf_text(out, head);
    for (int i = 0; i < OPT_COUNT; i++) {
        if (!option_list[i].argument)
            continue;
        buf_text(out, between);
        put_option(out, &option_list[i], " | ");
        between = " | ";
    }
    buf_text(out, middle);
    for (int i = 0; i < OPT_COUNT; i++) {
        if (!option_list[i].argument)
            continue;
        buf_text(out, "        ");
        put_option(out, &option_list[i], " | ");
        buf_text(out, ") ");
        put_offer(out, completion_of_option((enum option_id)i));
    }
    buf_text(out,
             "        esac\n    elif [[ $value == -* && -z $rest ]]; then\n        _gwtop_words '");
    for (int i = 0; i < OPT_COUNT; i++) {
        buf_text(out, i > 0 ? " " : "");
        put_option(out, &option_list[i], " ");
    }
    buf_text(out, "'\n    elif [[ -z $command ]]; then\n        _gwtop_words '");
    completion_put_commands(out, " ");
    buf_text(out, "'\n    else\n        case $command:$count in\n");
    for (unsigned i = 0; i < command_count; i++)
        put_operands(out, &command_list[i]);
    buf_text(out, tail);
}
