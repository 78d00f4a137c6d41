/* Captured values: GPU_ARG and GPU_ARG_AS. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

GPU_STRUCT(line, float slope; float offset;);
GPU_STRUCT(table_100, float v[100];);
GPU_STRUCT(table_2000, float v[2000];);
GPU_STRUCT(table_4000, float v[4000];);
GPU_FUNCTION(float, looked_up, (float x, table_2000 t), { return x + t.v[(int)x]; });
GPU_FUNCTION(int, clipped, (int x, int low, int high), { return x < low ? low : x > high ? high : x; });
GPU_FUNCTION(int, needs_more, (int x, int missing), { return x + missing; });
GPU_FUNCTION(int, far_index, (int x, int step, unsigned long i), { return x * step + (int)i; });
GPU_FUNCTION(float, fetched, (GPU_GLOBAL const line *lines, int k), { return lines[k].offset; });
GPU_FUNCTION(float, from_tables, (int x, GPU_GLOBAL const float *table, GPU_GLOBAL const line *const lines),
             { return table[x % 5] + fetched(lines, x % 2); });
GPU_FUNCTION(int, capped, (int a, int b, GPU_GLOBAL const int *most), {
    int sum = a + b;
    return sum < most[0] ? sum : most[0];
});
GPU_FUNCTION(int, add_index, (int p, int q, unsigned long i), { return p + q + (int)i; });

Test(capture, takes_scalars_of_every_type)
{
    gpu *g = test_open();
    char c = -3;
    signed char sc = -5;
    unsigned char uc = 250;
    short s = -30000;
    unsigned short us = 60000;
    int i32 = INT32_MIN;
    unsigned u32 = UINT32_MAX;
    long l = INT64_MIN;
    unsigned long ul = UINT64_MAX;
    long long ll = INT64_MAX;
    float f = 0.1f;
    double d = 0.1;
    const int fixed = 77;
    int right = 0;
    gpu_array *one = gpu_range(g, GPU_INT, 1);
    gpu_array *a =
        gpu_map(one,
                "(c == -3) + (sc == -5) + (uc == 250) + (s == -30000) + (us == 60000) + (i32 == (-2147483647 - 1)) "
                "+ (u32 == 4294967295u) + (l == (-9223372036854775807L - 1)) + (ul == 18446744073709551615UL) "
                "+ (ll == 9223372036854775807L) + (as_uint(f) == 0x3dcccccdu) "
                "+ (as_ulong(d) == 0x3fb999999999999aUL) + (fixed == 77)",
                GPU_ARG(c), GPU_ARG(sc), GPU_ARG(uc), GPU_ARG(s), GPU_ARG(us), GPU_ARG(i32), GPU_ARG(u32), GPU_ARG(l),
                GPU_ARG(ul), GPU_ARG(ll), GPU_ARG(f), GPU_ARG(d), GPU_ARG(fixed));
    test_ok(gpu_read(a, &right));
    cr_assert_eq(right, 13, "only %d of 13 captured values arrived", right);
    test_close(g);
}

/* The device computes, so that kernels are looked up. One gpu and one text: a kernel of another capture would take its
 * bits for what it expects. */
static gpu_array *two_on_device(gpu **g, gpu_type type)
{
    setenv("FIREPILE_SMALL", "0", 1);
    *g = test_open();
    return gpu_eval(gpu_range(*g, type, 2));
}

Test(capture, one_text_takes_values_of_several_types_by_one_name)
{
    gpu *g;
    gpu_array *x = two_on_device(&g, GPU_FLOAT);
    const int whole = 3;
    const float half = 0.5f;
    const unsigned top = UINT32_MAX;
    test_holds("an int", gpu_map(x, "x + k", GPU_ARG_AS(k, GPU_INT, whole)), GPU_FLOAT, 2, (float[]){3, 4});
    test_holds("a float", gpu_map(x, "x + k", GPU_ARG_AS(k, GPU_FLOAT, half)), GPU_FLOAT, 2, (float[]){0.5f, 1.5f});
    test_holds("a uint", gpu_map(x, "x + k", GPU_ARG_AS(k, GPU_UINT, top)), GPU_FLOAT, 2,
               (float[]){4294967296.0f, 4294967296.0f});
    test_close(g);
}

Test(capture, one_text_takes_arrays_of_several_types_by_one_name)
{
    gpu *g;
    gpu_array *x = two_on_device(&g, GPU_INT), *table = gpu_eval(gpu_range(g, GPU_FLOAT, 2));
    test_holds("floats", gpu_map(x, "x + table[i]", GPU_ARG(table)), GPU_INT, 2, (int[]){0, 2});
    table = gpu_eval(gpu_range(g, GPU_SHORT, 2));
    test_holds("shorts", gpu_map(x, "x + table[i]", GPU_ARG(table)), GPU_INT, 2, (int[]){0, 2});
    test_close(g);
}

Test(capture, one_text_takes_its_values_in_any_order)
{
    gpu *g;
    gpu_array *x = two_on_device(&g, GPU_INT);
    const int p = 30, q = 4;
    test_holds("p, q", gpu_map(x, "x + p - q", GPU_ARG(p), GPU_ARG(q)), GPU_INT, 2, (int[]){26, 27});
    test_holds("q, p", gpu_map(x, "x + p - q", GPU_ARG(q), GPU_ARG(p)), GPU_INT, 2, (int[]){26, 27});
    test_close(g);
}

/* An array of one value is an argument of the kernel, others are buffers. */
Test(capture, one_text_takes_one_value_and_a_table)
{
    gpu *g;
    gpu_array *x = two_on_device(&g, GPU_INT), *table = gpu_fill(g, GPU_INT, &(int){30}, 1);
    test_holds("a value", gpu_map(x, "x + table[0]", GPU_ARG(table)), GPU_INT, 2, (int[]){30, 31});
    table = gpu_eval(gpu_map(x, "x + 4"));
    test_holds("a table", gpu_map(x, "x + table[0]", GPU_ARG(table)), GPU_INT, 2, (int[]){4, 5});
    test_close(g);
}

Test(capture, takes_vectors_and_bool)
{
    gpu *g = test_open();
    gpu_float4 v = {1, 2, 3, 4};
    gpu_int2 p = {-5, 6};
    gpu_uchar3 t = {7, 8, 9, 0};
    bool yes = true, no = false;
    float got = 0;
    gpu_array *one = gpu_range(g, GPU_FLOAT, 1);
    test_ok(gpu_read(gpu_map(one, "v.x + 10 * v.w + 100 * p.y + 1000 * t.z + 10000 * (yes && !no)", GPU_ARG(v),
                             GPU_ARG(p), GPU_ARG(t), GPU_ARG(yes), GPU_ARG(no)),
                     &got));
    cr_assert_eq(got, 19641, "%g", (double)got);
    test_close(g);
}

Test(capture, adds_a_captured_vector_to_vectors)
{
    gpu *g = test_open();
    gpu_float4 v = {1, 2, 3, 4}, want = {11, 12, 13, 14};
    gpu_array *tens = gpu_fill(g, GPU_FLOAT4, (&(gpu_float4){10, 10, 10, 10}), 1);
    test_holds("x + v", gpu_map(tens, "x + v", GPU_ARG(v)), GPU_FLOAT4, 1, &want);
    test_close(g);
}

Test(capture, binds_values_when_the_call_is_made)
{
    gpu *g = test_open();
    int k = 5, got[3], numbers[] = {10, 20, 30};
    gpu_array *table = gpu_array_of(g, numbers, 3);
    line l = {2, 3};
    gpu_array *y = gpu_map(gpu_range(g, GPU_INT, 3), "x * k + table[x] + (int)l.slope", GPU_ARG(k), GPU_ARG(table),
                           GPU_ARG_AS(l, GPU_TYPE(line), l));
    k = 1000;
    l.slope = 1000;
    numbers[1] = 1000;
    table = NULL;
    test_ok(gpu_read(y, got));
    cr_assert(got[0] == 12 && got[1] == 27 && got[2] == 42, "%d %d %d", got[0], got[1], got[2]);
    test_close(g);
}

Test(capture, takes_delayed_and_sliced_arrays)
{
    gpu *g = test_open();
    enum { N = 100 };
    int got[N];
    gpu_array *x = gpu_range(g, GPU_INT, N);
    gpu_array *squares = gpu_map(x, "x * x"), *part = gpu_slice(squares, 3, 50), *deep = gpu_slice(part, 1, 10);
    gpu_array *evaluated = gpu_slice(gpu_eval(gpu_range(g, GPU_SHORT, N)), 5, 20);
    gpu_array *y = gpu_map(x, "squares[i] + 10 * part[i % 50] + 100 * deep[i % 10] + evaluated[x % 20]",
                           GPU_ARG(squares), GPU_ARG(part), GPU_ARG(deep), GPU_ARG(evaluated));
    gpu_array_free(squares);
    gpu_array_free(part);
    gpu_array_free(evaluated);
    test_ok(gpu_read(y, got));
    for (int i = 0; i < N; i++) {
        int p = i % 50 + 3, d = i % 10 + 4, want = i * i + 10 * p * p + 100 * d * d + i % 20 + 5;
        cr_assert_eq(got[i], want, "element %d: %d, wanted %d", i, got[i], want);
    }
    test_close(g);
}

Test(capture, takes_the_mapped_array_itself)
{
    gpu *g = test_open();
    int got[100];
    gpu_array *x = gpu_range(g, GPU_INT, 100);
    const gpu_array *itself = x; /* through a pointer to const */
    test_ok(gpu_read(gpu_map(x, "itself[99 - i]", GPU_ARG(itself)), got));
    for (int i = 0; i < 100; i++) cr_assert_eq(got[i], 99 - i);
    test_close(g);
}

Test(capture, takes_an_empty_array_that_nobody_reads)
{
    gpu *g = test_open();
    int got[100];
    gpu_array *x = gpu_range(g, GPU_INT, 100), *none = gpu_slice(x, 4, 0);
    test_ok(gpu_read(gpu_map(x, "x < 0 ? none[0] : 7", GPU_ARG(none)), got));
    cr_assert_eq(got[99], 7);
    test_close(g);
}

Test(capture, takes_structs_of_8_and_400_bytes)
{
    gpu *g = test_open();
    enum { N = 500 };
    float got[N];
    line l = {2, 0.5f};
    table_100 t;
    for (int k = 0; k < 100; k++) t.v[k] = (float)k;
    gpu_array *x = gpu_range(g, GPU_FLOAT, N);
    test_ok(gpu_read(gpu_map(x, "x * l.slope + l.offset", GPU_ARG_AS(l, GPU_TYPE(line), l)), got));
    for (int i = 0; i < N; i++) cr_assert_eq(got[i], (float)i * 2 + 0.5f);
    gpu_array *y = gpu_map(x, "x + t.v[i % 100]", GPU_ARG_AS(t, GPU_TYPE(table_100), t));
    memset(&t, 0, sizeof t);
    test_ok(gpu_read(y, got));
    for (int i = 0; i < N; i++) cr_assert_eq(got[i], (float)(i + i % 100), "element %d: %g", i, (double)got[i]);
    test_close(g);
}

Test(capture, takes_arrays_of_structs)
{
    gpu *g = test_open();
    enum { N = 500 };
    float got[N];
    line lines[] = {{1, 2}, {3, 4}};
    gpu_array *x = gpu_range(g, GPU_FLOAT, N), *many = gpu_array_from(g, GPU_TYPE(line), lines, 2);
    test_ok(gpu_read(gpu_map(x, "x * many[i % 2].slope + many[i % 2].offset", GPU_ARG(many)), got));
    for (int i = 0; i < N; i++) cr_assert_eq(got[i], (float)i * lines[i % 2].slope + lines[i % 2].offset);
    test_close(g);
}

Test(capture, takes_structs_larger_than_the_arguments_of_a_kernel)
{
    gpu *g = test_open();
    enum { N = 500 };
    float got[N];
    static table_4000 u;
    for (int k = 0; k < 4000; k++) u.v[k] = (float)(4000 - k);
    gpu_array *y = gpu_map(gpu_range(g, GPU_FLOAT, N), "x + u.v[7 * i]", GPU_ARG_AS(u, GPU_TYPE(table_4000), u));
    memset(&u, 0, sizeof u);
    test_ok(gpu_read(y, got));
    for (int i = 0; i < N; i++) cr_assert_eq(got[i], (float)(4000 - 6 * i), "element %d: %g", i, (double)got[i]);
    test_close(g);
}

static void fill_digits(table_2000 *t)
{
    for (int k = 0; k < 2000; k++) t->v[k] = (float)(k % 10);
}

Test(capture, passes_large_structs_to_functions)
{
    gpu *g = test_open();
    enum { N = 500 };
    float got[N];
    static table_2000 t;
    fill_digits(&t);
    test_ok(gpu_read(gpu_map(gpu_range(g, GPU_FLOAT, N), looked_up, GPU_ARG_AS(t, GPU_TYPE(table_2000), t)), got));
    for (int i = 0; i < N; i++) cr_assert_eq(got[i], (float)(i + i % 10), "element %d: %g", i, (double)got[i]);
    test_close(g);
}

Test(capture, a_reduction_reads_a_large_struct)
{
    gpu *g = test_open();
    float sum;
    static table_2000 t;
    fill_digits(&t);
    gpu_array *x = gpu_range(g, GPU_FLOAT, 500);
    test_ok(gpu_reduce(x, "a + b * t.v[1991]", &sum, GPU_ARG_AS(t, GPU_TYPE(table_2000), t)));
    cr_assert_eq(sum, 124750, "%g", (double)sum);
    test_close(g);
}

Test(capture, takes_a_value_under_another_name)
{
    gpu *g = test_open();
    const struct {
        float step;
        gpu_array *table;
    } options = {0.5f, gpu_range(g, GPU_FLOAT, 3)};
    gpu_array *y = gpu_map(gpu_range(g, GPU_FLOAT, 3), "x * h + t[2 - i]", GPU_ARG_NAMED(h, options.step),
                           GPU_ARG_NAMED(t, options.table));
    test_holds("a scalar and an array", y, GPU_FLOAT, 3, (float[]){2, 1.5f, 1});
    test_close(g);
}

Test(capture, takes_names_that_kernels_use_too)
{
    gpu *g = test_open();
    int n = 1, idx = 2, lid = 3, gid = 4, out = 5, size = 6, in = 7, acc = 8, T = 9, result = 10, value = 11,
        index = 12, length = 13, first = 14, count = 15, p = 16, f = 17, _ = 18, xx = 19;
    int got = 0;
    gpu_array *one = gpu_range(g, GPU_INT, 1);
    test_ok(gpu_read(
        gpu_map(one,
                "x + n + idx + lid + gid + out + size + in + acc + T + result + value + index + length + first "
                "+ count + p + f + _ + xx",
                GPU_ARG(n), GPU_ARG(idx), GPU_ARG(lid), GPU_ARG(gid), GPU_ARG(out), GPU_ARG(size), GPU_ARG(in),
                GPU_ARG(acc), GPU_ARG(T), GPU_ARG(result), GPU_ARG(value), GPU_ARG(index), GPU_ARG(length),
                GPU_ARG(first), GPU_ARG(count), GPU_ARG(p), GPU_ARG(f), GPU_ARG(_), GPU_ARG(xx)),
        &got));
    cr_assert_eq(got, 190, "%d", got);
    test_close(g);
}

Test(capture, reductions_and_folds_read_captured_values)
{
    gpu *g = test_open();
    int k = 3, low = 10, high = 20, out, both[2], blocks[10];
    gpu_array *x = gpu_range(g, GPU_INT, 100);
    gpu_array *table = gpu_map(x, "x + 1");
    test_ok(gpu_reduce(x, "a + b + 0 * k", &out, GPU_ARG(k)));
    cr_assert_eq(out, 4950);
    test_ok(gpu_reduce(x, "max(a, b) + table[0] - 1", &out, GPU_ARG(table)));
    cr_assert_eq(out, 99);
    test_ok(gpu_fold(x, &(int){1000}, "min(max(a, b), high)", &out, GPU_ARG(high)));
    cr_assert_eq(out, 20);
    test_ok(gpu_read(gpu_reduced(x, "min(max(a, b), high)", GPU_ARG(high)), &out));
    cr_assert_eq(out, 20);
    test_ok(gpu_read(gpu_block_reduce(x, 10, "max(a, b) * (k - 2)", GPU_ARG(k)), blocks));
    cr_assert_eq(blocks[9], 99);
    test_ok(gpu_reduce_all(x, "min(max(a, b), high)", &both[0], "max(min(a, b), low)", &both[1], GPU_ARG(high),
                           GPU_ARG(low)));
    cr_assert(both[0] == 20 && both[1] == 10, "%d %d", both[0], both[1]);
    test_close(g);
}

Test(capture, predicates_read_captured_values)
{
    gpu *g = test_open();
    int k = 3, low = 10;
    size_t count;
    bool any, all;
    gpu_array *x = gpu_range(g, GPU_INT, 100), *table = gpu_map(x, "x + 1");
    test_ok(gpu_count(x, "x > low && x < table[k]", &count, GPU_ARG(low), GPU_ARG(table), GPU_ARG(k)));
    cr_assert_eq(count, 0);
    test_ok(gpu_any(x, "x == k", &any, GPU_ARG(k)));
    test_ok(gpu_all(x, "x < table[i]", &all, GPU_ARG(table)));
    cr_assert(any && all);
    test_close(g);
}

Test(capture, passes_values_to_parameters_by_name_in_any_order)
{
    gpu *g = test_open();
    int k = 3, low = 10, high = 20, got[100];
    gpu_array *x = gpu_range(g, GPU_INT, 100);
    test_ok(gpu_read(gpu_map(x, clipped, GPU_ARG(high), GPU_ARG(low)), got));
    cr_assert(got[0] == 10 && got[15] == 15 && got[99] == 20, "%d %d %d", got[0], got[15], got[99]);
    test_ok(gpu_read(gpu_map(x, far_index, GPU_ARG_AS(step, GPU_INT, k)), got));
    cr_assert_eq(got[50], 200);
    test_close(g);
}

Test(capture, passes_arrays_to_functions)
{
    gpu *g = test_open();
    enum { N = 500 };
    float numbers[] = {0.5f, 1, 2, 4, 8, 16}, want[N];
    line two[] = {{1, 100}, {3, 200}};
    int limit = 1000, sum, sums[4] = {0};
    gpu_array *x = gpu_range(g, GPU_INT, N), *table = gpu_slice(gpu_array_of(g, numbers, 6), 1, 5);
    gpu_array *lines = gpu_array_from(g, GPU_TYPE(line), two, 2), *most = gpu_array_of(g, &limit, 1);
    for (int i = 0; i < N; i++) want[i] = numbers[1 + i % 5] + two[i % 2].offset;
    test_holds("map", gpu_map_to(x, GPU_FLOAT, from_tables, GPU_ARG(table), GPU_ARG(lines)), GPU_FLOAT, N, want);
    test_ok(gpu_reduce(x, capped, &sum, GPU_ARG(most)));
    cr_assert_eq(sum, 1000);
    test_ok(gpu_read(gpu_scan(gpu_slice(x, 300, 4), capped, GPU_ARG(most)), sums));
    cr_assert(sums[2] == 903 && sums[3] == 1000, "%d %d", sums[2], sums[3]);
    test_close(g);
}

#define REFUSED_AS(name)                                                                                               \
    do {                                                                                                               \
        gpu_array *made = gpu_map(x, "x", GPU_ARG_AS(name, GPU_FLOAT, k));                                             \
        cr_assert_eq(gpu_array_status(made), GPU_E_ARGUMENT, "a capture named " #name ": %s",                          \
                     gpu_status_name(gpu_array_status(made)));                                                         \
        test_has(gpu_array_error(made), #name);                                                                        \
    } while (0)

Test(capture, refuses_names_that_are_taken)
{
    gpu *g = test_open();
    float k = 1, out = 77;
    gpu_array *x = gpu_range(g, GPU_FLOAT, 10);
    REFUSED_AS(x);
    REFUSED_AS(i);
    REFUSED_AS(fp_k);
    REFUSED_AS(FP_K);
    REFUSED_AS(float);
    REFUSED_AS(if);
    REFUSED_AS(kernel);
    REFUSED_AS(__global);
    REFUSED_AS(uint4);
    REFUSED_AS(return );
    test_fails(GPU_E_ARGUMENT, gpu_reduce(x, "a + b", &out, GPU_ARG_AS(a, GPU_FLOAT, k)));
    test_fails(GPU_E_ARGUMENT, gpu_reduce(x, "a + b", &out, GPU_ARG_AS(b, GPU_FLOAT, k)));
    test_array_fails(GPU_E_ARGUMENT, gpu_map2(x, x, "x + y", GPU_ARG_AS(y, GPU_FLOAT, k)));
    test_array_fails(GPU_E_ARGUMENT, gpu_map3(x, x, x, "x + y + z", GPU_ARG_AS(z, GPU_FLOAT, k)));
    test_array_fails(GPU_E_ARGUMENT, gpu_map(x, "x + k", GPU_ARG(k), GPU_ARG(k)));
    cr_assert_eq(out, 77);
    test_close(g);
}

/* "x + NAME" with a capture of that name. */
static gpu_array *capture_called(gpu_array *x, const char *name)
{
    static const int five = 5;
    char text[100];
    const gpu_capture capture = {name, &five, GPU_INT, sizeof five};
    snprintf(text, sizeof text, "x + %s", name);
    const gpu_operator op = {text, NULL, (const gpu_capture *const[]){&capture, NULL}, GPU_HERE};
    return gpu_map_op(x, NULL, &op);
}

/* A word that a compiler would put something else in the place of, or take for a type. */
Test(capture, refuses_words_of_opencl_with_advice)
{
    gpu *g = test_open();
    static const char *const names[] = {"NAN",
                                        "INFINITY",
                                        "HUGE_VALF",
                                        "MAXFLOAT",
                                        "INT_MAX",
                                        "INT_MIN",
                                        "UINT_MAX",
                                        "LONG_MIN",
                                        "CHAR_BIT",
                                        "SCHAR_MIN",
                                        "FLT_EPSILON",
                                        "FLT_MAX",
                                        "DBL_MIN",
                                        "DBL_MANT_DIG",
                                        "HALF_MAX",
                                        "M_PI",
                                        "M_PI_F",
                                        "M_SQRT1_2_H",
                                        "M_2_SQRTPI",
                                        "CL_VERSION_1_2",
                                        "CLK_LOCAL_MEM_FENCE",
                                        "GPU_GLOBAL",
                                        "image2d_array_t",
                                        "image3d_t",
                                        "image2d_array_msaa_depth_t",
                                        "queue_t",
                                        "ndrange_t",
                                        "clk_event_t",
                                        "reserve_id_t",
                                        "sampler_t",
                                        "event_t",
                                        "cl_mem_fence_flags",
                                        "half8",
                                        "bool",
                                        "size_t",
                                        "constant",
                                        "local",
                                        "typedef",
                                        "NULL",
                                        "true",
                                        "__local",
                                        "__attribute__"};
    gpu_array *x = gpu_range(g, GPU_INT, 3);
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        gpu_array *a = capture_called(x, names[k]);
        cr_assert_eq(gpu_array_status(a), GPU_E_ARGUMENT, "%s: %s", names[k], gpu_status_name(gpu_array_status(a)));
        test_has(gpu_array_error(a), "GPU_ARG_NAMED(other_name");
    }
    test_close(g);
}

/* Functions, macros that only some drivers have, and names of the generated program. */
Test(capture, takes_names_that_some_drivers_define)
{
    gpu *g = test_open();
    static const char *const names[] = {"step",
                                        "length",
                                        "select",
                                        "min",
                                        "index",
                                        "linux",
                                        "unix",
                                        "I",
                                        "printf",
                                        "get_global_id",
                                        "as_int",
                                        "vload2",
                                        "convert_int",
                                        "isequal",
                                        "int8_t",
                                        "gpu_float4",
                                        "out",
                                        "ticket",
                                        "v0",
                                        "p0",
                                        "any",
                                        "wchar_t",
                                        "offsetof",
                                        "_CL_OVERLOADABLE",
                                        "POCL_DEVICE_ADDRESS_BITS",
                                        "_cl_min",
                                        "alignas",
                                        "thread",
                                        "M_total",
                                        "FLT_X",
                                        "cl_khr_fp64",
                                        "a_name_of_more_than_thirty_two_characters_is_one_too"};
    enum { ALL = COUNT_OF(names) };
    int got[ALL];
    gpu_array *one = gpu_range(g, GPU_INT, 1), *all = capture_called(one, names[0]);
    for (size_t k = 1; k < ALL; k++) all = gpu_concat(all, capture_called(one, names[k]));
    test_ok(gpu_read(all, got));
    for (size_t k = 0; k < ALL; k++) cr_assert_eq(got[k], 5, "%s: %d", names[k], got[k]);
    test_close(g);
}

/* Names that are no identifiers come in through the functions only. */
Test(capture, refuses_names_that_are_no_identifiers)
{
    gpu *g = test_open();
    static const char *const names[] = {"", "1k", "k k", "k;", "k)", "k\n", "int k", "*k", NULL};
    int k = 3;
    gpu_array *x = gpu_range(g, GPU_INT, 10);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        gpu_capture capture = {names[n], &k, GPU_INT, sizeof k};
        gpu_operator op = {.snippet = "x + 1", .captures = (const gpu_capture *const[]){&capture, NULL}};
        gpu_array *made = gpu_map_op(x, NULL, &op);
        cr_assert_eq(gpu_array_status(made), GPU_E_ARGUMENT, "a capture named \"%s\"", names[n] ? names[n] : "(NULL)");
    }
    gpu_capture nothing = {"k", NULL, GPU_INT, sizeof k};
    gpu_operator op = {.snippet = "x + k", .captures = (const gpu_capture *const[]){&nothing, NULL}};
    cr_assert_eq(gpu_array_status(gpu_map_op(x, NULL, &op)), GPU_E_ARGUMENT);
    test_close(g);
}

static void refuse_captures(const char *what, const gpu_array *x, const gpu_capture *first, const gpu_capture *second)
{
    gpu_operator op = {.snippet = "x + (int)table_length",
                       .captures = (const gpu_capture *const[]){first, second, NULL}};
    cr_assert_eq(gpu_array_status(gpu_map_op(x, NULL, &op)), GPU_E_ARGUMENT, "%s", what);
}

/* The text uses the length of the other one, so names are compared. */
Test(capture, refuses_a_value_without_a_name_beside_an_array)
{
    gpu *g = test_open();
    int k = 3;
    gpu_array *x = gpu_range(g, GPU_INT, 10), *table = gpu_range(g, GPU_INT, 5);
    gpu_capture nameless = {NULL, &k, GPU_INT, sizeof k}, named = {"table", &table, GPU_CAPTURE_ARRAY, sizeof table};
    refuse_captures("the nameless one first", x, &nameless, &named);
    refuse_captures("the nameless one last", x, &named, &nameless);
    test_close(g);
}

/* Which of the two a wrong type is, nobody has to know. */
static void refuse_type(const char *what, gpu_array *made)
{
    gpu_status status = gpu_array_status(gpu_eval(made));
    cr_assert(status == GPU_E_ARGUMENT || status == GPU_E_TYPE, "%s: %s", what, gpu_status_name(status));
    cr_assert(*gpu_array_error(made));
}

Test(capture, refuses_types_that_cannot_be_captured)
{
    gpu *g = test_open();
    line l = {1, 2};
    int whole = 1, *pointer = &whole;
    double deep = 1;
    const char *text = "text";
    gpu_array *x = gpu_range(g, GPU_FLOAT, 10);
    refuse_type("a struct through GPU_ARG", gpu_map(x, "x + l.slope", GPU_ARG(l)));
    test_has(gpu_error(), "GPU_ARG_AS");
    refuse_type("a pointer", gpu_map(x, "x + *pointer", GPU_ARG(pointer)));
    refuse_type("a text", gpu_map(x, "x + text[0]", GPU_ARG(text)));
    refuse_type("a gpu", gpu_map(x, "x", GPU_ARG(g)));
    refuse_type("a double as a float", gpu_map(x, "x + deep", GPU_ARG_AS(deep, GPU_FLOAT, deep)));
    refuse_type("an int as a struct", gpu_map(x, "x + l.slope", GPU_ARG_AS(l, GPU_TYPE(line), whole)));
    refuse_type("a function's parameter that nobody captured", gpu_map(gpu_range(g, GPU_INT, 10), needs_more));
    test_has(gpu_error(), "missing");
    test_close(g);
}

Test(capture, an_operator_of_a_reduction_has_no_index)
{
    gpu *g = test_open();
    int out = 77, got[10];
    gpu_array *x = gpu_range(g, GPU_INT, 10);
    test_ok(gpu_read(gpu_map2(x, x, add_index), got));
    cr_assert_eq(got[9], 27);
    test_fails(GPU_E_ARGUMENT, gpu_reduce(x, add_index, &out));
    test_has(gpu_error(), "add_index");
    test_has(gpu_error(), "'i'");
    test_fails(GPU_E_ARGUMENT, gpu_fold(x, &(int){1}, add_index, &out));
    test_fails(GPU_E_ARGUMENT, gpu_reduce_all(x, "a + b", &out, add_index, &out));
    cr_assert_eq(gpu_array_status(gpu_reduced(x, add_index)), GPU_E_ARGUMENT);
    cr_assert_eq(gpu_array_status(gpu_block_reduce(x, 2, add_index)), GPU_E_ARGUMENT);
    cr_assert_eq(out, 77);
    test_close(g);
}

Test(capture, an_array_in_error_fails_the_call)
{
    gpu *g = test_open();
    int sum;
    gpu_array *x = gpu_range(g, GPU_INT, 10), *bad = gpu_slice(x, 9, 9);
    test_array_fails(GPU_E_RANGE, gpu_map(x, "x + bad[0]", GPU_ARG(bad)));
    test_fails(GPU_E_RANGE, gpu_reduce(x, "a + b", &sum, GPU_ARG(bad)));
    test_close(g);
}

Test(capture, takes_a_value_that_the_snippet_does_not_use)
{
    gpu *g = test_open();
    int k = 3, sum;
    test_ok(gpu_sum(gpu_map(gpu_range(g, GPU_INT, 10), "x + 1", GPU_ARG(k)), &sum));
    cr_assert_eq(sum, 55);
    test_close(g);
}

/* The names of a call that went well are not checked again. Others are. */
Test(capture, other_names_are_checked_for_the_same_snippet)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10);
    int k = 3;
    for (int round = 0; round < 2; round++) {
        static const char snippet[] = "{ int row = x + k; return row; }";
        test_array_ok(gpu_map(x, snippet, GPU_ARG(k)));
        test_array_fails(GPU_E_ARGUMENT, gpu_map(x, snippet, GPU_ARG(k), GPU_ARG_NAMED(y, k)));
        test_array_fails(GPU_E_ARGUMENT, gpu_map(x, snippet, GPU_ARG(k), GPU_ARG(k)));
        test_array_fails(GPU_E_SNIPPET, gpu_map(x, snippet, GPU_ARG(k), GPU_ARG_NAMED(row, k)));
        gpu_matrix *m = gpu_matrix_map(gpu_matrix_from(x, 2, 5), snippet, GPU_ARG(k));
        cr_assert_eq(gpu_matrix_status(m), GPU_E_SNIPPET);
        gpu_matrix_free(m);
    }
    test_close(g);
}
