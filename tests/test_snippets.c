/* Texts of operators: what they may declare and be written like, and what is refused because it means something else
 * than it looks. */
#include "support/support.h"

#include "kernel/log.h"

#include <stdlib.h>
#include <string.h>

GPU_STRUCT(two, float p; float q;);
GPU_STRUCT(row, float v[2]; float w;);
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
GPU_FUNCTION(float, first_of, (GPU_GLOBAL const float *q), { return q[0]; });

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wreturn-type"
#pragma GCC diagnostic ignored "-Wunused-but-set-parameter"
GPU_FUNCTION(float, gives_nothing, (float x), { x += 1; });
#pragma GCC diagnostic pop
GPU_DEVICE_FUNCTION(float, leaves_nothing, (float x), { x += 1; });
GPU_FUNCTION(float, calls_it, (float x), { return gives_nothing(x) + 1; });

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

Test(snippets, use_definitions_as_variables_and_factors)
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

Test(snippets, use_definitions_in_functions_too)
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
Test(snippets, join_lines_and_replace_trigraphs_as_c_does)
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

/* A captured array of one element is like any other, however it was made. */
Test(snippets, may_name_the_element_of_a_captured_array_in_every_way)
{
    gpu *g = test_open();
    const float seven = 7;
    const row r = {{7, 8}, 9};
    static const char *const snippets[] = {"x + f[0]",
                                           "x + first_of(&f[0])",
                                           "x + first_of(f)",
                                           "x + *f",
                                           "x + first_of(&(f[0]))",
                                           "x + first_of(&((f)[0]))",
                                           "x + first_of(f + 0)",
                                           "{ const __global float *q = &f[0]; return x + *q; }",
                                           "x > 0 && f[0] > 0 ? x + f[0] : 0",
                                           "{ const __global float *q = f + 0; return x + q[0] * (f[0] > 0); }",
                                           "x + f[(int)x - 4]",
                                           "{ { float f[1] = {0}; x += f[0]; } return x + f[0]; }",
                                           "x + first_of(r[0].v)",
                                           "x + r[0].v[0]",
                                           "x + r[0].w - 2",
                                           "x + first_of(&r[0].v[0])"};
    gpu_array *fs[] = {gpu_fill(g, GPU_FLOAT, &seven, 1), gpu_array_of(g, &seven, 1)};
    gpu_array *rs[] = {gpu_fill(g, GPU_TYPE(row), &r, 1), gpu_array_from(g, GPU_TYPE(row), &r, 1)};
    for (size_t made = 0; made < 2; made++) {
        value_case cases[COUNT_OF(snippets)];
        for (size_t k = 0; k < COUNT_OF(snippets); k++) cases[k] = (value_case){snippets[k], 11};
        gpu_array *f = fs[made], *s = rs[made];
        const gpu_capture of_f = {"f", &f, GPU_CAPTURE_ARRAY, sizeof f}, of_r = {"r", &s, GPU_CAPTURE_ARRAY, sizeof s};
        check_values(g, cases, COUNT_OF(cases), (const gpu_capture *const[]){&of_f, &of_r, NULL});
    }
    test_close(g);
}

Test(snippets, may_take_the_address_of_a_compiled_value)
{
    gpu *g = test_open();
    float out[3];
    gpu_array *made;
    gpu_status (*add)(gpu_array * *out, const gpu_array *x, float f);
    gpu_array *x = gpu_symbol(g, GPU_FLOAT), *f = gpu_symbol_value(g, GPU_FLOAT);
    gpu_array *sum = gpu_map(x, "x + first_of(&f[0])", GPU_ARG(f));
    test_ok(gpu_compile(&add, sum, x, f));
    test_ok(add(&made, gpu_range(g, GPU_FLOAT, 3), 7));
    test_ok(gpu_read(made, out));
    cr_assert(out[0] == 7 && out[2] == 9, "%g %g", (double)out[0], (double)out[2]);
    test_close(g);
}

Test(snippets, may_call_a_function_by_its_name_in_parentheses)
{
    test_needs_opencl();
    setenv("FIREPILE_SMALL", "0", 1);
    gpu *g = test_open();
    test_holds_steps("the least", gpu_map(gpu_range(g, GPU_INT, 300), "(min)(x, 0)"), GPU_INT, 300, 0, 0);
    test_close(g);
}

/* Variables that the operands' names are free for. */
Test(snippets, may_declare_what_is_no_operand)
{
    gpu *g = test_open();
    static const value_case cases[] = {{"{ float y = x, z = 1, a = 1, b = 1; return y + z + a + b; }", 7},
                                       {"{ for (int i = 0; i < 3; i++) x += 1; return x; }", 7},
                                       {"{ { int x = 3, i = x; i++; } return x + i; }", 4},
                                       {"x += 2, x + 3", 9},
                                       {"{ int k = 0, n; for (n = 0, k = 1; n < 3; n++, k++) ; return k; }", 4},
                                       {"((float2)(x, 2)).y", 2}};
    check_values(g, cases, COUNT_OF(cases), NULL);
    test_close(g);
}

typedef struct refused_case {
    const char *snippet;
    const char *words;
} refused_case;

static void refuse(gpu_array *made, const refused_case *c)
{
    cr_expect_eq(gpu_array_status(made), GPU_E_SNIPPET, "\"%s\": %s", c->snippet,
                 gpu_status_name(gpu_array_status(made)));
    test_has(gpu_array_error(made), c->words);
}

/* By the call that takes them, so at every length and on every device. */
Test(snippets, that_look_like_something_else_are_refused)
{
    gpu *g = test_open();
    static const refused_case cases[] = {
        {"(x, x)", "(float2)(x, y)"},
        {"x, x", "(float2)(x, y)"},
        {"((x, x))", "(float2)(x, y)"},
        {"x + (x, 2)", "(float2)(x, y)"},
        {"{ return (x, x); }", "(float2)(x, y)"},
        {"{ return x, x; }", "(float2)(x, y)"},
        {"{ float2 v = (x, x); return v.x; }", "(float2)(x, y)"},
        {"sqrt((x, x))", "(float2)(x, y)"},
        {"{ int i = 3; return x + i; }", "'i' is the index here"},
        {"{ float x = 3; return x; }", "'x' is an element here"},
        {"{ float t = 1, *x = &t; return *x; }", "'x' is an element here"},
        {"{ int captured = 3; return captured; }", "'captured' is a captured value here"},
        {"x \\ 1", "no meaning"},
        {"x $ 1", "no meaning"},
        {"x ?"
         "?= 1",
         "preprocessor"}};
    const float captured = 1;
    for (size_t n = 0; n < COUNT_OF(lengths); n++) {
        gpu_array *x = gpu_range(g, GPU_FLOAT, lengths[n]);
        for (size_t k = 0; k < COUNT_OF(cases); k++) refuse(gpu_map(x, cases[k].snippet, GPU_ARG(captured)), &cases[k]);
        refuse(gpu_map(x, gives_nothing), &(refused_case){"gives_nothing", "needs a return"});
        refuse(gpu_map(x, leaves_nothing), &(refused_case){"leaves_nothing", "needs a return"});
        refuse(gpu_scan(x, "{ float a = b; return a; }"), &(refused_case){"a", "'a' is an operand here"});
    }
    test_close(g);
}

Test(snippets, that_call_functions_without_a_return_are_refused)
{
    test_needs_opencl();
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_FLOAT, 2000));
    test_has(gpu_array_error(test_array_fails(GPU_E_SNIPPET, gpu_map(x, "gives_nothing(x)"))), "needs a return");
    test_has(gpu_array_error(test_array_fails(GPU_E_SNIPPET, gpu_map(x, calls_it))), "gives_nothing");
    test_close(g);
}

static void predicates_that_assign(gpu_array *x)
{
    static const char *const assigns[] = {"x = 2", "(x = 2)", "x += 1", "x <<= 1", "x += 1, x = 2", "x[0] = 2", "x=2"};
    size_t n;
    bool yes;
    gpu_array *p, *q;
    for (size_t k = 0; k < COUNT_OF(assigns); k++)
        refuse(gpu_filter(x, assigns[k]), &(refused_case){assigns[k], "== compares"});
    const refused_case c = {"x = 2", "== compares"};
    refuse(gpu_find_if(x, c.snippet), &c);
    refuse(gpu_take_while(x, c.snippet), &c);
    refuse(gpu_drop_while(x, c.snippet), &c);
    refuse(gpu_sort_by(x, "a = b"), &c);
    test_fails(GPU_E_SNIPPET, gpu_partition(x, c.snippet, &p, &q));
    test_fails(GPU_E_SNIPPET, gpu_span(x, c.snippet, &p, &q));
    test_fails(GPU_E_SNIPPET, gpu_count(x, c.snippet, &n));
    test_fails(GPU_E_SNIPPET, gpu_any(x, c.snippet, &yes));
    test_fails(GPU_E_SNIPPET, gpu_all(x, c.snippet, &yes));
    test_fails(GPU_E_SNIPPET, gpu_index_if(x, c.snippet, &n));
    test_fails(GPU_E_SNIPPET, gpu_check_order(x, "a = b"));
    test_has(gpu_error(), c.words);
}

Test(snippets, that_decide_compare)
{
    gpu *g = test_open();
    for (size_t n = 0; n < COUNT_OF(lengths); n++) predicates_that_assign(gpu_range(g, GPU_INT, lengths[n]));
    static const struct {
        const char *snippet;
        size_t count; /* of 0 ... 4 */
    } cases[] = {{"x == 2", 1},      {"x <= 2", 3},        {"x >= 2", 3},
                 {"x != 2", 4},      {"(x = 2) == 2", 5},  {"{ int k; k = 2; return x == k; }", 1},
                 {"x << 1 == 4", 1}, {"x > 1 ? x : 0", 3}, {"x = 1, x > 2", 0}};
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        size_t count;
        test_ok(gpu_count(gpu_range(g, GPU_INT, 5), cases[k].snippet, &count));
        cr_expect_eq(count, cases[k].count, "%s: %zu", cases[k].snippet, count);
    }
    test_close(g);
}

Test(snippets, with_arguments_of_a_wrong_type_get_advice)
{
    test_needs_opencl();
    gpu *g = test_open();
    static const struct {
        const char *snippet, *name, *words;
    } cases[] = {{"sqrt(x)", "'sqrt'", "convert to float first"}, {"pow(x, 2)", "'pow'", "convert to float first"},
                 {"max(x, 1.0f)", "'max'", "of one type"},        {"abs(1.0f)", "'abs'", "fabs"},
                 {"min(x, 1, 2)", "'min'", "no matching"},        {"fabs(x)", "'fabs'", "convert to float first"}};
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        gpu_array *a = test_array_fails(GPU_E_SNIPPET, gpu_map(gpu_range(g, GPU_INT, 3), cases[k].snippet));
        test_has(gpu_array_error(a), cases[k].name);
        test_has(gpu_array_error(a), cases[k].words);
    }
    test_close(g);
}

/* A linker tells no place, but the name. */
Test(snippets, that_call_what_is_nowhere_are_shown)
{
    test_needs_opencl();
    if (test_simulated()) cr_skip_test("the simulator builds the program, and has no log of it");
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_FLOAT, 3);
    gpu_array *a = test_array_fails(GPU_E_SNIPPET, gpu_map(x, "{ float nowhere(float v); return nowhere(x); }"));
    test_caret(gpu_array_error(a), "{ float nowhere(float v); return nowhere(x); }", 8);
    test_close(g);
}

/* The words of PoCL, NVIDIA and Intel. */
Test(snippets, logs_of_linkers_show_what_is_nowhere)
{
    static const char *const logs[] = {"error: Cannot find symbol nowhere in kernel library\n",
                                       "Error: unresolved external function 'nowhere'\n",
                                       ("remark: <unknown>:0:0: 34 instructions in function\n"
                                        "JIT session error: Symbols not found: [ nowhere ]\n")};
    fp_origin origins[] = {{.text = "x + nowhere(x)", .operation = "gpu_map"}};
    const fp_source source = {.origins = origins, .origin_count = 1};
    for (size_t k = 0; k < COUNT_OF(logs); k++) {
        const fp_origin *origin;
        test_fails(GPU_E_SNIPPET, fp_log_report(&source, "", logs[k], &origin));
        cr_assert_eq(origin, &origins[0], "%s", logs[k]);
        test_caret(gpu_error(), "x + nowhere(x)", 4);
    }
}

/* PoCL has no room for its files, which is no fault of the program. */
Test(snippets, that_no_compiler_could_look_at_are_not_to_blame)
{
    test_needs_opencl();
    setenv("POCL_CACHE_DIR", "/dev/full", 1);
    setenv("FIREPILE_CACHE", "off", 1);
    gpu *g = gpu_open(NULL);
    if (!g || !strstr(gpu_device_name(g), "pthread")) cr_skip("this is not PoCL");
    gpu_array *a = gpu_eval(gpu_map(gpu_range(g, GPU_FLOAT, 2000), "x * 0.9375f + sin(x)"));
    cr_assert_eq(gpu_array_status(a), GPU_E_DRIVER, "%s", gpu_array_error(a));
    test_has(gpu_array_error(a), "POCL_CACHE_DIR");
    gpu_close(g);
}

Test(snippets, that_the_host_does_not_have_are_refused_in_a_line)
{
    gpu *g = gpu_open("host");
    cr_assert(g, "%s", gpu_error());
    gpu_array *a = gpu_eval(gpu_map(gpu_range(g, GPU_FLOAT, 3), "{\n    float t = x * 2;\n    return t;\n}"));
    cr_assert_eq(gpu_array_status(a), GPU_E_SNIPPET);
    test_has(gpu_array_error(a), "make it a GPU_FUNCTION");
    cr_assert(!strchr(gpu_array_error(a), '\n') && strlen(gpu_array_error(a)) < 250, "%s", gpu_array_error(a));
    gpu_close(g);
}
