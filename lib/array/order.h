/* How elements are ordered. */
#ifndef FP_ARRAY_ORDER_H
#define FP_ARRAY_ORDER_H

#include "array/node.h"

typedef struct fp_order {
    fp_operator *less; /* of two keys; owned */
    gpu_type key;
    gpu_type
        value; /* elements are pairs of a key and such a value, of which keys are compared; NULL: they are their own keys */
    bool natural; /* `less` is the key's own order, descending or not */
    bool descending;
} fp_order;

#endif
