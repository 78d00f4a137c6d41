/* Mistakes in calls of gpu_spawn, and their messages. */
#include "support/line.h"
#include "support/support.h"

#include <string.h>

GPU_FUNCTION(int, add_ints, (int a, int b), { return a + b; });
GPU_FUNCTION(int, of_four, (int a, int b, int c, int d), { return a + b + c + d; });

/* The call fails with this status, and the result carries the same text. */
#define REFUSES(status, result, part, ...) refuses(__LINE__, (status), &(result), (part), (__VA_ARGS__))
static void refuses(int line, gpu_status wanted, gpu_array **result, const char *part, gpu_status got)
{
    test_end_if_refused(gpu_error());
    cr_assert_eq(got, wanted, "line %d: the status is %d: %s", line, got, gpu_error());
    cr_assert(strstr(gpu_error(), part), "line %d: no \"%s\" in \"%s\"", line, part, gpu_error());
    cr_assert_eq(gpu_array_status(*result), wanted);
    test_has(gpu_array_error(*result), part);
}

/* ---- the space ---- */

Test(spawn_errors, no_gpu)
{
    gpu_array *y;
    cr_assert_eq(gpu_spawn(NULL, gpu_space_of(NULL, 3), "{ y[0] = 1; }", GPU_RESULT(y, GPU_INT, 1)), GPU_E_ARGUMENT);
    cr_assert_eq(gpu_array_status(y), GPU_E_ARGUMENT);
}

Test(spawn_errors, spaces)
{
    gpu *g = test_open();
    gpu_array *y;
    const struct {
        gpu_space space;
        const char *part;
    } all[] = {{{.groups = 0, .items = 4}, "0 groups, and may have 1 to"},
               {{.groups = (size_t)1 << 32, .items = 4}, "4294967296 groups"},
               {{.groups = 1, .items = 0}, "0 items in a group, and"},
               {{.groups = 1, .items = 1 << 20}, "1048576 items in a group, and"},
               {{.groups = 4, .items = 4, .group_rows = 2}, "has both"},
               {{.groups = 4, .items = 4, .item_rows = 2}, "has both"},
               {{.groups = 4, .items = 4, .group_rows = 3, .item_rows = 2}, "4 groups do not form 3 equal rows"},
               {{.groups = 4, .items = 4, .group_rows = 2, .item_rows = 3}, "4 items do not form 3 equal rows"}};
    for (size_t k = 0; k < COUNT_OF(all); k++)
        REFUSES(GPU_E_ARGUMENT, y, all[k].part, gpu_spawn(g, all[k].space, "{ y[i] = 1; }", GPU_RESULT(y, GPU_INT, 4)));
    test_close(g);
}

Test(spawn_errors, too_much_local_memory)
{
    gpu *g = test_open();
    gpu_array *y;
    const size_t counts[] = {(size_t)1 << 28, SIZE_MAX / 8, SIZE_MAX};
    for (size_t k = 0; k < COUNT_OF(counts); k++)
        REFUSES(GPU_E_ARGUMENT, y, "bytes of local memory for a group, and",
                gpu_spawn(g, gpu_space_of(g, 4), "{ t[0] = 1; y[i] = s[0]; }", GPU_GROUP(t, GPU_INT, counts[k]),
                          GPU_GROUP(s, GPU_INT, counts[k]), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_ARGUMENT, y, "asks for 1073741824 bytes",
            gpu_spawn(g, gpu_space_of(g, 4), "{ t[0] = 1; y[i] = 1; }", GPU_GROUP(t, GPU_INT, 1 << 28),
                      GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_ARGUMENT, y, "the local memory 't' has no elements",
            gpu_spawn(g, gpu_space_of(g, 4), "{ y[i] = 1; }", GPU_GROUP(t, GPU_INT, 0), GPU_RESULT(y, GPU_INT, 4)));
    test_close(g);
}

/* ---- the text ---- */

Test(spawn_errors, texts)
{
    gpu *g = test_open();
    gpu_array *y;
    const char *none = NULL;
    const struct {
        const char *text, *part;
    } all[] = {{"y[i] = 1", "a kernel is a body in braces"},
               {"", "the kernel's text is empty"},
               {"{ y[i] = 1; ", "this bracket is not closed"},
               {"{ y[i] = 1; } y[0] = 2;", "something follows the body"},
               {"{ int item = 3; y[i] = item; }", "'item' is a name of all kernels here"},
               {"{ int y = 3; }", "'y' is a captured value here"},
               {"{ y[i] = fp_item; }", "belong to the library"},
               {"{ y[i] = 1; return 3; }", "a kernel returns nothing: write \"return;\""},
               {"{ y[i] = 1; sync; }", "the barrier is a call: write \"sync();\""},
               {"{ y[i] = column; }", "'column' is a name of spaces of two dimensions: gpu_space_of_2 makes one"},
               {"{ while (1 { y[i] = 1; } }", "this bracket does not match the one that is open"},
               {"{ y[i] = 'a; }", "a quote is not closed"},
               {"{ y[i] = 1; /* }", "a comment is not closed"},
               {"{\n#if 1\ny[i] = 1;\n#endif\n}", "preprocessor directives"}};
    for (size_t k = 0; k < COUNT_OF(all); k++)
        REFUSES(GPU_E_SNIPPET, y, all[k].part,
                gpu_spawn(g, gpu_space_of(g, 4), all[k].text, GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_ARGUMENT, y, "NULL", gpu_spawn(g, gpu_space_of(g, 4), none, GPU_RESULT(y, GPU_INT, 4)));
    cr_assert_eq(gpu_spawn_op(g, gpu_space_of(g, 4), NULL), GPU_E_ARGUMENT);
    test_close(g);
}

Test(spawn_errors, compiler_points_into_the_text)
{
    gpu *g = test_open();
    gpu_array *y;
    REFUSES(GPU_E_SNIPPET, y, "nothing",
            gpu_spawn(g, gpu_space_of(g, 4), "{\n  int k = 2;\n  y[i] = k + nothing;\n}", GPU_RESULT(y, GPU_INT, 4)));
    test_caret(gpu_error(), "  y[i] = k + nothing;", 13);
    gpu_array *x = gpu_range(g, GPU_INT, 4);
    REFUSES(GPU_E_SNIPPET, y, "x",
            gpu_spawn(g, gpu_space_of(g, 4), "{\n  y[0] = 1;\n  x[i] = 5;\n}", GPU_ARG(x), GPU_RESULT(y, GPU_INT, 4)));
    test_caret(gpu_error(), "  x[i] = 5;", 7);
    REFUSES(GPU_E_SNIPPET, y, "undeclared",
            gpu_spawn(g, gpu_space_of(g, 4), "{ y[i] = f(i, i); }", GPU_ARG_OPERATOR(f, GPU_INT, "a + missing"),
                      GPU_RESULT(y, GPU_INT, 4)));
    test_caret(gpu_error(), "a + missing", 4);
    test_close(g);
}

/* The compiler's words, and a caret in the user's line. */
Test(spawn_errors, compilers_words)
{
    gpu *g = test_open();
    gpu_array *y;
    const int k = 3;
    const struct {
        const char *text, *part, *line;
        int column;
    } all[] = {{"{\n  int m = 2\n  y[i] = m;\n}", "expected ';'", "  int m = 2", 11},
               {"{\n  y[i] = unknown(3);\n}", "unknown", "  y[i] = unknown(3);", 9},
               {"{\n  y[i] = add_ints(1);\n}", "too few arguments", "  y[i] = add_ints(1);", 19},
               {"{\n  y[i].x = 2;\n}", "is not a structure", "  y[i].x = 2;", 6},
               {"{\n  y[i] = k;\n  k = 4;\n}", "cannot assign to variable 'k'", "  k = 4;", 4},
               {"{\n  y[i] = 1;\n  item = 4;\n}", "not assignable", "  item = 4;", 7}};
    for (size_t e = 0; e < COUNT_OF(all); e++) {
        REFUSES(GPU_E_SNIPPET, y, all[e].part,
                gpu_spawn(g, gpu_space_of(g, 4), all[e].text, GPU_ARG(k), GPU_RESULT(y, GPU_INT, 4)));
        test_caret(gpu_error(), all[e].line, all[e].column);
    }
    test_close(g);
}

/* ---- parts ---- */

Test(spawn_errors, names_of_parts)
{
    gpu *g = test_open();
    gpu_array *y, *item, *kept;
    int k = 3, yes = 1;
    REFUSES(GPU_E_ARGUMENT, item, "cannot be called 'item'",
            gpu_spawn(g, gpu_space_of(g, 4), "{ item[0] = 1; }", GPU_RESULT(item, GPU_INT, 4)));
    REFUSES(GPU_E_ARGUMENT, y, "two captured values are called 'y'",
            gpu_spawn(g, gpu_space_of(g, 4), "{ y[i] = 1; }", GPU_RESULT(y, GPU_INT, 4), GPU_ARG_NAMED(y, k)));
    REFUSES(GPU_E_ARGUMENT, y, "the kernel does not write its result 'y'",
            gpu_spawn(g, gpu_space_of(g, 4), "{ int z = k; }", GPU_ARG(k), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_ARGUMENT, kept, "no GPU_RESULT of that name",
            gpu_spawn(g, gpu_space_of(g, 4), "{ kept_count[0] = 1; }", GPU_RESULT_COUNT(kept, &kept)));
    test_ok(gpu_spawn(g, gpu_space_of(g, 4), "{ int y = yes; }", GPU_ARG(yes)));
    gpu_finish(g);
    test_close(g);
}

Test(spawn_errors, types_of_parts)
{
    gpu *g = test_open(), *other = gpu_open("host");
    gpu_array *y, *z, *of_other = gpu_range(other, GPU_INT, 3);
    const gpu_space s = gpu_space_of(g, 4);
    REFUSES(GPU_E_ARGUMENT, y, "'y' has no type", gpu_spawn(g, s, "{ y[i] = 1; }", GPU_RESULT(y, NULL, 4)));
    REFUSES(GPU_E_ARGUMENT, y, "belongs to another gpu",
            gpu_spawn(g, s, "{ y[i] = 1; }", GPU_RESULT_FROM(y, of_other)));
    REFUSES(GPU_E_ARGUMENT, y, "y", gpu_spawn(g, s, "{ y[i] = 1; }", GPU_RESULT_FROM(y, NULL)));
    gpu_array *bad = gpu_slice(gpu_range(g, GPU_INT, 3), 2, 5);
    REFUSES(GPU_E_RANGE, y, "gpu_slice",
            gpu_spawn(g, s, "{ y[i] = bad[0]; z[i] = 1; }", GPU_ARG(bad), GPU_RESULT(y, GPU_INT, 4),
                      GPU_RESULT(z, GPU_INT, 4)));
    cr_assert_eq(gpu_array_status(z), GPU_E_RANGE);
    test_array_fails(GPU_E_ARGUMENT, gpu_map(gpu_range(g, GPU_INT, 3), "x + t[0]", GPU_GROUP(t, GPU_INT, 4)));
    test_has(gpu_error(), "which gpu_spawn alone takes");
    gpu_close(other);
    test_close(g);
}

Test(spawn_errors, values_of_parts)
{
    gpu *g = test_open();
    gpu_array *y, *none = NULL;
    const gpu_space s = gpu_space_of(g, 4);
    struct {
        int a;
    } odd = {1};
    REFUSES(GPU_E_ARGUMENT, y, "the array 'none' is NULL",
            gpu_spawn(g, s, "{ y[i] = none[0]; }", GPU_ARG(none), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_ARGUMENT, y, "the captured value 'odd' is neither scalar, vector nor gpu_array",
            gpu_spawn(g, s, "{ y[i] = odd.a; }", GPU_ARG(odd), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_ARGUMENT, y, "two captured values are called 'y'",
            gpu_spawn(g, s, "{ y[i] = 1; }", GPU_RESULT(y, GPU_INT, 4), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_ARGUMENT, y, "'t' has no type: pass GPU_FLOAT, or GPU_TYPE(its_struct)",
            gpu_spawn(g, s, "{ y[i] = t[0]; }", GPU_GROUP(t, NULL, 4), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_MEMORY, y, "cannot allocate",
            gpu_spawn(g, s, "{ y[i] = 1; }", GPU_RESULT(y, GPU_INT, (size_t)1 << 60)));
    test_close(g);
}

Test(spawn_errors, operators)
{
    gpu *g = test_open();
    gpu_array *y;
    const char *none = NULL;
    const gpu_space s = gpu_space_of(g, 4);
    REFUSES(GPU_E_TYPE, y, "add_ints",
            gpu_spawn(g, s, "{ y[i] = f(1.5f, 2); }", GPU_ARG_OPERATOR(f, GPU_FLOAT, add_ints),
                      GPU_RESULT(y, GPU_FLOAT, 4)));
    REFUSES(
        GPU_E_ARGUMENT, y, "'f' takes 4 values; 1 to 3 are possible",
        gpu_spawn(g, s, "{ y[i] = f(1, 2, 3, 4); }", GPU_ARG_OPERATOR(f, GPU_INT, of_four), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_ARGUMENT, y, "NULL",
            gpu_spawn(g, s, "{ y[i] = f(1, 2); }", GPU_ARG_OPERATOR(f, GPU_INT, none), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(
        GPU_E_SNIPPET, y, "",
        gpu_spawn(g, s, "{ y[i] = f(1, 2, 3); }", GPU_ARG_OPERATOR(f, GPU_INT, "a + b"), GPU_RESULT(y, GPU_INT, 4)));
    test_close(g);
}

Test(spawn_errors, too_many_results)
{
    gpu *g = test_open();
    gpu_array *p, *q, *r, *s, *t, *u, *v, *w, *y;
    REFUSES(GPU_E_ARGUMENT, y, "makes at most 8 arrays",
            gpu_spawn(g, gpu_space_of(g, 1), "{ p[0] = q[0] = r[0] = s[0] = t[0] = u[0] = v[0] = w[0] = y[0] = 1; }",
                      GPU_RESULT(p, GPU_INT, 1), GPU_RESULT(q, GPU_INT, 1), GPU_RESULT(r, GPU_INT, 1),
                      GPU_RESULT(s, GPU_INT, 1), GPU_RESULT(t, GPU_INT, 1), GPU_RESULT(u, GPU_INT, 1),
                      GPU_RESULT(v, GPU_INT, 1), GPU_RESULT(w, GPU_INT, 1), GPU_RESULT(y, GPU_INT, 1)));
    cr_assert_eq(gpu_array_status(p), GPU_E_ARGUMENT);
    test_close(g);
}
