/* Which rows a filter takes: its grammar, its numbers, what is not known, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/table.h"
#include "snap_cases.h"

static struct snap typical;

static struct filter parsed(const char *text) {
    struct filter f;
    struct err_info info = {0};
    if (filter_parse(span_of(text), &f, &info) != ERR_OK) {
        fail_msg("%s: %s", text, info.text);
    }
    return f;
}

/* The processes that a filter takes, in key order, as "2201 9034 ". */
static void take(const struct snapshot *s, const char *text, char *out, size_t cap) {
    struct filter f = parsed(text);
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < s->process_count; i++) {
        if (filter_matches(&f, s, i)) {
            n += (size_t)snprintf(out + n, cap - n, "%d ", (int)s->processes[i].pid);
        }
    }
}

struct expectation {
    const char *filter;
    const char *pids;
};

static void expect(const struct snapshot *s, const struct expectation *list, size_t n) {
    char got[200], want[200];
    for (size_t i = 0; i < n; i++) {
        take(s, list[i].filter, got, sizeof got);
        snprintf(want, sizeof want, "%s%s", list[i].pids, list[i].pids[0] ? " " : "");
        if (strcmp(got, want) != 0) {
            fail_msg("%s takes %s, not %s", list[i].filter, got, want);
        }
    }
}
#define EXPECT(s, list) expect(s, list, sizeof(list) / sizeof((list)[0]))

#define ALL "2201 9034 48213 50177 51002 51100 51200"

static void words(void **state) {
    static const struct expectation list[] = {
        {"", ALL},
        {" \t ", ALL},
        {"blender", "48213"},
        {"BLEN", "48213"},
        {"film", "9034 48213"},
        {"kworker", "51002"},
        {"research", "50177"},
        {"51", "51002 51100 51200"},
        {"'film.mkv'", "9034"},
        {"\"--epochs 12\"", "50177"},
        {"'and'", ""},
        {"\xff\xfe", ""},
        {"nobody", ""},
    };
    (void)state;
    EXPECT(snap_get(&typical), list);
}

static void grammar(void **state) {
    static const struct expectation list[] = {
        {"film mkv", "9034"},
        {"film and mkv", "9034"},
        {"film AND NOT mkv", "48213"},
        {"not film", "2201 50177 51002 51100 51200"},
        {"not not film", "9034 48213"},
        {"mpv or blender", "9034 48213"},
        {"mpv or film blender", "9034 48213"},
        {"film blender or mpv", "9034 48213"},
        {"(mpv or film) blender", "48213"},
        {"not mpv film", "48213"},
        {"not (mpv film)", "2201 48213 50177 51002 51100 51200"},
        {"not mpv or film", ALL},
        {"((film))", "9034 48213"},
        {"(film)(mkv)", "9034"},
        {"film(mkv)", "9034"},
        {"gpu>5 and not user=root", "2201 48213 50177"},
        {"gpu > 5 user != root", "2201 48213 50177"},
        {"user=root or user=research-team", "50177 51002"},
        {"user = 'research-team'", "50177"},
        {"name=it's", ""},
        {"pid=2201 or pid==9034", "2201 9034"},
    };
    (void)state;
    EXPECT(snap_get(&typical), list);
}

static void tests_of_columns(void **state) {
    static const struct expectation list[] = {
        {"user=root", "51002"},
        {"USER=Root", "51002"},
        {"user=roo", ""},
        {"user~roo", "51002"},
        {"user=4711", "50177"},
        {"user!=4711", "2201 9034 48213 51002 51100 51200"},
        {"type=compute", "50177"},
        {"type=comp", "50177"},
        {"type=graphics", "2201 48213 51200"},
        {"type!=gfx", "9034 50177"},
        {"type=?", "51002 51100"},
        {"name=blender", ""},
        {"name=firefox", "51100"},
        {"name~fire", "51100"},
        {"command=glxgears", "51200"},
        {"command~'--epochs'", "50177"},
        {"command~--epochs", "50177"},
        {"dev=0 gpu>40", "48213 51002"},
        {"device=amdgpu gpu>40", "48213 51002"},
        {"dev='rx 7800' gpu>40", "48213 51002"},
        {"dev~0000: gpu>40", "48213 51002"},
        {"dev=1", ""},
        {"dev!=0", ""},
        {"dev<1 gpu>40", "48213 51002"},
        {"dev=?", ""},
        {"container=4f1c2a9be07d", "50177"},
        {"container!=?", "50177"},
        {"container!=x", "50177"},
        {"nspid=12", "50177"},
        {"nspid<13", "50177"},
        {"nspid~1", "50177"},
        {"nspid!=12", ""},
        {"pid>=51002", "51002 51100 51200"},
        {"start>14h", "51002 51100 51200"},
    };
    /* Started as many seconds ago as its pid says; these two did not say. */
    for (uint32_t i = 0; i < typical.s.process_count; i++) {
        if (typical.processes[i].start_ns.state != STATE_VALUE) {
            typical.processes[i].start_ns =
                snap_value(typical.s.real_ns - (int64_t)typical.processes[i].pid * 1000000000);
        }
    }
    (void)state;
    EXPECT(snap_get(&typical), list);
}

static void units(void **state) {
    static const struct expectation list[] = {
        {"gpu=41.2", "48213"},
        {"gpu=41.2%", "48213"},
        {"gpu>41.2", "51002"},
        {"gpu>=41.2 gpu<100%", "48213"},
        {"gpu<=2.1", "9034 51200"},
        {"gpu=0", "51200"},
        {"busy>99", "51002"},
        {"gfx>14", "48213 51002"},
        {"dec>2", "9034"},
        {"vram=1010M", "51002"},
        {"vram>1G", "48213 50177"},
        {"vram>1g", "48213 50177"},
        {"vram>1GiB", "48213 50177"},
        {"vram>1GB", "48213 50177"},
        {"vram>1.5G", "48213"},
        {"mem>0.001T", "48213 50177"},
        {"vram>=1034240K", "48213 50177 51002"},
        {"vram>=1059061760", "48213 50177 51002"},
        {"vram>1059061760B", "48213 50177"},
        {"vram<1P rss>4G", "50177"},
        {"cpu>=100", "48213"},
        {"time>4min", "48213"},
        {"time>4m", "48213"},
        {"time>240s", "48213"},
        {"time>240", "48213"},
        {"time>240000ms", "48213"},
        {"time>240000000us", "48213"},
        {"time>0.06h", "48213"},
        {"time>1d", ""},
    };
    (void)state;
    EXPECT(snap_get(&typical), list);
}

static void units_of_power(void **state) {
    static const char *const same[] = {"5000", "5000W", "5kW", "5KW", "0.005M", "5000000mW"};
    struct snap b;
    (void)state;
    snap_typical(&b);
    b.processes[0].power.watts = snap_real(5001);
    b.processes[0].power.pws = snap_real(5001);
    b.processes[1].power.watts = snap_real(5000);
    b.processes[2].power.watts = (struct real){.v = 7000, .state = STATE_DENIED};
    b.processes[3].power.watts = snap_real(-1);
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        char text[32], got[80];
        struct filter f;
        snprintf(text, sizeof text, "w>%s", same[i]);
        if (strchr(same[i], 'K')) { /* a prefix has its case: m is not M */
            assert_int_equal(filter_parse(span_of(text), &f, NULL), ERR_USAGE);
            continue;
        }
        take(snap_get(&b), text, got, sizeof got);
        assert_string_equal(got, "2201 ");
    }
    static const struct expectation list[] = {{"pws>5kPW·s", "2201"},
                                              {"pws>5kPW*s", "2201"},
                                              {"pws>5kpws", "2201"},
                                              {"watts<10kw", "2201 9034"},
                                              {"w=5kW", "9034"}};
    EXPECT(snap_get(&b), list);
    snap_finish(&b);
}

/* For every column, by either of its keys: each row says one of known and unknown; of a number that is known one of
 * < = > holds, and the sums of them; of an unknown nothing. */
static void every_key(void **state) {
    static const char *const keys[][2] = {
#define COLUMN(id, key, other, ...) {key, other},
#include "gwtop/columns.def"
#undef COLUMN
    };
    struct snap cases[5];
    (void)state;
    snap_typical(&cases[0]);
    snap_power(&cases[1]);
    snap_doubts(&cases[2]);
    snap_hostile(&cases[3]);
    snap_many(&cases[4], 3, 60, 5);
    for (unsigned at = 0; at < 2 * COLUMN_COUNT * 5; at++) {
        const struct snapshot *s = snap_get(&cases[at / (2 * COLUMN_COUNT)]);
        unsigned c = at / 2 % COLUMN_COUNT;
        const char *key = keys[c][at % 2];
        static const char *const relations[] = {"=?", "!=?", "=1", "!=1", "<1", ">1", "<=1", ">=1"};
        struct filter f[8];
        bool is_text = c == COLUMN_USER || c == COLUMN_TYPE || c == COLUMN_METHOD ||
                       c == COLUMN_CONTAINER || c == COLUMN_COMMAND;
        for (unsigned r = 0; key[0] && r < 8; r++) {
            char text[40];
            snprintf(text, sizeof text, "%s%s", key, relations[r]);
            assert_int_equal(filter_parse(span_of(text), &f[r], NULL),
                             is_text && r >= 4 ? ERR_USAGE : ERR_OK);
        }
        for (uint32_t i = 0; key[0] && i < s->process_count; i++) {
            bool holds[8];
            for (unsigned r = 0; r < 8; r++) {
                holds[r] = (!is_text || r < 4) && filter_matches(&f[r], s, i);
            }
            assert_int_equal(holds[0] + holds[1], 1);
            if (c != COLUMN_USER && !is_text && c != COLUMN_NSPID) {
                assert_int_equal(holds[2] + holds[4] + holds[5], holds[1]);
                assert_int_equal(holds[6], holds[4] || holds[2]);
                assert_int_equal(holds[7], holds[5] || holds[2]);
            }
            if (strcmp(key, "name") != 0) {
                assert_true(holds[2] + holds[3] == holds[1] || c == COLUMN_NSPID ||
                            c == COLUMN_USER);
            }
        }
    }
    for (unsigned i = 0; i < 5; i++) {
        snap_finish(&cases[i]);
    }
}

static void unknown_matches_nothing(void **state) {
    static const struct expectation list[] = {
        {"gpu>0 or gpu<=0", "2201 9034 48213 50177 51002 51200"},
        {"gpu=?", "51100"},
        {"gpu!=?", "2201 9034 48213 50177 51002 51200"},
        {"not gpu>5", "9034 51100 51200"},
        {"rss!=1 exited", ""},
        {"rss=?", "51002 51200"},
        {"shared=?", ALL},
        {"shared!=1", ""},
        {"user='?'", ""},
        {"name=?", ""},
    };
    (void)state;
    EXPECT(snap_get(&typical), list);
    struct snap b;
    snap_typical(&b);
    b.processes[0].user = (struct text_ref){0};
    b.processes[0].name = (struct text_ref){0};
    b.processes[1].busy_ppm = snap_value(-5); /* was never measured */
    b.s.real_ns = 0;                          /* no age without a clock */
    static const struct expectation spoilt[] = {
        {"user=?", "2201"},       {"user!=root pid<9000", ""}, {"name=?", "2201"},
        {"name!=x pid<9000", ""}, {"gpu=?", "9034 51100"},     {"gpu<5", "51200"},
        {"start>0", ""},
    };
    EXPECT(snap_get(&b), spoilt);
    snap_finish(&b);
}

static void refusals(void **state) {
    static const struct {
        const char *filter;
        const char *says[2];
    } list[] = {
        {"vrma>1G", {"at 1, \"vrma\"", "vram"}},
        {"gpu>5 and x=1", {"at 11, \"x\"", "nearest"}},
        {"gpu>", {"at 5, its end", "a value"}},
        {"gpu>)", {"at 5, \")\"", "a value"}},
        {"gpu>abc", {"at 5, \"abc\"", "41.2%"}},
        {"gpu>-5", {"at 5, \"-5\"", "percentage"}},
        {"gpu>5M", {"at 5, \"5M\"", "percentage"}},
        {"gpu>5 <7", {"at 7, \"<\"", "a word"}},
        {"gpu>1.2.3", {"at 5", "percentage"}},
        {"gpu>9999999999999999999", {"at 5", "percentage"}},
        {"pid=1.5", {"at 5", "whole number"}},
        {"pid=1k", {"at 5", "whole number"}},
        {"vram>1X", {"at 6", "1.5G"}},
        {"time>1G", {"at 6", "5min"}},
        {"w>1X", {"at 3", "number"}},
        {"user>5", {"at 5, \">\"", "text"}},
        {"gpu~5", {"at 4, \"~\"", "number"}},
        {"gpu>?", {"at 5, \"?\"", "percentage"}},
        {"and", {"at 1, \"and\"", "a word"}},
        {"a and", {"at 6, its end", "a word"}},
        {"a or or b", {"at 6, \"or\"", "a word"}},
        {"not", {"at 4, its end", "a word"}},
        {"()", {"at 2, \")\"", "a word"}},
        {"(a", {"at 1, \"(\"", ")"}},
        {"a)", {"at 2, \")\"", "("}},
        {"a ) b", {"at 3, \")\"", "("}},
        {"=5", {"at 1, \"=\"", "a word"}},
        {"'a b", {"at 1, \"'a\"", "quote"}},
        {"name=\"a b", {"at 6", "quote"}},
        {"''", {"at 1", "between"}},
        {"name=''", {"at 6", "value"}},
        {"!x", {"at 1, \"!x\"", "not"}},
        {"ä ö =1", {"at 3, \"ö\"", "nearest"}},
        {"'gpu'>5", {"at 6, \">\"", "a word"}},
        {"\x1b]0;x=1", {"at 1, \"?]0;x\"", "nearest"}},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1", {"aaa...\"", "nearest"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct filter f, before;
        struct err_info info = {0};
        memset(&f, 0x5a, sizeof f);
        before = f;
        assert_int_equal(filter_parse(span_of(list[i].filter), &f, &info), ERR_USAGE);
        assert_int_equal(filter_parse(span_of(list[i].filter), &f, NULL), ERR_USAGE);
        assert_memory_equal(&f, &before, sizeof f);
        assert_int_equal(info.code, ERR_USAGE);
        for (int k = 0; k < 2; k++) {
            if (!strstr(info.text, list[i].says[k])) {
                fail_msg("%s: %s", list[i].filter, info.text);
            }
        }
    }
}

static void bounds(void **state) {
    char text[FILTER_TEXT_MAX + 2];
    struct filter f;
    (void)state;
    /* length */
    memset(text, 'a', sizeof text);
    assert_int_equal(filter_parse((struct span){text, FILTER_TEXT_MAX}, &f, NULL), ERR_OK);
    assert_int_equal(filter_parse((struct span){text, FILTER_TEXT_MAX + 1}, &f, NULL), ERR_USAGE);
    /* depth */
    for (size_t deep = FILTER_DEPTH_MAX; deep <= FILTER_DEPTH_MAX + 1; deep++) {
        enum err want = deep > FILTER_DEPTH_MAX ? ERR_USAGE : ERR_OK;
        memset(text, '(', deep);
        text[deep] = 'a';
        memset(text + deep + 1, ')', deep);
        assert_int_equal(filter_parse((struct span){text, 2 * deep + 1}, &f, NULL), want);
        for (size_t i = 0; i < deep; i++) {
            memcpy(text + 4 * i, "not ", 4);
        }
        text[4 * deep] = 'a';
        assert_int_equal(filter_parse((struct span){text, 4 * deep + 1}, &f, NULL), want);
    }
    memset(text, '(', sizeof text);
    assert_int_equal(filter_parse((struct span){text, FILTER_TEXT_MAX}, &f, NULL), ERR_USAGE);
    /* tests: of n words there are 2 n - 1 nodes */
    for (size_t n = 1; n <= 256; n++) {
        for (size_t i = 0; i < n; i++) {
            memcpy(text + 2 * i, "a ", 2);
        }
        assert_int_equal(filter_parse((struct span){text, 2 * n}, &f, NULL),
                         2 * n - 1 > FILTER_NODES_MAX ? ERR_USAGE : ERR_OK);
    }
    struct filter copy = parsed("film (mkv or gpu>1)");
    f = copy;
    memset(&copy, 0, sizeof copy);
    assert_true(filter_matches(&f, snap_get(&typical), 1));
    assert_false(filter_matches(&f, snap_get(&typical), 0));
    assert_false(filter_matches(&f, snap_get(&typical), 1000000));
    assert_true(span_equals((struct span){f.text, f.length}, "film (mkv or gpu>1)"));
}

/* ---- within a selection ------------------------------------------------------------------------ */

static void selection(void **state) {
    static const struct {
        const char *filter;
        uint32_t processes;
        uint32_t loose;
    } list[] = {
        {"", 7, 1},
        {"gpu>40", 2, 0},
        {"dev=0", 7, 1},
        {"dev=1", 0, 0},
        {"not dev=1", 7, 1},
        {"dev=0 or dev=1", 7, 1},
        {"(dev~radeon) dev<1", 7, 1},
        {"dev=0 gpu>40", 2, 0},
        {"dev=0 or attributed", 7, 0},
        {"attributed", 0, 0},
        {"not zz", 7, 0},
    };
    struct row_list l = {0};
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct table_query q = {.filter = parsed(list[i].filter)};
        uint32_t loose = 0;
        assert_int_equal(table_select(snap_get(&typical), &q, &l), ERR_OK);
        for (uint32_t r = 0; r < l.count; r++) {
            loose += l.rows[r].unattributed;
        }
        assert_int_equal(loose, list[i].loose);
        assert_int_equal(l.count - loose, list[i].processes);
    }
    struct table_query q = {.filter = parsed("gpu>5"), .user = span_of("root")};
    assert_int_equal(table_select(snap_get(&typical), &q, &l), ERR_OK);
    assert_int_equal(l.count, 1);
    q = (struct table_query){.filter = parsed("gpu>5"), .top = 2};
    assert_int_equal(table_select(snap_get(&typical), &q, &l), ERR_OK);
    assert_int_equal(l.count, 2);
    assert_int_equal(snap_get(&typical)->processes[l.rows[1].index].pid, 48213);
    row_list_finish(&l);
}

/* ---- any expression, against a slow reading of it ---------------------------------------------- */

static uint32_t random_state = 2463534242u;

static uint32_t random_below(uint32_t n) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % n;
}

struct writer {
    char text[FILTER_TEXT_MAX];
    size_t n;
    unsigned tests;
};

static void put(struct writer *w, const char *text) {
    size_t n = strlen(text);
    assert_true(w->n + n <= sizeof w->text);
    memcpy(w->text + w->n, text, n);
    w->n += n;
}

static bool compare(struct value v, unsigned relation, int64_t than) {
    const bool result[] = {v.v == than, v.v != than, v.v<than, v.v> than, v.v <= than, v.v >= than};
    return v.state == STATE_VALUE && result[relation];
}

static bool contains(struct span text, const char *part) {
    bool found = false;
    for (; !found && text.n > 0; text = span_skip(text, 1)) {
        found = span_starts(text, part);
    }
    return found;
}

/* Writes a word, and gives of each process (a bit) whether it holds. */
static uint64_t write_word(struct writer *w, const struct snapshot *s) {
    char text[12], pid[12];
    uint64_t holds = 0;
    snprintf(text, sizeof text, "%d", (int)random_below(60));
    put(w, text);
    for (uint32_t i = 0; i < s->process_count; i++) {
        const struct snap_process *p = &s->processes[i];
        snprintf(pid, sizeof pid, "%d", (int)p->pid);
        bool found = contains(span_of(pid), text) || contains(snapshot_text(s, p->name), text) ||
                     contains(snapshot_text(s, p->command), text);
        holds |= (uint64_t)found << i;
    }
    return holds;
}

/* The same of a comparison. */
static uint64_t write_test(struct writer *w, const struct snapshot *s) {
    static const char *const relations[] = {"=", "!=", "<", ">", "<= ", " >= "};
    static const char *const keys[] = {"gpu", "vram", "cpu", "rss"};
    static const char *const ends[] = {"", "M", "%", "M"};
    unsigned kind = random_below(4), relation = random_below(6);
    int64_t than = random_below(kind == 1 ? 200 : 100);
    uint64_t holds = 0;
    char text[40];
    snprintf(text, sizeof text, "%s%s%d%s", keys[kind], relations[relation], (int)than, ends[kind]);
    put(w, text);
    for (uint32_t i = 0; i < s->process_count; i++) {
        const struct snap_process *p = &s->processes[i];
        struct value values[] = {p->busy_ppm, p->vram.bytes, p->cpu_ppm, p->rss};
        int64_t scale = kind % 2 ? INT64_C(1) << 20 : 10000;
        holds |= (uint64_t)compare(values[kind], relation, than * scale) << i;
    }
    return holds;
}

/* An expression that binds at least as tightly as `level` (0 or, 1 and, 2 not); parentheses where they are
 * needed, and sometimes where not. */
static uint64_t write_any(struct writer *w, const struct snapshot *s, unsigned level,
                          unsigned depth) {
    static const char *const ors[] = {" or ", " OR ", "  Or\t"};
    static const char *const ands[] = {" and ", " ", " AND "};
    unsigned kind = depth == 0 || w->tests > 20 ? 3 : random_below(5);
    bool grouped = kind < level || (depth > 0 && random_below(8) == 0);
    uint64_t holds;
    put(w, grouped ? "( " : "");
    if (kind == 0) {
        holds = write_any(w, s, 0, depth - 1);
        put(w, ors[random_below(3)]);
        holds |= write_any(w, s, 1, depth - 1);
    } else if (kind == 1) {
        holds = write_any(w, s, 1, depth - 1);
        put(w, ands[random_below(3)]);
        holds &= write_any(w, s, 2, depth - 1);
    } else if (kind == 2) {
        put(w, "not ");
        holds = ~write_any(w, s, 2, depth - 1);
    } else {
        w->tests++;
        holds = random_below(5) == 0 ? write_word(w, s) : write_test(w, s);
    }
    put(w, grouped ? ")" : "");
    return holds;
}

static void any_expression(void **state) {
    struct snap b;
    (void)state;
    snap_many(&b, 3, 64, 11);
    const struct snapshot *s = snap_get(&b);
    for (int round = 0; round < 20000; round++) {
        struct writer w = {.n = 0};
        struct err_info info = {0};
        struct filter f;
        uint64_t want = write_any(&w, s, 0, random_below(5));
        if (filter_parse((struct span){w.text, w.n}, &f, &info) != ERR_OK) {
            fail_msg("%.*s: %s", (int)w.n, w.text, info.text);
        }
        for (uint32_t i = 0; i < s->process_count; i++) {
            if (filter_matches(&f, s, i) != (want >> i & 1)) {
                fail_msg("%.*s: process %u", (int)w.n, w.text, (unsigned)i);
            }
        }
    }
    snap_finish(&b);
}

static int setup(void **state) {
    (void)state;
    snap_typical(&typical);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    snap_finish(&typical);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(grammar),
        cmocka_unit_test(units),
        cmocka_unit_test(units_of_power),
        cmocka_unit_test(every_key),
        cmocka_unit_test(unknown_matches_nothing),
        cmocka_unit_test(refusals),
        cmocka_unit_test(bounds),
        cmocka_unit_test(selection),
        cmocka_unit_test(any_expression),
        cmocka_unit_test(tests_of_columns),
    };
    return cmocka_run_group_tests_name("filter", tests, setup, teardown);
}
