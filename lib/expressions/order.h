/* How elements are ordered. */
#ifndef FP_EXPRESSIONS_ORDER_H
#define FP_EXPRESSIONS_ORDER_H

#include "expressions/node.h"

typedef struct fp_order {
    fp_operator *less; /* of two keys; owned */
    gpu_type key;
    gpu_type value; /* of a pair of key and value, of which keys are compared; NULL: elements are keys */
    bool natural;   /* `less` is the key's own order, descending or not */
    bool descending;
} fp_order;

#endif
