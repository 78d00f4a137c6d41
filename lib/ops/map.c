#include "array/array.h"
#include "base/error.h"

#include <firepile/map.h>

static const char *const names[FP_INPUTS] = {"a", "b", "c"};

/* The nodes of arrays that can be joined element by element. */
static gpu_status join(const gpu_array *const *arrays, unsigned count, fp_node **nodes)
{
    for (unsigned k = 0; k < count; k++) {
        gpu_status status = fp_array_check(arrays[k], names[k]);
        if (status) return status;
    }
    for (unsigned k = 0; k < count; k++) {
        nodes[k] = arrays[k]->node;
        if (arrays[k]->g != arrays[0]->g)
            return fp_fail(GPU_E_ARGUMENT, "the arrays 'a' and '%s' belong to different gpus", names[k]);
        if (fp_node_same_extent(nodes[0], nodes[k])) continue;
        gpu_status status = fp_node_settle(nodes[0]);
        if (!status) status = fp_node_settle(nodes[k]);
        if (status) return status;
        if (nodes[k]->length != nodes[0]->length)
            return fp_fail(GPU_E_ARGUMENT,
                           "the arrays 'a' and '%s' have %zu and %zu elements, and must be equally long", names[k],
                           nodes[0]->length, nodes[k]->length);
    }
    return GPU_OK;
}

static fp_node *map_node(const gpu_array *const *arrays, unsigned count, const char *operation, gpu_type type,
                         const gpu_operator *op)
{
    fp_node *nodes[FP_INPUTS];
    fp_operator *bound;
    if (join(arrays, count, nodes)) return NULL;
    gpu *g = arrays[0]->g;
    if (!type) type = nodes[0]->type;
    if (fp_gpu_check_type(g, type) || fp_operator_bind(g, op, &(fp_role){operation, count, true, false}, &bound))
        return NULL;
    return fp_node_map(type, bound, nodes, count);
}

/* The arrays may be in error or of different gpus: the result belongs to the first that has one. */
static gpu_array *map(const gpu_array *const *arrays, unsigned count, const char *operation, gpu_type type,
                      const gpu_operator *op)
{
    gpu *g = NULL;
    for (unsigned k = 0; k < count && !g; k++) g = fp_array_gpu(arrays[k]);
    fp_entry entry = fp_entry_begin(g, operation, op ? op->place : NULL);
    gpu_array *result = fp_array_new(g, map_node(arrays, count, operation, type, op));
    fp_entry_end(&entry, gpu_array_status(result));
    return result;
}

gpu_array *gpu_map_op(const gpu_array *a, gpu_type type, const gpu_operator *op)
{
    return map(&a, 1, "gpu_map", type, op);
}

gpu_array *gpu_map2_op(const gpu_array *a, const gpu_array *b, gpu_type type, const gpu_operator *op)
{
    return map((const gpu_array *const[]){a, b}, 2, "gpu_map2", type, op);
}

gpu_array *gpu_map3_op(const gpu_array *a, const gpu_array *b, const gpu_array *c, gpu_type type,
                       const gpu_operator *op)
{
    return map((const gpu_array *const[]){a, b, c}, 3, "gpu_map3", type, op);
}
