/* The bins of a histogram. Bin k holds the numbers x with bounds[k] <= x < bounds[k + 1]. The bounds are the printed
 * ones, digit by digit, so that each number is in the bin that a reader expects. */
#ifndef SUMMARY_BINS_H
#define SUMMARY_BINS_H

#include "statistics.h"

enum { ROWS = 16 };

typedef struct bins {
    bool exponents; /* the bounds are powers of two */
    int digits;     /* of the bounds */
    size_t count;   /* at most ROWS + 1: rounded bounds may take one more */
    double bounds[ROWS + 2];
} bins;

/* The standard deviation must not be 0. */
bins choose_bins(const statistics *s);

#endif
