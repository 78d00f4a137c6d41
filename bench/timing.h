/* Wall time, for the benchmark and for the papers' figures. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stddef.h>

double now_ms(void);

/* Sorts the values and returns their median. */
double median(double *values, size_t count);

#endif
