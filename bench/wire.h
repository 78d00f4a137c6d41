/* The messages between the benchmark and its workers, through a socket. A worker is a process that measures one
 * contender: this library, a build of it, or one of its peers. So a crash costs the contender's rows alone. */
#ifndef BENCH_WIRE_H
#define BENCH_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The descriptors that a worker begins with: the socket, the elements, the results of the reference. */
enum { WIRE_SOCKET = 3, WIRE_ELEMENTS, WIRE_WANTED, WIRE_TEXT = 160 };

/* The first thing that a worker says. Without a name there is no such contender. */
typedef struct wire_hello {
    char name[32];
    char device[WIRE_TEXT];
    char built_for[WIRE_TEXT]; /* the compiler, and where that matters the architecture */
    bool usable;               /* with the device */
    bool fits;                 /* it was built for the device */
    bool is_gpu;
    uint64_t memory; /* bytes of the device */
} wire_hello;

typedef enum wire_verb {
    WIRE_START,   /* prepares an operation and calls it once */
    WIRE_RUN,     /* calls it for `ms` */
    WIRE_CHECK,   /* compares the last call's array */
    WIRE_KERNELS, /* asks for the device's own times of the kernels */
    WIRE_STOP     /* forgets it */
} wire_verb;

typedef struct wire_question {
    wire_verb verb;
    char op[32], type[32]; /* names of a bench_op, or "copy" for the device's copy */
    size_t n, results;
    double ms;
} wire_question;

typedef enum bench_verdict { VERDICT_OK, VERDICT_WRONG, VERDICT_FAILED, VERDICT_CRASHED } bench_verdict;

typedef struct wire_answer {
    bool known; /* the contender has the operation */
    bench_verdict verdict;
    double median_ms, min_ms; /* of the calls; START: of the one call */
} wire_answer;

#endif
