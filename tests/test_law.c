/* gpu_check_order: counter-examples to comparators. */
#include "support/support.h"

#include <math.h>

GPU_STRUCT(pair, int major; int minor;);
GPU_FUNCTION(int, by_both, (pair p, pair q),
             { return p.major < q.major || (p.major == q.major && p.minor < q.minor); });
GPU_FUNCTION(int, by_either, (pair p, pair q), { return p.major < q.major || p.minor < q.minor; });

Test(order, lawful_comparators)
{
    gpu *g = test_open();
    float data[] = {3, -1, 0.0f, -0.0f, 1e30f, INFINITY, -INFINITY, 3};
    gpu_array *x = gpu_array_of(g, data, 8), *r = gpu_range(g, GPU_INT, 100000);
    int target = 50;
    test_ok(gpu_check_order(x, "a < b"));
    test_ok(gpu_check_order(x, "fabs(a) > fabs(b)"));
    test_ok(gpu_check_order(r, "abs(a - target) < abs(b - target)", GPU_ARG(target)));
    test_ok(gpu_check_order(r, "0"));
    test_ok(gpu_check_order(gpu_filter(r, "x % 7 == 0"), "a % 10 < b % 10"));
    test_ok(gpu_check_order(gpu_range(g, GPU_INT, 0), "1"));
    test_close(g);
}

static void refused(const gpu_array *a, const char *less, const char *law, const char *values)
{
    test_fails(GPU_E_ARGUMENT, gpu_check_order(a, less));
    test_has(gpu_error(), law);
    test_has(gpu_error(), values);
}

Test(order, each_law_has_a_counter_example)
{
    gpu *g = test_open();
    float data[] = {3, 1, 2, NAN, 5};
    gpu_array *x = gpu_array_of(g, data, 5), *whole = gpu_slice(x, 0, 3);
    refused(whole, "a <= b", "a comes before itself", "a = 3 (element 0)");
    refused(whole, "a != b", "b before a", "a = 3 (element 0), b = 1 (element 1)");
    refused(gpu_range(g, GPU_INT, 3), "(b - a + 3) % 3 == 1", "but a not before c", "a = 0 (element 0), b = 1");
    refused(x, "a < b", "a is not like c", "b = nan (element 3)");
    refused(gpu_range(g, GPU_LONG, 64000), "a <= b && a >= 63000", "itself", "a = 63000 (element 63000)");
    refused(gpu_fill(g, GPU_UCHAR2, (&(gpu_uchar2){1, 200}), 2), "1", "itself", "a = (1, 200) (element 0)");
    test_close(g);
}

Test(order, structs_and_functions)
{
    gpu *g = test_open();
    pair data[] = {{1, 2}, {2, 1}, {1, 1}, {2, 2}};
    gpu_array *x = gpu_array_from(g, GPU_TYPE(pair), data, 4);
    test_ok(gpu_check_order(x, by_both));
    test_fails(GPU_E_ARGUMENT, gpu_check_order(x, by_either));
    test_has(gpu_error(), "struct pair of bytes 01 00 00 00 02 00 00 00");
    test_close(g);
}

Test(order, wrong_arguments)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10);
    test_fails(GPU_E_SNIPPET, gpu_check_order(x, "a < nothing"));
    test_fails(GPU_E_SNIPPET, gpu_check_order(x, "(a < b"));
    test_fails(GPU_E_ARGUMENT, gpu_check_order(NULL, "a < b"));
    test_fails(GPU_E_RANGE, gpu_check_order(gpu_slice(x, 5, 6), "a < b"));
    test_ok(gpu_check_order(x, "a < b"));
    test_close(g);
}
