/*
 * Any bytes as a filter, over machines with every kind of number. What is refused is refused with a word and leaves
 * nothing behind; what is taken stays within its bounds and means the same when it is written again, in
 * parentheses, and denied twice.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gwtop/table.h"
#include "snap_cases.h"

static void check(bool holds, const char *promise) {
    if (!holds) {
        fprintf(stderr, "broken: %s\n", promise);
        abort();
    }
}

static void check_bounds(const struct filter *f) {
    check(f->count <= FILTER_NODES_MAX && f->length <= FILTER_TEXT_MAX, "a filter has bounds");
    check(text_is_clean((struct span){f->text, f->length}), "its text is clean");
    for (unsigned i = 0; i < f->count; i++) {
        const struct filter_node *n = &f->nodes[i];
        check(i == 0 || (n->left < i && n->right < i), "nodes join those before them");
        check(n->column <= COLUMN_COUNT, "a test is of a column");
        check(n->at + n->length <= f->length, "texts stand in the filter");
        check(n->number >= 0 && n->number < 1e40, "numbers are numbers");
    }
}

static bool again(const struct filter *f, const char *before, const char *behind,
                  struct filter *out) {
    char text[FILTER_TEXT_MAX + 32];
    int n = snprintf(text, sizeof text, "%s%.*s%s", before, (int)f->length, f->text, behind);
    return filter_parse((struct span){text, (size_t)n}, out, NULL) == ERR_OK;
}

/* Only what is short and flat can be written in one more pair of parentheses. */
static void check_meaning(const struct filter *f, const struct snapshot *s) {
    struct filter same, grouped, twice;
    check(again(f, "", "", &same), "what was taken is taken again");
    bool has_grouped = again(f, "(", ")", &grouped) && f->count > 0;
    bool has_twice = again(f, "not not (", ")", &twice) && f->count > 0;
    for (uint32_t i = 0; i < s->process_count; i++) {
        bool holds = filter_matches(f, s, i);
        check(filter_matches(&same, s, i) == holds, "a filter means what its text means");
        check(!has_grouped || filter_matches(&grouped, s, i) == holds,
              "parentheses change nothing");
        check(!has_twice || filter_matches(&twice, s, i) == holds, "two denials are none");
    }
}

static void check_rows(const struct filter *f, const struct snapshot *s) {
    struct table_query q = {.filter = *f};
    struct row_list l = {0};
    uint32_t want = 0, got = 0;
    check(table_select(s, &q, &l) == ERR_OK, "there is memory");
    for (uint32_t i = 0; i < s->process_count; i++) {
        want += filter_matches(f, s, i);
    }
    for (uint32_t i = 0; i < l.count; i++) {
        got += !l.rows[i].unattributed;
    }
    check(got == want, "a selection holds what the filter takes");
    row_list_finish(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct filter f;
    struct err_info info = {0};
    struct span text = {(const char *)data, size};
    if (filter_parse(text, &f, &info) != ERR_OK) {
        check(info.code == ERR_USAGE && info.text[0], "a refusal has a word");
        check(text_is_clean(span_of(info.text)), "that can be shown");
        return 0;
    }
    check_bounds(&f);
    struct snap cases[3];
    snap_power(&cases[0]);
    snap_doubts(&cases[1]);
    snap_hostile(&cases[2]);
    for (int i = 0; i < 3; i++) {
        check_meaning(&f, snap_get(&cases[i]));
        check_rows(&f, snap_get(&cases[i]));
        snap_finish(&cases[i]);
    }
    return 0;
}
