/* Every kind of macro as a user's program has it, for warnings.sh. Nothing here warns by itself. */
#include <firepile.h>
#include <firepile/math.h>

GPU_STRUCT(cell, float height; int kind;);
GPU_CONSTANT(LEAST, 0.5f);
GPU_ENUM(EMPTY, FULL);
GPU_FUNCTION(float, height, (cell c), { return fmax(c.height, LEAST); });
GPU_FUNCTION(int, kind, (cell c, cell left), { return c.kind == FULL ? FULL : EMPTY; });
GPU_FUNCTION(int, nothing, (int x), { return 3; });
GPU_FUNCTION(float, looked_up, (float x, uint64_t i, bool on, GPU_GLOBAL const float *table),
             { return on ? table[i] : x; });
GPU_DEVICE_FUNCTION(float, fast, (float x), { return native_sin(x); });

GPU_KERNEL(spread,
           (GPU_GLOBAL const float *x, uint64_t x_length, float k, GPU_LOCAL_MEMORY float *t, GPU_GLOBAL float *z), {
               const unsigned column = 1;
               t[item] = i < x_length ? x[i] : k;
               sync();
               z[i] = t[(item + column) % ITEMS];
           });

/* A kernel, and its parts. */
gpu_array *spawned(gpu *g, const gpu_array *x);
gpu_array *spawned(gpu *g, const gpu_array *x)
{
    const gpu_space s = gpu_space_of(g, 1000);
    const float k = 2;
    gpu_array *z, *copy, *count, *y;
    gpu_spawn(g, s, spread, GPU_ARG(x), GPU_ARG(k), GPU_GROUP(t, GPU_FLOAT, s.items), GPU_RESULT(z, GPU_FLOAT, 1000));
    gpu_spawn(g, s, "{ copy[i] = f(copy[i], k); y[atomic_inc(y_count)] = i; }", GPU_RESULT_FROM(copy, z), GPU_ARG(k),
              GPU_ARG_OPERATOR(f, GPU_FLOAT, "a + b"), GPU_RESULT(y, GPU_INT, 1000), GPU_RESULT_COUNT(y, &count));
    return gpu_map2(copy, count, "x + y");
}

/* Captures, and the type of each kind of variable. */
gpu_array *maps(const gpu_array *x, const gpu_array *cells);
gpu_array *maps(const gpu_array *x, const gpu_array *cells)
{
    const bool on = true;
    const gpu_array *table = x;
    cell one = {1, 2};
    gpu_float4 four = {1, 2, 3, 4};
    gpu_array *y = gpu_map(x, "x * four.x + one.height", GPU_ARG(four), GPU_ARG_AS(one, GPU_TYPE(cell), one));
    gpu_array *z = gpu_map(y, looked_up, GPU_ARG(on), GPU_ARG(table));
    gpu_array *kinds = gpu_map2_to(cells, cells, GPU_INT, kind);
    gpu_array *heights = gpu_map_to(cells, GPU_FLOAT, height);
    return gpu_map3(gpu_map(z, fast), gpu_filter(heights, "x > LEAST"), gpu_map(kinds, nothing), "x + y + z");
}

/* Values, outputs and functions whose types the macros find. */
gpu_status values(gpu *g, const gpu_array *x, const gpu_array *cells);
gpu_status values(gpu *g, const gpu_array *x, const gpu_array *cells)
{
    const float low = 0, high = 10;
    const double read_only[3] = {1, 2, 3};
    float sum = 0, product = 0, all[8];
    cell some[8];
    void *untyped = some;
    size_t n = 0, index = 0;
    bool yes = false;
    gpu_array *counts, *outside, *keys, *sums;
    gpu_status (*function)(float *out, const gpu_array *x) = NULL;
    gpu_array *symbol = gpu_symbol(g, GPU_FLOAT), *given = gpu_array_of(g, read_only, 3);
    gpu_status status = gpu_reduce_all(x, "a + b", &sum, "a * b", &product, GPU_COMMUTATIVE);
    gpu_histogram(gpu_concat(x, given), &low, &high, 10, &counts, &outside);
    gpu_reduce_by_key(x, x, "a + b", &keys, &sums);
    status = status ? status : gpu_fold(x, &(float){1}, "a + b", &sum);
    status = status ? status : gpu_read(gpu_scan_exclusive(counts, &(uint64_t){0}, "a + b"), untyped);
    status = status ? status : gpu_read_n(outside, all, 8, &n);
    status = status ? status : gpu_read(cells, some);
    status = status ? status : gpu_any(x, "x > 3", &yes);
    status = status ? status : gpu_index_of(keys, &high, &index);
    status = status ? status : gpu_max(gpu_fill(g, GPU_FLOAT2, (&(gpu_float2){1, 2}), 7), all);
    status = status ? status : gpu_check_reduce(sums, "a + b");
    return status ? status : gpu_compile(&function, gpu_reduced(symbol, "a + b"), symbol);
}
