/*
 * The fixed layouts of gpu_metrics: one ordered list of fields per version, from which both the
 * offsets (by a struct with natural alignment, as the kernel lays it) and the rows are made.
 * Versions that extend each other share lists. That a table ends where its header says is checked
 * at compile time.
 */
#include "gpu_metrics.h"

/*
 * F(L, bits, field, count, first index, quantity, form, metric, field of the other form) is one
 * field of the struct L; a field that has no other form names structure_size, which is at offset
 * 0.
 */
#define ONE(F, L, bits, field, quantity, metric)                                                   \
    F(L, bits, field, 1, INDEX_NONE, quantity, PLAIN, metric, structure_size)
#define MANY(F, L, bits, field, count, quantity, metric)                                           \
    F(L, bits, field, count, 0, quantity, PLAIN, metric, structure_size)
#define PAD(F, L, field, count)                                                                    \
    F(L, 16, field, count, INDEX_NONE, PADDING, PLAIN, VENDOR_VALUE, structure_size)

#define HEADER(F, L)                                                                               \
    ONE(F, L, 16, structure_size, COUNT, VENDOR_VALUE)                                             \
    ONE(F, L, 8, format_revision, COUNT, VENDOR_VALUE)                                             \
    ONE(F, L, 8, content_revision, COUNT, VENDOR_VALUE)

#define CLOCK_COUNTER(F, L) ONE(F, L, 64, system_clock_counter, NS, VENDOR_TIME)

/* ---- format 1: cards ------------------------------------------------------------------------- */

#define V1_SENSORS(F, L)                                                                           \
    ONE(F, L, 16, temperature_edge, DEGC, TEMPERATURE_EDGE)                                        \
    ONE(F, L, 16, temperature_hotspot, DEGC, TEMPERATURE_HOTSPOT)                                  \
    ONE(F, L, 16, temperature_mem, DEGC, TEMPERATURE_MEM)                                          \
    ONE(F, L, 16, temperature_vrgfx, DEGC, TEMPERATURE_VR_GFX)                                     \
    ONE(F, L, 16, temperature_vrsoc, DEGC, TEMPERATURE_VR_SOC)                                     \
    ONE(F, L, 16, temperature_vrmem, DEGC, TEMPERATURE_VR_MEM)                                     \
    ONE(F, L, 16, average_gfx_activity, PERCENT, ACTIVITY_GFX)                                     \
    ONE(F, L, 16, average_umc_activity, PERCENT, ACTIVITY_MEM)                                     \
    ONE(F, L, 16, average_mm_activity, PERCENT, ACTIVITY_MEDIA)                                    \
    F(L, 16, average_socket_power, 1, INDEX_NONE, WATT, AVERAGE, POWER_SOCKET, structure_size)

#define V1_AVERAGE(F, L, field, first, metric, current)                                            \
    F(L, 16, field, 1, first, MHZ, AVERAGE, metric, current)
#define V1_CURRENT(F, L, field, first, metric, average)                                            \
    F(L, 16, field, 1, first, MHZ, CURRENT, metric, average)
#define V1_CLOCKS(F, L)                                                                            \
    V1_AVERAGE(F, L, average_gfxclk_frequency, INDEX_NONE, CLOCK_GFX, current_gfxclk)              \
    V1_AVERAGE(F, L, average_socclk_frequency, INDEX_NONE, CLOCK_SOC, current_socclk)              \
    V1_AVERAGE(F, L, average_uclk_frequency, INDEX_NONE, CLOCK_MEM, current_uclk)                  \
    V1_AVERAGE(F, L, average_vclk0_frequency, 0, CLOCK_VCN, current_vclk0)                         \
    V1_AVERAGE(F, L, average_dclk0_frequency, 0, CLOCK_DCLK, current_dclk0)                        \
    V1_AVERAGE(F, L, average_vclk1_frequency, 1, CLOCK_VCN, current_vclk1)                         \
    V1_AVERAGE(F, L, average_dclk1_frequency, 1, CLOCK_DCLK, current_dclk1)                        \
    V1_CURRENT(F, L, current_gfxclk, INDEX_NONE, CLOCK_GFX, average_gfxclk_frequency)              \
    V1_CURRENT(F, L, current_socclk, INDEX_NONE, CLOCK_SOC, average_socclk_frequency)              \
    V1_CURRENT(F, L, current_uclk, INDEX_NONE, CLOCK_MEM, average_uclk_frequency)                  \
    V1_CURRENT(F, L, current_vclk0, 0, CLOCK_VCN, average_vclk0_frequency)                         \
    V1_CURRENT(F, L, current_dclk0, 0, CLOCK_DCLK, average_dclk0_frequency)                        \
    V1_CURRENT(F, L, current_vclk1, 1, CLOCK_VCN, average_vclk1_frequency)                         \
    V1_CURRENT(F, L, current_dclk1, 1, CLOCK_DCLK, average_dclk1_frequency)                        \
    ONE(F, L, 32, throttle_status, ASIC_BITS, VENDOR_VALUE)                                        \
    ONE(F, L, 16, current_fan_speed, RPM, FAN_SPEED)

#define V1_LINK(F, L, bits)                                                                        \
    ONE(F, L, bits, pcie_link_width, COUNT, LINK_WIDTH)                                            \
    ONE(F, L, bits, pcie_link_speed, DECI_GTPS, LINK_SPEED)

#define ACTIVITY_ACC(F, L)                                                                         \
    ONE(F, L, 32, gfx_activity_acc, COUNT, VENDOR_COUNTER)                                         \
    ONE(F, L, 32, mem_activity_acc, COUNT, VENDOR_COUNTER)

#define FIRMWARE_TIMESTAMP(F, L) ONE(F, L, 64, firmware_timestamp, 10NS, VENDOR_TIME)

#define V1_0(F, X, L)                                                                              \
    HEADER(F, L)                                                                                   \
    CLOCK_COUNTER(F, L)                                                                            \
    V1_SENSORS(F, L)                                                                               \
    ONE(F, L, 32, energy_accumulator, ENERGY, ENERGY_SOCKET)                                       \
    V1_CLOCKS(F, L)                                                                                \
    V1_LINK(F, L, 8)

#define V1_1(F, X, L)                                                                              \
    HEADER(F, L)                                                                                   \
    V1_SENSORS(F, L)                                                                               \
    ONE(F, L, 64, energy_accumulator, ENERGY, ENERGY_SOCKET)                                       \
    CLOCK_COUNTER(F, L)                                                                            \
    V1_CLOCKS(F, L)                                                                                \
    V1_LINK(F, L, 16)                                                                              \
    PAD(F, L, padding, 1)                                                                          \
    ACTIVITY_ACC(F, L)                                                                             \
    MANY(F, L, 16, temperature_hbm, 4, DEGC, TEMPERATURE_HBM)

#define V1_2(F, X, L)                                                                              \
    V1_1(F, X, L)                                                                                  \
    FIRMWARE_TIMESTAMP(F, L)

#define V1_3(F, X, L)                                                                              \
    V1_2(F, X, L)                                                                                  \
    ONE(F, L, 16, voltage_soc, MILLIVOLT, VOLTAGE_SOC)                                             \
    ONE(F, L, 16, voltage_gfx, MILLIVOLT, VOLTAGE_GFX)                                             \
    ONE(F, L, 16, voltage_mem, MILLIVOLT, VOLTAGE_MEM)                                             \
    PAD(F, L, padding1, 1)                                                                         \
    ONE(F, L, 64, indep_throttle_status, COMMON_BITS, VENDOR_VALUE)

/* ---- format 1: accelerators of several dies -------------------------------------------------- */

#define V1_4_SENSORS(F, L)                                                                         \
    ONE(F, L, 16, temperature_hotspot, DEGC, TEMPERATURE_HOTSPOT)                                  \
    ONE(F, L, 16, temperature_mem, DEGC, TEMPERATURE_MEM)                                          \
    ONE(F, L, 16, temperature_vrsoc, DEGC, TEMPERATURE_VR_SOC)                                     \
    F(L, 16, curr_socket_power, 1, INDEX_NONE, WATT, CURRENT, POWER_SOCKET, structure_size)        \
    ONE(F, L, 16, average_gfx_activity, PERCENT, ACTIVITY_GFX)                                     \
    ONE(F, L, 16, average_umc_activity, PERCENT, ACTIVITY_MEM)

#define V1_4_ENERGY(F, L)                                                                          \
    ONE(F, L, 64, energy_accumulator, ENERGY, ENERGY_SOCKET)                                       \
    CLOCK_COUNTER(F, L)

#define V1_4_LINKS(F, L)                                                                           \
    ONE(F, L, 32, gfxclk_lock_status, COUNT, VENDOR_VALUE)                                         \
    V1_LINK(F, L, 16)                                                                              \
    ONE(F, L, 16, xgmi_link_width, COUNT, LINK_XGMI_WIDTH)                                         \
    ONE(F, L, 16, xgmi_link_speed, GTPS, LINK_XGMI_SPEED)                                          \
    ACTIVITY_ACC(F, L)                                                                             \
    ONE(F, L, 64, pcie_bandwidth_acc, COUNT, VENDOR_COUNTER)                                       \
    ONE(F, L, 64, pcie_bandwidth_inst, GBPS, BANDWIDTH_LINK)                                       \
    ONE(F, L, 64, pcie_l0_to_recov_count_acc, COUNT, VENDOR_COUNTER)                               \
    ONE(F, L, 64, pcie_replay_count_acc, COUNT, VENDOR_COUNTER)                                    \
    ONE(F, L, 64, pcie_replay_rover_count_acc, COUNT, VENDOR_COUNTER)

#define V1_5_NAKS(F, L)                                                                            \
    ONE(F, L, 32, pcie_nak_sent_count_acc, COUNT, VENDOR_COUNTER)                                  \
    ONE(F, L, 32, pcie_nak_rcvd_count_acc, COUNT, VENDOR_COUNTER)

#define V1_4_XGMI(F, L)                                                                            \
    MANY(F, L, 64, xgmi_read_data_acc, 8, KB, LINK_XGMI_READ)                                      \
    MANY(F, L, 64, xgmi_write_data_acc, 8, KB, LINK_XGMI_WRITTEN)

#define V1_4_NOW(F, L, field, count, metric)                                                       \
    F(L, 16, field, count, 0, MHZ, CURRENT, metric, structure_size)
#define V1_4_CLOCKS(F, L)                                                                          \
    FIRMWARE_TIMESTAMP(F, L)                                                                       \
    V1_4_NOW(F, L, current_gfxclk, 8, CLOCK_GFX)                                                   \
    V1_4_NOW(F, L, current_socclk, 4, CLOCK_SOC)                                                   \
    V1_4_NOW(F, L, current_vclk0, 4, CLOCK_VCN)                                                    \
    V1_4_NOW(F, L, current_dclk0, 4, CLOCK_DCLK)                                                   \
    F(L, 16, current_uclk, 1, INDEX_NONE, MHZ, CURRENT, CLOCK_MEM, structure_size)

#define V1_4(F, X, L)                                                                              \
    HEADER(F, L)                                                                                   \
    V1_4_SENSORS(F, L)                                                                             \
    MANY(F, L, 16, vcn_activity, 4, PERCENT, ACTIVITY_MEDIA)                                       \
    V1_4_ENERGY(F, L)                                                                              \
    ONE(F, L, 32, throttle_status, NO_BITS, VENDOR_VALUE)                                          \
    V1_4_LINKS(F, L)                                                                               \
    V1_4_XGMI(F, L)                                                                                \
    V1_4_CLOCKS(F, L)                                                                              \
    PAD(F, L, padding, 1)

#define V1_5(F, X, L)                                                                              \
    HEADER(F, L)                                                                                   \
    V1_4_SENSORS(F, L)                                                                             \
    MANY(F, L, 16, vcn_activity, 4, PERCENT, ACTIVITY_MEDIA)                                       \
    MANY(F, L, 16, jpeg_activity, 32, PERCENT, ACTIVITY_JPEG)                                      \
    V1_4_ENERGY(F, L)                                                                              \
    ONE(F, L, 32, throttle_status, NO_BITS, VENDOR_VALUE)                                          \
    V1_4_LINKS(F, L)                                                                               \
    V1_5_NAKS(F, L)                                                                                \
    V1_4_XGMI(F, L)                                                                                \
    V1_4_CLOCKS(F, L)                                                                              \
    PAD(F, L, padding, 1)

#define V1_6_RESIDENCY(F, L)                                                                       \
    ONE(F, L, 32, accumulation_counter, COUNT, VENDOR_COUNTER)                                     \
    ONE(F, L, 32, prochot_residency_acc, RESIDENCY, THROTTLE_RESIDENCY_PROCHOT)                    \
    ONE(F, L, 32, ppt_residency_acc, RESIDENCY, THROTTLE_RESIDENCY_PPT)                            \
    ONE(F, L, 32, socket_thm_residency_acc, RESIDENCY, THROTTLE_RESIDENCY_SOCKET_THM)              \
    ONE(F, L, 32, vr_thm_residency_acc, RESIDENCY, THROTTLE_RESIDENCY_VR_THM)                      \
    ONE(F, L, 32, hbm_thm_residency_acc, RESIDENCY, THROTTLE_RESIDENCY_HBM_THM)

#define V1_6_HEAD(F, L)                                                                            \
    HEADER(F, L)                                                                                   \
    V1_4_SENSORS(F, L)                                                                             \
    V1_4_ENERGY(F, L)                                                                              \
    V1_6_RESIDENCY(F, L)                                                                           \
    V1_4_LINKS(F, L)                                                                               \
    V1_5_NAKS(F, L)                                                                                \
    V1_4_XGMI(F, L)                                                                                \
    V1_4_CLOCKS(F, L)

#define V1_7_HEAD(F, L)                                                                            \
    HEADER(F, L)                                                                                   \
    V1_4_SENSORS(F, L)                                                                             \
    ONE(F, L, 64, mem_max_bandwidth, GBPS, BANDWIDTH_MEM_MAX)                                      \
    V1_4_ENERGY(F, L)                                                                              \
    V1_6_RESIDENCY(F, L)                                                                           \
    V1_4_LINKS(F, L)                                                                               \
    V1_5_NAKS(F, L)                                                                                \
    V1_4_XGMI(F, L)                                                                                \
    MANY(F, L, 16, xgmi_link_status, 8, LINK_STATE, LINK_XGMI_UP)                                  \
    PAD(F, L, padding, 1)                                                                          \
    V1_4_CLOCKS(F, L)

/* X(L, block) is eight times the struct `block`; P(L, k, bits, field, count, quantity, metric) a
 * field of one. */
#define BLOCK_BUSY(P, L, k, jpegs)                                                                 \
    P(L, k, 32, gfx_busy_inst, 8, PERCENT, VENDOR_SHARE)                                           \
    P(L, k, 16, jpeg_busy, jpegs, PERCENT, VENDOR_SHARE)                                           \
    P(L, k, 16, vcn_busy, 4, PERCENT, VENDOR_SHARE)                                                \
    P(L, k, 64, gfx_busy_acc, 8, COUNT, VENDOR_COUNTER)
#define BLOCK_1_6(P, L, k) BLOCK_BUSY(P, L, k, 32)
#define BLOCK_1_7(P, L, k)                                                                         \
    BLOCK_BUSY(P, L, k, 32)                                                                        \
    P(L, k, 64, gfx_below_host_limit_acc, 8, COUNT, VENDOR_COUNTER)
#define BLOCK_1_8(P, L, k)                                                                         \
    BLOCK_BUSY(P, L, k, 40)                                                                        \
    P(L, k, 64, gfx_below_host_limit_ppt_acc, 8, COUNT, VENDOR_COUNTER)                            \
    P(L, k, 64, gfx_below_host_limit_thm_acc, 8, COUNT, VENDOR_COUNTER)                            \
    P(L, k, 64, gfx_low_utilization_acc, 8, COUNT, VENDOR_COUNTER)                                 \
    P(L, k, 64, gfx_below_host_limit_total_acc, 8, COUNT, VENDOR_COUNTER)

#define PARTITIONS(F, X, L, block)                                                                 \
    ONE(F, L, 16, num_partition, COUNT, VENDOR_VALUE)                                              \
    X(L, block)                                                                                    \
    ONE(F, L, 32, pcie_lc_perf_other_end_recovery, COUNT, VENDOR_COUNTER)

/* The same version in its older, shorter form. */
#define V1_6_SHORT(F, X, L)                                                                        \
    V1_6_HEAD(F, L)                                                                                \
    PAD(F, L, padding, 1)
#define V1_6(F, X, L)                                                                              \
    V1_6_HEAD(F, L)                                                                                \
    PARTITIONS(F, X, L, BLOCK_1_6)
#define V1_7(F, X, L)                                                                              \
    V1_7_HEAD(F, L)                                                                                \
    PARTITIONS(F, X, L, BLOCK_1_7)
#define V1_8(F, X, L)                                                                              \
    V1_7_HEAD(F, L)                                                                                \
    PARTITIONS(F, X, L, BLOCK_1_8)

/* ---- format 2: APUs -------------------------------------------------------------------------- */

#define V2_SENSORS(F, L)                                                                           \
    ONE(F, L, 16, temperature_gfx, CENTI_DEGC, TEMPERATURE_GFX)                                    \
    ONE(F, L, 16, temperature_soc, CENTI_DEGC, TEMPERATURE_SOC)                                    \
    MANY(F, L, 16, temperature_core, 8, CENTI_DEGC, TEMPERATURE_CORE)                              \
    MANY(F, L, 16, temperature_l3, 2, CENTI_DEGC, TEMPERATURE_L3)                                  \
    ONE(F, L, 16, average_gfx_activity, ACTIVITY, ACTIVITY_GFX)                                    \
    ONE(F, L, 16, average_mm_activity, ACTIVITY, ACTIVITY_MEDIA)

#define V2_AVERAGE(F, L, field, metric, current)                                                   \
    F(L, 16, field, 1, INDEX_NONE, MHZ, AVERAGE, metric, current)
#define V2_CURRENT(F, L, field, metric, average)                                                   \
    F(L, 16, field, 1, INDEX_NONE, MHZ, CURRENT, metric, average)
#define V2_POWER_AND_CLOCKS(F, L)                                                                  \
    F(L, 16, average_socket_power, 1, INDEX_NONE, SOCKET_MW, AVERAGE, POWER_SOCKET,                \
      structure_size)                                                                              \
    ONE(F, L, 16, average_cpu_power, MILLIWATT, POWER_CPU)                                         \
    ONE(F, L, 16, average_soc_power, MILLIWATT, POWER_SOC)                                         \
    ONE(F, L, 16, average_gfx_power, MILLIWATT, POWER_GFX)                                         \
    MANY(F, L, 16, average_core_power, 8, MILLIWATT, POWER_CORE)                                   \
    V2_AVERAGE(F, L, average_gfxclk_frequency, CLOCK_GFX, current_gfxclk)                          \
    V2_AVERAGE(F, L, average_socclk_frequency, CLOCK_SOC, current_socclk)                          \
    V2_AVERAGE(F, L, average_uclk_frequency, CLOCK_MEM, current_uclk)                              \
    V2_AVERAGE(F, L, average_fclk_frequency, CLOCK_FABRIC, current_fclk)                           \
    V2_AVERAGE(F, L, average_vclk_frequency, CLOCK_VCN, current_vclk)                              \
    V2_AVERAGE(F, L, average_dclk_frequency, CLOCK_DCLK, current_dclk)                             \
    V2_CURRENT(F, L, current_gfxclk, CLOCK_GFX, average_gfxclk_frequency)                          \
    V2_CURRENT(F, L, current_socclk, CLOCK_SOC, average_socclk_frequency)                          \
    V2_CURRENT(F, L, current_uclk, CLOCK_MEM, average_uclk_frequency)                              \
    V2_CURRENT(F, L, current_fclk, CLOCK_FABRIC, average_fclk_frequency)                           \
    V2_CURRENT(F, L, current_vclk, CLOCK_VCN, average_vclk_frequency)                              \
    V2_CURRENT(F, L, current_dclk, CLOCK_DCLK, average_dclk_frequency)                             \
    MANY(F, L, 16, current_coreclk, 8, MHZ, CLOCK_CORE)                                            \
    MANY(F, L, 16, current_l3clk, 2, MHZ, CLOCK_L3)                                                \
    ONE(F, L, 32, throttle_status, ASIC_BITS, VENDOR_VALUE)                                        \
    ONE(F, L, 16, fan_pwm, FAN_MILLI, FAN_PWM)

#define V2_0(F, X, L)                                                                              \
    HEADER(F, L)                                                                                   \
    CLOCK_COUNTER(F, L)                                                                            \
    V2_SENSORS(F, L)                                                                               \
    V2_POWER_AND_CLOCKS(F, L)                                                                      \
    PAD(F, L, padding, 1)

#define V2_1(F, X, L)                                                                              \
    HEADER(F, L)                                                                                   \
    V2_SENSORS(F, L)                                                                               \
    CLOCK_COUNTER(F, L)                                                                            \
    V2_POWER_AND_CLOCKS(F, L)                                                                      \
    PAD(F, L, padding, 3)

#define V2_2(F, X, L)                                                                              \
    V2_1(F, X, L)                                                                                  \
    ONE(F, L, 64, indep_throttle_status, COMMON_BITS, VENDOR_VALUE)

#define V2_3(F, X, L)                                                                              \
    V2_2(F, X, L)                                                                                  \
    ONE(F, L, 16, average_temperature_gfx, CENTI_DEGC, TEMPERATURE_GFX_AVERAGE)                    \
    ONE(F, L, 16, average_temperature_soc, CENTI_DEGC, TEMPERATURE_SOC_AVERAGE)                    \
    MANY(F, L, 16, average_temperature_core, 8, CENTI_DEGC, TEMPERATURE_CORE_AVERAGE)              \
    MANY(F, L, 16, average_temperature_l3, 2, CENTI_DEGC, TEMPERATURE_L3_AVERAGE)

#define V2_4(F, X, L)                                                                              \
    V2_3(F, X, L)                                                                                  \
    ONE(F, L, 16, average_cpu_voltage, MILLIVOLT, VOLTAGE_CPU)                                     \
    ONE(F, L, 16, average_soc_voltage, MILLIVOLT, VOLTAGE_SOC)                                     \
    ONE(F, L, 16, average_gfx_voltage, MILLIVOLT, VOLTAGE_GFX)                                     \
    ONE(F, L, 16, average_cpu_current, MILLIAMPERE, CURRENT_CPU)                                   \
    ONE(F, L, 16, average_soc_current, MILLIAMPERE, CURRENT_SOC)                                   \
    ONE(F, L, 16, average_gfx_current, MILLIAMPERE, CURRENT_GFX)

/* ---- format 3: newer APUs -------------------------------------------------------------------- */

#define V3_AVERAGE(F, L, field, metric)                                                            \
    F(L, 16, field, 1, INDEX_NONE, MHZ, AVERAGE, metric, structure_size)
#define V3_0(F, X, L)                                                                              \
    HEADER(F, L)                                                                                   \
    ONE(F, L, 16, temperature_gfx, CENTI_DEGC, TEMPERATURE_GFX)                                    \
    ONE(F, L, 16, temperature_soc, CENTI_DEGC, TEMPERATURE_SOC)                                    \
    MANY(F, L, 16, temperature_core, 16, CENTI_DEGC, TEMPERATURE_CORE)                             \
    ONE(F, L, 16, temperature_skin, CENTI_DEGC, TEMPERATURE_SKIN)                                  \
    ONE(F, L, 16, average_gfx_activity, ACTIVITY, ACTIVITY_GFX)                                    \
    ONE(F, L, 16, average_vcn_activity, CENTI_PERCENT, ACTIVITY_MEDIA)                             \
    MANY(F, L, 16, average_ipu_activity, 8, PERCENT, ACTIVITY_NPU)                                 \
    MANY(F, L, 16, average_core_c0_activity, 16, PERCENT, ACTIVITY_CORE)                           \
    ONE(F, L, 16, average_dram_reads, MBPS, BANDWIDTH_MEM_READ)                                    \
    ONE(F, L, 16, average_dram_writes, MBPS, BANDWIDTH_MEM_WRITE)                                  \
    ONE(F, L, 16, average_ipu_reads, MBPS, BANDWIDTH_NPU_READ)                                     \
    ONE(F, L, 16, average_ipu_writes, MBPS, BANDWIDTH_NPU_WRITE)                                   \
    CLOCK_COUNTER(F, L)                                                                            \
    F(L, 32, average_socket_power, 1, INDEX_NONE, MILLIWATT, AVERAGE, POWER_SOCKET,                \
      structure_size)                                                                              \
    ONE(F, L, 16, average_ipu_power, MILLIWATT, POWER_NPU)                                         \
    ONE(F, L, 32, average_apu_power, MILLIWATT, POWER_APU)                                         \
    ONE(F, L, 32, average_gfx_power, MILLIWATT, POWER_GFX)                                         \
    ONE(F, L, 32, average_dgpu_power, MILLIWATT, POWER_DGPU)                                       \
    ONE(F, L, 32, average_all_core_power, MILLIWATT, POWER_CPU)                                    \
    MANY(F, L, 16, average_core_power, 16, MILLIWATT, POWER_CORE)                                  \
    ONE(F, L, 16, average_sys_power, MILLIWATT, POWER_SYSTEM)                                      \
    ONE(F, L, 16, stapm_power_limit, MILLIWATT, POWER_CAP)                                         \
    ONE(F, L, 16, current_stapm_power_limit, MILLIWATT, POWER_CAP_CURRENT)                         \
    V3_AVERAGE(F, L, average_gfxclk_frequency, CLOCK_GFX)                                          \
    V3_AVERAGE(F, L, average_socclk_frequency, CLOCK_SOC)                                          \
    ONE(F, L, 16, average_vpeclk_frequency, MHZ, CLOCK_VPE)                                        \
    ONE(F, L, 16, average_ipuclk_frequency, MHZ, CLOCK_NPU)                                        \
    V3_AVERAGE(F, L, average_fclk_frequency, CLOCK_FABRIC)                                         \
    V3_AVERAGE(F, L, average_vclk_frequency, CLOCK_VCN)                                            \
    V3_AVERAGE(F, L, average_uclk_frequency, CLOCK_MEM)                                            \
    ONE(F, L, 16, average_mpipu_frequency, MHZ, CLOCK_NPU_MP)                                      \
    MANY(F, L, 16, current_coreclk, 16, MHZ, CLOCK_CORE)                                           \
    ONE(F, L, 16, current_core_maxfreq, MHZ, CLOCK_CORE_MAX)                                       \
    ONE(F, L, 16, current_gfx_maxfreq, MHZ, CLOCK_GFX_MAX)                                         \
    ONE(F, L, 32, throttle_residency_prochot, RESIDENCY, THROTTLE_RESIDENCY_PROCHOT)               \
    ONE(F, L, 32, throttle_residency_spl, RESIDENCY, THROTTLE_RESIDENCY_SPL)                       \
    ONE(F, L, 32, throttle_residency_fppt, RESIDENCY, THROTTLE_RESIDENCY_FPPT)                     \
    ONE(F, L, 32, throttle_residency_sppt, RESIDENCY, THROTTLE_RESIDENCY_SPPT)                     \
    ONE(F, L, 32, throttle_residency_thm_core, RESIDENCY, THROTTLE_RESIDENCY_THM_CORE)             \
    ONE(F, L, 32, throttle_residency_thm_gfx, RESIDENCY, THROTTLE_RESIDENCY_THM_GFX)               \
    ONE(F, L, 32, throttle_residency_thm_soc, RESIDENCY, THROTTLE_RESIDENCY_THM_SOC)               \
    ONE(F, L, 32, time_filter_alphavalue, US, VENDOR_TIME)

/* ---- from lists to tables -------------------------------------------------------------------- */

#define VERSION_LIST(X)                                                                            \
    X(V1_0, 1, 0, 80)                                                                              \
    X(V1_1, 1, 1, 96)                                                                              \
    X(V1_2, 1, 2, 104)                                                                             \
    X(V1_3, 1, 3, 120)                                                                             \
    X(V1_4, 1, 4, 288)                                                                             \
    X(V1_5, 1, 5, 360)                                                                             \
    X(V1_6, 1, 6, 1664)                                                                            \
    X(V1_6_SHORT, 1, 6, 312)                                                                       \
    X(V1_7, 1, 7, 2208)                                                                            \
    X(V1_8, 1, 8, 3872)                                                                            \
    X(V2_0, 2, 0, 120)                                                                             \
    X(V2_1, 2, 1, 120)                                                                             \
    X(V2_2, 2, 2, 128)                                                                             \
    X(V2_3, 2, 3, 152)                                                                             \
    X(V2_4, 2, 4, 168)                                                                             \
    X(V3_0, 3, 0, 264)

/* Natural alignment, also where the processor would do with less. */
#define MEMBER(L, bits, field, n, first, quantity, form, metric, other)                            \
    _Alignas(bits / 8) uint##bits##_t field[n];
#define BLOCK_MEMBER(L, k, bits, field, n, quantity, metric)                                       \
    _Alignas(bits / 8) uint##bits##_t field[n];
#define BLOCK_MEMBERS(L, block) struct layout_##block xcp_stats[8];

#define BLOCK_STRUCT(block, size)                                                                  \
    struct layout_##block {                                                                        \
        block(BLOCK_MEMBER, , 0)                                                                   \
    };                                                                                             \
    _Static_assert(sizeof(struct layout_##block) == (size), #block " has its published size");
BLOCK_STRUCT(BLOCK_1_6, 168)
BLOCK_STRUCT(BLOCK_1_7, 232)
BLOCK_STRUCT(BLOCK_1_8, 440)

#define VERSION_STRUCT(version, format, content, size)                                             \
    struct layout_##version {                                                                      \
        version(MEMBER, BLOCK_MEMBERS, )                                                           \
    };                                                                                             \
    _Static_assert(sizeof(struct layout_##version) == (size), #version " ends at structure_size");
VERSION_LIST(VERSION_STRUCT)

#define ROW(L, bits, member, n, first_index, q, f, m, counterpart)                                 \
    {.name = #member,                                                                              \
     .name_len = sizeof(#member) - 1,                                                              \
     .offset = offsetof(struct L, member),                                                         \
     .other = offsetof(struct L, counterpart),                                                     \
     .metric = METRIC_##m,                                                                         \
     .own = GM_OWN_##f(m),                                                                         \
     .count = n,                                                                                   \
     .first = first_index,                                                                         \
     .quantity = QUANTITY_##q,                                                                     \
     .width = bits / 8,                                                                            \
     .form = GM_##f},
#define BLOCK_ROW(L, k, bits, member, n, q, m)                                                     \
    {.name = "xcp_stats[" #k "]." #member,                                                         \
     .name_len = sizeof("xcp_stats[" #k "]." #member) - 1,                                         \
     .offset = offsetof(struct L, xcp_stats[k].member),                                            \
     .metric = METRIC_##m,                                                                         \
     .own = METRIC_COUNT,                                                                          \
     .count = n,                                                                                   \
     .quantity = QUANTITY_##q,                                                                     \
     .width = bits / 8,                                                                            \
     .form = GM_PLAIN},
#define BLOCK_ROWS(L, block)                                                                       \
    block(BLOCK_ROW, L, 0) block(BLOCK_ROW, L, 1) block(BLOCK_ROW, L, 2) block(BLOCK_ROW, L, 3)    \
        block(BLOCK_ROW, L, 4) block(BLOCK_ROW, L, 5) block(BLOCK_ROW, L, 6)                       \
            block(BLOCK_ROW, L, 7)
#define VERSION_ROWS(version, format, content, size)                                               \
    static const struct gm_field fields_##version[] = {version(ROW, BLOCK_ROWS, layout_##version)};
VERSION_LIST(VERSION_ROWS)

static const struct gm_table tables[] = {
#define VERSION_TABLE(version, format, content, size)                                              \
    {format, content, size, sizeof(fields_##version) / sizeof(fields_##version[0]),                \
     fields_##version},
    VERSION_LIST(VERSION_TABLE)
#undef VERSION_TABLE
};

const struct gm_table *gm_table_at(size_t i) {
    return i < sizeof(tables) / sizeof(tables[0]) ? &tables[i] : NULL;
}
