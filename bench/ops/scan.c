/* Running totals. */
#include "../op.h"

/* x -> scale * x + shift; `follow` applies p first. */
GPU_STRUCT(affine64, uint64_t scale; uint64_t shift;);
GPU_FUNCTION(affine64, follow, (affine64 p, affine64 q), {
    affine64 r;
    r.scale = p.scale * q.scale;
    r.shift = p.shift * q.scale + q.shift;
    return r;
});

#define ADD(p, q) ((p) + (q))

/* Scales are odd, so no product loses bits. */
static void bench_generate_affine64(void *elements, size_t n, uint64_t seed)
{
    affine64 *f = elements;
    for (size_t i = 0; i < n; i++) {
        uint64_t scale = bench_random(&seed) | 1;
        f[i] = (affine64){scale, bench_random(&seed)};
    }
}

/* SCAN(C type, its gpu_type, operator of the library, the same in C) */
#define SCAN(T, NAME, operator, op)                                                                                    \
    static gpu_array *scan_##T(const gpu_array *in)                                                                    \
    {                                                                                                                  \
        return gpu_scan(in, operator);                                                                                 \
    }                                                                                                                  \
    static size_t reference_##T(const void *elements, size_t n, void *out)                                             \
    {                                                                                                                  \
        const T *x = elements;                                                                                         \
        T *y = out, total = x[0];                                                                                      \
        y[0] = total;                                                                                                  \
        for (size_t i = 1; i < n; i++) y[i] = total = op(total, x[i]);                                                 \
        return n;                                                                                                      \
    }                                                                                                                  \
    BENCH_OP(scan_op_##T, .name = "scan", .type = NAME, .bytes = 2 * sizeof(T), .result = sizeof(T),                   \
             .generate = bench_generate_##T, .array = scan_##T, .reference = reference_##T)

SCAN(int, GPU_INT, "a + b", ADD);
SCAN(double, GPU_DOUBLE, "a + b", ADD);
SCAN(affine64, GPU_TYPE(affine64), follow, follow);
