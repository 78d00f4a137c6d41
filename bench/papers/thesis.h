/* One of the thesis's programs at one size, in all its forms: what thesis.c, thesis_scan.c and thesis_sort.c share. */
#ifndef BENCH_PAPERS_THESIS_H
#define BENCH_PAPERS_THESIS_H

#include "papers.h"

enum { THESIS_CHUNKS = 64, THESIS_GROUP = 256 }; /* of the kernels by hand: on a CPU device, on others */

typedef struct thesis_job {
    bench *b;
    size_t n;
    int threads;          /* of plain C; 0: all */
    cl_kernel kernels[3]; /* by hand, as they are launched; a NULL ends them */
    gpu_array *x, *y;

    /* Of the programs that make an array: */
    cl_mem output;
    float *host_output;
    float *want;
    size_t results; /* elements of `want`, at most n */
} thesis_job;

thesis_job thesis_job_new(bench *b, size_t n, cl_mem input);

/* For a program that makes an array of the first n elements of `input`. The caller fills `want` and, if they are fewer
 * than n, `results`. */
thesis_job thesis_array_job_new(bench *b, size_t n, cl_mem input);
void thesis_job_free(thesis_job *j);

/* Measures a form of a program that leaves a value; `bytes` are those that have to be read and written. */
void thesis_measure(thesis_job *j, figure *f, const char *column, run_once *run, double expected, double bytes);

/* Where a form leaves its array: in y, in `output`, in `host_output`. */
typedef enum thesis_place { PLACE_ARRAY, PLACE_BUFFER, PLACE_HOST } thesis_place;

/* The same for a form that leaves an array, which is compared after the last run. */
void thesis_measure_array(thesis_job *j, figure *f, const char *column, run_once *run, double expected, double bytes,
                          thesis_place place);

/* thesis_scan.c: a row of the figures of scan and filter. */
void thesis_scan_row(bench *b, figure *f, size_t n);
void thesis_filter_row(bench *b, figure *f, size_t n);

/* thesis_sort.c */
void thesis_sort_figure(bench *b);
void thesis_algorithms_figure(bench *b);

#endif
