/* The same statistics in plain C, to compare the device's with. */
#ifndef SUMMARY_PLAIN_C_H
#define SUMMARY_PLAIN_C_H

#include "statistics.h"

/* The block has at least one number. */
statistics measure_in_c(const block *b);

/* Prints how far the device's statistics are from those in plain C. Returns whether they are close enough for numbers
 * with this epsilon. */
bool print_agreement(const statistics *device, const statistics *c, double epsilon);

#endif
