/* Contenders that take turns on one operation. */
#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H

#include "contender.h"

enum { ROUNDS_MOST = 7 };

/* The results of a contender's turns. */
typedef struct bench_series {
    bool known; /* it has the operation */
    bench_verdict verdict;
    double first_ms; /* its first call */
    double least_ms;
    double turns_ms[ROUNDS_MOST]; /* the median of each turn */
    size_t rounds;
    double spent_ms;
} bench_series;

/* The median of the ratios of turns of one round, and the distance of their quartiles as a share of it; 0 if there are
 * too few to tell. */
typedef struct bench_ratio {
    double median, spread;
} bench_ratio;

/* Those without a worker are left out. */
void rounds_measure(contender *contenders, size_t count, const wire_question *start, bench_series *series);

double series_median(const bench_series *s);
bench_ratio series_ratio(const bench_series *ours, const bench_series *theirs);

#endif
