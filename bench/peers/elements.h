/* The element types of bench/ops and their operators, for peers in C, C++ and CUDA. */
#ifndef BENCH_ELEMENTS_H
#define BENCH_ELEMENTS_H

#include <math.h>
#include <stddef.h>

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

/* The result of map_reduce_all. */
typedef struct powers {
    float sum, squares, largest;
} powers;

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

BENCH_BOTH powers powers_of(float x)
{
    powers p;
    p.sum = p.largest = x;
    p.squares = x * x;
    return p;
}

BENCH_BOTH powers join_powers(powers p, powers q)
{
    powers r;
    r.sum = p.sum + q.sum;
    r.squares = p.squares + q.squares;
    r.largest = p.largest > q.largest ? p.largest : q.largest;
    return r;
}

/* The sums of stats, of differences to the first element, and what they tell. */
typedef struct moments {
    double sum, squares;
    float first, least, largest;
} moments;

typedef struct statistics {
    double mean, variance;
    float least, largest;
} statistics;

BENCH_BOTH moments moments_of(float x, float first)
{
    double difference = (double)x - (double)first;
    moments m;
    m.sum = difference;
    m.squares = difference * difference;
    m.first = first;
    m.least = m.largest = x;
    return m;
}

BENCH_BOTH moments add_moments(moments p, moments q)
{
    p.sum += q.sum;
    p.squares += q.squares;
    p.least = q.least < p.least ? q.least : p.least;
    p.largest = q.largest > p.largest ? q.largest : p.largest;
    return p;
}

BENCH_BOTH statistics statistics_of(moments m, size_t n)
{
    double count = (double)n, mean = m.sum / count;
    statistics s;
    s.mean = (double)m.first + mean;
    s.variance = m.squares / count - mean * mean;
    s.least = m.least;
    s.largest = m.largest;
    return s;
}

/* The terms of squares and of dot. */
BENCH_BOTH float square_term(float x)
{
    return x > 0 ? x * x : 0;
}

BENCH_BOTH float dot_term(float x, float y)
{
    return x / 2 * (fabsf(y) + 1);
}

/* What softmax adds up, and what it makes. */
BENCH_BOTH float power_term(float x, float largest)
{
    return expf(x - largest);
}

BENCH_BOTH float share_term(float x, float largest, float sum)
{
    return expf(x - largest) / sum;
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
