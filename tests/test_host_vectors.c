/* Texts that compute with vectors on the host: lane by lane, as the same text of scalars does. */
#include "support/reference.h"
#include "support/refusals.h"

#include <stdlib.h>
#include <string.h>

TestSuite(host_vectors, .timeout = 120);

static const struct {
    gpu_type scalar, vectors[3];
} types[] = {{GPU_FLOAT, {GPU_FLOAT2, GPU_FLOAT3, GPU_FLOAT4}}, {GPU_DOUBLE, {GPU_DOUBLE2, GPU_DOUBLE3, GPU_DOUBLE4}},
             {GPU_INT, {GPU_INT2, GPU_INT3, GPU_INT4}},         {GPU_UINT, {GPU_UINT2, GPU_UINT3, GPU_UINT4}},
             {GPU_LONG, {GPU_LONG2, GPU_LONG3, GPU_LONG4}},     {GPU_ULONG, {GPU_ULONG2, GPU_ULONG3, GPU_ULONG4}}};

/* More than a block of lanes, and no multiple of one. */
enum { N = 301, LANES = 4 * N };

/* Compares a vector's lanes with the results of scalars. The fourth of three is nobody's. */
static void check_lanes(const char *text, gpu_type vector, const void *got, const void *want)
{
    const unsigned width = vector->width == 3 ? 4 : vector->width;
    const size_t size = vector->size / width;
    for (size_t k = 0; k < (size_t)N * width; k++)
        if (k % width < vector->width)
            cr_assert_arr_eq((const char *)got + k * size, (const char *)want + k * size, size,
                             "\"%s\" of %s, lane %zu", text, vector->name, k);
}

static void check_map(gpu *g, const char *text, gpu_type scalar, gpu_type vector, const void *data)
{
    const size_t lanes = N * (vector->width == 3 ? 4 : vector->width);
    const int k = 3;
    uint64_t got[LANES], want[LANES];
    gpu_array *of_vectors = gpu_array_from(g, vector, data, N), *of_scalars = gpu_array_from(g, scalar, data, lanes);
    test_ok(gpu_read(gpu_map2(of_vectors, of_vectors, text, GPU_ARG(k)), (void *)got));
    test_ok(gpu_read(gpu_map2(of_scalars, of_scalars, text, GPU_ARG(k)), (void *)want));
    check_lanes(text, vector, got, want);
}

Test(host_vectors, operators_compute_lane_by_lane)
{
    static const char *const all[] = {"x + y", "-x", "x * 2 - 1", "(x + 1) * (y - 3)", "7 - x / k", "x * k + y / 2"};
    static const char *const of_integers[] = {"x % k", "x & 6 | y", "~x ^ y", "x << 3", "x >> (y & 7)"};
    gpu *g = test_open_side(true);
    uint64_t data[LANES];
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        test_pattern_fill(TEST_EXTREMES, types[t].scalar, data, LANES, 3);
        for (unsigned v = 0; v < 3; v++) {
            for (size_t e = 0; e < COUNT_OF(all); e++) check_map(g, all[e], types[t].scalar, types[t].vectors[v], data);
            for (size_t e = 0; e < COUNT_OF(of_integers) && types[t].scalar->kind != GPU_KIND_FLOATING; e++)
                check_map(g, of_integers[e], types[t].scalar, types[t].vectors[v], data);
        }
    }
    test_close(g);
}

Test(host_vectors, comparisons_give_0_and_minus_1)
{
    const gpu_float4 x[] = {{1, 2, 3, 4}, {-5, 0, 7, 8}}, y[] = {{2, 2, 2, 2}, {-5, -1, 7, 9}};
    const gpu_double2 p[] = {{1, 5}}, q[] = {{4, 5}};
    for (int host = 0; host < 2; host++) {
        gpu *g = test_open_side(host);
        gpu_array *a = gpu_array_of(g, x, 2), *b = gpu_array_of(g, y, 2);
        test_holds("float4", gpu_map2_to(a, b, GPU_INT4, "x < y"), GPU_INT4, 2,
                   ((gpu_int4[]){{-1, 0, 0, 0}, {0, 0, 0, -1}}));
        test_holds("their bits", gpu_map2_to(a, b, GPU_INT4, "(x <= y) & 6"), GPU_INT4, 2,
                   ((gpu_int4[]){{6, 6, 0, 0}, {6, 0, 6, 6}}));
        if (test_has_double())
            test_holds("double2", gpu_map2_to(gpu_array_of(g, p, 1), gpu_array_of(g, q, 1), GPU_LONG2, "x != y"),
                       GPU_LONG2, 1, ((gpu_long2[]){{-1, 0}}));
        gpu_close(g);
    }
}

Test(host_vectors, literals_have_a_value_for_each_lane_or_one_for_all)
{
    const float k = 2.5f;
    for (int host = 0; host < 2; host++) {
        gpu *g = test_open_side(host);
        gpu_array *x = gpu_range(g, GPU_FLOAT, 2);
        test_holds("each", gpu_map_to(x, GPU_FLOAT3, "(float3)(x, x * k, i + 1)", GPU_ARG(k)), GPU_FLOAT3, 2,
                   ((gpu_float3[]){{.z = 1}, {.x = 1, .y = 2.5f, .z = 2}}));
        test_holds("all", gpu_map_to(x, GPU_CHAR4, "(char4)(x + 3)"), GPU_CHAR4, 2,
                   ((gpu_char4[]){{3, 3, 3, 3}, {4, 4, 4, 4}}));
        gpu_close(g);
    }
}

/* Also where each result is an operand of the next one. */
Test(host_vectors, reductions_and_scans_compute_lane_by_lane)
{
    enum { M = 700 };
    gpu_int3 data[M], want[M] = {{.x = 0}}, last;
    for (int k = 0; k < M; k++) data[k] = (gpu_int3){.x = k, .y = -k, .z = k % 7};
    for (int k = 0; k < M; k++) {
        want[k] = k ? want[k - 1] : (gpu_int3){.x = -1, .y = -1, .z = -1};
        want[k] =
            (gpu_int3){.x = want[k].x + data[k].x + 1, .y = want[k].y + data[k].y + 1, .z = want[k].z + data[k].z + 1};
    }
    for (int host = 0; host < 2; host++) {
        gpu *g = test_open_side(host);
        gpu_array *x = gpu_array_of(g, data, M);
        test_holds("a scan", gpu_scan(x, "a + b + 1"), GPU_INT3, M, want);
        test_ok(gpu_reduce(x, "a + b + 1", &last));
        cr_assert(last.x == want[M - 1].x && last.y == want[M - 1].y && last.z == want[M - 1].z);
        gpu_close(g);
    }
}

/* OpenCL C converts no vector, and no scalar to a narrower type. */
Test(host_vectors, texts_of_other_types_are_refused)
{
    gpu *g = test_open_side(true);
    const gpu_float4 v = {1, 2, 3, 4};
    gpu_array *x = gpu_array_of(g, &v, 1);
    const char *const texts[] = {"x * 2.0", "x < 1",    "x + (x < 1)", "x % 2",          "!x",  "x && x",
                                 "x + i",   "(float)x", "2 << x",      "(float4)(1, 2)", "x.x", "x ? x : 1"};
    for (size_t k = 0; k < COUNT_OF(texts); k++)
        cr_assert_eq(gpu_array_status(gpu_eval(gpu_map(x, texts[k]))), GPU_E_SNIPPET, "\"%s\"", texts[k]);
    test_close(g);
}
