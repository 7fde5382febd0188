#!/bin/bash
# The completions of each shell that is here: they load without a word, and offer every option and command of the help,
# and the words that options take.
set -u
cd "$(dirname "$0")/../.." || exit 1
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
number=0
failed=0

tell() { # status, what
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        failed=1
    fi
}

skip() { # how many, why
    for ((i = 0; i < $1; i++)); do
        number=$((number + 1))
        echo "ok $number # SKIP $2"
    done
}

"$GWTOP_BIN" --help >"$out/help"
options=$(sed -n 's/^  \(-., \|    \)\(--[a-z0-9-]*\).*/\2/p' "$out/help")
commands=$(sed -n 's/^  gwtop \([a-z][a-z]*\) .*/\1/p' "$out/help")

# Whether all words are among the lines.
holds() { # lines, words...
    local lines=$1 word
    shift
    for word; do
        grep -qxF -e "$word" <<<"$lines" || {
            echo "# not offered: $word"
            return 1
        }
    done
}

# ---- bash --------------------------------------------------------------------------------------

# What bash would offer for the line; words as readline splits them, at blanks, = and :.
bash_offers() {
    local line=$1
    bash --norc --noprofile -c '
        source "$1"
        read -ra COMP_WORDS <<<"${2//=/ = }"
        [[ $2 == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _gwtop
        printf "%s\n" "${COMPREPLY[@]}"' bash "$out/bash" "$line" 2>&1
}

echo 1..22
"$GWTOP_BIN" completions bash >"$out/bash" && said=$(bash --norc --noprofile "$out/bash" 2>&1) && [ -z "$said" ]
tell $? 'bash loads it'
# shellcheck disable=SC2086
holds "$(bash_offers 'gwtop --')" $options
tell $? 'bash: all options'
# shellcheck disable=SC2086
holds "$(bash_offers 'gwtop ')" $commands
tell $? 'bash: all commands'
holds "$(bash_offers 'gwtop --theme ')" default light mono colour-blind
tell $? 'bash: themes'
[ "$(bash_offers 'gwtop --theme=li')" = light ] && [ "$(bash_offers 'gwtop replay --theme li')" = light ]
tell $? 'bash: a value after ='
[ "$(bash_offers 'gwtop -s gpu,-vr')" = gpu,-vram ]
tell $? 'bash: columns in a list'
holds "$(bash_offers 'gwtop --fields ')" pid user gpu vram command
tell $? 'bash: columns'
holds "$(bash_offers 'gwtop decode ')" fdinfo gpu-metrics mali-events && holds "$(bash_offers 'gwtop --as ')" fdinfo
tell $? 'bash: kinds'
holds "$(bash_offers 'gwtop decode fdinfo RE')" README.md && holds "$(bash_offers 'gwtop -c RE')" README.md
tell $? 'bash: files'
[ "$(bash_offers 'gwtop --set theme=mo')" = mono ] && holds "$(bash_offers 'gwtop --set ti')" title=yes title=no
tell $? 'bash: settings'
holds "$(bash_offers 'gwtop --mali-soc ')" exynos4412 && [ "$(bash_offers 'gwtop --speed m')" = max ]
tell $? 'bash: words of other options'
holds "$(bash_offers 'gwtop stat -- ba')" bash && holds "$(bash_offers 'gwtop stat -- ls RE')" README.md
tell $? 'bash: the command that stat runs'
[ -z "$(bash_offers 'gwtop -d ')" ] && holds "$(bash_offers 'gwtop config ')" print path check
tell $? 'bash: nothing that would be wrong'

# ---- fish --------------------------------------------------------------------------------------

fish_offers() {
    HOME=$out fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$out/fish" "$1" 2>&1 | cut -f1
}

"$GWTOP_BIN" completions fish >"$out/fish"
if command -v fish >/dev/null; then
    said=$(HOME=$out fish --no-config "$out/fish" 2>&1) && [ -z "$said" ]
    tell $? 'fish loads it'
    # shellcheck disable=SC2086
    holds "$(fish_offers 'gwtop --')" $options
    tell $? 'fish: all options'
    # shellcheck disable=SC2086
    holds "$(fish_offers 'gwtop ')" $commands
    tell $? 'fish: all commands'
    holds "$(fish_offers 'gwtop --theme ')" light mono && holds "$(fish_offers 'gwtop decode ')" fdinfo README.md &&
        holds "$(fish_offers 'gwtop -s gpu,vr')" gpu,vram
    tell $? 'fish: words'
else
    skip 4 'no fish'
fi

# ---- zsh ---------------------------------------------------------------------------------------

# What the script gives to zsh's own completion functions, with the words of the line given: one word a line.
zsh_gives() { # words of the line before the one that is completed...
    zsh -f -c '
        script=$1
        shift
        _values _describe _files _users _pids _normal() { :; }
        _arguments() { print -rl -- "$@"; line=("${given[@]}"); return 1 }
        _values() { print -rl -- "$@" }
        given=("$@")
        words=(gwtop "$@")
        _describe() { print -rl -- "${(P@)4}" }
        source $script
        _gwtop_columns
        _gwtop_settings
        _gwtop_commands' zsh "$out/_gwtop" "$@" 2>&1
}

# Whether a line of what it gave matches the pattern for each of the words.
matches() { # pattern with %s, words...
    local pattern=$1 word
    shift
    for word; do
        grep -qE -e "${pattern/\%s/$word}" "$out/given" || {
            echo "# not offered: $word"
            return 1
        }
    done
}

"$GWTOP_BIN" completions zsh >"$out/_gwtop"
if command -v zsh >/dev/null; then
    said=$(zsh -f -n "$out/_gwtop" 2>&1) && [ -z "$said" ]
    tell $? 'zsh reads it'
    zsh_gives decode >"$out/given"
    # shellcheck disable=SC2086
    matches '(^|[)])%s=?\[' $options
    tell $? 'zsh: all options'
    # shellcheck disable=SC2086
    matches '^%s:.' $commands
    tell $? 'zsh: all commands'
    grep -q '^--theme=.*:NAME:(default light mono colour-blind)$' "$out/given" &&
        grep -q '^1:word:(.*fdinfo.*)$' "$out/given" && grep -q '^vram\[' "$out/given" &&
        grep -q '^theme\[.*:value:(default light' "$out/given"
    tell $? 'zsh: words'
else
    skip 4 'no zsh'
fi

"$GWTOP_BIN" completions csh >"$out/csh" 2>&1
[ $? -eq 2 ]
tell $? 'another shell is told'
exit $failed
