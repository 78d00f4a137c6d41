/* Mistakes in calls of gpu_spawn, and their messages. */
#include "support/line.h"
#include "support/refusals.h"

#include <string.h>

GPU_FUNCTION(int, add_ints, (int a, int b), { return a + b; });
GPU_FUNCTION(int, of_four, (int a, int b, int c, int d), { return a + b + c + d; });
GPU_FUNCTION(int, count_down, (int n), { return n > 0 ? count_down(n - 1) : 0; });

static const int numbers[4] = {1, 2, 3, 4};
static int plus_one(int x)
{
    return x + 1;
}
GPU_KERNEL(ones, (GPU_GLOBAL int *y), { y[i] = 1; });
GPU_KERNEL(calls_itself, (GPU_GLOBAL int *y), {
    y[i] = 1;
    if (i == 0) calls_itself(y);
});
GPU_KERNEL(calls_ones, (GPU_GLOBAL int *y), { ones(y); });
GPU_KERNEL(calls_count_down, (GPU_GLOBAL int *y), { y[i] = count_down((int)i); });
GPU_KERNEL(calls_plain_c, (GPU_GLOBAL int *y), { y[i] = plus_one((int)i); });
GPU_KERNEL(reads_a_variable, (GPU_GLOBAL int *y), { y[i] = numbers[i % 4]; });
GPU_KERNEL(changes_a_value, (int k, GPU_GLOBAL int *y), {
    k++;
    y[i] = k;
});
GPU_KERNEL(two_dimensions, (GPU_GLOBAL int *y), { y[4 * row + column] = 1; });
GPU_KERNEL(count_of_ints, (GPU_GLOBAL int *y, GPU_GLOBAL int *y_count), { y[atomic_inc(y_count)] = 1; });
GPU_KERNEL(short_length, (GPU_GLOBAL const int *x, uint32_t x_length, GPU_GLOBAL int *y), {
    if (i < x_length) y[i] = x[i];
});
GPU_KERNEL(writes_the_input, (GPU_GLOBAL int *x, GPU_GLOBAL int *y), { y[i] = x[i] = 1; });
GPU_KERNEL(local_result, (GPU_LOCAL_MEMORY int *y), { y[0] = 1; });

/* What the library finds, it finds on the device and on the host alike. */
static void on_both_sides(void (*mistakes)(gpu *g))
{
    for (int host = 0; host < 2; host++) {
        gpu *g = test_open_side(host);
        mistakes(g);
        test_close(g);
    }
}

/* The call fails with this status, and the result carries the same text. */
#define REFUSES(status, result, part, ...) refuses(__LINE__, (status), &(result), (part), (__VA_ARGS__))
static void refuses(int line, gpu_status wanted, gpu_array **result, const char *part, gpu_status got)
{
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

static void wrong_spaces(gpu *g)
{
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
}

Test(spawn_errors, spaces_that_cannot_be_are_refused)
{
    on_both_sides(wrong_spaces);
}

static void wrong_local_memory(gpu *g)
{
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
}

Test(spawn_errors, too_much_local_memory)
{
    on_both_sides(wrong_local_memory);
}

/* ---- the text ---- */

static void wrong_texts(gpu *g)
{
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
               {"{ y[i] = 1; sync(1); }", "the barrier is a call: write \"sync();\""},
               {"{ y[i] = 1; item = 4; }", "'item' cannot be changed: copy it into a variable"},
               {"{ y[i] = 1; ones(y); }", ") is a GPU_KERNEL, which no kernel calls"},
               {"{ y[i] = column; }", "'column' is a name of spaces of two dimensions: gpu_space_of_2 makes one"},
               {"{ while (1 { y[i] = 1; } }", "this bracket does not match the one that is open"},
               {"{ y[i] = 'a; }", "a quote is not closed"},
               {"{ y[i] = 1; /* }", "a comment is not closed"},
               {"{\n#if 1\ny[i] = 1;\n#endif\n}", "preprocessor directives"}};
    for (size_t k = 0; k < COUNT_OF(all); k++)
        REFUSES(GPU_E_SNIPPET, y, all[k].part,
                gpu_spawn(g, gpu_space_of(g, 4), all[k].text, GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_ARGUMENT, y, "the kernel is NULL: pass a text or a GPU_KERNEL",
            gpu_spawn(g, gpu_space_of(g, 4), none, GPU_RESULT(y, GPU_INT, 4)));
    cr_assert_eq(gpu_spawn_op(g, gpu_space_of(g, 4), NULL), GPU_E_ARGUMENT);
}

Test(spawn_errors, texts_that_are_no_kernel_are_refused)
{
    on_both_sides(wrong_texts);
}

Test(spawn_errors, compiler_points_into_the_text)
{
    test_needs_opencl();
    gpu *g = test_open();
    gpu_array *y;
    REFUSES(GPU_E_SNIPPET, y, "nothing",
            gpu_spawn(g, gpu_space_of(g, 4), "{\n  int k = 2;\n  y[i] = k + nothing;\n}", GPU_RESULT(y, GPU_INT, 4)));
    test_caret(gpu_error(), "  y[i] = k + nothing;", 13);
    REFUSES(GPU_E_SNIPPET, y, "missing",
            gpu_spawn(g, gpu_space_of(g, 4), "{ y[i] = f(i, i); }", GPU_ARG_OPERATOR(f, GPU_INT, "a + missing"),
                      GPU_RESULT(y, GPU_INT, 4)));
    test_caret(gpu_error(), "a + missing", 4);
    test_close(g);
}

/* The message has the line of the text. The words are the compiler's. */
Test(spawn_errors, what_the_compiler_finds)
{
    test_needs_opencl();
    gpu *g = test_open();
    gpu_array *y;
    const char *texts[] = {"{\n  y[i] = 2 + ;\n}",     "{\n  y[i] = nothing(3);\n}",   "{\n  y[i] = add_ints(1);\n}",
                           "{\n  y[i].x = 2;\n}",      "{\n  vec v = 2; y[i] = v;\n}", "{\n  line l; y[i] = l;\n}",
                           "{\n  y[i] = 1; break;\n}", "{\n  y[i] = plus_one(2);\n}"};
    for (size_t k = 0; k < COUNT_OF(texts); k++) {
        const char *wrong = strchr(texts[k], '\n') + 1;
        char shown[64];
        snprintf(shown, sizeof shown, "%.*s", (int)strcspn(wrong, "\n"), wrong);
        REFUSES(GPU_E_SNIPPET, y, shown, gpu_spawn(g, gpu_space_of(g, 4), texts[k], GPU_RESULT(y, GPU_INT, 4)));
    }
    REFUSES(GPU_E_SNIPPET, y, "  int m = 2",
            gpu_spawn(g, gpu_space_of(g, 4), "{\n  int m = 2\n  y[i] = m;\n}", GPU_RESULT(y, GPU_INT, 4)));
    test_close(g);
}

/* Plain C that devices do not have. */
Test(spawn_errors, kernels_with_names_of_plain_c)
{
    test_needs_opencl();
    gpu *g = test_open();
    gpu_array *y;
    REFUSES(GPU_E_SNIPPET, y, "plus_one", gpu_spawn(g, gpu_space_of(g, 4), calls_plain_c, GPU_RESULT(y, GPU_INT, 256)));
    REFUSES(GPU_E_SNIPPET, y, "numbers",
            gpu_spawn(g, gpu_space_of(g, 4), reads_a_variable, GPU_RESULT(y, GPU_INT, 256)));
    test_close(g);
}

/* ---- parts ---- */

static void wrong_names(gpu *g)
{
    gpu_array *y, *item, *kept;
    int k = 3;
    REFUSES(GPU_E_ARGUMENT, item, "cannot be called 'item'",
            gpu_spawn(g, gpu_space_of(g, 4), "{ item[0] = 1; }", GPU_RESULT(item, GPU_INT, 4)));
    REFUSES(GPU_E_ARGUMENT, y, "two captured values are called 'y'",
            gpu_spawn(g, gpu_space_of(g, 4), "{ y[i] = 1; }", GPU_RESULT(y, GPU_INT, 4), GPU_ARG_NAMED(y, k)));
    REFUSES(GPU_E_ARGUMENT, y, "a captured value cannot be called 'half', which is a word of OpenCL C",
            gpu_spawn(g, gpu_space_of(g, 4), "{ y[i] = half; }", GPU_ARG_NAMED(half, k), GPU_RESULT(y, GPU_INT, 4)));
    gpu_array *x = gpu_range(g, GPU_INT, 4);
    const gpu_array *const input = x;
    REFUSES(
        GPU_E_ARGUMENT, x, "two captured values are called 'x'",
        gpu_spawn(g, gpu_space_of(g, 4), "{ x[i] = x[i] + 1; }", GPU_ARG_NAMED(x, input), GPU_RESULT(x, GPU_INT, 4)));
    REFUSES(GPU_E_ARGUMENT, y, "the kernel does not write its result 'y'",
            gpu_spawn(g, gpu_space_of(g, 4), "{ int z = k; }", GPU_ARG(k), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_ARGUMENT, kept, "no GPU_RESULT of that name",
            gpu_spawn(g, gpu_space_of(g, 4), "{ kept_count[0] = 1; }", GPU_RESULT_COUNT(kept, &kept)));
    REFUSES(GPU_E_ARGUMENT, kept, "GPU_RESULT_COUNT shortens 'kept', and the kernel has no GPU_RESULT of that name",
            gpu_spawn(g, gpu_space_of(g, 4), "{ kept[atomic_inc(kept_count)] = 1; }", GPU_RESULT_FROM(kept, input),
                      GPU_RESULT_COUNT(kept, NULL)));
    REFUSES(GPU_E_ARGUMENT, y, "GPU_RESULT_COUNT shortens 't', and the kernel has no GPU_RESULT of that name",
            gpu_spawn(g, gpu_space_of(g, 4), "{ y[i] = t[0]; }", GPU_GROUP(t, GPU_INT, 4), GPU_RESULT_COUNT(t, NULL),
                      GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_ARGUMENT, y, "two captured values are called 'y_count'",
            gpu_spawn(g, gpu_space_of(g, 4), "{ y[atomic_inc(y_count)] = 1; }", GPU_RESULT(y, GPU_INT, 4),
                      GPU_RESULT_COUNT(y, NULL), GPU_RESULT_COUNT(y, NULL)));
}

Test(spawn_errors, names_of_parts)
{
    on_both_sides(wrong_names);
}

static void wrong_types(gpu *g)
{
    gpu *other = gpu_open("host");
    gpu_array *y, *z, *of_other = gpu_range(other, GPU_INT, 3);
    const gpu_space s = gpu_space_of(g, 4);
    REFUSES(GPU_E_ARGUMENT, y, "'y' has no type", gpu_spawn(g, s, "{ y[i] = 1; }", GPU_RESULT(y, NULL, 4)));
    REFUSES(GPU_E_ARGUMENT, y, "belongs to another gpu",
            gpu_spawn(g, s, "{ y[i] = 1; }", GPU_RESULT_FROM(y, of_other)));
    REFUSES(GPU_E_ARGUMENT, y, "the captured array 'of_other' belongs to another gpu",
            gpu_spawn(g, s, "{ y[i] = of_other[i]; }", GPU_ARG(of_other), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_ARGUMENT, y, "the array 'y' is NULL", gpu_spawn(g, s, "{ y[i] = 1; }", GPU_RESULT_FROM(y, NULL)));
    gpu_array *bad = gpu_slice(gpu_range(g, GPU_INT, 3), 2, 5);
    REFUSES(GPU_E_RANGE, y, "gpu_slice",
            gpu_spawn(g, s, "{ y[i] = bad[0]; z[i] = 1; }", GPU_ARG(bad), GPU_RESULT(y, GPU_INT, 4),
                      GPU_RESULT(z, GPU_INT, 4)));
    cr_assert_eq(gpu_array_status(z), GPU_E_RANGE);
    test_array_fails(GPU_E_ARGUMENT, gpu_map(gpu_range(g, GPU_INT, 3), "x + t[0]", GPU_GROUP(t, GPU_INT, 4)));
    test_has(gpu_error(), "which gpu_spawn alone takes");
    gpu_close(other);
}

Test(spawn_errors, types_of_parts)
{
    on_both_sides(wrong_types);
}

static void wrong_values(gpu *g)
{
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
    REFUSES(GPU_E_TYPE, y, "the captured variable 'numbers' is an array or a pointer: make a gpu_array",
            gpu_spawn(g, s, "{ y[i] = numbers[i]; }", GPU_ARG(numbers), GPU_RESULT(y, GPU_INT, 4)));
    gpu_matrix *m = gpu_matrix_from(gpu_range(g, GPU_INT, 4), 2, 2);
    REFUSES(GPU_E_TYPE, y, "the captured variable 'm' is an array or a pointer: make a gpu_array",
            gpu_spawn(g, s, "{ y[i] = m[i]; }", GPU_ARG(m), GPU_RESULT(y, GPU_INT, 4)));
}

Test(spawn_errors, values_of_parts)
{
    on_both_sides(wrong_values);
}

static void long_results(gpu *g)
{
    gpu_array *y;
    const gpu_space s = gpu_space_of(g, 4);
    REFUSES(GPU_E_MEMORY, y, "cannot allocate 4611686018427387904 bytes",
            gpu_spawn(g, s, ones, GPU_RESULT(y, GPU_INT, (size_t)1 << 60)));
    REFUSES(GPU_E_MEMORY, y, "cannot allocate 18446744073709551615 elements",
            gpu_spawn(g, s, ones, GPU_RESULT(y, GPU_INT, SIZE_MAX)));
}

Test(spawn_errors, results_longer_than_the_memory)
{
    on_both_sides(long_results);
}

static void no_variables(gpu *g)
{
    gpu_array **none = NULL;
    const gpu_part part = {.kind = GPU_PART_RESULT, .type = GPU_INT, .count = 4};
    const gpu_capture y = {"y", &part, GPU_CAPTURE_PART, sizeof part};
    test_fails(GPU_E_ARGUMENT, gpu_spawn(g, gpu_space_of(g, 4), ones, &y));
    test_has(gpu_error(), "the result 'y' has no variable: give GPU_RESULT a gpu_array *");
    test_fails(GPU_E_ARGUMENT, gpu_spawn(g, gpu_space_of(g, 4), ones, GPU_RESULT(*none, GPU_INT, 4)));
    test_has(gpu_error(), "\"*none\" cannot be the name of a captured value");
    test_has(gpu_error(), "GPU_ARG and GPU_RESULT take a variable");
}

Test(spawn_errors, results_without_a_variable)
{
    on_both_sides(no_variables);
}

static void wrong_writes(gpu *g)
{
    gpu_array *y, *x = gpu_range(g, GPU_INT, 4);
    const gpu_space s = gpu_space_of(g, 4);
    const int k = 3;
    const line l = {1, 2};
    const char *const array = "the array 'x' is only read: GPU_RESULT_FROM makes a copy that can be written";
    REFUSES(GPU_E_SNIPPET, y, array,
            gpu_spawn(g, s, "{\n  y[0] = 1;\n  x[i] = 5;\n}", GPU_ARG(x), GPU_RESULT(y, GPU_INT, 4)));
    test_caret(gpu_error(), "  x[i] = 5;", 2);
    const char *texts[] = {"{ y[i] = 1; x[i] += 5; }", "{ y[i] = 1; x[y[i]]++; }", "{ x[x[i] + 1] <<= 2; y[i] = 1; }"};
    for (size_t t = 0; t < COUNT_OF(texts); t++)
        REFUSES(GPU_E_SNIPPET, y, array, gpu_spawn(g, s, texts[t], GPU_ARG(x), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_SNIPPET, y, array, gpu_spawn(g, s, writes_the_input, GPU_ARG(x), GPU_RESULT(y, GPU_INT, 4)));
    const char *const value = "the value 'k' cannot be changed: copy it into a variable";
    REFUSES(GPU_E_SNIPPET, y, value, gpu_spawn(g, s, "{ k = 4; y[i] = k; }", GPU_ARG(k), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_SNIPPET, y, value, gpu_spawn(g, s, changes_a_value, GPU_ARG(k), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_SNIPPET, y, "the value 'l' cannot be changed",
            gpu_spawn(g, s, "{ l.m = 4; y[i] = 1; }", GPU_ARG_AS(l, GPU_TYPE(line), l), GPU_RESULT(y, GPU_INT, 4)));
}

Test(spawn_errors, writes_to_what_is_read)
{
    on_both_sides(wrong_writes);
}

/* Comparisons, variables and members of these names are no writes. */
Test(spawn_errors, what_looks_like_a_write)
{
    test_needs_opencl();
    gpu *g = test_open();
    gpu_array *y, *x = gpu_range(g, GPU_INT, 4);
    const int k = 3;
    test_ok(gpu_spawn(g, ((gpu_space){.groups = 1, .items = 4}),
                      "{\n"
                      "  line l; l.m = 1; l.c = 0;\n"
                      "  for (int k = 0; k < 2; k++) l.c += k;\n"
                      "  y[i] = (x[i] == 2) + (k <= 3) + (k >= 4) + (x[i] != 2) + (k << 1) + l.m + l.c;\n"
                      "}",
                      GPU_ARG(x), GPU_ARG(k), GPU_RESULT(y, GPU_INT, 4)));
    test_holds("the result", y, GPU_INT, 4, ((int[]){10, 10, 10, 10}));
    test_close(g);
}

static void wrong_lengths(gpu *g)
{
    gpu_array *y;
    const gpu_space s = gpu_space_of(g, 4);
    const int k = 3;
    REFUSES(GPU_E_SNIPPET, y, "there is no 'f_length': only arrays, results and local memory have a length",
            gpu_spawn(g, s, "{ y[i] = f_length; }", GPU_ARG_OPERATOR(f, GPU_INT, "x + 1"), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_SNIPPET, y, "there is no 'k_length': only arrays, results and local memory have a length",
            gpu_spawn(g, s, "{ y[i] = k_length; }", GPU_ARG(k), GPU_RESULT(y, GPU_INT, 4)));
}

Test(spawn_errors, lengths_of_what_is_no_array)
{
    on_both_sides(wrong_lengths);
}

static void wrong_kernels(gpu *g)
{
    gpu_array *y, *x = gpu_range(g, GPU_INT, 4);
    const gpu_space s = gpu_space_of(g, 4);
    REFUSES(GPU_E_SNIPPET, y, "calls_itself (", gpu_spawn(g, s, calls_itself, GPU_RESULT(y, GPU_INT, 4)));
    test_has(gpu_error(), ") is a GPU_KERNEL, which no kernel calls: write a GPU_FUNCTION for what they share");
    REFUSES(GPU_E_SNIPPET, y, "ones (", gpu_spawn(g, s, calls_ones, GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_SNIPPET, y, "calls itself: OpenCL C has no recursion, write a loop",
            gpu_spawn(g, s, calls_count_down, GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_SNIPPET, y, "'row' is a name of spaces of two dimensions: gpu_space_of_2 makes one",
            gpu_spawn(g, s, two_dimensions, GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_TYPE, y, "declare it as GPU_GLOBAL uint32_t *y_count",
            gpu_spawn(g, s, count_of_ints, GPU_RESULT(y, GPU_INT, 4), GPU_RESULT_COUNT(y, NULL)));
    REFUSES(GPU_E_TYPE, y, "declare it as uint64_t x_length",
            gpu_spawn(g, s, short_length, GPU_ARG(x), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_TYPE, y, "declare it as GPU_GLOBAL int *y", gpu_spawn(g, s, local_result, GPU_RESULT(y, GPU_INT, 4)));
}

Test(spawn_errors, kernels_in_c)
{
    on_both_sides(wrong_kernels);
}

static void wrong_operators(gpu *g)
{
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
        GPU_E_SNIPPET, y, "the operator 'f' takes 2 values, and gets 3",
        gpu_spawn(g, s, "{ y[i] = f(1, 2, 3); }", GPU_ARG_OPERATOR(f, GPU_INT, "a + b"), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_SNIPPET, y, "the operator 'f' takes 1 value, and gets 2: a text combines a and b, or maps x",
            gpu_spawn(g, s, "{ y[i] = f(g(1, 2), 2); }", GPU_ARG_OPERATOR(f, GPU_INT, "p + q"),
                      GPU_ARG_OPERATOR(g, GPU_INT, add_ints), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_SNIPPET, y, "'f' is an operator, which a kernel only calls: f(...)",
            gpu_spawn(g, s, "{ y[i] = f; }", GPU_ARG_OPERATOR(f, GPU_INT, "a + b"), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_ARGUMENT, y, "'f' has no type",
            gpu_spawn(g, s, "{ y[i] = f(1, 2); }", GPU_ARG_OPERATOR(f, NULL, "a + b"), GPU_RESULT(y, GPU_INT, 4)));
    REFUSES(GPU_E_TYPE, y, "the parameter 'a' of then(line a, line b)",
            gpu_spawn(g, s, "{ y[i] = f(1, 2); }", GPU_ARG_OPERATOR(f, GPU_INT, then), GPU_RESULT(y, GPU_INT, 4)));
}

Test(spawn_errors, operators_that_do_not_fit_are_refused)
{
    on_both_sides(wrong_operators);
}

/* As a program in another language may make it. */
static void part_without_an_operator(gpu *g)
{
    gpu_array *y;
    const gpu_part part = {.kind = GPU_PART_OPERATOR, .type = GPU_INT};
    const gpu_capture f = {"f", &part, GPU_CAPTURE_PART, sizeof part};
    REFUSES(GPU_E_ARGUMENT, y, "the operator 'f' is NULL",
            gpu_spawn(g, gpu_space_of(g, 4), "{ y[i] = f(1, 2); }", &f, GPU_RESULT(y, GPU_INT, 4)));
}

Test(spawn_errors, a_part_without_its_operator)
{
    on_both_sides(part_without_an_operator);
}

static void nine_results(gpu *g)
{
    gpu_array *p, *q, *r, *s, *t, *u, *v, *w, *y;
    REFUSES(GPU_E_ARGUMENT, y, "makes at most 8 arrays",
            gpu_spawn(g, gpu_space_of(g, 1), "{ p[0] = q[0] = r[0] = s[0] = t[0] = u[0] = v[0] = w[0] = y[0] = 1; }",
                      GPU_RESULT(p, GPU_INT, 1), GPU_RESULT(q, GPU_INT, 1), GPU_RESULT(r, GPU_INT, 1),
                      GPU_RESULT(s, GPU_INT, 1), GPU_RESULT(t, GPU_INT, 1), GPU_RESULT(u, GPU_INT, 1),
                      GPU_RESULT(v, GPU_INT, 1), GPU_RESULT(w, GPU_INT, 1), GPU_RESULT(y, GPU_INT, 1)));
    cr_assert_eq(gpu_array_status(p), GPU_E_ARGUMENT);
}

Test(spawn_errors, too_many_results)
{
    on_both_sides(nine_results);
}
