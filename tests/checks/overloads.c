/* What a C file defines for the C++ program beside it. */
#include <firepile.h>

GPU_FUNCTION(int, twice, (int x), { return 2 * x; });
GPU_FUNCTION(int, sum, (const int *near), { return near[-1] + near[0] + near[1]; });
GPU_FUNCTION(int, chosen, (int x, uint64_t i, bool from_table, GPU_GLOBAL const int *table),
             { return from_table ? table[(i + 4) % 5] : x; });

int (*twice_address(void))(int);
int (*twice_address(void))(int)
{
    return twice;
}

int (*sum_address(void))(const int *);
int (*sum_address(void))(const int *)
{
    return sum;
}

int (*chosen_address(void))(int, uint64_t, bool, const int *);
int (*chosen_address(void))(int, uint64_t, bool, const int *)
{
    return chosen;
}
