/*
 * gpu_metrics v1.9: a stream of attributes that says of each what it is, in which integer type
 * and unit, and how many instances follow. Packed, little-endian:
 *
 *   header (4 bytes)  i32 attributes  { u64 encoding, instances x integer } ...
 *   encoding: bits 31-24 unit, 23-20 type, 19-10 attribute, 9-0 instances
 *
 * Types and places differ between drivers that write the same version, so that nothing is
 * assumed: an attribute is read by what stands in front of it. What is cut or not known costs
 * itself, and what follows where its length is not known.
 */
#include "gpu_metrics.h"

enum { HEAD_BYTES = 8, ENCODING_BYTES = 8, ATTRIBUTES_MAX = 4096 };

/* Attribute ids are 0, 1, ... in this order. `quantity` is meant where the stream says no unit. */
struct attribute {
    const char *name;
    uint8_t name_len;
    uint8_t quantity;
    uint8_t form;
    uint16_t metric;
    uint16_t own;
};
#define ATTRIBUTE(text, q, f, m)                                                                   \
    {                                                                                              \
        .name = text, .name_len = sizeof(text) - 1, .quantity = QUANTITY_##q, .form = GM_##f,      \
        .metric = METRIC_##m, .own = GM_OWN_##f(m)                                                 \
    }
static const struct attribute attributes[] = {
    ATTRIBUTE("temperature_hotspot", DEGC, PLAIN, TEMPERATURE_HOTSPOT),
    ATTRIBUTE("temperature_mem", DEGC, PLAIN, TEMPERATURE_MEM),
    ATTRIBUTE("temperature_vrsoc", DEGC, PLAIN, TEMPERATURE_VR_SOC),
    ATTRIBUTE("curr_socket_power", WATT, CURRENT, POWER_SOCKET),
    ATTRIBUTE("average_gfx_activity", PERCENT, PLAIN, ACTIVITY_GFX),
    ATTRIBUTE("average_umc_activity", PERCENT, PLAIN, ACTIVITY_MEM),
    ATTRIBUTE("mem_max_bandwidth", GBPS, PLAIN, BANDWIDTH_MEM_MAX),
    ATTRIBUTE("energy_accumulator", UJ15, PLAIN, ENERGY_SOCKET),
    ATTRIBUTE("system_clock_counter", NS, PLAIN, VENDOR_TIME),
    ATTRIBUTE("accumulation_counter", COUNT, PLAIN, VENDOR_COUNTER),
    ATTRIBUTE("prochot_residency_acc", RESIDENCY, PLAIN, THROTTLE_RESIDENCY_PROCHOT),
    ATTRIBUTE("ppt_residency_acc", RESIDENCY, PLAIN, THROTTLE_RESIDENCY_PPT),
    ATTRIBUTE("socket_thm_residency_acc", RESIDENCY, PLAIN, THROTTLE_RESIDENCY_SOCKET_THM),
    ATTRIBUTE("vr_thm_residency_acc", RESIDENCY, PLAIN, THROTTLE_RESIDENCY_VR_THM),
    ATTRIBUTE("hbm_thm_residency_acc", RESIDENCY, PLAIN, THROTTLE_RESIDENCY_HBM_THM),
    ATTRIBUTE("gfxclk_lock_status", COUNT, PLAIN, VENDOR_VALUE),
    ATTRIBUTE("pcie_link_width", COUNT, PLAIN, LINK_WIDTH),
    ATTRIBUTE("pcie_link_speed", DECI_GTPS, PLAIN, LINK_SPEED),
    ATTRIBUTE("xgmi_link_width", COUNT, PLAIN, LINK_XGMI_WIDTH),
    ATTRIBUTE("xgmi_link_speed", GTPS, PLAIN, LINK_XGMI_SPEED),
    ATTRIBUTE("gfx_activity_acc", COUNT, PLAIN, VENDOR_COUNTER),
    ATTRIBUTE("mem_activity_acc", COUNT, PLAIN, VENDOR_COUNTER),
    ATTRIBUTE("pcie_bandwidth_acc", COUNT, PLAIN, VENDOR_COUNTER),
    ATTRIBUTE("pcie_bandwidth_inst", GBPS, PLAIN, BANDWIDTH_LINK),
    ATTRIBUTE("pcie_l0_to_recov_count_acc", COUNT, PLAIN, VENDOR_COUNTER),
    ATTRIBUTE("pcie_replay_count_acc", COUNT, PLAIN, VENDOR_COUNTER),
    ATTRIBUTE("pcie_replay_rover_count_acc", COUNT, PLAIN, VENDOR_COUNTER),
    ATTRIBUTE("pcie_nak_sent_count_acc", COUNT, PLAIN, VENDOR_COUNTER),
    ATTRIBUTE("pcie_nak_rcvd_count_acc", COUNT, PLAIN, VENDOR_COUNTER),
    ATTRIBUTE("xgmi_read_data_acc", KB, PLAIN, LINK_XGMI_READ),
    ATTRIBUTE("xgmi_write_data_acc", KB, PLAIN, LINK_XGMI_WRITTEN),
    ATTRIBUTE("xgmi_link_status", LINK_STATE, PLAIN, LINK_XGMI_UP),
    ATTRIBUTE("firmware_timestamp", 10NS, PLAIN, VENDOR_TIME),
    ATTRIBUTE("current_gfxclk", MHZ, CURRENT, CLOCK_GFX),
    ATTRIBUTE("current_socclk", MHZ, CURRENT, CLOCK_SOC),
    ATTRIBUTE("current_vclk0", MHZ, CURRENT, CLOCK_VCN),
    ATTRIBUTE("current_dclk0", MHZ, CURRENT, CLOCK_DCLK),
    ATTRIBUTE("current_uclk", MHZ, CURRENT, CLOCK_MEM),
    ATTRIBUTE("num_partition", COUNT, PLAIN, VENDOR_VALUE),
    ATTRIBUTE("pcie_lc_perf_other_end_recovery", COUNT, PLAIN, VENDOR_COUNTER),
    ATTRIBUTE("gfx_busy_inst", PERCENT, PLAIN, VENDOR_SHARE),
    ATTRIBUTE("jpeg_busy", PERCENT, PLAIN, ACTIVITY_JPEG),
    ATTRIBUTE("vcn_busy", PERCENT, PLAIN, ACTIVITY_MEDIA),
    ATTRIBUTE("gfx_busy_acc", COUNT, PLAIN, VENDOR_COUNTER),
    ATTRIBUTE("gfx_below_host_limit_ppt_acc", COUNT, PLAIN, VENDOR_COUNTER),
    ATTRIBUTE("gfx_below_host_limit_thm_acc", COUNT, PLAIN, VENDOR_COUNTER),
    ATTRIBUTE("gfx_low_utilization_acc", COUNT, PLAIN, VENDOR_COUNTER),
    ATTRIBUTE("gfx_below_host_limit_total_acc", COUNT, PLAIN, VENDOR_COUNTER),
    ATTRIBUTE("temperature_hbm", DEGC, PLAIN, TEMPERATURE_HBM),
    ATTRIBUTE("temperature_mid", DEGC, PLAIN, TEMPERATURE_MID),
    ATTRIBUTE("temperature_aid", DEGC, PLAIN, TEMPERATURE_AID),
    ATTRIBUTE("temperature_xcd", DEGC, PLAIN, TEMPERATURE_XCD),
};
#undef ATTRIBUTE
_Static_assert(sizeof(attributes) / sizeof(attributes[0]) == 52, "ids 0 to 51, none left out");

static const struct {
    uint8_t width;
    bool is_signed;
} types[] = {{1, false}, {1, true}, {2, false}, {2, true},
             {4, false}, {4, true}, {8, false}, {8, true}};

/* QUANTITY_PADDING: none is said. */
static const uint8_t units[] = {QUANTITY_PADDING, QUANTITY_MHZ,       QUANTITY_DEGC,
                                QUANTITY_WATT,    QUANTITY_NS,        QUANTITY_10NS,
                                QUANTITY_GTPS,    QUANTITY_DECI_GTPS, QUANTITY_GBPS,
                                QUANTITY_KB,      QUANTITY_PERCENT};

struct encoding {
    unsigned unit;
    unsigned type;
    unsigned attribute;
    unsigned instances;
};

static struct encoding encoding_of(uint64_t bits) {
    return (struct encoding){
        .unit = (unsigned)(bits >> 24 & 0xff),
        .type = (unsigned)(bits >> 20 & 0xf),
        .attribute = (unsigned)(bits >> 10 & 0x3ff),
        .instances = (unsigned)(bits & 0x3ff),
    };
}

/*
 * The unit that the stream says, where it fits the metric. Counts have none, whatever the stream
 * says: drivers give running sums the unit of what they sum, and one the unit of its neighbour.
 * Any other contradiction is doubted.
 */
static unsigned quantity_of(const struct attribute *a, unsigned unit, bool *doubted) {
    unsigned meant = metric_info(a->metric)->unit;
    unsigned said = unit < sizeof(units) ? units[unit] : QUANTITY_TYPES;
    *doubted = false;
    if (said == QUANTITY_PADDING || meant == UNIT_ONE || meant == UNIT_FLAG ||
        a->quantity == QUANTITY_RESIDENCY)
        return a->quantity;
    if (said < QUANTITY_TYPES && gm_quantity_unit((enum quantity)said) == meant)
        return said;
    *doubted = true;
    return a->quantity;
}

static void tell_attribute(struct gm_teller *t, const struct encoding *e, const char *table,
                           size_t at) {
    const struct attribute *a = &attributes[e->attribute];
    bool doubted;
    struct gm_field f = {
        .name = a->name,
        .name_len = a->name_len,
        .offset = (uint16_t)at,
        .metric = a->metric,
        .own = a->own,
        .count = (uint16_t)e->instances,
        .first = e->instances == 1 ? INDEX_NONE : 0,
        .quantity = (uint8_t)quantity_of(a, e->unit, &doubted),
        .width = types[e->type].width,
        .form = a->form,
        .is_signed = types[e->type].is_signed,
    };
    t->unit_doubted = doubted;
    gm_tell_field(t, &f, table);
}

/* What became of the bytes of a stream. */
struct tally {
    uint64_t accepted;
    uint64_t unknown;
};

/* The rest from `at` on, told why. */
static void count_rest(struct counts *c, size_t rest, enum reason why) {
    c->reasons[why] += rest;
    if (why == REASON_TABLE_CUT)
        c->truncated += rest;
    else if (why == REASON_TABLE_TAIL)
        c->ignored += rest;
    else
        c->malformed += rest;
}

/* Reads one attribute at `*at` and moves behind it; REASON_COUNT, or why nothing can be read from
 * there on. */
static enum reason read_attribute(struct gm_teller *t, struct span table, size_t *at,
                                  struct tally *tally) {
    if (table.n - *at < ENCODING_BYTES)
        return REASON_TABLE_CUT;
    struct encoding e = encoding_of(gm_load(table.p + *at, ENCODING_BYTES));
    if (e.type >= sizeof(types) / sizeof(types[0]))
        return REASON_BAD_NUMBER;
    size_t values = (size_t)e.instances * types[e.type].width;
    if (table.n - *at - ENCODING_BYTES < values)
        return REASON_TABLE_CUT;
    if (e.attribute < sizeof(attributes) / sizeof(attributes[0])) {
        tell_attribute(t, &e, table.p, *at + ENCODING_BYTES);
        tally->accepted += ENCODING_BYTES + values;
    } else {
        tally->unknown += ENCODING_BYTES + values;
    }
    *at += ENCODING_BYTES + values;
    return REASON_COUNT;
}

void gm_tell_stream(struct gm_teller *t, struct span table, struct counts *counts) {
    struct tally tally = {0};
    enum reason why = REASON_COUNT;
    size_t at = HEAD_BYTES;
    uint64_t attribute_count = table.n < HEAD_BYTES ? UINT64_MAX : gm_load(table.p + GM_HEADER, 4);
    if (attribute_count > ATTRIBUTES_MAX) {
        count_rest(counts, table.n, REASON_TABLE_SIZE);
        return;
    }
    while (why == REASON_COUNT && attribute_count-- > 0)
        why = read_attribute(t, table, &at, &tally);
    if (why == REASON_COUNT)
        why = REASON_TABLE_TAIL;
    counts->accepted += tally.accepted;
    counts->ignored += tally.unknown;
    counts->reasons[REASON_OTHER_KEY] += tally.unknown;
    /* The head is worth what came of it. */
    if (tally.accepted > 0)
        counts->accepted += HEAD_BYTES;
    else
        count_rest(counts, HEAD_BYTES, why == REASON_TABLE_TAIL ? REASON_TABLE_SIZE : why);
    count_rest(counts, table.n - at, why);
}
