/* An array may turn out to be empty only when an operation makes ready what it reads: a filter that another consumer
 * has had becomes a buffer then, and the host knows its length at once. Each operation must do with it what it does
 * with an array known to be empty. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

GPU_FUNCTION(int, none, (int x), { return x > 1000; });
GPU_FUNCTION(int, tripled, (int x), { return x * 3 - 1; });
GPU_FUNCTION(int, shifted, (int x), { return x * 5 + 2; });
GPU_FUNCTION(int, positive, (int x), { return x > 0; });
GPU_FUNCTION(int, before, (int a, int b), { return a < b; });
GPU_FUNCTION(int, later, (int a, int b), {
    (void)a;
    return b;
});

/* What an operation gave: a status; the value, or the elements of up to two arrays. */
typedef struct outcome {
    gpu_status status;
    size_t lengths[2];
    uint64_t value;
} outcome;

static outcome of_value(gpu_status status, uint64_t value)
{
    return (outcome){.status = status, .value = status ? 0 : value};
}

static outcome of_arrays(const gpu_array *a, const gpu_array *b)
{
    outcome o = {.lengths = {gpu_length(a), b ? gpu_length(b) : 0}};
    uint64_t elements[16] = {0};
    o.status = gpu_read_op(a, &(const gpu_output){elements, NULL, 0}, GPU_HERE);
    for (size_t k = 0; k < o.lengths[0] && k < 16; k++) o.value = o.value * 31 + elements[k];
    if (b && !o.status) o.status = gpu_array_status(b);
    return o;
}

#define OPERATION(name, ...)                                                                                           \
    static outcome name(gpu_array *a)                                                                                  \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define VALUE(T, call)                                                                                                 \
    T v = 77;                                                                                                          \
    return of_value(call, (uint64_t)v);
#define ARRAYS(call)                                                                                                   \
    gpu_array *p, *q;                                                                                                  \
    (void)(call);                                                                                                      \
    return of_arrays(p, q);

/* clang-format off */
OPERATION(op_read, return of_arrays(a, NULL);)
OPERATION(op_map, return of_arrays(gpu_map(a, tripled), NULL);)
OPERATION(op_map2, return of_arrays(gpu_map2(a, gpu_map(a, tripled), "x + y"), NULL);)
OPERATION(op_reduce, VALUE(int, gpu_reduce(a, "a + b", &v)))
OPERATION(op_reduce_first, VALUE(int, gpu_reduce(a, "a", &v)))
OPERATION(op_fold, VALUE(int, gpu_fold(a, &(int){5}, "a + b", &v)))
OPERATION(op_fold_last, VALUE(int, gpu_fold(a, &(int){5}, later, &v)))
OPERATION(op_reduced, return of_arrays(gpu_reduced(a, "a + b"), NULL);)
OPERATION(op_reduced_last, return of_arrays(gpu_reduced(a, later), NULL);)
OPERATION(op_reduce_all, int w = 7; VALUE(int, gpu_reduce_all(a, "a + b", &v, "a * b", &w)))
OPERATION(op_map_reduce_all, size_t w = 7; VALUE(int, gpu_map_reduce_all(a, "x + 1", "a + b", &v, "i", "b", &w)))
OPERATION(op_block_reduce, return of_arrays(gpu_block_reduce(a, 2, "a + b"), NULL);)
OPERATION(op_sum, VALUE(int, gpu_sum(a, &v)))
OPERATION(op_product, VALUE(int, gpu_product(a, &v)))
OPERATION(op_min, VALUE(int, gpu_min(a, &v)))
OPERATION(op_max, VALUE(int, gpu_max(a, &v)))
OPERATION(op_argmin, VALUE(size_t, gpu_argmin(a, &v)))
OPERATION(op_count, VALUE(size_t, gpu_count(a, positive, &v)))
OPERATION(op_any, bool v = true; gpu_status s = gpu_any(a, positive, &v); return of_value(s, v);)
OPERATION(op_all, bool v = false; gpu_status s = gpu_all(a, positive, &v); return of_value(s, v);)
OPERATION(op_scan, return of_arrays(gpu_scan(a, "a + b"), NULL);)
OPERATION(op_scan_mapped, return of_arrays(gpu_map(gpu_scan(a, later), tripled), NULL);)
OPERATION(op_scan_exclusive, return of_arrays(gpu_scan_exclusive(a, &(int){3}, "a + b"), NULL);)
OPERATION(op_filter, return of_arrays(gpu_filter(a, positive), NULL);)
OPERATION(op_partition, ARRAYS(gpu_partition(a, positive, &p, &q)))
OPERATION(op_span, ARRAYS(gpu_span(a, positive, &p, &q)))
OPERATION(op_take_while, return of_arrays(gpu_take_while(a, positive), NULL);)
OPERATION(op_drop_while, return of_arrays(gpu_drop_while(a, positive), NULL);)
OPERATION(op_find, return of_arrays(gpu_find(a, &(int){7}), NULL);)
OPERATION(op_find_if, return of_arrays(gpu_find_if(a, positive), NULL);)
OPERATION(op_index_of, VALUE(size_t, gpu_index_of(a, &(int){7}, &v)))
OPERATION(op_index_if, VALUE(size_t, gpu_index_if(a, positive, &v)))
OPERATION(op_unique, return of_arrays(gpu_unique(a), NULL);)
OPERATION(op_runs, ARRAYS(gpu_runs(a, &p, &q)))
OPERATION(op_gather_from, return of_arrays(gpu_gather(a, a), NULL);)
OPERATION(op_scatter, return of_arrays(gpu_scatter(a, a, a), NULL);)
OPERATION(op_reverse, return of_arrays(gpu_reverse(a), NULL);)
OPERATION(op_concat, return of_arrays(gpu_concat(a, a), NULL);)
OPERATION(op_slice, return of_arrays(gpu_slice(a, 0, 0), NULL);)
OPERATION(op_slice_too_much, return of_arrays(gpu_slice(a, 0, 1), NULL);)
OPERATION(op_histogram, ARRAYS(gpu_histogram(a, &(int){0}, &(int){8}, 4, &p, &q)))
OPERATION(op_sort, return of_arrays(gpu_sort(a), NULL);)
OPERATION(op_sort_mapped, return of_arrays(gpu_map(gpu_sort(a), tripled), NULL);)
OPERATION(op_sort_by, return of_arrays(gpu_sort_by(a, before), NULL);)
OPERATION(op_sort_key, return of_arrays(gpu_sort_key(a, GPU_INT, tripled), NULL);)
OPERATION(op_argsort, return of_arrays(gpu_argsort(a), NULL);)
OPERATION(op_sort_pairs, ARRAYS(gpu_sort_pairs(a, a, &p, &q)))
OPERATION(op_top, return of_arrays(gpu_top(a, 2), NULL);)
OPERATION(op_is_sorted, bool v = false; gpu_status s = gpu_is_sorted(a, &v); return of_value(s, v);)
OPERATION(op_lower_bound, return of_arrays(gpu_lower_bound(a, a), NULL);)
OPERATION(op_variance, double m = 0, v = 0; gpu_status s = gpu_variance(a, &m, &v); return of_value(s, v);)
OPERATION(op_quantile, double v = 0; gpu_status s = gpu_quantile(a, 0.3, &v); return of_value(s, v);)
OPERATION(op_repeat, return of_arrays(gpu_repeat(a, gpu_map_to(a, GPU_UCHAR, "x & 1")), NULL);)
OPERATION(op_upper_bound, return of_arrays(gpu_upper_bound(a, a), NULL);)
OPERATION(op_contains, return of_arrays(gpu_contains(a, a), NULL);)
OPERATION(op_set_union, return of_arrays(gpu_set_union(a, a), NULL);)
OPERATION(op_set_intersection, return of_arrays(gpu_set_intersection(a, a), NULL);)
OPERATION(op_set_difference, return of_arrays(gpu_set_difference(a, a), NULL);)
OPERATION(op_reduce_by_key, ARRAYS(gpu_reduce_by_key(a, a, "a + b", &p, &q)))
OPERATION(op_scan_by_key, return of_arrays(gpu_scan_by_key(a, a, "a + b"), NULL);)
OPERATION(op_group_reduce, ARRAYS(gpu_group_reduce(a, a, "a + b", &p, &q)))
OPERATION(op_check_reduce, return of_value(gpu_check_reduce(a, "a + b"), 0);)
OPERATION(op_check_order, return of_value(gpu_check_order(a, before), 0);)

#define ENTRY(name) {#name, op_##name}
static const struct {
    const char *name;
    outcome (*run)(gpu_array *a);
} operations[] = {
    ENTRY(read), ENTRY(map), ENTRY(map2), ENTRY(reduce), ENTRY(reduce_first), ENTRY(fold), ENTRY(fold_last),
    ENTRY(reduced), ENTRY(reduced_last), ENTRY(reduce_all), ENTRY(map_reduce_all), ENTRY(block_reduce), ENTRY(sum),
    ENTRY(product), ENTRY(min), ENTRY(max), ENTRY(argmin), ENTRY(count), ENTRY(any), ENTRY(all), ENTRY(scan),
    ENTRY(scan_mapped), ENTRY(scan_exclusive), ENTRY(filter), ENTRY(partition), ENTRY(span), ENTRY(take_while),
    ENTRY(drop_while), ENTRY(find), ENTRY(find_if), ENTRY(index_of), ENTRY(index_if), ENTRY(unique), ENTRY(runs),
    ENTRY(gather_from), ENTRY(scatter), ENTRY(reverse), ENTRY(concat), ENTRY(slice), ENTRY(slice_too_much),
    ENTRY(histogram), ENTRY(sort), ENTRY(sort_mapped), ENTRY(sort_by), ENTRY(sort_key), ENTRY(argsort),
    ENTRY(sort_pairs), ENTRY(top), ENTRY(is_sorted), ENTRY(repeat), ENTRY(variance), ENTRY(quantile),
    ENTRY(lower_bound), ENTRY(upper_bound), ENTRY(contains), ENTRY(set_union), ENTRY(set_intersection),
    ENTRY(set_difference), ENTRY(reduce_by_key), ENTRY(scan_by_key), ENTRY(group_reduce), ENTRY(check_reduce),
    ENTRY(check_order),
};
/* clang-format on */

/* A map of a filter that keeps nothing, and that a map which was computed before has consumed. */
static gpu_array *found_empty_late(gpu *g)
{
    static const int data[] = {1, 2, 3, 4, 5};
    gpu_array *kept = gpu_filter(gpu_array_of(g, data, COUNT_OF(data)), none);
    gpu_eval(gpu_map(kept, tripled));
    return gpu_map(kept, shifted);
}

/* The same where what empties it is captured: the operator's array is computed when the operation makes ready what it
 * reads. */
static gpu_array *found_empty_by_capture(gpu *g)
{
    static const int data[] = {1, 2, 3, 4, 5};
    gpu_array *kept = gpu_filter(gpu_array_of(g, data, COUNT_OF(data)), none), *doubled = gpu_map(kept, tripled);
    return gpu_map(kept, "x + doubled[0]", GPU_ARG(doubled));
}

static gpu_array *known_empty(gpu *g)
{
    return gpu_map(gpu_array_from(g, GPU_INT, &(int){0}, 0), shifted);
}

static void compare(gpu_array *(*make)(gpu *g), const char *policy)
{
    setenv("FIREPILE_POLICY", policy, 1);
    gpu *g = test_open();
    for (size_t k = 0; k < COUNT_OF(operations); k++) {
        const outcome want = operations[k].run(known_empty(g)), got = operations[k].run(make(g));
        cr_expect(got.status == want.status && got.value == want.value &&
                      memcmp(got.lengths, want.lengths, sizeof want.lengths) == 0,
                  "%s, policy '%s': status %s, %zu and %zu elements, value %llu, and not %s, %zu and %zu, %llu: %s",
                  operations[k].name, policy, gpu_status_name(got.status), got.lengths[0], got.lengths[1],
                  (unsigned long long)got.value, gpu_status_name(want.status), want.lengths[0], want.lengths[1],
                  (unsigned long long)want.value, got.status ? gpu_error() : "");
    }
    test_close(g);
}

static void compare_by_policies(gpu_array *(*make)(gpu *g))
{
    static const char *const policies[] = {"", "tiny", "gpu", "gpu,tiny", "gpu,sweeps"};
    const size_t count = test_runs_gpu_shapes() ? COUNT_OF(policies) : 2;
    unsetenv("FIREPILE_SMALL");
    for (size_t k = 0; k < count; k++) compare(make, policies[k]);
}

TestSuite(ready, .timeout = 600);

Test(ready, operations_take_what_is_found_empty_late_for_empty)
{
    compare_by_policies(found_empty_late);
}

Test(ready, operations_take_what_a_capture_tells_to_be_empty_for_empty)
{
    compare_by_policies(found_empty_by_capture);
}

GPU_FUNCTION(int, plus_place, (int x, uint64_t i), { return x + (int)i; });

/* The places of a selection of nothing: there is no number to wait for. */
Test(ready, a_selection_of_nothing_has_no_places)
{
    gpu *g = gpu_open("host");
    bool any = true;
    test_array_ok(gpu_filter(gpu_range(g, GPU_INT, 100), positive)); /* leaves a number in a cell */
    gpu_array *kept = gpu_filter(gpu_array_from(g, GPU_INT, &(int){0}, 0), positive);
    gpu_array *places = gpu_map(kept, plus_place);
    test_ok(gpu_any(places, positive, &any));
    cr_assert(!any && gpu_length(places) == 0);
    test_close(g);
}
