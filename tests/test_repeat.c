/* gpu_repeat: every type of counts, structs, none, arguments. */
#include "support/functions.h"
#include "support/reference.h"

#include <stdlib.h>
#include <string.h>

GPU_STRUCT(item, int a; float b;);

static void check(gpu *g, gpu_type type, size_t n, unsigned most)
{
    gpu_scope *scope = gpu_scope_begin(g);
    char what[80];
    item *data = test_alloc(n, sizeof *data), *want = test_alloc(n * most, sizeof *want);
    unsigned char *counts = test_alloc(n, type->size);
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned count = (unsigned)(i * 7919 % (most + 1));
        data[i] = (item){(int)i, (float)i / 2};
        test_put(type, counts, i, test_whole(type, (int)count));
        for (unsigned k = 0; k < count; k++) want[total++] = data[i];
    }
    snprintf(what, sizeof what, "%zu elements, counts of type %s", n, type->name);
    gpu_array *a = gpu_array_from(g, GPU_TYPE(item), data, n);
    test_holds(what, gpu_repeat(a, gpu_array_from(g, type, counts, n)), GPU_TYPE(item), total, want);
    free(data);
    free(want);
    free(counts);
    gpu_scope_end(scope);
}

Test(repeat, types_and_lengths)
{
    static const size_t sizes[] = {0, 1, 2, 100, 1025, 30000};
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++)
        if (test_scalars[t]->kind != GPU_KIND_FLOATING) check(g, test_scalars[t], 50, 4);
    for (size_t s = 0; s < COUNT_OF(sizes); s++) check(g, GPU_INT, sizes[s], 3);
    test_close(g);
}

Test(repeat, delayed_and_filtered)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 3000), *odd = gpu_filter(x, is_odd);
    gpu_array *once = gpu_repeat(gpu_map(x, twice), gpu_map(x, is_odd));
    test_holds_steps("as often as the parity says", once, GPU_INT, 1500, 2, 4);
    int each_twice[3000];
    for (int i = 0; i < 3000; i++) each_twice[i] = 2 * (2 * (i / 2) + 1);
    gpu_array *all = gpu_map(gpu_repeat(odd, gpu_fill(g, GPU_INT, &(int){2}, 1500)), twice);
    test_holds("each twice", all, GPU_INT, 3000, each_twice);
    cr_assert_eq(gpu_length(gpu_repeat(x, gpu_fill(g, GPU_UINT, &(unsigned){0}, 3000))), 0);
    test_close(g);
}

Test(repeat, is_a_step_of_a_compiled_function)
{
    gpu *g = test_open();
    gpu_array *x = gpu_symbol(g, GPU_INT), *counts = gpu_symbol(g, GPU_INT);
    gpu_status (*repeat)(gpu_array * *out, const gpu_array *x, const gpu_array *counts);
    test_ok(gpu_compile(&repeat, gpu_repeat(x, counts), x, counts));
    gpu_array *out = NULL;
    const int data[] = {5, 6, 7}, times[] = {2, 0, 1};
    test_ok(repeat(&out, gpu_array_of(g, data, 3), gpu_array_of(g, times, 3)));
    test_holds("compiled", out, GPU_INT, 3, (int[]){5, 5, 7});
    test_close(g);
}

Test(repeat, first_negative_count_of_a_delayed_array)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 70000), *counts = gpu_map_to(x, GPU_SHORT, "x < 54321 ? 1 : 54300 - x");
    test_array_fails(GPU_E_RANGE, gpu_repeat(x, counts));
    test_has(gpu_error(), "the count at position 54321 is negative: -21");
    test_close(g);
}

Test(repeat, refuses_wrong_counts)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 3);
    const int negative[] = {1, -1, 2};
    const unsigned long many[] = {1ul << 63, 1ul << 63, 1};
    test_array_fails(GPU_E_RANGE, gpu_repeat(x, gpu_array_of(g, negative, 3)));
    test_has(gpu_error(), "the count at position 1 is negative: -1");
    test_array_fails(GPU_E_RANGE, gpu_repeat(x, gpu_array_of(g, many, 3)));
    test_has(gpu_error(), "2^64 or more at position 1, whose count is 9223372036854775808");
    test_array_fails(GPU_E_ARGUMENT, gpu_repeat(x, gpu_range(g, GPU_INT, 4)));
    test_has(gpu_error(), "3 elements and 4 counts");
    test_array_fails(GPU_E_TYPE, gpu_repeat(x, gpu_range(g, GPU_FLOAT, 3)));
    test_array_fails(GPU_E_ARGUMENT, gpu_repeat(NULL, x));
    test_array_fails(GPU_E_ARGUMENT, gpu_repeat(x, NULL));
    test_array_fails(GPU_E_SNIPPET, gpu_repeat(x, gpu_map(x, "x + nobody")));
    test_close(g);
}
