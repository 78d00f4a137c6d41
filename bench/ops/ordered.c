/* Operators that are associative but do not commute, in order; and the same operators, marked as commutative, on
 * elements that do commute with each other: what keeping the order costs. */
#include "../op.h"

/* Two rows. */
GPU_STRUCT(matrix, unsigned int a; unsigned int b; unsigned int c; unsigned int d;);
GPU_FUNCTION(matrix, times, (matrix p, matrix q), {
    matrix r;
    r.a = p.a * q.a + p.b * q.c;
    r.b = p.a * q.b + p.b * q.d;
    r.c = p.c * q.a + p.d * q.c;
    r.d = p.c * q.b + p.d * q.d;
    return r;
});

/* x -> scale * x + shift; `then` applies p first. */
GPU_STRUCT(affine, unsigned int scale; unsigned int shift;);
GPU_FUNCTION(affine, then, (affine p, affine q), {
    affine r;
    r.scale = p.scale * q.scale;
    r.shift = p.shift * q.scale + q.shift;
    return r;
});

/* Determinants are odd, so no product loses bits. */
static void generate_matrix(void *elements, size_t n, uint64_t seed)
{
    matrix *m = elements;
    for (size_t i = 0; i < n; i++) {
        uint64_t r = bench_random(&seed), s = bench_random(&seed);
        m[i] =
            (matrix){(unsigned int)r | 1, (unsigned int)(r >> 32), (unsigned int)s & ~1u, (unsigned int)(s >> 32) | 1};
    }
}

/* Matrices of this shape multiply like complex numbers. */
static void generate_rotation(void *elements, size_t n, uint64_t seed)
{
    matrix *m = elements;
    for (size_t i = 0; i < n; i++) {
        uint64_t r = bench_random(&seed);
        unsigned int p = (unsigned int)r | 1, q = (unsigned int)(r >> 32) & ~1u;
        m[i] = (matrix){p, -q, q, p};
    }
}

static void generate_affine(void *elements, size_t n, uint64_t seed)
{
    affine *f = elements;
    for (size_t i = 0; i < n; i++) {
        uint64_t r = bench_random(&seed);
        f[i] = (affine){(unsigned int)r | 1, (unsigned int)(r >> 32)};
    }
}

/* Maps with the fixed point 7. */
static void generate_fixed(void *elements, size_t n, uint64_t seed)
{
    affine *f = elements;
    for (size_t i = 0; i < n; i++) {
        unsigned int scale = (unsigned int)bench_random(&seed) | 1;
        f[i] = (affine){scale, 7 * (1 - scale)};
    }
}

#define IN_ORDER(T, op)                                                                                                \
    static gpu_status ordered_##T(const gpu_array *in, void *out)                                                      \
    {                                                                                                                  \
        return gpu_reduce(in, op, (T *)out);                                                                           \
    }                                                                                                                  \
    static gpu_status commuting_##T(const gpu_array *in, void *out)                                                    \
    {                                                                                                                  \
        return gpu_reduce(in, op, (T *)out, GPU_COMMUTATIVE);                                                          \
    }                                                                                                                  \
    static size_t reference_##T(const void *elements, size_t n, void *out)                                             \
    {                                                                                                                  \
        const T *x = elements;                                                                                         \
        T total = x[0];                                                                                                \
        for (size_t i = 1; i < n; i++) total = op(total, x[i]);                                                        \
        *(T *)out = total;                                                                                             \
        return 1;                                                                                                      \
    }                                                                                                                  \
    extern const char in_order_ends_

IN_ORDER(matrix, times);
IN_ORDER(affine, then);

BENCH_OP(matrix_ordered, .name = "ordered", .type = GPU_TYPE(matrix), .bytes = sizeof(matrix), .result = sizeof(matrix),
         .generate = generate_matrix, .value = ordered_matrix, .reference = reference_matrix);
BENCH_OP(matrix_commuting, .name = "commuting", .type = GPU_TYPE(matrix), .bytes = sizeof(matrix),
         .result = sizeof(matrix), .generate = generate_rotation, .value = commuting_matrix,
         .reference = reference_matrix);
BENCH_OP(affine_ordered, .name = "ordered", .type = GPU_TYPE(affine), .bytes = sizeof(affine), .result = sizeof(affine),
         .generate = generate_affine, .value = ordered_affine, .reference = reference_affine);
BENCH_OP(affine_commuting, .name = "commuting", .type = GPU_TYPE(affine), .bytes = sizeof(affine),
         .result = sizeof(affine), .generate = generate_fixed, .value = commuting_affine,
         .reference = reference_affine);
