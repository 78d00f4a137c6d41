/* Comparators for tests of several files. */
#ifndef TEST_ORDERS_H
#define TEST_ORDERS_H

#include <firepile.h>

/* Some are no strict weak order. */
GPU_FUNCTION(int, of_kind, (int p, int q, int kind), {
    switch (kind) {
    case 0:
        return p <= q;
    case 1:
        return 1;
    case 2:
        return 0;
    case 3:
        return (p * 7 + q) % 3 == 0;
    case 4:
        return p != q;
    default:
        return (p ^ q) & 1 ? p < q : p > q;
    }
});

#endif
