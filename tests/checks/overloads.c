/* What a C file defines for the C++ program beside it. */
#include <firepile.h>

GPU_STRUCT(pair, int x; int y;);

GPU_FUNCTION(int, twice, (int x), { return 2 * x; });
GPU_FUNCTION(int, sum, (const int *near), { return near[-1] + near[0] + near[1]; });
GPU_FUNCTION(int, chosen, (int x, uint64_t i, bool from_table, GPU_GLOBAL const int *table),
             { return from_table ? table[(i + 4) % 5] : x; });
GPU_FUNCTION(int, total, (int x, int y, int z), { return x + y + z; });
GPU_FUNCTION(int, below, (int x, int k), { return x < k; });
GPU_FUNCTION(int, half, (int x), { return x / 2; });
GPU_FUNCTION(int, distance, (int x, int k), { return x < k ? k - x : x - k; });
GPU_FUNCTION(int, near, (int a, int b, int k), { return distance(a, b) <= k; });
GPU_FUNCTION(int, larger, (int a, int b), { return a > b ? a : b; });
GPU_FUNCTION(int, nearer, (int a, int b, int to), { return distance(b, to) < distance(a, to) ? b : a; });
GPU_FUNCTION(int, times, (int x, GPU_GLOBAL const int *k), { return x * k[0]; });
GPU_FUNCTION(int, plus, (int x, pair by), { return x + by.x; });

/* NAME_address gives the address of the function NAME away, which has these parameters. */
#define GIVE(name, ...)                                                                                                \
    int (*name##_address(void))(__VA_ARGS__);                                                                          \
    int (*name##_address(void))(__VA_ARGS__)                                                                           \
    {                                                                                                                  \
        return name;                                                                                                   \
    }
GIVE(twice, int)
GIVE(chosen, int, uint64_t, bool, const int *)
GIVE(sum, const int *)
GIVE(total, int, int, int)
GIVE(below, int, int)
GIVE(half, int)
GIVE(distance, int, int)
GIVE(near, int, int, int)
GIVE(larger, int, int)
GIVE(nearer, int, int, int)
GIVE(times, int, const int *)
GIVE(plus, int, pair)

gpu_type pair_type(void);
gpu_type pair_type(void)
{
    return GPU_TYPE(pair);
}
