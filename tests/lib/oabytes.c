/* See oabytes.h. */
#include "oabytes.h"

void oab_le(struct buf *b, uint64_t v, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        buf_char(b, (char)(v >> (8 * i) & 0xff));
}

void oab_head(struct buf *b, uint32_t type, uint16_t middle, size_t size) {
    oab_le(b, type, 4);
    oab_le(b, middle, 2);
    oab_le(b, size, 2);
}

static void tail(struct buf *b, const struct oab_report *r) {
    for (unsigned i = 0; i < 8; i++)
        oab_le(b, r->b[i], 4);
    for (unsigned i = 0; i < 8; i++)
        oab_le(b, r->c[i], 4);
}

void oab_haswell(struct buf *b, const struct oab_report *r) {
    struct oab_report own = *r;
    own.c[2] = r->clock;
    oab_le(b, r->id, 4);
    oab_le(b, r->timestamp, 4);
    oab_le(b, 0, 4);
    for (unsigned i = 0; i < 45; i++)
        oab_le(b, r->a[i], 4);
    tail(b, &own);
}

void oab_gen9(struct buf *b, const struct oab_report *r) {
    oab_le(b, r->id, 4);
    oab_le(b, r->timestamp, 4);
    oab_le(b, r->context, 4);
    oab_le(b, r->clock, 4);
    for (unsigned i = 0; i < 36; i++)
        oab_le(b, r->a[i], 4);
    for (unsigned i = 0; i < 32; i++)
        oab_le(b, r->a[i] >> 32, 1);
    tail(b, r);
}

void oab_sample(struct buf *b, const struct oab_report *r) {
    oab_head(b, 1, 0, 8 + OAB_REPORT);
    oab_gen9(b, r);
}

void oab_status(struct buf *b, uint32_t type) {
    oab_head(b, type, 0, 8);
}

void oab_version(struct buf *b) {
    oab_head(b, 65536, 0, 16);
    oab_le(b, 1, 8);
}

static void text(struct buf *b, const char *s, size_t cap) {
    size_t n = strlen(s);
    buf_put(b, s, n);
    buf_fill(b, '\0', cap - n);
}

void oab_info(struct buf *b, const struct oab_device *d, bool released) {
    oab_head(b, released ? 65537 : 65536, 0, released ? 344 : 64);
    oab_le(b, d->timestamp_hz, 8);
    oab_le(b, d->pci_device, 4);
    if (!released) {
        oab_le(b, d->format, 4);
        text(b, d->uuid, 40);
        return;
    }
    oab_le(b, 0, 4);
    oab_le(b, 300000000, 4);
    oab_le(b, d->most_hz, 4);
    oab_le(b, d->engine_class, 4);
    oab_le(b, 0, 4);
    oab_le(b, d->format, 4);
    text(b, "RenderBasic", 256);
    text(b, d->uuid, 40);
    oab_le(b, 0, 4);
}

void oab_topology(struct buf *b, bool released) {
    static const unsigned short head[] = {0, 1, 3, 8, 1, 1, 2, 1};
    static const char bits[] = {1, 7, (char)0xff, (char)0xff, (char)0xff, 0, 0, 0};
    oab_head(b, released ? 65538 : 65537, 0, 32);
    for (unsigned i = 0; i < 8; i++)
        oab_le(b, head[i], 2);
    buf_put(b, bits, sizeof bits);
}

void oab_pair(struct buf *b, uint64_t cpu_ns, uint64_t gpu, bool released) {
    oab_head(b, released ? 65539 : 65538, 0, 24);
    oab_le(b, cpu_ns, 8);
    oab_le(b, gpu, 8);
}

void oab_ring_sample(struct buf *b, const struct oab_report *r, const struct oab_footer *f) {
    const bool has[] = {f->ctx, f->pid, f->tag};
    size_t raw = OAB_REPORT + 4;
    for (unsigned i = 0; i < 3; i++)
        raw += has[i] ? 8 : 0;
    oab_head(b, 9, 2, 12 + raw);
    oab_le(b, raw, 4);
    oab_haswell(b, r);
    for (unsigned i = 0; i < 3; i++)
        if (has[i])
            oab_le(b, UINT64_C(0xdead) << 48 | f->v[i], 8);
    oab_le(b, 0xaaaaaaaa, 4);
}

void oab_ring_lost(struct buf *b, uint64_t count) {
    oab_head(b, 2, 0, 24);
    oab_le(b, 1, 8);
    oab_le(b, count, 8);
}

void oab_ring_device(struct buf *b, uint32_t what) {
    oab_head(b, 14, 0, 16);
    oab_le(b, what, 8);
}
