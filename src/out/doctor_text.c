/*
 * What doctor found, for people: the machine, each device with its sources, and last what would show more. Two columns:
 * a short word, and what it says. Pure.
 */
#include "gwtop/doctor.h"
#include "lines.h"

enum { MARGIN = 2, LABEL = 15, DETAIL = 8, BEST = 15 };

struct page {
    const struct doctor *d;
    struct buf *b;
    size_t width; /* 0: unlimited */
    bool unicode;
};

/* ---- lines ------------------------------------------------------------------------------------- */

/* Words from column `at` on, where the line stands; the next lines begin there too. Ends the line. */
static void wrapped(const struct page *p, size_t at, const char *text) {
    struct flow f = {.b = p->b, .width = p->width, .indent = at, .look = {.unicode = p->unicode}};
    struct cursor c = cursor_over(span_of(text));
    struct span word;
    bool first = true;
    f.at = at;
    while (cursor_word(&c, &word)) {
        flow_item(&f, first ? 0 : 1, word, ROLE_NORMAL);
        first = false;
    }
    line_end(p->b);
}

/* "  label      " */
static void label(const struct page *p, const char *word) {
    buf_fill(p->b, ' ', MARGIN);
    line_padded(p->b, span_of(word), LABEL - MARGIN, true, p->unicode);
}

static void entry(const struct page *p, const char *word, const char *text) {
    if (!text[0])
        return;
    label(p, word);
    wrapped(p, LABEL, text);
}

static void whole(const struct page *p, const char *text) {
    line_text(p->b, span_of(text), p->unicode);
    line_end(p->b);
}

static void title(const struct page *p, const char *text) {
    buf_char(p->b, '\n');
    whole(p, text);
}

/* ---- sources ----------------------------------------------------------------------------------- */

/* Beside what it is: a command is never broken, so that it can be taken as it is. */
static void detail(const struct page *p, const char *word, const char *text, bool command) {
    if (!text[0])
        return;
    buf_fill(p->b, ' ', LABEL);
    line_padded(p->b, span_of(word), DETAIL, true, p->unicode);
    if (command) {
        whole(p, text);
    } else {
        wrapped(p, LABEL + DETAIL, text);
    }
}

/* Below the device's own folder a path goes without it. */
static const char *short_path(const struct page *p, const struct doctor_source *s) {
    const char *folder = s->device < p->d->device_count ? p->d->devices[s->device].folder : "";
    size_t n = strlen(folder);
    if (n == 0 || !span_starts(span_of(s->path), folder))
        return s->path;
    return s->path[n] == '/' ? s->path + n + 1 : s->path[n] == '\0' ? "" : s->path;
}

static void put_source(const struct page *p, const struct doctor_source *s) {
    label(p, check_state_name((enum check_state)s->state));
    line_padded(p->b, span_of(s->source), BEST, true, p->unicode);
    line_text(p->b, span_of(short_path(p, s)), p->unicode);
    line_end(p->b);
    if (s->state == CHECK_OK)
        return;
    detail(p, "lost", s->lost, false);
    if (s->state == CHECK_ASLEEP)
        return;
    detail(p, "needs", s->need, false);
    detail(p, "run", s->command, true);
    detail(p, "or", s->other, true);
    detail(p, "unsafe", s->unsafe, false);
}

static void put_sources(const struct page *p, uint32_t device) {
    for (uint32_t i = 0; i < p->d->source_count; i++)
        if (p->d->sources[i].device == device)
            put_source(p, &p->d->sources[i]);
}

/* ---- devices ----------------------------------------------------------------------------------- */

static void put_mode(struct buf *b, uint32_t mode) {
    static const char letters[] = "rwxrwxrwx";
    for (unsigned i = 0; i < 9; i++)
        buf_char(b, mode >> (8 - i) & 1 ? letters[i] : '-');
}

static void put_node(const struct page *p, const struct doctor_node *n) {
    label(p, "node");
    line_padded(p->b, span_of(n->path), 24, true, p->unicode);
    if (!n->there) {
        whole(p, "not there");
        return;
    }
    put_mode(p->b, n->mode);
    buf_fill(p->b, ' ', 2);
    line_text(p->b, span_of(n->user), p->unicode);
    buf_char(p->b, ' ');
    line_text(p->b, span_of(n->group), p->unicode);
    buf_text(p->b, n->usable ? "  usable" : "  not for you");
    line_end(p->b);
}

static void put_power(const struct page *p, const struct doctor_device *v) {
    if (!v->status[0] && !v->control[0])
        return;
    label(p, "power");
    line_text(p->b, span_of(v->status[0] ? v->status : "never sleeps"), p->unicode);
    buf_text(p->b, v->control[0] ? ", control " : "");
    line_text(p->b, span_of(v->control), p->unicode);
    line_end(p->b);
}

/* The names that stand behind any of these in the keys. */
static void put_names(const struct page *p, const char *word, const char *keys,
                      const char *const *prefixes, size_t count) {
    struct flow f = {
        .b = p->b, .width = p->width, .indent = LABEL + DETAIL, .look = {.unicode = p->unicode}};
    struct cursor c = cursor_over(span_of(keys));
    struct span key;
    buf_fill(p->b, ' ', LABEL);
    line_padded(p->b, span_of(word), DETAIL, true, p->unicode);
    f.at = LABEL + DETAIL;
    bool first = true;
    while (cursor_word(&c, &key))
        for (size_t i = 0; i < count; i++) {
            if (!span_starts(key, prefixes[i]) || span_starts(key, "drm-engine-capacity-"))
                continue;
            flow_item(&f, first ? 0 : 1, span_skip(key, strlen(prefixes[i])), ROLE_NORMAL);
            first = false;
            break;
        }
    line_end(p->b);
}

static void put_clients(const struct page *p, const struct doctor_device *v) {
    static const char *const engines[] = {"drm-engine-", "drm-cycles-"};
    /* Who tells what is resident tells the total too; older drivers have the one key. */
    const char *const regions[] = {
        text_contains(span_of(v->keys), span_of("drm-total-")) ? "drm-total-" : "drm-memory-"};
    if (!v->driver[0])
        return;
    label(p, "fdinfo");
    if (v->clients == 0) {
        whole(p, "no client was read: what it tells is not known");
        return;
    }
    buf_u64(p->b, v->clients);
    buf_text(p->b, v->clients == 1 ? " client tells " : " clients tell ");
    buf_text(p->b, v->engines ? "engine times" : "no engine times");
    buf_text(p->b, v->memory ? " and memory" : " and no memory");
    line_end(p->b);
    if (v->engines)
        put_names(p, "engines", v->keys, engines, sizeof(engines) / sizeof(engines[0]));
    if (v->memory)
        put_names(p, "memory", v->keys, regions, sizeof(regions) / sizeof(regions[0]));
}

static void put_device(const struct page *p, uint32_t i) {
    const struct doctor_device *v = &p->d->devices[i];
    buf_char(p->b, '\n');
    buf_u64(p->b, i);
    buf_text(p->b, "  ");
    line_text(p->b, span_of(v->id), p->unicode);
    buf_text(p->b, "  ");
    line_text(p->b, span_of(v->driver[0] ? v->driver : "-"), p->unicode);
    buf_text(p->b, "  ");
    line_text(p->b, span_of(v->state), p->unicode);
    buf_text(p->b, "  ");
    whole(p, v->name);
    label(p, "folder");
    whole(p, v->folder);
    put_power(p, v);
    for (uint32_t n = 0; n < p->d->node_count; n++)
        if (p->d->nodes[n].device == i)
            put_node(p, &p->d->nodes[n]);
    put_clients(p, v);
    put_sources(p, i);
}

/* ---- the machine ------------------------------------------------------------------------------- */

static void put_processes(const struct page *p) {
    const struct doctor *d = p->d;
    label(p, "processes");
    buf_u64(p->b, d->processes);
    buf_text(p->b, ", of which ");
    buf_u64(p->b, d->unreadable);
    whole(p, " could not be looked into");
    for (unsigned i = 0; i < REASON_COUNT; i++) {
        if (d->unreadable_reasons[i] == 0)
            continue;
        buf_fill(p->b, ' ', LABEL);
        size_t start = p->b->n;
        buf_u64(p->b, d->unreadable_reasons[i]);
        buf_text(p->b, "  ");
        wrapped(p, LABEL + (p->b->n - start), reason_text(i));
    }
}

static void put_machine(const struct page *p) {
    buf_text(p->b, "gwtop ");
    whole(p, p->d->version);
    if (p->d->root[0])
        entry(p, "root", "all of this, and the commands below, speak of the machine in the tree");
    if (p->d->root[0])
        entry(p, "", p->d->root);
    for (uint32_t i = 0; i < p->d->fact_count; i++)
        entry(p, p->d->facts[i].key, p->d->facts[i].text);
    for (uint32_t i = 0; i < p->d->warning_count; i++)
        entry(p, "config", p->d->warnings[i]);
    put_processes(p);
    if (p->d->device_count == 0)
        entry(p, "devices", "no GPU found in /sys/class/drm, /sys/class/accel and on PCI");
}

/* Something is not read that is neither left alone nor impossible here. */
static bool is_short(const struct doctor *d) {
    for (uint32_t i = 0; i < d->source_count; i++) {
        unsigned state = d->sources[i].state;
        if (state == CHECK_MISSING || state == CHECK_DENIED || state == CHECK_OFF)
            return true;
    }
    return false;
}

static void put_more(const struct page *p) {
    uint32_t order[16];
    uint32_t n = doctor_rank(p->d, order, sizeof(order) / sizeof(order[0]));
    title(p, "To see more, the largest gain first");
    if (n == 0)
        entry(p, "nothing",
              is_short(p->d) ? "no command brings what is not ok above"
                             : "all that gwtop knows to read here is read");
    for (uint32_t i = 0; i < n; i++) {
        const struct doctor_source *s = &p->d->sources[order[i]];
        buf_fill(p->b, ' ', MARGIN);
        buf_u64(p->b, i + 1);
        buf_text(p->b, i + 1 < 10 ? ".  " : ". ");
        whole(p, s->command);
        buf_fill(p->b, ' ', MARGIN + 4);
        wrapped(p, MARGIN + 4, s->lost);
    }
}

void out_doctor_text(const struct doctor *d, size_t width, bool unicode, struct buf *b) {
    const struct page p = {d, b, width, unicode};
    put_machine(&p);
    for (uint32_t i = 0; i < d->device_count; i++)
        put_device(&p, i);
    title(&p, "The whole machine");
    put_sources(&p, UINT32_MAX);
    put_more(&p);
}
