/* Making arrays, reading them, slices, ranges, fills, gpu_eval. */
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(pixel, unsigned char r; unsigned char g; unsigned char b;);
GPU_STRUCT(other, unsigned char r; unsigned char g; unsigned char c;);
GPU_STRUCT(wide, int v[64];);
GPU_STRUCT(bytes_8000, int v[2000];);
GPU_FUNCTION(bytes_8000, add_8000, (bytes_8000 p, bytes_8000 q), {
    for (int k = 0; k < 2000; k++) p.v[k] += q.v[k];
    return p;
});

enum { MOST_BYTES = 1 << 28 };

static void round_trips(gpu *g, gpu_type type, size_t limit)
{
    size_t count = test_size_count(limit);
    while (test_sizes[count - 1] > MOST_BYTES / type->size) count--;
    size_t most = test_sizes[count - 1];
    char *data = test_alloc(most * type->size / 8 + 1, 8), *got = test_alloc(most + 1, type->size);
    test_random_fill(GPU_ULONG, data, most * type->size / 8 + 1, 50);
    for (size_t k = 0; k < count; k++) {
        size_t n = test_sizes[k], read = 77;
        gpu_array *a = gpu_array_from(g, type, data, n);
        test_ok(gpu_array_status(a));
        cr_assert_eq(gpu_length(a), n);
        cr_assert_str_eq(gpu_array_error(a), "");
        cr_assert(gpu_type_equal(gpu_type_of(a), type));
        memset(got, 0x5a, (n + 1) * type->size);
        test_ok(gpu_read(a, (void *)got));
        cr_assert_eq(memcmp(got, data, n * type->size), 0, "%zu %s changed on their way", n, type->name);
        for (size_t i = 0; i < type->size; i++) cr_assert_eq(got[n * type->size + i], 0x5a, "gpu_read wrote too much");
        memset(got, 0x5a, n * type->size);
        test_ok(gpu_read_n(a, (void *)got, n, &read));
        cr_assert_eq(read, n);
        cr_assert_eq(memcmp(got, data, n * type->size), 0, "%zu %s changed on their way", n, type->name);
        gpu_array_free(a);
    }
    free(data);
    free(got);
}

Test(array, elements_come_back_as_they_were_given)
{
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++) round_trips(g, test_scalars[t], t % 4 ? 68931 : 3679636);
    gpu_type more[] = {GPU_FLOAT4, GPU_CHAR2, GPU_DOUBLE4, GPU_USHORT4, GPU_TYPE(pixel), GPU_TYPE(wide)};
    for (size_t t = 0; t < sizeof more / sizeof more[0]; t++) round_trips(g, more[t], 68931);
    test_close(g);
}

Test(array, host_data_is_copied_at_once)
{
    gpu *g = test_open();
    size_t n = test_limit(2803221);
    int *data = test_alloc(n, sizeof *data), *got = test_alloc(n, sizeof *got), *want = test_alloc(n, sizeof *want);
    for (size_t i = 0; i < n; i++) want[i] = data[i] = (int)i;
    gpu_array *a = gpu_array_of(g, data, n);
    memset(data, 0xff, n * sizeof *data);
    test_ok(gpu_read(a, got));
    test_same("the data at the time of the call", GPU_INT, n, got, want);
    free(data);
    free(got);
    free(want);
    test_close(g);
}

#define CHECK_OF(T, TYPE)                                                                                              \
    do {                                                                                                               \
        T data[3] = {0};                                                                                               \
        const T *constant = data;                                                                                      \
        cr_assert(gpu_type_equal(gpu_type_of(gpu_array_of(g, data, 3)), TYPE), #T);                                    \
        cr_assert(gpu_type_equal(gpu_type_of(gpu_array_of(g, constant, 3)), TYPE), "const " #T);                       \
    } while (0)

Test(array, array_of_takes_the_type_from_the_pointer)
{
    gpu *g = test_open();
    CHECK_OF(char, GPU_CHAR);
    CHECK_OF(signed char, GPU_CHAR);
    CHECK_OF(unsigned char, GPU_UCHAR);
    CHECK_OF(short, GPU_SHORT);
    CHECK_OF(unsigned short, GPU_USHORT);
    CHECK_OF(int, GPU_INT);
    CHECK_OF(unsigned, GPU_UINT);
    CHECK_OF(long, GPU_LONG);
    CHECK_OF(unsigned long, GPU_ULONG);
    CHECK_OF(long long, GPU_LONG);
    CHECK_OF(size_t, GPU_ULONG);
    CHECK_OF(float, GPU_FLOAT);
    if (test_has_double()) CHECK_OF(double, GPU_DOUBLE);
    CHECK_OF(gpu_float3, GPU_FLOAT3);
    CHECK_OF(gpu_uchar2, GPU_UCHAR2);
    CHECK_OF(gpu_ulong4, GPU_ULONG4);
    pixel p[2] = {{1, 2, 3}, {4, 5, 6}};
    test_array_fails(GPU_E_TYPE, gpu_array_of(g, p, 2)); /* a struct has no type of its own */
    test_has(gpu_error(), "GPU_TYPE");
    test_close(g);
}

Test(array, types_are_equal_by_name_and_layout)
{
    cr_assert(gpu_type_equal(GPU_FLOAT, GPU_FLOAT) && gpu_type_equal(GPU_TYPE(pixel), GPU_TYPE(pixel)));
    cr_assert(!gpu_type_equal(GPU_FLOAT, GPU_INT) && !gpu_type_equal(GPU_FLOAT, GPU_FLOAT2));
    cr_assert(!gpu_type_equal(GPU_TYPE(pixel), GPU_TYPE(other)) && !gpu_type_equal(GPU_FLOAT, NULL));
    cr_assert(sizeof(gpu_float3) == GPU_FLOAT3->size && sizeof(gpu_double4) == GPU_DOUBLE4->size);
    cr_assert(sizeof(gpu_char3) == 4 && sizeof(gpu_uchar2) == 2 && sizeof(pixel) == GPU_TYPE(pixel)->size);
}

enum { SLICED = 1000 };

/* A computed and a delayed array of the same elements. */
static void sliced_sources(gpu *g, short *data, gpu_array **sources)
{
    test_random_fill(GPU_SHORT, data, SLICED, 51);
    sources[0] = gpu_array_of(g, data, SLICED);
    sources[1] = gpu_map_to(gpu_map_to(sources[0], GPU_INT, "x"), GPU_SHORT, "x");
}

Test(array, slices_hold_their_part_of_the_elements)
{
    gpu *g = test_open();
    short data[SLICED], got[SLICED];
    gpu_array *sources[2];
    sliced_sources(g, data, sources);
    for (size_t k = 0; k < 2; k++) {
        for (size_t first = 0; first <= SLICED; first = first * 2 + 1) {
            size_t n = (SLICED - first) / 2;
            test_ok(gpu_read(gpu_slice(sources[k], first, SLICED - first), got));
            test_same("a slice to the end", GPU_SHORT, SLICED - first, got, data + first);
            gpu_array *inner = gpu_slice(gpu_slice(sources[k], first, SLICED - first), n, n);
            cr_assert_eq(gpu_length(inner), n);
            test_ok(gpu_read(inner, got));
            test_same("a slice of a slice", GPU_SHORT, n, got, data + first + n);
            test_ok(gpu_read(gpu_map(inner, "x"), got));
            test_same("a mapped slice of a slice", GPU_SHORT, n, got, data + first + n);
        }
    }
    test_close(g);
}

Test(array, slices_beyond_the_end_are_refused)
{
    gpu *g = test_open();
    short data[SLICED];
    gpu_array *sources[2];
    sliced_sources(g, data, sources);
    for (size_t k = 0; k < 2; k++) {
        test_array_ok(gpu_slice(sources[k], SLICED, 0));
        test_array_fails(GPU_E_RANGE, gpu_slice(sources[k], SLICED, 1));
        test_array_fails(GPU_E_RANGE, gpu_slice(sources[k], 0, SLICED + 1));
        test_array_fails(GPU_E_RANGE, gpu_slice(sources[k], SIZE_MAX, 2));
        test_array_fails(GPU_E_RANGE, gpu_slice(sources[k], 2, SIZE_MAX));
        test_has(gpu_error(), "1000");
        test_array_fails(GPU_E_RANGE, gpu_slice(gpu_slice(sources[k], 10, 10), 5, 6)); /* within the parent */
    }
    test_close(g);
}

static void check_range(gpu *g, gpu_type type, size_t n)
{
    void *got = test_alloc(n, type->size), *want = test_alloc(n, type->size);
    for (size_t i = 0; i < n; i++) test_put(type, want, i, test_whole(type, (int64_t)i));
    gpu_array *a = gpu_range(g, type, n);
    cr_assert_eq(gpu_length(a), n);
    test_ok(gpu_read(a, got));
    test_same("range", type, n, got, want);
    if (n > 10 && type->size == 4) {
        test_ok(gpu_read(gpu_slice(gpu_range(g, type, n), 7, n - 7), got));
        test_same("a slice of a range", type, n - 7, got, (char *)want + 7 * type->size);
    }
    free(got);
    free(want);
}

Test(array, ranges_of_every_type_count_from_zero)
{
    gpu *g = test_open();
    static const size_t lengths[] = {0, 1, 2, 255, 300, 70000};
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        for (size_t k = 0; k < 6; k++)
            if (lengths[k] <= 300 || test_takes_type(t, 0)) check_range(g, test_scalars[t], test_limit(lengths[k]));
    }
    check_range(g, GPU_FLOAT, test_limit(16777217));
    test_close(g);
}

Test(array, ranges_of_vectors_and_structs_are_refused)
{
    gpu *g = test_open();
    test_array_fails(GPU_E_TYPE, gpu_range(g, GPU_FLOAT4, 10));
    test_array_fails(GPU_E_TYPE, gpu_range(g, GPU_TYPE(pixel), 10));
    test_array_fails(GPU_E_ARGUMENT, gpu_range(g, NULL, 10));
    test_close(g);
}

Test(array, fills_of_every_type_hold_their_value)
{
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        gpu_type type = test_scalars[t];
        int64_t value, got[1025], want[1025];
        for (size_t k = 0; test_sizes[k] <= (test_takes_type(t, 0) ? 1025 : 1024); k++) {
            test_random_fill(type, &value, 1, k);
            for (size_t i = 0; i < test_sizes[k]; i++) test_put(type, want, i, test_get(type, &value, 0));
            test_ok(gpu_read(gpu_fill(g, type, (const void *)&value, test_sizes[k]), (void *)got));
            test_same("fill", type, test_sizes[k], got, want);
        }
    }
    test_close(g);
}

Test(array, fills_of_nan_hold_nan)
{
    gpu *g = test_open();
    float got[3];
    test_ok(gpu_read(gpu_fill(g, GPU_FLOAT, &(float){NAN}, 3), got));
    cr_assert(isnan(got[0]) && isnan(got[2]));
    test_close(g);
}

Test(array, fills_take_vectors_and_structs)
{
    gpu *g = test_open();
    gpu_float2 pairs[100], two[100];
    for (int i = 0; i < 100; i++) two[i] = (gpu_float2){1.5f, -2};
    test_ok(gpu_read(gpu_fill(g, GPU_FLOAT2, (&(gpu_float2){1.5f, -2}), 100), pairs));
    test_same("fill", GPU_FLOAT2, 100, pairs, two);
    wide w, many[33];
    for (int j = 0; j < 64; j++) w.v[j] = j;
    test_ok(gpu_read(gpu_fill(g, GPU_TYPE(wide), &w, 33), many));
    for (int i = 0; i < 33; i++) test_same("fill", GPU_TYPE(wide), 1, &many[i], &w);
    test_close(g);
}

Test(array, fills_bind_their_value_when_the_call_is_made)
{
    gpu *g = test_open();
    pixel grey[50], all[50], p = {9, 8, 7};
    for (int i = 0; i < 50; i++) all[i] = p;
    gpu_array *filled = gpu_fill(g, GPU_TYPE(pixel), &p, 50);
    p.r = 0;
    test_ok(gpu_read(filled, grey));
    test_same("fill", GPU_TYPE(pixel), 50, grey, all);
    test_close(g);
}

static bytes_8000 large_value(void)
{
    bytes_8000 value;
    for (int k = 0; k < 2000; k++) value.v[k] = 3 * k;
    return value;
}

Test(array, fills_take_structs_of_8000_bytes)
{
    gpu *g = test_open();
    enum { N = 40 };
    static bytes_8000 value, got[N], want[N];
    value = large_value();
    for (int i = 0; i < N; i++) want[i] = value;
    gpu_array *a = gpu_fill(g, GPU_TYPE(bytes_8000), &value, N);
    memset(&value, 0, sizeof value);
    test_ok(gpu_read(a, got));
    test_same("fill", GPU_TYPE(bytes_8000), N, got, want);
    memset(got, 0, sizeof got);
    test_ok(gpu_read(gpu_slice(gpu_fill(g, GPU_TYPE(bytes_8000), &want[0], N), 3, 5), got));
    test_same("a slice of a fill", GPU_TYPE(bytes_8000), 5, got, want);
    test_close(g);
}

Test(array, fills_of_structs_of_8000_bytes_are_mapped_and_reduced)
{
    gpu *g = test_open();
    enum { N = 40 };
    static bytes_8000 value, sums;
    value = large_value();
    test_ok(gpu_reduce(gpu_fill(g, GPU_TYPE(bytes_8000), &value, N), add_8000, &sums));
    for (int k = 0; k < 2000; k++) cr_assert_eq(sums.v[k], N * 3 * k, "member %d: %d", k, sums.v[k]);
    int sum;
    test_ok(gpu_sum(gpu_map_to(gpu_fill(g, GPU_TYPE(bytes_8000), &value, N), GPU_INT, "x.v[i]"), &sum));
    cr_assert_eq(sum, 3 * N * (N - 1) / 2, "%d", sum);
    test_close(g);
}

Test(array, fill_refuses_a_value_of_another_type)
{
    gpu *g = test_open();
    pixel p = {9, 8, 7};
    test_array_fails(GPU_E_TYPE, gpu_fill(g, GPU_FLOAT, &(int){1}, 10));
    test_array_fails(GPU_E_TYPE, gpu_fill(g, GPU_FLOAT, &(double){1}, 10));
    test_array_fails(GPU_E_TYPE, gpu_fill(g, GPU_INT, &(unsigned){1}, 10));
    test_array_fails(GPU_E_TYPE, gpu_fill(g, GPU_TYPE(wide), &p, 10));
    test_array_fails(GPU_E_ARGUMENT, gpu_fill(g, GPU_FLOAT, (float *)NULL, 10));
    test_array_fails(GPU_E_ARGUMENT, gpu_fill(g, NULL, &(float){1}, 10));
    test_close(g);
}

Test(array, making_an_array_refuses_missing_arguments)
{
    gpu *g = test_open();
    float f[4] = {1, 2, 3, 4};
    test_array_fails(GPU_E_ARGUMENT, gpu_array_from(g, GPU_FLOAT, NULL, 4));
    test_array_fails(GPU_E_ARGUMENT, gpu_array_from(g, NULL, f, 4));
    test_array_fails(GPU_E_ARGUMENT, gpu_array_of(g, (float *)NULL, 4));
    test_close(g);
}

Test(array, reading_refuses_wrong_and_missing_outputs)
{
    gpu *g = test_open();
    float f[4] = {1, 2, 3, 4};
    int whole[4] = {7, 7, 7, 7};
    double deep[4] = {7, 7, 7, 7};
    size_t n = 77;
    gpu_array *a = test_array_ok(gpu_array_of(g, f, 4));
    test_fails(GPU_E_TYPE, gpu_read(a, whole));
    test_has(gpu_error(), "float");
    test_fails(GPU_E_TYPE, gpu_read(a, deep));
    test_fails(GPU_E_ARGUMENT, gpu_read(a, (float *)NULL));
    test_fails(GPU_E_TYPE, gpu_read_n(a, whole, 4, &n));
    test_fails(GPU_E_ARGUMENT, gpu_read_n(a, f, 4, NULL));
    cr_assert(n == 77 && whole[0] == 7 && deep[3] == 7, "an output was written");
    test_close(g);
}

Test(array, read_n_needs_room_for_all_elements)
{
    gpu *g = test_open();
    float f[4] = {1, 2, 3, 4};
    size_t n = 77;
    gpu_array *a = test_array_ok(gpu_array_of(g, f, 4));
    test_fails(GPU_E_RANGE, gpu_read_n(a, f, 3, &n));
    test_has(gpu_error(), "4");
    cr_assert_eq(n, 77, "an output was written");
    test_ok(gpu_read_n(a, f, 100, &n));
    cr_assert_eq(n, 4);
    test_close(g);
}

Test(array, reading_refuses_another_struct)
{
    gpu *g = test_open();
    pixel p[2] = {{1, 2, 3}, {4, 5, 6}};
    wide w[2];
    memset(w, 7, sizeof w);
    gpu_array *ps = test_array_ok(gpu_array_from(g, GPU_TYPE(pixel), p, 2));
    test_fails(GPU_E_TYPE, gpu_read(ps, w));
    cr_assert_eq(w[0].v[0], 0x07070707);
    test_close(g);
}

Test(array, eval_computes_an_array_once)
{
    gpu *g = test_open();
    float data[100], got[100], want[100];
    test_random_fill(GPU_FLOAT, data, 100, 52);
    for (int i = 0; i < 100; i++) want[i] = data[i] * 2;
    gpu_array *a = gpu_map(gpu_array_of(g, data, 100), "x * 2");
    cr_assert_eq(gpu_eval(a), a);
    uint64_t launched = test_stats(g).kernels_launched;
    cr_assert_eq(gpu_eval(a), a);
    test_ok(gpu_read(a, got));
    test_same("an evaluated map", GPU_FLOAT, 100, got, want);
    cr_assert_eq(test_stats(g).kernels_launched, launched, "an array was computed again");
    test_ok(gpu_finish(g));
    test_close(g);
}

Test(array, eval_of_a_wrong_snippet_returns_the_array_in_error)
{
    gpu *g = test_open();
    gpu_array *bad = gpu_map(gpu_range(g, GPU_FLOAT, 100), "x + nothing_of_this_name");
    cr_assert_eq(gpu_eval(bad), bad);
    cr_assert_eq(gpu_array_status(bad), GPU_E_SNIPPET);
    test_close(g);
}

Test(array, more_than_memory_holds_fails_and_names_the_bytes) /* C11 */
{
    gpu *g = test_open();
    float one = 1, got[3];
    double d = 0;
    gpu_array *huge = gpu_fill(g, GPU_FLOAT, &one, (size_t)1 << 60);
    if (!test_eager()) cr_assert_eq(gpu_length(huge), (size_t)1 << 60);
    test_array_fails(GPU_E_MEMORY, huge);
    test_has(gpu_array_error(huge), "4611686018427387904"); /* 2^62 bytes */
    test_array_fails(GPU_E_MEMORY, gpu_range(g, GPU_DOUBLE, SIZE_MAX));
    test_array_fails(GPU_E_MEMORY, gpu_map(gpu_range(g, GPU_DOUBLE, SIZE_MAX / 8), "x + 1"));
    test_array_fails(GPU_E_MEMORY, gpu_array_of(g, &d, SIZE_MAX / 4));
    test_array_fails(GPU_E_MEMORY, gpu_array_of(g, &d, (size_t)1 << 59));
    test_ok(gpu_read(gpu_fill(g, GPU_FLOAT, &one, 3), got));
    cr_assert_eq(got[2], 1, "the device is unusable");
    test_close(g);
}

Test(array, a_slice_of_a_range_too_long_for_memory_is_computed)
{
    if (test_eager()) cr_skip_test("nothing is delayed");
    gpu *g = test_open();
    uint64_t last[3];
    size_t n = SIZE_MAX / sizeof last[0];
    test_ok(gpu_read(gpu_slice(gpu_range(g, GPU_ULONG, n), n - 3, 3), last));
    cr_assert(last[0] == n - 3 && last[2] == n - 1);
    test_close(g);
}

Test(array, slices_of_a_map_too_long_for_memory_are_computed)
{
    if (test_eager()) cr_skip_test("nothing is delayed");
    gpu *g = test_open();
    size_t n = (size_t)1 << 45;
    gpu_array *a = gpu_map(gpu_range(g, GPU_ULONG, n), "x * 2");
    gpu_array *first = gpu_slice(a, 0, 4), *next = gpu_slice(a, 100, 4), *last = gpu_slice(a, n - 4, 4);
    uint64_t got[4], sum;
    for (int round = 0; round < 3; round++) {
        test_ok(gpu_read(first, got));
        cr_assert(got[0] == 0 && got[3] == 6);
        test_ok(gpu_read(next, got));
        cr_assert(got[0] == 200 && got[3] == 206);
        test_ok(gpu_read(gpu_slice(last, 1, 3), got));
        cr_assert(got[0] == 2 * (n - 3) && got[2] == 2 * (n - 1));
        test_ok(gpu_sum(gpu_map2(first, last, "x + y"), &sum));
        cr_assert_eq(sum, 8 * n - 8);
    }
    test_close(g);
}

Test(array, a_device_is_opened_by_its_number_and_by_a_part_of_its_name)
{
    test_needs_opencl();
    gpu_device_info infos[8];
    size_t count = gpu_devices(infos, 8);
    cr_assert_gt(count, 0, "%s", gpu_error());
    cr_assert_eq(gpu_devices(NULL, 0), count);
    for (size_t k = 0; k < count && k < 8; k++) {
        char index[8], part[128];
        snprintf(index, sizeof index, "%zu", k);
        cr_assert(*infos[k].name && *infos[k].platform && infos[k].compute_units && infos[k].memory_bytes);
        gpu *g = gpu_open(index);
        cr_assert(g, "%s", gpu_error());
        cr_assert_str_eq(gpu_device_name(g), infos[k].name);
        gpu_close(g);
        snprintf(part, sizeof part, "%s", infos[k].name + 1);
        for (char *c = part; *c; c++) *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 32 : *c); /* in any case */
        g = gpu_open(part);
        cr_assert(g, "%s: %s", part, gpu_error());
        test_close(g);
    }
}

Test(array, the_environment_chooses_the_device)
{
    test_needs_opencl();
    gpu_device_info info;
    cr_assert_gt(gpu_devices(&info, 1), 0, "%s", gpu_error());
    setenv("FIREPILE_DEVICE", "0", 1);
    gpu *g = gpu_open(NULL);
    cr_assert(g, "%s", gpu_error());
    cr_assert_str_eq(gpu_device_name(g), info.name);
    test_close(g);
}

Test(array, opening_a_device_that_is_not_there_names_those_found)
{
    test_needs_opencl();
    cr_assert_null(gpu_open("no such device"));
    test_has(gpu_error(), "no such device");
    gpu_device_info info;
    cr_assert_gt(gpu_devices(&info, 1), 0);
    test_has(gpu_error(), info.name); /* what was found */
    cr_assert_null(gpu_open("99999"));
    setenv("FIREPILE_DEVICE", "nowhere", 1);
    cr_assert_null(gpu_open(NULL));
    test_has(gpu_error(), "nowhere");
    test_has(gpu_error(), "FIREPILE_DEVICE");
    test_nothing_lives("after a gpu_open that failed");
}

Test(array, opening_without_a_platform_gives_advice) /* C19 */
{
    test_needs_opencl();
    if (test_simulated()) cr_skip_test("the simulator is always there");
    char folder[TEST_PATH];
    test_folder_make(folder);
    setenv("OCL_ICD_VENDORS", folder, 1);
    if (gpu_devices(NULL, 0) > 0) cr_skip("this driver does not come through the ICD loader");
    cr_assert_null(gpu_open(NULL));
    test_has(gpu_error(), "pocl-opencl-icd");
    cr_assert_eq(gpu_devices(NULL, 0), 0);
    test_has(gpu_error(), "pocl-opencl-icd");
    test_nothing_lives("after a gpu_open that failed");
    test_folder_remove(folder);
}
