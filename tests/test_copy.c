/* gpu_copy_to between two gpus. */
#include "support/functions.h"
#include "support/support.h"

GPU_STRUCT(item, int a; float b;);

static void copies_are_equal(const char *device)
{
    gpu *g = test_open(), *other = gpu_open(device);
    const item items[] = {{1, 0.5f}, {2, 1.5f}};
    cr_assert(other != NULL, "%s", gpu_error());
    gpu_array *odd = gpu_filter(gpu_range(g, GPU_INT, 3000), is_odd), *copy = gpu_copy_to(odd, other);
    cr_assert(gpu_length(copy) == 1500 && gpu_type_of(copy) == GPU_INT);
    int got[1500];
    test_ok(gpu_read(copy, got));
    for (int k = 0; k < 1500; k++) cr_assert_eq(got[k], 2 * k + 1);
    test_holds("structs", gpu_copy_to(gpu_array_from(g, GPU_TYPE(item), items, 2), other), GPU_TYPE(item), 2, items);
    cr_assert_eq(gpu_length(gpu_copy_to(gpu_slice(odd, 0, 0), other)), 0);
    test_holds("there and back", gpu_copy_to(copy, g), GPU_INT, 1500, got);
    gpu_close(other);
    test_close(g);
}

Test(copy, between_devices)
{
    copies_are_equal("host");
    copies_are_equal(NULL);
}

Test(copy, to_its_own)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 3);
    test_holds("shared", gpu_copy_to(x, g), GPU_INT, 3, (int[]){0, 1, 2});
    test_close(g);
}

Test(copy, refuses_wrong_arguments)
{
    gpu *g = test_open(), *other = gpu_open("host");
    gpu_array *x = gpu_range(g, GPU_INT, 3);
    test_array_fails(GPU_E_SNIPPET, gpu_copy_to(gpu_map(x, "x + nobody"), other));
    test_array_fails(GPU_E_ARGUMENT, gpu_copy_to(NULL, other));
    test_array_fails(GPU_E_ARGUMENT, gpu_copy_to(x, NULL));
    gpu_close(other);
    test_close(g);
}
