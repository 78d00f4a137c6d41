/* A deferred error, that of an index out of range, reaches whoever reads what was made of the array. */
#include "support/support.h"

enum { N = 8 };

/* `bad` has the error; `x` and `ones` are right, and as long. */
typedef struct inputs {
    gpu *g;
    gpu_array *bad, *x, *ones;
} inputs;

static inputs open_inputs(bool computed)
{
    inputs in = {.g = test_open()};
    in.x = gpu_eval(gpu_range(in.g, GPU_INT, N));
    in.ones = gpu_eval(gpu_fill(in.g, GPU_INT, &(int){1}, N));
    in.bad = gpu_gather(in.x, gpu_map(in.x, "x * 7"));
    if (computed) gpu_eval(in.bad);
    return in;
}

/* Nothing may be written. */
#define FAILS(a) check_fails(#a, (a))
static void check_fails(const char *call, gpu_array *a)
{
    uint64_t out[2 * N] = {77};
    size_t n = 77;
    gpu_type type = gpu_type_of(a);
    if (!type) test_end_if_refused(gpu_array_error(a));
    cr_assert(type, "%s: %s", call, gpu_array_error(a));
    gpu_status status = gpu_read_n_op(a, &(gpu_output){out, type, type->size}, 2 * N, &n, NULL);
    if (status) test_end_if_refused(gpu_error());
    cr_assert_eq(status, GPU_E_RANGE, "%s gave %s: %s", call, gpu_status_name(status), gpu_error());
    cr_assert_eq(out[0], 77, "%s was written", call);
}

/* With the array delayed, and computed. */
static void check(void (*program)(const inputs *))
{
    for (int computed = 0; computed < 2; computed++) {
        inputs in = open_inputs(computed);
        program(&in);
        test_close(in.g);
    }
}

static void scatter(const inputs *in)
{
    gpu_array *none = gpu_slice(in->x, 0, 0);
    FAILS(gpu_scatter(in->bad, in->x, in->x));
    FAILS(gpu_scatter(in->x, in->x, in->bad));
    FAILS(gpu_scatter(in->bad, none, none));
}

Test(errors_deferred, reaches_the_result_of_a_scatter)
{
    check(scatter);
}

static void move(const inputs *in)
{
    FAILS(gpu_gather(in->bad, in->ones));
    FAILS(gpu_reverse(in->bad));
    FAILS(gpu_concat(in->bad, in->x));
    FAILS(gpu_concat(in->x, in->bad));
    FAILS(gpu_slice(in->bad, 1, 2));
}

Test(errors_deferred, reaches_elements_that_were_moved)
{
    check(move);
}

static void search(const inputs *in)
{
    FAILS(gpu_lower_bound(in->bad, in->x));
    FAILS(gpu_lower_bound(in->x, in->bad));
    FAILS(gpu_set_union(in->bad, in->x));
    FAILS(gpu_set_union(in->x, in->bad));
    FAILS(gpu_merge(in->bad, in->x));
    FAILS(gpu_merge(in->x, in->bad));
}

Test(errors_deferred, reaches_the_result_of_a_search_and_of_a_merge)
{
    check(search);
}

static void by_key(const inputs *in)
{
    gpu_array *keys, *sums;
    test_ok(gpu_reduce_by_key(in->ones, in->bad, "a + b", &keys, &sums));
    FAILS(sums);
    FAILS(gpu_scan_by_key(in->bad, in->x, "a + b"));
    FAILS(gpu_scan_by_key(in->x, in->bad, "a + b"));
    FAILS(gpu_bin_reduce(in->bad, in->ones, N, &(int){0}, "a + b"));
    FAILS(gpu_bin_reduce(in->x, in->bad, N, &(int){0}, "a + b"));
    FAILS(gpu_bin_reduce(gpu_slice(in->bad, 0, 0), gpu_slice(in->x, 0, 0), N, &(int){0}, "a + b"));
}

Test(errors_deferred, reaches_the_values_of_keys_and_bins)
{
    check(by_key);
}

static void histogram(const inputs *in)
{
    gpu_array *counts, *outside;
    test_ok(gpu_histogram(in->bad, &(int){0}, &(int){N}, 4, &counts, &outside));
    FAILS(counts);
    FAILS(outside);
    test_ok(gpu_histogram(gpu_slice(in->bad, 0, 0), &(int){0}, &(int){N}, 4, &counts, &outside));
    FAILS(counts);
    FAILS(outside);
}

Test(errors_deferred, reaches_the_counts_of_a_histogram)
{
    check(histogram);
}

static void reduced(const inputs *in)
{
    FAILS(gpu_reduced(in->bad, "a + b"));
    FAILS(gpu_reduced(gpu_slice(in->bad, 0, 0), "a + b"));
    FAILS(gpu_scan(in->bad, "a + b"));
    FAILS(gpu_window_reduce(in->bad, 3, "a + b"));
    FAILS(gpu_sort(in->bad));
}

Test(errors_deferred, reaches_reductions_scans_and_sorts)
{
    check(reduced);
}
