/* Agrees with other_unit.c in one helper and not in another. */
#include <firepile.h>

GPU_FUNCTION(int, agreed, (int x), { return x * 7; });
GPU_FUNCTION(int, disputed, (int x), { return x * 9; });
