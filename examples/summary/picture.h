/* The histogram, counted on the device and printed as bars. */
#ifndef SUMMARY_PICTURE_H
#define SUMMARY_PICTURE_H

#include "blocks.h"
#include "statistics.h"

/* Reads the input a second time, into `b`. */
void print_histogram(gpu *g, input *in, block *b, const statistics *s);

#endif
