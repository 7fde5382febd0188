/* What /proc says about a process: names that hold anything, numbers with their units, containers
 * of all managers, and nothing personal once scrubbed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/proc/proc.h"
#include "heard.h"

static const struct subject process = {.id = 5,
                                       .backend = 2,
                                       .type = SUBJECT_PROCESS,
                                       .pid = 4242,
                                       .name = "",
                                       .facts = "clk_tck=100\npage=4096\n"};

static struct heard heard;
static struct counts counts;

static void decode_as(const struct subject *s, unsigned kind, const char *text, size_t n) {
    char *copy = malloc(n ? n : 1);
    struct sink sink = heard_sink(&heard);
    assert_non_null(copy);
    if (n > 0)
        memcpy(copy, text, n);
    struct frame f = {.t_ns = 5, .bytes = copy, .size = n, .subject = 5, .kind = (uint16_t)kind};
    heard_clear(&heard);
    counts = (struct counts){0};
    backend_proc.kinds[kind - FRAME_BACKEND].decode(s, &f, &sink, &counts);
    assert_int_equal(heard.client, 0);
    assert_int_equal(heard.space, SPACE_NONE);
    free(copy);
}

static void expect(unsigned kind, const char *text, const char *says) {
    decode_as(&process, kind, text, strlen(text));
    assert_string_equal(heard_text(&heard), says);
}

static void expect_counts(uint64_t accepted, uint64_t ignored, uint64_t malformed,
                          uint64_t truncated) {
    assert_int_equal(counts.accepted, accepted);
    assert_int_equal(counts.ignored, ignored);
    assert_int_equal(counts.malformed, malformed);
    assert_int_equal(counts.truncated, truncated);
    assert_counts(&counts, accepted + ignored + malformed + truncated);
}

/* ---- stat -------------------------------------------------------------------------------------- */

/* Fields 3 to 52 with utime, stime and rss as given; what stands before is the name. */
#define STAT(utime, stime, rss)                                                                    \
    " S 1 4242 4242 34816 4242 4194304 1901 0 12 0 " utime " " stime                               \
    " 0 0 20 0 9 0 123456 271622144 " rss                                                          \
    " 18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 3 0 0 0 0 0 0 0 0 0 0 0 0 0\n"

static void stat_numbers(void **state) {
    (void)state;
    expect(PROC_STAT, "4242 (game)" STAT("150", "25", "2000"),
           "label comm game\nprocess.cpu_time 1750000000\nprocess.rss 8192000\nprocess.ppid 1\n");
    expect_counts(1, 0, 0, 0);
    heard.raw = true;
    expect(PROC_STAT, "4242 (game)" STAT("150", "25", "2000"),
           "label comm game\nprocess.cpu_time 1750000000 175\nprocess.rss 8192000 2000\n"
           "process.ppid 1 1\n");
    heard.raw = false;
    expect(PROC_STAT, "4242 (game)" STAT("0", "0", "0"),
           "label comm game\nprocess.cpu_time 0\nprocess.rss 0\nprocess.ppid 1\n");
    /* One number that cannot be read costs no other. */
    expect(PROC_STAT, "4242 (game)" STAT("150", "25", "-3"),
           "label comm game\nprocess.cpu_time 1750000000\nprocess.rss malformed\nprocess.ppid 1\n");
    expect_counts(0, 0, 1, 0);
    assert_int_equal(counts.reasons[REASON_BAD_NUMBER], 1);
    expect(PROC_STAT, "4242 (game)" STAT("18446744073709551615", "1", "1"),
           "label comm game\nprocess.cpu_time malformed\nprocess.rss 4096\nprocess.ppid 1\n");
    assert_int_equal(counts.reasons[REASON_OUT_OF_RANGE], 1);
    expect(PROC_STAT, "4242 (game)" STAT("1", "1", "9223372036854775807"),
           "label comm game\nprocess.cpu_time 20000000\nprocess.rss malformed\nprocess.ppid 1\n");
    expect(PROC_STAT, "4242 (game)" STAT("999999999999999999", "1", "1"),
           "label comm game\nprocess.cpu_time malformed\nprocess.rss 4096\nprocess.ppid 1\n");
}

/* How long a tick and a page are is not guessed. */
static void stat_without_facts(void **state) {
    (void)state;
    static const char text[] = "4242 (game)" STAT("150", "25", "2000");
    struct subject bare = process;
    bare.facts = "";
    decode_as(&bare, PROC_STAT, text, sizeof(text) - 1);
    assert_string_equal(heard_text(&heard),
                        "label comm game\nprocess.cpu_time unknown\nprocess.rss unknown\n"
                        "process.ppid 1\n");
    bare.facts = "clk_tck=0\npage=16384\n";
    decode_as(&bare, PROC_STAT, text, sizeof(text) - 1);
    assert_string_equal(heard_text(&heard),
                        "label comm game\nprocess.cpu_time unknown\nprocess.rss 32768000\n"
                        "process.ppid 1\n");
    bare.facts = "clk_tck=250\npage=4096\n";
    decode_as(&bare, PROC_STAT, text, sizeof(text) - 1);
    assert_true(heard_line(&heard, "process.cpu_time 700000000"));
}

static void stat_names(void **state) {
    (void)state;
    static const struct {
        const char *comm;
        const char *label;
    } cases[] = {
        {"Web Content", "Web Content"},
        {"", ""},
        {"a) S 9 (b", "a) S 9 (b"},
        {"))))", "))))"},
        {"((", "(("},
        {"tab\there", "tab?here"},
        {"two\nlines", "two?lines"},
        {"\x1b[31m", "?[31m"},
        {"\xff\xfe", "?"},
        {"Gr\xc3\xbc\xc3\x9f", "Gr\xc3\xbc\xc3\x9f"},
    };
    struct buf text;
    buf_init(&text);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        buf_clear(&text);
        buf_text(&text, "4242 (");
        buf_text(&text, cases[i].comm);
        buf_text(&text, ")" STAT("1", "1", "1"));
        decode_as(&process, PROC_STAT, text.p, text.n);
        buf_clear(&text);
        buf_text(&text, "label comm ");
        buf_text(&text, cases[i].label);
        buf_text(&text, "\nprocess.cpu_time 20000000\nprocess.rss 4096\nprocess.ppid 1\n");
        buf_char(&text, '\0');
        assert_string_equal(heard_text(&heard), text.p);
    }
    buf_finish(&text);
}

/* A cut text gives what the whole gives, or nothing. */
static void stat_cut(void **state) {
    (void)state;
    static const char text[] = "4242 (a) 1 (b)" STAT("150", "25", "2000");
    decode_as(&process, PROC_STAT, text, sizeof(text) - 1);
    struct buf whole = heard.text;
    heard.text = (struct buf){0};
    for (size_t n = 0; n < sizeof(text) - 1; n++) {
        decode_as(&process, PROC_STAT, text, n);
        assert_int_equal(counts_units(&counts), 1);
        assert_int_equal(counts.ignored, 0);
        if (counts.accepted) {
            assert_int_equal(heard.text.n, whole.n);
            assert_memory_equal(heard.text.p, whole.p, whole.n);
        } else {
            assert_int_equal(heard.samples + heard.labels, 0);
        }
    }
    buf_finish(&whole);
    expect(PROC_STAT, "", "");
    expect_counts(0, 0, 1, 0);
    expect(PROC_STAT, "no such text\n", "");
    expect_counts(0, 0, 1, 0);
    expect(PROC_STAT, "1 (x) S 1\n", "");
    expect_counts(0, 0, 1, 0);
    expect(PROC_STAT, ")(\n", "");
    expect_counts(0, 0, 1, 0);
}

/* ---- a process that was never read -------------------------------------------------------------- */

/* It is named by its number, and shown with who began it. */
static void never_named(void **state) {
    (void)state;
    expect(PROC_NAME, "parent=500\nparent_name=bash\n",
           "label comm [4242]\nlabel command [4242] (child of bash)\n");
    expect_counts(1, 0, 0, 0);
    expect(PROC_NAME, "parent_name=a (b) c\nparent=500\n",
           "label comm [4242]\nlabel command [4242] (child of a (b) c)\n");
    expect(PROC_NAME, "parent=500\n", "label comm [4242]\nlabel command [4242] (child of 500)\n");
    expect(PROC_NAME, "parent=500\nparent_name=\n",
           "label comm [4242]\nlabel command [4242] (child of 500)\n");
    expect(PROC_NAME, "", "label comm [4242]\nlabel command [4242]\n");
    expect(PROC_NAME, "parent_name=cut", "label comm [4242]\nlabel command [4242]\n");
    expect(PROC_NAME, "parent_name=x\x1b[2J\n",
           "label comm [4242]\nlabel command [4242] (child of x?[2J)\n");
}

/* ---- cmdline ----------------------------------------------------------------------------------- */

static void cmdline(void **state) {
    (void)state;
#define COMMAND(text, says)                                                                        \
    do {                                                                                           \
        decode_as(&process, PROC_CMDLINE, text, sizeof(text) - 1);                                 \
        assert_string_equal(heard_text(&heard), "label command " says "\n");                       \
        expect_counts(1, 0, 0, 0);                                                                 \
    } while (0)
    COMMAND("", "");
    COMMAND("\0\0\0", "");
    COMMAND("/usr/bin/game\0--full\0-x\0", "/usr/bin/game --full -x");
    COMMAND("game\0\0last\0", "game last");
    COMMAND("game\0two  words\n\tmore\0", "game two words more");
    COMMAND("worker: idle        ", "worker: idle");
    COMMAND("worker: idle\0\0\0\0\0\0", "worker: idle");
    COMMAND("  lead", "lead");
    COMMAND("no end", "no end");
    COMMAND("\x1b]0;x\x07\0\xff\xff\0", "?]0;x? ?");
#undef COMMAND
}

static void long_cmdline(void **state) {
    (void)state;
    struct buf text;
    buf_init(&text);
    buf_fill(&text, 'a', LABEL_MAX - 1);
    for (int i = 0; i < 100000; i++)
        buf_text(&text, "\xc3\xa4");
    decode_as(&process, PROC_CMDLINE, text.p, text.n);
    /* The character that does not fit whole is left out, not broken. */
    assert_int_equal(heard.text.n, strlen("label command \n") + LABEL_MAX - 1);
    buf_finish(&text);
}

/* ---- cgroup ------------------------------------------------------------------------------------ */

#define ID   "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809"
#define ID2  "ffffffffffff708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809"
#define POD  "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0a_1b.slice"
#define USER "/user.slice/user-1000.slice/user@1000.service"

static void containers(void **state) {
    (void)state;
    static const struct {
        const char *path;
        const char *container;
    } cases[] = {
        {"/", ""},
        {"/user.slice", ""},
        {"/system.slice/docker-" ID ".scope", "docker:1a2b3c4d5e6f"},
        {"/docker/" ID, "docker:1a2b3c4d5e6f"},
        {"/docker/" ID "/init.scope", "docker:1a2b3c4d5e6f"},
        {"/docker/buildx", ""},
        {"/machine.slice/libpod-" ID ".scope", "podman:1a2b3c4d5e6f"},
        {"/machine.slice/libpod-" ID ".scope/container", "podman:1a2b3c4d5e6f"},
        {USER "/user.slice/libpod-" ID ".scope", "podman:1a2b3c4d5e6f"},
        {"/libpod_parent/libpod-" ID, "podman:1a2b3c4d5e6f"},
        {"/machine.slice/libpod-conmon-" ID ".scope", "libpod-conmon-" ID ".scope"},
        {POD "/cri-containerd-" ID ".scope", "k8s:1a2b3c4d5e6f"},
        {POD "/crio-" ID ".scope", "k8s:1a2b3c4d5e6f"},
        {POD "/docker-" ID ".scope", "k8s:1a2b3c4d5e6f"},
        {"/kubepods/burstable/pod0a1b2c3d-0000-1111-2222-333344445555/" ID, "k8s:1a2b3c4d5e6f"},
        {"/system.slice/containerd.service/kubepods-pod0a.slice:cri-containerd:" ID,
         "k8s:1a2b3c4d5e6f"},
        {"/docker/" ID "/kubelet/kubepods/pod0a/" ID2, "k8s:ffffffffffff"},
        {"/lxc/web", "lxc:web"},
        {"/lxc/web/init.scope", "lxc:web"},
        {"/lxc.payload.web-1", "lxc:web-1"},
        {"/lxc.payload.web-1/system.slice/nginx.service", "lxc:web-1"},
        {"/lxc.monitor.web-1", ""},
        {"/machine.slice/machine-my\\x2dbox.scope", "machine:my-box"},
        {"/machine.slice/machine-box.scope/payload/system.slice/a.service", "machine:box"},
        {"/machine.slice/systemd-nspawn@box.service", "machine:box"},
        {"/machine.slice/machine-qemu\\x2d1\\x2dvm.scope/libvirt/emulator", "machine:qemu-1-vm"},
        {"/system.slice/ssh.service", "ssh.service"},
        {USER "/app.slice/app-gnome-firefox\\x2desr-4242.scope",
         "app-gnome-firefox-esr-4242.scope"},
        {USER "/session.slice/org.gnome.Shell@wayland.service", "org.gnome.Shell@wayland.service"},
        {USER "/app.slice", "user@1000.service"},
        {"/user.slice/user-1000.slice/session-2.scope", "session-2.scope"},
        {"/system.slice/odd\\x1bname\\x.service", "odd?name\\x.service"},
        {"/system.slice/docker-1234.scope", "docker-1234.scope"},
        {"/docker/1A2B3C4D5E6F", ""},
    };
    struct buf text;
    buf_init(&text);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        buf_clear(&text);
        buf_text(&text, "0::");
        buf_text(&text, cases[i].path);
        buf_text(&text, "\n");
        decode_as(&process, PROC_CGROUP, text.p, text.n);
        expect_counts(1, 0, 0, 0);
        buf_clear(&text);
        buf_text(&text, "label cgroup ");
        buf_text(&text, cases[i].path);
        buf_text(&text, "\nlabel container ");
        buf_text(&text, cases[i].container);
        buf_text(&text, "\n");
        buf_char(&text, '\0');
        assert_string_equal(heard_text(&heard), text.p);
    }
    buf_finish(&text);
}

static void hierarchies(void **state) {
    (void)state;
    /* Only the older hierarchies: the longest path. */
    expect(PROC_CGROUP,
           "12:pids:/docker/" ID "\n11:memory:/docker/" ID "/more\n1:name=systemd:/\n0::/\n",
           "label cgroup /docker/" ID "/more\nlabel container docker:1a2b3c4d5e6f\n");
    expect_counts(4, 0, 0, 0);
    /* A container of one hierarchy stands before a unit of another. */
    expect(PROC_CGROUP, "3:cpu,cpuacct:/docker/" ID "\n0::/system.slice/containerd.service\n",
           "label cgroup /system.slice/containerd.service\nlabel container docker:1a2b3c4d5e6f\n");
    expect(PROC_CGROUP, "0::/system.slice/containerd.service\n3:cpu,cpuacct:/docker/" ID "\n",
           "label cgroup /system.slice/containerd.service\nlabel container docker:1a2b3c4d5e6f\n");
    /* Of two units the one of the unified hierarchy. */
    expect(PROC_CGROUP, "1:name=systemd:/system.slice/a.service\n0::/system.slice/b.service\n",
           "label cgroup /system.slice/b.service\nlabel container b.service\n");
    expect(PROC_CGROUP, "0::/with:colons/x.service\n",
           "label cgroup /with:colons/x.service\nlabel container x.service\n");
    expect(PROC_CGROUP, "0::/gone.service (deleted)\n",
           "label cgroup /gone.service (deleted)\nlabel container \n");
    expect(PROC_CGROUP, "0::/a.serv", "");
    expect_counts(0, 0, 0, 1);
    expect(PROC_CGROUP, "junk\n:::\n0::relative\nx::/y\n", "");
    expect_counts(0, 0, 4, 0);
    expect(PROC_CGROUP, "", "");
    expect_counts(0, 0, 0, 0);
}

static void long_paths(void **state) {
    (void)state;
    struct buf text;
    buf_init(&text);
    buf_text(&text, "0::");
    for (int i = 0; i < 200000; i++)
        buf_text(&text, "/:cri-");
    buf_text(&text, "/");
    buf_fill(&text, 'n', 1000);
    buf_text(&text, ".service\n");
    decode_as(&process, PROC_CGROUP, text.p, text.n);
    assert_int_equal(heard.labels, 2);
    expect_counts(1, 0, 0, 0);
    buf_finish(&text);
}

/* ---- status and user --------------------------------------------------------------------------- */

static void status(void **state) {
    (void)state;
    expect(PROC_STATUS, "Name:\tgame\nUid:\t1000\t1001\t1000\t1000\nNSpid:\t4242\t17\t3\n",
           "label nspid 3\n");
    expect_counts(1, 2, 0, 0);
    expect(PROC_STATUS, "NSpid:\t4242\n", "label nspid \n");
    expect(PROC_STATUS, "Name:\tNSpid:\t7\t8\n", "");
    expect(PROC_STATUS, "NSpid:\t4242\tx\n", "");
    expect_counts(0, 0, 1, 0);
    expect(PROC_STATUS, "NSpid:\n", "");
    expect_counts(0, 0, 1, 0);
    expect(PROC_STATUS, "NSpid:\t1\t4294967296\n", "");
    expect_counts(0, 0, 1, 0);
    expect(PROC_STATUS, "NSpid:\t4242\t17", "");
    expect_counts(0, 0, 0, 1);

    uint32_t uid = 7;
    assert_true(proc_status_uid(span_of("Name:\tx\nUid:\t1000\t1001\t1000\t1000\n"), &uid));
    assert_int_equal(uid, 1001);
    assert_false(proc_status_uid(span_of("Name:\tUid:\t1\t1\n"), &uid));
    assert_false(proc_status_uid(span_of("Uid:\t1\n"), &uid));
    assert_false(proc_status_uid(span_of("Uid:\t1\t4294967296\n"), &uid));
    assert_false(proc_status_uid(span_of("Uid:\t1000\t10"), &uid));
    assert_int_equal(uid, 1001);
}

static void user(void **state) {
    (void)state;
    expect(PROC_USER, "uid: 1000\nuser: alice\n", "process.uid 1000\nlabel user alice\n");
    expect_counts(2, 0, 0, 0);
    expect(PROC_USER,
           "user: al\xff"
           "ice\nuid: 1000\n",
           "process.uid 1000\nlabel user al?ice\n");
    expect(PROC_USER, "uid: 1000\nuser:\n", "process.uid 1000\nlabel user 1000\n");
    expect(PROC_USER, "uid: 1000\n", "process.uid 1000\nlabel user 1000\n");
    expect(PROC_USER, "uid: 4294967295\n", "process.uid 4294967295\nlabel user 4294967295\n");
    expect(PROC_USER, "uid: 4294967296\n", "process.uid malformed\n");
    expect_counts(0, 0, 1, 0);
    expect(PROC_USER, "uid: -1\nuser:\n", "process.uid malformed\n");
    expect_counts(1, 0, 1, 0);
    expect(PROC_USER, "gid: 1\nnothing\nuser: bob", "");
    expect_counts(0, 2, 0, 1);
    expect(PROC_USER, "", "");
}

/* ---- scrubbing --------------------------------------------------------------------------------- */

static void expect_scrubbed(unsigned kind, struct span body, const char *left, const char *says) {
    struct buf out;
    buf_init(&out);
    backend_proc.kinds[kind - FRAME_BACKEND].scrub(body, &out);
    assert_int_equal(out.n, strlen(left));
    if (out.n > 0)
        assert_memory_equal(out.p, left, out.n);
    decode_as(&process, kind, out.p, out.n);
    assert_string_equal(heard_text(&heard), says);
    buf_finish(&out);
}

static void scrub(void **state) {
    (void)state;
    expect_scrubbed(PROC_STAT, span_of("4242 (my) (secret)" STAT("150", "25", "2000")),
                    "4242 ()" STAT("150", "25", "2000"),
                    "label comm \nprocess.cpu_time 1750000000\nprocess.rss 8192000\n"
                    "process.ppid 1\n");
    expect_scrubbed(PROC_STAT, span_of("no parentheses, secret\n"), "", "");
    expect_scrubbed(PROC_CMDLINE, (struct span){"a\0secret", 8}, "", "label command \n");
    expect_scrubbed(PROC_CGROUP, span_of("1:a:/secret\n0::/secret.service\n"), "", "");
    expect_scrubbed(PROC_STATUS,
                    span_of("Name:\tsecret\nodd\nUid:\t1\t1\t1\t1\nNSpid:\t42\t7\nGroups:\t1"),
                    "NSpid:\t42\t7\n", "label nspid 7\n");
    expect_scrubbed(PROC_USER, span_of("uid: 1000\nuser: alice\n"), "", "");
}

static void table(void **state) {
    (void)state;
    static const char *const names[] = {"stat", "cmdline", "cgroup", "status", "user", "proc-name"};
    assert_int_equal(backend_proc.kind_count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(backend_proc.kinds[i].name, names[i]);
}

static int finish(void **state) {
    (void)state;
    heard_finish(&heard);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stat_numbers), cmocka_unit_test(stat_without_facts),
        cmocka_unit_test(stat_names),   cmocka_unit_test(stat_cut),
        cmocka_unit_test(never_named),  cmocka_unit_test(cmdline),
        cmocka_unit_test(long_cmdline), cmocka_unit_test(containers),
        cmocka_unit_test(hierarchies),  cmocka_unit_test(long_paths),
        cmocka_unit_test(status),       cmocka_unit_test(user),
        cmocka_unit_test(scrub),        cmocka_unit_test(table),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
