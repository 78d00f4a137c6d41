/* Element types of the differential test: their operators, each as a GPU_FUNCTION, as a text and in plain C. */
#ifndef DIFFERENTIAL_KINDS_H
#define DIFFERENTIAL_KINDS_H

#include "support/reference.h"

/* What an operator captures, as plain C sees it: a value `k`, and the `m` elements of an array `t`. */
typedef struct captured {
    const void *k, *t;
    unsigned m;
} captured;

enum { TAKES_K = 1, TAKES_T = 2 };

/* An operator. `in` points to its operands, `i` is the index of the element. */
typedef struct rule {
    const char *name, *text;
    const void *function; /* NULL where only the text is to be tried */
    bool known;           /* the library recognises the text: the host device has it, and its identity */
    bool total;           /* a comparator under which no two different elements are equal */
    unsigned takes;
    char identity; /* of a recognised operator: '0', '1', '~' (all bits set), or none */
    enum { EXACT, SUMS, MULTIPLIES } grows;
    const gpu_place *place;
    void (*run)(void *out, const void *const in[], uint64_t i, const captured *c);
} rule;

#define MOST_RULES 12

/* An element type. Lists of rules end with NULL. */
typedef struct kind {
    const char *name;
    gpu_type type;
    bool scalar, vector; /* neither: a struct */
    const rule *maps[MOST_RULES], *maps2[MOST_RULES], *maps3[MOST_RULES], *tests[MOST_RULES], *joins[MOST_RULES],
        *orders[MOST_RULES];
    const rule *to_int, *from_int, *key, *place_in,
        *decides; /* key: to few ints; place_in: to uints, mostly below 16 */
    bool (*same)(const void *p, const void *q);
} kind;

extern const kind *const kinds[];
extern const size_t kind_count;
const kind *kind_of(gpu_type type);

/* The parts that the files which define types hand out. */
extern const kind *const scalar_kinds[10], *const other_kinds[5];

/* ---- macros that define one operator: a function NAME_LABEL, and NAME_LABEL_rule ---- */

/* clang-format off */
#define RULE_(N, label, body, ...)                                                                                     \
    GPU_UNUSED static const rule N##_##label##_rule = {.name = #N "_" #label, .text = body, .place = GPU_HERE,         \
                                            .function = __extension__(const void *)(N##_##label),                      \
                                            .run = N##_##label##_run, __VA_ARGS__};
#define RUN_(N, label, R, ...)                                                                                         \
    static void N##_##label##_run(void *out, const void *const in[], uint64_t i, const captured *c)                    \
    {                                                                                                                  \
        (void)in, (void)i, (void)c;                                                                                    \
        R r = __VA_ARGS__;                                                                                             \
        memcpy(out, &r, sizeof r);                                                                                     \
    }

/* Of an element x; of x and its index; of x and a captured k; of x and the m elements of a captured t, with the index
 * and without. */
#define OF_X(N, label, R, T, ...)                                                                                      \
    GPU_FUNCTION(R, N##_##label, (T x), __VA_ARGS__);                                                                  \
    RUN_(N, label, R, N##_##label(*(const T *)in[0]))                                                                  \
    RULE_(N, label, #__VA_ARGS__, .takes = 0)
#define OF_X_I(N, label, R, T, ...)                                                                                    \
    GPU_FUNCTION(R, N##_##label, (T x, uint64_t i), __VA_ARGS__);                                                      \
    RUN_(N, label, R, N##_##label(*(const T *)in[0], i))                                                               \
    RULE_(N, label, #__VA_ARGS__, .takes = 0)
#define OF_X_K(N, label, R, T, ...)                                                                                    \
    GPU_FUNCTION(R, N##_##label, (T x, T k), __VA_ARGS__);                                                             \
    RUN_(N, label, R, N##_##label(*(const T *)in[0], *(const T *)c->k))                                                \
    RULE_(N, label, #__VA_ARGS__, .takes = TAKES_K)
#define OF_X_T(N, label, R, T, ...)                                                                                    \
    GPU_FUNCTION(R, N##_##label, (T x, uint64_t i, GPU_GLOBAL const T *t, unsigned int m), __VA_ARGS__);               \
    RUN_(N, label, R, N##_##label(*(const T *)in[0], i, c->t, c->m))                                                   \
    RULE_(N, label, #__VA_ARGS__, .takes = TAKES_T)
#define OF_X_M(N, label, R, T, ...)                                                                                    \
    GPU_FUNCTION(R, N##_##label, (T x, GPU_GLOBAL const T *t, unsigned int m), __VA_ARGS__);                           \
    RUN_(N, label, R, N##_##label(*(const T *)in[0], c->t, c->m))                                                      \
    RULE_(N, label, #__VA_ARGS__, .takes = TAKES_T)
/* Of two elements, and of three. */
#define OF_X_Y(N, label, R, T, ...)                                                                                    \
    GPU_FUNCTION(R, N##_##label, (T x, T y), __VA_ARGS__);                                                             \
    RUN_(N, label, R, N##_##label(*(const T *)in[0], *(const T *)in[1]))                                               \
    RULE_(N, label, #__VA_ARGS__, .takes = 0)
#define OF_X_Y_Z(N, label, R, T, ...)                                                                                  \
    GPU_FUNCTION(R, N##_##label, (T x, T y, T z), __VA_ARGS__);                                                        \
    RUN_(N, label, R, N##_##label(*(const T *)in[0], *(const T *)in[1], *(const T *)in[2]))                            \
    RULE_(N, label, #__VA_ARGS__, .takes = 0)
/* Of two operands, and of two and a captured k; what follows the body are members of the rule. */
#define OF_A_B(N, label, R, T, body, ...)                                                                              \
    GPU_FUNCTION(R, N##_##label, (T a, T b), { return body; });                                                        \
    RUN_(N, label, R, N##_##label(*(const T *)in[0], *(const T *)in[1]))                                               \
    RULE_(N, label, #body, __VA_ARGS__)
#define OF_A_B_K(N, label, R, T, body, ...)                                                                            \
    GPU_FUNCTION(R, N##_##label, (T a, T b, T k), { return body; });                                                   \
    RUN_(N, label, R, N##_##label(*(const T *)in[0], *(const T *)in[1], *(const T *)c->k))                             \
    RULE_(N, label, #body, .takes = TAKES_K, __VA_ARGS__)
/* A text that the library recognises; `value` is what it means in plain C, of p, q and i. */
#define KNOWN(N, label, R, T, body, value, ...)                                                                        \
    static void N##_##label##_run(void *out, const void *const in[], uint64_t i, const captured *c)                    \
    {                                                                                                                  \
        (void)i, (void)c;                                                                                              \
        T p = *(const T *)in[0], q = *(const T *)in[1];                                                                \
        (void)p, (void)q;                                                                                              \
        R r = value;                                                                                                   \
        memcpy(out, &r, sizeof r);                                                                                     \
    }                                                                                                                  \
    GPU_UNUSED static const rule N##_##label##_rule = {.name = #N "_" #label, .text = body, .place = GPU_HERE,         \
                                                       .known = true, .run = N##_##label##_run, __VA_ARGS__};
/* clang-format on */

#endif
