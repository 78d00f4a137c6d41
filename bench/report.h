/* Where the benchmark's figures go: rows on standard output, and a folder for the device. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "rounds.h"

#include <stdio.h>

#define REPORT_OURS "firepile"

typedef struct bench_row {
    char op[32], type[32];
    const char *who;
    size_t n;
    bench_verdict verdict;
    double first_ms, median_ms, min_ms;
    double kernel_ms; /* of our rows, else 0 */
    double gbps;
    double of_copy;    /* the share of a copy's GB/s */
    bench_ratio ratio; /* ours to theirs, of peers' rows */
    double goal;       /* 0: there is none */
} bench_row;

typedef enum bench_format { FORMAT_TABLE, FORMAT_CSV, FORMAT_COUNT } bench_format;

typedef struct bench_report {
    const contender *contenders; /* ours first */
    size_t contender_count;
    bench_format format; /* of standard output */
    FILE *csv;           /* in the folder, or NULL */
    char folder[4096];   /* "": none */
    bench_row *rows;
    size_t count, room;
    double copy_gbps;
    unsigned wrong; /* rows of ours that are not VERDICT_OK */
} bench_report;

/* Writes a head. With `folder` all goes to a folder there, named by the device, too. False, with a line on standard
 * error, if that cannot be written. */
bool report_open(bench_report *r, const contender *contenders, size_t count, bench_format format, const char *folder);
void report_row(bench_report *r, const bench_row *row);
bool report_close(bench_report *r);

/* Shows the current measurement on a terminal; NULL clears it. */
void report_progress(const char *op, const char *type, size_t n, const char *who);

#endif
