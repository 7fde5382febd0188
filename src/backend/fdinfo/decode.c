/*
 * The text of one DRM client (kernel: Documentation/gpu/drm-usage-stats): lines in any order, all
 * drivers by one table of keys. One pass; what is not a client's text gives nothing.
 */
#include <string.h>

#include "../keyvalue.h"
#include "forms.h"
#include "usage.h"

/* What a key says, and, for numbers, of which quantity they are. */
enum role { ROLE_NUMBER, ROLE_DRIVER, ROLE_PDEV, ROLE_CLIENT_ID, ROLE_CLIENT_NAME };

struct key {
    const char *text;
    uint8_t len;
    uint8_t role;
    uint8_t quantity; /* enum keyvalue_quantity */
    uint8_t metric;
    const char *name; /* NULL: the rest of the key is the name of the engine or region */
};

#define FAMILY(text, quantity, metric)                                                             \
    { text, sizeof(text) - 1, ROLE_NUMBER, KEYVALUE_##quantity, METRIC_##metric, NULL }
#define SINGLE(text, quantity, metric, name)                                                       \
    { text, sizeof(text) - 1, ROLE_NUMBER, KEYVALUE_##quantity, METRIC_##metric, name }
#define IDENTITY(text, role)                                                                       \
    { text, sizeof(text) - 1, ROLE_##role, KEYVALUE_PLAIN, METRIC_COUNT, "" }

/* The first that fits counts, so a longer prefix stands before the one that it begins with. */
static const struct key keys_a[] = {FAMILY("drm-active-", BYTES, MEMORY_ACTIVE)};
static const struct key keys_c[] = {
    FAMILY("drm-cycles-", PLAIN, ENGINE_CYCLES),
    FAMILY("drm-curfreq-", HZ, ENGINE_CURFREQ),
    IDENTITY("drm-client-id", CLIENT_ID),
    IDENTITY("drm-client-name", CLIENT_NAME),
};
static const struct key keys_d[] = {IDENTITY("drm-driver", DRIVER)};
static const struct key keys_e[] = {
    FAMILY("drm-engine-capacity-", PLAIN, ENGINE_CAPACITY),
    FAMILY("drm-engine-", NS, ENGINE_TIME),
};
/* Memory that the kernel holds for a client (panthor) is a region of its own: the client's regions
 * may hold it already. */
static const struct key keys_h[] = {
    SINGLE("panthor-resident-memory", BYTES, MEMORY_RESIDENT, "internal"),
    SINGLE("panthor-active-memory", BYTES, MEMORY_ACTIVE, "internal"),
};
static const struct key keys_i[] = {
    SINGLE("drm-internal-memory", BYTES, MEMORY_RESIDENT, "internal"),
};
static const struct key keys_m[] = {
    FAMILY("drm-memory-", BYTES, MEMORY_LEGACY),
    FAMILY("drm-maxfreq-", HZ, ENGINE_MAXFREQ),
};
static const struct key keys_p[] = {
    FAMILY("drm-purgeable-", BYTES, MEMORY_PURGEABLE),
    IDENTITY("drm-pdev", PDEV),
};
static const struct key keys_r[] = {FAMILY("drm-resident-", BYTES, MEMORY_RESIDENT)};
static const struct key keys_s[] = {FAMILY("drm-shared-", BYTES, MEMORY_SHARED)};
static const struct key keys_t[] = {
    FAMILY("drm-total-cycles-", PLAIN, ENGINE_CYCLES_TOTAL),
    FAMILY("drm-total-", BYTES, MEMORY_TOTAL),
};
#undef FAMILY
#undef SINGLE
#undef IDENTITY

_Static_assert(METRIC_MEMORY_LEGACY <= UINT8_MAX, "metrics of clients fit in a key's byte");

/* Keys are looked up by the letter that tells them apart best, the one after "drm-". */
enum { TELLING = 4 };
static const struct {
    const struct key *keys;
    size_t count;
} groups['z' - 'a' + 1] = {
#define GROUP(letter, list) [letter - 'a'] = {list, sizeof(list) / sizeof(list[0])}
    GROUP('a', keys_a), GROUP('c', keys_c), GROUP('d', keys_d), GROUP('e', keys_e),
    GROUP('h', keys_h), GROUP('i', keys_i), GROUP('m', keys_m), GROUP('p', keys_p),
    GROUP('r', keys_r), GROUP('s', keys_s), GROUP('t', keys_t),
#undef GROUP
};

/* Whether both begin with the same n bytes; n is that of a key, none shorter than a word. */
static inline bool same_start(const char *a, const char *b, size_t n) {
    uint64_t a_first, b_first, a_last, b_last;
    memcpy(&a_first, a, 8);
    memcpy(&b_first, b, 8);
    memcpy(&a_last, a + n - 8, 8);
    memcpy(&b_last, b + n - 8, 8);
    return a_first == b_first && a_last == b_last &&
           (n <= 16 || memcmp(a + 8, b + 8, n - 16) == 0);
}

static const struct key *find_key(struct span key) {
    if (key.n <= TELLING || key.p[TELLING] < 'a' || key.p[TELLING] > 'z')
        return NULL;
    const struct key *k = groups[key.p[TELLING] - 'a'].keys;
    const struct key *end = k + groups[key.p[TELLING] - 'a'].count;
    for (; k < end; k++)
        if (k->len <= key.n && (!k->name || k->len == key.n) && same_start(k->text, key.p, k->len))
            return k;
    return NULL;
}

/* Says once who the client is; the same again is fine, another one is not. */
static enum reason put_text(struct span *to, bool *has, struct span value) {
    if (*has && (to->n != value.n || memcmp(to->p, value.p, value.n) != 0))
        return REASON_BAD_TEXT;
    *to = value;
    *has = true;
    return REASON_COUNT;
}

static enum reason put_client(struct usage *u, struct span value) {
    uint64_t id;
    enum err e = span_to_u64(value, &id);
    if (e != ERR_OK)
        return keyvalue_reason(e);
    if (u->has_client && u->client != id)
        return REASON_BAD_TEXT;
    u->client = id;
    u->has_client = true;
    return REASON_COUNT;
}

static enum reason put_number(struct usage *u, const struct key *k, struct span key,
                              struct span value) {
    struct usage_number n = {0};
    struct span name = k->name ? span_of(k->name) : (struct span){key.p + k->len, key.n - k->len};
    n.err = keyvalue_number(value, (enum keyvalue_quantity)k->quantity, &n.value, &n.raw);
    if (k->metric == METRIC_ENGINE_CAPACITY && n.err == ERR_OK && n.value == 0)
        n.err = ERR_RANGE;
    return usage_put(u, (enum metric)k->metric, name, INDEX_NONE, &n);
}

static enum reason put(struct usage *u, const struct key *k, struct span key, struct span value) {
    switch ((enum role)k->role) {
    case ROLE_DRIVER:
        return value.n > 0 ? put_text(&u->driver, &u->has_driver, value) : REASON_BAD_TEXT;
    case ROLE_PDEV:
        return value.n > 0 ? put_text(&u->pdev, &u->has_pdev, value) : REASON_BAD_TEXT;
    case ROLE_CLIENT_NAME:
        return put_text(&u->name, &u->has_name, value);
    case ROLE_CLIENT_ID:
        return put_client(u, value);
    case ROLE_NUMBER:
        break;
    }
    return put_number(u, k, key, value);
}

/* Keys of one driver bear its name and a dash; the kernel's own lines (pos, flags, mnt_id) have
 * none. */
static enum reason why_unknown(struct span key) {
    bool standard = key.n >= 4 && memcmp(key.p, "drm-", 4) == 0;
    bool vendor = !standard && memchr(key.p, '-', key.n);
    return vendor || span_equals(key, "pasid") ? REASON_VENDOR_KEY : REASON_OTHER_KEY;
}

static void read_pair(struct usage *u, const struct keyvalue *kv, struct counts *counts) {
    const struct key *k = find_key(kv->key);
    if (!k) {
        counts_ignored(counts, why_unknown(kv->key));
        return;
    }
    enum reason why = put(u, k, kv->key, kv->value);
    if (why == REASON_COUNT)
        counts->accepted++;
    else
        counts_malformed(counts, why);
}

void fdinfo_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                   struct counts *counts) {
    struct cursor c = cursor_over(frame_span(f));
    struct counts own = {0};
    struct usage u;
    struct keyvalue kv;
    enum keyvalue_line line;
    usage_init(&u);
    while ((line = keyvalue_next(&c, &kv)) != KEYVALUE_END) {
        if (line == KEYVALUE_PAIR)
            read_pair(&u, &kv, &own);
        else if (line == KEYVALUE_OTHER)
            counts_ignored(&own, REASON_NO_COLON);
        else
            usage_cut(&u, &own);
    }
    if (!u.has_driver) {
        fdinfo_decode_without_driver(s, f, sink, counts);
        return;
    }
    counts_add(counts, &own);
    usage_emit(&u, s, f, sink);
}
