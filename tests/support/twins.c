#include "twins.h"

GPU_STRUCT(twin_inner, int v;);
GPU_STRUCT(twin_outer, twin_inner in; int id;);
GPU_STRUCT(twin_item, int64_t a; int64_t b; int id; int64_t c;);
GPU_FUNCTION(int, twin_inner_of, (twin_outer o), { return o.in.v; });

gpu_type twin_type(void)
{
    return GPU_TYPE(twin_item);
}

gpu_type twin_outer_type(void)
{
    return GPU_TYPE(twin_outer);
}

gpu_array *twin_items(gpu *g, const int *ids, size_t n)
{
    twin_item items[16] = {{0}};
    for (size_t k = 0; k < n; k++) items[k] = (twin_item){-1, -2, ids[k], -3};
    return gpu_array_from(g, GPU_TYPE(twin_item), items, n);
}

gpu_array *twin_map(const gpu_array *x)
{
    return gpu_map_to(x, GPU_INT, twin_inner_of);
}
