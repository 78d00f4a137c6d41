/* gpu_map, gpu_map2, gpu_map3 and their _to forms: every type, every length, every element. */
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(particle, float x; float y; float mass;);
GPU_STRUCT(mixed, char tag; double value; short many[3]; gpu_float2 at;);
GPU_FUNCTION(float, twice, (float x), { return x * 2; });
GPU_FUNCTION(float, difference, (float p, float q), { return p - q; });
GPU_FUNCTION(float, weighted, (float x, float weight, unsigned long i), { return x * weight + (float)i; });
GPU_FUNCTION(particle, pushed, (particle p), {
    p.x += p.mass;
    p.y -= p.mass;
    return p;
});

static void triple(gpu_type type, void *array, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        test_number v = test_get(type, array, i);
        if (type->kind == GPU_KIND_FLOATING)
            v.f = v.f * 3 + 1;
        else
            v.u = v.u * 3 + 1;
        test_put(type, array, i, v);
    }
}

static void map_lengths(gpu *g, gpu_type type, size_t limit)
{
    size_t most = test_sizes[test_size_count(limit) - 1];
    void *data = test_alloc(most, type->size), *want = test_alloc(most, type->size),
         *got = test_alloc(most, type->size);
    test_random_fill(type, data, most, 1);
    memcpy(want, data, most * type->size);
    triple(type, want, most);
    for (size_t k = 0; k < test_size_count(limit); k++) {
        gpu_array *a = gpu_array_from(g, type, data, test_sizes[k]);
        gpu_array *b = gpu_map(a, "x * 3 + 1");
        cr_assert_eq(gpu_length(b), test_sizes[k]);
        memset(got, 0x5a, most * type->size);
        test_ok(gpu_read(b, got));
        test_same("x * 3 + 1", type, test_sizes[k], got, want);
        test_ok(gpu_read(a, got));
        test_same("the input of a map", type, test_sizes[k], got, data);
        gpu_array_free(a);
        gpu_array_free(b);
    }
    free(data);
    free(want);
    free(got);
}

/* One gpu, one text and one type of results: the kernel of another type would take an element's bits for another
 * number. */
Test(map, one_text_takes_arrays_of_several_types)
{
    gpu *g = test_open();
    const int whole[] = {7, -7};
    const float real[] = {7.5f, -7.5f};
    const unsigned natural[] = {7, UINT32_MAX};
    gpu_array *made = gpu_eval(gpu_range(g, GPU_UINT, 2)); /* on the device, so that the maps are too */
    test_holds("ints", gpu_map_to(gpu_gather(gpu_array_of(g, whole, 2), made), GPU_INT, "x < 8"), GPU_INT, 2,
               (int[]){1, 1});
    test_holds("floats", gpu_map_to(gpu_gather(gpu_array_of(g, real, 2), made), GPU_INT, "x < 8"), GPU_INT, 2,
               (int[]){1, 1});
    test_holds("uints", gpu_map_to(gpu_gather(gpu_array_of(g, natural, 2), made), GPU_INT, "x < 8"), GPU_INT, 2,
               (int[]){1, 0});
    test_close(g);
}

Test(map, takes_every_type_and_length)
{
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++) map_lengths(g, test_scalars[t], test_takes_type(t, 0) ? 68931 : 1024);
    test_close(g);
}

Test(map, takes_millions_of_elements)
{
    gpu *g = test_open();
    size_t n = test_limit(16777217);
    unsigned char *data = test_alloc(n, 1), *got = test_alloc(n, 1);
    test_random_fill(GPU_UCHAR, data, n, 2);
    gpu_array *a = gpu_map(gpu_array_of(g, data, n), "x * 3 + 1");
    test_ok(gpu_read(a, got));
    triple(GPU_UCHAR, data, n);
    test_same("x * 3 + 1", GPU_UCHAR, n, got, data);
    free(data);
    free(got);
    test_close(g);
}

/* All values fit all types, so that a conversion is exact. */
static void convert(gpu *g, gpu_type from, gpu_type to)
{
    enum { N = 1000 };
    int64_t source[N], want[N], got[N];
    for (size_t i = 0; i < N; i++) {
        test_put(from, source, i, test_whole(from, (int64_t)(i % 128)));
        test_put(to, want, i, test_whole(to, (int64_t)(i % 128)));
    }
    char snippet[64];
    snprintf(snippet, sizeof snippet, "convert_%s(x)", to->name);
    gpu_array *a = test_array_ok(gpu_map_to(gpu_array_from(g, from, source, N), to, snippet));
    cr_assert(gpu_type_equal(gpu_type_of(a), to), "gpu_map_to made %s of %s", gpu_type_of(a)->name, to->name);
    test_ok(gpu_read(a, (void *)got));
    char what[96];
    snprintf(what, sizeof what, "%s of %s", snippet, from->name);
    test_same(what, to, N, got, want);
}

Test(map, map_to_converts_between_all_types)
{
    gpu *g = test_open();
    for (size_t from = 0; from < TEST_SCALARS; from++) {
        for (size_t to = 0; to < TEST_SCALARS; to++) {
            if (test_full() || (from % 2 == 0 && to == (from + 3) % TEST_SCALARS))
                convert(g, test_scalars[from], test_scalars[to]);
        }
    }
    test_close(g);
}

Test(map, converts_its_result_to_the_type_asked_for)
{
    gpu *g = test_open();
    float data[] = {1.5f, -2.5f, 100.75f};
    test_holds("float to int", gpu_map_to(gpu_array_of(g, data, 3), GPU_INT, "x"), GPU_INT, 3, (int[]){1, -2, 100});
    test_close(g);
}

Test(map, converts_a_double_in_its_expression_to_the_result_type) /* E07 */
{
    gpu *g = test_open();
    float data[] = {1.5f, -2.5f, 100.75f}, doubled[] = {3, -5, 201.5f};
    test_holds("x * 2.0", gpu_map(gpu_array_of(g, data, 3), "x * 2.0"), GPU_FLOAT, 3, doubled);
    test_close(g);
}

#define VECTOR_TEST(T, TYPE, ...)                                                                                      \
    do {                                                                                                               \
        T data[65], got[65], want[65];                                                                                 \
        for (size_t i = 0; i < 65; i++) {                                                                              \
            data[i] = (T){__VA_ARGS__};                                                                                \
            want[i] = data[i];                                                                                         \
            want[i].x = (__typeof__(want[i].x))(data[i].x + data[i].x);                                                \
            want[i].y = (__typeof__(want[i].y))(data[i].y + data[i].y);                                                \
        }                                                                                                              \
        gpu_array *a = test_array_ok(gpu_array_of(g, data, 65));                                                       \
        cr_assert(gpu_type_equal(gpu_type_of(a), TYPE), #T " is taken for %s", gpu_type_of(a)->name);                  \
        test_ok(gpu_read(gpu_map(a, "{ x.xy = x.xy + x.xy; return x; }"), got));                                       \
        test_same("x.xy doubled", TYPE, 65, got, want);                                                                \
    } while (0)

Test(map, takes_vectors_of_every_kind)
{
    gpu *g = test_open();
    VECTOR_TEST(gpu_float4, GPU_FLOAT4, (float)i, 2, -3, 0.5f);
    VECTOR_TEST(gpu_float3, GPU_FLOAT3, (float)i, 2, -3, 0);
    if (test_has_double()) VECTOR_TEST(gpu_double2, GPU_DOUBLE2, (double)i, 0.25);
    VECTOR_TEST(gpu_uchar4, GPU_UCHAR4, (unsigned char)i, 200, 3, 4);
    VECTOR_TEST(gpu_int3, GPU_INT3, (int)i, -2, 3, 0);
    VECTOR_TEST(gpu_long4, GPU_LONG4, (int64_t)i << 40, -2, 3, 4);
    test_close(g);
}

Test(map, takes_float4_of_every_length)
{
    gpu *g = test_open();
    size_t most = test_limit(68931);
    gpu_float4 *data = test_alloc(most, sizeof *data), *got = test_alloc(most, sizeof *got);
    float *want = test_alloc(most, sizeof *want), *sums = test_alloc(most, sizeof *sums);
    test_random_fill(GPU_FLOAT, data, 4 * most, 3);
    for (size_t i = 0; i < most; i++) want[i] = data[i].x + 2 * data[i].y + 4 * data[i].z + 8 * data[i].w;
    for (size_t k = 0; k < test_size_count(most) && test_sizes[k] <= most; k++) {
        size_t n = test_sizes[k];
        gpu_array *a = gpu_array_of(g, data, n);
        test_ok(gpu_read(gpu_map_to(a, GPU_FLOAT, "dot(x, (float4)(1, 2, 4, 8))"), sums));
        test_same("dot", GPU_FLOAT, n, sums, want);
        test_ok(gpu_read(gpu_map(gpu_map(a, "x.wzyx"), "x.wzyx"), got));
        test_same("x.wzyx twice", GPU_FLOAT4, n, got, data);
    }
    free(data);
    free(got);
    free(want);
    free(sums);
    test_close(g);
}

enum { PARTICLES = 1025 };

static void fill_cloud(particle *cloud)
{
    for (size_t i = 0; i < PARTICLES; i++) cloud[i] = (particle){(float)i, (float)(i % 7), (float)(i % 5)};
}

Test(map, changes_structs_by_a_function_and_by_a_snippet)
{
    gpu *g = test_open();
    particle cloud[PARTICLES], want[PARTICLES];
    fill_cloud(cloud);
    for (size_t i = 0; i < PARTICLES; i++) want[i] = pushed(cloud[i]);
    gpu_array *ps = gpu_array_from(g, GPU_TYPE(particle), cloud, PARTICLES);
    test_holds("pushed", gpu_map(ps, pushed), GPU_TYPE(particle), PARTICLES, want);
    gpu_array *moved = gpu_map(ps, "{\n    particle q = x;\n    q.x += x.mass;\n    q.y -= x.mass;\n    return q;\n}");
    test_holds("pushed by a snippet", moved, GPU_TYPE(particle), PARTICLES, want);
    test_close(g);
}

Test(map, map_to_takes_members_out_of_structs_and_makes_structs)
{
    gpu *g = test_open();
    particle cloud[PARTICLES];
    float mass[PARTICLES], three[PARTICLES];
    fill_cloud(cloud);
    for (size_t i = 0; i < PARTICLES; i++) three[i] = 3 * (mass[i] = cloud[i].mass);
    gpu_array *ps = gpu_array_from(g, GPU_TYPE(particle), cloud, PARTICLES);
    test_holds("x.mass", gpu_map_to(ps, GPU_FLOAT, "x.mass"), GPU_FLOAT, PARTICLES, mass);
    gpu_array *made =
        gpu_map_to(gpu_array_of(g, mass, PARTICLES), GPU_TYPE(particle), "{ particle p = {x, x, x}; return p; }");
    test_holds("a struct made of a float", gpu_map_to(made, GPU_FLOAT, "x.x + x.y + x.mass"), GPU_FLOAT, PARTICLES,
               three);
    test_close(g);
}

Test(map, reads_struct_members_of_every_size) /* E08 */
{
    gpu *g = test_open();
    mixed data[33], got[33];
    memset(data, 0, sizeof data);
    for (int i = 0; i < 33; i++) {
        data[i].tag = (char)i;
        data[i].value = i + 0.1;
        for (int k = 0; k < 3; k++) data[i].many[k] = (short)(i * k);
        data[i].at = (gpu_float2){(float)i, (float)-i};
    }
    gpu_array *a = gpu_array_from(g, GPU_TYPE(mixed), data, 33);
    memset(got, 0, sizeof got);
    test_ok(gpu_read(a, got));
    test_same("read back", GPU_TYPE(mixed), 33, got, data);
    double values[33];
    test_ok(gpu_read(gpu_map_to(a, GPU_DOUBLE, "x.value + x.tag + x.many[2] + x.at.y"), values));
    for (int i = 0; i < 33; i++) cr_assert_eq(values[i], data[i].value + i + 2 * i - i, "element %d: %g", i, values[i]);
    memset(got, 0, sizeof got);
    test_ok(gpu_read(gpu_map(a, "x"), got));
    for (int i = 0; i < 33; i++) {
        cr_assert(got[i].tag == data[i].tag && got[i].value == data[i].value && got[i].at.y == data[i].at.y &&
                      got[i].many[2] == data[i].many[2],
                  "element %d changed on its way through the device", i);
    }
    test_close(g);
}

Test(map, map2_and_map3_take_arrays_of_different_types)
{
    gpu *g = test_open();
    enum { N = 4096 };
    static float f[N], want[N];
    static int whole[N];
    static double deep[N];
    static int64_t long_want[N];
    test_random_fill(GPU_FLOAT, f, N, 4);
    test_random_fill(GPU_INT, whole, N, 5);
    for (size_t i = 0; i < N; i++) {
        deep[i] = (double)(i % 9);
        want[i] = f[i] > deep[i] - 4 ? f[i] : (float)deep[i] - 4;
        long_want[i] = (int64_t)f[i] * whole[i] + (int64_t)deep[i];
    }
    gpu_array *x = gpu_array_of(g, f, N), *y = gpu_array_of(g, whole, N), *z = gpu_array_of(g, deep, N);
    test_holds("map2", gpu_map2(x, z, "x > y - 4 ? x : y - 4"), GPU_FLOAT, N, want);
    test_holds("map3_to", gpu_map3_to(x, y, z, GPU_LONG, "(long)x * y + (long)z"), GPU_LONG, N, long_want);
    test_close(g);
}

Test(map, map2_to_gives_another_type_than_its_inputs)
{
    gpu *g = test_open();
    enum { N = 4096 };
    static float f[N];
    static int whole[N];
    static int64_t want[N];
    test_random_fill(GPU_FLOAT, f, N, 4);
    test_random_fill(GPU_INT, whole, N, 5);
    for (size_t i = 0; i < N; i++) want[i] = (int64_t)f[i] * whole[i];
    gpu_array *x = gpu_array_of(g, f, N), *y = gpu_array_of(g, whole, N);
    test_holds("map2_to", gpu_map2_to(y, x, GPU_LONG, "(long)y * x"), GPU_LONG, N, want);
    test_close(g);
}

Test(map, map3_takes_one_array_three_times)
{
    gpu *g = test_open();
    enum { N = 4096 };
    static float f[N], want[N];
    test_random_fill(GPU_FLOAT, f, N, 4);
    for (size_t i = 0; i < N; i++) want[i] = f[i] + f[i] * f[i];
    gpu_array *x = gpu_array_of(g, f, N);
    test_holds("map3 of one array", gpu_map3(x, x, x, "x + y * z"), GPU_FLOAT, N, want);
    test_close(g);
}

Test(map, map2_takes_a_function)
{
    gpu *g = test_open();
    enum { N = 4096 };
    static float f[N], want[N];
    test_random_fill(GPU_FLOAT, f, N, 4);
    for (size_t i = 0; i < N; i++) want[i] = -1;
    gpu_array *x = gpu_array_of(g, f, N);
    test_holds("map2 with a function", gpu_map2(x, gpu_map(x, "x + 1"), difference), GPU_FLOAT, N, want);
    test_close(g);
}

Test(map, map2_takes_every_type)
{
    gpu *g = test_open();
    enum { N = 300 };
    int64_t p[N], q[N], got[N], want[N];
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        gpu_type type = test_scalars[t];
        if (!test_full() && t % 3 != 0) continue;
        test_random_fill(type, p, N, 6);
        test_random_fill(type, q, N, 7);
        for (size_t i = 0; i < N; i++) {
            test_number v = test_get(type, p, i), w = test_get(type, q, i);
            if (type->kind == GPU_KIND_FLOATING)
                v.f -= w.f;
            else
                v.u -= w.u;
            test_put(type, want, i, v);
        }
        gpu_array *x = gpu_array_from(g, type, p, N), *y = gpu_array_from(g, type, q, N);
        test_ok(gpu_read(gpu_map2(x, y, "x - y"), (void *)got));
        test_same("x - y", type, N, got, want);
    }
    test_close(g);
}

Test(map, refuses_arrays_of_unequal_lengths)
{
    gpu *g = test_open();
    float data[10] = {0};
    gpu_array *ten = gpu_array_of(g, data, 10), *nine = gpu_slice(ten, 0, 9), *none = gpu_slice(ten, 0, 0);
    test_array_fails(GPU_E_ARGUMENT, gpu_map2(ten, nine, "x + y"));
    test_has(gpu_error(), "10");
    test_has(gpu_error(), "9");
    test_array_fails(GPU_E_ARGUMENT, gpu_map2(none, ten, "x + y"));
    test_array_fails(GPU_E_ARGUMENT, gpu_map3(ten, ten, nine, "x + y + z"));
    test_array_fails(GPU_E_ARGUMENT, gpu_map2(gpu_range(g, GPU_INT, 10), gpu_range(g, GPU_INT, 11), "x + y"));
    test_array_ok(gpu_map2(ten, ten, "x + y"));
    test_close(g);
}

Test(map, the_index_has_64_bits)
{
    gpu *g = test_open();
    size_t n = test_limit(70000);
    uint64_t *want = test_alloc(n, sizeof *want);
    for (size_t i = 0; i < n; i++) want[i] = i << 33;
    gpu_array *x = gpu_fill(g, GPU_UCHAR, &(unsigned char){7}, n);
    test_holds("i << 33", gpu_map_to(x, GPU_ULONG, "i << 33"), GPU_ULONG, n, want);
    free(want);
    test_close(g);
}

/* The fused map below the slice keeps its own. */
Test(map, the_index_counts_from_the_start_of_a_slice)
{
    gpu *g = test_open();
    size_t n = test_limit(70000);
    uint64_t *want = test_alloc(n, sizeof *want);
    for (size_t i = 0; i < n - 3; i++) want[i] = (i + 3) * 100 + i;
    gpu_array *x = gpu_fill(g, GPU_UCHAR, &(unsigned char){7}, n);
    gpu_array *slice = gpu_slice(gpu_map_to(x, GPU_ULONG, "i"), 3, n - 3);
    test_holds("i in a slice", gpu_map(slice, "x * 100 + i"), GPU_ULONG, n - 3, want);
    free(want);
    test_close(g);
}

Test(map, a_function_takes_the_index_and_captured_values_by_name)
{
    gpu *g = test_open();
    float weight = 0.5f, want[] = {0.5f, 1.5f, 2.5f, 3.5f, 4.5f};
    gpu_array *ones = gpu_fill(g, GPU_FLOAT, &(float){1}, 5);
    test_holds("weighted", gpu_map(ones, weighted, GPU_ARG(weight)), GPU_FLOAT, 5, want);
    test_close(g);
}

Test(map, takes_misaligned_slices)
{
    gpu *g = test_open();
    enum { N = 1100 };
    signed char bytes[N], byte_got[N], byte_want[N];
    float floats[N], float_got[N], float_want[N];
    test_random_fill(GPU_CHAR, bytes, N, 8);
    test_random_fill(GPU_FLOAT, floats, N, 9);
    gpu_array *b = gpu_array_of(g, bytes, N), *f = gpu_array_of(g, floats, N);
    for (size_t first = 0; first < 40; first = first < 6 ? first + 1 : first * 2 + 1) {
        size_t n = N - 2 * first;
        test_ok(gpu_read(gpu_map(gpu_slice(b, first, n), "x * 3 + 1"), byte_got));
        memcpy(byte_want, bytes + first, n);
        triple(GPU_CHAR, byte_want, n);
        test_same("x * 3 + 1 of a slice", GPU_CHAR, n, byte_got, byte_want);
        gpu_array *left = gpu_slice(f, first, n), *right = gpu_slice(f, 2 * first, n);
        test_ok(gpu_read(gpu_map2(left, right, "x - y"), float_got));
        for (size_t i = 0; i < n; i++) float_want[i] = floats[first + i] - floats[2 * first + i];
        test_same("two slices of one array", GPU_FLOAT, n, float_got, float_want);
    }
    test_close(g);
}

Test(map, takes_chains_of_500_maps) /* E12 */
{
    gpu *g = test_open();
    for (size_t n = 0; n <= 1000; n = n ? n * 10 : 1) {
        gpu_array *a = gpu_fill(g, GPU_INT, &(int){0}, n);
        for (int k = 0; k < 500; k++) a = gpu_map(a, "x + 1");
        int *got = test_alloc(n, sizeof *got);
        test_ok(gpu_read(a, got));
        for (size_t i = 0; i < n; i++)
            cr_assert_eq(got[i], 500, "n = %zu, element %zu: %d after 500 maps", n, i, got[i]);
        free(got);
    }
    test_close(g);
}

Test(map, takes_an_array_doubled_40_times) /* E12 */
{
    gpu *g = test_open();
    gpu_array *y = gpu_fill(g, GPU_ULONG, &(uint64_t){1}, 100);
    for (int k = 0; k < 40; k++) y = gpu_map2(y, y, "x + y");
    uint64_t got[100];
    test_ok(gpu_read(y, got));
    for (size_t i = 0; i < 100; i++) cr_assert_eq(got[i], (uint64_t)1 << 40, "element %zu after 40 doublings", i);
    test_close(g);
}

Test(map, an_empty_array_gives_an_empty_map) /* E10 */
{
    gpu *g = test_open();
    float data[3] = {1, 2, 3}, sink = 7;
    gpu_array *none = gpu_map(gpu_slice(gpu_array_of(g, data, 3), 2, 0), "x * 2");
    cr_assert_eq(gpu_length(none), 0);
    test_array_ok(none);
    test_ok(gpu_read(none, &sink));
    cr_assert_eq(sink, 7, "reading nothing wrote %g", (double)sink);
    gpu_array *nothing = gpu_array_from(g, GPU_TYPE(particle), NULL, 0);
    test_array_ok(gpu_map_to(nothing, GPU_FLOAT, "x.mass"));
    test_array_ok(gpu_map2(none, gpu_range(g, GPU_INT, 0), "x * y"));
    test_close(g);
}

Test(map, takes_functions_and_snippets_that_call_them)
{
    gpu *g = test_open();
    float data[257], got[257], want[257];
    test_random_fill(GPU_FLOAT, data, 257, 10);
    for (size_t i = 0; i < 257; i++) want[i] = twice(data[i]);
    gpu_array *x = gpu_array_of(g, data, 257);
    test_ok(gpu_read(gpu_map(x, twice), got));
    test_same("twice", GPU_FLOAT, 257, got, want);
    test_ok(gpu_read(gpu_map(x, "twice(x)"), got));
    test_same("twice(x)", GPU_FLOAT, 257, got, want);
    test_ok(gpu_read(gpu_map(gpu_map(x, twice), "x / 2"), got));
    test_same("twice and back", GPU_FLOAT, 257, got, data);
    test_close(g);
}
