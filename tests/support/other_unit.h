/* Operations that stand in another C file, with helpers of its own. */
#ifndef TEST_OTHER_UNIT_H
#define TEST_OTHER_UNIT_H

#include <firepile.h>

gpu_array *other_unit_map(const gpu_array *x);          /* (x + 100) * 5, by a snippet */
gpu_array *other_unit_map_function(const gpu_array *x); /* x + 100, by a function's name */
gpu_array *other_unit_pairs(const gpu_array *x);        /* {x, 2 x}, of a struct with two doubles */
gpu_type other_unit_pair(void);

/* gpu_philox of each seed and its index, by the name of the function; and where that is for this file. */
gpu_array *other_unit_philox(const gpu_array *seeds);
const void *other_unit_philox_address(const void **unit);

#endif
