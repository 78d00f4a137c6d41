/* Calls without libffi, for the types that most operators have. A call by libffi takes fifty times as long. */
#include "ffi/call.h"

enum { MOST_PARAMETERS = 3 };

/* Element `e` of parameter k. */
#define IN(T, k) (*(const T *)(const void *)(p->in[k] + e * p->stride[k]))

#define DEFINE(R, r, T, t, arity, parameters, ...)                                                                     \
    static void loop_##r##_##t##_##arity(void (*function)(void), const fp_loop_places *p)                              \
    {                                                                                                                  \
        R(*const call) parameters = (R(*) parameters)function;                                                         \
        for (size_t e = 0; e < p->count; e++) *(R *)(void *)(p->out + e * p->out_stride) = call(__VA_ARGS__);          \
    }
#define DEFINE_ALL(R, r, T, t)                                                                                         \
    DEFINE(R, r, T, t, 1, (T), IN(T, 0))                                                                               \
    DEFINE(R, r, T, t, 2, (T, T), IN(T, 0), IN(T, 1))                                                                  \
    DEFINE(R, r, T, t, 3, (T, T, T), IN(T, 0), IN(T, 1), IN(T, 2))

/* X(the result's type, a name, its kind, the parameters' type, a name, their kind) */
#define SAME(X)                                                                                                        \
    X(float, same, FLOATING, float, float, FLOATING)                                                                   \
    X(double, same, FLOATING, double, double, FLOATING)                                                                \
    X(int32_t, same, SIGNED, int32_t, int, SIGNED)                                                                     \
    X(uint32_t, same, UNSIGNED, uint32_t, uint, UNSIGNED)                                                              \
    X(int64_t, same, SIGNED, int64_t, long, SIGNED)                                                                    \
    X(uint64_t, same, UNSIGNED, uint64_t, ulong, UNSIGNED)
#define PREDICATES(X, R, r, KIND)                                                                                      \
    X(R, r, KIND, float, float, FLOATING)                                                                              \
    X(R, r, KIND, double, double, FLOATING)                                                                            \
    X(R, r, KIND, uint32_t, uint, UNSIGNED)                                                                            \
    X(R, r, KIND, int64_t, long, SIGNED)                                                                               \
    X(R, r, KIND, uint64_t, ulong, UNSIGNED)
#define ALL(X)                                                                                                         \
    SAME(X)                                                                                                            \
    PREDICATES(X, int32_t, int, SIGNED)                                                                                \
    PREDICATES(X, bool, flag, UNSIGNED)                                                                                \
    X(bool, flag, UNSIGNED, int32_t, int, SIGNED)

#define DEFINE_ROW(R, r, R_KIND, T, t, T_KIND) DEFINE_ALL(R, r, T, t)
ALL(DEFINE_ROW)

static const struct {
    gpu_kind result_kind, kind;
    size_t result_size, size;
    fp_loop *loops[MOST_PARAMETERS];
} loops[] = {
#define ROW(R, r, R_KIND, T, t, T_KIND)                                                                                \
    {GPU_KIND_##R_KIND,                                                                                                \
     GPU_KIND_##T_KIND,                                                                                                \
     sizeof(R),                                                                                                        \
     sizeof(T),                                                                                                        \
     {loop_##r##_##t##_1, loop_##r##_##t##_2, loop_##r##_##t##_3}},
    ALL(ROW)};

fp_loop *fp_loop_find(const fp_abi_class *result, const fp_abi_class *parameters, size_t count)
{
    if (count < 1 || count > MOST_PARAMETERS) return NULL;
    for (size_t k = 1; k < count; k++)
        if (parameters[k].kind != parameters->kind || parameters[k].size != parameters->size) return NULL;
    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++)
        if (loops[k].result_kind == result->kind && loops[k].result_size == result->size &&
            loops[k].kind == parameters->kind && loops[k].size == parameters->size)
            return loops[k].loops[count - 1];
    return NULL;
}
