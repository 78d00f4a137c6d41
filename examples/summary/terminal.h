/* Progress and failures, on standard error. */
#ifndef SUMMARY_TERMINAL_H
#define SUMMARY_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

double now_ms(void);

/* The bar is due ten times a second, and only if standard error is a terminal. */
bool bar_is_due(void);

/* Shows the share that is done, at most 1, as a bar. A share below 0 is unknown and not shown. */
void show_bar(const char *title, double share, size_t numbers);
void clear_bar(void);

/* Prints a message and ends the program. */
__attribute__((format(printf, 1, 2))) _Noreturn void fail(const char *format, ...);

/* Flushes standard output, and fails if something could not be written. */
void end_output(void);

/* realloc that fails if there is no memory. */
void *resize(void *old, size_t bytes);

#endif
