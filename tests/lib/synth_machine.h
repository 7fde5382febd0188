/* The parts of the synthetic machine, shared by the synth_*.c files. Times in ms since it was made. */
#ifndef TEST_SYNTH_MACHINE_H
#define TEST_SYNTH_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include "synth.h"

#define ALWAYS_MS   INT64_C(-1000000000000)
#define NEVER_MS    INT64_MAX
#define UPTIME_MS   INT64_C(5000000)    /* of the machine at t = 0 */
#define BOOT_TIME_S INT64_C(1750000000) /* wall clock at its boot */
#define TICKS_PER_S 100
#define PAGE_KIB    4

/* ---- text ------------------------------------------------------------------------------------ */

struct text {
    size_t n;
    char p[16384];
};
void text_put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- files below the machine's root; all report a failure on stderr and give false -------------- */

bool put_dirs(int root, const char *path); /* with all above it */
bool put_file(int root, const char *path, const void *bytes,
              size_t n); /* in place; dirs as needed */
bool put_text(int root, const char *path, const struct text *t);
bool put_line(int root, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool put_link(int root, const char *path, const char *to);
bool drop_tree(int root, const char *path); /* a missing one is fine */

/* ---- GPUs ------------------------------------------------------------------------------------------ */

enum role { ROLE_GFX, ROLE_COMPUTE, ROLE_COPY, ROLE_DECODE, ROLE_ENCODE, ROLE_COUNT };

struct gpu_model;
struct gpu {
    const struct gpu_model *model;
    unsigned card;   /* N of cardN or accelN */
    unsigned render; /* M of renderDM; 0 for none */
    char name[64];   /* PCI address or platform device */
    char path[192];  /* "sys/devices/..." */
    int64_t asleep_from_ms;
};

/* What a client has done by a moment. */
struct usage {
    uint64_t busy_ns[ROLE_COUNT];
    uint64_t device_kib; /* memory on the card */
    uint64_t system_kib;
    uint64_t shared_kib; /* part of device_kib, or of system_kib where there is no other */
};
struct reading {
    const struct gpu *gpu;
    uint64_t client;
    const char *client_name; /* "" for none */
    bool no_engines;
    int64_t t_ms;
    struct usage use;
};

/* Parses "amdgpu,i915:asleep"; false (and a word) for a name that is not in the table. */
bool gpus_parse(const char *list, struct gpu *out, unsigned *count, unsigned max);
void gpu_node_path(const struct gpu *g, bool card, char out[64]);
void gpu_node_number(const struct gpu *g, bool card, unsigned *major, unsigned *minor);
const char *gpu_title(const struct gpu *g); /* for people; NULL for none */
/* The lines that the driver adds to fdinfo. */
void gpu_write_fdinfo(struct text *t, const struct reading *r);

/* Devices, classes and nodes: what stays. */
bool sys_create(int root, const struct gpu *g, unsigned index);
bool sys_create_common(int root);
/* What moves: sensors; the totals over the clients. */
bool sys_update(int root, const struct gpu *g, unsigned index, const struct usage *used,
                const uint32_t duty_ppm[ROLE_COUNT], int64_t t_ms);

/* ---- processes ------------------------------------------------------------------------------------------ */

/* A duty that swings as a triangle around its mean. */
struct load {
    uint32_t mean_ppm;
    uint32_t swing_ppm;
    uint32_t period_ms; /* 0: steady */
    uint32_t phase_ms;
};
uint64_t load_busy_ns(const struct load *l, int64_t from_ms, int64_t to_ms);
uint32_t load_duty_ppm(const struct load *l, int64_t t_ms);

struct client {
    uint64_t id;
    unsigned gpu;
    const char *name;
    bool no_engines;
    int64_t from_ms; /* it works from here on; what was before is in base_ns */
    uint64_t base_ns[ROLE_COUNT];
    struct load load[ROLE_COUNT];
    uint64_t device_kib;
    uint64_t grow_kib_s; /* of device_kib, up to twice of it */
    uint64_t system_kib;
    uint64_t shared_kib;
    int64_t back_from_ms; /* its counters stand back_ns too low from here ... */
    int64_t back_to_ms;   /* ... to here */
    uint64_t back_ns;
    int64_t late_ms[ROLE_COUNT]; /* the engine does nothing before */
};

struct descriptor {
    unsigned number;
    unsigned client;  /* index */
    bool card;        /* through cardN, not renderDM */
    uint64_t skew_ns; /* its reading is this much ahead of the client's others */
    int64_t from_ms;
    int64_t to_ms;
};

#define DESCRIPTORS_MAX 12
struct process {
    int pid;
    int ppid;
    int inner_pid; /* in its container; 0: none */
    unsigned uid;
    const char *comm;
    const char *command; /* NUL-separated */
    size_t command_size;
    char cgroup[224];
    char made_comm[16];
    char made_command[64];
    int64_t born_ms;
    int64_t dies_ms;
    uint32_t cpu_ppm;
    uint64_t cpu_base_ns;
    uint64_t rss_kib;
    unsigned threads;
    bool kernel;
    bool closed_book; /* its descriptors cannot be listed */
    struct descriptor fd[DESCRIPTORS_MAX];
    unsigned fd_count;
};

struct machine {
    struct synth_options o;
    struct gpu gpu[16];
    unsigned gpu_count;
    struct client *client;
    unsigned client_count;
    unsigned client_cap;
    struct process *process;
    unsigned process_count;
    unsigned process_cap;
    uint64_t random;
    uint64_t next_client;
};

uint64_t machine_random(struct machine *m, uint64_t below);
/* New entries with everything at rest; NULL for lack of memory. Earlier pointers are void after it. */
struct client *machine_client(struct machine *m, unsigned gpu);
struct process *machine_process(struct machine *m, int pid, const char *comm);
/* Gives the newest process a descriptor of the client. */
void machine_hold(struct process *p, unsigned number, unsigned client, bool card);

bool cast_build(struct machine *m);   /* who is there, from the options */
bool events_build(struct machine *m); /* the scripted ones */
bool demo_build(struct machine *m);
bool hostile_build(struct machine *m);

bool proc_create_common(int root, const struct machine *m);
bool proc_update_common(int root, int64_t t_ms);
/* From the state at `was_ms` (ALWAYS_MS: nothing there yet) to the one at `t_ms`. */
bool proc_update(int root, const struct machine *m, int64_t was_ms, int64_t t_ms);
unsigned proc_holders(const struct machine *m, int64_t t_ms, struct synth_holder *out,
                      unsigned max);
struct usage client_usage(const struct client *c, int64_t t_ms);

#endif
