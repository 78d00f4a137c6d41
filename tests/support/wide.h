/* A struct of 256 bytes, more than a work-item keeps in registers, for tests of several files. */
#ifndef TEST_WIDE_H
#define TEST_WIDE_H

#include <firepile.h>

GPU_STRUCT(wide, unsigned int v[64];);
GPU_FUNCTION(wide, add_wide, (wide p, wide q), {
    for (int k = 0; k < 64; k++) p.v[k] += q.v[k];
    return p;
});

#endif
