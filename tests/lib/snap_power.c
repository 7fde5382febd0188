/* Machines of which is known what work costs. */
#include "snap_cases.h"

#include <stdio.h>

static const struct real none = {.state = STATE_UNSUPPORTED};

static struct snap_power shared(double pw, double pws, double watts, double joules) {
    return (struct snap_power){.pw = snap_real(pw),
                               .pws = snap_real(pws),
                               .unpriced_ns = snap_value(0),
                               .watts = snap_real(watts),
                               .joules = snap_real(joules),
                               .method = METHOD_SHARED};
}

/* GP0, PP0 to PP3; `share` of capacity in ppm goes down from unit to unit. */
static void add_units(struct snap *b, struct run *run, int64_t share, double pws) {
    for (int unit = 0; unit < 5; unit++) {
        char name[8];
        snprintf(name, sizeof name, unit ? "PP%d" : "GP%d", unit ? unit - 1 : 0);
        struct snap_engine *e =
            snap_engine(b, run, CLASS_GRAPHICS, snap_value(share - unit * share / 8));
        e->name = snap_text(b, name);
        e->busy_ns = snap_value((share - unit * share / 8) * 20000);
        e->pws = snap_real(pws - unit * pws / 8);
        e->unpriced_ns = snap_value(unit == 2 ? 250000000 : 0);
    }
}

void snap_mali(struct snap *b) {
    snap_init(b);
    struct snap_device *d = snap_device(b, "mali0", "Mali-400 MP4", "mali");
    d->clients = 2;
    d->busy_ppm = snap_value(520000);
    add_units(b, &d->engines, 520000, 0.0042);
    d->power = shared(0.91, 0.0164, 0.92, 18.4);
    d->power.method = METHOD_MEASURED;
    d->power.unpriced_ns = snap_value(250000000);
    struct snap_process *p = snap_process(b, 1480, 0, "game", "/usr/bin/game --fullscreen");
    p->type = TYPE_GRAPHICS;
    p->busy_ppm = snap_value(413000);
    p->busy_ns = snap_value(9100000000);
    p->power = shared(0.72, 0.0131, 0.474, 9.5);
    p->power.unpriced_ns = snap_value(250000000);
    p->power.watts.doubt = p->power.joules.doubt = DOUBT_ESTIMATED;
    add_units(b, &p->engines, 413333, 0.003354);
    p = snap_process(b, 311, 0, "Xorg", "/usr/lib/xorg/Xorg :0");
    p->type = TYPE_GRAPHICS;
    p->busy_ppm = snap_value(90000);
    p->busy_ns = snap_value(1900000000);
    p->power = shared(0.15, 0.0021, 0.099, 1.9);
    add_units(b, &p->engines, 90000, 0.000528);
    struct snap_unattributed *u = snap_loose(b, 0, "(not attributed)");
    u->busy_ppm = snap_value(0);
    u->busy_ns = snap_value(0);
    u->power = shared(0, 0, 0, 0);
    u = snap_loose(b, 0, "(idle floor)");
    u->busy_ppm = u->busy_ns = u->power.unpriced_ns = snap_none(STATE_UNSUPPORTED);
    u->power.pw = u->power.pws = none;
    u->power.watts = snap_real(0.31);
    u->power.joules = snap_real(6.2);
    u->power.method = METHOD_MEASURED;
    u = snap_loose(b, 0, "(unknown pid)");
    u->busy_ppm = snap_value(17000);
    u->busy_ns = snap_value(340000000);
    u->power = shared(0.05, 0.0012, 0.033, 0.8);
    add_units(b, &u->engines, 17000, 0.0003);
}

void snap_power(struct snap *b) {
    snap_typical(b);
    b->devices[0].power = shared(7.4, 1094, 112.4, 20312);
    b->devices[0].power.method = METHOD_MEASURED;
    b->processes[0].power = shared(1.9, 201.7, 15, 2802);
    b->processes[1].power = shared(0.14, 12, 1.1, 167.2);
    b->processes[2].power = shared(5.1, 812.4, 44.1, 11287);
    b->processes[3].power = shared(0.31, 77.9, 9.4, 1082);
    b->processes[4].power.watts.state = STATE_MALFORMED;
    b->processes[5].power.pws.state = STATE_DENIED;
    b->processes[6].power = shared(0, 0.0073, 0, 0.0964);
    b->processes[6].power.pws.doubt = DOUBT_ASSUMED_VOLTAGE;
    b->unattributed[0].power = shared(0.02, 0.9, 0.4, 12.5);
    struct snap_unattributed *u = snap_loose(b, 0, "(idle floor)");
    u->busy_ppm = u->busy_ns = u->power.unpriced_ns = snap_none(STATE_UNSUPPORTED);
    u->power.pw = u->power.pws = none;
    u->power.watts = snap_real(42);
    u->power.joules = snap_real(4961);
    u->power.method = METHOD_MEASURED;
}
