/* Calls through libffi against direct calls: what a function sees of its arguments, and what comes back. */
#include "support/support.h"

#include "base/memory.h"
#include "ffi/closure.h"
#include "host/internal.h"
#include "kernel/abi_class.h"
#include "kernel/definition.h"
#include "kernel/layout.h"
#include "kernel/type.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_SEEN = 130, MOST_BYTES = 400, ROUNDS = 8 };

/* What the function called last was given. */
static struct {
    size_t count;
    unsigned char bytes[MOST_SEEN][MOST_BYTES];
} seen;

static void saw(const void *value, size_t size)
{
    memcpy(seen.bytes[seen.count++], value, size);
}
#define SAW(value) saw(&(value), sizeof(value))

typedef struct use {
    const void *function;
    void (*direct)(void *result, void *const *arguments);
} use;

/* ---- types ---- */

/* Two scalars, in each order. */
/* clang-format off */
#define PAIRS(X)                                                                                                       \
    PAIRS_WITH(X, char) PAIRS_WITH(X, short) PAIRS_WITH(X, int) PAIRS_WITH(X, int64_t) PAIRS_WITH(X, float)            \
    PAIRS_WITH(X, double)
/* clang-format on */
#define PAIRS_WITH(X, A) X(A, char) X(A, short) X(A, int) X(A, int64_t) X(A, float) X(A, double)
#define PAIR(A, B) GPU_STRUCT(pair_##A##_##B, A a; B b;);
PAIRS(PAIR)

/* 1 to 256 bytes. */
/* clang-format off */
#define LENGTHS(X)                                                                                                     \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(23) X(24)     \
    X(25) X(31) X(32) X(33) X(63) X(64) X(65) X(127) X(128) X(129) X(255) X(256)
/* clang-format on */
#define BYTES(n) GPU_STRUCT(bytes_##n, unsigned char a[n];);
LENGTHS(BYTES)

GPU_STRUCT(one_float, float a;);
GPU_STRUCT(one_double, double a;);
GPU_STRUCT(floats_3, float a, b, c;);
GPU_STRUCT(floats_4, float a[4];);
GPU_STRUCT(floats_5, float a[5];);
GPU_STRUCT(doubles_3, double a[3];);
GPU_STRUCT(floats_doubles, float a; double b; float c; double d;);
GPU_STRUCT(float_float_int, float a, b; int c;);
GPU_STRUCT(int_float_float, int a; float b, c;);
GPU_STRUCT(float_int_float, float a; int b; float c;);
GPU_STRUCT(float_float_double, float a, b; double c;);
GPU_STRUCT(double_char, double a; char b;);
GPU_STRUCT(double_chars, double a; char b[7];);
GPU_STRUCT(shorts_float, short a, b, c; float d;);
GPU_STRUCT(all, char a; double b; short c; float d; int64_t e; uint8_t f[3]; uint16_t g; unsigned h; ulong i;);
GPU_STRUCT(
    inner, int a; struct { float x, y; } b;);
GPU_STRUCT(inner_char, char a; inner b;);
GPU_STRUCT(inner_array, inner a[2];);
GPU_STRUCT(
    wrapped, struct {
        struct {
            pair_char_float a;
        } b;
    } c;);
GPU_STRUCT(late_pair, float a; pair_char_float b;);
GPU_STRUCT(
    tail,
    struct {
        int a;
        char b;
    } c;
    char d;);
GPU_STRUCT(grid, char a; float b[2][3][2]; short c;);
GPU_STRUCT(
    grid_in_16, float a[1][2]; struct { char b[2][2]; } c[2];);
GPU_STRUCT(vectors, gpu_float2 a; gpu_char3 b; gpu_short2 c;);
GPU_STRUCT(aligned_48, char a; gpu_double2 b; char c;);
GPU_STRUCT(aligned_80, float a; gpu_double4 b; gpu_uchar2 c; gpu_long2 d;);
GPU_STRUCT(mixed_256, double a[9]; char b; float c[17]; int64_t d[14];);
GPU_STRUCT(
    union_float_int, union {
        float a;
        int b;
    };);
GPU_STRUCT(
    union_double_float, union {
        double a;
        float b[2];
    };);
GPU_STRUCT(
    union_second_half, double a; union {
        float b;
        short c;
    } d;);
GPU_STRUCT(
    union_both_halves, union {
        struct {
            double a, b;
        } x;
        struct {
            float c;
            char d;
            float e;
        } y;
    };);
GPU_STRUCT(
    union_of_floats, union {
        float a[3];
        struct {
            double b;
            float c;
        } d;
    };);
GPU_STRUCT(
    union_uneven, char a; union {
        char b[5];
        struct {
            short c;
            float d;
        } e[1];
    } f;);
GPU_STRUCT(
    tagged, int tag; union {
        float radius;
        struct {
            float w, h;
        } box;
        int64_t id;
    } u;);
GPU_STRUCT(
    tagged_large, int tag; union {
        gpu_double3 a;
        char b[40];
    } u;);

/* clang-format off */
#define STRUCTS(X)                                                                                                     \
    X(one_float) X(one_double) X(floats_3) X(floats_4) X(floats_5) X(doubles_3) X(floats_doubles) X(float_float_int)   \
    X(int_float_float) X(float_int_float) X(float_float_double) X(double_char) X(double_chars) X(shorts_float) X(all)  \
    X(inner) X(inner_char) X(inner_array) X(wrapped) X(late_pair) X(tail) X(grid) X(grid_in_16) X(vectors)             \
    X(aligned_48) X(aligned_80) X(mixed_256)
#define UNIONS(X)                                                                                                      \
    X(union_float_int) X(union_double_float) X(union_second_half) X(union_both_halves) X(union_of_floats)              \
    X(union_uneven) X(tagged) X(tagged_large)
/* clang-format on */

/* ---- functions of a type ---- */

/* Alone, among others, where only the last integer register is left, and where the floating ones run out. */
#define FUNCTIONS_OF(name, T)                                                                                          \
    GPU_FUNCTION(T, alone_##name, (T p), {                                                                             \
        SAW(p);                                                                                                        \
        return p;                                                                                                      \
    });                                                                                                                \
    GPU_FUNCTION(T, among_##name, (int8_t a, T p, double b, const T q, float c, uint16_t d, T r), {                    \
        SAW(a), SAW(p), SAW(b), SAW(q), SAW(c), SAW(d), SAW(r);                                                        \
        return q;                                                                                                      \
    });                                                                                                                \
    GPU_FUNCTION(T, last_##name, (float a, int64_t b, int c, bool d, short e, char f, T p, double g, T q), {           \
        SAW(a), SAW(b), SAW(c), SAW(d), SAW(e), SAW(f), SAW(p), SAW(g), SAW(q);                                        \
        return p;                                                                                                      \
    });                                                                                                                \
    GPU_FUNCTION(                                                                                                      \
        double, floats_##name,                                                                                         \
        (double a, float b, double c, float d, T p, double e, float f, T q, double g, float h, T r, float i, T s), {   \
            SAW(a), SAW(b), SAW(c), SAW(d), SAW(p), SAW(e), SAW(f), SAW(q), SAW(g), SAW(h), SAW(r), SAW(i), SAW(s);    \
            return a;                                                                                                  \
        });                                                                                                            \
    static void direct_alone_##name(void *result, void *const *v)                                                      \
    {                                                                                                                  \
        *(T *)result = alone_##name(*(T *)v[0]);                                                                       \
    }                                                                                                                  \
    static void direct_among_##name(void *result, void *const *v)                                                      \
    {                                                                                                                  \
        *(T *)result = among_##name(*(int8_t *)v[0], *(T *)v[1], *(double *)v[2], *(T *)v[3], *(float *)v[4],          \
                                    *(uint16_t *)v[5], *(T *)v[6]);                                                    \
    }                                                                                                                  \
    static void direct_last_##name(void *result, void *const *v)                                                       \
    {                                                                                                                  \
        *(T *)result = last_##name(*(float *)v[0], *(int64_t *)v[1], *(int *)v[2], *(bool *)v[3], *(short *)v[4],      \
                                   *(char *)v[5], *(T *)v[6], *(double *)v[7], *(T *)v[8]);                            \
    }                                                                                                                  \
    static void direct_floats_##name(void *result, void *const *v)                                                     \
    {                                                                                                                  \
        *(double *)result = floats_##name(*(double *)v[0], *(float *)v[1], *(double *)v[2], *(float *)v[3],            \
                                          *(T *)v[4], *(double *)v[5], *(float *)v[6], *(T *)v[7], *(double *)v[8],    \
                                          *(float *)v[9], *(T *)v[10], *(float *)v[11], *(T *)v[12]);                  \
    }
#define ADDRESS(f) __extension__(const void *) f
#define USES(name)                                                                                                     \
    {ADDRESS(alone_##name), direct_alone_##name}, {ADDRESS(among_##name), direct_among_##name},                        \
        {ADDRESS(last_##name), direct_last_##name}, {ADDRESS(floats_##name), direct_floats_##name},

#define FUNCTIONS_OF_TYPE(T) FUNCTIONS_OF(T, T)
#define FUNCTIONS_OF_VECTORS(s, NAME, T, kind)                                                                         \
    FUNCTIONS_OF_TYPE(gpu_##s##2) FUNCTIONS_OF_TYPE(gpu_##s##3) FUNCTIONS_OF_TYPE(gpu_##s##4)
#define USES_OF_VECTORS(s, NAME, T, kind) USES(gpu_##s##2) USES(gpu_##s##3) USES(gpu_##s##4)
#define FUNCTIONS_OF_PAIR(A, B) FUNCTIONS_OF(pair_##A##_##B, pair_##A##_##B)
#define USES_OF_PAIR(A, B) USES(pair_##A##_##B)
#define FUNCTIONS_OF_BYTES(n) FUNCTIONS_OF(bytes_##n, bytes_##n)
#define USES_OF_BYTES(n) USES(bytes_##n)

/* clang-format off */
#define SCALARS(X)                                                                                                     \
    X(char_, char) X(schar_, signed char) X(uchar_, unsigned char) X(short_, short) X(ushort_, unsigned short int)     \
    X(int_, signed) X(uint_, unsigned) X(long_, long) X(ulong_, long unsigned) X(longlong_, long long int)             \
    X(ulonglong_, unsigned long long) X(float_, float) X(double_, double) X(bool_, bool) X(size_, size_t)              \
    X(ptrdiff_, ptrdiff_t) X(intptr_, intptr_t) X(uintptr_, uintptr_t) X(int8_, int8_t) X(int16_, int16_t)             \
    X(int32_, int32_t) X(int64_, int64_t) X(uint8_, uint8_t) X(uint16_, uint16_t) X(uint32_, uint32_t)                 \
    X(uint64_, uint64_t) X(short_uint_, ushort) X(typedef_uint_, uint) X(typedef_ulong_, ulong)
/* clang-format on */
#define USES_OF_SCALAR(name, T) USES(name)

SCALARS(FUNCTIONS_OF)
GPU_SCALAR_MAP(FUNCTIONS_OF_VECTORS)
PAIRS(FUNCTIONS_OF_PAIR)
LENGTHS(FUNCTIONS_OF_BYTES)
STRUCTS(FUNCTIONS_OF_TYPE)
UNIONS(FUNCTIONS_OF_TYPE)

static const use of_scalars[] = {SCALARS(USES_OF_SCALAR)};
static const use of_vectors[] = {GPU_SCALAR_MAP(USES_OF_VECTORS)};
static const use of_pairs[] = {PAIRS(USES_OF_PAIR)};
static const use of_lengths[] = {LENGTHS(USES_OF_BYTES)};
static const use of_structs[] = {STRUCTS(USES)};
static const use of_unions[] = {UNIONS(USES)};

/* As many parameters as a C compiler must accept. */
#define TEN_TIMES(X) X(), X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11)
#define PARAMETERS(n)                                                                                                  \
    int a##n##0, float a##n##1, int8_t a##n##2, tagged a##n##3, double a##n##4, pair_char_float a##n##5,               \
        gpu_double4 a##n##6, int64_t a##n##7, bool a##n##8, bytes_3 a##n##9
#define SAW_THEM(n)                                                                                                    \
    SAW(a##n##0), SAW(a##n##1), SAW(a##n##2), SAW(a##n##3), SAW(a##n##4), SAW(a##n##5), SAW(a##n##6), SAW(a##n##7),    \
        SAW(a##n##8), SAW(a##n##9)
#define VALUES(n)                                                                                                      \
    *(int *)v[n##0], *(float *)v[n##1], *(int8_t *)v[n##2], *(tagged *)v[n##3], *(double *)v[n##4],                    \
        *(pair_char_float *)v[n##5], *(gpu_double4 *)v[n##6], *(int64_t *)v[n##7], *(bool *)v[n##8],                   \
        *(bytes_3 *)v[n##9]
#define FUNCTION_WITH(name, parameters, ...) GPU_FUNCTION(mixed_256, name, (parameters), __VA_ARGS__)
#define PARAMETERS_127                                                                                                 \
    TEN_TIMES(PARAMETERS), int a120, float a121, int8_t a122, mixed_256 a123, double a124, short a125, double a126
FUNCTION_WITH(most, PARAMETERS_127, {
    TEN_TIMES(SAW_THEM);
    SAW(a120), SAW(a121), SAW(a122), SAW(a123), SAW(a124), SAW(a125), SAW(a126);
    return a123;
});
static void direct_most(void *result, void *const *v)
{
    *(mixed_256 *)result = most(TEN_TIMES(VALUES), *(int *)v[120], *(float *)v[121], *(int8_t *)v[122],
                                *(mixed_256 *)v[123], *(double *)v[124], *(short *)v[125], *(double *)v[126]);
}

/* ---- comparing ---- */

/* The bytes of a type that hold a value. */
static void mark_type(gpu_type type, unsigned char *bytes);

static void mark_members(const fp_member *parent, unsigned char *bytes)
{
    for (const fp_member *m = parent->first; m; m = m->next) {
        for (size_t k = 0; k < m->elements; k++) {
            unsigned char *element = bytes + m->offset + k * (m->size / m->elements);
            if (m->first)
                mark_members(m, element);
            else
                mark_type(m->type, element);
        }
    }
}

static void mark_type(gpu_type type, unsigned char *bytes)
{
    fp_layout *layout;
    if (type->kind != GPU_KIND_STRUCT) {
        memset(bytes, 0xff, type->size);
        return;
    }
    test_ok(fp_layout_parse(type, &layout));
    mark_members(&layout->root, bytes);
    fp_layout_free(layout);
}

static bool same_values(gpu_type type, const void *got, const void *want)
{
    const unsigned char *a = got, *b = want;
    unsigned char *marks = test_alloc(1, type->size);
    bool same = true;
    mark_type(type, marks);
    for (size_t k = 0; k < type->size; k++) same &= !((a[k] ^ b[k]) & marks[k]);
    free(marks);
    return same;
}

/* Memory for values, each of which ends where a page ends that nothing follows. */
static unsigned char *pages;
static size_t page;

static void *room_for(size_t place, gpu_type type)
{
    return pages + (2 * place + 1) * page - type->size;
}

static void map_pages(void)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    pages = mmap(NULL, 2 * MOST_SEEN * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(pages, MAP_FAILED);
    for (size_t k = 0; k < MOST_SEEN; k++) cr_assert_eq(mprotect(pages + (2 * k + 1) * page, page, PROT_NONE), 0);
}

static void random_value(gpu_type type, unsigned char *out, uint64_t *state)
{
    for (size_t k = 0; k < type->size; k++) out[k] = (unsigned char)(test_random(state) >> 40);
    if (type == &fp_type_bool) *out &= 1;
}

static void compare(const fp_signature *s, const use *u, void *const *arguments)
{
    static unsigned char expected[MOST_BYTES];
    unsigned char *result = room_for(s->count, s->result);
    const char *name = s->function->name;
    seen.count = 0;
    u->direct(result, arguments);
    memcpy(expected, result, s->result->size);
    memset(&seen, 0x55, sizeof seen);
    memset(result - page / 2, 0xaa, page / 2 + s->result->size);
    seen.count = 0;
    fp_call_run(s->call, result, arguments);
    cr_assert_eq(seen.count, s->count, "%s", name);
    for (size_t k = 0; k < s->count; k++)
        cr_assert(same_values(s->parameters[k].type, seen.bytes[k], arguments[k]), "%s: parameter %zu", name, k);
    cr_assert(same_values(s->result, result, expected), "%s: result", name);
    for (size_t k = 1; k <= page / 2; k++) cr_assert_eq(result[-(ptrdiff_t)k], 0xaa, "%s: before the result", name);
}

static fp_signature *signature(const void *function)
{
    fp_signature *s = NULL;
    const fp_call *call = NULL;
    const gpu_definition *d = fp_definition_at(function);
    cr_assert(d);
    gpu_status status = fp_signature_new(d, &s);
    cr_assert_eq(status, GPU_OK, "%s: %s", d->name, gpu_error());
    status = fp_host_call(s, &call);
    cr_assert_eq(status, GPU_OK, "%s: %s", d->name, gpu_error());
    cr_assert_eq(call, s->call);
    return s;
}

/* What a function made of the parameters gets: handed to `seen`, types in `context`. */
static gpu_status hand_over(void *context, void *const *arguments)
{
    const fp_signature *s = context;
    for (size_t k = 0; k < s->count; k++) saw(arguments[k], s->parameters[k].type->size);
    return GPU_E_RANGE;
}

/* Calls, which are compared with direct ones above, of a function that was made while the program runs. */
static void compare_closure(const fp_signature *s, void *const *arguments)
{
    static const fp_abi_class status_passed = {GPU_KIND_UNSIGNED, sizeof(gpu_status), _Alignof(gpu_status), 0, 0};
    fp_abi_class classes[FP_MOST_PARAMETERS];
    fp_closure *closure;
    fp_call *call;
    gpu_status status = GPU_OK;
    for (size_t k = 0; k < s->count; k++) test_ok(fp_abi_class_of(s->parameters[k].type, &classes[k]));
    test_ok(fp_closure_make(classes, s->count, hand_over, (void *)(uintptr_t)s, &closure));
    test_ok(fp_call_make(fp_closure_code(closure), &status_passed, classes, s->count, &call));
    memset(&seen, 0x55, sizeof seen);
    seen.count = 0;
    fp_call_run(call, &status, arguments);
    cr_assert_eq(status, GPU_E_RANGE, "%s: status %d", s->function->name, (int)status);
    cr_assert_eq(seen.count, s->count, "%s", s->function->name);
    for (size_t k = 0; k < s->count; k++)
        cr_assert(same_values(s->parameters[k].type, seen.bytes[k], arguments[k]),
                  "%s: a made function's parameter %zu", s->function->name, k);
    fp_call_free(call);
    fp_closure_free(closure);
}

static void try_uses(const use *uses, size_t count)
{
    uint64_t state = 1;
    map_pages();
    for (const use *u = uses; u < uses + count; u++) {
        fp_signature *s = signature(u->function);
        void *arguments[FP_MOST_PARAMETERS];
        for (unsigned round = 0; round < ROUNDS; round++) {
            for (size_t k = 0; k < s->count; k++) {
                arguments[k] = room_for(k, s->parameters[k].type);
                random_value(s->parameters[k].type, arguments[k], &state);
            }
            compare(s, u, arguments);
            if (round == 0) compare_closure(s, arguments);
        }
        fp_signature_free(s);
    }
    munmap(pages, 2 * MOST_SEEN * page);
}

Test(ffi, functions_of_scalars)
{
    try_uses(of_scalars, COUNT_OF(of_scalars));
}

Test(ffi, functions_of_vectors)
{
    try_uses(of_vectors, COUNT_OF(of_vectors));
}

Test(ffi, pairs_of_scalars)
{
    try_uses(of_pairs, COUNT_OF(of_pairs));
}

Test(ffi, structs_of_1_to_256_bytes)
{
    try_uses(of_lengths, COUNT_OF(of_lengths));
}

Test(ffi, structs_nested_and_with_arrays)
{
    try_uses(of_structs, COUNT_OF(of_structs));
}

Test(ffi, functions_of_unions)
{
    try_uses(of_unions, COUNT_OF(of_unions));
}

Test(ffi, many_parameters)
{
    try_uses(&(use){ADDRESS(most), direct_most}, 1);
}

/* ---- signatures ---- */

GPU_FUNCTION(float, scaled, (float x, const gpu_float4 k, uint64_t i), { return x * k.y + (float)i; });
GPU_FUNCTION(bool, nothing, (void), { return true; });
GPU_FUNCTION(int64_t, area, (struct tagged t, int scale),
             { return t.tag ? t.u.id * scale : (int64_t)(t.u.box.w * t.u.box.h) * scale; });
GPU_DEVICE_FUNCTION(float4, spread, (float x), { return (float4)(x, x, x, x); });

Test(ffi, operands_and_captured_values)
{
    fp_signature *s = signature(ADDRESS(scaled));
    static const char *const names[] = {"x", "k", "i"};
    const gpu_type types[] = {GPU_FLOAT, GPU_FLOAT4, GPU_ULONG};
    cr_assert(s->result == GPU_FLOAT && s->count == 3);
    for (size_t k = 0; k < 3; k++) {
        cr_assert_eq(s->parameters[k].type, types[k]);
        cr_assert_eq(s->parameters[k].length, 1);
        cr_assert_eq(*s->parameters[k].name, *names[k]);
    }
    float x = 3, result = 0;
    gpu_float4 captured = {1, 2, 3, 4};
    for (uint64_t i = 0; i < 100; i++) {
        fp_call_run(s->call, &result, (void *const[]){&x, &captured, &i});
        cr_assert_eq(result, scaled(x, captured, i));
    }
    fp_signature_free(s);
    bool yes = false;
    s = signature(ADDRESS(nothing));
    cr_assert(s->result == &fp_type_bool && s->count == 0);
    fp_call_run(s->call, &yes, NULL);
    cr_assert(yes);
    fp_signature_free(s);
}

static gpu_definition text(const char *result, const char *parameters)
{
    return (gpu_definition){.kind = GPU_DEFINES_FUNCTION,
                            .name = "f",
                            .result = result,
                            .parameters = parameters,
                            .body = "{}",
                            .address = ADDRESS(scaled),
                            .place = {"one.c", 7, &gpu_unit_}};
}

Test(ffi, types_as_they_are_written)
{
    static const struct {
        const char *parameters;
        gpu_type type;
        bool array;
    } accepted[] = {{"(const volatile float x)", GPU_FLOAT, false},
                    {"(float const x)", GPU_FLOAT, false},
                    {"(unsigned const char x)", GPU_UCHAR, false},
                    {" ( register\n int\tx ) ", GPU_INT, false},
                    {"(long /* words, and (marks) */ int unsigned x // and more\n)", GPU_ULONG, false},
                    {"(struct tagged x)", GPU_TYPE(tagged), false},
                    {"(const struct tagged x)", GPU_TYPE(tagged), false},
                    {"(tagged const x)", GPU_TYPE(tagged), false},
                    {"(_Bool x)", &fp_type_bool, false},
                    {"(size_t x)", sizeof(size_t) == 8 ? GPU_ULONG : GPU_UINT, false},
                    {"(gpu_uchar3 x)", GPU_UCHAR3, false},
                    {"(GPU_GLOBAL const float *x)", GPU_FLOAT, true},
                    {"(const __global unsigned int *restrict const x)", GPU_UINT, true},
                    {"(struct tagged const GPU_GLOBAL*x)", GPU_TYPE(tagged), true},
                    {"(GPU_GLOBAL const gpu_float4 /* four */ * x)", GPU_FLOAT4, true}};
    for (size_t k = 0; k < COUNT_OF(accepted); k++) {
        fp_signature *s;
        gpu_definition d = text("int", accepted[k].parameters);
        gpu_status status = fp_signature_new(&d, &s);
        cr_assert_eq(status, GPU_OK, "%s: %s", accepted[k].parameters, gpu_error());
        cr_assert(s->count == 1 && gpu_type_equal(s->parameters[0].type, accepted[k].type), "%s",
                  accepted[k].parameters);
        cr_assert(s->parameters[0].array == accepted[k].array, "%s", accepted[k].parameters);
        cr_assert(s->parameters[0].length == 1 && *s->parameters[0].name == 'x', "%s", accepted[k].parameters);
        fp_signature_free(s);
    }
}

Test(ffi, what_cannot_be_called_is_named)
{
    static const struct {
        const char *result, *parameters, *names, *advises;
    } refused[] = {
        {"real", "(int x)", "its result \"real\": 'real'", "GPU_STRUCT"},
        {"void", "(int x)", "'void'", "is no type"},
        {"", "(int x)", "its result \"\": '' stands alone", "a type and a name"},
        {"int", "(real x, int y)", "its parameter \"real x\": 'real'", "GPU_STRUCT"},
        {"int", "(int x, float4 y)", "its parameter \"float4 y\": 'float4'", "gpu_"},
        {"int", "(long double x)", "'long double'", "double"},
        {"int", "(enum color x)", "'enum color'", "is no type"},
        {"int", "(union u x)", "'union u'", "is no type"},
        {"int", "(int x, const float *table)", "\"const float *table\": 'table' is a pointer",
         "write GPU_GLOBAL const"},
        {"int", "(GPU_GLOBAL float *table)", "'table' points to", "GPU_GLOBAL const float *name"},
        {"int", "(GPU_GLOBAL float *const table)", "'table' points to", "captured arrays are not"},
        {"int", "(GPU_GLOBAL const float **table)", "'*'", "only values"},
        {"int", "(GPU_GLOBAL const float x)", "'GPU_GLOBAL const float x' is not expected", "only values"},
        {"GPU_GLOBAL const int *", "(int x)", "its result \"GPU_GLOBAL const int *\": '*'", "only values"},
        {"int", "(GPU_GLOBAL const real *x)", "'real'", "is no type"},
        {"int", "(float x[3])", "'['", "only values"},
        {"int", "(int (*x)(int, int), int y)", "\"int (*x)(int, int)\": '('", "only values"},
        {"int", "(int x, ...)", "\"...\": '.'", "only values"},
        {"int *", "(int x)", "its result \"int *\": '*'", "only values"},
        {"int", "(float)", "\"float\": 'float' stands alone", "a type and a name"},
        {"int", "(int x,)", "its parameter", "a type and a name"},
    };
    for (size_t k = 0; k < COUNT_OF(refused); k++) {
        fp_signature *s = NULL;
        gpu_definition d = text(refused[k].result, refused[k].parameters);
        test_fails(GPU_E_TYPE, fp_signature_new(&d, &s));
        cr_assert_null(s);
        test_has(gpu_error(), "f (one.c:7) cannot be an operator: ");
        test_has(gpu_error(), refused[k].names);
        test_has(gpu_error(), refused[k].advises);
    }
}

Test(ffi, too_many_parameters)
{
    fp_signature *s = NULL;
    fp_text parameters = {0};
    for (int k = 0; k <= FP_MOST_PARAMETERS; k++) fp_text_print(&parameters, "%cint x%d", k ? ',' : '(', k);
    fp_text_put(&parameters, ")");
    gpu_definition d = text("int", fp_text_string(&parameters));
    test_fails(GPU_E_TYPE, fp_signature_new(&d, &s));
    test_has(gpu_error(), "'int x127' is one parameter too many");
    fp_text_free(&parameters);
}

#pragma pack(push, 1)
GPU_STRUCT(packed, char a; int b;);
#pragma pack(pop)
GPU_STRUCT(immense, double a[4194304];);

static void refuse_call(gpu_status wanted, const gpu_definition *d, const char *part)
{
    fp_signature *s = NULL;
    const fp_call *call = NULL;
    gpu_status status = fp_signature_new(d, &s);
    test_fails(wanted, status ? status : fp_host_call(s, &call));
    test_has(gpu_error(), part);
    cr_assert_null(call);
    fp_signature_free(s);
}

Test(ffi, types_that_cannot_be_passed)
{
    gpu_definition d = text("int", "(int x, packed y)");
    refuse_call(GPU_E_LAYOUT, &d, "struct 'packed'");
    d = text("immense", "(int x)");
    refuse_call(GPU_E_TYPE, &d, "cannot be called on the host: its result is a immense, which is too large");
    refuse_call(GPU_E_ARGUMENT, fp_definition_at(spread), "define it with GPU_FUNCTION");
    test_has(gpu_error(), "spread");

    const char *why_not;
    fp_abi_class half = {.kind = GPU_KIND_STRUCT, .size = 16, .align = 16};
    fp_abi_class_note(&half, GPU_KIND_SIGNED, 0, 8);
    cr_assert_not(fp_abi_class_check(&half, &why_not), "eight bytes of padding");
    fp_abi_class_note(&half, GPU_KIND_FLOATING, 8, 4);
    cr_assert(fp_abi_class_check(&half, &why_not));
}

static void *call_often(void *argument)
{
    const fp_signature *s = argument;
    size_t wrong = 0;
    for (int k = 0; k < 20000; k++) {
        tagged t = {k % 2, {.id = 0}};
        int64_t result = 0;
        if (t.tag)
            t.u.id = k;
        else
            t.u.box.w = (float)k, t.u.box.h = 2;
        fp_call_run(s->call, &result, (void *const[]){&t, &k});
        wrong += result != area(t, k);
    }
    return wrong ? argument : NULL;
}

Test(ffi, threads_share_a_call)
{
    pthread_t threads[4];
    void *shared = signature(ADDRESS(area)), *wrong;
    for (size_t k = 0; k < 4; k++) cr_assert_eq(pthread_create(&threads[k], NULL, call_often, shared), 0);
    for (size_t k = 0; k < 4; k++) {
        pthread_join(threads[k], &wrong);
        cr_assert_null(wrong);
    }
    fp_signature_free(shared);
}

Test(ffi, each_allocation_fails)
{
    unsigned long k = 0;
    for (bool left = false; !left;) {
        fp_signature *s = NULL;
        const fp_call *call = NULL;
        fp_memory_fail_at(++k);
        gpu_status status = fp_signature_new(fp_definition_at(ADDRESS(last_inner_array)), &s);
        if (!status) status = fp_host_call(s, &call);
        left = fp_memory_fail_at(0) > 0;
        cr_assert_eq(status, left ? GPU_OK : GPU_E_MEMORY, "allocation %lu: %s", k, gpu_error());
        cr_assert_eq(call != NULL, left);
        fp_signature_free(s);
    }
    cr_assert_gt(k, 10);
}
