/* GPU_COMPILED and gpu_compile_all: declared functions, several results. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

GPU_STRUCT(point, float x; float y;);
GPU_FUNCTION(float, scaled, (float x, GPU_GLOBAL const float *p), { return x * p[0]; });
GPU_FUNCTION(float, moved_x, (point q, GPU_GLOBAL const point *by), { return q.x + by[0].y; });
GPU_FUNCTION(float, add, (float a, float b), { return a + b; });
GPU_FUNCTION(float, larger, (float a, float b), { return a > b ? a : b; });

/* clang-format off */
GPU_COMPILED(total, (float *out, const gpu_array *v, float p));
GPU_COMPILED(no_names, (float *, const gpu_array *const, float));
GPU_COMPILED(array_result, (gpu_array **out, const struct gpu_array *v, const float p));
GPU_COMPILED(of_points, (gpu_array **out, const gpu_array *v, point by));
GPU_COMPILED(double_value, (float *out, const gpu_array *v, double p));
GPU_COMPILED(double_result, (double *out, const gpu_array *v, float p));
GPU_COMPILED(array_for_value, (gpu_array **out, const gpu_array *v, float p));
GPU_COMPILED(value_for_array, (float *out, float v, float p));
GPU_COMPILED(one_missing, (float *out, const gpu_array *v));
GPU_COMPILED(one_too_many, (float *out, const gpu_array *v, float p, int more));
GPU_COMPILED(nothing, (void));
GPU_COMPILED(pointer_to_pointer, (float **out, const gpu_array *v, float p));
GPU_COMPILED(statistics, (float *sum, gpu_array **scaled, float *most, const gpu_array *v, float p));
/* clang-format on */

static const float five[] = {1, 5, 2, 4, 3};

typedef struct pipeline {
    gpu *g;
    gpu_array *v, *p, *each, *sum;
} pipeline;

static pipeline begin(void)
{
    pipeline t = {.g = test_open()};
    t.v = gpu_symbol(t.g, GPU_FLOAT);
    t.p = gpu_symbol_value(t.g, GPU_FLOAT);
    gpu_array *p = t.p;
    t.each = gpu_map(t.v, scaled, GPU_ARG(p));
    t.sum = gpu_reduced(t.each, add);
    return t;
}

/* ---- declared functions ---- */

Test(compile_forms, declared_functions_are_set)
{
    pipeline t = begin();
    float sum = 0;
    test_ok(gpu_compile(&total, t.sum, t.v, t.p));
    test_ok(total(&sum, gpu_array_of(t.g, five, 5), 2));
    cr_assert(sum == 30, "%g", (double)sum);
    test_ok(gpu_compile(&no_names, t.sum, t.v, t.p));
    test_ok(no_names(&sum, gpu_array_of(t.g, five, 2), 3));
    cr_assert(sum == 18, "%g", (double)sum);
    test_close(t.g);
}

Test(compile_forms, declared_functions_of_arrays)
{
    pipeline t = begin();
    gpu_array *got;
    test_ok(gpu_compile(&array_result, t.each, t.v, t.p));
    test_ok(array_result(&got, gpu_array_of(t.g, five, 3), 2));
    test_holds("scaled", got, GPU_FLOAT, 3, (float[]){2, 10, 4});
    test_close(t.g);
}

Test(compile_forms, declared_functions_of_structs)
{
    gpu *g = test_open();
    gpu_array *v = gpu_symbol(g, GPU_TYPE(point)), *by = gpu_symbol_value(g, GPU_TYPE(point)), *got;
    test_ok(gpu_compile(&of_points, gpu_map_to(v, GPU_FLOAT, moved_x, GPU_ARG(by)), v, by));
    const point data[] = {{1, 2}, {3, 4}};
    test_ok(of_points(&got, gpu_array_from(g, GPU_TYPE(point), data, 2), (point){10, 20}));
    test_holds("moved", got, GPU_FLOAT, 2, (float[]){21, 23});
    test_close(g);
}

/* REFUSES(declared): its error names declaration, place and what is expected; the pointer stays as it was. */
#define REFUSES(declared, parameters)                                                                                  \
    do {                                                                                                               \
        test_fails(GPU_E_TYPE, gpu_compile(&declared, t.sum, t.v, t.p));                                               \
        test_has(gpu_error(), "gpu_compile: " #declared parameters ", declared in ");                                  \
        test_has(gpu_error(), "test_compile_forms.c:");                                                                \
        test_has(gpu_error(), "does not fit: expected is gpu_status (*" #declared ")(float *out, const gpu_array *");  \
        cr_assert(!declared);                                                                                          \
    } while (0)

Test(compile_forms, other_declarations_are_refused)
{
    pipeline t = begin();
    REFUSES(double_value, "(float *out, const gpu_array *v, double p)");
    REFUSES(double_result, "(double *out, const gpu_array *v, float p)");
    REFUSES(array_for_value, "(gpu_array **out, const gpu_array *v, float p)");
    REFUSES(value_for_array, "(float *out, float v, float p)");
    REFUSES(one_missing, "(float *out, const gpu_array *v)");
    REFUSES(one_too_many, "(float *out, const gpu_array *v, float p, int more)");
    REFUSES(nothing, "(void)");
    REFUSES(pointer_to_pointer, "(float **out, const gpu_array *v, float p)");
    test_close(t.g);
}

/* Snippets do not see it: the name may mean something else there. */
Test(compile_forms, names_mean_nothing_in_snippets)
{
    gpu *g = test_open();
    const float total = 3;
    gpu_array *x = gpu_array_of(g, five, 2);
    test_holds("a capture", gpu_map(x, "x * total", GPU_ARG_NAMED(total, total)), GPU_FLOAT, 2, (float[]){3, 15});
    test_close(g);
}

/* ---- several results ---- */

Test(compile_forms, several_results)
{
    pipeline t = begin();
    float sum = 0, most = 0;
    gpu_array *each = NULL, *highest = gpu_reduced(t.each, larger);
    test_ok(gpu_compile_all(&statistics, GPU_RESULTS(t.sum, t.each, highest), t.v, t.p));
    for (size_t n = 1; n <= 5; n++) {
        float want[5], total_of = 0, most_of = 0;
        for (size_t k = 0; k < n; k++) {
            want[k] = 2 * five[k];
            total_of += want[k];
            most_of = want[k] > most_of ? want[k] : most_of;
        }
        test_ok(statistics(&sum, &each, &most, gpu_array_of(t.g, five, n), 2));
        cr_assert(sum == total_of && most == most_of, "%g, %g", (double)sum, (double)most);
        test_holds("scaled", each, GPU_FLOAT, n, want);
    }
    test_close(t.g);
}

Test(compile_forms, one_result_of_several)
{
    pipeline t = begin();
    float sum = 0;
    gpu_status (*alone)(float *sum, const gpu_array *v, float p) = NULL;
    test_ok(gpu_compile_all(&alone, GPU_RESULTS(t.sum), t.v, t.p));
    test_ok(alone(&sum, gpu_array_of(t.g, five, 5), 1));
    cr_assert(sum == 15, "%g", (double)sum);
    test_close(t.g);
}

Test(compile_forms, a_result_twice)
{
    pipeline t = begin();
    float sum = 0, again = 0;
    gpu_status (*both)(float *sum, float *again, const gpu_array *v, float p) = NULL;
    test_ok(gpu_compile_all(&both, GPU_RESULTS(t.sum, t.sum), t.v, t.p));
    test_ok(both(&sum, &again, gpu_array_of(t.g, five, 5), 1));
    cr_assert(sum == 15 && again == 15, "%g, %g", (double)sum, (double)again);
    test_close(t.g);
}

/* Values stay as they were, and arrays are in error. */
Test(compile_forms, failing_calls_of_several_results)
{
    gpu *g = test_open();
    gpu_array *v = gpu_symbol(g, GPU_FLOAT), *at = gpu_symbol(g, GPU_ULONG), *chosen = gpu_gather(v, at);
    gpu_status (*choose)(float *sum, gpu_array **chosen, const gpu_array *v, const gpu_array *at) = NULL;
    test_ok(gpu_compile_all(&choose, GPU_RESULTS(gpu_reduced(chosen, add), chosen), v, at));
    float sum = 77;
    gpu_array *some = NULL;
    test_fails(GPU_E_RANGE, choose(&sum, &some, gpu_array_of(g, five, 5), gpu_array_of(g, ((uint64_t[]){1, 9}), 2)));
    cr_assert(sum == 77, "%g", (double)sum);
    cr_assert(gpu_array_status(some) == GPU_E_RANGE);
    test_ok(choose(&sum, &some, gpu_array_of(g, five, 5), gpu_array_of(g, ((uint64_t[]){1, 3}), 2)));
    cr_assert(sum == 9, "%g", (double)sum);
    test_fails(GPU_E_ARGUMENT, choose(&sum, NULL, gpu_array_of(g, five, 5), gpu_array_of(g, ((uint64_t[]){1}), 1)));
    test_has(gpu_error(), "the output pointer is NULL");
    test_close(g);
}

Test(compile_forms, results_are_checked)
{
    pipeline t = begin();
    gpu *other = gpu_open("host");
    gpu_array *foreign = gpu_map(gpu_symbol(other, GPU_FLOAT), "x + 1");
    gpu_status (*f)(float *sum, const gpu_array *v, float p) = NULL;
    test_fails(GPU_E_ARGUMENT, gpu_compile_all(&f, NULL, t.v, t.p));
    test_has(gpu_error(), "gpu_compile_all: there are 0 results; 1 to 8 are possible");
    test_fails(GPU_E_ARGUMENT, gpu_compile_all(&f, GPU_RESULTS(t.sum, t.v), t.v, t.p));
    test_has(gpu_error(), "gpu_compile_all: the result is a bare symbol");
    test_fails(GPU_E_ARGUMENT, gpu_compile_all(&f, GPU_RESULTS(t.sum, NULL), t.v, t.p));
    test_fails(GPU_E_ARGUMENT, gpu_compile_all(&f, GPU_RESULTS(t.sum, foreign), t.v, t.p));
    test_has(gpu_error(), "the results belong to different gpus");
    test_fails(
        GPU_E_ARGUMENT,
        gpu_compile_all(&f, GPU_RESULTS(t.sum, t.sum, t.sum, t.sum, t.sum, t.sum, t.sum, t.sum, t.sum), t.v, t.p));
    test_has(gpu_error(), "there are 9 results");
    test_fails(GPU_E_ARGUMENT, gpu_compile_all(&f, GPU_RESULTS(t.each, t.sum), t.v));
    test_has(gpu_error(), "gpu_status (*f)(gpu_array **out1, float *out2, const gpu_array *a1, float missing)");
    cr_assert(!f);
    gpu_close(other);
    test_close(t.g);
}
