/* GPU_FUNCTION, GPU_DEVICE_FUNCTION, GPU_CONSTANT, GPU_STRUCT: what snippets may name. */
#include "support/other_unit.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

GPU_CONSTANT(seven, 7);
GPU_CONSTANT(tenth, 0.1f);
GPU_CONSTANT(infinite, INFINITY);
GPU_CONSTANT(not_a_number, NAN);
GPU_CONSTANT(minus_zero, -0.0f);
GPU_CONSTANT(smallest, 1e-45f);
GPU_CONSTANT(deep_tenth, 0.1);
GPU_CONSTANT(deep_infinite, -(double)INFINITY);
GPU_CONSTANT(largest, 18446744073709551615ul);
GPU_CONSTANT(lowest, -9223372036854775807l - 1);
GPU_CONSTANT(byte, (unsigned char)200);
GPU_CONSTANT(short_one, (short)-32768);

/* The same names as in support/other_unit.c, and other meanings. */
GPU_CONSTANT(unit_scale, 2);
GPU_STRUCT(unit_pair, float p; float q;);
GPU_FUNCTION(int, unit_helper, (int x), { return x + 1; });

GPU_STRUCT(point, float x; float y;);
GPU_STRUCT(
    shape, point corner[2]; union {
        int i;
        float f;
    } tag;
    struct {
        char c;
        short s;
    } in;
    float twice;);
GPU_FUNCTION(float, twice, (float x), { return x * 2; });
GPU_FUNCTION(float, norm, (point p), { return p.x * p.x + p.y * p.y; });
GPU_FUNCTION(float, area, (point p, point q), {
    float w = q.x - p.x, h = q.y - p.y; /* a comma in a body */
    return w * h * (float)seven;
});
GPU_FUNCTION(float, total, (shape s), { return area(s.corner[0], s.corner[1]) + twice(norm(s.corner[0])) + tenth; });
GPU_FUNCTION(int, odd_text, (int x), { return x % 3 == 0 && '"' != '\'' && '{' > '}' - 9 ? x : -x; });

GPU_DEVICE_FUNCTION(float, fast, (float p), { return native_sqrt(p) * 0.0f + convert_float(convert_int(p)); });
GPU_DEVICE_FUNCTION(float, broken, (float p), { return p + this is no C; });
GPU_DEVICE_FUNCTION(float, mad, (float p, float q, float r), { return p * q - r; });
GPU_DEVICE_FUNCTION(float, clamp, (float p, float q, float r), { return p + q + r; });
GPU_DEVICE_FUNCTION(float, work_group_reduce_add, (float p), { return p + 41; });
GPU_DEVICE_FUNCTION(float, sub_group_all, (float p), { return p + 42; });

/* Names of constants: of this file, and of support/third_unit.c. */
GPU_CONSTANT(y, 1000.0f);
GPU_CONSTANT(captured, 1000.0f);
GPU_FUNCTION(float, weigh, (float w, float v), { return w * 10 + v; });
GPU_FUNCTION(float, grow, (float n), {
    float m = n + 1, w = m * 2;
    return w;
});
GPU_FUNCTION(float, next_to, (float seven), { return seven + 1; });
GPU_FUNCTION(float, reach, (float scale, point q, point v), { return scale * (q.x + v.y); });

static int even(int n);
GPU_FUNCTION(int, odd, (int n), { return n == 0 ? 0 : even(n - 1); });
GPU_FUNCTION(int, even, (int n), { return n == 0 ? 1 : odd(n - 1); });

Test(define_names, constants_have_the_same_bits_on_the_device)
{
    gpu *g = test_open();
    uint64_t got[12], want[12] = {7};
    memcpy(&want[1], &tenth, 4);
    memcpy(&want[2], &infinite, 4);
    memcpy(&want[4], &minus_zero, 4);
    memcpy(&want[5], &smallest, 4);
    memcpy(&want[6], &deep_tenth, 8);
    memcpy(&want[7], &deep_infinite, 8);
    want[3] = 1; /* NaN */
    want[8] = largest;
    want[9] = (uint64_t)lowest;
    want[10] = byte;
    want[11] = (uint64_t)(int64_t)short_one;
    gpu_array *a =
        gpu_map(gpu_range(g, GPU_ULONG, 12),
                "{ switch (x) { case 0: return seven; case 1: return as_uint(tenth); case 2: return "
                "as_uint(infinite); case 3: return isnan(not_a_number); case 4: return as_uint(minus_zero);\n"
                "case 5: return as_uint(smallest); case 6: return as_ulong(deep_tenth); case 7: return "
                "as_ulong(deep_infinite); case 8: return largest; case 9: return as_ulong(lowest);\n"
                "case 10: return byte; default: return as_ulong((long)short_one); } }");
    test_ok(gpu_read(a, got));
    test_same("constants", GPU_ULONG, 12, got, want);
    uint64_t half;
    test_ok(gpu_read(gpu_map(gpu_range(g, GPU_ULONG, 1), "largest / 2 + (lowest < 0) + sizeof(tenth) + sizeof(byte)"),
                     &half));
    cr_assert_eq(half, UINT64_MAX / 2 + 6, "the constants have other types on the device");
    test_close(g);
}

enum { SHAPES = 300 };

static void fill_shapes(shape *shapes)
{
    for (int i = 0; i < SHAPES; i++)
        shapes[i] =
            (shape){.corner = {{(float)(i % 7), 1}, {(float)i, 3}}, .tag = {.i = i}, .in = {1, (short)i}, .twice = 8};
}

Test(define_names, functions_call_functions_and_read_constants)
{
    gpu *g = test_open();
    static shape shapes[SHAPES];
    float got[SHAPES];
    fill_shapes(shapes);
    test_ok(gpu_read(gpu_map_to(gpu_array_from(g, GPU_TYPE(shape), shapes, SHAPES), GPU_FLOAT, total), got));
    for (int i = 0; i < SHAPES; i++) { /* the device may contract to fma */
        float want = total(shapes[i]);
        cr_assert(fabsf(got[i] - want) <= 1e-6f * fabsf(want), "%d: %.9g, wanted %.9g", i, (double)got[i],
                  (double)want);
    }
    test_close(g);
}

Test(define_names, a_member_may_be_named_like_a_function)
{
    gpu *g = test_open();
    static shape shapes[SHAPES];
    float got[SHAPES];
    fill_shapes(shapes);
    gpu_array *s = gpu_array_from(g, GPU_TYPE(shape), shapes, SHAPES);
    test_ok(gpu_read(gpu_map_to(s, GPU_FLOAT, "x.twice + twice(x.in.s) + x.tag.i"), got));
    for (int i = 0; i < SHAPES; i++) cr_assert_eq(got[i], 8 + 3 * (float)i, "%d: %g", i, (double)got[i]);
    test_close(g);
}

Test(define_names, a_variable_may_be_named_like_a_function)
{
    gpu *g = test_open();
    float got[SHAPES];
    test_ok(gpu_read(gpu_map(gpu_range(g, GPU_FLOAT, SHAPES), "{ float norm = 3; return x + norm; }"), got));
    cr_assert_eq(got[10], 13, "a variable named like a helper");
    test_close(g);
}

Test(define_names, functions_may_hold_odd_text)
{
    gpu *g = test_open();
    int got[100];
    test_ok(gpu_read(gpu_map(gpu_range(g, GPU_INT, 100), odd_text), got));
    for (int i = 0; i < 100; i++) cr_assert_eq(got[i], odd_text(i), "%d: %d", i, got[i]);
    test_close(g);
}

Test(define_names, device_functions_are_operators_and_called_in_snippets)
{
    gpu *g = test_open();
    float got[10];
    gpu_array *x = gpu_map(gpu_range(g, GPU_FLOAT, 10), "x + 0.5f");
    test_ok(gpu_read(gpu_map(x, fast), got));
    for (int i = 0; i < 10; i++) cr_assert_eq(got[i], (float)i, "%d: %g", i, (double)got[i]);
    test_ok(gpu_read(gpu_map(x, "fast(x) + 1 /* not broken(x) */"), got)); /* nobody needs the broken one */
    for (int i = 0; i < 10; i++) cr_assert_eq(got[i], (float)i + 1, "%d: %g", i, (double)got[i]);
    test_close(g);
}

Test(define_names, a_wrong_device_function_fails_where_it_is_used)
{
    gpu *g = test_open();
    test_array_fails(GPU_E_SNIPPET, gpu_map(gpu_range(g, GPU_FLOAT, 10), broken));
    test_close(g);
}

/* The user's function or a refusal, never the builtin. */
static void check_builtin(gpu *g, const char *name, const char *snippet, float wanted)
{
    float got = -1, three = 3;
    gpu_array *a = gpu_map(gpu_array_of(g, &three, 1), snippet);
    gpu_status status = gpu_read(a, &got);
    if (status == GPU_OK)
        cr_assert_eq(got, wanted, "%s gave %g, wanted %g", snippet, (double)got, (double)wanted);
    else
        test_has(gpu_error(), name);
}

Test(define_names, functions_named_like_builtins_are_the_users_or_refused) /* E05 */
{
    gpu *g = test_open();
    check_builtin(g, "mad", "mad(x, 2.0f, 1.0f)", 5);
    check_builtin(g, "clamp", "clamp(x, 1.0f, 2.0f)", 6);
    check_builtin(g, "work_group_reduce_add", "work_group_reduce_add(x)", 44);
    check_builtin(g, "sub_group_all", "sub_group_all(x)", 45);
    float got;
    gpu_array *threes = gpu_fill(g, GPU_FLOAT, &(float){3}, 1); /* and a builtin stays one where it is not redefined */
    test_ok(gpu_read(gpu_map(threes, "fma(x, 2.0f, 1.0f)"), &got));
    cr_assert_eq(got, 7);
    test_close(g);
}

Test(define_names, each_file_means_its_own_functions_and_constants) /* C02 */
{
    gpu *g = test_open();
    int got[3];
    gpu_array *x = gpu_range(g, GPU_INT, 3);
    test_ok(gpu_read(gpu_map(x, "unit_helper(x) * unit_scale"), got));
    cr_assert(got[0] == 2 && got[2] == 6, "%d %d", got[0], got[2]);
    test_ok(gpu_read(other_unit_map(x), got));
    cr_assert(got[0] == 500 && got[2] == 510, "%d %d: the other file's helpers are not used", got[0], got[2]);
    test_ok(gpu_read(gpu_map(x, "unit_helper(x) * unit_scale"), got));
    cr_assert(got[0] == 2 && got[2] == 6, "%d %d: the other file's kernel was found", got[0], got[2]);
    test_ok(gpu_read(other_unit_map_function(x), got));
    cr_assert(got[0] == 100 && got[2] == 102, "%d %d", got[0], got[2]);
    test_ok(gpu_read(gpu_map(x, unit_helper), got));
    cr_assert(got[0] == 1 && got[2] == 3, "%d %d", got[0], got[2]);
    test_close(g);
}

Test(define_names, one_kernel_has_functions_of_two_files_with_one_name)
{
    gpu *g = test_open();
    int got[3];
    gpu_array *x = gpu_range(g, GPU_INT, 3);
    test_ok(gpu_read(gpu_map(other_unit_map(x), "unit_helper(x) * unit_scale"), got));
    cr_assert(got[0] == 1002 && got[2] == 1022, "%d %d", got[0], got[2]);
    test_ok(gpu_read(other_unit_map_function(gpu_map(x, unit_helper)), got));
    cr_assert(got[0] == 101 && got[2] == 103, "%d %d", got[0], got[2]);
    test_close(g);
}

Test(define_names, structs_of_one_name_in_two_files_stay_apart)
{
    gpu *g = test_open();
    double got[3];
    unit_pair mine[] = {{1, 2}, {3, 4}, {5, 6}};
    gpu_array *x = gpu_range(g, GPU_INT, 3), *theirs = other_unit_pairs(x);
    gpu_array *ours = gpu_array_from(g, GPU_TYPE(unit_pair), mine, 3);
    cr_assert(!gpu_type_equal(GPU_TYPE(unit_pair), other_unit_pair()));
    test_ok(gpu_read(gpu_map2_to(theirs, ours, GPU_DOUBLE, "x.p + 10 * x.q + 100 * y.p + 1000 * y.q"), got));
    for (int i = 0; i < 3; i++) {
        double want = i + 20.0 * i + 100.0 * (double)mine[i].p + 1000.0 * (double)mine[i].q;
        cr_assert_eq(got[i], want, "element %d: %g, wanted %g", i, got[i], want);
    }
    test_array_fails(GPU_E_SNIPPET, gpu_map(ours, "{ unit_pair r; r.none = x.p; return r; }"));
    test_close(g);
}

Test(define_names, snippets_may_call_what_only_other_files_define)
{
    gpu *g = test_open();
    int got[3];
    gpu_array *x = gpu_range(g, GPU_INT, 3);
    test_ok(gpu_read(gpu_map(x, "only_elsewhere(x)"), got)); /* and what it needs, as its own file means it */
    cr_assert(got[0] == 500 && got[2] == 510, "%d %d", got[0], got[2]);
    test_ok(gpu_read(gpu_map(x, "agreed(x)"), got));
    cr_assert_eq(got[2], 14);
    test_close(g);
}

Test(define_names, a_name_that_two_other_files_define_is_refused)
{
    gpu *g = test_open();
    gpu_array *bad = test_array_fails(GPU_E_SNIPPET, gpu_map(gpu_range(g, GPU_INT, 3), "disputed(x)"));
    test_has(gpu_array_error(bad), "disputed");
    test_has(gpu_array_error(bad), "other_unit.c");
    test_has(gpu_array_error(bad), "third_unit.c");
    test_close(g);
}

typedef struct value_case {
    const char *snippet; /* of 2 */
    float wanted;
} value_case;

/* All in one program. */
static void check_values(gpu *g, const value_case *cases, size_t count)
{
    float got[8];
    gpu_array *two = gpu_fill(g, GPU_FLOAT, &(float){2}, 1), *all = gpu_map(two, cases[0].snippet);
    for (size_t k = 1; k < count; k++) all = gpu_concat(all, gpu_map(two, cases[k].snippet));
    test_ok(gpu_read(all, got));
    for (size_t k = 0; k < count; k++)
        cr_assert_eq(got[k], cases[k].wanted, "%s gave %g, wanted %g", cases[k].snippet, (double)got[k],
                     (double)cases[k].wanted);
}

Test(define_names, variables_hide_constants_of_their_name)
{
    gpu *g = test_open();
    static const value_case cases[] = {
        {"{ float w = 1, v = 2; return x + w * 10 + v; }", 14},
        {"{ float u[2] = {1, 2}, *w = u, v = 3; return x + w[1] + v; }", 7},
        {"{ float s = 0; for (int n = 0, m = 1; n < 3; n++, m *= 2) s += m + n; return x + s; }", 12},
        {"{ const float w = 4; return x + w; }", 6},
        {"{ float v; v = 5; return x + v; }", 7},
        {"{ float w[2] = {1, 2}; return x + w[0] + w[1]; }", 5},
        {"{ float t = n, w = t + 1; return x + w + t; }", 103}, /* n is no variable here */
        {"{ point q = {1, 2}, w = {3, 4}; return x + q.x + w.y; }", 7}};
    check_values(g, cases, COUNT_OF(cases));
    test_close(g);
}

Test(define_names, operands_hide_constants_of_their_name)
{
    gpu *g = test_open();
    float data[] = {1, 2, 3, 4}, got[4], sum;
    gpu_array *numbers = gpu_array_of(g, data, 4);
    test_ok(gpu_read(gpu_map2(numbers, numbers, "x * 2 + y + i"), got));
    cr_assert(got[0] == 3 && got[3] == 15, "%g %g", (double)got[0], (double)got[3]);
    test_ok(gpu_reduce(numbers, "a + b", &sum));
    cr_assert_eq(sum, 10, "%g", (double)sum);
    test_ok(gpu_reduce(numbers, "{ return a + b; }", &sum));
    cr_assert_eq(sum, 10, "%g", (double)sum);
    test_close(g);
}

Test(define_names, captured_values_hide_constants_of_their_name)
{
    gpu *g = test_open();
    float data[] = {1, 2, 3, 4}, got[4], k = 3, captured = 5;
    gpu_array *numbers = gpu_array_of(g, data, 4);
    test_ok(gpu_read(gpu_map(numbers, "x * k + captured", GPU_ARG(k), GPU_ARG(captured)), got));
    cr_assert_eq(got[1], 11, "%g", (double)got[1]);
    test_ok(gpu_read(gpu_map(numbers, "x + w[0]", GPU_ARG_AS(w, GPU_CAPTURE_ARRAY, numbers)), got));
    cr_assert_eq(got[1], 3, "%g", (double)got[1]);
    test_close(g);
}

Test(define_names, parameters_hide_constants_of_their_name)
{
    gpu *g = test_open();
    float got;
    gpu_array *two = gpu_fill(g, GPU_FLOAT, &(float){2}, 1);
    test_ok(gpu_read(gpu_map2(two, two, weigh), &got));
    cr_assert_eq(got, 22, "%g", (double)got);
    static const value_case cases[] = {{"weigh(x, 1)", 21}, {"grow(x) + next_to(seven)", 14}};
    check_values(g, cases, COUNT_OF(cases));
    point p = {1, 2};
    gpu_array *points = gpu_fill(g, GPU_TYPE(point), &p, 1);
    test_ok(gpu_read(gpu_map3_to(two, points, points, GPU_FLOAT, reach), &got)); /* a type after a comma */
    cr_assert_eq(got, 6, "%g", (double)got);
    test_ok(gpu_read(gpu_map2_to(points, points, GPU_FLOAT, area), &got));
    cr_assert_eq(got, 0, "%g", (double)got);
    test_close(g);
}

Test(define_names, recursive_functions_are_refused)
{
    test_needs_opencl();
    gpu *g = test_open();
    test_array_fails(GPU_E_SNIPPET, gpu_map(gpu_range(g, GPU_INT, 3), odd));
    test_array_fails(GPU_E_SNIPPET, gpu_map(gpu_range(g, GPU_INT, 3), "even(x)"));
    int got;
    test_ok(gpu_sum(gpu_range(g, GPU_INT, 3), &got));
    test_close(g);
}

Test(define_names, functions_with_wrong_parameters_are_refused)
{
    gpu *g = test_open();
    float out = 77;
    gpu_array *x = gpu_range(g, GPU_FLOAT, 3);
    gpu_status status = gpu_reduce(x, twice, &out); /* one parameter, two operands */
    cr_assert_neq(status, GPU_OK, "a function of one parameter reduced to %g", (double)out);
    test_has(gpu_error(), "twice");
    gpu_array *bad = gpu_eval(gpu_map(x, norm)); /* takes a point */
    cr_assert_neq(gpu_array_status(bad), GPU_OK);
    test_has(gpu_array_error(bad), "norm");
    cr_assert_eq(out, 77);
    test_close(g);
}
