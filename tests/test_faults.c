/* Each allocation and each OpenCL call of a program made to fail in turn: a status each time, never a crash, no leak,
 * no output written. */
#include "support/support.h"

#include "base/memory.h"
#include "cl/device.h"

#include <stdlib.h>
#include <string.h>

GPU_STRUCT(pair, float p; float q;);
GPU_FUNCTION(float, weight, (pair p), { return p.p * p.q; });

/* What the program brings to the host. */
typedef struct results {
    float scaled[100];
    float total, largest, first;
    size_t where, count;
    float sums[10];
    bool opened;
} results;

/* Opens, maps, captures, reduces, reads, closes. Returns the first failure; what was not computed stays 0. */
static gpu_status program(results *r)
{
    float data[100], k = 3;
    pair pairs[100];
    for (int i = 0; i < 100; i++) {
        data[i] = (float)i;
        pairs[i] = (pair){(float)i, 2};
    }
    gpu *g = gpu_open(NULL); /* all that follows accepts NULL */
    r->opened = g != NULL;
    gpu_array *x = gpu_array_of(g, data, 100), *p = gpu_array_from(g, GPU_TYPE(pair), pairs, 100);
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *table = gpu_map(x, "x + 1"), *part = gpu_slice(table, 1, 50);
    gpu_array *y = gpu_map(x, "x * k + part[i % 50]", GPU_ARG(k), GPU_ARG(part));
    gpu_array *kept = gpu_keep(gpu_map2(y, gpu_map_to(p, GPU_FLOAT, weight), "x + y"));
    gpu_scope_end(scope);
    gpu_status status = gpu_read(kept, r->scaled);
    if (!status) status = gpu_reduce(gpu_fill(g, GPU_FLOAT, &k, 1000), "a + b", &r->total);
    if (!status) status = gpu_reduce_all(kept, "fmax(a, b)", &r->largest, "a", &r->first);
    if (!status) status = gpu_argmax(x, &r->where);
    if (!status) status = gpu_count(x, "x > k", &r->count, GPU_ARG(k));
    if (!status) status = gpu_read(gpu_block_reduce(x, 10, "a + b"), r->sums);
    gpu_close(g);
    return status;
}

/* With everything going well. */
static results expected(void)
{
    results r;
    memset(&r, 0, sizeof r);
    for (int i = 0; i < 100; i++) {
        r.scaled[i] = (float)(3 * i + i % 50 + 2 + 2 * i);
        r.largest = r.scaled[i] > r.largest ? r.scaled[i] : r.largest;
        r.sums[i / 10] += (float)i;
    }
    r.total = 3000;
    r.first = r.scaled[0];
    r.where = 99;
    r.count = 96;
    return r;
}

/* Each output is right or untouched, all are right if nothing was reported, and nothing is left over. */
static void check(const char *what, unsigned long k, gpu_status status, const results *r)
{
    results want = expected(), nothing;
    memset(&nothing, 0, sizeof nothing);
    test_nothing_lives(what);
    if (status) {
        cr_assert(*gpu_error(), "%s %lu: %s without a text", what, k, gpu_status_name(status));
        cr_assert(status == GPU_E_MEMORY || status == GPU_E_DRIVER || !r->opened, "%s %lu: %s: %s", what, k,
                  gpu_status_name(status), gpu_error());
    }
    const char *got = (const char *)r, *right = (const char *)&want, *zero = (const char *)&nothing;
    static const size_t ends[] = {offsetof(results, total), offsetof(results, largest), offsetof(results, where),
                                  offsetof(results, count), offsetof(results, sums),    offsetof(results, opened)};
    size_t start = 0;
    bool failed = false;
    for (size_t part = 0; part < sizeof ends / sizeof *ends; start = ends[part++]) {
        size_t n = ends[part] - start;
        if (!failed && memcmp(got + start, right + start, n) == 0) continue;
        failed = true;
        cr_assert(status && memcmp(got + start, zero + start, n) == 0, "%s %lu: %s, and output %zu is wrong", what, k,
                  gpu_status_name(status), part);
    }
}

static void warm_up(char *folder)
{
    test_folder_make(folder);
    setenv("FIREPILE_CACHE", folder, 1);
    results r = {0};
    test_ok(program(&r));
    check("without faults", 0, GPU_OK, &r);
}

/* Does an allocation fail that was meant to fail in the program? */
static bool memory_fault_is_left(void)
{
    bool left = false;
    for (int k = 0; k < 1000; k++) {
        void *memory = fp_alloc(1);
        left |= !memory;
        fp_free(memory);
    }
    fp_memory_fail_at(0);
    return left;
}

static unsigned long fail_each_allocation(const char *what)
{
    unsigned long k = 0, failures = 0;
    bool left = false;
    while (!left) {
        results r = {0};
        fp_memory_fail_at(++k);
        gpu_status status = program(&r);
        left = memory_fault_is_left();
        check(what, k, status, &r);
        failures += status != GPU_OK;
        cr_assert(!left || !status, "%s %lu: %s without a fault: %s", what, k, gpu_status_name(status), gpu_error());
    }
    cr_assert(k > 20 && failures > 10, "%s: only %lu allocations, %lu failures", what, k, failures);
    return k;
}

Test(faults, each_allocation, .timeout = 600)
{
    char folder[TEST_PATH];
    warm_up(folder);
    fail_each_allocation("allocation");
    test_folder_remove(folder);
}

static void fail_each_call(const char *what)
{
    unsigned long k = 0, failures = 0;
    bool left = false;
    while (!left) {
        results r = {0};
        fp_cl_fail_at(++k);
        gpu_status status = program(&r);
        left = fp_cl_fail_at(0) > 0;
        check(what, k, status, &r);
        failures += status != GPU_OK;
        cr_assert(!left || !status, "%s %lu: %s without a fault: %s", what, k, gpu_status_name(status), gpu_error());
    }
    cr_assert(k > 20 && failures > 10, "%s: only %lu calls, %lu failures", what, k, failures);
}

Test(faults, each_call, .timeout = 600)
{
    char folder[TEST_PATH];
    warm_up(folder);
    fail_each_call("OpenCL call");
    test_folder_remove(folder);
}

/* A smaller program that builds from source each time. */
static gpu_status building_program(float *sum)
{
    float k = 2;
    gpu *g = gpu_open(NULL);
    gpu_status status = gpu_reduce(gpu_map(gpu_range(g, GPU_FLOAT, 10), "x * k", GPU_ARG(k)), "a + b", sum);
    gpu_close(g);
    return status;
}

Test(faults, while_building, .timeout = 600)
{
    setenv("FIREPILE_CACHE", "off", 1);
    bool left = false;
    for (unsigned long k = 1; !left; k++) {
        float sum = 77;
        fp_memory_fail_at(k);
        gpu_status status = building_program(&sum);
        left = memory_fault_is_left();
        test_nothing_lives("allocation while building");
        cr_assert_eq(sum, status ? 77 : 90, "allocation %lu: %s and %g", k, gpu_status_name(status), (double)sum);
    }
    left = false;
    for (unsigned long k = 1; !left; k++) {
        float sum = 77;
        fp_cl_fail_at(k);
        gpu_status status = building_program(&sum);
        left = fp_cl_fail_at(0) > 0;
        test_nothing_lives("OpenCL call while building");
        cr_assert_eq(sum, status ? 77 : 90, "call %lu: %s and %g", k, gpu_status_name(status), (double)sum);
    }
}

Test(faults, a_device_survives_them)
{
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 100));
    int sum;
    test_ok(gpu_reduce(gpu_map(x, "x + 1"), "a + b", &sum));
    for (unsigned long k = 1; k < 60; k++) {
        gpu_scope *scope = gpu_scope_begin(g);
        sum = 77;
        if (k % 2)
            fp_memory_fail_at(k / 2 + 1);
        else
            fp_cl_fail_at(k / 2);
        gpu_status status = gpu_reduce(gpu_map(x, "x + 1"), "a + b", &sum);
        fp_memory_fail_at(0);
        fp_cl_fail_at(0);
        cr_assert_eq(sum, status ? 77 : 5050, "fault %lu: %s and %d", k, gpu_status_name(status), sum);
        test_ok(gpu_reduce(gpu_map(x, "x + 1"), "a + b", &sum));
        cr_assert_eq(sum, 5050, "after fault %lu: %d", k, sum);
        gpu_scope_end(scope);
    }
    test_close(g);
}
