/* Small arrays made of the host's data: what the library leaves to the host, beside the same on the device. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 4, MOST = 1024, ROUNDS = 21, CALLS = 50 };

static const size_t sizes[SIZES] = {16, 64, 256, MOST};

GPU_FUNCTION(float, sum_of, (float p, float q), { return p + q; });
GPU_FUNCTION(float, twice, (float p), { return p * 2; });
GPU_FUNCTION(bool, is_positive, (float p), { return p > 0; });

static gpu_status read_made(gpu_array *a, gpu_array *made, float *out)
{
    gpu_status status = gpu_read(made, out);
    gpu_array_free(made);
    gpu_array_free(a);
    return status;
}

static gpu_status reduce_text(gpu *g, const float *data, size_t n, float *out)
{
    gpu_array *a = gpu_array_of(g, data, n);
    gpu_status status = gpu_reduce(a, "a + b", out);
    gpu_array_free(a);
    return status;
}

static gpu_status reduce_function(gpu *g, const float *data, size_t n, float *out)
{
    gpu_array *a = gpu_array_of(g, data, n);
    gpu_status status = gpu_reduce(a, sum_of, out);
    gpu_array_free(a);
    return status;
}

static gpu_status map_text(gpu *g, const float *data, size_t n, float *out)
{
    gpu_array *a = gpu_array_of(g, data, n);
    return read_made(a, gpu_map2(a, a, "x + y"), out);
}

static gpu_status map_function(gpu *g, const float *data, size_t n, float *out)
{
    gpu_array *a = gpu_array_of(g, data, n);
    return read_made(a, gpu_map(a, twice), out);
}

static gpu_status scan_text(gpu *g, const float *data, size_t n, float *out)
{
    gpu_array *a = gpu_array_of(g, data, n);
    return read_made(a, gpu_scan(a, "a + b"), out);
}

static gpu_status scan_function(gpu *g, const float *data, size_t n, float *out)
{
    gpu_array *a = gpu_array_of(g, data, n);
    return read_made(a, gpu_scan(a, sum_of), out);
}

static gpu_status filter_function(gpu *g, const float *data, size_t n, float *out)
{
    gpu_array *a = gpu_array_of(g, data, n);
    return read_made(a, gpu_filter(a, is_positive), out);
}

typedef struct small_call {
    const char *name;
    gpu_status (*run)(gpu *g, const float *data, size_t n, float *out);
} small_call;

static const small_call calls[] = {
    {"reduce, \"a + b\"", reduce_text},
    {"reduce, a function", reduce_function},
    {"map, \"x + y\"", map_text},
    {"map, a function", map_function},
    {"scan, \"a + b\"", scan_text},
    {"scan, a function", scan_function},
    {"filter, a function", filter_function},
};

/* Microseconds for one of a round of calls. */
static double round_us(gpu *g, const small_call *call, const float *data, size_t n, bool *good)
{
    static float out[MOST];
    double start = now_ms();
    for (int k = 0; k < CALLS; k++)
        if (call->run(g, data, n, out)) *good = false;
    return (now_ms() - start) * 1e3 / CALLS;
}

/* The first calls, which may build kernels. */
static bool agree(gpu *here, gpu *there, const small_call *call, const float *data, size_t n)
{
    static float ours[MOST], theirs[MOST];
    memset(ours, 0, sizeof ours);
    memset(theirs, 0, sizeof theirs);
    if (call->run(here, data, n, ours) || call->run(there, data, n, theirs)) return false;
    if (!memcmp(ours, theirs, sizeof ours)) return true;
    fprintf(stderr, "bench: %s of %zu floats: the results differ\n", call->name, n);
    return false;
}

/* The rounds take turns, so that both see the same machine. */
static bool compare(gpu *here, gpu *there, const small_call *call, const float *data, size_t n)
{
    double on_host = HUGE_VAL, on_device = HUGE_VAL;
    bool good = agree(here, there, call, data, n);
    for (int round = 0; round < ROUNDS && good; round++) {
        on_host = fmin(on_host, round_us(here, call, data, n, &good));
        on_device = fmin(on_device, round_us(there, call, data, n, &good));
    }
    if (good) printf("%9.2f /%7.2f", on_host, on_device);
    return good;
}

static bool compare_all(gpu *here, gpu *there)
{
    static float data[MOST];
    bool good = true;
    bench_generate_float(data, MOST, 1);
    printf("%s\nMicroseconds for a call with gpu_array_of, gpu_read and gpu_array_free, on the host / on the device, "
           "the least of %d rounds:\n\n%-20s",
           gpu_device_name(there), ROUNDS, "floats");
    for (int k = 0; k < SIZES; k++) printf("%18zu", sizes[k]);
    for (size_t c = 0; c < sizeof calls / sizeof *calls && good; c++) {
        printf("\n%-20s", calls[c].name);
        for (int k = 0; k < SIZES && good; k++) good = compare(here, there, &calls[c], data, sizes[k]);
    }
    printf("\n");
    return good;
}

bool small_arrays(const char *device)
{
    unsetenv("FIREPILE_SMALL");
    gpu *here = open_device(device);
    setenv("FIREPILE_SMALL", "0", 1);
    gpu *there = here ? open_device(device) : NULL;
    bool good = there && compare_all(here, there);
    if (there && !good) fprintf(stderr, "bench: %s\n", gpu_error());
    gpu_close(there);
    gpu_close(here);
    return good;
}
