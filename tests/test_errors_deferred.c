/* A deferred error, that of an index out of range, reaches whoever reads what was made of the array. */
#include "support/functions.h"
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

/* A call that brings a number to the host. */
#define ENDS(call) check_ends(#call, (call))
static void check_ends(const char *call, gpu_status status)
{
    if (status) test_end_if_refused(gpu_error());
    cr_assert_eq(status, GPU_E_RANGE, "%s gave %s: %s", call, gpu_status_name(status), gpu_error());
}

/* The element searched for is there, so the search could do without the others. */
static void places(const inputs *in)
{
    size_t at = 77;
    ENDS(gpu_index_of(in->bad, &(int){0}, &at));
    ENDS(gpu_index_if(in->bad, is_even, &at));
    ENDS(gpu_argmax(in->bad, &at));
    ENDS(gpu_count(in->bad, is_even, &at));
    cr_assert_eq(at, 77, "an output was written");
    FAILS(gpu_find(in->bad, &(int){0}));
    FAILS(gpu_find_if(in->bad, is_even));
}

Test(errors_deferred, reaches_the_places_of_elements)
{
    check(places);
}

static void decisions(const inputs *in)
{
    bool yes = true, no = false;
    ENDS(gpu_any(in->bad, is_odd, &yes));
    ENDS(gpu_all(in->bad, is_odd, &yes));
    ENDS(gpu_any(in->bad, is_even, &no));
    ENDS(gpu_all(in->bad, is_even, &no));
    ENDS(gpu_is_sorted(in->bad, &no));
    cr_assert(yes && !no, "an output was written");
}

Test(errors_deferred, reaches_what_is_asked_of_all_elements)
{
    check(decisions);
}

static void spans(const inputs *in)
{
    gpu_array *prefix = NULL, *rest = NULL;
    FAILS(gpu_take_while(in->bad, is_even));
    FAILS(gpu_drop_while(in->bad, is_even));
    test_ok(gpu_span(in->bad, is_even, &prefix, &rest));
    FAILS(prefix);
    FAILS(rest);
    FAILS(gpu_take_while(in->x, "x < bad[0]", GPU_ARG_NAMED(bad, in->bad)));
    FAILS(gpu_drop_while(in->x, "x < bad[0]", GPU_ARG_NAMED(bad, in->bad)));
    FAILS(gpu_slice(gpu_take_while(in->x, "x < 3 + bad[0]", GPU_ARG_NAMED(bad, in->bad)), 1, 1));
}

Test(errors_deferred, reaches_both_parts_of_a_span)
{
    check(spans);
}

static void values_of_keys(const inputs *in)
{
    bool yes = true;
    gpu_dict *d = gpu_dict_of(in->x, in->bad, "b");
    ENDS(gpu_dict_contains_value(d, &(int){77}, &yes));
    cr_assert(yes, "an output was written");
}

Test(errors_deferred, reaches_the_search_for_a_value_of_a_dictionary)
{
    check(values_of_keys);
}

static void keys(const inputs *in)
{
    bool yes = true;
    gpu_dict *d = gpu_dict_of(in->bad, in->x, "b"), *good = gpu_dict_of(in->x, in->x, "b");
    FAILS(gpu_dict_has(d, in->x));
    FAILS(gpu_dict_has(good, in->bad));
    ENDS(gpu_dict_contains(d, &(int){77}, &yes));
    cr_assert(yes, "an output was written");
}

Test(errors_deferred, reaches_lookups_of_keys)
{
    check(keys);
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

/* The first kernel needs no wrong index, and the second one does. */
Test(errors_deferred, is_found_by_a_later_kernel)
{
    if (test_eager()) cr_skip_test("the first kernel computes all");
    inputs in = open_inputs(false);
    int two[2] = {77, 77};
    gpu_status status = gpu_read(gpu_slice(in.bad, 0, 2), two);
    if (status) test_end_if_refused(gpu_error());
    cr_assert(!status && two[0] == 0 && two[1] == 7, "%d %d: %s", two[0], two[1], gpu_error());
    FAILS(in.bad);
    test_close(in.g);
}

/* More arrays than a buffer has counters, which are used again. */
Test(errors_deferred, does_not_stay_when_its_array_is_gone)
{
    const int ones[N] = {1, 1, 1, 1, 1, 1, 1, 1};
    inputs in = open_inputs(true);
    for (int round = 0; round < 600; round++) {
        gpu_scope *scope = gpu_scope_begin(in.g);
        FAILS(gpu_gather(in.x, gpu_map(in.x, "x * 7")));
        test_holds("a right gather", gpu_gather(in.x, in.ones), GPU_INT, N, ones);
        gpu_scope_end(scope);
    }
    test_close(in.g);
}

/* ---- gpu_finish ---- */

Test(errors_deferred, are_fetched_by_one_wait)
{
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, N));
    gpu_stats before, after;
    for (int k = 0; k < 20; k++) gpu_eval(gpu_gather(x, gpu_map(x, "x * k % 8", GPU_ARG(k))));
    test_ok(gpu_get_stats(g, &before));
    test_ok(gpu_finish(g));
    test_ok(gpu_get_stats(g, &after));
    if (!test_verifies()) cr_assert_leq(after.waits - before.waits, 2);
    test_close(g);
}

Test(errors_deferred, are_each_reported_by_a_finish_of_its_own)
{
    inputs in = open_inputs(true);
    gpu_array *other = gpu_eval(gpu_gather(in.x, gpu_map(in.x, "x + 5")));
    test_fails(GPU_E_RANGE, gpu_finish(in.g));
    test_fails(GPU_E_RANGE, gpu_finish(in.g));
    test_ok(gpu_finish(in.g));
    test_fails(GPU_E_RANGE, gpu_read(other, (int[N]){0}));
    test_close(in.g);
}
