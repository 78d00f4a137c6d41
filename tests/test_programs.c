/* The first programs that a reader of the documentation writes, with their values checked. */
#include "support/support.h"

#include <firepile.h>
#include <math.h>
#include <stdlib.h>

Test(programs, sum_and_scaled_sum)
{
    setenv("FIREPILE_SMALL", "0", 1); /* a kernel is counted */
    gpu *g = gpu_open(NULL);
    float data[] = {1, 2, 3, 4, 5};
    gpu_array *x = gpu_array_of(g, data, 5);

    float sum, scaled;
    test_ok(gpu_reduce(x, "a + b", &sum));

    gpu_array *y = gpu_map(x, "x * 23");
    gpu_stats before = test_stats(g);
    test_ok(gpu_reduce(y, "a + b", &scaled));
    cr_assert(sum == 15 && scaled == 345, "%g %g", (double)sum, (double)scaled);
    test_needs_opencl();
    if (!test_eager()) cr_assert_eq(test_stats(g).kernels_launched - before.kernels_launched, 1);
    test_close(g);
}

Test(programs, captured_values)
{
    gpu *g = gpu_open(NULL);
    size_t count = 1000;
    float weights[256], data[1000], got[1000], want[1000];
    int whole[1000], whole_want[1000];
    for (size_t i = 0; i < 256; i++) weights[i] = (float)i / 2;
    for (size_t i = 0; i < count; i++) data[i] = (float)i / 4 - 100;
    gpu_array *x = gpu_array_of(g, data, count);

    float k = 3;
    gpu_array *table = gpu_array_of(g, weights, 256);
    gpu_array *y = gpu_map(x, "x * k + table[i % 256]", GPU_ARG(k), GPU_ARG(table));
    gpu_array *n = gpu_map_to(x, GPU_INT, "convert_int(x)");
    gpu_array *z = gpu_map2(x, y, "x > y ? x : y");

    for (size_t i = 0; i < count; i++) {
        want[i] = data[i] * k + weights[i % 256];
        whole_want[i] = (int)data[i];
    }
    test_ok(gpu_read(y, got));
    test_same("captured values", GPU_FLOAT, count, got, want);
    test_ok(gpu_read(n, whole));
    test_same("convert_int", GPU_INT, count, whole, whole_want);
    for (size_t i = 0; i < count; i++) want[i] = fmaxf(data[i], want[i]);
    test_ok(gpu_read(z, got));
    test_same("two arrays", GPU_FLOAT, count, got, want);
    test_close(g);
}

Test(programs, operations_of_one_small_program)
{
    gpu *g = gpu_open(NULL);
    enum { n = 6 };
    float data[n] = {17.5f, 21.5f, 31, 30, 21.5f, 33.25f}, got[n];
    uint64_t indices[n];
    gpu_array *t = gpu_array_of(g, data, n);
    gpu_stats before = test_stats(g);

    gpu_array *hot = gpu_filter(t, "x > 30");
    gpu_array *runs = gpu_scan(t, "a + b");
    gpu_array *where = gpu_find(t, &(float){21.5f});
    gpu_array *sorted = gpu_sort(t);
    gpu_array *byabs = gpu_sort_by(t, "fabs(a - 25) < fabs(b - 25)");
    if (!test_verifies()) cr_assert_eq(test_stats(g).bytes_downloaded, before.bytes_downloaded);
    size_t first;
    test_ok(gpu_index_of(t, &(float){21.5f}, &first));
    cr_assert_eq(first, 1);

    test_ok(gpu_read(hot, got));
    cr_assert_eq(gpu_length(hot), 2);
    test_same("hot", GPU_FLOAT, 2, got, (float[]){31, 33.25f});
    test_ok(gpu_read(runs, got));
    test_same("runs", GPU_FLOAT, n, got, (float[]){17.5f, 39, 70, 100, 121.5f, 154.75f});
    cr_assert_eq(gpu_length(where), 2);
    test_ok(gpu_read(where, indices));
    test_same("where", GPU_ULONG, 2, indices, (uint64_t[]){1, 4});
    test_ok(gpu_read(sorted, got));
    test_same("sorted", GPU_FLOAT, n, got, (float[]){17.5f, 21.5f, 21.5f, 30, 31, 33.25f});
    test_ok(gpu_read(byabs, got));
    test_same("byabs", GPU_FLOAT, n, got, (float[]){21.5f, 21.5f, 30, 31, 17.5f, 33.25f});
    test_close(g);
}

GPU_STRUCT(particle, float x; float y; float mass;);
GPU_FUNCTION(float, energy, (particle p), { return 0.5f * p.mass * (p.x * p.x + p.y * p.y); });
GPU_FUNCTION(float, add, (float a, float b), { return a + b; });

Test(programs, one_definition_for_both_sides)
{
    gpu *g = gpu_open(NULL);
    enum { n = 500 };
    particle cloud[n];
    float want = 0;
    for (int i = 0; i < n; i++) {
        cloud[i] = (particle){(float)(i % 4), (float)(i % 3), (float)(i % 5)};
        want = add(want, energy(cloud[i])); /* exact in float */
    }

    gpu_array *ps = gpu_array_from(g, GPU_TYPE(particle), cloud, n);
    float total;
    test_ok(gpu_reduce(gpu_map_to(ps, GPU_FLOAT, energy), add, &total));
    cr_assert_eq(total, want, "%g, wanted %g", (double)total, (double)want);
    test_close(g);
}
