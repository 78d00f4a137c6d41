/* What sorts refuse, bad snippets, and that nothing waits. */
#include "support/support.h"

#include <stdio.h>
#include <string.h>

GPU_STRUCT(record, int group; unsigned int rank; unsigned int index; unsigned int more;);
GPU_FUNCTION(int, ranked, (record p, record q), { return p.rank < q.rank; });

/* One struct and ten vectors: neither has an order of its own. */
static gpu_array *one_record(gpu *g)
{
    const record r = {1, 2, 3, 4};
    return gpu_array_from(g, GPU_TYPE(record), &r, 1);
}

static gpu_array *ten_vectors(gpu *g)
{
    return gpu_map_to(gpu_range(g, GPU_INT, 10), GPU_INT2, "(int2)(x)");
}

static const gpu_sort_options radix = {GPU_SORT_RADIX, false}, bitonic = {GPU_SORT_BITONIC, true},
                              merge = {GPU_SORT_MERGE, false}, unknown = {(gpu_sort_algorithm)77, false};

Test(sort_errors, structs_and_vectors_have_no_order)
{
    gpu *g = test_open();
    gpu_array *records = one_record(g), *vectors = ten_vectors(g);
    gpu_array *no_order = test_array_fails(GPU_E_TYPE, gpu_sort(records));
    test_has(gpu_array_error(no_order), "record");
    test_array_fails(GPU_E_TYPE, gpu_sort(vectors));
    no_order = test_array_fails(GPU_E_TYPE, gpu_sort_descending(records));
    test_has(gpu_array_error(no_order), "gpu_sort_descending: record has no order of its own: give a comparator");
    test_array_fails(GPU_E_TYPE, gpu_sort_descending(vectors));
    test_array_fails(GPU_E_TYPE, gpu_sort_with(records, &bitonic, NULL));
    test_array_fails(GPU_E_TYPE, gpu_sort_with(vectors, &merge, NULL));
    test_array_fails(GPU_E_TYPE, gpu_sort_with(vectors, &radix, NULL));
    test_close(g);
}

Test(sort_errors, a_radix_sort_takes_no_comparator)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    test_array_fails(GPU_E_ARGUMENT, gpu_sort_with(x, &radix, "a < b"));
    test_array_fails(GPU_E_ARGUMENT, gpu_sort_with(one_record(g), &radix, ranked));
    test_close(g);
}

Test(sort_errors, an_algorithm_that_does_not_exist_is_refused)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    test_array_fails(GPU_E_ARGUMENT, gpu_sort_with(x, &unknown, NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_sort_with(x, &unknown, "a < b"));
    test_close(g);
}

Test(sort_errors, missing_arguments_are_refused)
{
    gpu *g = test_open();
    int a = 3;
    test_array_fails(GPU_E_ARGUMENT, gpu_sort(NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_sort_descending(NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_sort_by(NULL, "a < b"));
    test_array_fails(GPU_E_ARGUMENT, gpu_sort_with(NULL, &bitonic, NULL));
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    test_array_fails(GPU_E_ARGUMENT, gpu_sort_by(x, "a < b", GPU_ARG(a))); /* a is the operand */
    test_close(g);
}

Test(sort_errors, a_sort_passes_on_the_failure_of_its_input)
{
    gpu *g = test_open();
    gpu_array *two = gpu_range(g, GPU_INT, 2), *broken = gpu_slice(two, 1, 2);
    int got[2] = {77, 77};
    test_array_fails(GPU_E_RANGE, gpu_sort(broken));
    test_array_fails(GPU_E_RANGE, gpu_sort_descending(broken));
    test_array_fails(GPU_E_RANGE, gpu_sort_by(broken, "a < b"));
    test_fails(GPU_E_RANGE, gpu_read(gpu_sort(gpu_gather(two, gpu_map(two, "x + 1"))), got));
    test_fails(GPU_E_RANGE, gpu_read(gpu_sort_by(gpu_gather(two, gpu_map(two, "x + 1")), "a < b"), got));
    cr_assert(got[0] == 77 && got[1] == 77, "an output was written");
    test_holds("after failures", gpu_sort(two), GPU_INT, 2, (int[]){0, 1});
    test_close(g);
}

/* Both outputs are set, in error. */
#define PAIR_FAILS(status, call)                                                                                       \
    do {                                                                                                               \
        k = v = NULL;                                                                                                  \
        test_fails(status, call);                                                                                      \
        test_array_fails(status, k);                                                                                   \
        test_array_fails(status, v);                                                                                   \
    } while (0)

Test(sort_errors, pairs_and_groups_refuse_keys_and_values_of_unequal_lengths)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 2), *three = gpu_range(g, GPU_INT, 3), *k, *v;
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_sort_pairs(x, three, &k, &v));
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_sort_pairs_by(three, x, "a < b", &k, &v));
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_top_pairs(x, three, 1, &k, &v));
    test_has(gpu_error(), "gpu_top_pairs: there are 2 keys and 3 values, and there must be equally many");
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_group_reduce(x, three, "a + b", &k, &v));
    test_close(g);
}

Test(sort_errors, pairs_and_groups_refuse_missing_arguments)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 2), *k, *v;
    int a = 3;
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_top_pairs(NULL, x, 1, &k, &v));
    test_has(gpu_error(), "gpu_top_pairs: the array 'keys' is NULL");
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_top_pairs(x, NULL, 1, &k, &v));
    test_has(gpu_error(), "the array 'values' is NULL");
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_sort_pairs(NULL, x, &k, &v));
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_sort_pairs(x, NULL, &k, &v));
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_sort_pairs_by(x, x, "a < b", &k, &v, GPU_ARG(a))); /* a is the operand */
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_group_reduce(NULL, x, "a + b", &k, &v));
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_group_reduce_op(x, x, NULL, &k, &v));
    test_close(g);
}

Test(sort_errors, pairs_and_groups_refuse_keys_without_an_order)
{
    gpu *g = test_open();
    record r[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    gpu_array *x = gpu_range(g, GPU_INT, 2), *k, *v;
    gpu_array *records = gpu_array_from(g, GPU_TYPE(record), r, 2), *vectors = gpu_map_to(x, GPU_INT2, "(int2)(x)");
    PAIR_FAILS(GPU_E_TYPE, gpu_sort_pairs(records, x, &k, &v));
    PAIR_FAILS(GPU_E_TYPE, gpu_sort_pairs(vectors, x, &k, &v));
    PAIR_FAILS(GPU_E_TYPE, gpu_top_pairs(records, x, 1, &k, &v));
    test_has(gpu_error(), "gpu_top_pairs: record has no order of its own: the keys must be scalars, map them to some");
    PAIR_FAILS(GPU_E_TYPE, gpu_group_reduce(records, x, "a + b", &k, &v));
    test_ok(gpu_sort_pairs_by(records, x, ranked, &k, &v));
    test_holds("by a comparator", v, GPU_INT, 2, (int[]){0, 1});
    test_close(g);
}

Test(sort_errors, pairs_and_groups_pass_on_the_failure_of_their_inputs)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 2), *broken = gpu_slice(x, 2, 1), *k, *v;
    PAIR_FAILS(GPU_E_RANGE, gpu_sort_pairs(broken, x, &k, &v));
    PAIR_FAILS(GPU_E_RANGE, gpu_top_pairs(broken, x, 1, &k, &v));
    PAIR_FAILS(GPU_E_RANGE, gpu_top_pairs(x, broken, 0, &k, &v));
    PAIR_FAILS(GPU_E_RANGE, gpu_sort_pairs_by(x, broken, "a < b", &k, &v));
    PAIR_FAILS(GPU_E_RANGE, gpu_group_reduce(x, broken, "a + b", &k, &v));
    test_close(g);
}

Test(sort_errors, pairs_and_groups_refuse_wrong_snippets)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 2), *k, *v;
    PAIR_FAILS(GPU_E_SNIPPET, gpu_sort_pairs_by(x, x, "a < (b", &k, &v));
    PAIR_FAILS(GPU_E_SNIPPET, gpu_sort_pairs_by(x, x, "a < nobody", &k, &v));
    PAIR_FAILS(GPU_E_SNIPPET, gpu_group_reduce(x, x, "a + nobody", &k, &v));
    test_close(g);
}

Test(sort_errors, pairs_refuse_missing_outputs)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 2), *one = NULL;
    test_fails(GPU_E_ARGUMENT, gpu_sort_pairs(x, x, NULL, NULL));
    test_fails(GPU_E_ARGUMENT, gpu_sort_pairs(x, x, &one, NULL));
    test_array_fails(GPU_E_ARGUMENT, one);
    test_fails(GPU_E_ARGUMENT, gpu_top_pairs(x, x, 1, NULL, &one));
    test_array_fails(GPU_E_ARGUMENT, one);
    test_fails(GPU_E_ARGUMENT, gpu_sort_pairs_by(x, x, "a < b", NULL, &one));
    test_array_fails(GPU_E_ARGUMENT, one);
    test_fails(GPU_E_ARGUMENT, gpu_group_reduce(x, x, "a + b", &one, NULL));
    test_array_fails(GPU_E_ARGUMENT, one);
    test_fails(GPU_E_ARGUMENT, gpu_group_reduce(x, x, "a + b", NULL, &one));
    test_array_fails(GPU_E_ARGUMENT, one);
    test_fails(GPU_E_ARGUMENT, gpu_is_sorted(x, (bool *)NULL));
    test_close(g);
}

Test(sort_errors, pairs_refuse_unequal_lengths_that_only_the_device_knows)
{
    gpu *g = test_open();
    int64_t got[20] = {77};
    gpu_array *x = gpu_eval(gpu_range(g, GPU_LONG, 20)), *half = gpu_filter(x, "x % 2 == 0"), *k, *v;
    (void)gpu_sort_pairs(x, half, &k, &v); /* nobody knows yet */
    test_fails(GPU_E_ARGUMENT, gpu_read(v, got));
    (void)gpu_sort_pairs_by(half, x, "a > b", &k, &v);
    test_fails(GPU_E_ARGUMENT, gpu_read(k, got));
    (void)gpu_group_reduce(half, x, "a + b", &k, &v);
    test_fails(GPU_E_ARGUMENT, gpu_read(v, got));
    cr_assert_eq(got[0], 77, "an output was written");
    test_close(g);
}

Test(sort_errors, other_forms_refuse_elements_without_an_order)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10), *records = one_record(g), *vectors = ten_vectors(g);
    bool sorted = true;
    test_array_fails(GPU_E_TYPE, gpu_argsort(records));
    test_array_fails(GPU_E_TYPE, gpu_argsort_by(records, (const char *)NULL));
    test_has(gpu_error(), "gpu_argsort_by: record has no order of its own: give a comparator");
    test_array_fails(GPU_E_TYPE, gpu_top(vectors, 1));
    test_array_fails(GPU_E_TYPE, gpu_sort_key(x, GPU_FLOAT2, "(float2)(x)"));
    test_array_fails(GPU_E_TYPE, gpu_sort_key(x, GPU_TYPE(record), "x"));
    test_array_fails(GPU_E_TYPE, gpu_lower_bound(x, gpu_map_to(x, GPU_FLOAT, "x")));
    test_array_fails(GPU_E_TYPE, gpu_lower_bound(records, records));
    test_fails(GPU_E_TYPE, gpu_is_sorted(vectors, &sorted));
    cr_assert(sorted, "an output was written");
    test_close(g);
}

Test(sort_errors, other_forms_refuse_missing_arguments)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10);
    bool sorted = true;
    test_array_fails(GPU_E_ARGUMENT, gpu_sort_key(x, NULL, "x"));
    test_array_fails(GPU_E_ARGUMENT, gpu_sort_key(x, GPU_INT, (const char *)NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_sort_key_op(x, GPU_INT, NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_argsort(NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_argsort_by(NULL, "a < b"));
    test_array_fails(GPU_E_ARGUMENT, gpu_argsort_by(x, "a < b", GPU_ARG(sorted), GPU_ARG(sorted)));
    test_has(gpu_error(), "two captured values are called 'sorted'");
    test_array_fails(GPU_E_ARGUMENT, gpu_top(NULL, 1));
    test_array_fails(GPU_E_ARGUMENT, gpu_lower_bound(NULL, x));
    test_array_fails(GPU_E_ARGUMENT, gpu_lower_bound(x, NULL));
    test_fails(GPU_E_ARGUMENT, gpu_is_sorted(NULL, &sorted));
    cr_assert(sorted, "an output was written");
    test_close(g);
}

Test(sort_errors, other_forms_pass_on_the_failure_of_their_inputs)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10), *broken = gpu_slice(x, 5, 6);
    bool sorted = true;
    test_array_fails(GPU_E_RANGE, gpu_argsort(broken));
    test_array_fails(GPU_E_RANGE, gpu_argsort_by(broken, "a < b"));
    test_array_fails(GPU_E_RANGE, gpu_top(broken, 3));
    test_array_fails(GPU_E_RANGE, gpu_sort_key(broken, GPU_INT, "x"));
    test_array_fails(GPU_E_RANGE, gpu_lower_bound(broken, x));
    test_array_fails(GPU_E_RANGE, gpu_lower_bound(x, broken));
    test_fails(GPU_E_RANGE, gpu_is_sorted(broken, &sorted));
    cr_assert(sorted, "an output was written");
    test_close(g);
}

Test(sort_errors, an_error_in_a_snippet_of_other_forms_names_its_column)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10);
    bool sorted = true;
    gpu_array *y = test_array_fails(GPU_E_SNIPPET, gpu_sort_key(x, GPU_INT, "x + nobody"));
    test_caret(gpu_array_error(y), "x + nobody", 4);
    test_array_fails(GPU_E_SNIPPET, gpu_argsort(gpu_map(x, "x + nobody")));
    y = test_array_fails(GPU_E_SNIPPET, gpu_argsort_by(x, "a < nobody"));
    test_caret(gpu_array_error(y), "a < nobody", 4);
    test_fails(GPU_E_SNIPPET, gpu_is_sorted(gpu_map(x, "x + nobody"), &sorted));
    cr_assert(sorted, "an output was written");
    test_close(g);
}

Test(sort_errors, an_error_in_a_comparator_names_call_and_column)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    char place[64];
    snprintf(place, sizeof place, "test_sort_errors.c:%d", __LINE__ + 1);
    gpu_array *y = test_array_fails(GPU_E_SNIPPET, gpu_sort_by(x, "a < b * frobnicate"));
    test_has(gpu_array_error(y), place);
    test_has(gpu_array_error(y), "gpu_sort");
    test_has(gpu_array_error(y), "undeclared identifier");
    test_caret(gpu_array_error(y), "a < b * frobnicate", 8);
    y = test_array_fails(GPU_E_SNIPPET, gpu_sort_with(x, (&(gpu_sort_options){GPU_SORT_BITONIC, false}),
                                                      "{\n    return a <\n           missing;\n}"));
    test_caret(gpu_array_error(y), "missing;", 0);
    test_holds_steps("a sort after a bad snippet", gpu_sort_by(x, "a < b"), gpu_type_of(x), gpu_length(x), 1, 0);
    test_close(g);
}

Test(sort_errors, an_error_in_a_map_before_a_sort_names_the_map)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    gpu_array *y = test_array_fails(GPU_E_SNIPPET, gpu_sort(gpu_map(x, "x * nonsense")));
    test_has(gpu_array_error(y), "gpu_map");
    test_caret(gpu_array_error(y), "x * nonsense", 4);
    test_close(g);
}

Test(sort_errors, an_unbalanced_parenthesis_is_found_at_the_call)
{
    gpu *g = test_open();
    gpu_array *y = gpu_sort_by(gpu_fill(g, GPU_FLOAT, &(float){1}, 10), "a < b) + (1");
    cr_assert_eq(gpu_array_status(y), GPU_E_SNIPPET, "found only when the array is needed");
    test_caret(gpu_array_error(y), "a < b) + (1", 5);
    test_close(g);
}

Test(sorts, wait_for_nothing_and_build_nothing_twice)
{
    gpu *g = test_open();
    size_t n = test_limit(20000);
    gpu_array *whole = gpu_eval(gpu_range(g, GPU_UINT, n)), *ones = gpu_eval(gpu_fill(g, GPU_INT, &(int){1}, n)), *k,
              *v;
    gpu_array *x = gpu_eval(gpu_map_to(whole, GPU_FLOAT, "x * 7919 % 20000")), *sorted, *sums, *made[4];
    for (int round = 0; round < 2; round++) { /* the first one builds */
        bool is_sorted = true;
        gpu_stats before = test_stats(g);
        test_ok(gpu_sort_pairs(x, gpu_map_to(ones, GPU_DOUBLE, "x"), &sorted, &v));
        test_ok(gpu_sort_pairs_by(whole, whole, "a < b", &k, &v));
        test_ok(gpu_group_reduce(x, ones, "10 * a + b", &k, &sums));
        made[0] = gpu_eval(gpu_argsort(x));
        made[1] = gpu_eval(gpu_sort_key(x, GPU_FLOAT, "-x"));
        made[2] = gpu_eval(gpu_lower_bound(sorted, x));
        made[3] = gpu_eval(gpu_top(x, n));
        gpu_stats after = test_stats(g);
        test_ok(gpu_is_sorted(x, &is_sorted));
        uint64_t waits = test_stats(g).waits - after.waits;
        cr_assert(!is_sorted && gpu_length(sums) == n);
        for (int i = 0; i < 4; i++) cr_assert_eq(gpu_length(test_array_ok(made[i])), n);
        if (round == 0 || test_on_host()) continue;
        if (!test_verifies()) cr_assert_eq(waits, 1, "gpu_is_sorted waits once");
        if (!test_verifies()) cr_assert_eq(after.waits, before.waits, "something waits");
        cr_assert_eq(after.programs_built, before.programs_built, "built again");
    }
    test_close(g);
}
