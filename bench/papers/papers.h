/* The historical figures, redrawn on the device at hand: what the files of this program share.
 *
 * This program measures what one would write by hand, so it calls OpenCL itself. It shares one context and one queue
 * with the library. The elements are small whole numbers around zero: every sum of them, in any order, is exact in
 * float, so results are compared with a double-precision reference for equality. */
#ifndef BENCH_PAPERS_H
#define BENCH_PAPERS_H

#include "../timing.h"

#include <firepile.h>
#include <firepile/interop.h>
#include <stdio.h>

/* raw.c: one device, driven by hand. */

typedef struct raw {
    char name[256];
    char platform[256];
    char driver[256];
    const char *kernels; /* the folder of the .cl files */
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    bool cpu;
    size_t compute_units;
    size_t max_group;
    cl_mem partial[2]; /* values of work-groups or work-items, for as many as there are elements */
    cl_mem result;     /* values that come to the host, RAW_RESULTS of them */
    cl_mem ticket;     /* a counter that is zero between launches */
} raw;

#define RAW_RESULTS 4096

/* Opens the device that gpu_open(selector) takes. False if there is none: gpu_error() says why. */
bool raw_open(raw *r, const char *selector, const char *kernels);
void raw_close(raw *r);

/* Buffers for reductions of up to n elements. */
void raw_reserve(raw *r, size_t n);
cl_mem raw_buffer(raw *r, size_t bytes);
void raw_write(raw *r, cl_mem buffer, const void *data, size_t bytes);
void raw_read(raw *r, cl_mem buffer, void *data, size_t bytes);

cl_kernel raw_kernel(raw *r, const char *file, const char *name, const char *options);
void raw_argument(cl_kernel kernel, cl_uint index, const void *value, size_t bytes);
void raw_launch(cl_command_queue queue, cl_kernel kernel, size_t groups, size_t group, cl_event *event);

/* Ends the program with the call's name if it failed. */
void raw_check(cl_int status, const char *call);

/* measure.c */

typedef struct sample {
    double median_ms, min_ms, max_ms;
    unsigned runs;
    double error; /* the largest difference from the reference; NaN if a run failed */
    bool ok;      /* every run succeeded and had the reference's value */
} sample;

/* Runs something once and waits for its value. False if it failed. */
typedef bool run_once(void *job, double *value);

/* Warms up, then measures until the value is on the host. Each run may take about budget_ms in all. */
sample measure(run_once *run, void *job, double expected, double budget_ms);

/* host.c: plain C, compiled with -O3 -march=native -fopenmp; `threads` 0 means all. */

double host_sum(const float *x, size_t n, int threads);
double host_map_sum(const float *x, size_t n, int threads);
void host_map(const float *x, float *y, size_t n, int threads);
void host_scan(const float *x, float *y, size_t n, int threads);
void host_sort(const float *x, float *y, size_t n);                  /* qsort, on one thread */
size_t host_filter(const float *x, float *y, size_t n, int threads); /* keeps x > 0; returns how many */

/* report.c: tables. */

enum { FIGURE_ROWS = 20, FIGURE_COLUMNS = 8, FIGURE_NAME = 64 };

typedef struct figure {
    const char *name; /* of its files */
    const char *title;
    const char *source; /* what it redraws, one sentence */
    const char *rows;   /* what tells the rows apart */
    const char *unit;   /* of the plotted columns */
    bool bars;          /* rows are names, not numbers */
    size_t plotted;     /* columns to plot, from the first on; 0: all, all of one unit */
    size_t row_count, column_count;
    char row_names[FIGURE_ROWS][FIGURE_NAME], column_names[FIGURE_COLUMNS][FIGURE_NAME];
    double cells[FIGURE_ROWS][FIGURE_COLUMNS]; /* NaN: not measured */
} figure;

typedef struct report {
    const char *folder;
    const char *plot_script;
    const char *device;
    FILE *markdown;
    FILE *samples;
    bool plots; /* gnuplot is there */
    bool least; /* the least of the runs is shown, not the median */
    unsigned checked, wrong;
} report;

bool report_open(report *r, const char *folder, const char *kernels, const raw *device, bool least);
void report_figure(report *r, const figure *f);
void report_close(report *r);

void figure_put(figure *f, const char *row, const char *column, double value);

/* The median or the least of a sample; NaN if it is wrong. */
double report_ms(const report *r, const sample *s);

/* Puts report_ms and records the sample; `bytes` are those that have to be read and written. */
void figure_sample(report *r, figure *f, const char *row, const char *column, size_t n, double bytes, const sample *s);

/* main.c: what the figures run on. */

typedef struct bench {
    raw raw;
    gpu *gpu;
    report report;
    const char *kernels;
    size_t sizes[FIGURE_ROWS]; /* ascending */
    size_t size_count;
    size_t capacity;  /* the largest size */
    size_t stage_n;   /* elements for the figures that have one size */
    double budget_ms; /* for one cell */
    float *floats;    /* the elements, and the same as int: */
    int *ints;
    float *keys; /* elements to sort: random ones */
    cl_mem float_input, int_input, key_input;
} bench;

/* The sum of the first n elements in double precision. */
double expected_sum(const bench *b, size_t n);

/* reduction.c: one hand-written reduction of reduce.cl. */

typedef enum ending { ENDING_HOST, ENDING_LAUNCHES, ENDING_ATOMIC, ENDING_LAST_GROUP } ending;

typedef struct recipe {
    const char *stride; /* names of reduce.cl, without HIST_ */
    const char *tree;
    ending ending;
    bool floats;
    size_t group; /* work-items of a work-group */
    size_t items; /* the granularity */
} recipe;

typedef struct reduction {
    recipe how;
    raw *raw;
    cl_kernel first;
    cl_kernel rest; /* the further launches of ENDING_LAUNCHES; may be `first` */
    cl_mem input;
    size_t n;
    void *host; /* where partial values are read to */
} reduction;

reduction reduction_new(bench *b, const recipe *how, size_t n);
void reduction_free(reduction *r);
bool reduction_run(void *reduction, double *value);

/* Measures a recipe and puts it into a figure. */
void reduction_measure(bench *b, figure *f, const char *row, const char *column, const recipe *how, size_t n);

/* The figures. */
void figures_thesis(bench *b);
void figures_stages(bench *b);
void figure_levels(bench *b);
void figure_slides(bench *b);
void figure_cloverleaf(bench *b);

/* Lines of a C file that hold more than blanks and comments; 0 if it cannot be read. */
size_t lines_of_code(const char *path);

#endif
