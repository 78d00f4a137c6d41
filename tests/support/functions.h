/* Functions of ints that are operators in tests of several files. Chains of the same functions share their programs. */
#ifndef TEST_FUNCTIONS_H
#define TEST_FUNCTIONS_H

#include <firepile.h>

GPU_FUNCTION(int, twice, (int x), { return 2 * x; });
GPU_FUNCTION(int, halved, (int x), { return x / 2; });
GPU_FUNCTION(int, times, (int x, int step), { return x * step; });
GPU_FUNCTION(int, is_odd, (int x), { return x & 1; });
GPU_FUNCTION(int, is_even, (int x), { return x % 2 == 0; });
GPU_FUNCTION(int, is_at_least, (int x, int least), { return x >= least; });
GPU_FUNCTION(int, add, (int a, int b), { return a + b; });
GPU_FUNCTION(int, larger, (int a, int b), { return a > b ? a : b; });

#endif
