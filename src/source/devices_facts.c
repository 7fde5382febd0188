/*
 * What a device subject says of itself, as facts.
 */
#include "devices.h"
#include "names.h"

static void put_ids(struct buf *out, const char *key, int32_t a, int32_t b) {
    if (a < 0 || b < 0)
        return;
    buf_text(out, key);
    buf_char(out, '=');
    buf_hex(out, (uint64_t)a, 4);
    buf_char(out, ':');
    buf_hex(out, (uint64_t)b, 4);
    buf_char(out, '\n');
}

static void put_nodes(struct buf *out, const struct device_found *d) {
    buf_text(out, "nodes=");
    for (uint32_t i = 0; i < d->node_count; i++) {
        if (i > 0)
            buf_char(out, ',');
        buf_u64(out, d->nodes[i].major);
        buf_char(out, ':');
        buf_u64(out, d->nodes[i].minor);
    }
    buf_text(out, "\nnode_names=");
    for (uint32_t i = 0; i < d->node_count; i++) {
        if (i > 0)
            buf_char(out, ',');
        buf_text(out, d->nodes[i].name);
    }
    buf_char(out, '\n');
}

static bool put_name(struct host *h, const struct device_found *d, struct buf *out) {
    struct buf name;
    char clean[256];
    bool whole;
    buf_init(&name);
    whole = names_put_device(h, d, &name);
    facts_put(out, "name",
              (struct span){clean, text_clean(clean, sizeof(clean), buf_span_of(&name))});
    buf_finish(&name);
    return whole;
}

bool devices_facts(struct host *h, const struct device_found *d, struct buf *out) {
    bool whole;
    facts_put(out, "slot", span_of(d->slot));
    put_ids(out, "pci", d->vendor, d->device);
    put_ids(out, "subsystem", d->subvendor, d->subdevice);
    if (d->revision >= 0) {
        buf_text(out, "revision=");
        buf_hex(out, (uint64_t)d->revision, 2);
        buf_char(out, '\n');
    }
    facts_put(out, "driver", span_of(d->driver));
    whole = put_name(h, d, out);
    facts_put(out, "card", span_of(d->card));
    put_nodes(out, d);
    facts_put(out, "platform", span_of(d->platform));
    facts_put(out, "compatible", span_of(d->compatible));
    return whole;
}
