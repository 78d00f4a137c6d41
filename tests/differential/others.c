/* Vectors and structs. */
#include "kinds.h"

#include <string.h>

/* A product of matrices does not commute. */
GPU_STRUCT(matrix, unsigned int v[4];);
GPU_STRUCT(cube, unsigned int v[9];);
/* One with padding, one of three bytes. */
GPU_STRUCT(mixed, signed char tag; float value; unsigned short count;);
GPU_STRUCT(triple, unsigned char v[3];);

GPU_FUNCTION(matrix, times, (matrix p, matrix q), {
    matrix r = {{p.v[0] * q.v[0] + p.v[1] * q.v[2], p.v[0] * q.v[1] + p.v[1] * q.v[3],
                 p.v[2] * q.v[0] + p.v[3] * q.v[2], p.v[2] * q.v[1] + p.v[3] * q.v[3]}};
    return r;
});
GPU_FUNCTION(cube, cube_times, (cube p, cube q), {
    cube r;
    for (int k = 0; k < 9; k++) {
        int row = k / 3 * 3, column = k % 3;
        r.v[k] = p.v[row] * q.v[column] + p.v[row + 1] * q.v[column + 3] + p.v[row + 2] * q.v[column + 6];
    }
    return r;
});
GPU_FUNCTION(mixed, mixed_both, (mixed p, mixed q), {
    mixed r;
    r.tag = q.tag;
    r.value = p.value > q.value ? p.value : q.value;
    r.count = (unsigned short)(p.count + q.count);
    return r;
});
GPU_FUNCTION(triple, triple_both, (triple p, triple q), {
    triple r;
    for (int k = 0; k < 3; k++) r.v[k] = (unsigned char)(k == 2 ? p.v[k] + q.v[k] : k ? p.v[k] & q.v[k] : p.v[k]);
    return r;
});
GPU_FUNCTION(gpu_int2, int2_both, (gpu_int2 p, gpu_int2 q), {
    gpu_int2 r;
    r.x = (int)((unsigned int)p.x + (unsigned int)q.x);
    r.y = q.y;
    return r;
});

/* clang-format off */
#pragma GCC diagnostic ignored "-Wunused-parameter" /* an operator takes both operands and may leave one */


/* What all of these types have, by way of one of their whole numbers, `key`, of the type U. */
#define OTHER(T, N, key_, U, is_vector, equal, both, ...)                                                              \
    OF_X(N, affine, T, T, { T r = x; r.key_ = (U)((unsigned int)r.key_ * 3u + 1u); return r; })                        \
    OF_X(N, mask, T, T, { T r = x; r.key_ = (U)(r.key_ & 7); return r; })                                              \
    OF_X_I(N, place, T, T, { T r = x; r.key_ = (U)((unsigned int)r.key_ + (unsigned int)i * 5u); return r; })          \
    OF_X_K(N, plus, T, T, { T r = x; r.key_ = (U)((unsigned int)r.key_ + (unsigned int)k.key_); return r; })           \
    OF_X_T(N, look, T, T, { if (m) return t[i % m]; return x; })                                                       \
    OF_X_M(N, shift, T, T, { T r = x; if (m) r.key_ = t[0].key_; return r; })                                          \
    KNOWN(N, same, T, T, "x", p, .takes = 0)                                                                           \
    OF_X_Y(N, mix, T, T, { T r = y; r.key_ = x.key_; return r; })                                                      \
    OF_X_Y(N, larger, T, T, { if (x.key_ > y.key_) return x; return y; })                                              \
    OF_X_Y_Z(N, choose, T, T, { if (x.key_ > y.key_) return y; return z; })                                            \
    OF_X(N, none, int, T, { return (x.key_ & 7) > 8; })                                                                \
    OF_X(N, all, int, T, { return (x.key_ & 7) < 8; })                                                                 \
    OF_X(N, odd, int, T, { return (x.key_ & 1) == 1; })                                                                \
    OF_X_I(N, places, int, T, { return (i & 3) == 1 || x.key_ == 3; })                                                 \
    OF_X_K(N, below, int, T, { return x.key_ < k.key_; })                                                              \
    OF_X_M(N, first, int, T, { return m && x.key_ < t[m - 1].key_; })                                                  \
    OF_A_B(N, join, T, T, both(a, b), .takes = 0)                                                                      \
    KNOWN(N, left, T, T, "a", p, .takes = 0)                                                                           \
    OF_A_B(N, last, T, T, b, .takes = 0)                                                                               \
    OF_A_B(N, less, int, T, a.key_ < b.key_, .takes = 0)                                                               \
    OF_A_B(N, coarse, int, T, (a.key_ & 3) > (b.key_ & 3), .takes = 0)                                                 \
    OF_X_Y(N, decide, int, T, { return x.key_ < y.key_ ? 2 : x.key_ == y.key_; })                                      \
    OF_X(N, to_int, int, T, { return (int)(x.key_ & 1023); })                                                          \
    OF_X(N, key, int, T, { return (int)(x.key_ & 3); })                                                                \
    OF_X(N, place_in, unsigned int, T, { return (unsigned int)(x.key_ & 15); })                                        \
    OF_X(N, from_int, T, int, __VA_ARGS__)                                                                             \
    static bool N##_equal(const void *a, const void *b)                                                                \
    {                                                                                                                  \
        T p = *(const T *)a, q = *(const T *)b;                                                                        \
        return equal;                                                                                                  \
    }                                                                                                                  \
    static const kind N##_kind = {                                                                                     \
        .name = #N, .type = TYPE_##N, .vector = is_vector, .same = N##_equal,                                          \
        .maps = {R(N, mask), R(N, affine), R(N, plus), R(N, shift), R(N, place), R(N, look), R(N, same)},              \
        .maps2 = {R(N, mix), R(N, larger)}, .maps3 = {R(N, choose)},                                                   \
        .tests = {R(N, none), R(N, all), R(N, none), R(N, odd), R(N, places), R(N, below), R(N, first)},               \
        .joins = {R(N, join), R(N, left), R(N, last)}, .orders = {R(N, less), R(N, coarse)},                           \
        .to_int = R(N, to_int), .key = R(N, key), .place_in = R(N, place_in), .from_int = R(N, from_int),              \
        .decides = R(N, decide)};

#define R(N, label) &N##_##label##_rule
#define TYPE_matrix GPU_TYPE(matrix)
#define TYPE_cube GPU_TYPE(cube)
#define TYPE_mixed GPU_TYPE(mixed)
#define TYPE_triple GPU_TYPE(triple)
#define TYPE_int2 GPU_INT2

OTHER(matrix, matrix, v[1], unsigned int, false, !memcmp(p.v, q.v, sizeof p.v), times,
      { matrix r = {{(unsigned int)x, 1, (unsigned int)x * 3u + 1u, (unsigned int)x ^ 5u}}; return r; })
OTHER(cube, cube, v[4], unsigned int, false, !memcmp(p.v, q.v, sizeof p.v), cube_times,
      { cube r; for (int k = 0; k < 9; k++) r.v[k] = (unsigned int)x * (unsigned int)(k + 1); return r; })
OTHER(mixed, mixed, count, unsigned short, false, p.tag == q.tag && p.value == q.value && p.count == q.count,
      mixed_both,
      { mixed r; r.tag = (signed char)x; r.value = (float)(x & 31); r.count = (unsigned short)(x & 511); return r; })
OTHER(triple, triple, v[0], unsigned char, false, !memcmp(p.v, q.v, sizeof p.v), triple_both,
      { triple r; for (int k = 0; k < 3; k++) r.v[k] = (unsigned char)(x >> k); return r; })
OTHER(gpu_int2, int2, x, int, true, p.x == q.x && p.y == q.y, int2_both,
      { gpu_int2 r; r.x = x & 31; r.y = x & 3; return r; })
/* clang-format on */

const kind *const other_kinds[] = {&int2_kind, &matrix_kind, &mixed_kind, &triple_kind, &cube_kind};
