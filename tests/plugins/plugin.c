/* What a program may load and unload: test_unload does, and uses the arrays that came from here. */
#include <firepile.h>

GPU_STRUCT(plugin_inner, int count;);
GPU_STRUCT(plugin_item, float w; plugin_inner in;);
GPU_CONSTANT(PLUGIN_OFFSET, 1000);
GPU_FUNCTION(int, plugin_twice, (int x), { return 2 * x; });
GPU_FUNCTION(bool, plugin_before, (int a, int b), { return a > b; });
GPU_DEVICE_FUNCTION(int, plugin_next, (int x), { return x + 1; });

typedef gpu_array *maker(gpu *g, size_t n);
maker captured, items, captured_item, compiled, refused, sliced, gathered, function, called, device_function, sorted;

gpu_array *captured(gpu *g, size_t n)
{
    int scale = 3;
    return gpu_map(gpu_range(g, GPU_INT, n), "x * scale + PLUGIN_OFFSET", GPU_ARG(scale));
}

/* Elements of a struct, and a text that names it. */
gpu_array *items(gpu *g, size_t n)
{
    plugin_item item = {1.5f, {5}};
    gpu_array *all = gpu_fill(g, GPU_TYPE(plugin_item), &item, n);
    return gpu_map_to(gpu_map(all, "{ plugin_item p = x; p.in.count++; return p; }"), GPU_INT, "x.in.count");
}

gpu_array *captured_item(gpu *g, size_t n)
{
    plugin_item item = {1.5f, {5}};
    return gpu_map(gpu_range(g, GPU_INT, n), "x + item.in.count", GPU_ARG_AS(item, GPU_TYPE(plugin_item), item));
}

gpu_array *compiled(gpu *g, size_t n)
{
    static gpu_status (*f)(gpu_array * *out, const gpu_array *x);
    gpu_array *x = gpu_symbol(g, GPU_INT), *result = NULL;
    if (gpu_compile(&f, gpu_map(x, "x - PLUGIN_OFFSET"), x)) return NULL;
    return f(&result, gpu_range(g, GPU_INT, n)) ? NULL : result;
}

gpu_array *refused(gpu *g, size_t n)
{
    return gpu_map(gpu_range(g, GPU_INT, n), "x + undefined_name");
}

gpu_array *sliced(gpu *g, size_t n)
{
    return gpu_slice(gpu_range(g, GPU_INT, n), n, 1);
}

gpu_array *gathered(gpu *g, size_t n)
{
    return gpu_gather(gpu_range(g, GPU_INT, n), gpu_map(gpu_range(g, GPU_INT, 1), "x + 1000000"));
}

gpu_array *function(gpu *g, size_t n)
{
    return gpu_map(gpu_range(g, GPU_INT, n), plugin_twice);
}

gpu_array *called(gpu *g, size_t n)
{
    return gpu_map(gpu_range(g, GPU_INT, n), "plugin_twice(x)");
}

gpu_array *device_function(gpu *g, size_t n)
{
    return gpu_map(gpu_range(g, GPU_INT, n), plugin_next);
}

gpu_array *sorted(gpu *g, size_t n)
{
    return gpu_sort_by(gpu_map(gpu_range(g, GPU_INT, n), plugin_twice), plugin_before);
}
