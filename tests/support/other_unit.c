#include "other_unit.h"

#include <firepile/random.h>

GPU_CONSTANT(unit_scale, 5);
GPU_STRUCT(unit_pair, double p; double q;);
GPU_FUNCTION(int, unit_helper, (int x), { return x + 100; });
GPU_FUNCTION(int, only_elsewhere, (int x), { return unit_helper(x) * unit_scale; });
GPU_FUNCTION(int, agreed, (int x), { return x * 7; });
GPU_FUNCTION(int, disputed, (int x), { return x * 8; });

gpu_array *other_unit_map(const gpu_array *x)
{
    return gpu_map(x, "unit_helper(x) * unit_scale");
}

gpu_array *other_unit_map_function(const gpu_array *x)
{
    return gpu_map(x, unit_helper);
}

gpu_array *other_unit_pairs(const gpu_array *x)
{
    return gpu_map_to(x, GPU_TYPE(unit_pair), "{ unit_pair r; r.p = x; r.q = 2 * x; return r; }");
}

gpu_type other_unit_pair(void)
{
    return GPU_TYPE(unit_pair);
}

gpu_array *other_unit_philox(const gpu_array *seeds)
{
    return gpu_map_to(seeds, GPU_UINT4, gpu_philox);
}

const void *other_unit_philox_address(const void **unit)
{
    *unit = &gpu_unit_;
    return __extension__(const void *) gpu_philox;
}
