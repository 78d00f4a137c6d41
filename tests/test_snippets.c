/* Texts of operators: what they may declare and be written like, and what is refused because it means something else
 * than it looks. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

GPU_STRUCT(two, float p; float q;);
GPU_CONSTANT(SCALE, 3.0f);
GPU_CONSTANT(STEP, 2.0f);
GPU_FUNCTION(float, half_of, (float x), { return x / 2; });
GPU_FUNCTION(two, scaled, (float x), {
    two t = {x * SCALE, 1};
    return t;
});
GPU_FUNCTION(float, counted, (float x), {
    float n = 0;
    for (int k = 0; k * STEP < x; k++) n += 1;
    return n;
});
/* Lengths for which the host computes, and those for which a device does. */
static const size_t lengths[] = {3, 2000};

typedef struct value_case {
    const char *snippet; /* of 4 */
    float wanted;
} value_case;

/* Each in a place of one array, so all are in one program. */
static void check_values(gpu *g, const value_case *cases, size_t count, const gpu_capture *const *captures)
{
    float got[64];
    gpu_array *four = gpu_fill(g, GPU_FLOAT, &(float){4}, 1), *all = NULL;
    for (size_t k = 0; k < count; k++) {
        const gpu_operator op = {cases[k].snippet, NULL, captures, GPU_HERE};
        gpu_array *one = gpu_map_op(four, NULL, &op);
        cr_assert_eq(gpu_array_status(one), GPU_OK, "%s: %s", cases[k].snippet, gpu_array_error(one));
        all = all ? gpu_concat(all, one) : one;
    }
    test_ok(gpu_read(all, got));
    for (size_t k = 0; k < count; k++)
        cr_expect_eq(got[k], cases[k].wanted, "%s gave %g, wanted %g", cases[k].snippet, (double)got[k],
                     (double)cases[k].wanted);
}

static void definitions_in_products(void)
{
    gpu *g = test_open();
    static const value_case cases[] = {
        {"{ float v[2] = {x * SCALE, 1}; return v[0] + v[1]; }", 13},
        {"{ float v[2] = {x * half_of(x), 1}; return v[0]; }", 8},
        {"{ two t = {x * SCALE, x * STEP}, u[1] = {{x * SCALE, x * STEP}}; return t.q + u[0].p; }", 20},
        {"{ float n = 0; for (int k = 0; k * STEP < x; k++) n += 1; return n; }", 2},
        {"{ two *t, u; t = &u; t->p = x * SCALE; return t->p; }", 12},
        {"((two){x * SCALE, 1}).p", 12},
        {"{ { float SCALE = 1; x += SCALE; } return x * SCALE; }", 15},
        {"{ for (int SCALE = 0; SCALE < 3; SCALE++) x += 1; return x * SCALE; }", 21},
        {"{ x *= SCALE; float SCALE = 1; return x + SCALE; }", 13},
        {"{ if (x < 0) goto SCALE; x *= SCALE; SCALE: return x; }", 12},
        {"{ struct { float SCALE; } s = {SCALE}; return s.SCALE; }", 3},
        {"{ enum { STEP = 7 }; return x + STEP; }", 11},
        {"{ switch ((int)x) { case 4: x * SCALE; return x * SCALE; default: return 0; } }", 12}};
    check_values(g, cases, COUNT_OF(cases), NULL);
    test_close(g);
}

static void definitions_in_products_of_functions(void)
{
    gpu *g = test_open();
    for (size_t k = 0; k < COUNT_OF(lengths); k++) {
        size_t n = lengths[k], wrong;
        gpu_array *x = gpu_eval(gpu_range(g, GPU_FLOAT, n));
        test_ok(gpu_count(gpu_map_to(x, GPU_TYPE(two), scaled), "x.p != 3 * (float)i || x.q != 1", &wrong));
        cr_assert_eq(wrong, 0, "%zu of %zu", wrong, n);
        test_ok(gpu_count(gpu_map(x, counted), "x != (float)((i + 1) / 2)", &wrong));
        cr_assert_eq(wrong, 0, "%zu of %zu", wrong, n);
    }
    test_close(g);
}

/* As a C compiler sees them: trigraphs, then lines that are joined, then comments. */
static void splices_and_trigraphs(void)
{
    gpu *g = test_open();
    const int u0 = 10;
    const gpu_capture capture = {"u0", &u0, GPU_INT, sizeof u0};
    static const value_case cases[] = {{"x + 1 // a comment \\", 5},
                                       {"x + 1 \\", 5},
                                       {"x + 1 // a comment \\  ", 5},
                                       {"x + 1 // a comment ?"
                                        "?/",
                                        5},
                                       {"x + 1 // a \\\n ) ( \" }\n", 5},
                                       {"x + 1 // a \\ \n ) ( \" }\n", 5},
                                       {"x + 1 // a \\\r\n ) ( \" }\n", 5},
                                       {"x + 1 // a ?"
                                        "?/\n ) (\n + 1",
                                        6},
                                       {"x + 1 /\\\n/ comment (", 5},
                                       {"x + 1 /\\\n* ( *\\\n/ + 1", 6},
                                       {"x + u\\\n0", 14},
                                       {"x + u?"
                                        "?/\n0",
                                        14},
                                       {"x // a\r + 1", 5},
                                       {"x // a\r\n + 1", 5},
                                       {"x + 1\r", 5},
                                       {"x // a\n\r + 1", 5},
                                       {"{ int v?"
                                        "?(2?"
                                        "?) = {1, 2}; return x + v?"
                                        "?(1?"
                                        "?); }",
                                        6},
                                       {"?"
                                        "?< return x; ?"
                                        "?>",
                                        4},
                                       {"x + ?"
                                        "?-?"
                                        "?-1",
                                        5},
                                       {"x + (1 ?"
                                        "?! 2)",
                                        7},
                                       {"x > 0 ? 3 : 2 // ?"
                                        "? ?",
                                        3},
                                       {"x + sizeof(\"a\\\nb\")", 7},
                                       {"x + ('\\\\' == 92)", 5}};
    check_values(g, cases, COUNT_OF(cases), (const gpu_capture *const[]){&capture, NULL});
    test_close(g);
}

Test(snippets, mean_what_they_mean_in_c)
{
    definitions_in_products();
    definitions_in_products_of_functions();
    splices_and_trigraphs();
}
