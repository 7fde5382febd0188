/*
 * A filter as a person writes it, to nodes. Pure; allocates nothing but for the words of a refusal.
 *
 *     any   = all { "or" all }
 *     all   = one { ["and"] one }
 *     one   = "not" one | "(" any ")" | WORD | KEY RELATION VALUE
 *
 * A WORD ends at a blank, a parenthesis or a relation, a VALUE at a blank or a parenthesis; either may stand in
 * quotes, and is then neither a key nor one of the words above. Depth and length are bounded, so that hostile
 * text costs a refusal.
 */
#include "field.h"
#include "filter.h"

#include <string.h>

#define NONE     UINT8_MAX /* no node: refused */
#define NO_QUOTE "expected a closing quote"

enum token_kind { TOKEN_END, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_RELATION, TOKEN_WORD, TOKEN_QUOTED };

struct token {
    enum token_kind kind;
    enum filter_relation relation;
    size_t at;   /* where it stands */
    size_t next; /* where the next begins */
    size_t text; /* of a word: without quotes */
    size_t length;
};

struct parser {
    struct filter *f;
    struct err_info *info;
    struct token token; /* that comes next */
    unsigned depth;
};

/* ---- what went wrong --------------------------------------------------------------------------- */

/* A place as a person counts it: characters, from 1. */
static uint64_t place_of(const struct filter *f, size_t at) {
    uint64_t place = 1;
    for (size_t i = 0; i < at; i++) {
        place += ((unsigned char)f->text[i] & 0xc0) != 0x80;
    }
    return place;
}

/* `filter: at 5, "abc": expected this`; `hint` may be NULL. */
static uint8_t refuse(const struct parser *p, struct token t, const char *what, const char *hint) {
    enum { MOST = 24 };
    struct buf b = {0};
    struct span near = {p->f->text + t.at, t.next - t.at};
    struct span cut = text_cut(near, MOST);
    buf_text(&b, "filter: at ");
    buf_u64(&b, place_of(p->f, t.at));
    if (t.kind == TOKEN_END) {
        buf_text(&b, ", its end");
    } else {
        buf_text(&b, ", \"");
        buf_span(&b, cut);
        buf_text(&b, cut.n < near.n ? "...\"" : "\"");
    }
    buf_text(&b, ": ");
    buf_text(&b, what);
    buf_text(&b, hint);
    buf_char(&b, '\0');
    err_set(p->info, ERR_USAGE, 0, b.failed ? what : b.p, NULL);
    buf_finish(&b);
    return NONE;
}

/* ---- tokens ------------------------------------------------------------------------------------ */

static bool is_relation(char c) {
    return c == '=' || c == '!' || c == '~' || c == '<' || c == '>';
}

static bool is_parenthesis(char c) {
    return c == '(' || c == ')';
}

static size_t skip_blanks(const struct filter *f, size_t at) {
    while (at < f->length && f->text[at] == ' ') {
        at++;
    }
    return at;
}

/* A quote that nobody closes is a letter like any other. */
static bool read_quoted(const struct filter *f, struct token *t) {
    char quote = f->text[t->at];
    if (quote != '"' && quote != '\'') {
        return false;
    }
    const char *end = memchr(f->text + t->at + 1, quote, f->length - t->at - 1u);
    if (!end) {
        return false;
    }
    t->kind = TOKEN_QUOTED;
    t->text = t->at + 1;
    t->length = (size_t)(end - f->text) - t->text;
    t->next = t->text + t->length + 1;
    return true;
}

static void read_word(const struct filter *f, struct token *t, bool is_value) {
    size_t end = t->at;
    while (end < f->length && f->text[end] != ' ' && !is_parenthesis(f->text[end]) &&
           (is_value || !is_relation(f->text[end]))) {
        end++;
    }
    t->kind = TOKEN_WORD;
    t->text = t->at;
    t->length = end - t->at;
    t->next = end;
}

/* What stands at `at`; false where no relation does, "!" alone being none. */
static bool read_relation(const struct filter *f, struct token *t) {
    static const struct {
        const char *text;
        enum filter_relation relation;
    } list[] = {/* longer ones first */
                {"==", FILTER_EQUAL},   {"!=", FILTER_UNEQUAL}, {">=", FILTER_AT_LEAST},
                {"<=", FILTER_AT_MOST}, {"=", FILTER_EQUAL},    {"~", FILTER_CONTAINS},
                {">", FILTER_ABOVE},    {"<", FILTER_BELOW}};
    struct span rest = {f->text + t->at, f->length - t->at};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (span_starts(rest, list[i].text)) {
            t->kind = TOKEN_RELATION;
            t->relation = list[i].relation;
            t->next = t->at + strlen(list[i].text);
            return true;
        }
    }
    return false;
}

/* The token at or behind `at`. */
static struct token token_at(const struct filter *f, size_t at) {
    struct token t = {.kind = TOKEN_END, .at = skip_blanks(f, at)};
    t.next = t.at;
    if (t.at == f->length) {
        return t;
    }
    if (is_parenthesis(f->text[t.at])) {
        t.kind = f->text[t.at] == '(' ? TOKEN_OPEN : TOKEN_CLOSE;
        t.next = t.at + 1;
    } else if (!read_relation(f, &t) && !read_quoted(f, &t)) {
        read_word(f, &t, f->text[t.at] == '!');
    }
    return t;
}

/* The same where a value is expected. */
static struct token value_at(const struct filter *f, size_t at) {
    struct token t = token_at(f, at);
    if (t.kind == TOKEN_WORD || t.kind == TOKEN_RELATION) {
        read_word(f, &t, true);
    }
    return t;
}

static void advance(struct parser *p) {
    p->token = token_at(p->f, p->token.next);
}

static struct span text_of(const struct parser *p, struct token t) {
    return (struct span){p->f->text + t.text, t.length};
}

static bool is_keyword(const struct parser *p, const char *word) {
    return p->token.kind == TOKEN_WORD && p->token.length == strlen(word) &&
           text_contains(text_of(p, p->token), span_of(word));
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static uint8_t add(struct parser *p, struct token t, struct filter_node node) {
    if (p->f->count == FILTER_NODES_MAX) {
        return refuse(p, t, "too many tests in one filter", NULL);
    }
    p->f->nodes[p->f->count] = node;
    return p->f->count++;
}

static struct filter_node with_text(struct filter_node node, struct token t) {
    node.at = (uint16_t)t.text;
    node.length = (uint16_t)t.length;
    return node;
}

static uint8_t add_word(struct parser *p) {
    struct token t = p->token;
    if (t.length == 0) {
        return refuse(p, t, "expected a text between the quotes", NULL);
    }
    advance(p);
    return add(p, t, with_text((struct filter_node){.kind = FILTER_WORD}, t));
}

/* ---- tests ------------------------------------------------------------------------------------- */

static bool is_text(enum column c) {
    return c == FILTER_NAME || table_format(c) == FORMAT_TEXT || table_format(c) == FORMAT_COMMAND;
}

static bool is_ordering(enum filter_relation r) {
    return r != FILTER_EQUAL && r != FILTER_UNEQUAL && r != FILTER_CONTAINS;
}

/* Whether it is compared as a text. A device is told by its number or a name, and a number that is
 * written as text can be searched. */
static bool is_string_test(enum column c, enum filter_relation r) {
    return is_text(c) || (c == COLUMN_DEV && !is_ordering(r)) ||
           (table_format(c) == FORMAT_DIGITS && r == FILTER_CONTAINS);
}

static uint8_t add_test(struct parser *p, enum column c, struct token relation,
                        struct token value) {
    struct filter_node n = {.column = (uint8_t)c, .relation = (uint8_t)relation.relation};
    const char *expected = "";
    bool is_question = value.kind == TOKEN_WORD && span_equals(text_of(p, value), "?");
    if (is_question && (n.relation == FILTER_EQUAL || n.relation == FILTER_UNEQUAL)) {
        n.kind = FILTER_ABSENT;
    } else if (is_string_test(c, relation.relation)) {
        n.kind = FILTER_STRING;
        n = with_text(n, value);
        if (is_ordering(relation.relation)) {
            return refuse(p, relation, "expected = != or ~, as this column holds a text", NULL);
        }
    } else {
        n.kind = FILTER_NUMBER;
        if (relation.relation == FILTER_CONTAINS) {
            return refuse(p, relation, "expected = != < <= > or >=, as this column holds a number",
                          NULL);
        }
        if (!filter_number(text_of(p, value), c, &n.number, &expected)) {
            return refuse(p, value, expected, NULL);
        }
    }
    return add(p, value, n);
}

/* A word, with one of these. */
static bool starts_with(const struct parser *p, struct token t, const char *letters) {
    return t.kind == TOKEN_WORD && t.length > 0 && strchr(letters, p->f->text[t.at]);
}

static bool find_key(struct span key, enum column *out) {
    bool is_name = key.n == 4 && text_contains(key, span_of("name"));
    *out = is_name ? FILTER_NAME : column_find(key);
    return is_name || *out != COLUMN_COUNT;
}

/* The token that comes next is the relation behind `key`. */
static uint8_t parse_test(struct parser *p, struct token key) {
    enum column c;
    struct token relation = p->token;
    if (!find_key(text_of(p, key), &c)) {
        return refuse(p, key, "no column has this key; the nearest is ",
                      column_nearest(text_of(p, key)));
    }
    struct token value = value_at(p->f, relation.next);
    if ((value.kind != TOKEN_WORD && value.kind != TOKEN_QUOTED) || value.length == 0) {
        return refuse(p, value, "expected a value", NULL);
    }
    if (starts_with(p, value, "\"'")) {
        return refuse(p, value, NO_QUOTE, NULL);
    }
    p->token = value;
    advance(p);
    p->f->of_device = p->f->of_device && c == COLUMN_DEV;
    return add_test(p, c, relation, value);
}

/* ---- the whole --------------------------------------------------------------------------------- */

static uint8_t parse_any(struct parser *p);

static uint8_t parse_group(struct parser *p) {
    struct token open = p->token;
    advance(p);
    uint8_t inside = parse_any(p);
    if (inside == NONE) {
        return NONE;
    }
    if (p->token.kind != TOKEN_CLOSE) {
        return refuse(p, open, "expected a ) for it", NULL);
    }
    advance(p);
    return inside;
}

static uint8_t parse_word(struct parser *p) {
    struct token word = p->token;
    struct token behind = token_at(p->f, word.next);
    if (word.kind == TOKEN_WORD && behind.kind == TOKEN_RELATION) {
        p->token = behind;
        return parse_test(p, word);
    }
    if (starts_with(p, word, "!")) {
        return refuse(p, word, "expected != or not", NULL);
    }
    if (starts_with(p, word, "\"'")) {
        return refuse(p, word, NO_QUOTE, NULL);
    }
    p->f->of_device = false;
    return add_word(p);
}

static uint8_t parse_not(struct parser *p);

static uint8_t parse_one(struct parser *p) {
    if (is_keyword(p, "not")) {
        return parse_not(p);
    }
    bool is_word = p->token.kind == TOKEN_WORD && !is_keyword(p, "and") && !is_keyword(p, "or");
    if (is_word || p->token.kind == TOKEN_QUOTED) {
        return parse_word(p);
    }
    if (p->token.kind != TOKEN_OPEN) {
        return refuse(p, p->token, "expected a word, or a test as gpu>5", NULL);
    }
    if (p->depth == FILTER_DEPTH_MAX) {
        return refuse(p, p->token, "nested too deep", NULL);
    }
    p->depth++;
    uint8_t node = parse_group(p);
    p->depth--;
    return node;
}

static uint8_t parse_not(struct parser *p) {
    struct token t = p->token;
    if (p->depth == FILTER_DEPTH_MAX) {
        return refuse(p, t, "nested too deep", NULL);
    }
    p->depth++;
    advance(p);
    uint8_t left = parse_one(p);
    p->depth--;
    return left == NONE ? NONE : add(p, t, (struct filter_node){.kind = FILTER_NOT, .left = left});
}

static uint8_t parse_all(struct parser *p) {
    uint8_t left = parse_one(p);
    while (left != NONE) {
        struct token t = p->token;
        bool is_written = is_keyword(p, "and");
        if (is_written) {
            advance(p);
        } else if (t.kind == TOKEN_END || t.kind == TOKEN_CLOSE || is_keyword(p, "or")) {
            break;
        }
        uint8_t right = parse_one(p);
        struct filter_node both = {.kind = FILTER_AND, .left = left, .right = right};
        left = right == NONE ? NONE : add(p, t, both);
    }
    return left;
}

static uint8_t parse_any(struct parser *p) {
    uint8_t left = parse_all(p);
    while (left != NONE && is_keyword(p, "or")) {
        struct token t = p->token;
        advance(p);
        uint8_t right = parse_all(p);
        struct filter_node either = {.kind = FILTER_OR, .left = left, .right = right};
        left = right == NONE ? NONE : add(p, t, either);
    }
    return left;
}

/* Clean, as the texts are that it is compared with; all blanks are spaces. */
static bool take_text(struct filter *f, struct span text) {
    char copy[FILTER_TEXT_MAX];
    if (text.n > sizeof copy) {
        return false;
    }
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        copy[i] = c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
    }
    f->length = (uint16_t)text_clean(f->text, sizeof f->text, (struct span){copy, text.n});
    return true;
}

enum err filter_parse(struct span text, struct filter *out, struct err_info *info) {
    struct filter f = {.of_device = true};
    struct parser p = {.f = &f, .info = info};
    if (!take_text(&f, text)) {
        return err_set(info, ERR_USAGE, 0, "filter: longer than 512 bytes", NULL);
    }
    p.token = token_at(&f, 0);
    if (p.token.kind == TOKEN_END) {
        *out = (struct filter){0};
        return ERR_OK;
    }
    if (parse_any(&p) == NONE) {
        return ERR_USAGE;
    }
    if (p.token.kind != TOKEN_END) {
        (void)refuse(&p, p.token, "there is no ( for it", NULL);
        return ERR_USAGE;
    }
    *out = f;
    return ERR_OK;
}
