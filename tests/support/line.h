/* An operator that does not commute, for tests of several files. */
#ifndef TEST_LINE_H
#define TEST_LINE_H

#include <firepile.h>

/* x -> m x + c, one after the other: associative, not commutative. */
GPU_STRUCT(line, unsigned m; unsigned c;);
GPU_FUNCTION(line, then, (line a, line b), {
    line r;
    r.m = a.m * b.m;
    r.c = a.c * b.m + b.c;
    return r;
});
GPU_FUNCTION(line, line_of, (int x), {
    line r;
    r.m = 2 * (unsigned)x + 1;
    r.c = (unsigned)x;
    return r;
});

#endif
