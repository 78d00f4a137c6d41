/* What a failure advises can be followed in the operation that failed. */
#include "support/support.h"

#include <string.h>

GPU_STRUCT(place, float x; float y;);

Test(errors_advice, elements_without_an_order_are_sent_to_a_comparator_or_to_keys)
{
    gpu *g = test_open();
    gpu_array *a = gpu_fill(g, GPU_FLOAT2, (&(gpu_float2){1, 2}), 3), *n = gpu_range(g, GPU_INT, 3), *k, *v;
    test_has(gpu_array_error(test_array_fails(GPU_E_TYPE, gpu_sort(a))), "gpu_sort_by");
    test_has(gpu_array_error(test_array_fails(GPU_E_TYPE, gpu_sort_with(a, NULL, (const char *)NULL))), "comparator");
    test_has(gpu_array_error(test_array_fails(GPU_E_TYPE, gpu_sort_key(n, GPU_FLOAT2, "(float2)(x)"))), "scalars");
    test_has(gpu_array_error(test_array_fails(GPU_E_TYPE, gpu_argsort(a))), "gpu_argsort_by");
    test_fails(GPU_E_TYPE, gpu_sort_pairs(a, n, &k, &v));
    test_has(gpu_error(), "gpu_sort_pairs_by");
    test_fails(GPU_E_TYPE, gpu_group_reduce(a, n, "a + b", &k, &v));
    test_has(gpu_error(), "the keys must be scalars, map them to some");
    cr_assert(!strstr(gpu_error(), "comparator"), "%s", gpu_error());
    test_close(g);
}

Test(errors_advice, a_reduction_of_nothing_is_sent_to_a_start)
{
    gpu *g = test_open();
    int out;
    gpu_array *none = gpu_range(g, GPU_INT, 0), *zeros = gpu_eval(gpu_fill(g, GPU_INT, &(int){0}, 9));
    test_fails(GPU_E_EMPTY, gpu_reduce(none, "b", &out));
    test_has(gpu_error(), "give a start with gpu_fold");
    test_fails(GPU_E_EMPTY, gpu_max(none, &out));
    test_has(gpu_error(), "gpu_fold(a, &start, \"max(a, b)\", ...)");
    test_fails(GPU_E_EMPTY, gpu_min(none, &out));
    test_has(gpu_error(), "gpu_fold(a, &start, \"min(a, b)\", ...)");
    test_fails(GPU_E_EMPTY, gpu_reduce_all(none, "b", &out));
    test_has(gpu_error(), "gpu_concat");
    test_has(gpu_array_error(test_array_fails(GPU_E_EMPTY, gpu_reduced(none, "b"))), "gpu_concat");
    test_fails(GPU_E_EMPTY, gpu_read(gpu_reduced(gpu_filter(zeros, "x"), "b"), &out));
    test_has(gpu_error(), "gpu_concat");
    test_close(g);
}

Test(errors_advice, elements_without_equality_are_sent_to_a_predicate)
{
    gpu *g = test_open();
    size_t index;
    place p = {1, 2};
    gpu_array *a = gpu_array_from(g, GPU_TYPE(place), &p, 1);
    test_has(gpu_array_error(test_array_fails(GPU_E_TYPE, gpu_find(a, &p))), "gpu_find_if");
    test_fails(GPU_E_TYPE, gpu_index_of(a, &p, &index));
    test_has(gpu_error(), "gpu_index_if");
    test_has(gpu_array_error(test_array_fails(GPU_E_TYPE, gpu_unique(a))), "gpu_unique_by");
    test_close(g);
}

/* Reductions call their operands a and b, and maps x, y and z: which, depends on how many there are. */
Test(errors_advice, operands_of_another_operation_are_sent_to_those_of_this_one)
{
    gpu *g = test_open();
    float sum;
    gpu_array *x = gpu_range(g, GPU_FLOAT, 5000);
    gpu_array *y = test_array_fails(GPU_E_SNIPPET, gpu_map2(x, x, "x + z"));
    test_has(gpu_array_error(y), "'z' has no meaning in gpu_map2, whose operands are x and y");
    test_caret(gpu_array_error(y), "x + z", 4);
    test_has(gpu_array_error(test_array_fails(GPU_E_SNIPPET, gpu_map(x, "x + y"))),
             "whose operand is x: gpu_map2 has x and y");
    test_fails(GPU_E_SNIPPET, gpu_reduce(x, "y + b", &sum));
    test_has(gpu_error(), "'y' has no meaning in gpu_reduce, whose operands are a and b");
    test_close(g);
}

GPU_CONSTANT(key, 3);

Test(errors_advice, names_of_operands_may_be_defined_and_declared_and_be_members)
{
    gpu *g = test_open();
    const gpu_float2 points[] = {{1, 2}};
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 1), *p = gpu_array_of(g, points, 1);
    test_holds("defined", gpu_map(x, "x + key"), GPU_FLOAT, 1, (float[]){4});
    test_holds("declared", gpu_map(x, "{ float y = 4; return x + y; }"), GPU_FLOAT, 1, (float[]){5});
    test_holds("a member", gpu_map_to(p, GPU_FLOAT, "x.y"), GPU_FLOAT, 1, (float[]){2});
    test_close(g);
}
