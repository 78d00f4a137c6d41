/* Pointers to what arrays cannot have: the message names the type and says what to do. */
#include "support/support.h"

#include <string.h>

enum { N = 6 };

static const char of_value[] = "pass a pointer to the elements' type";

/* Of an array in error, or of the call before, this text. */
#define refused(call, ...) check_text(#call, (call), (const char *const[]){__VA_ARGS__, NULL})
static void check_text(const char *call, gpu_status status, const char *const *parts)
{
    cr_assert_eq(status, GPU_E_TYPE, "%s gave %s: %s", call, gpu_status_name(status), gpu_error());
    for (; *parts; parts++) cr_assert(strstr(gpu_error(), *parts), "%s: no \"%s\" in: %s", call, *parts, gpu_error());
    cr_assert_null(strstr(gpu_error(), "its_struct"), "%s: advice for structs: %s", call, gpu_error());
}

static gpu_status status_of(gpu_array *a)
{
    return gpu_array_status(gpu_eval(a));
}

Test(pointers, data_of_types_that_no_array_has_are_refused)
{
    gpu *g = test_open();
    bool flags[N] = {true};
    const bool fixed[N] = {true};
    long double wide[N] = {0};
    float rows[2][3] = {{0}};
    const float fixed_rows[2][3] = {{0}};
    const char *words[N] = {0};
    const char *use = "gpu_array_from(g, GPU_UCHAR, data, n)";
    refused(status_of(gpu_array_of(g, flags, N)), "gpu_array_of: the data are bool", use);
    refused(status_of(gpu_array_of(g, fixed, N)), "bool", use);
    refused(status_of(gpu_array_of(g, wide, N)), "the data are long double", "convert them to double");
    refused(status_of(gpu_array_of(g, rows, 2)), "arrays or pointers", "&a[0][0], and rows * columns for n");
    refused(status_of(gpu_array_of(g, fixed_rows, 2)), "&a[0][0]");
    refused(status_of(gpu_array_of(g, &rows, 1)), "&a[0][0]");
    refused(status_of(gpu_array_of(g, words, N)), "pointers mean nothing on a device");
    test_array_ok(gpu_array_from(g, GPU_UCHAR, flags, N));
    test_array_ok(gpu_array_of(g, &rows[0][0], 2 * 3));
    test_close(g);
}

GPU_STRUCT(row, float a; float b; float c;);

Test(pointers, outputs_of_other_types_are_refused_and_not_written)
{
    gpu *g = test_open();
    float data[N] = {1, 2, 3, 4, 5, 6}, sum = 0;
    bool yes = false;
    long double wide = 7;
    gpu_array *x = gpu_array_of(g, data, N);
    refused(gpu_reduce(x, "a + b", &yes), "the output points to bool, and the elements are float", of_value);
    refused(gpu_fold(x, &sum, "a + b", &wide), "the output points to long double", of_value);
    refused(gpu_sum(x, &yes), "the output points to bool");
    refused(gpu_max(x, &wide), "the output points to long double");
    refused(gpu_reduce_all(x, "a + b", &sum, "a * b", &yes), "the output points to bool");
    refused(gpu_read(x, &wide), "the output points to long double");
    cr_assert(sum == 0 && wide == 7 && !yes, "an output was touched");
    test_close(g);
}

Test(pointers, values_of_other_types_are_refused)
{
    gpu *g = test_open();
    float data[N] = {1, 2, 3, 4, 5, 6}, sum = 0;
    bool yes = false;
    long double wide = 7;
    size_t n = 0;
    gpu_array *x = gpu_array_of(g, data, N), *counts;
    refused(gpu_fold(x, &wide, "a + b", &sum), "'start' points to long double", of_value);
    refused(gpu_index_of(x, &wide, &n), "'value' points to long double");
    refused(status_of(gpu_fill(g, GPU_UCHAR, &yes, 3)), "'value' points to bool, and the elements are uchar");
    refused(status_of(gpu_find(x, &yes)), "'value' points to bool");
    refused(status_of(gpu_scan_exclusive(x, &yes, "a + b")), "'start' points to bool");
    refused(gpu_histogram(x, &wide, &wide, 3, &counts, NULL), "'low' points to long double");
    test_close(g);
}

Test(pointers, a_two_dimensional_array_is_passed_by_its_first_element)
{
    gpu *g = test_open();
    float data[N] = {1, 2, 3, 4, 5, 6}, rows[2][3] = {{0}};
    size_t n = 0;
    gpu_array *x = gpu_array_of(g, data, N);
    refused(gpu_read(x, rows), "arrays or pointers", "of a two-dimensional array pass &a[0][0]");
    refused(gpu_read_n(x, rows, 2, &n), "&a[0][0]");
    test_ok(gpu_read(x, &rows[0][0]));
    cr_assert_eq(rows[1][2], 6);
    test_close(g);
}

Test(pointers, a_struct_is_judged_by_its_size)
{
    gpu *g = test_open();
    row two[2] = {{1, 2, 3}, {4, 5, 6}};
    float rows[2][3] = {{0}};
    test_ok(gpu_read(gpu_array_from(g, GPU_TYPE(row), two, 2), rows));
    cr_assert_eq(rows[1][2], 6);
    test_close(g);
}

Test(pointers, captured_pointers_are_refused)
{
    gpu *g = test_open();
    float table[N] = {0}, *behind = table;
    long double wide = 1;
    bool yes = true;
    gpu_array *x = gpu_range(g, GPU_INT, N);
    refused(status_of(gpu_map(x, "x + table[i]", GPU_ARG(table))),
            "'table' is an array or a pointer: make a gpu_array");
    refused(status_of(gpu_map(x, "x + behind[i]", GPU_ARG(behind))), "'behind' is an array or a pointer");
    refused(status_of(gpu_map(x, "x + wide", GPU_ARG(wide))), "'wide' is a long double: make it a double");
    test_array_ok(gpu_map(x, "x + yes", GPU_ARG(yes)));
    test_close(g);
}
