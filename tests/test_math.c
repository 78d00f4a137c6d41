/* firepile/math.h: functions, operators and their bounds, on the device, on the host device, and called directly. */
#include "support/support.h"

#include "arrays/array.h"
#include "kernel/exact.h"

#include <firepile/math.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Results of all functions of one element; a kernel for each of them would take minutes to build. */
enum { UNARY = 41, BINARY = 24 };
GPU_STRUCT(unary_float, float v[41];);
GPU_STRUCT(unary_double, double v[41];);
GPU_STRUCT(binary_float, float v[24];);
GPU_STRUCT(binary_double, double v[24];);

/* In the order of unary_bounds. */
#define DEFINE_UNARY(T)                                                                                                \
    GPU_FUNCTION(unary_##T, all_unary_##T, (T x), {                                                                    \
        unary_##T r;                                                                                                   \
        int e;                                                                                                         \
        T whole;                                                                                                       \
        r.v[0] = ceil(x);                                                                                              \
        r.v[1] = fabs(x);                                                                                              \
        r.v[2] = floor(x);                                                                                             \
        r.v[3] = frexp(x, &e);                                                                                         \
        r.v[4] = x - x == 0 ? (T)e : 0;                                                                                \
        r.v[5] = logb(x);                                                                                              \
        r.v[6] = modf(x, &whole);                                                                                      \
        r.v[7] = whole;                                                                                                \
        r.v[8] = rint(x);                                                                                              \
        r.v[9] = round(x);                                                                                             \
        r.v[10] = trunc(x);                                                                                            \
        r.v[11] = isfinite(x);                                                                                         \
        r.v[12] = isinf(x);                                                                                            \
        r.v[13] = isnan(x);                                                                                            \
        r.v[14] = isnormal(x);                                                                                         \
        r.v[15] = signbit(x);                                                                                          \
        r.v[16] = sqrt(x);                                                                                             \
        r.v[17] = ldexp(x, 3);                                                                                         \
        r.v[18] = cbrt(x);                                                                                             \
        r.v[19] = exp(x);                                                                                              \
        r.v[20] = exp2(x);                                                                                             \
        r.v[21] = expm1(x);                                                                                            \
        r.v[22] = log(x);                                                                                              \
        r.v[23] = log10(x);                                                                                            \
        r.v[24] = log1p(x);                                                                                            \
        r.v[25] = log2(x);                                                                                             \
        r.v[26] = acos(x);                                                                                             \
        r.v[27] = asin(x);                                                                                             \
        r.v[28] = atan(x);                                                                                             \
        r.v[29] = cos(x);                                                                                              \
        r.v[30] = cosh(x);                                                                                             \
        r.v[31] = sin(x);                                                                                              \
        r.v[32] = sinh(x);                                                                                             \
        r.v[33] = tan(x);                                                                                              \
        r.v[34] = tanh(x);                                                                                             \
        r.v[35] = acosh(x);                                                                                            \
        r.v[36] = asinh(x);                                                                                            \
        r.v[37] = atanh(x);                                                                                            \
        r.v[38] = erf(x);                                                                                              \
        r.v[39] = erfc(x);                                                                                             \
        r.v[40] = tgamma(x);                                                                                           \
        return r;                                                                                                      \
    })
DEFINE_UNARY(float);
DEFINE_UNARY(double);

/* In the order of binary_bounds. */
#define DEFINE_BINARY(T)                                                                                               \
    GPU_FUNCTION(binary_##T, all_binary_##T, (T x, T y), {                                                             \
        binary_##T r;                                                                                                  \
        r.v[0] = x + y;                                                                                                \
        r.v[1] = x - y;                                                                                                \
        r.v[2] = x * y;                                                                                                \
        r.v[3] = x / y;                                                                                                \
        r.v[4] = x * y + x;                                                                                            \
        r.v[5] = x * x - y * y;                                                                                        \
        r.v[6] = x < y;                                                                                                \
        r.v[7] = x <= y;                                                                                               \
        r.v[8] = x == y;                                                                                               \
        r.v[9] = x != y;                                                                                               \
        r.v[10] = copysign(x, y);                                                                                      \
        r.v[11] = fdim(x, y);                                                                                          \
        r.v[12] = fma(x, y, x);                                                                                        \
        r.v[13] = fmax(x, y);                                                                                          \
        r.v[14] = fmin(x, y);                                                                                          \
        r.v[15] = fmod(x, y);                                                                                          \
        r.v[16] = nextafter(x, y);                                                                                     \
        r.v[17] = remainder(x, y);                                                                                     \
        r.v[18] = x > -1000 && x < 1000 ? (T)(int)x : 0;                                                               \
        r.v[19] = x > -1e9f && x < 1e9f ? (T)(int64_t)(x * 1000) : 0;                                                  \
        r.v[20] = hypot(x, y);                                                                                         \
        r.v[21] = atan2(x, y);                                                                                         \
        r.v[22] = pow(x, y);                                                                                           \
        r.v[23] = pow(fabs(x), y / 64);                                                                                \
        return r;                                                                                                      \
    })
DEFINE_BINARY(float);
DEFINE_BINARY(double);

/* How many floating numbers apart the results on host and device may be: firepile/math.h says so. */
typedef struct bound {
    const char *name;
    uint64_t apart;
} bound;

enum { SQRT = 16, DIVIDE = 3, NOT_EXACT = 3 };
static const bound unary_bounds[UNARY] = {
    {"ceil", 0},      {"fabs", 0},    {"floor", 0}, {"frexp", 0}, {"its exponent", 0}, {"logb", 0},   {"modf", 0},
    {"the whole", 0}, {"rint", 0},    {"round", 0}, {"trunc", 0}, {"isfinite", 0},     {"isinf", 0},  {"isnan", 0},
    {"isnormal", 0},  {"signbit", 0}, {"sqrt", 0},  {"ldexp", 0}, {"cbrt", 6},         {"exp", 6},    {"exp2", 6},
    {"expm1", 6},     {"log", 6},     {"log10", 6}, {"log1p", 6}, {"log2", 6},         {"acos", 8},   {"asin", 8},
    {"atan", 8},      {"cos", 8},     {"cosh", 8},  {"sin", 8},   {"sinh", 8},         {"tan", 8},    {"tanh", 8},
    {"acosh", 8},     {"asinh", 8},   {"atanh", 8}, {"erf", 26},  {"erfc", 26},        {"tgamma", 26}};

static const bound binary_bounds[BINARY] = {
    {"x + y", 0},         {"x - y", 0},     {"x * y", 0},     {"x / y", 0},         {"x * y + x", 0},
    {"x * x - y * y", 0}, {"x < y", 0},     {"x <= y", 0},    {"x == y", 0},        {"x != y", 0},
    {"copysign", 0},      {"fdim", 0},      {"fma", 0},       {"fmax", 0},          {"fmin", 0},
    {"fmod", 0},          {"nextafter", 0}, {"remainder", 0}, {"(int)x", 0},        {"(int64_t)(x * 1000)", 0},
    {"hypot", 6},         {"atan2", 8},     {"pow", 26},      {"pow of a root", 26}};

/* The place of a number among all of its type, both zeros at 0. */
static int64_t place_of(gpu_type type, const void *number)
{
    int64_t wide;
    int32_t narrow;
    memcpy(&narrow, number, sizeof narrow);
    if (type == GPU_FLOAT) return narrow < 0 ? INT32_MIN - (int64_t)narrow : narrow;
    memcpy(&wide, number, sizeof wide);
    return wide < 0 ? INT64_MIN - wide : wide;
}

static bool is_nan(gpu_type type, const void *number)
{
    double value = test_get(type, number, 0).f;
    return value != value;
}

static uint64_t apart(gpu_type type, const void *a, const void *b)
{
    if (is_nan(type, a) && is_nan(type, b)) return 0;
    if (is_nan(type, a) || is_nan(type, b)) return UINT64_MAX;
    int64_t p = place_of(type, a), q = place_of(type, b);
    return p > q ? (uint64_t)p - (uint64_t)q : (uint64_t)q - (uint64_t)p;
}

/* Special values, numbers around 1, and any bits but those of signalling NaNs. */
static void fill(gpu_type type, void *out, size_t n, uint64_t seed)
{
    static const double special[] = {0,     -0.0,     1,         -1,   0.5,     -0.5,    2,
                                     3,     INFINITY, -INFINITY, NAN,  FLT_MIN, FLT_MAX, DBL_MIN,
                                     1e-40, -1e-310,  1e10,      88.7, -103.9,  709.7,   16777217};
    enum { SPECIAL = sizeof special / sizeof *special };
    uint64_t state = seed + 3;
    for (size_t k = 0; k < n; k++) {
        uint64_t bits = test_random(&state);
        double around = ((double)(bits >> 40) / 8388608 - 1) * (k % 3 ? 10 : 1);
        unsigned char *at = (unsigned char *)out + k * type->size;
        if (k % 2) memcpy(at, &bits, type->size);
        if (k % 2 == 0 || is_nan(type, at)) test_put(type, out, k, (test_number){.f = around});
        if (k < SPECIAL * SPECIAL)
            test_put(type, out, k, (test_number){.f = special[seed ? k % SPECIAL : k / SPECIAL]});
    }
}

static size_t length(void)
{
    return test_limit(20000);
}

/* Elements, and what direct calls have made of them. */
typedef struct sample {
    gpu_type type;
    size_t n;
    void *x, *y;
    gpu_type results[2]; /* of functions of one and of two */
    const void *functions[2];
    void *want[2];
} sample;

#define SAMPLE(T, NAME)                                                                                                \
    static sample sample_of_##T(void)                                                                                  \
    {                                                                                                                  \
        sample s = {.type = GPU_##NAME, .n = length(), .results = {GPU_TYPE(unary_##T), GPU_TYPE(binary_##T)}};        \
        T *x = s.x = test_alloc(s.n, sizeof *x), *y = s.y = test_alloc(s.n, sizeof *y);                                \
        unary_##T *one = s.want[0] = test_alloc(s.n, sizeof *one);                                                     \
        binary_##T *two = s.want[1] = test_alloc(s.n, sizeof *two);                                                    \
        s.functions[0] = __extension__(const void *) all_unary_##T;                                                    \
        s.functions[1] = __extension__(const void *) all_binary_##T;                                                   \
        fill(s.type, x, s.n, 0);                                                                                       \
        fill(s.type, y, s.n, 1);                                                                                       \
        for (size_t k = 0; k < s.n; k++) one[k] = all_unary_##T(x[k]);                                                 \
        for (size_t k = 0; k < s.n; k++) two[k] = all_binary_##T(x[k], y[k]);                                          \
        return s;                                                                                                      \
    }
SAMPLE(float, FLOAT)
SAMPLE(double, DOUBLE)

/* The bound on this device: nothing is lost on the host, and few devices divide floats inexactly. */
static uint64_t bound_on(const gpu *g, const sample *s, const bound *bounds, size_t k)
{
    if (g->capabilities->host) return 0;
    bool divides = bounds == unary_bounds ? k == SQRT : k == DIVIDE;
    return divides && s->type == GPU_FLOAT && !g->capabilities->exact_division ? NOT_EXACT : bounds[k].apart;
}

static void compare(const gpu *g, const sample *s, const bound *bounds, size_t count, const void *got, const void *want)
{
    const unsigned char *p = got, *q = want;
    for (size_t k = 0; k < s->n * count; k++, p += s->type->size, q += s->type->size) {
        uint64_t far = apart(s->type, p, q);
        cr_assert(far <= bound_on(g, s, bounds, k % count),
                  "%s of %ss, element %zu: %s gives %.17g and C %.17g, %llu numbers apart", bounds[k % count].name,
                  s->type->name, k / count, gpu_device_name(g), test_get(s->type, p, 0).f, test_get(s->type, q, 0).f,
                  (unsigned long long)far);
    }
}

static void try_on(gpu *g, const sample *s)
{
    gpu_array *x = gpu_array_from(g, s->type, s->x, s->n), *y = gpu_array_from(g, s->type, s->y, s->n);
    gpu_array *one = gpu_map_op(x, s->results[0], &(gpu_operator){.function = s->functions[0]});
    gpu_array *two = gpu_map2_op(x, y, s->results[1], &(gpu_operator){.function = s->functions[1]});
    void *got = test_alloc(s->n, s->results[0]->size);
    test_ok(gpu_read(one, got));
    compare(g, s, unary_bounds, UNARY, got, s->want[0]);
    test_ok(gpu_read(two, got));
    compare(g, s, binary_bounds, BINARY, got, s->want[1]);
    free(got);
}

static void try_both(sample s)
{
    gpu *g = test_open(), *host = gpu_open("host");
    if (s.type == GPU_FLOAT || g->capabilities->has_double) try_on(g, &s);
    try_on(host, &s);
    gpu_close(host);
    test_close(g);
    free(s.x);
    free(s.y);
    free(s.want[0]);
    free(s.want[1]);
}

Test(math, functions_of_floats, .timeout = 300)
{
    if (test_simulated()) cr_skip_test("the simulator takes subnormal numbers for normal ones");
    try_both(sample_of_float());
}

Test(math, functions_of_doubles, .timeout = 300)
{
    try_both(sample_of_double());
}

/* ---- the device's own error ---- */

enum { FREQUENT = 9 };
GPU_STRUCT(frequent, float v[9];);
GPU_FUNCTION(frequent, frequent_of, (float x, float y), {
    frequent r;
    r.v[0] = exp(x);
    r.v[1] = exp2(x);
    r.v[2] = log(x);
    r.v[3] = log2(x);
    r.v[4] = log10(x);
    r.v[5] = sin(x);
    r.v[6] = cos(x);
    r.v[7] = tan(x);
    r.v[8] = pow(x, y);
    return r;
});

/* A unit in the last place of the result. */
static double unit_of(double result)
{
    float size = fabs((float)result) < FLT_MAX ? fabs((float)result) : nextafter(FLT_MAX, 0);
    return (double)nextafter(size, (float)INFINITY) - (double)size;
}

static bool is_within(float got, double exact, double units)
{
    if (isnan(exact) || isnan(got)) return isnan(exact) && isnan(got);
    if (got == (float)exact) return true;
    const double value = isinf(got) ? copysign(0x1p128, (double)got) : (double)got;
    return fabs(value - exact) <= units * unit_of(exact);
}

/* Floats of all sizes, evenly by their bits, beside special ones. */
Test(math, frequent_functions_of_floats_have_the_error_that_opencl_allows)
{
    if (test_simulated()) cr_skip_test("the simulator takes subnormal numbers for normal ones");
    static const char *const names[FREQUENT] = {"exp", "exp2", "log", "log2", "log10", "sin", "cos", "tan", "pow"};
    static const double units[FREQUENT] = {3, 3, 3, 3, 3, 4, 4, 5, 16};
    const size_t n = test_limit(1 << 16);
    float *x = test_alloc(n, sizeof *x), *y = test_alloc(n, sizeof *y);
    frequent *got = test_alloc(n, sizeof *got);
    fill(GPU_FLOAT, x, n, 0);
    fill(GPU_FLOAT, y, n, 1);
    gpu *g = test_open();
    test_ok(gpu_read(gpu_map2_to(gpu_array_of(g, x, n), gpu_array_of(g, y, n), GPU_TYPE(frequent), frequent_of), got));
    for (size_t k = 0; k < n; k++) {
        const double z = (double)x[k];
        const double want[FREQUENT] = {
            exp(z), exp2(z), log(z), log2(z), log10(z), sin(z), cos(z), tan(z), pow(z, (double)y[k])};
        for (size_t f = 0; f < FREQUENT; f++)
            cr_assert(is_within(got[k].v[f], want[f], units[f]), "%s(%a) with %a: %a instead of %a", names[f], z,
                      (double)y[k], (double)got[k].v[f], want[f]);
    }
    free(x);
    free(y);
    free(got);
    test_close(g);
}

/* ---- functions that are exact ---- */

GPU_FUNCTION(float, all_exact, (float x, float y), {
    float r = fma(floor(x), ceil(y), rint(x)) + round(y) - trunc(x) + fdim(x, y) - fabs(y) + nextafter(x, y);
    if (isnormal(x) && isfinite(y) && !isnan(y)) r = r + logb(x) - fmod(x, y);
    return isinf(y) ? y : r + remainder(y, x);
});
GPU_FUNCTION(float, distance_of, (float x, float y), { return sqrt(x * x + y * y); });
GPU_FUNCTION(bool, is_far, (float x), { return distance_of(x, fabs(x)) > 2.5f; });
GPU_FUNCTION(float, of_an_int, (float x, int n), { return x + (float)floor(n); });
GPU_FUNCTION(float, of_a_flag, (float x), { return floor(is_far(x)); });
GPU_FUNCTION(float, scaled_by_two, (float x), { return ldexp(x, 1); });
GPU_FUNCTION(float, with_sign_of_nan, (float x), { return copysign(x, x - x); });
GPU_FUNCTION(float, least_of_zeros, (float x), { return fmin(x, 0); });
GPU_FUNCTION(float, summed, (float x), {
    float sum = 0;
    for (int k = 0; k < 10; k++) sum += x;
    return sum;
});
GPU_FUNCTION(bool, is_large, (float x), { return summed(x) > 1; });
GPU_FUNCTION(float, of_exp, (float x), { return floor(exp(x)); });

static bool is_exact(const gpu_definition *function, bool divides)
{
    const fp_capabilities capabilities = {.exact_division = divides};
    return fp_exact_on(fp_function_exactness(function), &capabilities);
}

Test(math, which_functions_are_exact)
{
    cr_assert(is_exact(&gpu_definition_all_exact_, false));
    cr_assert(is_exact(&gpu_definition_is_far_, true));
    cr_assert(!is_exact(&gpu_definition_is_far_, false), "a root is rounded otherwise there");
    cr_assert(!is_exact(&gpu_definition_of_an_int_, true), "devices refuse integers");
    cr_assert(!is_exact(&gpu_definition_of_a_flag_, true), "devices refuse integers");
    cr_assert(!is_exact(&gpu_definition_scaled_by_two_, true), "PoCL rounds twice");
    cr_assert(!is_exact(&gpu_definition_with_sign_of_nan_, true), "a NaN may have any sign");
    cr_assert(!is_exact(&gpu_definition_least_of_zeros_, true), "either zero is right");
    cr_assert(!is_exact(&gpu_definition_of_exp_, true), "exp has another last bit");
}

Test(math, functions_with_loops_are_exact_where_their_order_is_kept)
{
    static const gpu_definition *const functions[] = {&gpu_definition_summed_, &gpu_definition_is_large_};
    for (size_t k = 0; k < COUNT_OF(functions); k++)
        for (int reorders = 0; reorders < 2; reorders++) {
            const fp_capabilities capabilities = {.reorders_loops = reorders};
            cr_assert_eq(fp_exact_on(fp_function_exactness(functions[k]), &capabilities), !reorders, "%zu", k);
        }
}

/* Computed without an OpenCL call: is it on the host? */
static bool is_on_host(gpu *g, gpu_array *a)
{
    uint64_t before = test_stats(g).driver_calls;
    test_array_ok(a);
    return test_stats(g).driver_calls == before;
}

enum { FEW = 1000 };

static void has_same_bits(gpu_array *here, gpu_array *there)
{
    float p[FEW], q[FEW];
    test_ok(gpu_read(here, p));
    test_ok(gpu_read(there, q));
    for (size_t k = 0; k < FEW; k++)
        cr_assert((isnan(p[k]) && isnan(q[k])) || !memcmp(&p[k], &q[k], sizeof *p),
                  "element %zu: %a on the host, %a on the device", k, p[k], q[k]);
}

Test(math, exact_functions_of_small_arrays, .init = test_needs_opencl)
{
    float data[2][FEW];
    fill(GPU_FLOAT, data[0], FEW, 0);
    fill(GPU_FLOAT, data[1], FEW, 1);
    gpu *there = test_open();
    setenv("FIREPILE_VERIFY", "0", 1); /* which leaves nothing to the host alone */
    setenv("FIREPILE_SMALL", "1000", 1);
    gpu *here = gpu_open(NULL);
    gpu_array *x = gpu_array_of(here, data[0], FEW), *y = gpu_array_of(here, data[1], FEW);
    gpu_array *p = gpu_array_of(there, data[0], FEW), *q = gpu_array_of(there, data[1], FEW);
    gpu_array *exact = gpu_map2(x, y, all_exact), *distance = gpu_map2(x, y, distance_of);
    cr_assert(is_on_host(here, exact));
    cr_assert_eq(is_on_host(here, distance), here->capabilities->exact_division);
    has_same_bits(exact, gpu_map2(p, q, all_exact));
    has_same_bits(distance, gpu_map2(p, q, distance_of));
    gpu_close(here);
    test_close(there);
}

/* ---- integers ---- */

/* Shifts and sums that C leaves undefined are not tried. */
#define DEFINE_INTEGERS(T)                                                                                             \
    GPU_STRUCT(whole_##T, T v[20];);                                                                                   \
    GPU_FUNCTION(whole_##T, all_whole_##T, (T a, T b), {                                                               \
        whole_##T r;                                                                                                   \
        r.v[0] = (T)(a + b);                                                                                           \
        r.v[1] = (T)(a - b);                                                                                           \
        r.v[2] = (T)((uint64_t)a * (uint64_t)b);                                                                       \
        r.v[3] = b ? (T)(a / b) : 0;                                                                                   \
        r.v[4] = b ? (T)(a % b) : 0;                                                                                   \
        r.v[5] = a & b;                                                                                                \
        r.v[6] = a | b;                                                                                                \
        r.v[7] = a ^ b;                                                                                                \
        r.v[8] = (T)~a;                                                                                                \
        r.v[9] = (T)((uint64_t)a << (b & 7));                                                                          \
        r.v[10] = (T)(a >> (b & 7));                                                                                   \
        r.v[11] = a < b;                                                                                               \
        r.v[12] = a >= b;                                                                                              \
        r.v[13] = a == b;                                                                                              \
        r.v[14] = a && !b;                                                                                             \
        r.v[15] = a > b ? a : b;                                                                                       \
        r.v[16] = (T)(uint8_t)a;                                                                                       \
        r.v[17] = (T)(int8_t)(a + 100);                                                                                \
        r.v[18] = (T)((float)a * 0.5f);                                                                                \
        r.v[19] = (T)(a + 1 < (T)(b - 3u));                                                                            \
        return r;                                                                                                      \
    });                                                                                                                \
    static void try_##T(gpu *g, gpu_type type)                                                                         \
    {                                                                                                                  \
        const size_t n = length();                                                                                     \
        T *a = test_alloc(n, sizeof *a), *b = test_alloc(n, sizeof *b);                                                \
        whole_##T *want = test_alloc(n, sizeof *want);                                                                 \
        uint64_t state = 5;                                                                                            \
        for (size_t k = 0; k < n; k++) {                                                                               \
            a[k] = (T)((int64_t)(test_random(&state) % 60001) - 30000);                                                \
            b[k] = (T)((int64_t)(test_random(&state) % (k % 3 ? 60001 : 5)) - (k % 3 ? 30000 : 2));                    \
            want[k] = all_whole_##T(a[k], b[k]);                                                                       \
        }                                                                                                              \
        gpu_array *x = gpu_array_from(g, type, a, n), *y = gpu_array_from(g, type, b, n);                              \
        gpu_array *r = gpu_map2_to(x, y, GPU_TYPE(whole_##T), all_whole_##T);                                          \
        test_holds(#T, r, GPU_TYPE(whole_##T), n, want);                                                               \
        free(a);                                                                                                       \
        free(b);                                                                                                       \
        free(want);                                                                                                    \
    }
DEFINE_INTEGERS(int8_t)
DEFINE_INTEGERS(uint16_t)
DEFINE_INTEGERS(int)
DEFINE_INTEGERS(uint64_t)

Test(math, functions_of_integers)
{
    gpu *devices[] = {test_open(), gpu_open("host")};
    for (int k = 0; k < 2; k++) {
        try_int8_t(devices[k], GPU_CHAR);
        try_uint16_t(devices[k], GPU_USHORT);
        try_int(devices[k], GPU_INT);
        try_uint64_t(devices[k], GPU_ULONG);
    }
    gpu_close(devices[1]);
    test_close(devices[0]);
}

/* ---- the header itself ---- */

Test(math, functions_have_the_type_of_their_arguments)
{
    float x = 2;
    double d = 2;
    int n = 2;
    cr_assert(sizeof sqrt(x) == sizeof(float) && sizeof pow(x, x) == sizeof(float) &&
              sizeof fma(x, x, n) == sizeof(float));
    cr_assert(sizeof sqrt(d) == sizeof(double) && sizeof sqrt(n) == sizeof(double) &&
              sizeof pow(x, d) == sizeof(double));
    cr_assert(sqrt(sqrt(x)) == sqrtf(sqrtf(x)) && sqrt(sqrt(d)) != (double)sqrt(sqrt(x)));
    cr_assert(isinf(-INFINITY) == 1 && signbit(-x) == 1 && isnan((float)NAN) == 1 && isfinite(x) == 1);
    cr_assert(M_PI_F == (float)M_PI && sizeof M_PI_F == sizeof(float));
}

/* ---- calls in C ---- */

#if defined __OPTIMIZE__ && defined __x86_64__ && !defined __clang__ && !defined __FMA__ && !defined __FMA4__
GPU_FUNCTION(int, larger, (int a, int b), { return a > b ? a : b; });

#pragma GCC push_options
#pragma GCC optimize("wrapv")
static bool is_inlined(void)
{
    const int known = larger(1, 2);
    return __builtin_constant_p(known);
}
#pragma GCC pop_options

Test(math, functions_are_inlined_where_integers_wrap)
{
    cr_assert(is_inlined());
}
#endif

/* ---- contraction ---- */

/* In this part of the file contraction is on, and there is an instruction for it. */
#ifdef __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("fma"))), apply_to = function)
#pragma STDC FP_CONTRACT ON
#else
#pragma GCC push_options
#pragma GCC target("fma")
#pragma GCC optimize("fp-contract=fast")
#endif
__attribute__((noinline)) static float contracted(float a, float b, float c)
{
    return a * b + c;
}
GPU_FUNCTION(float, rounded_twice, (float a, float b, float c), { return a * b + c; });
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

Test(math, host_functions_are_not_contracted)
{
    volatile float a = 1 + FLT_EPSILON, b = 1 - FLT_EPSILON, c = -1;
    cr_assert_eq(rounded_twice(a, b, c), 0);
    if (!__builtin_cpu_supports("fma")) return; /* none of the two can be contracted */
    cr_assert_neq(contracted(a, b, c), 0, "contraction is off in all of this file: the test shows nothing");
}
#endif
