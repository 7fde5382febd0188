/*
 * The text of one DRM client (kernel: Documentation/gpu/drm-usage-stats): lines in any order, all
 * drivers by one table of keys. One pass; what is not a client's text gives nothing.
 */
#include <limits.h>
#include <string.h>

#include "../keyvalue.h"
#include "forms.h"
#include "usage.h"

/* What a key says, and, for numbers, of which quantity they are. */
enum role { ROLE_NUMBER, ROLE_DRIVER, ROLE_PDEV, ROLE_CLIENT_ID, ROLE_CLIENT_NAME };

struct key {
    char text[24];
    uint8_t len;
    uint8_t role;
    uint8_t quantity; /* enum keyvalue_quantity */
    uint16_t metric;
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
enum { TELLING = 4, KEY_MAX = sizeof(((struct key *)0)->text) };
static const struct {
    const struct key *begin;
    const struct key *end;
} groups['z' - 'a' + 1] = {
#define GROUP(letter, list) [letter - 'a'] = {list, list + sizeof(list) / sizeof(list[0])}
    GROUP('a', keys_a), GROUP('c', keys_c), GROUP('d', keys_d), GROUP('e', keys_e),
    GROUP('h', keys_h), GROUP('i', keys_i), GROUP('m', keys_m), GROUP('p', keys_p),
    GROUP('r', keys_r), GROUP('s', keys_s), GROUP('t', keys_t),
#undef GROUP
};

/* Whether the text begins with the key, which it is long enough for. No key is shorter than a word;
 * the two may overlap. */
static inline bool begins(const char *text, const struct key *k) {
    uint64_t first, last, key_first, key_last;
    memcpy(&first, text, 8);
    memcpy(&key_first, k->text, 8);
    memcpy(&last, text + k->len - 8, 8);
    memcpy(&key_last, k->text + k->len - 8, 8);
    return first == key_first && last == key_last &&
           (k->len <= 16 || memcmp(text + 8, k->text + 8, k->len - 16u) == 0);
}

static const struct key *find_key(struct span key) {
    unsigned letter = key.n > TELLING ? (unsigned)key.p[TELLING] - 'a' : UINT_MAX;
    if (letter > 'z' - 'a')
        return NULL;
    for (const struct key *k = groups[letter].begin; k < groups[letter].end; k++)
        if (k->len <= key.n && (!k->name || k->len == key.n) && begins(key.p, k))
            return k;
    return NULL;
}

/* The same for a key that is followed by a name, at the start of KEY_MAX bytes or more. */
static inline const struct key *find_family(const char *text) {
    unsigned letter = (unsigned)text[TELLING] - 'a';
    if (letter > 'z' - 'a')
        return NULL;
    for (const struct key *k = groups[letter].begin; k < groups[letter].end; k++)
        if (!k->name && begins(text, k))
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
    struct usage_line l = {
        .name = k->name ? span_of(k->name) : span_skip(key, k->len),
        .metric = (enum metric)k->metric,
        .index = INDEX_NONE,
    };
    l.err = keyvalue_number(value, (enum keyvalue_quantity)k->quantity, &l.value, &l.raw);
    if (l.metric == METRIC_ENGINE_CAPACITY && l.err == ERR_OK && l.value == 0)
        l.err = ERR_RANGE;
    return usage_put(u, &l);
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

static void count(struct counts *counts, enum reason why) {
    if (why == REASON_COUNT)
        counts->accepted++;
    else
        counts_malformed(counts, why);
}

static void read_pair(struct usage *u, const struct keyvalue *kv, struct counts *counts) {
    const struct key *k = find_key(kv->key);
    if (!k) {
        counts_ignored(counts, why_unknown(kv->key));
        return;
    }
    count(counts, put(u, k, kv->key, kv->value));
}

/*
 * Nearly every line is "drm-total-vram:\t1234 KiB\n". Such a line is read in one go, from left to
 * right; any other is left as it is for read_pair(), which alone decides what it is worth. The text
 * has to end with '\n': no step goes beyond it.
 */
static inline bool take_usual_line(struct usage *u, struct cursor *c, struct counts *counts) {
    const struct key *k = c->end - c->p >= KEY_MAX ? find_family(c->p) : NULL;
    if (!k)
        return false;
    struct usage_line l = {
        .name = {c->p + k->len, 0}, .metric = (enum metric)k->metric, .index = INDEX_NONE};
    const char *p = l.name.p;
    while (*p > ' ' && *p != ':')
        p++;
    l.name.n = (size_t)(p - l.name.p);
    if (*p++ != ':' ||
        !keyvalue_usual_number(&p, (enum keyvalue_quantity)k->quantity, &l.value, &l.raw) ||
        (l.metric == METRIC_ENGINE_CAPACITY && l.value == 0))
        return false;
    c->p = p;
    count(counts, usage_put(u, &l));
    return true;
}

static void read_lines(struct usage *u, struct span text, struct counts *counts) {
    struct cursor c = cursor_over(text);
    struct keyvalue kv;
    bool whole = text.n > 0 && text.p[text.n - 1] == '\n';
    for (;;) {
        while (whole && c.p < c.end && take_usual_line(u, &c, counts)) {
        }
        enum keyvalue_line line = keyvalue_next(&c, &kv);
        if (line == KEYVALUE_END)
            return;
        if (line == KEYVALUE_PAIR)
            read_pair(u, &kv, counts);
        else if (line == KEYVALUE_OTHER)
            counts_ignored(counts, REASON_NO_COLON);
        else
            usage_cut(u, counts);
    }
}

void fdinfo_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                   struct counts *counts) {
    struct counts own = {0};
    struct usage u;
    usage_init(&u);
    read_lines(&u, frame_span(f), &own);
    if (!u.has_driver) {
        fdinfo_decode_without_driver(s, f, sink, counts);
        return;
    }
    counts_add(counts, &own);
    usage_emit(&u, s, f, sink);
}
