/* Blocks of numbers. One is in memory and on the device at a time, so that the input may be larger than the memory. The
 * input is read twice: for the statistics, then for the histogram. */
#ifndef SUMMARY_BLOCKS_H
#define SUMMARY_BLOCKS_H

#include "reader.h"

#include <firepile.h>
#include <sys/types.h>

/* A block takes 16 MiB: 8 bytes for a number, 8 for its line. */
enum { BLOCK = 1 << 20 };

typedef struct block {
    double *values;
    size_t *lines; /* values[k] stands on lines[k] of the file */
    size_t count;
    bool narrow; /* the device has no double and holds floats */
} block;

typedef struct input {
    reader r;
    off_t begin;           /* where the file begins. -1 if it cannot be read again */
    off_t size;            /* in bytes. 0 if unknown */
    FILE *copy;            /* of numbers that cannot be read again */
    int copy_error;        /* why there is no copy */
    bool again;            /* in the second pass */
    size_t count, records; /* read so far */
    size_t total;          /* numbers in the input, known in the second pass */
} input;

block new_block(void);
void free_block(block *b);

/* Reads standard input if `path` is NULL or "-". `column` is NULL or the column of a CSV file. */
void open_input(input *in, const char *path, const char *column);
void close_input(input *in);

/* False at the end. */
bool read_block(input *in, block *b);

/* Goes back to the first number. False if that is impossible; `copy_error` tells why. */
bool begin_again(input *in);

/* Copies the block to the device. If it holds floats there, `b` is rounded too, and plain C computes with the same. */
gpu_array *upload(gpu *g, block *b);

#endif
