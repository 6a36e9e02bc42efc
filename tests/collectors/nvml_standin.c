/* A stand-in for NVML with the answers of a text file, so that the real pynvml runs without a GPU.

   The file in NVML_STANDIN has lines "<device> <function> <value>", which are read in every call. <device> is a number
   (MIG instances too) or "system"; <value> is a number, a text, or "!<code>" for an error. Functions that are
   not in the file are not supported (3). Signatures: nvml.h. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_SUPPORTED = 3, INSUFFICIENT_SIZE = 7, NOT_FOUND = 6 };
typedef unsigned long long u64;
typedef void *Device;
typedef struct { unsigned pid; u64 memory; unsigned gpu_instance, compute_instance; } Process;
typedef struct { unsigned field, scope; long long when, latency; unsigned type, result; union { double d; unsigned ui; u64 ull; } value; } FieldValue;

static Device handle_of(int number) { return (Device)(size_t)(number + 1); }
static int number_of(Device device) { return (int)(size_t)device - 1; }

/* Find the value of (device, key); return 0, or the error code. */
static int answer(const char *device, const char *key, char *value, int size) {
    const char *path = getenv("NVML_STANDIN");
    FILE *file = path ? fopen(path, "r") : NULL;
    char line[512], who[64], what[128], value_text[256];
    int result = NOT_SUPPORTED;
    if (!file) return NOT_SUPPORTED;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%63s %127s %255[^\n]", who, what, value_text) != 3) continue;
        if (strcmp(who, device) || strcmp(what, key)) continue;
        result = 0;
        if (value_text[0] == '!') result = atoi(value_text + 1);
        else snprintf(value, size, "%s", value_text);
        break;
    }
    fclose(file);
    return result;
}

static int of_device(Device device, const char *key, char *value, int size) {
    char name[32];
    int gone;
    snprintf(name, sizeof name, "%d", number_of(device));
    gone = answer(name, "state", value, size); /* "state !15": every call to this device fails */
    return gone && gone != NOT_SUPPORTED ? gone : answer(name, key, value, size);
}

static int number64(Device device, const char *key, u64 *out) {
    char value[256];
    int result = of_device(device, key, value, sizeof value);
    if (!result) *out = strtoull(value, NULL, 0);
    return result;
}

static int number32(Device device, const char *key, unsigned *out) {
    u64 wide;
    int result = number64(device, key, &wide);
    if (!result) *out = (unsigned)wide;
    return result;
}

static int system_number(const char *key, unsigned *out) {
    char value[256];
    int result = answer("system", key, value, sizeof value);
    if (!result) *out = (unsigned)strtoul(value, NULL, 0);
    return result;
}

int nvmlInitWithFlags(unsigned flags) {
    unsigned ignored;
    int result = system_number("init", &ignored);
    return result == NOT_SUPPORTED ? 0 : result;
}
int nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(int code) { return code == 9 ? "Driver Not Loaded" : "told to fail"; }
int nvmlDeviceGetCount_v2(unsigned *count) {
    if (system_number("count", count)) *count = 0;
    return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device *device) { *device = handle_of((int)index); return 0; }
int nvmlSystemGetDriverVersion(char *out, unsigned size) { return answer("system", "driver", out, (int)size); }
int nvmlSystemGetCudaDriverVersion(int *out) { return system_number("cuda", (unsigned *)out); }

#define TEXT(function, key) int function(Device d, char *out, unsigned size) { return of_device(d, key, out, (int)size); }
#define NUMBER32(function, key) int function(Device d, unsigned *out) { return number32(d, key, out); }
#define NUMBER64(function, key) int function(Device d, u64 *out) { return number64(d, key, out); }
TEXT(nvmlDeviceGetUUID, "uuid")
TEXT(nvmlDeviceGetName, "name")
TEXT(nvmlDeviceGetVbiosVersion, "vbios")
NUMBER32(nvmlDeviceGetPowerUsage, "power")
NUMBER32(nvmlDeviceGetEnforcedPowerLimit, "limit")
NUMBER32(nvmlDeviceGetPowerManagementDefaultLimit, "default_limit")
NUMBER32(nvmlDeviceGetCurrPcieLinkGeneration, "pcie_generation")
NUMBER32(nvmlDeviceGetCurrPcieLinkWidth, "pcie_width")
NUMBER32(nvmlDeviceGetMaxPcieLinkGeneration, "pcie_generation_max")
NUMBER32(nvmlDeviceGetMaxPcieLinkWidth, "pcie_width_max")
NUMBER32(nvmlDeviceGetPersistenceMode, "persistence")
NUMBER32(nvmlDeviceGetMaxMigDeviceCount, "instances_max")
NUMBER64(nvmlDeviceGetTotalEnergyConsumption, "energy")
NUMBER64(nvmlDeviceGetCurrentClocksThrottleReasons, "throttle_reasons")
#ifndef OLD_DRIVER
NUMBER64(nvmlDeviceGetCurrentClocksEventReasons, "event_reasons")
#endif

int nvmlDeviceGetHandleByUUID(const char *uuid, Device *device) {
    char value[256];
    for (int number = 0; number < 8; number++) {
        *device = handle_of(number);
        if (!of_device(*device, "uuid", value, sizeof value) && !strcmp(value, uuid)) return 0;
    }
    return NOT_FOUND;
}
int nvmlDeviceGetUtilizationRates(Device d, unsigned *rates) {
    int result = number32(d, "utilization", rates);
    return result ? result : number32(d, "utilization_memory", rates + 1);
}
int nvmlDeviceGetMemoryInfo(Device d, u64 *memory) { /* total, free, used */
    int result = number64(d, "memory_total", memory);
    return result ? result : number64(d, "memory_used", memory + 2);
}
int nvmlDeviceGetTemperature(Device d, int sensor, unsigned *out) { return number32(d, "temperature", out); }
int nvmlDeviceGetTemperatureThreshold(Device d, int kind, unsigned *out) { return number32(d, kind == 1 ? "slowdown" : "shutdown", out); }
int nvmlDeviceGetClockInfo(Device d, int clock, unsigned *out) { return number32(d, clock == 2 ? "clock_memory" : "clock_sm", out); }
int nvmlDeviceGetMaxClockInfo(Device d, int clock, unsigned *out) { return number32(d, clock == 2 ? "clock_memory_max" : "clock_sm_max", out); }
int nvmlDeviceGetApplicationsClock(Device d, int clock, unsigned *out) { return number32(d, clock == 2 ? "application_memory" : "application_sm", out); }
int nvmlDeviceGetDefaultApplicationsClock(Device d, int clock, unsigned *out) { return number32(d, clock == 2 ? "default_memory" : "default_sm", out); }
int nvmlDeviceGetTotalEccErrors(Device d, int type, int counter, u64 *out) { return number64(d, type ? "ecc_uncorrected" : "ecc_corrected", out); }
int nvmlDeviceGetRetiredPages(Device d, int cause, unsigned *count, u64 *pages) {
    unsigned wanted, room = *count;
    int result = number32(d, cause ? "retired_double" : "retired_single", &wanted);
    if (result) return result;
    *count = wanted;
    if (wanted && (!pages || room < wanted)) return INSUFFICIENT_SIZE;
    for (unsigned i = 0; pages && i < wanted; i++) pages[i] = i;
    return 0;
}
int nvmlDeviceGetFieldValues(Device d, int count, FieldValue *values) {
    char key[32];
    for (int i = 0; i < count; i++) {
        snprintf(key, sizeof key, "field%u", values[i].field);
        if (values[i].field == 138 || values[i].field == 139) /* NVLink: the sum of all links only */
            snprintf(key, sizeof key, values[i].scope == 0xffffffffu ? "field%u" : "field%u.link", values[i].field);
        values[i].type = values[i].field == 82 || values[i].field == 186 ? 1 : 3; /* unsigned int, or long long */
        values[i].value.ull = 0x5555555555555555ull; /* what the driver leaves there is not defined */
        if (values[i].type == 1) values[i].result = (unsigned)number32(d, key, &values[i].value.ui);
        else values[i].result = (unsigned)number64(d, key, &values[i].value.ull);
    }
    return 0;
}
int nvmlDeviceGetRemappedRows(Device d, unsigned *corrected, unsigned *uncorrected, unsigned *pending, unsigned *failed) {
    int result = number32(d, "remapped_corrected", corrected);
    if (result) return result;
    number32(d, "remapped_uncorrected", uncorrected);
    number32(d, "remapped_pending", pending);
    return number32(d, "remapped_failed", failed);
}
int nvmlDeviceGetViolationStatus(Device d, int policy, u64 *times) { /* CPU time in us, violation in ns */
    char key[32];
    snprintf(key, sizeof key, "violation%d", policy);
    times[0] = 1;
    return number64(d, key, times + 1);
}
typedef struct { char legacy[16]; unsigned domain, bus, device, pci_device, pci_subsystem; char id[32]; } PciInfo;
int nvmlDeviceGetPciInfo_v3(Device d, PciInfo *out) { return of_device(d, "pci", out->id, sizeof out->id); }
#ifndef OLD_DRIVER
typedef struct { unsigned version; int margin; } Margin;
int nvmlDeviceGetMarginTemperature(Device d, Margin *out) { return number32(d, "margin", (unsigned *)&out->margin); }
#endif

/* "system xids 0:79,0:31": device and number of the errors that wait to be fetched */
static unsigned fetched;
typedef struct { Device device; u64 type, data; unsigned gpu_instance, compute_instance; } EventData;
int nvmlEventSetCreate(void **set) { fetched = 0; *set = &fetched; return 0; }
int nvmlEventSetFree(void *set) { return 0; }
int nvmlDeviceRegisterEvents(Device d, u64 types, void *set) { return types == 8 ? 0 : NOT_SUPPORTED; }
int nvmlEventSetWait_v2(void *set, EventData *out, unsigned timeout) {
    char value[256], *part, *rest;
    unsigned number = 0;
    if (timeout || answer("system", "xids", value, sizeof value)) return 10;
    for (part = strtok_r(value, ",", &rest); part; part = strtok_r(NULL, ",", &rest), number++)
        if (number == fetched) {
            out->device = handle_of((int)strtoul(part, &part, 10));
            out->data = strtoull(part + 1, NULL, 10);
            fetched++;
            return 0;
        }
    return 10; /* a timeout */
}
int nvmlEventSetWait(void *set, EventData *out, unsigned timeout) { return nvmlEventSetWait_v2(set, out, timeout); }

int nvmlDeviceGetMigMode(Device d, unsigned *current, unsigned *pending) { *pending = 0; return number32(d, "mig", current); }
int nvmlDeviceGetMigDeviceHandleByIndex(Device d, unsigned index, Device *out) {
    char key[32];
    unsigned number;
    int result;
    snprintf(key, sizeof key, "instance%u", index);
    result = number32(d, key, &number);
    if (!result) *out = handle_of((int)number);
    return result ? NOT_FOUND : 0;
}

/* "<device> processes 41:1000,42:18446744073709551615": ids and bytes; graphics likewise */
static int processes(Device d, const char *key, unsigned *count, Process *out) {
    char value[256], *part, *rest;
    unsigned found = 0, room = out ? *count : 0;
    int result = of_device(d, key, value, sizeof value);
    if (result == NOT_SUPPORTED && !strcmp(key, "graphics")) { *count = 0; return 0; }
    if (result) return result;
    for (part = strtok_r(value, ",", &rest); part && strcmp(part, "none"); part = strtok_r(NULL, ",", &rest), found++)
        if (found < room) {
            out[found].pid = (unsigned)strtoul(part, &part, 10);
            out[found].memory = strtoull(part + 1, NULL, 10);
        }
    *count = found;
    return found > room ? INSUFFICIENT_SIZE : 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(Device d, unsigned *n, Process *out) { return processes(d, "processes", n, out); }
int nvmlDeviceGetGraphicsRunningProcesses_v3(Device d, unsigned *n, Process *out) { return processes(d, "graphics", n, out); }

/* Settings that a program changes: allowed if the file has "<device> settable <number>", and written to the file
   in NVML_STANDIN_CALLS. */
static int change(Device d, const char *what, unsigned low, unsigned high) {
    unsigned ignored;
    const char *path = getenv("NVML_STANDIN_CALLS");
    char key[64];
    int result = number32(d, "settable", &ignored);
    FILE *file;
    if (result) return result;
    snprintf(key, sizeof key, "settable_%s", what);
    result = number32(d, key, &ignored);
    if (result && result != NOT_SUPPORTED) return result;
    if (path && (file = fopen(path, "a"))) {
        fprintf(file, "%d %s %u %u\n", number_of(d), what, low, high);
        fclose(file);
    }
    return 0;
}
int nvmlDeviceSetGpuLockedClocks(Device d, unsigned low, unsigned high) { return change(d, "lock", low, high); }
int nvmlDeviceResetGpuLockedClocks(Device d) { return change(d, "reset", 0, 0); }
int nvmlDeviceSetPowerManagementLimit(Device d, unsigned limit) { return change(d, "power", limit, 0); }
NUMBER32(nvmlDeviceGetPowerManagementLimit, "limit")
int nvmlDeviceGetPowerManagementLimitConstraints(Device d, unsigned *low, unsigned *high) {
    int result = number32(d, "limit_min", low);
    return result ? result : number32(d, "limit_max", high);
}

/* "<device> clocks 1410,1395": the clocks that can be locked */
static int clocks(Device d, const char *key, unsigned *count, unsigned *out) {
    char value[256], *part, *rest;
    unsigned found = 0, room = out ? *count : 0;
    int result = of_device(d, key, value, sizeof value);
    if (result) return result;
    for (part = strtok_r(value, ",", &rest); part; part = strtok_r(NULL, ",", &rest), found++)
        if (found < room) out[found] = (unsigned)strtoul(part, NULL, 10);
    *count = found;
    return found > room ? INSUFFICIENT_SIZE : 0;
}
int nvmlDeviceGetSupportedMemoryClocks(Device d, unsigned *n, unsigned *out) { return clocks(d, "memory_clocks", n, out); }
int nvmlDeviceGetSupportedGraphicsClocks(Device d, unsigned memory, unsigned *n, unsigned *out) {
    char key[32];
    snprintf(key, sizeof key, "clocks%u", memory);
    return clocks(d, key, n, out);
}
