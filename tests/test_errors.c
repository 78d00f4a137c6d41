/* Failures: what they say, where they point, how they travel, and that nothing breaks after one. */
#include "support/support.h"

#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

GPU_STRUCT(with_pointer, float *p; int n;);
GPU_STRUCT(with_bool, _Bool b; int n;);
GPU_STRUCT(with_bits, int b : 3; int n;);
#pragma pack(push, 1)
GPU_STRUCT(packed, char c; int n;);
#pragma pack(pop)
GPU_STRUCT(aligned, int a; gpu_float2 b;);

GPU_CONSTANT(fixed, 2.0f);

static float host_only(float x)
{
    return x + 1;
}
GPU_FUNCTION(float, uses_host, (float x), { return x * host_only(x); });
GPU_DEVICE_FUNCTION(float, mistyped, (float x), { return x * undeclared_thing; });
GPU_FUNCTION(float, recursive, (float x), { return x < 1 ? x : recursive(x - 1); });

static void check_snippet(gpu *g, const char *snippet)
{
    int sink = 77;
    gpu_array *mapped = gpu_map(gpu_range(g, GPU_INT, 10), snippet);
    gpu_status status = gpu_array_status(gpu_eval(mapped));
    cr_expect_eq(status, GPU_E_SNIPPET, "the map \"%s\" gave %s: %s", snippet, gpu_status_name(status),
                 gpu_array_error(mapped));
    cr_expect(strstr(gpu_array_error(mapped), "test_errors.c:"), "\"%s\": no place in the text \"%s\"", snippet,
              gpu_array_error(mapped));
    status = gpu_reduce(mapped, "a + b", &sink);
    cr_expect_eq(status, GPU_E_SNIPPET, "the reduce of the map \"%s\" gave %s", snippet, gpu_status_name(status));
    cr_expect(sink == 77 || !status, "\"%s\": an output was written", snippet);
    test_still_works(g, snippet);
}

Test(errors, unbalanced_snippets_are_refused)
{
    gpu *g = test_open();
    static const char *const snippets[] = {"(x",
                                           "x)",
                                           "x + (1",
                                           "x]",
                                           "x[0",
                                           "{ return x;",
                                           "x }",
                                           "(x]",
                                           "[x)",
                                           "{ return (x}; )",
                                           "x); } (",
                                           "x) + (x",
                                           "x; } int f() { return 1",
                                           "x + \"",
                                           "x + \"abc",
                                           "x + 'a",
                                           "x + '",
                                           "x /* open",
                                           "/* x",
                                           "x + \"\\\"",
                                           "x // ) \n(",
                                           "{ return x; } /* open",
                                           "x */ 2 /*",
                                           ")x(",
                                           "}{",
                                           "{ return x; // }",
                                           "'\\' + x"};
    for (size_t k = 0; k < sizeof snippets / sizeof *snippets; k++) check_snippet(g, snippets[k]);
    test_close(g);
}

Test(errors, snippets_that_are_neither_expression_nor_body_are_refused)
{
    gpu *g = test_open();
    static const char *const snippets[] = {"",
                                           "   ",
                                           "\n\t",
                                           "// nothing",
                                           "/* nothing */",
                                           "{}",
                                           "{ }",
                                           "{ int q = 0; }",
                                           "{ /* return x; */ }",
                                           "{ int returned = 0; }",
                                           "x; x",
                                           "x;",
                                           "return x",
                                           "return x;",
                                           "{ return x; } + 1",
                                           "{ return x; } int f;",
                                           "{ return x; } float evil(float y) { return y; }",
                                           "{ return x; } { return x; }",
                                           "int q = 3",
                                           "x x",
                                           "x +"};
    for (size_t k = 0; k < sizeof snippets / sizeof *snippets; k++) check_snippet(g, snippets[k]);
    test_close(g);
}

Test(errors, directives_and_names_of_the_library_are_refused)
{
    gpu *g = test_open();
    static const char *const snippets[] = {
        "#define x 3", "x\n#define y 1", "x\n  # undef x\n", "#pragma unroll\nx", "#include \"secret\"\nx",
        "#line 3\nx",  "#if 0\nx",       "x\n#error no",     "x\n%:define q 1\n", "x\n/* */ #define q 1\n",
        "fp_load(0)",  "fp_n",           "FP_N + x",         "x + fp_anything",   "{ int fp_q = 1; return fp_q; }",
        "x.fp_member"};
    for (size_t k = 0; k < sizeof snippets / sizeof *snippets; k++) check_snippet(g, snippets[k]);
    test_close(g);
}

Test(errors, names_may_hold_the_letters_of_the_library_inside)
{
    gpu *g = test_open();
    int lamp_fp_x = 3, got;
    test_ok(gpu_reduce(gpu_map(gpu_range(g, GPU_INT, 3), "x + lamp_fp_x", GPU_ARG(lamp_fp_x)), "a + b", &got));
    cr_assert_eq(got, 12);
    test_close(g);
}

Test(errors, snippets_with_odd_but_right_text_are_taken) /* E02, E03 */
{
    gpu *g = test_open();
    static const char *const plus_one[] = {
        "x + 1 // inc",
        "x + 1 // 100% (done",
        "(x + 1)",
        "x +\n1",
        "\n\tx + 1\n",
        "{ return x + 1; }",
        "  { return x + 1; }  ",
        "{ return x + 1; } // end",
        "{ // a body }\n return x + 1; /* } */ }",
        "x + (1 /* ) */)",
        "x % 1000000 + 1",
        "{ if (x < 0) { return x + 1; } return x + 1; }",
        "x + 1 /* # */",
        "x + ('b' - 'a')",
        "x + ('(' == ')' ? 9 : 1)",
        "x + ('\\'' == '\\\"' ? 9 : 1)",
        "x + sizeof(\"\") /* \" */",
        "{ int n = 1, idx = 0, lid = 0, gid = 0, size = 0; return x + n + idx + lid + gid + size; }",
        "x\\\n+ 1",
        "/* { */ { return x + 1; }",
        "x + 1\r\n"};
    enum { N = 3, ALL = sizeof plus_one / sizeof *plus_one };
    int got[N * ALL] = {0};
    gpu_array *x = gpu_range(g, GPU_INT, N), *all = gpu_map(x, plus_one[0]); /* and the others, in one program */
    for (int k = 1; k < ALL; k++) all = gpu_concat(all, gpu_map(x, plus_one[k]));
    test_ok(gpu_read(all, got));
    for (int k = 0; k < ALL; k++) {
        const int *own = got + N * k;
        cr_assert(own[0] == 1 && own[1] == 2 && own[2] == 3, "\"%s\": %d %d %d", plus_one[k], own[0], own[1], own[2]);
    }
    size_t even;
    test_ok(gpu_count(gpu_range(g, GPU_INT, 5), "x % 2 == 0", &even));
    cr_assert_eq(even, 3);
    test_close(g);
}

Test(errors, a_snippet_is_a_function_and_no_macro)
{
    gpu *g = test_open();
    int got[3];
    gpu_array *x = gpu_range(g, GPU_INT, 3);
    test_ok(gpu_read(gpu_map(gpu_map(x, "x + 1"), "x * 2"), got)); /* not x + 1 * 2 */
    cr_assert(got[0] == 2 && got[2] == 6, "%d %d", got[0], got[2]);
    test_ok(gpu_read(gpu_map(gpu_map(x, "{ int t = x; return t + 1; }"), "{ int t = 10; return t * x; }"), got));
    cr_assert(got[0] == 10 && got[2] == 30, "%d %d", got[0], got[2]);
    test_close(g);
}

Test(errors, a_comma_in_a_snippet_is_an_operator)
{
    gpu *g = test_open();
    int sum;
    test_ok(gpu_reduce(gpu_map(gpu_range(g, GPU_INT, 3), "x += 2, x + 3"), "a + b", &sum));
    cr_assert_eq(sum, 18);
    test_close(g);
}

Test(errors, an_unknown_name_in_a_map_is_shown_with_its_place)
{
    gpu *g = test_open();
    float sum = 77;
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    char place[64];
    snprintf(place, sizeof place, "test_errors.c:%d", __LINE__ + 1);
    gpu_array *y = gpu_map(x, "x + frobnicate * 2");
    test_fails(GPU_E_SNIPPET, gpu_reduce(y, "a + b", &sum));
    test_has(gpu_error(), place);
    test_has(gpu_error(), "gpu_map");
    test_has(gpu_error(), "undeclared identifier");
    test_caret(gpu_error(), "x + frobnicate * 2", 4);
    cr_assert_eq(sum, 77);
    test_still_works(g, "x + frobnicate * 2");
    test_close(g);
}

Test(errors, an_unknown_name_in_an_operator_is_shown_with_its_place)
{
    gpu *g = test_open();
    float sum = 77;
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    char place[64];
    snprintf(place, sizeof place, "test_errors.c:%d", __LINE__ + 1);
    test_fails(GPU_E_SNIPPET, gpu_reduce(x, "a + b + missing", &sum));
    test_has(gpu_error(), place);
    test_has(gpu_error(), "gpu_reduce");
    test_caret(gpu_error(), "a + b + missing", 8);
    cr_assert_eq(sum, 77);
    test_close(g);
}

Test(errors, a_result_of_a_wrong_type_points_into_the_snippet)
{
    test_needs_opencl();
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_FLOAT, 2000);
    test_array_fails(GPU_E_SNIPPET, gpu_eval(gpu_map_to(x, GPU_INT, "(float2)(x, 1)")));
    test_has(gpu_error(), test_verifies() ? "gpu_map: " : "in gpu_map: "); /* FIREPILE_VERIFY computes in the call */
    test_caret(gpu_error(), "(float2)(x, 1)", 0);
    test_array_fails(GPU_E_SNIPPET, gpu_scan(x, "(float2)(a, b)"));
    test_caret(gpu_error(), "(float2)(a, b)", 0);
    test_close(g);
}

Test(errors, a_failed_call_gives_the_log_and_the_source)
{
    test_needs_opencl();
    gpu *g = test_open();
    float sum = 77;
    gpu_array *y = gpu_map(gpu_fill(g, GPU_FLOAT, &(float){1}, 10), "x + frobnicate * 2");
    test_fails(GPU_E_SNIPPET, gpu_reduce(y, "a + b", &sum));
    test_has(gpu_error_log(), "frobnicate");
    test_has(gpu_error_source(), "x + frobnicate * 2");
    test_fails(GPU_E_SNIPPET, gpu_reduce(gpu_range(g, GPU_FLOAT, 10), "a + b + missing", &sum));
    test_has(gpu_error_log(), "missing");
    test_close(g);
}

Test(errors, log_and_source_travel_with_the_array)
{
    test_needs_opencl();
    gpu *g = test_open();
    float sum = 77;
    gpu_array *y = test_array_fails(GPU_E_SNIPPET, gpu_map(gpu_fill(g, GPU_FLOAT, &(float){1}, 10), "x * bamboozle"));
    test_fails(GPU_E_ARGUMENT, gpu_sum(gpu_range(g, GPU_INT, 3), (int *)NULL)); /* another failure between */
    cr_assert_str_eq(gpu_error_log(), "");
    test_fails(GPU_E_SNIPPET, gpu_reduce(gpu_map(y, "x + 1"), "a + b", &sum));
    test_has(gpu_error_log(), "bamboozle");
    test_has(gpu_error_source(), "x * bamboozle");
    test_close(g);
}

Test(errors, the_caret_stands_in_the_right_line_of_many)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    gpu_array *y = test_array_fails(GPU_E_SNIPPET, gpu_map(x, "x +\n   3 * frobnicate +\n 1"));
    test_caret(gpu_array_error(y), "3 * frobnicate +", 4);
    y = test_array_fails(GPU_E_SNIPPET, gpu_map(x, "{\n    float t = x;\n    return t + missing;\n}"));
    test_caret(gpu_array_error(y), "return t + missing;", 11);
    y = test_array_fails(GPU_E_SNIPPET, gpu_map(x, "x // one\n + frobnicate"));
    test_caret(gpu_array_error(y), "+ frobnicate", 2);
    test_close(g);
}

Test(errors, unbalanced_text_is_found_at_the_call)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    gpu_array *y = gpu_map(x, "x + 1) * 2");
    cr_assert_eq(gpu_array_status(y), GPU_E_SNIPPET, "found only when the array is needed"); /* at once */
    test_caret(gpu_array_error(y), "x + 1) * 2", 5);
    y = gpu_map(x, "x +\n \"open");
    cr_assert_eq(gpu_array_status(y), GPU_E_SNIPPET);
    test_caret(gpu_array_error(y), "\"open", 0);
    y = gpu_map(x, "x + fp_load(i)");
    cr_assert_eq(gpu_array_status(y), GPU_E_SNIPPET);
    test_caret(gpu_array_error(y), "x + fp_load(i)", 4);
    test_close(g);
}

Test(errors, the_wrong_snippet_of_a_fused_chain_is_named)
{
    gpu *g = test_open();
    gpu_array *a = gpu_map(gpu_range(g, GPU_INT, 100), "x + 1");
    char place[64];
    snprintf(place, sizeof place, "test_errors.c:%d", __LINE__ + 1);
    gpu_array *b = gpu_map(a, "x * nonsense");
    gpu_array *c = gpu_map2(a, gpu_map(b, "x + 2"), "x - y");
    int out = 77;
    test_fails(GPU_E_SNIPPET, gpu_reduce(c, "a + b", &out));
    test_has(gpu_error(), place);
    test_caret(gpu_error(), "x * nonsense", 4);
    cr_assert_eq(out, 77);
    test_close(g);
}

Test(errors, a_function_that_calls_a_host_function_names_both)
{
    test_needs_opencl();
    gpu *g = test_open();
    gpu_array *y = test_array_fails(GPU_E_SNIPPET, gpu_map(gpu_fill(g, GPU_FLOAT, &(float){1}, 10), uses_host));
    test_has(gpu_array_error(y), "host_only");
    test_has(gpu_array_error(y), "uses_host");
    test_still_works(g, "uses_host");
    test_close(g);
}

Test(errors, an_error_in_the_text_of_a_function_shows_its_line)
{
    test_needs_opencl();
    gpu *g = test_open();
    gpu_array *y = test_array_fails(GPU_E_SNIPPET, gpu_map(gpu_fill(g, GPU_FLOAT, &(float){1}, 10), "mistyped(x) + 1"));
    test_has(gpu_array_error(y), "mistyped");
    test_has(gpu_array_error(y), "return x * undeclared_thing;");
    test_caret(gpu_array_error(y), "return x * undeclared_thing;", 11);
    test_close(g);
}

Test(errors, recursive_functions_are_refused)
{
    test_needs_opencl();
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    test_array_fails(GPU_E_SNIPPET, gpu_map(x, recursive));
    test_array_fails(GPU_E_SNIPPET, gpu_map(x, "recursive(x)"));
    test_close(g);
}

Test(errors, an_error_in_a_constant_points_into_the_snippet)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    gpu_array *y = test_array_fails(GPU_E_SNIPPET, gpu_map(x, "x +\n (fixed = x)")); /* in a macro's expansion */
    test_has(gpu_array_error(y), "test_errors.c:");
    test_caret(gpu_array_error(y), "(fixed = x)", 7);
    test_still_works(g, "(fixed = x)");
    test_close(g);
}

/* The program declares few functions, under other names: messages have the user's names. */
Test(errors, wrong_calls_of_built_in_functions_name_them)
{
    static const struct {
        const char *text, *says;
        int caret;
    } wrong[] = {{"1 + sqrtt(x)", "'sqrtt'", 4},
                 {"sqrt(x, 2)", "'sqrt'", 0},
                 {"x + fmax(x)", "'fmax'", 4},
                 {"native_sin(x) + isnann(x)", "'isnann'", 16},
                 {"select(x, x)", "'select'", 0}};
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    for (size_t k = 0; k < COUNT_OF(wrong); k++) {
        gpu_array *y = test_array_fails(GPU_E_SNIPPET, gpu_eval(gpu_map(x, wrong[k].text)));
        test_has(gpu_array_error(y), wrong[k].says);
        test_caret(gpu_array_error(y), wrong[k].text, wrong[k].caret);
    }
    test_close(g);
}

Test(errors, warnings_of_the_compiler_are_silent) /* E06 */
{
    gpu *g = test_open();
    int got[2];
    test_ok(gpu_read(gpu_map(gpu_range(g, GPU_INT, 2), "{ int u = 0; return x; }"), got));
    cr_assert_str_eq(gpu_error(), "", "%s", gpu_error());
    cr_assert_str_eq(gpu_error_log(), "");
    cr_assert_str_eq(gpu_error_source(), "");
    test_close(g);
}

Test(errors, arrays_made_of_a_failure_have_the_first_failure)
{
    gpu *g = test_open();
    int sink = 77;
    gpu_array *good = gpu_range(g, GPU_INT, 4), *bad = gpu_slice(good, 3, 2);
    cr_assert_eq(gpu_array_status(bad), GPU_E_RANGE);
    char *text = strdup(gpu_array_error(bad));
    test_has(text, "test_errors.c:");
    test_has(text, "gpu_slice");
    gpu_array *later = gpu_slice(good, 9, 9);
    gpu_array *made[] = {gpu_map(bad, "x"),
                         gpu_map2(good, bad, "x"),
                         gpu_map2(bad, later, "x"),
                         gpu_map_to(bad, GPU_FLOAT, "x +"),
                         gpu_map3(good, good, bad, "x"),
                         gpu_slice(bad, 0, 0),
                         gpu_reduced(bad, "a + b"),
                         gpu_block_reduce(bad, 0, "a"),
                         gpu_eval(bad),
                         gpu_keep(bad),
                         gpu_map(good, "x + bad[0]", GPU_ARG(bad))};
    for (size_t k = 0; k < COUNT_OF(made); k++) {
        cr_assert_eq(gpu_array_status(made[k]), GPU_E_RANGE, "%zu: %s", k, gpu_status_name(gpu_array_status(made[k])));
        cr_assert_str_eq(gpu_array_error(made[k]), text, "%zu: %s", k, gpu_array_error(made[k]));
        cr_assert_null(gpu_type_of(made[k]));
        cr_assert_eq(gpu_length(made[k]), 0);
        cr_assert_str_eq(gpu_error(), text);
        test_array_fails(GPU_E_SNIPPET, gpu_map(good, ")"));
        test_fails(GPU_E_RANGE, gpu_read(gpu_map(made[k], "x + 1"), &sink));
        cr_assert_str_eq(gpu_error(), text, "%zu: %s", k, gpu_error());
    }
    cr_assert_eq(sink, 77, "an output was written");
    free(text);
    test_still_works(g, "errors in arrays");
    test_close(g);
}

Test(errors, values_of_a_failure_are_its_status_and_write_nothing)
{
    gpu *g = test_open();
    int sink = 77, n_sink[4] = {77, 77, 77, 77};
    size_t n = 77;
    bool yes = true;
    gpu_array *bad = gpu_slice(gpu_range(g, GPU_INT, 4), 3, 2);
    test_fails(GPU_E_RANGE, gpu_read_n(bad, n_sink, 4, &n));
    test_fails(GPU_E_RANGE, gpu_reduce(bad, "a + b", &sink));
    test_fails(GPU_E_RANGE, gpu_fold(bad, &(int){1}, "a + b", &sink));
    test_fails(GPU_E_RANGE, gpu_reduce_all(bad, "a + b", &sink, "a", &sink));
    test_fails(GPU_E_RANGE, gpu_sum(bad, &sink));
    test_fails(GPU_E_RANGE, gpu_argmax(bad, &n));
    test_fails(GPU_E_RANGE, gpu_count(bad, "x", &n));
    test_fails(GPU_E_RANGE, gpu_all(bad, "x", &yes));
    cr_assert_str_eq(gpu_error(), gpu_array_error(bad));
    cr_assert(sink == 77 && n == 77 && n_sink[0] == 77 && yes, "an output was written");
    test_close(g);
}

static size_t heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

Test(errors, arrays_share_the_failure_that_they_carry)
{
    test_needs_opencl();
    gpu *g = test_open();
    gpu_array *bad = test_array_fails(GPU_E_SNIPPET, gpu_map(gpu_range(g, GPU_INT, 10), "x * bamboozle")), *made = bad;
    size_t before = heap_bytes();
    for (int k = 0; k < 10000; k++) made = gpu_map(k % 2 ? bad : made, "x + 1");
    size_t now = heap_bytes();
    cr_assert_lt(now, before + (8 << 20), "%zu bytes more", now - before);
    cr_assert_str_eq(gpu_array_error(made), gpu_array_error(bad));
    int out;
    test_fails(GPU_E_SNIPPET, gpu_sum(made, &out));
    cr_assert_str_eq(gpu_error(), gpu_array_error(bad));
    test_has(gpu_error_log(), "bamboozle");
    test_close(g);
}

Test(errors, operators_that_structs_lack_are_refused)
{
    gpu *g = test_open();
    aligned data[2] = {{1, {2, 3}}, {4, {5, 6}}}, out = {7, {7, 7}};
    gpu_array *a = test_array_ok(gpu_array_from(g, GPU_TYPE(aligned), data, 2));
    test_fails(GPU_E_SNIPPET, gpu_reduce(a, "a + b", &out)); /* the compiler has no + for structs */
    cr_assert_eq(out.a, 7);
    test_array_fails(GPU_E_SNIPPET, gpu_map(a, "x.none"));
    test_array_fails(GPU_E_SNIPPET, gpu_map_to(a, GPU_FLOAT, "x"));
    test_close(g);
}

Test(errors, layouts_that_devices_lack_are_refused)
{
    gpu *g = test_open();
    char bytes[64] = {0};
    gpu_array *a = test_array_fails(GPU_E_LAYOUT, gpu_array_from(g, GPU_TYPE(with_pointer), bytes, 1));
    test_has(gpu_array_error(a), "with_pointer");
    test_has(gpu_array_error(a), "p");
    test_array_fails(GPU_E_LAYOUT, gpu_array_from(g, GPU_TYPE(with_bool), bytes, 1));
    test_array_fails(GPU_E_LAYOUT, gpu_array_from(g, GPU_TYPE(with_bits), bytes, 1));
    a = test_array_fails(GPU_E_LAYOUT, gpu_array_from(g, GPU_TYPE(packed), bytes, 1));
    test_has(gpu_array_error(a), "packed");
    test_array_fails(GPU_E_LAYOUT, gpu_fill(g, GPU_TYPE(packed), &(packed){0}, 3));
    test_array_fails(GPU_E_LAYOUT, gpu_map_to(gpu_range(g, GPU_INT, 3), GPU_TYPE(packed), "{ packed p; return p; }"));
    test_still_works(g, "wrong layouts");
    test_close(g);
}

Test(errors, a_failure_names_the_place_of_the_call)
{
    gpu *g = test_open();
    char place[64];
    int out;
    snprintf(place, sizeof place, "test_errors.c:%d", __LINE__ + 1);
    test_fails(GPU_E_EMPTY, gpu_reduce(gpu_range(g, GPU_INT, 0), "a", &out));
    test_has(gpu_error(), place);
    test_has(gpu_error(), "gpu_reduce");
    test_close(g);
}

Test(errors, a_call_without_macros_has_no_place)
{
    gpu *g = test_open();
    int out;
    gpu_operator op = {"a +", NULL, NULL, NULL};
    test_fails(GPU_E_SNIPPET, gpu_reduce_op(gpu_range(g, GPU_INT, 3), &op, &(gpu_output){&out, GPU_INT, sizeof out}));
    test_has(gpu_error(), "gpu_reduce");
    test_close(g);
}

Test(errors, a_status_has_a_name)
{
    cr_assert_str_eq(gpu_status_name(GPU_E_TYPE), "GPU_E_TYPE");
    cr_assert(gpu_status_name((gpu_status)12345));
}

/* Debian has no comma locale until one is made; localedef makes it in a folder of ours. */
static bool use_comma_locale(char *folder)
{
    static const char *const names[] = {"fr_FR.UTF-8", "de_DE.UTF-8", "fr_FR.utf8", "de_DE.utf8", "fr_FR", "de_DE"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (setlocale(LC_ALL, names[k])) return true;
    }
    char command[2 * TEST_PATH];
    snprintf(command, sizeof command, "localedef -c -i fr_FR -f UTF-8 %s/fr_FR.UTF-8 >/dev/null 2>&1", folder);
    if (system(command)) return false;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_ALL, "fr_FR.UTF-8") != NULL;
}

Test(errors, a_locale_with_a_decimal_comma_changes_nothing) /* E01 */
{
    char folder[TEST_PATH];
    test_folder_make(folder);
    bool comma = use_comma_locale(folder);
    test_folder_remove(folder);
    if (!comma) cr_skip("there is no locale with a decimal comma");
    cr_assert_str_eq(localeconv()->decimal_point, ",");
    setenv("FIREPILE_CACHE", "off", 1);
    gpu *g = test_open();
    float data[] = {1, 3}, got[2], quarter = 0.25f, sum;
    gpu_array *x = gpu_array_of(g, data, 2);
    test_ok(gpu_read(gpu_map(x, "x * 0.5f"), got));
    cr_assert(got[0] == 0.5f && got[1] == 1.5f, "%g %g", (double)got[0], (double)got[1]);
    test_ok(gpu_read(
        gpu_map2(gpu_map(x, "x * quarter", GPU_ARG(quarter)), gpu_fill(g, GPU_FLOAT, &quarter, 2), "x + y"), got));
    cr_assert(got[0] == 0.5f && got[1] == 1.0f, "%g %g", (double)got[0], (double)got[1]);
    test_ok(gpu_fold(x, &quarter, "a + b", &sum));
    cr_assert_eq(sum, 4.25f);
    test_close(g);
}
