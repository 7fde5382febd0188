/* Who a text speaks of, without reading its numbers. */
#include "../keyvalue.h"
#include "forms.h"

/* The first line of each counts, as in decode. */
static void take(struct fdinfo_client *out, struct span key, struct span value) {
    if (out->driver.n == 0 && span_equals(key, "drm-driver"))
        out->driver = value;
    else if (out->pdev.n == 0 && span_equals(key, "drm-pdev"))
        out->pdev = value;
    else if (!out->has_id && span_equals(key, "drm-client-id"))
        out->has_id = span_to_u64(value, &out->id) == ERR_OK;
}

bool fdinfo_client_of(struct span text, struct fdinfo_client *out) {
    struct cursor c = cursor_over(text);
    struct keyvalue kv;
    enum keyvalue_line line;
    *out = (struct fdinfo_client){.driver = {"", 0}, .pdev = {"", 0}};
    while ((line = keyvalue_next(&c, &kv)) != KEYVALUE_END) {
        if (line == KEYVALUE_PAIR)
            take(out, kv.key, kv.value);
        if (out->driver.n > 0 && out->pdev.n > 0 && out->has_id)
            return true;
    }
    if (out->driver.n == 0 && fdinfo_is_percent_form(text, &out->pdev))
        out->driver = span_of("amdgpu");
    return out->driver.n > 0;
}
