/*
 * source: where bytes come from. The machine (host) with its root, the live composite over the backend table,
 * traces (reader, writer), vendor files, tee, and the worker thread. I/O.
 *
 * Collectors of backends use the host: every system call of theirs goes through it, so that --root, cost
 * counting and tests that fail the Nth call exist once.
 */
#ifndef GWTOP_SOURCE_H
#define GWTOP_SOURCE_H

#include <sys/stat.h>
#include <sys/types.h>

#include "gwtop/core.h"

int64_t clock_read_ns(clockid_t id);
/* CLOCK_MONOTONIC. */
int64_t clock_mono_ns(void);

/* ---- rights ------------------------------------------------------------------------------------------- */

/*
 * Capabilities of this program. Those that a file capability gave are never in effect but around readings of the
 * machine, so that what the user names is opened with the user's own rights. Those that the user had before (root,
 * ambient) are the user's own and stay in effect until they are dropped.
 */
enum rights_keep {
    RIGHTS_SIGNALS = 1, /* of one's own: CAP_KILL, permitted only */
    RIGHTS_FILES = 2,   /* of one's own: those about files, in effect */
};
/* First of all calls. Without `machine` (another root, recordings) what a file capability gave is dropped at once. */
void rights_begin(bool machine);
/* Whether there is anything that rights_drop would take away. */
bool rights_to_drop(unsigned keep);
/* Drops for good, in every thread, all but CAP_SYS_PTRACE and, of one's own, CAP_DAC_READ_SEARCH, without which no
 * other user's descriptors are listed: these stay permitted only. Forbids to gain any by exec.
 * Threads get it as signal RIGHTS_SIGNAL: whoever blocks signals in a thread leaves that one. */
void rights_drop(unsigned keep);
/* The same for a program that runs commands: of the capabilities that file capabilities gave, and exec stays as it
 * was. */
void rights_drop_given(void);
#define RIGHTS_SIGNAL SIGURG

/* Puts into effect what this thread may, but for CAP_SYS_PTRACE where not `processes`. True if that changed
 * anything: then rights_lower must follow. */
bool rights_raise(bool processes);
void rights_lower(void);
/* Whether CAP_SYS_PTRACE is in effect. */
bool rights_see_processes(void);

/* ---- threads ------------------------------------------------------------------------------------------ */

/* Signals are for the thread that waits for them: threads that `start` begins have all of them blocked but those that
 * a fault of their own raises, and RIGHTS_SIGNAL. Gives what `start` gives. */
int threads_begin(int (*start)(void *ctx), void *ctx);

/* ---- host -------------------------------------------------------------------------------------------- */

/* The system calls that collectors make; a test replaces them. Each returns as the call does: -1 with
 * errno. */
struct host_io {
    void *ctx;
    int (*open)(void *ctx, int dir_fd, const char *path, int flags);
    ssize_t (*pread)(void *ctx, int fd, void *to, size_t n, off_t at);
    ssize_t (*getdents)(void *ctx, int fd, void *to, size_t n);
    int (*stat)(void *ctx, int dir_fd, const char *path, struct stat *out, int flags);
    ssize_t (*readlink)(void *ctx, int dir_fd, const char *path, char *to, size_t n);
    int (*close)(void *ctx, int fd);
    /* The others may be NULL: ENOSYS. */
    ssize_t (*write)(void *ctx, int fd, const void *from, size_t n, off_t at);
    ssize_t (*read)(void *ctx, int fd, void *to, size_t n); /* of what has no positions: streams, pipes */
    int (*ioctl)(void *ctx, int fd, unsigned long request, void *arg);
    int (*mkdir)(void *ctx, int dir_fd, const char *path, mode_t mode);
    int (*rmdir)(void *ctx, int dir_fd, const char *path);
    int (*perf_open)(void *ctx, const void *attr, int cpu, int group_fd); /* perf_event_open of all processes */
    void *(*mmap)(void *ctx, int fd, size_t n, off_t at); /* shared, to read and write; MAP_FAILED */
    int (*munmap)(void *ctx, void *at, size_t n);
    int (*eventfd)(void *ctx);
    int (*poll_in)(void *ctx, int fd, int64_t most_ns);
};
extern const struct host_io host_io_posix;

struct host_options {
    const char *root;           /* DIR of --root, or NULL: this machine */
    const struct host_io *io;   /* NULL: host_io_posix */
    int64_t delay_ns;           /* interval between ticks */
    bool wake;                  /* --wake: read a sleeping device all the same */
    const char *machine_facts;  /* "key=value" lines for the machine frame (version, option.NAME); copied; may be NULL */
};

/* What a tick counted; sources add to it, live writes it into the `end` frame and clears it. */
struct host_tally {
    uint64_t syscalls;
    uint32_t processes;                /* listed */
    uint32_t looked;                   /* descriptor folders walked */
    uint32_t unreadable[REASON_COUNT]; /* processes now unreadable, by reason: a state, not per tick */
    uint32_t devices[REASON_COUNT];    /* places of /sys where devices may be and could not be looked for */
};

struct roster; /* subjects that are open: private to the room */
struct host {
    const struct host_io *io;
    const char *root; /* "" or DIR without a final slash */
    bool rooted;
    int root_fd; /* opened on root or "/" */
    int proc_fd;  /* on root/proc, or -1 */
    int proc_sys; /* errno where proc_fd is -1 */
    long clk_tck;
    long page_size;
    unsigned uid; /* effective */
    int64_t delay_ns;
    bool wake;
    char *machine_facts; /* never NULL */
    long keep_left;      /* descriptors that collectors may still keep open: take one off, put it back */
    unsigned shed;       /* descriptors that collectors keep open and shall close: one less for each */
    struct host_tally tally;
    struct roster *roster;
};

enum err host_create(const struct host_options *o, struct host **out, struct err_info *info);
void host_destroy(struct host *h);

/* host_create raises the soft limit of open descriptors to the hard one: who runs other programs puts it
 * back before exec. */

/* Counted calls through host->io. Paths are relative to dir_fd; errors as -1 and errno. */
/* Adds O_CLOEXEC, O_NOCTTY and O_NONBLOCK: whatever stands in the place of a file, nobody waits for it. Where
 * there are no descriptors left `shed` asks those who keep some open to make room. */
int host_open(struct host *h, int dir_fd, const char *path, int flags);
ssize_t host_pread(struct host *h, int fd, void *to, size_t n, off_t at);
/* For knobs, which no collector turns unasked. */
ssize_t host_write(struct host *h, int fd, const void *from, size_t n, off_t at);
/* A stream or pipe that was opened without blocking: EAGAIN where nothing waits. */
ssize_t host_read(struct host *h, int fd, void *to, size_t n);
/* What the call returns where it did not fail; `arg` as the request has it. */
int host_ioctl(struct host *h, int fd, unsigned long request, void *arg);
/* The same, not made again after a signal: for calls that must not be made twice. */
int host_ioctl_once(struct host *h, int fd, unsigned long request, void *arg);
int host_mkdir(struct host *h, int dir_fd, const char *path);
int host_rmdir(struct host *h, int dir_fd, const char *path);
/* An event of the whole machine, counted on one processor: struct perf_event_attr, closed on exec. */
int host_perf_open(struct host *h, const void *attr, int cpu, int group_fd);
/* Memory that is shared with a driver, to read and write; NULL with errno. */
void *host_mmap(struct host *h, int fd, size_t n, off_t at);
void host_munmap(struct host *h, void *at, size_t n); /* accepts NULL */
/* A count that starts at 0: not blocking, closed on exec. */
int host_eventfd(struct host *h);
/* Waits until `fd` is readable, but no longer than most_ns: 1, or 0 where it is not. For threads of their own
 * alone: no tick waits. */
int host_poll_in(struct host *h, int fd, int64_t most_ns);
ssize_t host_getdents(struct host *h, int fd, void *to, size_t n);
int host_stat(struct host *h, int dir_fd, const char *path, struct stat *out);
/* Of what is open as `fd`; the io's stat gets "" and AT_EMPTY_PATH. */
int host_fstat(struct host *h, int fd, struct stat *out);
ssize_t host_readlink(struct host *h, int dir_fd, const char *path, char *to, size_t n);
void host_close(struct host *h, int fd); /* accepts -1 */
/* open, read from 0 up to cap bytes in as many calls as needed, close. -1 with errno. */
ssize_t host_slurp(struct host *h, int dir_fd, const char *path, void *to, size_t cap);
/* Whether a call that failed so may well work when it is made again: no descriptors or memory left, a signal,
 * an error of the device. */
bool host_may_pass(int sys);
/* Calls `name` for each entry of the folder open as `fd`, from where it stands, but for "." and "..". `space`
 * holds the records: the larger, the fewer calls. -1 with errno when a call failed; names seen until then
 * were handed over all the same. */
int host_list(struct host *h, int fd, void *space, size_t cap,
              void (*name)(void *ctx, struct span name), void *ctx);
/* Reads all of a kept-open file from 0 (short reads continued). -1 with errno. */
ssize_t host_reread(struct host *h, int fd, void *to, size_t cap);

/* ---- roster: subjects --------------------------------------------------------------------------------------- */

/* Each emits the open or close frame through `sink` at time t_ns. Returned subjects stay valid and at their
 * address until closed. NULL on lack of memory. */

/* The device that owns a character device number, or NULL. */
const struct subject *roster_device(struct host *h, unsigned major, unsigned minor);
/* The same. Where none is known /sys is looked through at once, but no more than once a tick. */
const struct subject *roster_device_find(struct host *h, unsigned major, unsigned minor,
                                         const struct frame_sink *sink);
/* Looks through /sys again at the next tick. */
void roster_want_rescan(struct host *h);
/* A process subject, shared by all sources and counted by get and put; facts clk_tck and page are added. */
const struct subject *roster_process_get(struct host *h, int32_t pid, uint64_t start,
                                         const struct frame_sink *sink, int64_t t_ns);
void roster_process_put(struct host *h, const struct subject *process, const char *reason,
                        const struct frame_sink *sink, int64_t t_ns);
/* Any other subject: id is given here, name and facts are copied. `backend` is 1 + index in the table. */
const struct subject *roster_open(struct host *h, const struct subject *like,
                                  const struct frame_sink *sink, int64_t t_ns);
void roster_close(struct host *h, const struct subject *s, const char *reason,
                  const struct frame_sink *sink, int64_t t_ns);
/* The 1 + index under which `b` stands in the table live was created with; 0 if it does not. */
unsigned roster_backend(struct host *h, const struct backend *b);
/* Emits a frame of subject `s`, kind as in struct frame: success (n >= 0) or failure (n < 0: sys is the
 * errno). */
void host_emit(const struct frame_sink *sink, const struct subject *s, unsigned kind, int64_t t_ns,
               const void *bytes, ssize_t n, int sys);
/* True while the device sleeps: nothing of it may be touched in this tick. */
bool roster_asleep(struct host *h, const struct subject *device);

/* ---- live ---------------------------------------------------------------------------------------------------- */

/* The composite: finds devices once and follows them, opens a source per backend that has something, emits one
 * tick per read: [machine] begin, open/close/state of devices, what the sources say, end. poll gives the
 * time of the next tick; read before that is allowed and makes a tick now. `host` and table are borrowed. */
enum err live_create(struct host *h, const struct backend_table *table, struct source **out,
                     struct err_info *info);
/* Ticks follow this interval from now on. */
void live_delay(struct source *live, int64_t delay_ns);
/* Before the first read. That one then comes in two parts, so that rights can be dropped in between: it opens all there
 * is and reads all but processes, however many there are, gives ERR_AGAIN, and the descriptor is readable. It is the
 * source's; -1: the first read is whole. Until live_go nothing is due then; after it the next read gives the rest.
 * `nothing`: it is called through worker_call. */
int live_split(struct source *live);
void live_go(struct source *live, int64_t nothing);

/* ---- undo ---------------------------------------------------------------------------------------------- */

/* What a crash of this process shall do to put back what was turned, in steps. One is armed before its knob is
 * touched, disarmed once that is put back and before fd is closed. SIGSEGV, SIGBUS, SIGABRT, SIGILL and
 * SIGFPE do what is armed, the last armed first, in the process that armed first; ordinary ways out do it
 * themselves. The step's number; -1: none is free, or n is too large, and nothing may be touched. */
#define UNDO_STEPS   16
#define UNDO_BYTES   96
#define UNDO_WAIT_NS INT64_C(1000000000)
/* `n` bytes are written to `fd` at 0. */
int undo_arm(int fd, const void *bytes, size_t n);
/* The call is made with a copy of the `n` bytes at `arg`; with NULL where n is 0. What these bytes point to must
 * be there for as long as it is armed. */
int undo_arm_ioctl(int fd, unsigned long request, const void *arg, size_t n);
/* Steps armed before this one wait until `fd` is readable, but no longer than most_ns, at most UNDO_WAIT_NS; 8 bytes
 * of it are read then, so that the next wait is for what comes after. It must not block. */
int undo_arm_wait(int fd, int64_t most_ns);
void undo_disarm(int step);
/* Does at once what a crash would. */
void undo_all(void);

/* ---- tracefs --------------------------------------------------------------------------------------------- */

#define TRACEFS_MOUNT_MAX 256
#define TRACEFS_PATH_MAX  512
#define TRACEFS_CPUS      64 /* no chip with such a GPU has as many */
#define TRACEFS_EVENTS    4

/* The first mount point of this type, relative to the root, of which `is` says that it is the one. */
bool mount_find(const struct host *h, const char *type,
                bool (*is)(const struct host *h, const char *point, void *ctx), void *ctx);

/* Where tracefs is, relative to the root, and has one of these events (folders, "events/SYSTEM/NAME"). One that may not be
 * entered has them where there is `module`, a folder below the root. */
bool tracefs_find(const struct host *h, const char *const *events, size_t count, const char *module,
                  char mount[TRACEFS_MOUNT_MAX]);
/* Whether an instance may be made there, into a check of its records: off, with `unsafe`, or denied. */
void tracefs_check(struct host *h, const char *mount, const char *unsafe, struct check *c);
/* "little" or "big": how the kernel writes its numbers. */
const char *tracefs_endian(struct host *h);

/* An instance of our own, in which what others trace is not touched. Zeroed: there is none. */
struct tracefs {
    struct host *host; /* NULL: it is not open */
    char mount[TRACEFS_MOUNT_MAX];
    char instance[TRACEFS_PATH_MAX];
    const char *clock; /* what stamps are: the name of a clock in ns, "cycles" or "unknown" */
    size_t page_bytes;
    char *page;
    unsigned on; /* events that are */
    int enable[TRACEFS_EVENTS]; /* their files of that name, */
    int undo[TRACEFS_EVENTS];   /* and the steps of undo_arm that switch them off */
    unsigned cpus;
    uint32_t cpu[TRACEFS_CPUS]; /* the number of each, */
    int pipes[TRACEFS_CPUS];    /* and what its pages come from; -1: none */
};
/* Removes what dead ones left and makes instances/PREFIX<pid>: 0 or an errno, and then there is nothing to close. `mount`
 * is of tracefs_find. */
int tracefs_open(struct tracefs *t, struct host *h, const char *mount, const char *prefix);
/* As host_slurp, of a file in the instance. */
ssize_t tracefs_slurp(struct tracefs *t, const char *file, char *to, size_t cap);
/* Opens what pages come from: 0 or an errno. */
int tracefs_pipes(struct tracefs *t, size_t page_bytes);
/* Switches an event on until the end, of the program too where it crashes: 0 or an errno. */
int tracefs_enable(struct tracefs *t, const char *event);
/* The event is still there, in the first buffer. */
bool tracefs_has(struct tracefs *t, const char *event);
/* Each page that waits, of all processors in turns: 0, or the errno of the first pipe that could not be read. */
int tracefs_read(struct tracefs *t, void (*take)(void *ctx, struct span page), void *ctx);
/* What was not read until then is lost with the instance. */
void tracefs_close(struct tracefs *t);

/* ---- what one may do, without doing it ---------------------------------------------------------------------- */

/* 0, or the errno with which opening this path below the root for `mode` (R_OK, W_OK, X_OK of unistd.h) would fail by
 * the rights of files alone. Opens nothing. */
int host_may(struct host *h, const char *path, int mode);
/* The same of the device's render node, to read and write. */
int host_may_render(struct host *h, const struct device_info *device);
/* Whether this program has, or may raise, that capability of linux/capability.h. */
bool host_has_capability(unsigned capability);
/* One of those that let a program count what others do: perf events, hardware counters. */
bool host_may_count(void);
/* The folder's first entry that begins so, into `to`; false with errno. */
bool host_first_name(struct host *h, const char *folder, const char *prefix, char *to, size_t cap);

/* ---- whole texts ---------------------------------------------------------------------------------------------- */

/* Appends the bytes as one zstd frame. ERR_NOMEM. */
enum err zstd_pack(struct span bytes, struct buf *out);

/* ---- worker -------------------------------------------------------------------------------------------------------- */

/* Runs `inner` (taken over) in a thread of its own and hands its ticks on whole: poll's fd is readable when
 * one waits. want and close pass through in order. A tick that nobody took yet is joined by the next, not
 * replaced. */
enum err worker_create(struct source *take_inner, struct source **out);
/* Asks for a tick now. */
void worker_nudge(struct source *worker);
/* Has `run` called on the inner source in its thread, before its next read and after earlier calls: for
 * what only that thread may do, as worker_call(worker, live_delay, delay_ns). ERR_AGAIN: 16 calls wait
 * already. */
enum err worker_call(struct source *worker, void (*run)(struct source *inner, int64_t value),
                     int64_t value);

/* ---- async ------------------------------------------------------------------------------------------------------- */

/*
 * A thread, over the worker, that reads a device when it is asked to, for reads that may take long. Between an ask and
 * its answer what it reads with belongs to the thread, else to who asks: so neither needs a lock.
 */

/* First member of what reads: `source.read` is one answer, `poll` never due. */
struct async_job {
    struct source source;
    int64_t took_ns; /* by the last answer; the job sets it */
};

struct async {
    struct source *worker;
    const struct async_job *job;
    bool asked;    /* and no answer yet */
    bool answered; /* ever */
    bool slow;     /* the last answer was not worth waiting for */
};

/* `job` is taken over, also on failure. */
enum err async_start(struct async *a, struct async_job *take_job);
void async_ask(struct async *a);
/* A short while for the answer; none for one that is known to be slow. */
void async_wait(const struct async *a);
/* Emits an answer that is there. An error: the thread is no more. */
enum err async_take(struct async *a, const struct frame_sink *sink);
void async_drop(struct async *a); /* takes an answer that nobody wants any more */
void async_stop(struct async *a); /* waits for the read under way; accepts one that never started */

/* Asks such a thread of one device: once in each tick in which the device is awake. Zeroed before the start. */
struct watch {
    struct async async;
    struct host *host;
    const struct subject *device;
    const struct host *own; /* the thread's: its calls are counted as the host's */
    bool *fresh;            /* of what reads: find all files anew */
    long kept;              /* descriptors that it may keep open, taken off the host's */
    uint64_t counted;       /* of its calls */
    int64_t last_ns;
    bool gap;   /* before this tick the device slept or may have slept: what was read then is dropped */
    bool stale; /* so it was, and the thread could not be told yet */
    bool asleep_told;
};
/* Takes up to `most` descriptors for it off the host's. What it returns is what reads may keep open. */
long watch_keep(struct watch *w, struct host *h, long most);
/* `job` is taken over, also on failure; `own` and `fresh` are parts of it. */
enum err watch_start(struct watch *w, const struct subject *device, struct async_job *take_job,
                     const struct host *own, bool *fresh);
/* False while the device sleeps: then nothing may be asked of it, and a frame of `kind` says so once. */
bool watch_awake(struct watch *w, const struct subject *stream, unsigned kind, int64_t now_ns,
                 const struct frame_sink *sink);
/* Emits what there is, and asks for more. An error: the thread is no more. */
enum err watch_ask(struct watch *w, const struct frame_sink *sink);
void watch_stop(struct watch *w); /* accepts one that never started */

/* What the thread may know of the machine: the calls, where they start, and a count of its own. Nothing of the
 * roster. */
struct host host_for_thread(const struct host *h);

/* ---- traces ----------------------------------------------------------------------------------------------------------- */

struct trace_writer;
struct trace_write_options {
    bool compress; /* zstd: flushed at each tick, a new zstd frame every 60 ticks */
    bool scrub;    /* no names, users, command lines: through the kinds' scrub slots; host-wide facts too */
};
/* Takes over fd (closes it). Writes the first line at once. */
enum err trace_writer_create(int take_fd, const struct backend_table *table,
                             const struct trace_write_options *o, struct trace_writer **out);
/* Each frame in order; a failure (disk full) is kept: later frames are dropped and the error stays. Whole
 * ticks only reach the file: what was written of a tick that failed is cut off again where the file can
 * be cut. */
struct frame_sink trace_writer_sink(struct trace_writer *w);
enum err trace_writer_error(const struct trace_writer *w, struct err_info *info);
uint64_t trace_writer_bytes(const struct trace_writer *w);
/* Flushes and closes; the error of all that went before, if any. Accepts NULL. */
enum err trace_writer_close(struct trace_writer *w, struct err_info *info);

/* A recording as a source: each read emits the frames up to and with the next `end` frame. poll is always due. A
 * pipe is spooled to an unlinked file. A cut or damaged recording plays up to the last whole frame; then
 * read gives ERR_END and trace_note says what is wrong with the rest. */
enum err trace_open(const char *path, const struct backend_table *table, struct source **out,
                    struct err_info *info);
/* NULL, or one line for people; a scan learns of the end as well. Valid until close. What follows may be
 * asked of any source. A vendor file has no note; one that is no recording has neither note nor place nor marks
 * (ERR_UNSUPPORTED). */
const char *trace_note(const struct source *trace);
/* Position of the next read: bytes of the plain recording, and the file's size or progress as far as known. */
struct trace_place {
    uint64_t at;      /* bytes of the file consumed */
    uint64_t size;    /* bytes of the file */
    uint64_t tick;    /* ticks emitted */
};
void trace_place(const struct source *trace, struct trace_place *out);
/* A point to come back to: subjects and offset, copied. */
struct trace_mark;
enum err trace_mark_take(const struct source *trace, struct trace_mark **out);
void trace_mark_free(struct trace_mark *m);
enum err trace_mark_return(struct source *trace, const struct trace_mark *m);
/* Looks through the rest of the recording without emitting: number of ticks and time of the last `begin`, from
 * its start; calls progress (may be NULL) now and then with parts per million; false from it ends the scan
 * with ERR_AGAIN. The position does not move. */
struct trace_extent {
    uint64_t ticks;
    int64_t first_ns;
    int64_t last_ns;
};
enum err trace_scan(struct source *trace, struct trace_extent *out,
                    bool (*progress)(void *ctx, int ppm), void *ctx);

/* A recording of either sort: a trace or, if it is none, a vendor file of a kind that recognises it, opened with
 * these as by file_open. */
struct recording_as {
    const char *facts;
    int64_t delay_ns;
};
enum err recording_open_as(const char *path, const struct backend_table *table,
                           const struct recording_as *as, struct source **out,
                           struct err_info *info);

/* ---- vendor files ------------------------------------------------------------------------------------------------------- */

/* One vendor file as a source of one subject: machine, begin, open, frames of at most 64 KiB of whole units (or
 * one frame, where the kind reads a file as one), end. What is empty or of another kind is handed over too.
 * facts: "key=value" lines from options, may be NULL. The path "-" is standard input.
 *
 * delay_ns 0: all in one tick. Else, where the kind tells the time of units: a tick each delay_ns of the file's
 * own time. The first begins at the first unit's time and holds nothing; each next one begins delay_ns later and
 * holds the units up to then; the last begins at the greatest time of all. */
enum err file_open(const char *path, const struct backend_table *table, unsigned backend,
                   unsigned kind_index, const char *facts, int64_t delay_ns, struct source **out,
                   struct err_info *info);
/* What such a source is of; NULL: it is no vendor file. */
const struct kind *file_kind(const struct source *s);

#endif
