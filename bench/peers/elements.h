/* The element types of bench/ops and their operators, for peers in C, C++ and CUDA. */
#ifndef BENCH_ELEMENTS_H
#define BENCH_ELEMENTS_H

#ifdef __CUDACC__
#define BENCH_BOTH static inline __host__ __device__
#else
#define BENCH_BOTH static inline
#endif

typedef struct candidate {
    float value;
    unsigned int index;
    float x, y;
} candidate;

typedef struct matrix {
    unsigned int a, b, c, d;
} matrix;

typedef struct affine {
    unsigned int scale, shift;
} affine;

typedef struct affine64 {
    unsigned long long scale, shift;
} affine64;

/* The elements of sort_pairs. */
typedef struct keyed {
    unsigned int key, value;
} keyed;

/* The result of reduce_all. */
typedef struct summary {
    float sum, least, largest;
} summary;

BENCH_BOTH candidate better(candidate p, candidate q)
{
    return p.value > q.value || (p.value == q.value && p.index < q.index) ? p : q;
}

BENCH_BOTH matrix times(matrix p, matrix q)
{
    matrix r;
    r.a = p.a * q.a + p.b * q.c;
    r.b = p.a * q.b + p.b * q.d;
    r.c = p.c * q.a + p.d * q.c;
    r.d = p.c * q.b + p.d * q.d;
    return r;
}

BENCH_BOTH affine then(affine p, affine q)
{
    affine r;
    r.scale = p.scale * q.scale;
    r.shift = p.shift * q.scale + q.shift;
    return r;
}

BENCH_BOTH affine64 follow(affine64 p, affine64 q)
{
    affine64 r;
    r.scale = p.scale * q.scale;
    r.shift = p.shift * q.scale + q.shift;
    return r;
}

BENCH_BOTH summary join(summary p, summary q)
{
    summary r;
    r.sum = p.sum + q.sum;
    r.least = p.least < q.least ? p.least : q.least;
    r.largest = p.largest > q.largest ? p.largest : q.largest;
    return r;
}

/* What the operation named chain makes of an element: 0 if its filter drops it. */
BENCH_BOTH float chain_term(float x)
{
    float half = x / 2;
    return half > 2 || half < -2 ? half * 6 : 0;
}

/* The elements of by_key and of group_sum. */
BENCH_BOTH int key_of(int x)
{
    return x >> 4;
}

BENCH_BOTH int value_of(int x)
{
    return x & 15;
}

#endif
