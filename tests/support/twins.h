/* Structs of the same names in two C files: those of twins.c. */
#ifndef TEST_TWINS_H
#define TEST_TWINS_H

#include <firepile.h>

gpu_type twin_type(void);       /* twin_item: other members than in the file that includes this */
gpu_type twin_outer_type(void); /* twin_outer: the same text, and another twin_inner */

/* `n` twin_items with these numbers in `id`. */
gpu_array *twin_items(gpu *g, const int *ids, size_t n);

/* twin_inner_of(x) of twin_outers, by this file's GPU_FUNCTION. */
gpu_array *twin_map(const gpu_array *x);

#endif
