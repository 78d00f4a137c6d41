/* The benchmark: what its files share. */
#ifndef BENCH_H
#define BENCH_H

#include "op.h"
#include "peer.h"
#include "report.h"
#include "rounds.h"
#include "timing.h"

#include <firepile/interop.h>
#include <stdio.h>

/* options.c */

enum { SIZES_MAX = 64 };

typedef struct bench_options {
    const char *ops, *types, *peers; /* lists; NULL: all */
    const char *device, *folder;
    const char *against; /* the benchmark of another build, or NULL */
    const char *object;  /* of a worker */
    int index;           /* of a worker */
    bench_format format;
    size_t sizes[SIZES_MAX]; /* ascending */
    size_t size_count;       /* 0: the device's kind decides */
    bool quick, host_cost, small, worker, help;
} bench_options;

/* False if the command line is wrong; says why on standard error. */
bool options_read(bench_options *o, int argc, char **argv);

/* The sizes of a text like "1000,2^12..2^20"; ranges go in powers of four. */
bool options_sizes(bench_options *o, const char *text);

/* Is `name` in a comma-separated list? In NULL and in "all" is everything, in "none" nothing. */
bool options_list_has(const char *list, const char *name);

extern const char options_usage[];

/* measure.c: in a worker */

/* What a trial's results are compared with, as the operation says. */
typedef struct bench_expected {
    const bench_op *op;
    const void *want;
    void *got; /* room for as much */
    size_t results;
} bench_expected;

wire_answer measure_first(bench_trial *trial, const bench_expected *expected);
wire_answer measure_round(bench_trial *trial, const bench_expected *expected, double ms);

/* Compares the array that the last call made. Values are compared after each call. */
bench_verdict measure_last(bench_trial *trial, const bench_expected *expected);

/* The median time in milliseconds that the kernels of a call run. The trial's `g` has a queue that profiles. 0 if a
 * call failed. */
double measure_kernels(bench_trial *trial, gpu *g);

/* worker.c: the exit status */
int worker_main(const bench_options *o);

/* copy.c: the device copies `data` from one of its buffers to another. NULL if there is no memory. */
bench_trial *copy_start(cl_command_queue queue, const void *data, size_t bytes);

/* library.c: the operation by this library. NULL if there is no memory. */
bench_trial *library_start(const bench_op *op, gpu *g, const gpu_array *in);

/* As gpu_open, for OpenCL devices only. NULL if there is none; says why on standard error. */
gpu *open_device(const char *name);

/* The device of a gpu, and another gpu in the same context whose queue profiles, which may be NULL. */
cl_device_id device_of(gpu *g);
gpu *open_profiled(gpu *g);

/* peers.c: the peer of a shared object at this place, or NULL */
const bench_peer *peers_find(const char *object, int index);

/* Writes "FOLDER OF THIS PROGRAM/name"; false if it is too long. */
bool beside_program(const char *name, char *path, size_t bytes);

/* goals.c */

/* Has the project a goal for the ratio to the peer of this row, on GPUs or on the others? */
bool goal_find(const bench_row *peer, bool gpu, double *ratio);
bool goal_is_met(double goal, double ratio);

/* host_cost.c: prints what gpu_map and gpu_reduce cost on the host. False if something failed. */
bool host_cost(const char *device);

/* small.c: prints what calls on small arrays take on the host and on the device. False if something failed. */
bool small_arrays(const char *device);

#endif
