/* Calls with NULL fail, and say why. */
#include "support/support.h"

#define IN_ERROR(call) check_in_error(#call, (call))
static void check_in_error(const char *call, gpu_array *made)
{
    cr_assert(made, "%s gave NULL", call);
    cr_assert(gpu_array_status(made) != GPU_OK && *gpu_array_error(made), "%s is not in error", call);
    cr_assert(!gpu_type_of(made) && gpu_length(made) == 0, "%s has a type or a length", call);
    cr_assert_eq(gpu_array_status(gpu_map(made, "x")), gpu_array_status(made), "%s is not passed on", call);
    gpu_array_free(made);
}

#define REFUSED(call) check_refused(#call, (call))
static void check_refused(const char *call, gpu_status status)
{
    cr_assert(status != GPU_OK && *gpu_error(), "%s did not fail", call);
}

Test(errors, calls_with_a_null_gpu_or_array_fail)
{
    float f[2] = {77, 77};
    size_t n = 77;
    bool yes = true;
    gpu_array *none = NULL;
    IN_ERROR(gpu_array_from(NULL, GPU_FLOAT, f, 2));
    IN_ERROR(gpu_array_of(NULL, f, 2));
    IN_ERROR(gpu_range(NULL, GPU_INT, 2));
    IN_ERROR(gpu_fill(NULL, GPU_FLOAT, &(float){1}, 2));
    IN_ERROR(gpu_slice(NULL, 0, 0));
    IN_ERROR(gpu_map(NULL, "x"));
    IN_ERROR(gpu_map_to(NULL, GPU_INT, "x"));
    IN_ERROR(gpu_map2(NULL, NULL, "x"));
    IN_ERROR(gpu_map2_to(NULL, NULL, GPU_INT, "x"));
    IN_ERROR(gpu_map3(NULL, NULL, NULL, "x"));
    IN_ERROR(gpu_map3_to(NULL, NULL, NULL, GPU_INT, "x"));
    IN_ERROR(gpu_reduced(NULL, "a + b"));
    IN_ERROR(gpu_block_reduce(NULL, 2, "a + b"));
    IN_ERROR(gpu_map_op(NULL, NULL, NULL));
    REFUSED(gpu_read(NULL, f));
    REFUSED(gpu_read_n(NULL, f, 2, &n));
    REFUSED(gpu_reduce(NULL, "a + b", f));
    REFUSED(gpu_fold(NULL, &(float){1}, "a + b", f));
    REFUSED(gpu_reduce_all(NULL, "a + b", f, "a", f));
    REFUSED(gpu_map_reduce_all(NULL, "x", "a + b", f));
    REFUSED(gpu_sum(NULL, f));
    REFUSED(gpu_product(NULL, f));
    REFUSED(gpu_min(NULL, f));
    REFUSED(gpu_max(NULL, f));
    REFUSED(gpu_argmin(NULL, &n));
    REFUSED(gpu_argmax(NULL, &n));
    REFUSED(gpu_count(NULL, "x", &n));
    REFUSED(gpu_any(NULL, "x", &yes));
    REFUSED(gpu_all(NULL, "x", &yes));
    REFUSED(gpu_finish(NULL));
    REFUSED(gpu_array_status(none));
    cr_assert(gpu_length(none) == 0 && !gpu_type_of(none) && gpu_array_error(none));
    cr_assert_neq(gpu_array_status(gpu_eval(none)), GPU_OK);
    cr_assert_str_eq(gpu_device_name(NULL), "");
    cr_assert(f[0] == 77 && n == 77 && yes, "an output was written");
    test_nothing_lives("after calls with NULL only");
}

Test(errors, a_null_gpu_tells_why_gpu_open_failed)
{
    test_needs_opencl();
    gpu *g = gpu_open("no such device");
    cr_assert_null(g);
    float out = 77;
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 4);
    test_has(gpu_error(), "no such device");
    test_fails(GPU_E_ARGUMENT, gpu_sum(x, &out));
    test_has(gpu_error(), "no such device");
    test_fails(GPU_E_ARGUMENT, gpu_finish(g));
    test_has(gpu_error(), "no such device");
    test_fails(GPU_E_ARGUMENT, gpu_sum(gpu_map(NULL, "x"), &out));
    test_has(gpu_error(), "no such device");
    cr_assert_eq(out, 77);
}

Test(errors, calls_with_null_arguments_fail)
{
    gpu *g = test_open();
    float out = 77;
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 4);
    IN_ERROR(gpu_map2(x, NULL, "x + y"));
    IN_ERROR(gpu_map2(NULL, x, "x + y"));
    IN_ERROR(gpu_map3(x, x, NULL, "x + y"));
    IN_ERROR(gpu_map(x, (const char *)NULL));
    IN_ERROR(gpu_map_op(x, NULL, NULL));
    IN_ERROR(gpu_reduced_op(x, NULL));
    gpu_array *nothing = NULL;
    IN_ERROR(gpu_map(x, "x + nothing[0]", GPU_ARG(nothing)));
    REFUSED(gpu_reduce(x, (const char *)NULL, &out));
    REFUSED(gpu_reduce_op(x, NULL, NULL));
    REFUSED(gpu_fold_op(x, NULL, NULL, NULL));
    REFUSED(gpu_read_op(x, NULL, NULL));
    REFUSED(gpu_get_stats(g, NULL));
    REFUSED(gpu_reduce(x, "a + b", (float *)NULL));
    cr_assert_eq(out, 77);
    IN_ERROR(gpu_map(x, &out)); /* the address of no function */
    test_still_works(g, "NULL");
    test_close(g);
}
