/* Cells of the layouts, and the sink that keeps samples. */
#include "gmt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

const struct gmt_layout *gmt_layout(const char *name) {
    for (size_t i = 0; gmt_layout_at(i); i++)
        if (strcmp(gmt_layout_at(i)->name, name) == 0)
            return gmt_layout_at(i);
    fail_msg("no layout %s", name);
    return NULL;
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* Video clocks of the first layouts bear their instance in the name. */
static unsigned index_in_name(const struct gmt_layout *l, const char *field) {
    bool video = strstr(field, "clk0") || strstr(field, "clk1");
    if (l->format != 1 || l->content > 3 || !video)
        return INDEX_NONE;
    return strstr(field, "clk0") ? 0 : 1;
}

static bool in_rows(const struct gmt_row *rows, size_t count, size_t *n, struct gmt_cell *out) {
    for (size_t i = 0; i < count; i++) {
        size_t elements = rows[i].count ? rows[i].count : 1;
        if (*n >= elements) {
            *n -= elements;
            continue;
        }
        strcpy(out->field, rows[i].field);
        out->name = rows[i].field;
        out->offset = rows[i].offset + *n * rows[i].width;
        out->width = rows[i].width;
        out->index = rows[i].count ? (unsigned)*n : INDEX_NONE;
        return true;
    }
    return false;
}

bool gmt_cell_at(const struct gmt_layout *l, size_t n, struct gmt_cell *out) {
    if (in_rows(l->rows, l->row_count, &n, out)) {
        if (out->index == INDEX_NONE)
            out->index = index_in_name(l, out->field);
        return true;
    }
    for (unsigned k = 0; l->blocks && k < 8; k++)
        if (in_rows(l->blocks, l->block_row_count, &n, out)) {
            char field[sizeof(out->field)] = "xcp_stats[0].";
            field[10] = (char)('0' + k);
            strcat(field, out->field);
            strcpy(out->field, field);
            out->offset += l->block_at + (size_t)k * l->block_size;
            return true;
        }
    const struct gmt_row tail = {"pcie_lc_perf_other_end_recovery", (uint16_t)l->tail_at, 4, 0};
    return l->tail_at && in_rows(&tail, 1, &n, out);
}

void gmt_store(uint8_t *at, unsigned width, uint64_t value) {
    for (unsigned i = 0; i < width; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

void gmt_blank(const struct gmt_layout *l, uint8_t *bytes) {
    memset(bytes, 0xff, l->size);
    gmt_store(bytes, 2, l->size);
    bytes[2] = l->format;
    bytes[3] = l->content;
}

void gmt_put(const struct gmt_layout *l, uint8_t *bytes, const char *field, unsigned index,
             uint64_t value) {
    struct gmt_cell c;
    for (size_t n = 0; gmt_cell_at(l, n, &c); n++)
        if (strcmp(c.field, field) == 0 && c.index == index) {
            gmt_store(bytes + c.offset, c.width, value);
            return;
        }
    fail_msg("%s has no %s[%u]", l->name, field, index);
}

/* ---- what was heard ------------------------------------------------------------------------- */

static void on_sample(void *ctx, const struct sample *s) {
    struct gmt_heard *h = ctx;
    assert_true(h->count < COUNT(h->list));
    assert_true(s->metric < METRIC_COUNT);
    assert_true(s->state < STATE_COUNT);
    assert_true(s->name_len > 0 && s->name_len < sizeof(h->list[0].field));
    assert_true(text_is_clean((struct span){s->name, s->name_len}));
    struct gmt_sample *to = &h->list[h->count++];
    to->sample = *s;
    memcpy(to->field, s->name, s->name_len);
    to->field[s->name_len] = '\0';
    to->metric = metric_info(s->metric)->name;
}

struct sink gmt_sink(struct gmt_heard *h) {
    return (struct sink){.ctx = h, .sample = on_sample};
}

const struct sample *gmt_find(const struct gmt_heard *h, const char *metric, unsigned index) {
    const struct sample *found = NULL;
    for (size_t i = 0; i < h->count; i++)
        if (strcmp(h->list[i].metric, metric) == 0 && h->list[i].sample.index == index) {
            if (found)
                fail_msg("%s[%u] is said twice", metric, index);
            found = &h->list[i].sample;
        }
    return found;
}

const struct sample *gmt_find_field(const struct gmt_heard *h, const char *metric,
                                    const char *field, unsigned index) {
    for (size_t i = 0; i < h->count; i++)
        if (strcmp(h->list[i].field, field) == 0 && h->list[i].sample.index == index &&
            strcmp(h->list[i].metric, metric) == 0)
            return &h->list[i].sample;
    return NULL;
}
