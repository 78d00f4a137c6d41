/* gpu_check_order and gpu_check_reduce: counter-examples to comparators and to operators. */
#include "support/support.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

GPU_STRUCT(pair, int major; int minor;);
GPU_FUNCTION(int, by_both, (pair p, pair q),
             { return p.major < q.major || (p.major == q.major && p.minor < q.minor); });
GPU_FUNCTION(int, by_either, (pair p, pair q), { return p.major < q.major || p.minor < q.minor; });

Test(order, accepts_comparators_that_are_orders)
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

Test(order, gives_a_counter_example_to_each_law)
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

Test(order, checks_comparators_of_structs)
{
    gpu *g = test_open();
    pair data[] = {{1, 2}, {2, 1}, {1, 1}, {2, 2}};
    gpu_array *x = gpu_array_from(g, GPU_TYPE(pair), data, 4);
    test_ok(gpu_check_order(x, by_both));
    test_fails(GPU_E_ARGUMENT, gpu_check_order(x, by_either));
    test_has(gpu_error(), "a = {major = 1, minor = 2} (element 0), b = {major = 2, minor = 1} (element 1)");
    test_close(g);
}

Test(order, refuses_wrong_snippets)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10);
    test_fails(GPU_E_SNIPPET, gpu_check_order(x, "a < nothing"));
    test_fails(GPU_E_SNIPPET, gpu_check_order(x, "(a < b"));
    test_ok(gpu_check_order(x, "a < b"));
    test_close(g);
}

Test(order, refuses_missing_arrays_and_arrays_in_error)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10);
    test_fails(GPU_E_ARGUMENT, gpu_check_order(NULL, "a < b"));
    test_fails(GPU_E_RANGE, gpu_check_order(gpu_slice(x, 5, 6), "a < b"));
    test_close(g);
}

/* ---- reductions ---- */

GPU_FUNCTION(float, add, (float a, float b), { return a + b; });
GPU_FUNCTION(int, minus, (int a, int b), { return a - b; });
GPU_FUNCTION(float, mean, (float a, float b), { return (a + b) / 2; });
GPU_FUNCTION(int, first, (int a, int b), { return b == b ? a : b; });
GPU_FUNCTION(uint32_t, add_modulo, (uint32_t a, uint32_t b, uint32_t m), { return (a + b) % m; });

/* x -> m x + c, one after the other: associative, not commutative. */
GPU_STRUCT(line, float m; float c;);
GPU_FUNCTION(line, then, (line a, line b), {
    line r;
    r.m = a.m * b.m;
    r.c = a.c * b.m + b.c;
    return r;
});
GPU_FUNCTION(line, then_wrong, (line a, line b), {
    line r;
    r.m = a.m * b.m;
    r.c = a.c * b.m - b.c;
    return r;
});

/* The bytes between kind and value belong to nobody. */
GPU_STRUCT(
    mixed, unsigned char kind; union {
        int value;
        short low;
    } u;
    gpu_float2 v; int list[2];);
GPU_FUNCTION(mixed, larger, (mixed a, mixed b), {
    mixed r;
    r.kind = a.kind > b.kind ? a.kind : b.kind;
    r.u.value = a.u.value > b.u.value ? a.u.value : b.u.value;
    r.v = a.v;
    r.list[0] = a.list[0] + b.list[0];
    r.list[1] = a.list[1] | b.list[1];
    return r;
});
GPU_FUNCTION(mixed, larger_wrong, (mixed a, mixed b), {
    mixed r;
    r.kind = a.kind > b.kind ? a.kind : b.kind;
    r.u.value = a.u.value > b.u.value ? a.u.value : b.u.value;
    r.v = a.v;
    r.list[0] = a.list[0] + b.list[0];
    r.list[1] = a.list[1] - b.list[1];
    return r;
});

/* The low half of the value follows the law, and the whole of it does not. */
GPU_FUNCTION(mixed, low_half, (mixed a, mixed b), {
    mixed r;
    r = a;
    r.u.value = a.u.value - b.u.value / 65536 * 65536;
    return r;
});

GPU_STRUCT(table, int entries[1024];);
GPU_FUNCTION(table, add_tables, (table a, table b), {
    table r;
    for (int k = 0; k < 1024; k++) r.entries[k] = a.entries[k] + b.entries[k];
    return r;
});

/* Every operation that a test makes of functions is made on both kinds of device. */
typedef void device_test(gpu *g);

static void on_both_sides(device_test *test)
{
    setenv("FIREPILE_SMALL", "0", 1); /* on the device what is the device's */
    gpu *devices[] = {test_open(), gpu_open("host")};
    for (int k = 0; k < 2; k++) {
        cr_assert(devices[k], "%s", gpu_error());
        test(devices[k]);
    }
    gpu_close(devices[1]);
    test_close(devices[0]);
}

#define lawless(a, law, ...)                                                                                           \
    do {                                                                                                               \
        test_fails(GPU_E_ARGUMENT, gpu_check_reduce(a, __VA_ARGS__));                                                  \
        test_has(gpu_error(), law);                                                                                    \
    } while (0)

/* Sums of these cancel down to their last bits. */
static void cancelling(float *data, size_t n)
{
    uint64_t state = 7;
    for (size_t k = 0; k < n; k++) {
        double size = pow(10, (double)(test_random(&state) % 9) - 3), x = (double)(test_random(&state) % 2001) - 1000;
        data[k] = (float)(size * x / 7);
    }
}

static void lawful_operators(gpu *g)
{
    enum { N = 1000 };
    float data[N], odd[] = {NAN, 1, -0.0f, 0, INFINITY, 2, NAN};
    uint32_t m = 97;
    gpu_float3 tenth = {.x = 0.1f, .y = -7};
    cancelling(data, N);
    gpu_array *x = gpu_array_of(g, data, N), *n = gpu_range(g, GPU_INT, 100000);
    test_ok(gpu_check_reduce(x, "a + b"));
    test_ok(gpu_check_reduce(x, add));
    test_ok(gpu_check_reduce(x, add, GPU_COMMUTATIVE));
    test_ok(gpu_check_reduce(x, "fmin(a, b)"));
    test_ok(gpu_check_reduce(gpu_array_of(g, odd, 7), "a + b"));
    test_ok(gpu_check_reduce(gpu_array_of(g, odd, 7), "fmax(a, b)"));
    test_ok(gpu_check_reduce(gpu_slice(x, 3, 1), add));
    test_ok(gpu_check_reduce(gpu_slice(x, 3, 65), add));
    test_ok(gpu_check_reduce(n, "a + b"));
    test_ok(gpu_check_reduce(n, "a * b", GPU_COMMUTATIVE));
    test_ok(gpu_check_reduce(n, first));
    test_ok(gpu_check_reduce(gpu_range(g, GPU_UINT, 90), add_modulo, GPU_ARG(m), GPU_COMMUTATIVE));
    test_ok(gpu_check_reduce(gpu_range(g, GPU_INT, 0), minus));
    test_ok(gpu_check_reduce(gpu_fill(g, GPU_DOUBLE, &(double){0.1}, 3), "a + b"));
    test_ok(gpu_check_reduce(gpu_fill(g, GPU_FLOAT3, &tenth, 9), "a + b"));
}

static void lawless_operators(gpu *g)
{
    float data[] = {3, 1, 2}, large[] = {-3e38f, 3e38f}, small[] = {1e-30f, 1, 1e30f};
    int numbers[] = {3, 1, 2};
    gpu_array *x = gpu_array_of(g, data, 3), *n = gpu_array_of(g, numbers, 3), *r = gpu_range(g, GPU_INT, 64000);
    lawless(n, "gpu_check_reduce: the operator is not associative: ", minus);
    test_has(gpu_error(), "a = 3 (element 0), b = 3 (element 0), c = 3 (element 0); op(op(a, b), c) is -3, and "
                          "op(a, op(b, c)) is 3");
    test_has(gpu_error(), "test_law.c");
    lawless(x, "op(op(a, b), c) is 2, and op(a, op(b, c)) is 2.5", mean);
    test_has(gpu_error(), "a = 3 (element 0), b = 3 (element 0), c = 1 (element 1)");
    lawless(r, "a = 0 (element 0), b = 0 (element 0), c = 1000 (element 1000)", minus);
    lawless(gpu_array_of(g, large, 2), "op(op(a, b), c) is -inf, and op(a, op(b, c)) is -3.00000001e+38", "a + b");
    lawless(gpu_array_of(g, small, 3), "and op(a, op(b, c)) is inf", "a * b");
    lawless(n,
            "the operator does not commute, as GPU_COMMUTATIVE says it does: a = 3 (element 0), b = 1 (element 1); "
            "op(a, b) is 3, and op(b, a) is 1",
            first, GPU_COMMUTATIVE);
}

static void lines_in_a_row(gpu *g)
{
    line lines[] = {{2, 3}, {-1, 0.3f}, {0.7f, -1e6f}, {1.1f, 1e6f}};
    gpu_array *x = gpu_array_from(g, GPU_TYPE(line), lines, 4);
    test_ok(gpu_check_reduce(x, then));
    lawless(x, "a = {m = 2, c = 3} (element 0), b = {m = 2, c = 3} (element 0)", then_wrong);
    lawless(x, "op(a, b) is {m = -2, c = -2.70000005}, and op(b, a) is {m = -2, c = 3.5999999}", then, GPU_COMMUTATIVE);
}

static void mixed_members(gpu *g)
{
    static mixed all[70];
    for (int k = 0; k < 70; k++)
        all[k] = (mixed){.kind = (unsigned char)k, .u.value = 65536 * k + 3, .v = {1.5f, -1}, .list = {k, 1}};
    gpu_array *y = gpu_array_from(g, GPU_TYPE(mixed), all, 70);
    test_ok(gpu_check_reduce(y, larger));
    test_ok(gpu_check_reduce(y, low_half));
    lawless(y, "a = {kind = 0, u = {value = 3, low = 3}, v = (1.5, -1), list = {0, 1}} (element 0)", larger_wrong);
}

static void large_tables(gpu *g)
{
    static table tables[20];
    for (int k = 0; k < 20; k++)
        for (int i = 0; i < 1024; i++) tables[k].entries[i] = k * i;
    gpu_array *z = gpu_array_from(g, GPU_TYPE(table), tables, 20);
    test_ok(gpu_check_reduce(z, add_tables, GPU_COMMUTATIVE));
}

Test(reduction, accepts_functions_that_are_associative)
{
    on_both_sides(lawful_operators);
}

Test(reduction, gives_a_counter_example_to_each_law)
{
    on_both_sides(lawless_operators);
}

Test(reduction, checks_operators_of_small_structs)
{
    on_both_sides(lines_in_a_row);
}

Test(reduction, checks_operators_of_structs_with_every_kind_of_member)
{
    on_both_sides(mixed_members);
}

Test(reduction, checks_operators_of_structs_of_4096_bytes)
{
    on_both_sides(large_tables);
}

Test(reduction, accepts_snippets_that_are_associative)
{
    gpu *g = test_open();
    float data[100];
    cancelling(data, 100);
    gpu_array *x = gpu_array_of(g, data, 100), *r = gpu_range(g, GPU_INT, 100), *table = gpu_range(g, GPU_INT, 4);
    test_ok(gpu_check_reduce(gpu_map(x, "fabs(x)"), "sqrt(a * a + b * b)", GPU_COMMUTATIVE));
    test_ok(gpu_check_reduce(gpu_filter(r, "x % 7 == 0"), "{ const int t = a | b; return t; }"));
    test_ok(gpu_check_reduce(r, "max(a, b + table[0])", GPU_ARG(table)));
    test_ok(gpu_check_reduce(gpu_map_to(x, GPU_DOUBLE, "x"), "a + b"));
    test_close(g);
}

Test(reduction, gives_a_counter_example_to_a_snippet)
{
    gpu *g = test_open();
    float data[100], by = 2;
    cancelling(data, 100);
    gpu_array *x = gpu_array_of(g, data, 100), *r = gpu_range(g, GPU_INT, 100);
    lawless(x, "is not associative", "a + by * b", GPU_ARG(by));
    lawless(r, "a = 1 (element 1), b = 0 (element 0), c = 0 (element 0)", "abs(a - b) + a");
    test_close(g);
}

Test(reduction, an_operator_that_was_checked_is_still_none_of_a_map)
{
    gpu *g = test_open();
    gpu_array *r = gpu_range(g, GPU_INT, 100);
    test_ok(gpu_check_reduce(r, "a + b"));
    test_array_fails(GPU_E_SNIPPET, gpu_map2(r, gpu_reverse(r), "a + b"));
    int sum;
    test_ok(gpu_reduce(r, "a + b", &sum));
    test_close(g);
}

Test(reduction, refuses_wrong_operators)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10);
    test_fails(GPU_E_SNIPPET, gpu_check_reduce(x, "a + nothing"));
    test_caret(gpu_error(), "a + nothing", 4);
    test_fails(GPU_E_SNIPPET, gpu_check_reduce(x, "a + b + i"));
    test_fails(GPU_E_SNIPPET, gpu_check_reduce(x, "(a + b"));
    test_fails(GPU_E_ARGUMENT, gpu_check_reduce(x, add_modulo));
    test_has(gpu_error(), "capture a value of that name with GPU_ARG(m)");
    test_close(g);
}

Test(reduction, refuses_missing_arguments_and_arrays_in_error)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10);
    test_fails(GPU_E_ARGUMENT, gpu_check_reduce(NULL, "a + b"));
    test_fails(GPU_E_ARGUMENT, gpu_check_reduce_op(x, NULL));
    test_fails(GPU_E_RANGE, gpu_check_reduce(gpu_slice(x, 5, 6), "a + b"));
    test_fails(GPU_E_RANGE, gpu_check_reduce(gpu_gather(x, gpu_map(x, "x + 1")), "a + b"));
    test_close(g);
}

Test(reduction, says_which_operator_does_not_run_on_the_host)
{
    gpu *host = gpu_open("host");
    gpu_array *h = gpu_range(host, GPU_INT, 10);
    test_fails(GPU_E_SNIPPET, gpu_check_reduce(h, "abs(a - b)"));
    test_has(gpu_error(), "the operator \"abs(a - b)\" does not run on the host");
    test_fails(GPU_E_TYPE, gpu_check_reduce(h, then));
    test_close(host);
}

/* Each allocation made to fail in turn: a failure, or what was found where it was not needed, and nothing is left
 * over. */
Test(reduction, survives_each_allocation_that_fails)
{
    line lines[] = {{2, 3}, {-1, 0.25f}, {1, 1}};
    int failures = 0;
    for (unsigned long k = 1; k <= 100; k++) {
        gpu *g = gpu_open("host");
        gpu_array *x = gpu_array_from(g, GPU_TYPE(line), lines, 3);
        fp_memory_fail_at(k);
        gpu_status status = gpu_check_reduce(x, then_wrong);
        fp_memory_fail_at(0);
        failures += status == GPU_E_MEMORY;
        if (status != GPU_E_MEMORY) test_has(gpu_error(), "is not associative");
        gpu_close(g);
        test_nothing_lives("after a check");
    }
    cr_assert(failures > 10 && failures < 100, "%d failures", failures);
}
