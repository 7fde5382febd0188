/*
 * Which container, or else which systemd unit, a cgroup path lies in. The innermost one counts: a
 * cluster's node may be a container itself. One table of forms for all managers.
 */
#include <string.h>

#include "proc.h"

#define SHORT_ID 12 /* characters of an id that people use */

enum naming {
    NAMING_ID,     /* hexadecimal, cut short */
    NAMING_PLAIN,  /* as it stands */
    NAMING_ESCAPED /* with systemd's \xNN */
};

/* A component of a path is a container if it is prefix + name + suffix, below `parent` where one is
 * given. An empty suffix fits with ".scope" and without. */
struct form {
    const char *manager;
    const char *parent;
    const char *prefix;
    const char *suffix;
    enum naming naming;
};

static const struct form forms[] = {
    {"docker", NULL, "docker-", "", NAMING_ID},
    {"docker", "docker", "", "", NAMING_ID},
    {"podman", NULL, "libpod-", "", NAMING_ID},
    {"k8s", NULL, "cri-containerd-", "", NAMING_ID},
    {"k8s", NULL, "crio-", "", NAMING_ID},
    {"nerdctl", NULL, "nerdctl-", "", NAMING_ID},
    {"lxc", NULL, "lxc.payload.", "", NAMING_PLAIN},
    {"lxc", "lxc", "", "", NAMING_PLAIN},
    {"machine", NULL, "machine-", ".scope", NAMING_ESCAPED},
    {"machine", NULL, "systemd-nspawn@", ".service", NAMING_ESCAPED},
};

/* A path, from its end. */
struct path {
    struct span left;
};

static bool last_component(struct path *p, struct span *out) {
    while (p->left.n > 0) {
        size_t at = p->left.n;
        while (at > 0 && p->left.p[at - 1] != '/')
            at--;
        *out = (struct span){p->left.p + at, p->left.n - at};
        p->left.n = at > 0 ? at - 1 : 0;
        if (out->n > 0)
            return true;
    }
    return false;
}

static bool ends(struct span s, const char *suffix) {
    size_t n = strlen(suffix);
    return s.n >= n && memcmp(s.p + s.n - n, suffix, n) == 0;
}

static struct span without_end(struct span s, const char *suffix) {
    return ends(s, suffix) ? (struct span){s.p, s.n - strlen(suffix)} : s;
}

static bool is_hex_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool is_id(struct span s) {
    for (size_t i = 0; i < s.n; i++)
        if (!is_hex_digit(s.p[i]))
            return false;
    return s.n >= SHORT_ID;
}

/* ---- writing the name -------------------------------------------------------------------------- */

static void put(struct proc_container_name *out, char c) {
    if (out->n < sizeof(out->text))
        out->text[out->n++] = c;
}

static void put_span(struct proc_container_name *out, struct span s) {
    for (size_t i = 0; i < s.n; i++)
        put(out, s.p[i]);
}

/* systemd writes bytes that its names may not hold as \xNN. */
static void put_unescaped(struct proc_container_name *out, struct span s) {
    for (size_t i = 0; i < s.n; i++) {
        uint64_t byte;
        if (s.n - i >= 4 && s.p[i] == '\\' && s.p[i + 1] == 'x' &&
            span_to_hex64((struct span){s.p + i + 2, 2}, &byte) == ERR_OK) {
            put(out, (char)byte);
            i += 3;
        } else {
            put(out, s.p[i]);
        }
    }
}

static void put_container(struct proc_container_name *out, const char *manager, struct span name,
                          enum naming naming) {
    *out = (struct proc_container_name){.what = PROC_IN_CONTAINER};
    put_span(out, span_of(manager));
    put(out, ':');
    if (naming == NAMING_ESCAPED)
        put_unescaped(out, name);
    else
        put_span(out, naming == NAMING_ID ? (struct span){name.p, SHORT_ID} : name);
}

/* ---- finding it -------------------------------------------------------------------------------- */

static bool fits(const struct form *form, struct span parent, struct span component,
                 struct span *name) {
    if (form->parent && !span_equals(parent, form->parent))
        return false;
    if (!span_starts(component, form->prefix) || !ends(component, form->suffix))
        return false;
    *name = without_end(component, form->suffix[0] ? form->suffix : ".scope");
    if (name->n < strlen(form->prefix))
        return false;
    *name = span_skip(*name, strlen(form->prefix));
    return form->naming == NAMING_ID ? is_id(*name) : name->n > 0;
}

/* A pod holds containers as bare ids, or "slice:cri-containerd:id" where two drivers disagree. */
static bool is_pod_container(struct span parent, struct span component, struct span *name) {
    static const char marker[] = ":cri-containerd:";
    for (size_t i = 0; i + sizeof(marker) - 1 <= component.n; i++)
        if (memcmp(component.p + i, marker, sizeof(marker) - 1) == 0) {
            *name = span_skip(component, i + sizeof(marker) - 1);
            return is_id(*name);
        }
    *name = without_end(component, ".scope");
    return (span_starts(parent, "pod") || span_starts(parent, "kubepods")) && is_id(*name);
}

static bool is_in_pods(struct span path) {
    struct path walk = {path};
    struct span component;
    while (last_component(&walk, &component))
        if (span_starts(component, "kubepods"))
            return true;
    return false;
}

static bool find_container(struct span path, struct proc_container_name *out) {
    struct path walk = {path};
    struct span component;
    while (last_component(&walk, &component)) {
        struct path above = walk;
        struct span parent = {"", 0};
        struct span name;
        (void)last_component(&above, &parent);
        if (is_pod_container(parent, component, &name)) {
            put_container(out, "k8s", name, NAMING_ID);
            return true;
        }
        for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
            if (!fits(&forms[i], parent, component, &name))
                continue;
            bool pods = forms[i].naming == NAMING_ID && is_in_pods(walk.left);
            put_container(out, pods ? "k8s" : forms[i].manager, name, forms[i].naming);
            return true;
        }
    }
    return false;
}

static bool find_unit(struct span path, struct proc_container_name *out) {
    struct path walk = {path};
    struct span component;
    while (last_component(&walk, &component))
        if (ends(component, ".service") || ends(component, ".scope")) {
            *out = (struct proc_container_name){.what = PROC_IN_UNIT};
            put_unescaped(out, component);
            return true;
        }
    return false;
}

void proc_container_of(struct span path, struct proc_container_name *out) {
    if (!find_container(path, out) && !find_unit(path, out))
        *out = (struct proc_container_name){.what = PROC_IN_NOTHING};
}
