/* The benchmark: what its files share. */
#ifndef BENCH_H
#define BENCH_H

#include "op.h"
#include "peer.h"
#include "timing.h"

#include <firepile/interop.h>
#include <stdio.h>

/* options.c */

typedef enum bench_format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_COUNT } bench_format;

enum { SIZES_MAX = 64 };

typedef struct bench_options {
    const char *ops, *types, *peers; /* lists; NULL: all */
    const char *device, *folder;
    bench_format format;
    size_t sizes[SIZES_MAX]; /* ascending */
    size_t size_count;       /* 0: the device's kind decides */
    bool quick, host_cost, small, help;
} bench_options;

/* False if the command line is wrong; says why on standard error. */
bool options_read(bench_options *o, int argc, char **argv);

/* The sizes of a text like "1000,2^12..2^20"; ranges go in powers of four. */
bool options_sizes(bench_options *o, const char *text);

/* Is `name` in a comma-separated list? In NULL and in "all" is everything, in "none" nothing. */
bool options_list_has(const char *list, const char *name);

extern const char options_usage[];

/* measure.c */

typedef enum bench_verdict { VERDICT_OK, VERDICT_WRONG, VERDICT_FAILED } bench_verdict;

typedef struct bench_sample {
    double first_ms; /* the first call */
    double median_ms, min_ms;
    double spread; /* from the 10th to the 90th percentile, as a share of the median */
    bench_verdict verdict;
} bench_sample;

/* What a trial's results are compared with, as the operation says. */
typedef struct bench_expected {
    const bench_op *op;
    const void *want;
    void *got; /* room for as much */
    size_t results;
} bench_expected;

bench_sample measure(bench_trial *trial, const bench_expected *expected);

/* The median time in milliseconds that the kernels of a call run. The trial's `g` has a queue that profiles. 0 if a
 * call failed. */
double measure_kernels(bench_trial *trial, gpu *g);

/* copy.c: the device copies `data` from one of its buffers to another. NULL if there is no memory. */
bench_trial *copy_start(cl_command_queue queue, void *data, size_t bytes);

/* library.c: the operation by this library. NULL if there is no memory. */
bench_trial *library_start(const bench_op *op, gpu *g, const gpu_array *in);

/* peers.c */

enum { PEERS_MAX = 16 };

typedef struct bench_peer_list {
    const bench_peer *peers[PEERS_MAX];
    size_t count;
} bench_peer_list;

/* Loads the shared objects beside the program and keeps the peers that are in `list` and can use `device`. */
void peers_load(bench_peer_list *out, const char *list, cl_device_id device);

/* report.c */

typedef struct bench_row {
    const char *op, *type, *who;
    size_t n;
    double bytes; /* that have to move */
    double ours_ms;
    double kernel_ms; /* of our rows, else 0 */
    bench_sample sample;
} bench_row;

typedef struct bench_sink {
    FILE *file;
    bench_format format;
} bench_sink;

typedef struct bench_report {
    const char *device;
    bench_sink sinks[FORMAT_COUNT];
    size_t sink_count, rows;
    double copy_gbps;
    unsigned wrong; /* rows of ours that are not VERDICT_OK */
} bench_report;

/* Writes to standard output in one format and, if `folder` is given, to bench.csv and bench.json there. */
bool report_open(bench_report *r, const char *device, bench_format format, const char *folder);
void report_row(bench_report *r, const bench_row *row);
bool report_close(bench_report *r);

#define REPORT_OURS "firepile"

/* Shows on a terminal what is being measured; NULL clears it. */
void report_progress(const char *op, const char *type, size_t n, const char *who);

/* host_cost.c: prints what gpu_map and gpu_reduce cost on the host. False if something failed. */
bool host_cost(gpu *g, const bench_peer_list *peers);

/* small.c: prints what calls on small arrays take on the host and on the device. False if something failed. */
bool small_arrays(const char *device);

#endif
