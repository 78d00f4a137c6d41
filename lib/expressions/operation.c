/* Operations by the values that they pass to their operators. */
#include "expressions/operator.h"

#include <string.h>

const char *fp_operation_of(const fp_operator_kind *kind, size_t values)
{
    static const struct {
        const char *of, *other;
        size_t values;
    } all[] = {{"gpu_map", "gpu_map2", 2},
               {"gpu_map", "gpu_map3", 3},
               {"gpu_map2", "gpu_map", 1},
               {"gpu_map2", "gpu_map3", 3},
               {"gpu_map3", "gpu_map", 1},
               {"gpu_map3", "gpu_map2", 2},
               {"gpu_matrix_map", "gpu_matrix_map2", 2},
               {"gpu_matrix_map2", "gpu_matrix_map", 1},
               {"gpu_sort_by", "gpu_sort_key", 1},
               {"gpu_sort_key", "gpu_sort_by", 2},
               {"gpu_reduce", "gpu_map", 1},
               {"gpu_fold", "gpu_map", 1},
               {"gpu_scan", "gpu_map", 1},
               {"gpu_scan_exclusive", "gpu_map", 1}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!strcmp(all[k].of, kind->operation) && all[k].values == values) return all[k].other;
    return NULL;
}
