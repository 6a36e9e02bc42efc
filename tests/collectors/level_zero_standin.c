/* A stand-in for libze_loader.so.1: one GPU of two tiles at 0000:3a:00.0, with the structures of zes_api.h 1.15.

   ZES_STANDIN_RESULT is what zesInit returns, ZES_STANDIN_ENGINES what zesDeviceEnumEngineGroups returns. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t ze_bool;
typedef enum { GPU = 1 } device_type;

typedef struct {
    uint32_t stype;
    void *pNext;
    device_type type;
    uint32_t vendorId, deviceId, flags, subdeviceId, coreClockRate;
    uint64_t maxMemAllocSize;
    uint32_t maxHardwareContexts, maxCommandQueuePriority, numThreadsPerEU, physicalEUSimdWidth;
    uint32_t numEUsPerSubslice, numSubslicesPerSlice, numSlices;
    uint64_t timerResolution;
    uint32_t timestampValidBits, kernelTimestampValidBits;
    uint8_t uuid[16];
    char name[256];
} core_properties;

typedef struct {
    uint32_t stype;
    void *pNext;
    core_properties core;
    uint32_t numSubdevices;
    char serialNumber[64], boardNumber[64], brandName[64], modelName[64], vendorName[64], driverVersion[64];
} device_properties;

typedef struct {
    uint32_t stype;
    void *pNext;
    uint32_t domain, bus, device, function;
    int32_t gen, width;
    int64_t maxBandwidth;
    ze_bool haveBandwidthCounters, havePacketCounters, haveReplayCounters;
} pci_properties;

typedef struct {
    uint32_t stype;
    void *pNext;
    uint32_t type;
    ze_bool onSubdevice;
    uint32_t subdeviceId;
} engine_properties;

typedef struct {
    uint64_t activeTime, timestamp;
} engine_stats;

typedef struct {
    uint32_t stype;
    void *pNext;
    uint32_t type;
    ze_bool onSubdevice;
    uint32_t subdeviceId, location;
    uint64_t physicalSize;
    int32_t busWidth, numChannels;
} mem_properties;

typedef struct {
    uint32_t stype;
    const void *pNext;
    uint32_t health;
    uint64_t free, size;
} mem_state;

typedef struct {
    uint32_t stype;
    void *pNext;
    uint32_t type;
    ze_bool onSubdevice;
    uint32_t subdeviceId;
    double maxTemperature;
    ze_bool isCriticalTempSupported, isThreshold1Supported, isThreshold2Supported;
} temp_properties;

enum { SUCCESS = 0, INVALID = 0x78000004 };

static int setting(const char *name) {
    const char *text = getenv(name);
    return text ? (int)strtoul(text, NULL, 0) : SUCCESS;
}

int zesInit(uint32_t flags) { return flags ? INVALID : setting("ZES_STANDIN_RESULT"); }

/* Handles are numbers from `first` on. */
static int list(uint32_t *count, void **handles, uint32_t number, uintptr_t first) {
    for (uint32_t index = 0; handles && index < number && index < *count; index++)
        handles[index] = (void *)(first + index);
    *count = number;
    return SUCCESS;
}

int zesDriverGet(uint32_t *count, void **drivers) { return list(count, drivers, 1, 1); }
int zesDeviceGet(void *driver, uint32_t *count, void **devices) { return list(count, devices, 1, 0x100000002); }

int zesDeviceGetProperties(void *device, device_properties *about) {
    if (about->stype != 0x1 || about->pNext)
        return INVALID;
    strcpy(about->core.name, "Intel(R) Data Center GPU Stand-in");
    return SUCCESS;
}

int zesDevicePciGetProperties(void *device, pci_properties *about) {
    if (about->stype != 0x2 || about->pNext || (uintptr_t)device != 0x100000002)
        return INVALID;
    about->domain = 0, about->bus = 0x3a, about->device = 0, about->function = 0;
    return SUCCESS;
}

/* Of each tile: all engines (group 0), and the compute engines (1). */
int zesDeviceEnumEngineGroups(void *device, uint32_t *count, void **engines) {
    int result = setting("ZES_STANDIN_ENGINES");
    return result ? result : list(count, engines, 4, 10);
}

int zesEngineGetProperties(void *engine, engine_properties *about) {
    if (about->stype != 0x5)
        return INVALID;
    about->type = (uintptr_t)engine % 2, about->onSubdevice = 1, about->subdeviceId = (uintptr_t)engine >= 12;
    return SUCCESS;
}

/* From call to call 1,000 us pass; the tiles work in 900 and 500 of them, the compute engines in none. */
int zesEngineGetActivity(void *engine, engine_stats *stats) {
    static uint64_t calls[16];
    uint64_t call = ++calls[(uintptr_t)engine];
    stats->timestamp = 1000 * call;
    stats->activeTime = (uintptr_t)engine == 10 ? 900 * call : (uintptr_t)engine == 12 ? 500 * call : 0;
    return SUCCESS;
}

/* Memory of both tiles, and of the host. */
int zesDeviceEnumMemoryModules(void *device, uint32_t *count, void **memories) {
    return list(count, memories, 3, 20);
}

int zesMemoryGetProperties(void *memory, mem_properties *about) {
    if (about->stype != 0xb)
        return INVALID;
    about->onSubdevice = 1, about->location = (uintptr_t)memory < 22, about->physicalSize = 0;
    return SUCCESS;
}

int zesMemoryGetState(void *memory, mem_state *state) {
    if (state->stype != 0x1e)
        return INVALID;
    state->health = 1, state->size = 64ull << 30, state->free = (uintptr_t)memory == 20 ? 60ull << 30 : 63ull << 30;
    return SUCCESS;
}

/* The GPU's sensors of both tiles, and one of the memory, which shows 0 as without the rights to read it. */
int zesDeviceEnumTemperatureSensors(void *device, uint32_t *count, void **sensors) {
    return list(count, sensors, 3, 30);
}

int zesTemperatureGetProperties(void *sensor, temp_properties *about) {
    if (about->stype != 0x14)
        return INVALID;
    about->type = (uintptr_t)sensor == 32 ? 2 : 1, about->maxTemperature = 105.0;
    return SUCCESS;
}

int zesTemperatureGetState(void *sensor, double *celsius) {
    *celsius = (uintptr_t)sensor == 30 ? 51.5 : (uintptr_t)sensor == 31 ? 58.9 : 0.0;
    return SUCCESS;
}
