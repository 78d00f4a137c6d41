/* Each allocation and each OpenCL call of a program made to fail in turn: a status each time, never a crash, no leak,
 * no output written. */
#include "support/support.h"

#include "base/memory.h"
#include "cl/device.h"

#include <stdio.h>
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
    setenv("FIREPILE_BINARIES", "1", 1);
    results r = {0};
    test_ok(program(&r));
    check("without faults", 0, GPU_OK, &r);
}

static unsigned long fail_each_allocation(const char *what)
{
    unsigned long k = 0, failures = 0;
    bool left = false;
    while (!left) {
        results r = {0};
        fp_memory_fail_at(++k);
        gpu_status status = program(&r);
        left = fp_memory_fail_at(0) > 0;
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
        left = fp_memory_fail_at(0) > 0;
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

/* ---- operations one by one, on a gpu that stays open ---- */

enum { OUTPUTS = 100, UNTOUCHED = 77 };

/* A use of an operation on 0, 1, ..., 99, evaluated. */
typedef struct use {
    const char *name;
    gpu_status (*run)(gpu *g, gpu_array *x, int *out);
} use;

static gpu_status read_some(gpu_array *a, int *out, size_t room)
{
    size_t n;
    return gpu_read_n(a, out, room, &n);
}

/* Both arrays are there whatever happened. */
static gpu_status read_both(gpu_status status, gpu_array *one, gpu_array *two, int *out, size_t of_one)
{
    cr_assert(one && two);
    if (!status) status = read_some(one, out, of_one);
    return status ? status : read_some(two, out + of_one, OUTPUTS - of_one);
}

static gpu_array *as_int(gpu_array *a)
{
    return gpu_map_to(a, GPU_INT, "(int)x");
}

static gpu_status scanned(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    return gpu_read(gpu_map(gpu_scan(gpu_map(x, "x + 1"), "a + b"), "x * 2"), out);
}

static gpu_status scanned_filter(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    return read_some(gpu_scan_exclusive(gpu_filter(x, "x % 3 == 0"), &(int){5}, "a + b"), out, OUTPUTS);
}

static gpu_status reduced_filter(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    gpu_status status = gpu_reduce(gpu_map(gpu_filter(x, "x > 50"), "x * 2"), "a + b", &out[0]);
    return status ? status : gpu_reduce(gpu_filter(x, "x < 9"), "a > b ? a : b", &out[1]);
}

static gpu_status limited(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    gpu_array *limit = gpu_reduced(gpu_filter(x, "x < 9"), "a > b ? a : b");
    gpu_status status = gpu_read(limit, &out[0]);
    return status ? status : read_some(gpu_take_while(x, "x < limit[0]", GPU_ARG(limit)), out + 1, OUTPUTS - 1);
}

static gpu_status partitioned(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    gpu_array *yes = NULL, *no = NULL;
    gpu_status status = gpu_partition(x, "x % 4 == 0", &yes, &no);
    return read_both(status, yes, no, out, 25);
}

/* The filter ends before the partition: it has two consumers. */
static gpu_status partitioned_filter(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    gpu_array *kept = gpu_filter(x, "x % 2 == 0"), *other = gpu_map(kept, "x - 1"), *yes = NULL, *no = NULL;
    gpu_status status = gpu_partition(gpu_map(kept, "x + 1"), "x % 5 == 0", &yes, &no);
    status = read_both(status, yes, no, out, 10);
    return status ? status : read_some(other, out + 50, 50);
}

static gpu_status spanned(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    gpu_array *prefix = NULL, *rest = NULL;
    gpu_status status = gpu_span(x, "x < 10", &prefix, &rest);
    return read_both(status, prefix, rest, out, 10);
}

static gpu_status runs(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    gpu_array *values = NULL, *lengths = NULL;
    gpu_status status = gpu_runs(gpu_map(x, "x / 10"), &values, &lengths);
    return read_both(status, values, as_int(lengths), out, 10);
}

static gpu_status reduced_by_key(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    gpu_array *k = NULL, *v = NULL;
    gpu_status status = gpu_reduce_by_key(gpu_map(x, "x / 10"), x, "a + b", &k, &v);
    return read_both(status, k, v, out, 10);
}

static gpu_status scanned_by_key(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    return gpu_read(gpu_scan_by_key(gpu_map(x, "x / 10"), x, "a + b"), out);
}

static gpu_status gathered(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    gpu_array *indices = gpu_map(x, "99 - x");
    return gpu_read(gpu_gather(gpu_gather(x, indices), indices), out);
}

/* The one failure that is no fault. */
static gpu_status out_of_range(gpu_status status)
{
    return status == GPU_E_RANGE ? GPU_OK : status ? status : GPU_E_INTERNAL;
}

static gpu_status gathered_astray(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    return out_of_range(gpu_read(gpu_gather(x, gpu_map(x, "x + 1")), out));
}

static gpu_status finished(gpu *g, gpu_array *x, int *out)
{
    (void)out;
    gpu_array *astray = gpu_eval(gpu_gather(x, gpu_map(x, "x + 1")));
    gpu_status made = gpu_array_status(astray), status = gpu_finish(g);
    return made ? made : out_of_range(status);
}

static gpu_status scattered(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    return gpu_read(gpu_scatter(x, gpu_map(x, "99 - x"), gpu_map(x, "x * 3")), out);
}

static gpu_status counted(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    gpu_array *counts = NULL, *outside = NULL;
    gpu_status status = gpu_histogram(x, &(int){0}, &(int){90}, 9, &counts, &outside);
    return read_both(status, as_int(counts), as_int(outside), out, 9);
}

static gpu_status searched(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    size_t index = UNTOUCHED;
    gpu_status status = gpu_index_of(x, &(int){42}, &index);
    out[0] = (int)index;
    return status ? status : read_some(as_int(gpu_find_if(gpu_unique(gpu_map(x, "x / 3")), "x % 2")), out + 1, 50);
}

static gpu_status asked(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    bool has, fits, rises;
    gpu_status status = gpu_any(x, "x == 42", &has);
    if (!status) out[0] = has;
    if (!status) status = gpu_all(x, "x < 100", &fits);
    if (!status) out[1] = fits;
    if (!status) status = gpu_is_sorted(gpu_map(x, "x % 50"), &rises);
    if (!status) out[2] = rises;
    return status;
}

static gpu_status looked_up(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    bool key, value;
    gpu_dict *d = gpu_dict_of(x, gpu_map(x, "x + 1"), "b");
    gpu_status status = gpu_dict_contains(d, &(int){42}, &key);
    if (!status) out[0] = key;
    if (!status) status = gpu_dict_contains_value(d, &(int){100}, &value);
    if (!status) out[1] = value;
    return status;
}

static gpu_status joined(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    return read_some(gpu_concat(gpu_slice(gpu_reverse(x), 0, 50), gpu_filter(x, "x < 20")), out, OUTPUTS);
}

/* By merging. */
static gpu_status sorted_pairs(gpu *g, gpu_array *x, int *out)
{
    (void)g;
    gpu_array *half = gpu_slice(x, 0, 50), *k = NULL, *v = NULL;
    gpu_status status = gpu_sort_pairs_by(gpu_map(half, "49 - x"), half, "a < b", &k, &v);
    return read_both(status, k, v, out, 50);
}

/* By digits. */
static gpu_status sorted_digits(gpu *g, gpu_array *x, int *out)
{
    (void)x;
    gpu_array *many = gpu_range(g, GPU_INT, 5000), *k = NULL, *v = NULL;
    gpu_status status = gpu_sort_pairs(gpu_map_to(many, GPU_SHORT, "4999 - x"), many, &k, &v);
    return read_both(status, gpu_map_to(gpu_slice(k, 0, 50), GPU_INT, "x"), gpu_slice(v, 0, 50), out, 50);
}

static gpu_status sorted_places(gpu *g, gpu_array *x, int *out)
{
    (void)x;
    gpu_array *keys = gpu_map_to(gpu_range(g, GPU_INT, 5000), GPU_UCHAR, "x");
    gpu_status status = read_some(as_int(gpu_slice(gpu_argsort(keys), 0, 50)), out, 50);
    return status ? status : gpu_read(gpu_sort_by(gpu_slice(gpu_reverse(as_int(keys)), 0, 50), "a < b"), out + 50);
}

static const use uses[] = {
    {"scan", scanned},
    {"scan of a filter", scanned_filter},
    {"filter", reduced_filter},
    {"reduced, take_while", limited},
    {"partition", partitioned},
    {"partition of a filter", partitioned_filter},
    {"span", spanned},
    {"runs", runs},
    {"reduce_by_key", reduced_by_key},
    {"gather", gathered},
    {"scan_by_key", scanned_by_key},
    {"scatter", scattered},
    {"gather out of range", gathered_astray},
    {"histogram", counted},
    {"finish", finished},
    {"reverse, concat", joined},
    {"index_of, find_if, unique", searched},
    {"any, all, is_sorted", asked},
    {"dict_contains, dict_contains_value", looked_up},
    {"sort_pairs_by", sorted_pairs},
    {"sort_pairs", sorted_digits},
    {"argsort, sort_by", sorted_places},
};

static gpu_status run_use(gpu *g, const use *u, gpu_array *x, int *out)
{
    for (int k = 0; k < OUTPUTS; k++) out[k] = UNTOUCHED;
    return u->run(g, x, out);
}

/* What fails: an allocation, an OpenCL call, or all calls from one on. A launch or a transfer that fails once is tried
 * again. */
typedef struct fault {
    const char *what;
    unsigned long (*fail_at)(unsigned long k);
} fault;

static const fault faults[] = {
    {"allocation", fp_memory_fail_at}, {"OpenCL call", fp_cl_fail_at}, {"OpenCL calls from", fp_cl_fail_from}};

/* Runs with fault number k, and then without one. Is the fault left over? */
static bool use_with_fault(gpu *g, const use *u, gpu_array *x, const int *want, unsigned long k, const fault *f)
{
    int got[OUTPUTS];
    gpu_stats before = test_stats(g);
    gpu_scope *scope = gpu_scope_begin(g);
    f->fail_at(k);
    gpu_status status = run_use(g, u, x, got);
    const bool left = f->fail_at(0) > 0;
    cr_assert(!status || status == GPU_E_MEMORY || status == GPU_E_DRIVER, "%s, %s %lu: %s: %s", u->name, f->what, k,
              gpu_status_name(status), gpu_error());
    cr_assert(!status || (*gpu_error() && !left), "%s, %s %lu: %s", u->name, f->what, k, gpu_status_name(status));
    for (int i = 0; i < OUTPUTS; i++)
        cr_assert(got[i] == want[i] || (status && got[i] == UNTOUCHED), "%s, %s %lu: %s, and output %d is %d", u->name,
                  f->what, k, gpu_status_name(status), i, got[i]);
    gpu_scope_end(scope);
    scope = gpu_scope_begin(g);
    test_ok(run_use(g, u, x, got));
    cr_assert(!memcmp(got, want, sizeof got), "%s: wrong after %s %lu", u->name, f->what, k);
    gpu_scope_end(scope);
    gpu_stats after = test_stats(g);
    cr_assert_eq(after.live_arrays, before.live_arrays, "%s, %s %lu: an array is left", u->name, f->what, k);
    cr_assert_eq(after.live_buffers, before.live_buffers, "%s, %s %lu: a buffer is left", u->name, f->what, k);
    return left;
}

/* What is right is left to the operations' own tests. */
static unsigned long fail_each(gpu *g, const use *u, gpu_array *x, const int *want, const fault *f)
{
    unsigned long k = 1;
    while (!use_with_fault(g, u, x, want, k, f)) k++;
    cr_assert_gt(k, 5, "%s: there are only %lu places for a fault", u->name, k);
    return k - 1;
}

Test(faults, each_operation, .timeout = 600)
{
    test_needs_opencl();
    setenv("FIREPILE_SMALL", "0", 1); /* each operation calls the driver */
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, OUTPUTS));
    unsigned long failed = 0;
    for (size_t n = 0; n < sizeof uses / sizeof *uses; n++) {
        int want[OUTPUTS];
        gpu_scope *scope = gpu_scope_begin(g);
        test_ok(run_use(g, &uses[n], x, want));
        gpu_scope_end(scope);
        for (size_t k = 0; k < COUNT_OF(faults); k++) failed += fail_each(g, &uses[n], x, want, &faults[k]);
    }
    fprintf(stderr, "faults, each operation: %zu uses, %lu faults\n", COUNT_OF(uses), failed);
    test_close(g);
}
