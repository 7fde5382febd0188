/*
 * Memory that is not to be had, over a whole life: start, ticks, JSON and the screen. The Nth allocation fails,
 * once or from then on, for all N. Nothing crashes; no number is told that the same machine does not give with all
 * memory there, but for sums and shares of which the program says that they may lack something; and once there is
 * memory again all is found again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failmem.h"
#include "ndjson.h"
#include "scratch.h"
#include "synth.h"
#include "tree.h"
#include "whole.h"

enum { SCARCE_TICKS = 4, RECOVERY_TICKS = 16 };
enum { ALL_TICKS = SCARCE_TICKS + RECOVERY_TICKS };

static char *root;
static json_t *want[ALL_TICKS]; /* with all memory there */
static struct whole_options how;
static const char *fault; /* in words, for failures */
static bool is_short;     /* the program says that memory was short: then sums may lack something */

/* ---- what may be told -------------------------------------------------------------------------- */

/* What tells the elements of an array apart. */
static const char *const keys[] = {"pid",   "start_s", "device", "id",     "name",  "region",
                                   "index", "metric",  "label",  "source", "engine"};

/* Names may be what there was no memory for. */
static bool same_key(json_t *a, json_t *b, bool strictly) {
    bool numbered = json_object_get(a, "id") || json_object_get(a, "pid");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (numbered && strcmp(keys[i], "name") == 0)
            continue;
        json_t *x = json_object_get(a, keys[i]), *y = json_object_get(b, keys[i]);
        bool both = x && y && !json_is_null(x) && !json_is_null(y);
        if (both ? !json_equal(x, y) : strictly && x != y)
            return false;
    }
    return true;
}

static json_t *partner(json_t *list, json_t *of) {
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one) if (same_key(one, of, true)) return one;
    json_array_foreach(list, i, one) if (same_key(one, of, false)) return one;
    return NULL;
}

static json_t *within[2]; /* the objects that are compared */

static void tell(const char *path, json_t *got, json_t *ref) {
    for (int i = 0; i < 2; i++) {
        char *object = within[i] ? json_dumps(within[i], JSON_COMPACT) : NULL;
        print_error("%.400s\n", object ? object : "nothing");
        free(object);
    }
    char *a = json_dumps(got, JSON_COMPACT | JSON_ENCODE_ANY);
    char *b = ref ? json_dumps(ref, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    print_error("%s: %s is %.300s, not %.300s\n", fault, path, a, b ? b : "nothing");
    free(a);
    free(b);
    fail();
}

static void hold(const char *path, json_t *got, json_t *ref);

/* A device's thread may answer a tick later: its sensors are held against the last tick, all of which are alike. */
static json_t *counterpart(json_t *got, json_t *ref, const char *key) {
    json_t *last = json_object_get(want[ALL_TICKS - 1], "devices");
    return json_object_get(strcmp(key, "metrics") == 0 ? partner(last, got) : ref, key);
}

static void hold_object(const char *path, json_t *got, json_t *ref) {
    const char *key;
    json_t *value;
    within[0] = got;
    within[1] = ref;
    json_object_foreach(got, key, value) {
        char below[256];
        snprintf(below, sizeof below, "%s.%s", path, key);
        hold(below, value, counterpart(got, ref, key));
    }
}

/* What was not watched is in no total; a sum of which the program says that it may lack something does. */
static void hold_number(const char *path, json_t *got, json_t *ref) {
    /* Work whose clock could not be learned is told as that; what is measured of a device is shared by those seen. */
    if (strstr(path, "unpriced_s") || strstr(path, ".power."))
        return;
    bool may_lack = is_short || strstr(path, "busy_s") || strstr(path, ".PW") || strstr(path, ".J");
    double have = json_number_value(got), most = json_number_value(ref);
    if (!json_is_number(ref) || have > most || (have < most && !may_lack))
        tell(path, got, ref);
}

/* Where one source lacked memory another may have told the same metric. */
static bool is_of_another_source(json_t *one, json_t *ref) {
    return json_object_get(one, "metric") && !partner(ref, one);
}

/* No number that is not so; what is missing, null, or a text is no number. */
static void hold(const char *path, json_t *got, json_t *ref) {
    size_t i;
    json_t *one;
    if (json_is_number(got)) {
        hold_number(path, got, ref);
    } else if (json_is_object(got)) {
        hold_object(path, got, ref);
    } else if (json_is_array(got)) {
        json_array_foreach(got, i, one) {
            if (json_is_object(one) && !is_of_another_source(one, ref))
                hold(path, one, partner(ref, one));
        }
    }
}

/* ---- a life ------------------------------------------------------------------------------------ */

static unsigned rows(json_t *tick) {
    return (unsigned)json_array_size(json_object_get(tick, "processes"));
}

/* NULL where rates and rows are those of the whole machine (totals lack what was not seen); else what is not so, and
 * in its place there is `lacks`. */
static json_t *not_whole(json_t *tick, json_t *ref, json_t **lacks) {
    size_t i;
    json_t *q;
    *lacks = NULL;
    json_array_foreach(json_object_get(ref, "processes"), i, q) {
        json_t *p = partner(json_object_get(tick, "processes"), q);
        if (!p || !json_equal(json_object_get(p, "busy_pct"), json_object_get(q, "busy_pct")) ||
            !json_equal(json_object_get(p, "clients"), json_object_get(q, "clients"))) {
            *lacks = p;
            return q;
        }
    }
    return rows(tick) == rows(ref) ? NULL : tick;
}

static void hold_tick(const struct whole *w, unsigned at) {
    json_t *tick = whole_json(w);
    json_t *unreadable = json_object_get(tick, "unreadable");
    is_short |= acct_failed(w->pipe.acct) || number_at(unreadable, "count") > 0;
    /* How many could not be seen, and what is left over for nobody, is more than with all there. */
    json_object_del(tick, "unreadable");
    json_object_del(tick, "unattributed");
    if (tick)
        hold("tick", tick, want[at]);
    json_decref(tick);
}

static void recover(struct whole *w) {
    json_t *tick = NULL, *row = w->live ? want[0] : NULL, *lacks = NULL;
    for (unsigned i = SCARCE_TICKS; i < ALL_TICKS && row; i++) {
        assert_int_equal(whole_tick(w), ERR_OK);
        json_decref(tick);
        tick = whole_json(w);
        row = not_whole(tick, want[i], &lacks);
    }
    if (row)
        tell("a row after recovery", lacks ? lacks : json_null(), row);
    json_decref(tick);
}

/* False where the fault lies behind all allocations. */
static bool live_with(unsigned long at, bool on) {
    struct whole w;
    char words[64];
    snprintf(words, sizeof words, "allocation %lu %s", at, on ? "and all after it" : "once");
    fault = words;
    is_short = false;
    failmem_arm(at, on);
    bool started = whole_start(&w, &how) == ERR_OK;
    for (unsigned i = 0; started && i < SCARCE_TICKS; i++) {
        whole_tick(&w);
        hold_tick(&w, i);
    }
    bool reached = failmem_disarm() >= at;
    if (started)
        recover(&w);
    whole_finish(&w);
    return reached;
}

static void fail_everywhere(bool on) {
    unsigned long at = 1;
    while (live_with(at, on))
        at++;
    print_message("# %s: %lu allocations\n", on ? "on" : "once", at);
    assert_true(at > 200);
}

static void one_allocation_fails(void **state) {
    (void)state;
    fail_everywhere(false);
}

static void all_allocations_fail(void **state) {
    (void)state;
    fail_everywhere(true);
}

/* ---- the machine ------------------------------------------------------------------------------- */

static int set_up(void **state) {
    struct synth_options o = {
        .gpus = "amdgpu,i915,panthor", .processes = 14, .fds = 4, .clients = 9, .seed = 3};
    struct whole w;
    (void)state;
    root = scratch_make();
    synth_close(synth_create(root, &o));
    for (unsigned card = 0; card < 3;
         card++) { /* nobody leaves one alone so that it may fall asleep */
        char path[64];
        snprintf(path, sizeof path, "sys/class/drm/card%u/device/power/control", card);
        tree_text(root, path, "on\n");
    }
    how = (struct whole_options){.root = root, .busy_step_ns = 50000000};
    assert_int_equal(whole_start(&w, &how), ERR_OK);
    for (unsigned i = 0; i < ALL_TICKS; i++) {
        assert_int_equal(whole_tick(&w), ERR_OK);
        want[i] = whole_json(&w);
        assert_non_null(want[i]);
        assert_true(rows(want[i]) > 3);
    }
    whole_finish(&w);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    for (unsigned i = 0; i < ALL_TICKS; i++)
        json_decref(want[i]);
    scratch_remove(root);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_allocations_fail),
        cmocka_unit_test(one_allocation_fails),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
