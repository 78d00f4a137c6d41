#include "ffi/registers.h"

#include <string.h>

/* Note [registers]: x86-64 (System V) and AArch64 (AAPCS64) pass integers and pointers in one row of registers and
 * floating numbers in another one, each in the order of the parameters. A function ignores the registers that it has no
 * parameter for. So one call that fills all registers serves every function of scalars that fit in them. An integer is
 * widened to its register. A float is the low half of a double's register. Such a call takes a few nanoseconds; one by
 * libffi takes a hundred or more. */
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && !defined __ILP32__ && !defined _WIN32 &&    \
    (defined __x86_64__ || (defined __aarch64__ && !defined __APPLE__))
enum { KNOWN = true };
#else
enum { KNOWN = false };
#endif

enum { MOST_PARAMETERS = FP_INTEGER_REGISTERS + FP_FLOATING_REGISTERS };

#define INTEGERS(X)                                                                                                    \
    X(SIGNED, int8_t)                                                                                                  \
    X(SIGNED, int16_t)                                                                                                 \
    X(SIGNED, int32_t)                                                                                                 \
    X(SIGNED, int64_t)                                                                                                 \
    X(UNSIGNED, uint8_t)                                                                                               \
    X(UNSIGNED, uint16_t)                                                                                              \
    X(UNSIGNED, uint32_t)                                                                                              \
    X(UNSIGNED, uint64_t)
#define FLOATS(X) X(FLOATING, float) X(FLOATING, double)

/* The ways to read an argument. */
enum {
#define READER(KIND, T) READ_##T,
    INTEGERS(READER) FLOATS(READER) READERS
};

static const struct {
    gpu_kind kind;
    size_t size;
} readers[] = {
#define ROW(KIND, T) {GPU_KIND_##KIND, sizeof(T)},
    INTEGERS(ROW) FLOATS(ROW)};

bool fp_registers_assign(fp_registers *out, const fp_abi_class *result, const fp_abi_class *parameters, size_t count)
{
    unsigned char used[2] = {0, 0};
    *out = (fp_registers){.kind = result->kind, .size = result->size, .count = count};
    if (!KNOWN || result->kind == GPU_KIND_STRUCT || count > MOST_PARAMETERS) return false;
    for (size_t k = 0; k < count; k++) {
        const fp_abi_class *p = &parameters[k];
        const bool floating = p->kind == GPU_KIND_FLOATING;
        unsigned char reader = 0;
        while (reader < READERS && !(readers[reader].kind == p->kind && readers[reader].size == p->size)) reader++;
        out->list[k] = (fp_register){used[floating]++, reader};
        if (reader == READERS) return false;
    }
    return used[0] <= FP_INTEGER_REGISTERS && used[1] <= FP_FLOATING_REGISTERS;
}

typedef struct contents {
    uint64_t n[FP_INTEGER_REGISTERS];
    double f[FP_FLOATING_REGISTERS];
} contents;

#define TYPES uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, REALS
#define REALS double, double, double, double, double, double, double, double
#define CONTENTS(c)                                                                                                    \
    (c)->n[0], (c)->n[1], (c)->n[2], (c)->n[3], (c)->n[4], (c)->n[5], (c)->f[0], (c)->f[1], (c)->f[2], (c)->f[3],      \
        (c)->f[4], (c)->f[5], (c)->f[6], (c)->f[7]
typedef uint64_t of_integers(TYPES);
typedef double of_floats(TYPES);

/* Writes all eight bytes: a processor waits if it reads them after four of them were written. */
static void load_floating(uint64_t bits, double *to)
{
    memcpy(to, &bits, sizeof bits);
}

static void load(const fp_register *r, const unsigned char *from, contents *to)
{
    uint32_t four;
    uint64_t eight;
    switch (r->reader) {
#define LOAD(KIND, T)                                                                                                  \
    case READ_##T:                                                                                                     \
        to->n[r->number] = (uint64_t) * (const T *)(const void *)from;                                                 \
        break;
        INTEGERS(LOAD)
    case READ_float:
        memcpy(&four, from, sizeof four);
        load_floating(four, &to->f[r->number]);
        break;
    case READ_double:
        memcpy(&eight, from, sizeof eight);
        load_floating(eight, &to->f[r->number]);
        break;
    }
}

static void store(const void *value, size_t size, unsigned char *out)
{
    if (size == 1) memcpy(out, value, 1);
    if (size == 2) memcpy(out, value, 2);
    if (size == 4) memcpy(out, value, 4);
    if (size == 8) memcpy(out, value, 8);
}

/* The declared type of the function is another one, which clang's sanitizer would report. */
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
static void
call(const fp_registers *r, void (*function)(void), const contents *c, unsigned char *out)
{
    if (r->kind == GPU_KIND_FLOATING) {
        const double value = ((of_floats *)function)(CONTENTS(c));
        store(&value, r->size, out);
    } else {
        const uint64_t value = ((of_integers *)function)(CONTENTS(c));
        store(&value, r->size, out);
    }
}

void fp_registers_loop(const fp_registers *r, void (*function)(void), const fp_loop_places *p)
{
    contents c = {.n = {0}};
    size_t loaded[MOST_PARAMETERS], count = 0;
    for (size_t k = 0; k < r->count; k++) loaded[count++] = k;
    for (size_t e = 0; e < p->count; e++) {
        for (size_t j = 0; j < count; j++) {
            const size_t k = loaded[j];
            load(&r->list[k], p->in[k] + e * p->stride[k], &c);
        }
        call(r, function, &c, p->out + e * p->out_stride);
        if (e > 0) continue;
        /* The others stay in their registers. */
        count = 0;
        for (size_t k = 0; k < r->count; k++)
            if (p->stride[k] || p->in[k] == p->out) loaded[count++] = k;
    }
}
