/* The environment's switches. */
#ifndef FP_BASE_SWITCH_H
#define FP_BASE_SWITCH_H

#include <stdbool.h>

/* Is the variable set, and neither empty nor "0"? */
bool fp_is_on(const char *variable);

#endif
