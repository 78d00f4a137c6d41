/* What the tests of the host device share: no process of theirs sees an OpenCL platform. */
#ifndef TEST_HOST_H
#define TEST_HOST_H

#include "support/support.h"

/* Before each test and after it. */
void test_host_begin(void);
void test_host_end(void);

gpu *test_open_host(void);

/* How many of test_sizes to try: longer arrays are computed no other way, in a full run neither. */
size_t test_host_sizes(void);

/* Runs a program, which writes its results to what it is given, with each of its allocations failing once: it fails or
 * its results are those of the run without a fault, which `want` gets. */
void test_host_faults(gpu_status (*program)(void *), void *want, void *got, size_t bytes);

#endif
