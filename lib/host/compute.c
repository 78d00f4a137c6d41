#include "host/compute.h"

/* By itself gcc -O2 only vectorizes loops whose length it knows. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

/* X(a computation, its name here, the type's name, its T, the type U of unsigned arithmetic, the result's R, a and b).
 * Each is one operation, so no compiler contracts two. */
#define ALL(X, name, T, U)                                                                                             \
    X(ADD, add, name, T, U, T, (U)a + (U)b)                                                                            \
    X(SUBTRACT, subtract, name, T, U, T, (U)a - (U)b)                                                                  \
    X(MULTIPLY, multiply, name, T, U, T, (U)a *(U)b)                                                                   \
    X(LESS, less, name, T, U, int, a < b)                                                                              \
    X(GREATER, greater, name, T, U, int, a > b)                                                                        \
    X(AT_MOST, at_most, name, T, U, int, a <= b)                                                                       \
    X(AT_LEAST, at_least, name, T, U, int, a >= b)                                                                     \
    X(EQUAL, equal, name, T, U, int, a == b)                                                                           \
    X(DIFFERENT, different, name, T, U, int, a != b)
#define OF_INTEGERS(X, name, T, U)                                                                                     \
    ALL(X, name, T, U)                                                                                                 \
    X(DIVIDE, divide, name, T, U, T, b == 0 ? 0 : b == (T)-1 && IS_SIGNED(T) ? (T)(0 - (U)a) : a / b)                  \
    X(NEGATE, negate, name, T, U, T, 0 - (U)a)                                                                         \
    X(REMAINDER, remainder, name, T, U, T, b == 0 || (b == (T)-1 && IS_SIGNED(T)) ? 0 : a % b)                         \
    X(AND, and, name, T, U, T, a &b)                                                                                   \
    X(OR, or, name, T, U, T, a | b)                                                                                    \
    X(XOR, xor, name, T, U, T, a ^ b)                                                                                  \
    X(SHIFT_LEFT, shift_left, name, T, U, T, (U)a << ((U)b & BITS(T)))                                                 \
    X(SHIFT_RIGHT, shift_right, name, T, U, T, a >> ((U)b & BITS(T)))                                                  \
    X(INVERT, invert, name, T, U, T, ~a)
#define OF_FLOATS(X, name, T, U)                                                                                       \
    ALL(X, name, T, U)                                                                                                 \
    X(DIVIDE, divide, name, T, U, T, a / b)                                                                            \
    X(NEGATE, negate, name, T, U, T, -a)
#define EACH(X)                                                                                                        \
    OF_INTEGERS(X, int, int32_t, uint32_t)                                                                             \
    OF_INTEGERS(X, uint, uint32_t, uint32_t)                                                                           \
    OF_INTEGERS(X, long, int64_t, uint64_t)                                                                            \
    OF_INTEGERS(X, ulong, uint64_t, uint64_t)                                                                          \
    OF_FLOATS(X, float, float, float)                                                                                  \
    OF_FLOATS(X, double, double, double)

#define IS_SIGNED(T) ((T)-1 < (T)1)
#define BITS(T) (8 * sizeof(T) - 1)

#define DEFINE(NAME, computation, name, T, U, R, ...)                                                                  \
    static void computation##_##name(const void *left, const void *right, void *out, size_t count)                     \
    {                                                                                                                  \
        const T *restrict p = left, *restrict q = right;                                                               \
        R *restrict r = out;                                                                                           \
        for (size_t e = 0; e < count; e++) {                                                                           \
            const T a = p[e], b = q[e];                                                                                \
            (void)b;                                                                                                   \
            r[e] = (R)(__VA_ARGS__);                                                                                   \
        }                                                                                                              \
    }
EACH(DEFINE)

/* In the order in which one operand converts the other. */
enum { place_int, place_uint, place_long, place_ulong, place_float, place_double, TYPES };
static const gpu_type types[] = {GPU_INT, GPU_UINT, GPU_LONG, GPU_ULONG, GPU_FLOAT, GPU_DOUBLE};

/* TYPES for a type that is promoted. */
static unsigned place_of(gpu_type type)
{
    unsigned k = 0;
    while (k < TYPES && types[k] != type) k++;
    return k;
}

gpu_type fp_type_promoted(gpu_type type)
{
    return place_of(type) < TYPES ? type : GPU_INT;
}

gpu_type fp_type_common(gpu_type a, gpu_type b)
{
    const gpu_type p = fp_type_promoted(a), q = fp_type_promoted(b);
    return place_of(p) < place_of(q) ? q : p;
}

fp_compute *fp_compute_of(fp_computation computation, gpu_type type)
{
    static fp_compute *const all[FP_COMPUTATIONS][TYPES] = {
#define ENTRY(NAME, computation, name, ...) [FP_COMPUTE_##NAME][place_##name] = computation##_##name,
        EACH(ENTRY)};
    return all[computation][place_of(type)];
}

#define CHOOSE(U)                                                                                                      \
    static void choose_##U(const bool *restrict flags, const U *restrict p, const U *restrict q, U *restrict r,        \
                           size_t count)                                                                               \
    {                                                                                                                  \
        for (size_t e = 0; e < count; e++) r[e] = flags[e] ? p[e] : q[e];                                              \
    }
CHOOSE(uint32_t)
CHOOSE(uint64_t)

void fp_compute_choose(const void *flags, const void *a, const void *b, size_t size, void *out, size_t count)
{
    if (size == sizeof(uint32_t))
        choose_uint32_t(flags, a, b, out, count);
    else
        choose_uint64_t(flags, a, b, out, count);
}
