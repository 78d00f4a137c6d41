/* Agrees with other_unit.c in one helper and not in another. */
#include <firepile.h>

GPU_FUNCTION(int, agreed, (int x), { return x * 7; });
GPU_FUNCTION(int, disputed, (int x), { return x * 9; });

/* Names that other files give to operands, captured values, parameters and variables. */
GPU_CONSTANT(x, 1000.0f);
GPU_CONSTANT(a, 1000.0f);
GPU_CONSTANT(b, 1000.0f);
GPU_CONSTANT(i, 1000);
GPU_CONSTANT(k, 1000.0f);
GPU_CONSTANT(n, 50);
GPU_CONSTANT(m, 1000);
GPU_CONSTANT(q, 1000.0f);
GPU_CONSTANT(v, 1000.0f);
GPU_CONSTANT(w, 1000.0f);
