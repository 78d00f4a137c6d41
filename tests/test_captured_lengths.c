/* NAME_length: the number of elements of a captured array. */
#include "support/support.h"

GPU_FUNCTION(int, cyclic, (int x, GPU_GLOBAL const int *table, uint64_t table_length),
             { return x + table[(uint64_t)x % table_length]; });
GPU_FUNCTION(int, sized, (int x, size_t table_length), { return x + (int)table_length; });
GPU_FUNCTION(int, sized_by_int, (int x, int table_length), { return x + table_length; });
GPU_FUNCTION(int, is_below, (int x, int most), { return x < most; });
GPU_FUNCTION(int, up_to_length, (int a, int b, GPU_GLOBAL const int *table, size_t table_length), {
    int sum = a + b + 0 * table[0];
    return sum < (int)table_length ? sum : (int)table_length;
});
GPU_CONSTANT(other_length, 40);

static const int five[] = {10, 20, 30, 40, 50}, seven[] = {0, 1, 2, 3, 4, 5, 6};

Test(captured_lengths, in_a_text)
{
    gpu *g = test_open();
    gpu_array *table = gpu_array_of(g, five, 5), *x = gpu_array_of(g, seven, 7);
    test_holds("a table", gpu_map(x, "table[x % table_length] + (int)table_length", GPU_ARG(table)), GPU_INT, 7,
               (int[]){15, 25, 35, 45, 55, 15, 25});
    test_close(g);
}

Test(captured_lengths, is_there_when_no_element_is_read)
{
    gpu *g = test_open();
    gpu_array *table = gpu_array_of(g, five, 5), *x = gpu_array_of(g, seven, 2);
    test_holds("no element is read", gpu_map(x, "x + (int)table_length", GPU_ARG(table)), GPU_INT, 2, (int[]){5, 6});
    test_holds("in a function", gpu_map(x, sized, GPU_ARG(table)), GPU_INT, 2, (int[]){5, 6});
    test_close(g);
}

/* A warm call takes what the text did with its captures before, if they have the same names. */
Test(captured_lengths, of_other_captures_of_the_same_text)
{
    gpu *g = test_open();
    static const char text[] = "x + table[0] + (int)table_length";
    int unused = 1;
    gpu_array *table = gpu_array_of(g, five, 5), *x = gpu_array_of(g, seven, 2);
    const int want[] = {five[0] + 5, five[0] + 6};
    test_holds("alone", gpu_map(x, text, GPU_ARG(table)), GPU_INT, 2, want);
    test_holds("in second place", gpu_map(x, text, GPU_ARG(unused), GPU_ARG(table)), GPU_INT, 2, want);
    test_holds("in first place", gpu_map(x, text, GPU_ARG(table), GPU_ARG(unused)), GPU_INT, 2, want);
    test_fails(GPU_E_ARGUMENT, gpu_array_status(gpu_map(x, text, GPU_ARG(table), GPU_ARG(table))));
    test_holds("after a failure", gpu_map(x, text, GPU_ARG(table)), GPU_INT, 2, want);
    test_close(g);
}

Test(captured_lengths, in_a_function)
{
    gpu *g = test_open();
    gpu_array *table = gpu_array_of(g, five, 5), *x = gpu_array_of(g, seven, 7);
    test_holds("a table", gpu_map(x, cyclic, GPU_ARG(table)), GPU_INT, 7, (int[]){10, 21, 32, 43, 54, 15, 26});
    test_close(g);
}

Test(captured_lengths, in_a_reduction)
{
    gpu *g = test_open();
    gpu_array *table = gpu_array_of(g, five, 5), *x = gpu_array_of(g, seven, 7);
    int sum;
    test_ok(gpu_reduce(x, up_to_length, &sum, GPU_ARG(table)));
    cr_assert(sum == 5, "%d", sum);
    test_close(g);
}

/* The first counter of a gpu is a wait. */
Test(captured_lengths, that_the_device_knows)
{
    gpu *g = test_open();
    gpu_array *x = gpu_array_of(g, seven, 7);
    uint64_t waits = 0;
    for (int most = 1; most <= 7; most++) {
        gpu_array *table = gpu_filter(x, is_below, GPU_ARG(most));
        gpu_array *got = gpu_eval(gpu_map(x, cyclic, GPU_ARG(table)));
        if (most == 1) waits = test_stats(g).waits;
        cr_assert(test_verifies() || test_stats(g).waits == waits, "it waits");
        int want[7];
        for (int k = 0; k < 7; k++) want[k] = k + k % most;
        test_holds("kept", got, GPU_INT, 7, want);
        waits = test_stats(g).waits;
    }
    test_close(g);
}

Test(captured_lengths, of_an_empty_array)
{
    gpu *g = test_open();
    gpu_array *table = gpu_array_of(g, five, 0), *x = gpu_array_of(g, seven, 2);
    test_holds("no elements", gpu_map(x, sized, GPU_ARG(table)), GPU_INT, 2, seven);
    test_close(g);
}

/* A single value becomes an argument of the kernel; its length is 1. */
Test(captured_lengths, of_a_single_value)
{
    gpu *g = test_open();
    gpu_array *table = gpu_fill(g, GPU_INT, &(int){9}, 1), *x = gpu_array_of(g, seven, 2);
    test_holds("one", gpu_map(x, "table[0] + 100 * (int)table_length + x", GPU_ARG(table)), GPU_INT, 2,
               (int[]){109, 110});
    test_close(g);
}

Test(captured_lengths, in_a_compiled_function)
{
    gpu *g = test_open();
    gpu_array *x = gpu_symbol(g, GPU_INT), *table = gpu_symbol(g, GPU_INT), *result;
    gpu_status (*look_up)(gpu_array * *out, const gpu_array *x, const gpu_array *table) = NULL;
    test_ok(gpu_compile(&look_up, gpu_map(x, cyclic, GPU_ARG(table)), x, table));
    for (size_t n = 1; n <= 5; n++) {
        int want[7];
        for (int k = 0; k < 7; k++) want[k] = k + five[(size_t)k % n];
        test_ok(look_up(&result, gpu_array_of(g, seven, 7), gpu_array_of(g, five, n)));
        test_holds("compiled", result, GPU_INT, 7, want);
    }
    test_close(g);
}

Test(captured_lengths, the_users_own_name_wins)
{
    gpu *g = test_open();
    gpu_array *table = gpu_array_of(g, five, 5), *x = gpu_array_of(g, seven, 2), *other = table;
    const int table_length = 2;
    test_holds("a capture", gpu_map(x, "x + (int)table_length", GPU_ARG(table), GPU_ARG(table_length)), GPU_INT, 2,
               (int[]){2, 3});
    test_holds("a variable",
               gpu_map(x, "{ int table_length = 3; return x + table_length + 0 * table[0]; }", GPU_ARG(table)), GPU_INT,
               2, (int[]){3, 4});
    test_holds("a constant", gpu_map(x, "x + other_length + 0 * other[0]", GPU_ARG(other)), GPU_INT, 2,
               (int[]){40, 41});
    test_close(g);
}

Test(captured_lengths, types_that_do_not_hold_it)
{
    gpu *g = test_open();
    gpu_array *table = gpu_array_of(g, five, 5), *x = gpu_array_of(g, seven, 2);
    test_array_fails(GPU_E_TYPE, gpu_map(x, sized_by_int, GPU_ARG(table)));
    test_has(gpu_error(), "int does not hold all values of ulong; declare it as ulong table_length");
    test_close(g);
}

Test(captured_lengths, names_without_an_array)
{
    gpu *g = test_open();
    gpu_array *x = gpu_array_of(g, seven, 2);
    const int table = 1;
    test_array_fails(GPU_E_SNIPPET, gpu_map(x, "x + table + (int)table_length", GPU_ARG(table)));
    test_has(gpu_error(), "table_length");
    test_array_fails(GPU_E_ARGUMENT, gpu_map(x, sized));
    test_has(gpu_error(), "has a parameter 'table_length' that is no operand");
    test_close(g);
}
