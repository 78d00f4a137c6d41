/* C's conversions of scalars. */
#include "host/internal.h"

#include "kernel/type.h"

/* Values out of range become the nearest integer of the type, and NaN becomes 0, as in OpenCL C's convert_int_sat. C
 * leaves it open. */
static int64_t signed_of(double f, size_t bytes)
{
    const int64_t most = INT64_MAX >> (64 - 8 * bytes);
    const double end = (double)(UINT64_C(1) << (8 * bytes - 1)); /* most + 1 */
    if (f != f) return 0;
    return f >= end ? most : f <= -end ? -most - 1 : (int64_t)f;
}

static uint64_t unsigned_of(double f, size_t bytes)
{
    const uint64_t most = UINT64_MAX >> (64 - 8 * bytes);
    const double end = 2 * (double)(UINT64_C(1) << (8 * bytes - 1));
    return f >= end ? most : f > 0 ? (uint64_t)f : 0;
}

#define FROM_EACH(X) GPU_SCALAR_MAP(X) X(bool, BOOL, bool, GPU_KIND_UNSIGNED)
/* The same list again: a macro does not expand itself. */
#define TO_EACH(X, ...)                                                                                                \
    X(__VA_ARGS__, char, signed char, GPU_KIND_SIGNED)                                                                 \
    X(__VA_ARGS__, uchar, unsigned char, GPU_KIND_UNSIGNED)                                                            \
    X(__VA_ARGS__, short, short, GPU_KIND_SIGNED)                                                                      \
    X(__VA_ARGS__, ushort, unsigned short, GPU_KIND_UNSIGNED)                                                          \
    X(__VA_ARGS__, int, int, GPU_KIND_SIGNED)                                                                          \
    X(__VA_ARGS__, uint, unsigned int, GPU_KIND_UNSIGNED)                                                              \
    X(__VA_ARGS__, long, int64_t, GPU_KIND_SIGNED)                                                                     \
    X(__VA_ARGS__, ulong, uint64_t, GPU_KIND_UNSIGNED)                                                                 \
    X(__VA_ARGS__, float, float, GPU_KIND_FLOATING)                                                                    \
    X(__VA_ARGS__, double, double, GPU_KIND_FLOATING)                                                                  \
    X(__VA_ARGS__, bool, bool, GPU_KIND_UNSIGNED)

#define IS_BOOL(T) _Generic((T)0, bool : true, default : false)
#define CONVERT(from, F, from_kind, to, T, to_kind)                                                                    \
    static void from##_to_##to(const void *restrict in, void *restrict out, size_t count)                              \
    {                                                                                                                  \
        const bool cuts = (from_kind) == GPU_KIND_FLOATING && (to_kind) != GPU_KIND_FLOATING && !IS_BOOL(T);           \
        const F *restrict v = in;                                                                                      \
        T *restrict w = out;                                                                                           \
        for (size_t e = 0; e < count; e++)                                                                             \
            w[e] = !cuts                          ? (T)v[e]                                                            \
                   : (to_kind) == GPU_KIND_SIGNED ? (T)signed_of((double)v[e], sizeof(T))                              \
                                                  : (T)unsigned_of((double)v[e], sizeof(T));                           \
    }
#define CONVERT_TO_EACH(from, FROM, F, kind) TO_EACH(CONVERT, from, F, kind)
FROM_EACH(CONVERT_TO_EACH)

enum {
#define PLACE(name, NAME, T, kind) PLACE_OF_##NAME,
    FROM_EACH(PLACE) TYPES
};

static unsigned place_of(gpu_type type)
{
#define IF(name, NAME, T, kind)                                                                                        \
    if (type == &gpu_type_##name) return PLACE_OF_##NAME;
    GPU_SCALAR_MAP(IF)
    return PLACE_OF_BOOL;
}

fp_conversion *fp_conversion_of(gpu_type from, gpu_type to)
{
    static fp_conversion *const conversions[TYPES][TYPES] = {
#define ENTRY(from, F, kind, to, ...) from##_to_##to,
#define ROW(from, FROM, F, kind) {TO_EACH(ENTRY, from, F, kind)},
        FROM_EACH(ROW)};
    return conversions[place_of(from)][place_of(to)];
}

void fp_convert(gpu_type from, const void *in, gpu_type to, void *out)
{
    fp_conversion_of(from, to)(in, out, 1);
}
