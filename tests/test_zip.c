/* gpu_zip: structs and vectors, lengths, what it fuses into, arguments. */
#include "support/functions.h"
#include "support/support.h"

#include <stdlib.h>

GPU_STRUCT(both, unsigned char x; double y;);
GPU_STRUCT(item, int number; float share;);
GPU_STRUCT(nested, item x; gpu_int2 y;);
GPU_STRUCT(renamed, int first; int second;);
GPU_STRUCT(swapped, int y; int x;);
GPU_STRUCT(three, int x; int y; int z;);
GPU_STRUCT(alone, int x;);
GPU_STRUCT(listed, int x[1]; int y;);
GPU_STRUCT(single, float x; float y;);
GPU_FUNCTION(int, greater, (gpu_int2 p), { return p.x > p.y ? p.x : p.y; });
GPU_FUNCTION(int, earlier, (gpu_int2 p, gpu_int2 q), { return p.x < q.x || (p.x == q.x && p.y < q.y); });

/* Members that leave a gap between them. */
static void check_structs(gpu *g, size_t n)
{
    gpu_scope *scope = gpu_scope_begin(g);
    unsigned char *p = test_alloc(n, 1);
    double *q = test_alloc(n, sizeof *q);
    both *want = test_alloc(n, sizeof *want), *got = test_alloc(n, sizeof *got);
    for (size_t i = 0; i < n; i++) want[i] = (both){p[i] = (unsigned char)(i * 7), q[i] = (double)i / 4};
    gpu_array *a = gpu_zip(gpu_array_of(g, p, n), gpu_array_of(g, q, n), GPU_TYPE(both));
    test_ok(gpu_read(a, got));
    for (size_t i = 0; i < n; i++)
        cr_assert(got[i].x == want[i].x && got[i].y == want[i].y, "pair %zu of %zu: %d, %g", i, n, got[i].x, got[i].y);
    free(p);
    free(q);
    free(want);
    free(got);
    gpu_scope_end(scope);
}

Test(zip, structs_of_every_length)
{
    gpu *g = test_open();
    for (size_t s = 0; s < test_size_count(68931) && test_has_double(); s++) check_structs(g, test_sizes[s]);
    test_close(g);
}

Test(zip, structs_in_structs)
{
    gpu *g = test_open();
    const item items[] = {{1, 0.5f}, {2, 1.5f}};
    const gpu_int2 places[] = {{3, 4}, {5, 6}};
    const nested want[] = {{items[0], places[0]}, {items[1], places[1]}};
    gpu_array *a = gpu_zip(gpu_array_from(g, GPU_TYPE(item), items, 2), gpu_array_of(g, places, 2), GPU_TYPE(nested));
    test_holds("structs in structs", a, GPU_TYPE(nested), 2, want);
    test_close(g);
}

Test(zip, vectors_of_every_type)
{
    gpu *g = test_open();
    enum { N = 5 };
#define CHECK(name, NAME, T, kind)                                                                                     \
    if (GPU_##NAME != GPU_DOUBLE || test_has_double()) {                                                               \
        T p[N], q[N];                                                                                                  \
        gpu_##name##2 want[N];                                                                                         \
        for (int i = 0; i < N; i++) want[i] = (gpu_##name##2){p[i] = (T)i, q[i] = (T)(2 * i)};                         \
        gpu_array *a = gpu_zip(gpu_array_of(g, p, N), gpu_array_of(g, q, N), GPU_##NAME##2);                           \
        test_holds(#name, a, GPU_##NAME##2, N, want);                                                                  \
    }
    GPU_SCALAR_MAP(CHECK)
    test_close(g);
}

/* (x, y), (x + dx, y + dy), ... */
static void holds_pairs(const char *what, const gpu_array *a, size_t n, int x, int dx, int y, int dy)
{
    gpu_int2 *want = test_alloc(n, sizeof *want);
    for (size_t i = 0; i < n; i++) want[i] = (gpu_int2){x + dx * (int)i, y + dy * (int)i};
    test_holds(what, a, GPU_INT2, n, want);
    free(want);
}

Test(zip, fused_and_filtered)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 3000), *y = gpu_map(x, twice);
    gpu_array *greatest = gpu_map_to(gpu_zip(x, y, GPU_INT2), GPU_INT, greater);
    test_holds_steps("maps before and after", greatest, GPU_INT, 3000, 0, 2);
    gpu_array *odd = gpu_filter(x, is_odd), *pairs = gpu_zip(odd, gpu_map(odd, twice), GPU_INT2);
    holds_pairs("of a filter", pairs, 1500, 1, 2, 2, 4);
    holds_pairs("with itself", gpu_zip(x, x, GPU_INT2), 3000, 0, 1, 0, 1);
    gpu_array *sorted = gpu_sort_by(gpu_zip(gpu_reverse(x), x, GPU_INT2), earlier);
    holds_pairs("sorted", sorted, 3000, 0, 1, 2999, -1);
    test_close(g);
}

Test(zip, one_launch)
{
    test_needs_opencl();
    setenv("FIREPILE_SMALL", "0", 1);
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 3000)), *y = gpu_eval(gpu_range(g, GPU_INT, 3000));
    uint64_t before = test_stats(g).kernels_launched;
    int sum;
    gpu_array *a = gpu_map_to(gpu_zip(x, y, GPU_INT2), GPU_INT, greater);
    if (!test_eager()) cr_assert_eq(test_stats(g).kernels_launched, before, "a zip launches");
    test_ok(gpu_reduce(a, "max(a, b)", &sum));
    cr_assert_eq(sum, 2999);
    if (!test_eager()) cr_assert_eq(test_stats(g).kernels_launched, before + 1, "it is not fused");
    test_close(g);
}

Test(zip, is_a_step_of_a_compiled_function)
{
    gpu *g = test_open();
    gpu_array *x = gpu_symbol(g, GPU_INT), *y = gpu_symbol(g, GPU_INT), *out = NULL;
    gpu_status (*zip)(gpu_array * *out, const gpu_array *x, const gpu_array *y);
    test_ok(gpu_compile(&zip, gpu_map_to(gpu_zip(x, y, GPU_INT2), GPU_INT, greater), x, y));
    const int p[] = {1, 5, 2}, q[] = {4, 3, 2};
    test_ok(zip(&out, gpu_array_of(g, p, 3), gpu_array_of(g, q, 3)));
    test_holds("compiled", out, GPU_INT, 3, (int[]){4, 5, 2});
    test_fails(GPU_E_ARGUMENT, zip(&out, gpu_array_of(g, p, 3), gpu_array_of(g, q, 2)));
    test_close(g);
}

Test(zip, refuses_wrong_arguments)
{
    gpu *g = test_open(), *other = gpu_open(NULL);
    gpu_array *x = gpu_range(g, GPU_INT, 3), *real = gpu_range(g, GPU_FLOAT, 3);
    test_array_fails(GPU_E_ARGUMENT, gpu_zip(x, gpu_range(g, GPU_INT, 4), GPU_INT2));
    test_has(gpu_error(), "gpu_zip: the arrays 'a' and 'b' have 3 and 4 elements, and must be equally long");
    test_array_fails(GPU_E_TYPE, gpu_zip(x, real, GPU_INT2));
    test_has(gpu_error(), "the member y of int2 is int, and the elements of 'b' are float");
    test_array_fails(GPU_E_TYPE, gpu_zip(real, x, GPU_INT2));
    test_has(gpu_error(), "the member x of int2 is int, and the elements of 'a' are float");
    test_array_fails(GPU_E_TYPE, gpu_zip(real, x, GPU_TYPE(single)));
    test_has(gpu_error(), "the member y of single is float, and the elements of 'b' are int");
    const gpu_type none[] = {GPU_INT,         GPU_INT4,        GPU_TYPE(renamed), GPU_TYPE(swapped),
                             GPU_TYPE(three), GPU_TYPE(alone), GPU_TYPE(listed)};
    for (size_t k = 0; k < COUNT_OF(none); k++) {
        test_array_fails(GPU_E_TYPE, gpu_zip(x, x, none[k]));
        test_has(gpu_error(), "is no type of pairs: that is a struct of two members, x and y, or a vector");
        test_has(gpu_error(), none[k]->name);
    }
    test_array_fails(GPU_E_ARGUMENT, gpu_zip(x, x, NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_zip(NULL, x, GPU_INT2));
    test_has(gpu_error(), "the array 'a' is NULL");
    test_array_fails(GPU_E_ARGUMENT, gpu_zip(x, NULL, GPU_INT2));
    test_array_fails(GPU_E_ARGUMENT, gpu_zip(x, gpu_range(other, GPU_INT, 3), GPU_INT2));
    test_has(gpu_error(), "belong to different gpus");
    test_array_fails(GPU_E_RANGE, gpu_zip(x, gpu_slice(x, 2, 2), GPU_INT2));
    test_array_fails(GPU_E_SNIPPET, gpu_zip(x, gpu_map(x, "x + nobody"), GPU_INT2));
    gpu_close(other);
    test_close(g);
}
