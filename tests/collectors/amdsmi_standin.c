/* A stand-in for libamd_smi.so: one GPU at 0000:41:00.0, with the structures of amdsmi.h of ROCm 7.0. */

#include <stdint.h>
#include <string.h>

typedef struct {
    uint64_t socket_power;
    uint32_t current_socket_power, average_socket_power;
    uint64_t gfx_voltage, soc_voltage, mem_voltage;
    uint32_t power_limit;
    uint64_t reserved[18];
} power_info;

typedef struct {
    uint32_t gfx_activity, umc_activity, mm_activity, reserved[13];
} engine_usage;

typedef struct {
    uint32_t clk, min_clk, max_clk;
    uint8_t clk_locked, clk_deep_sleep;
    uint32_t reserved[4];
} clk_info;

enum { SUCCESS = 0, NOT_SUPPORTED = 2 };

static uint64_t energy = 1000000;

int amdsmi_init(uint64_t flags) { return flags == 2 ? SUCCESS : NOT_SUPPORTED; /* AMDSMI_INIT_AMD_GPUS */ }
int amdsmi_shut_down(void) { return SUCCESS; }

static int one(uint32_t *count, void **handles) {
    if (handles)
        handles[0] = (void *)1;
    *count = 1;
    return SUCCESS;
}

int amdsmi_get_socket_handles(uint32_t *count, void **handles) { return one(count, handles); }
int amdsmi_get_processor_handles(void *socket, uint32_t *count, void **handles) { return one(count, handles); }

int amdsmi_get_gpu_device_bdf(void *gpu, uint64_t *bdf) {
    *bdf = 0x41 << 8; /* function 3 bits, device 5, bus 8, domain 48 */
    return SUCCESS;
}

int amdsmi_get_power_info(void *gpu, power_info *info) {
    memset(info, 0, sizeof *info);
    info->current_socket_power = 0xFFFF; /* not supported: MI200 has the average alone */
    info->average_socket_power = 431;
    return SUCCESS;
}

int amdsmi_get_energy_count(void *gpu, uint64_t *count, float *resolution, uint64_t *timestamp) {
    *count = energy += 100000;
    *resolution = 15.3f; /* microjoules */
    *timestamp = 0;
    return SUCCESS;
}

int amdsmi_get_gpu_activity(void *gpu, engine_usage *usage) {
    memset(usage, 0, sizeof *usage);
    usage->gfx_activity = 97;
    usage->umc_activity = 0xFFFF;
    return SUCCESS;
}

int amdsmi_get_clock_info(void *gpu, uint32_t type, clk_info *info) {
    memset(info, 0, sizeof *info);
    info->clk = type == 0 ? 1699 : 0xFFFFFFFF; /* 0: AMDSMI_CLK_TYPE_SYS, the same as GFX */
    return SUCCESS;
}
