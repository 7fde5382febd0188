/*
 * What can go wrong or change on a machine, once each, at fixed times (s since the machine was made):
 *
 *   pid    comm         what happens
 *   61001  departing    exits at 2
 *   61002  arriving     starts at 3
 *   61003  reused       exits at 4; at once another process `successor` has the same pid
 *   61004  duplicator   three descriptors of one client, read at slightly different moments
 *   61005  inheritor    its child, with the same client
 *   61006  silent       a client without engine lines
 *   61007  closed       its folders of descriptors cannot be read
 *   61008  stepping     its counters stand 1 s lower from 5 to 6
 *   61009  latecomer    an engine that it never used begins to work at 3
 *   61010  closing      closes its client at 6 and lives on
 *   61011  swapping     at 7 its descriptor number stands for another client
 *   61012  login        (root) holds the card node of the compositor's client, as a session manager does
 *   61013  own-secrets  (the user who made the tree) as 61007
 */
#include "synth_machine.h"

#include <stdio.h>
#include <unistd.h>

static struct client *working(struct machine *m, uint32_t gfx_ppm) {
    struct client *c = machine_client(m, 0);
    if (!c)
        return NULL;
    c->load[ROLE_GFX].mean_ppm = gfx_ppm;
    c->base_ns[ROLE_GFX] = UINT64_C(30000000000) + machine_random(m, 10000000000ULL);
    c->device_kib = 65536;
    c->system_kib = 8192;
    return c;
}

/* A process with one client of its own at descriptor 6. */
static struct process *actor(struct machine *m, int pid, const char *comm, uint32_t gfx_ppm) {
    struct client *c = working(m, gfx_ppm);
    struct process *p = c ? machine_process(m, pid, comm) : NULL;
    if (!p)
        return NULL;
    machine_hold(p, 6, m->client_count - 1, false);
    return p;
}

static struct client *newest(struct machine *m) {
    return &m->client[m->client_count - 1];
}

static bool comings_and_goings(struct machine *m) {
    struct process *p = actor(m, 61001, "departing", 30000);
    if (!p)
        return false;
    p->dies_ms = 2000;
    if (!(p = actor(m, 61002, "arriving", 50000)))
        return false;
    p->born_ms = 3000;
    newest(m)->from_ms = 3000;
    newest(m)->base_ns[ROLE_GFX] = 0;
    if (!(p = actor(m, 61003, "reused", 20000)))
        return false;
    p->dies_ms = 4000;
    if (!(p = actor(m, 61003, "successor", 70000)))
        return false;
    p->born_ms = 4000;
    newest(m)->from_ms = 4000;
    newest(m)->base_ns[ROLE_GFX] = 0;
    return true;
}

static bool sharing(struct machine *m) {
    struct process *p = actor(m, 61004, "duplicator", 40000);
    if (!p)
        return false;
    unsigned shared = m->client_count - 1;
    machine_hold(p, 7, shared, false);
    machine_hold(p, 8, shared, false);
    p->fd[1].skew_ns = 40000;
    p->fd[2].skew_ns = 90000;
    if (!(p = machine_process(m, 61005, "inheritor")))
        return false;
    p->ppid = 61004;
    machine_hold(p, 6, shared, false);
    p->fd[0].skew_ns = 150000;
    if (!(p = machine_process(m, 61012, "login")))
        return false;
    p->uid = 0;
    snprintf(p->cgroup, sizeof p->cgroup, "/system.slice/systemd-logind.service");
    machine_hold(p, 9, 0, true);
    return true;
}

static bool faults(struct machine *m) {
    struct process *p = actor(m, 61006, "silent", 0);
    if (!p)
        return false;
    newest(m)->no_engines = true;
    if (!(p = actor(m, 61007, "closed", 60000)))
        return false;
    p->closed_book = true;
    if (!(p = actor(m, 61013, "own-secrets", 10000)))
        return false;
    p->closed_book = true;
    p->uid = geteuid();
    if (!actor(m, 61008, "stepping", 80000))
        return false;
    newest(m)->back_from_ms = 5000;
    newest(m)->back_to_ms = 6000;
    newest(m)->back_ns = 1000000000;
    return true;
}

static bool descriptors(struct machine *m) {
    struct process *p = actor(m, 61009, "latecomer", 20000);
    if (!p)
        return false;
    newest(m)->load[ROLE_COMPUTE].mean_ppm = 90000;
    newest(m)->late_ms[ROLE_COMPUTE] = 3000;
    if (!(p = actor(m, 61010, "closing", 25000)))
        return false;
    p->fd[0].to_ms = 6000;
    if (!(p = actor(m, 61011, "swapping", 35000)) || !working(m, 45000))
        return false;
    p->fd[0].to_ms = 7000;
    machine_hold(p, 6, m->client_count - 1, false);
    p->fd[1].from_ms = 7000;
    newest(m)->from_ms = 7000;
    newest(m)->base_ns[ROLE_GFX] = 0;
    return true;
}

bool events_build(struct machine *m) {
    return m->client_count > 0 && comings_and_goings(m) && sharing(m) && faults(m) &&
           descriptors(m);
}
