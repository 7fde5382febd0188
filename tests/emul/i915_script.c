/* The script of the emulated i915. */
#include "i915_emul.h"

#include <stdlib.h>
#include <string.h>

struct script script;

static const struct emul_field script_fields[] = {
    {"busy", &script.busy_pct},
    {"contexts", &script.contexts},
    {"cycle_ms", &script.cycle_ms},
    {"revision", &script.revision},
    {"no_oa_rate", &script.no_oa_rate},
    {"no_cs_rate", &script.no_cs_rate},
    {"no_topology", &script.no_topology},
    {"paranoid", &script.paranoid},
    {"deny", &script.deny},
    {"no_unit", &script.no_unit},
    {"other", &script.other},
    {"lost", &script.lost},
    {"lost_each", &script.lost_each},
    {"overflow", &script.overflow},
    {"twin", &script.twin},
    {"blank", &script.blank},
    {"eio", &script.eio},
    {"eagain", &script.eagain},
    {"eintr", &script.eintr},
    {"false_poll", &script.false_poll},
    {"partial", &script.partial},
    {"die", &script.die},
    {"gone", &script.gone},
};

static bool set_word(const char *key, const char *value) {
    if (strcmp(key, "platform") != 0)
        return false;
    script.platform = platform_find(value, strlen(value));
    return script.platform != NULL;
}

void script_read(void) {
    script = (struct script){.platform = platform_find("skl", 3),
                             .busy_pct = 40,
                             .contexts = 2,
                             .cycle_ms = 40,
                             .revision = 5};
    emul_script_read(script_fields, sizeof script_fields / sizeof script_fields[0], set_word);
    if (script.contexts < 1 || script.contexts > 8 || script.busy_pct > 100 || script.cycle_ms < 1)
        abort();
}
