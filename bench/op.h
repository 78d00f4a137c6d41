/* What the benchmark and its test know of an operation. A file in bench/ops that defines a BENCH_OP adds one. */
#ifndef BENCH_OP_H
#define BENCH_OP_H

#include <firepile.h>

/* One operation on one element type. Most elements are chosen so that every result is exact, whatever the order of the
 * work: results are compared with the reference byte by byte. */
typedef struct bench_op {
    const char *name;
    gpu_type type; /* of the elements */
    size_t bytes;  /* that have to be read and written for each element */
    size_t result; /* bytes of the value, or of an element of the finished array */
    void (*generate)(void *elements, size_t n, uint64_t seed);
    gpu_status (*value)(const gpu_array *in, void *out); /* brings a value to the host; or, if this is NULL: */
    gpu_array *(*array)(const gpu_array *in); /* makes an array of at most n elements, its length known; or: */
    size_t fixed;                             /* of so many, whatever n is */
    bool awaited;                             /* array has waited for the length, and with it for the elements */
    double tolerance; /* results are floats that may be off by this share of the reference's; 0: they may not */
    size_t (*reference)(const void *elements, size_t n, void *out); /* in plain C; returns the number of results */
    size_t most;        /* elements that it is measured with; 0: as many as there are */
    size_t most_on_cpu; /* the same on a CPU, unless sizes are asked for; 0: BENCH_MOST_ON_CPU */
    struct bench_op *next;
} bench_op;

/* On CPUs few operations are measured beyond what is far larger than any cache: it would take longer than all the
 * rest. */
#define BENCH_MOST_ON_CPU ((size_t)1 << 24)
#define BENCH_FAR_ON_CPU ((size_t)1 << 26)

/* Nor are all types sorted there. */
#define BENCH_FEW_ON_CPU ((size_t)1 << 20)

/* BENCH_OP(identifier, .member = ..., ...) */
#define BENCH_OP(id, ...)                                                                                              \
    static bench_op id = {__VA_ARGS__};                                                                                \
    __attribute__((constructor)) static void bench_register_##id(void)                                                 \
    {                                                                                                                  \
        bench_register(&id);                                                                                           \
    }                                                                                                                  \
    extern const char bench_op_ends_

void bench_register(bench_op *op);

/* The gpu of the array that an operation is given. */
extern gpu *bench_gpu;

/* The first of all operations. */
const bench_op *bench_ops(void);

/* The most results that there can be of n elements. */
size_t bench_results(const bench_op *op, size_t n);

/* Are so many results those of the reference? */
bool bench_same(const bench_op *op, const void *got, const void *want, size_t results);

/* Computes `a` and waits until its length is on the host, and with it until all is done. Returns `a`. */
gpu_array *bench_await_length(gpu_array *a);

/* Whole numbers from -8 to 8: float sums of them are exact as long as they stay below 2^24, and they stay far below. */
void bench_generate_float(void *elements, size_t n, uint64_t seed);
void bench_generate_double(void *elements, size_t n, uint64_t seed);
void bench_generate_int(void *elements, size_t n, uint64_t seed);

/* matrix.c: the side of the largest square matrix of at most n elements, and in plain C the product of that matrix with
 * itself, whose number of elements is returned. */
size_t bench_side(size_t n);
size_t bench_multiply(const void *elements, size_t n, void *out);

/* Room for n words, to be freed. Ends the program if there is no memory. */
uint64_t *bench_words(size_t n);

/* Sorts words by their bits from `first` on and before `end`; stable. The bits are a multiple of 16. */
void bench_sort(uint64_t *words, size_t n, unsigned first, unsigned end);

/* The next of a sequence of random numbers. */
static inline uint64_t bench_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

#endif
