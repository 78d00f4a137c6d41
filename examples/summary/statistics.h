/* Statistics of numbers, reduced on the device. */
#ifndef SUMMARY_STATISTICS_H
#define SUMMARY_STATISTICS_H

#include "blocks.h"

typedef struct statistics {
    size_t count;
    double sum, mean, min, max;
    double squares; /* the sum of the squared differences to the mean */
    size_t min_line, max_line;
} statistics;

/* The block has at least one number. */
statistics measure(gpu *g, block *b);

/* Adds the statistics of one more part. */
void merge(statistics *total, const statistics *part);

/* The standard deviation. */
double deviation(const statistics *s);

#endif
