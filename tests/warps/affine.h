/* Values whose operator is associative and does not commute: maps x -> a x + b of integers, two of the type FP_WORD. */
#pragma once

#include "warps.h"

typedef struct {
    FP_WORD a, b;
} affine;

static inline affine affine_random(void)
{
    return (affine){(FP_WORD)(2 * random_below(1000) + 1), (FP_WORD)random_below(1000)};
}

static inline affine affine_then(affine first, affine next)
{
    return (affine){(FP_WORD)((ulong)next.a * first.a), (FP_WORD)((ulong)next.a * first.b + next.b)};
}

static inline bool affine_is(affine x, affine y)
{
    return x.a == y.a && x.b == y.b;
}
