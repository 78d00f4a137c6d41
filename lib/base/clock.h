/* The time, for measuring how long something took. */
#ifndef FP_BASE_CLOCK_H
#define FP_BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds since some moment; it never goes back. */
uint64_t fp_now_ns(void);

#endif
