/* Map, reduce, and map -> reduce without a transfer in between, at growing sizes. Each line has the time on the device,
 * the time in plain C (one thread), and the difference of the results. */
#include <firepile.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LARGEST ((size_t)33554432)
#define RUNS 9

static const size_t sizes[] = {4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, LARGEST};

/* Reductions set `value`; a map's elements stay on the device. */
typedef gpu_status device_stage(gpu *g, const gpu_array *x, float *value);
typedef double host_stage(const float *x, float *out, size_t n);

static gpu_status device_map(gpu *g, const gpu_array *x, float *value)
{
    (void)value;
    gpu_status status = gpu_array_status(gpu_eval(gpu_map(x, "x * 23")));
    return status ? status : gpu_finish(g);
}

static gpu_status device_reduce(gpu *g, const gpu_array *x, float *value)
{
    (void)g;
    return gpu_reduce(x, "a + b", value);
}

static gpu_status device_map_reduce(gpu *g, const gpu_array *x, float *value)
{
    (void)g;
    return gpu_reduce(gpu_map(x, "x * 23"), "a + b", value);
}

static double host_map(const float *x, float *out, size_t n)
{
    for (size_t k = 0; k < n; k++) out[k] = x[k] * 23;
    return 0;
}

/* The sum is a double: a float would be off by percents at the largest size. */
static double host_reduce(const float *x, float *out, size_t n)
{
    (void)out;
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += x[k];
    return sum;
}

static double host_map_reduce(const float *x, float *out, size_t n)
{
    (void)out;
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += x[k] * 23;
    return sum;
}

static const struct stage {
    const char *name;
    device_stage *device;
    host_stage *host;
    bool elementwise;
} stages[] = {{"map x * 23", device_map, host_map, true},
              {"reduce a + b", device_reduce, host_reduce, false},
              {"map -> reduce", device_map_reduce, host_map_reduce, false}};

/* A map is one multiplication, correctly rounded on both sides: the results have the same bits. In a sum, each addition
 * that a term passes rounds by at most half an epsilon. Added one by one, a term passes up to n additions, which would
 * allow any result at the largest size. In a good sum it passes at most 2 sqrt(n), as in sqrt(n) blocks of sqrt(n)
 * terms. */
static double tolerance(const struct stage *stage, size_t n)
{
    return stage->elementwise ? 0 : sqrt((double)n) * FLT_EPSILON;
}

static double now_ms(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times)
{
    qsort(times, RUNS, sizeof *times, by_value);
    return times[RUNS / 2];
}

/* Runs once to build the kernel and fill the memory pool, then times RUNS runs. */
static gpu_status time_device(gpu *g, const struct stage *stage, const gpu_array *x, float *value, double *ms)
{
    double times[RUNS];
    for (int run = -1; run < RUNS; run++) {
        gpu_scope *scope = gpu_scope_begin(g);
        double start = now_ms();
        gpu_status status = stage->device(g, x, value);
        if (run >= 0) times[run] = now_ms() - start;
        gpu_scope_end(scope);
        if (status) return status;
    }
    *ms = median(times);
    return GPU_OK;
}

static double time_host(const struct stage *stage, const float *x, float *out, size_t n, double *value)
{
    double times[RUNS];
    for (int run = -1; run < RUNS; run++) {
        double start = now_ms();
        *value = stage->host(x, out, n);
        if (run >= 0) times[run] = now_ms() - start;
    }
    return median(times);
}

/* A NaN is infinitely far from everything. */
static double relative(double a, double b)
{
    double difference = a == b ? 0 : fabs(a - b) / fabs(b);
    return difference >= 0 ? difference : INFINITY;
}

/* The largest relative difference between the device's map, read into `got`, and the one computed by plain C. */
static gpu_status compare_elements(const gpu_array *x, const float *expected, float *got, size_t n, double *difference)
{
    gpu_array *mapped = gpu_map(x, "x * 23");
    gpu_status status = gpu_read(mapped, got);
    gpu_array_free(mapped);
    if (status) return status;
    *difference = 0;
    for (size_t k = 0; k < n; k++) *difference = fmax(*difference, relative(got[k], expected[k]));
    return GPU_OK;
}

typedef struct host_memory {
    float *input, *expected, *got;
} host_memory;

/* Prints one line; *agrees turns false if the difference is more than float arithmetic explains. */
static gpu_status run_stage(gpu *g, const struct stage *stage, const gpu_array *x, const host_memory *m, bool *agrees)
{
    size_t n = gpu_length(x);
    float value = 0;
    double device_ms, expected, difference;
    gpu_status status = time_device(g, stage, x, &value, &device_ms);
    if (status) return status;
    double host_ms = time_host(stage, m->input, m->expected, n, &expected);
    difference = relative(value, expected);
    if (stage->elementwise) status = compare_elements(x, m->expected, m->got, n, &difference);
    if (status) return status;

    bool close = difference <= tolerance(stage, n);
    if (!close) *agrees = false;
    printf("%-13s %10zu %11.3f %11.3f %12.1e %10.1e%s\n", stage->name, n, device_ms, host_ms, difference,
           tolerance(stage, n), close ? "" : "  DISAGREES");
    return GPU_OK;
}

static gpu_status run(gpu *g, const host_memory *m, bool *agrees)
{
    gpu_array *all = gpu_array_of(g, m->input, LARGEST);
    for (size_t s = 0; s < sizeof stages / sizeof *stages; s++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            gpu_status status = run_stage(g, &stages[s], gpu_slice(all, 0, sizes[k]), m, agrees);
            if (status || fflush(stdout)) return status; /* a line when it is there, or none if the disk is full */
        }
    }
    return GPU_OK;
}

/* Floats in [0, 1), the same ones in every run. */
static void fill(float *x, size_t n)
{
    uint32_t state = 2011;
    for (size_t k = 0; k < n; k++) {
        state = state * 1664525u + 1013904223u;
        x[k] = (float)(state >> 8) / 16777216;
    }
}

int main(void)
{
    host_memory m = {malloc(LARGEST * sizeof(float)), malloc(LARGEST * sizeof(float)), malloc(LARGEST * sizeof(float))};
    gpu *g = gpu_open(NULL);
    bool agrees = true, failed = true;
    if (!m.input || !m.expected || !m.got) {
        fprintf(stderr, "pipeline: the host is out of memory\n");
    } else if (!g) {
        fprintf(stderr, "%s\n", gpu_error());
    } else {
        printf("%s: floats in [0, 1) that are on the device already; medians of %d warm runs\n", gpu_device_name(g),
               RUNS);
        printf("%-13s %10s %11s %11s %12s %10s\n", "", "elements", "device ms", "plain C ms", "difference", "allowed");
        fill(m.input, LARGEST);
        failed = run(g, &m, &agrees);
        if (failed) fprintf(stderr, "%s\n", gpu_error());
    }
    if (ferror(stdout) || fflush(stdout)) {
        perror("pipeline");
        failed = true;
    }
    gpu_close(g);
    free(m.input);
    free(m.expected);
    free(m.got);
    return failed || !agrees;
}
