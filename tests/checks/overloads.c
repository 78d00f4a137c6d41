/* What a C file defines for the C++ program beside it. */
#include <firepile.h>

GPU_FUNCTION(int, twice, (int x), { return 2 * x; });

int (*twice_address(void))(int);
int (*twice_address(void))(int)
{
    return twice;
}
