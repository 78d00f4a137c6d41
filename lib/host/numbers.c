#include "host/numbers.h"

#include "host/apply.h"

#define FUNCTION(T, name, parameters, ...)                                                                             \
    static T name parameters                                                                                           \
    {                                                                                                                  \
        return __VA_ARGS__;                                                                                            \
    }

/* Each type has these functions. Pivots are chosen by magnitudes. */
#define REAL(T)                                                                                                        \
    FUNCTION(T, times_##T, (T a, T b), a *b)                                                                           \
    FUNCTION(T, minus_##T, (T a, T b), a - b)                                                                          \
    FUNCTION(T, over_##T, (T a, T b), a / b)                                                                           \
    FUNCTION(T, negative_##T, (T a), -a)                                                                               \
    FUNCTION(T, magnitude_##T, (T a), a < 0 ? -a : a)

/* T has two components of type R. Smith's division. */
#define COMPLEX(T, R)                                                                                                  \
    FUNCTION(T, times_##T, (T a, T b), (T){.x = a.x * b.x - a.y * b.y, .y = a.x * b.y + a.y * b.x})                    \
    FUNCTION(T, minus_##T, (T a, T b), (T){.x = a.x - b.x, .y = a.y - b.y})                                            \
    FUNCTION(T, negative_##T, (T a), (T){.x = -a.x, .y = -a.y})                                                        \
    FUNCTION(R, magnitude_##T, (T a), magnitude_##R(a.x) + magnitude_##R(a.y))                                         \
    static T over_##T(T a, T b)                                                                                        \
    {                                                                                                                  \
        if (magnitude_##R(b.x) >= magnitude_##R(b.y)) {                                                                \
            const R ratio = b.y / b.x, d = b.x + b.y * ratio;                                                          \
            return (T){.x = (a.x + a.y * ratio) / d, .y = (a.y - a.x * ratio) / d};                                    \
        }                                                                                                              \
        const R ratio = b.x / b.y, d = b.y + b.x * ratio;                                                              \
        return (T){.x = (a.x * ratio + a.y) / d, .y = (a.y * ratio - a.x) / d};                                        \
    }                                                                                                                  \
    static void conjugate_##T(const fp_applied *applied, const fp_stretch *s)                                          \
    {                                                                                                                  \
        (void)applied;                                                                                                 \
        for (size_t e = 0; e < s->count; e++) {                                                                        \
            const T *x = (const void *)(s->in[0] + e * s->stride[0]);                                                  \
            *(T *)(void *)(s->out + e * s->out_stride) = (T){.x = x->x, .y = -x->y};                                   \
        }                                                                                                              \
    }

/* NAME is a native of x and y. */
#define OPERATOR(T, name, function)                                                                                    \
    static void name(const fp_applied *applied, const fp_stretch *s)                                                   \
    {                                                                                                                  \
        (void)applied;                                                                                                 \
        for (size_t e = 0; e < s->count; e++) {                                                                        \
            const T *x = (const void *)(s->in[0] + e * s->stride[0]);                                                  \
            const T *y = (const void *)(s->in[1] + e * s->stride[1]);                                                  \
            *(T *)(void *)(s->out + e * s->out_stride) = function(*x, *y);                                             \
        }                                                                                                              \
    }

#define ARRAYS(T, R)                                                                                                   \
    static void negate_##T(void *x)                                                                                    \
    {                                                                                                                  \
        *(T *)x = negative_##T(*(T *)x);                                                                               \
    }                                                                                                                  \
    static void multiply_##T(void *x, const void *y)                                                                   \
    {                                                                                                                  \
        *(T *)x = times_##T(*(T *)x, *(const T *)y);                                                                   \
    }                                                                                                                  \
    static void divide_##T(void *x, const void *y, size_t n)                                                           \
    {                                                                                                                  \
        T *out = x;                                                                                                    \
        const T by = *(const T *)y;                                                                                    \
        for (size_t k = 0; k < n; k++) out[k] = over_##T(out[k], by);                                                  \
    }                                                                                                                  \
    static void subtract_##T(void *x, const void *y, const void *factor, size_t n)                                     \
    {                                                                                                                  \
        T *out = x;                                                                                                    \
        const T *in = y, by = *(const T *)factor;                                                                      \
        for (size_t k = 0; k < n; k++) out[k] = minus_##T(out[k], times_##T(in[k], by));                               \
    }                                                                                                                  \
    static size_t largest_##T(const void *x, size_t n)                                                                 \
    {                                                                                                                  \
        const T *in = x;                                                                                               \
        size_t at = 0;                                                                                                 \
        R most = -1;                                                                                                   \
        for (size_t k = 0; k < n; k++) {                                                                               \
            const R magnitude = magnitude_##T(in[k]);                                                                  \
            if (!(magnitude > most)) continue;                                                                         \
            at = k;                                                                                                    \
            most = magnitude;                                                                                          \
        }                                                                                                              \
        return at;                                                                                                     \
    }                                                                                                                  \
    static bool is_zero_##T(const void *x)                                                                             \
    {                                                                                                                  \
        return magnitude_##T(*(const T *)x) == 0;                                                                      \
    }                                                                                                                  \
    OPERATOR(T, product_##T, times_##T)                                                                                \
    OPERATOR(T, difference_##T, minus_##T)

REAL(float)
REAL(double)
COMPLEX(gpu_float2, float)
COMPLEX(gpu_double2, double)
ARRAYS(float, float)
ARRAYS(double, double)
ARRAYS(gpu_float2, float)
ARRAYS(gpu_double2, double)

#define ROW(T, ...)                                                                                                    \
    {                                                                                                                  \
        .one = &one_##T, .negate = negate_##T, .multiply = multiply_##T, .divide = divide_##T,                         \
        .subtract = subtract_##T, .largest = largest_##T, .is_zero = is_zero_##T, .product = product_##T,              \
        .difference = difference_##T, __VA_ARGS__                                                                      \
    }

static const float one_float = 1;
static const double one_double = 1;
static const gpu_float2 one_gpu_float2 = {.x = 1};
static const gpu_double2 one_gpu_double2 = {.x = 1};

static const fp_numbers numbers[] = {
    ROW(float, .type = GPU_FLOAT, .add_product = fp_add_product_float),
    ROW(double, .type = GPU_DOUBLE, .add_product = fp_add_product_double),
    ROW(gpu_float2, .type = GPU_FLOAT2, .complex = true, .conjugate = conjugate_gpu_float2),
    ROW(gpu_double2, .type = GPU_DOUBLE2, .complex = true, .conjugate = conjugate_gpu_double2)};

const fp_numbers *fp_numbers_of(gpu_type type)
{
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (gpu_type_equal(type, numbers[k].type)) return &numbers[k];
    return NULL;
}
