/* What the tests share: sizes, types, data, comparing with a reference, opening a device and closing it without a leak.
 *
 * Environment: FIREPILE_TEST_FULL=1 runs the whole cross product, FIREPILE_TEST_SMALL=1 short arrays only. */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <criterion/criterion.h>
#include <firepile.h>
#include <stdio.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

bool test_full(void);
bool test_small(void);
int test_rounds(void); /* FIREPILE_TEST_ROUNDS (1): how often a test of chance is repeated */
bool test_tiny(void);  /* FIREPILE_POLICY says tiny: expressions of more than three steps are computed in parts */
bool test_eager(
    void); /* FIREPILE_EAGER or FIREPILE_VERIFY is on: nothing is delayed, so launches are not to be counted */
bool test_verifies(void); /* FIREPILE_VERIFY is on: nor are waits, buffers and transfers */

/* `n`, less where long arrays would take too long: in a small run, and under FIREPILE_POLICY=tiny. */
size_t test_limit(size_t n);

/* The lengths that every operation is tried with, in rising order, and how many of them are at most `limit` (in a full
 * run: all of them). */
extern const size_t test_sizes[];
size_t test_size_count(size_t limit);

/* The scalar types that the device has: double comes last. */
#define TEST_SCALARS test_scalar_count()
extern const gpu_type test_scalars[];
size_t test_scalar_count(void);

/* Is this one of the types that a test takes? In a full run all are; else every fourth one, from `first` (0 to 3) on:
 * what a kernel does with the others, another kernel's test sees. */
bool test_takes_type(size_t t, unsigned first);

/* An element of a scalar type: `s`, `u` or `f` by the type's kind. */
typedef union test_number {
    int64_t s;
    uint64_t u;
    double f;
} test_number;

test_number test_get(gpu_type type, const void *array, size_t i);
void test_put(gpu_type type, void *array, size_t i, test_number number);

/* The whole number `value` as an element of `type`. */
test_number test_whole(gpu_type type, int64_t value);

/* The same numbers for the same seed. Integers have all bits random; floating ones are whole and small, so that sums
 * are exact in any order. */
uint64_t test_random(uint64_t *state);
void test_random_fill(gpu_type type, void *out, size_t n, uint64_t seed);

/* Zeroed memory, never NULL. And `n` elements of random bytes, whatever the type. */
void *test_alloc(size_t n, size_t bytes);
void *test_random_bytes(gpu_type type, size_t n, uint64_t seed);

/* Adds to the number of compared elements, which tools/run-tests.sh prints. test_same and test_holds do so. */
void test_compared(size_t n);

/* Fails the test at the first element that differs. NaN equals NaN, -0 equals 0. */
#define test_same(what, type, n, got, ...) test_same_at(__FILE__, __LINE__, (what), (type), (n), (got), (__VA_ARGS__))
void test_same_at(const char *file, int line, const char *what, gpu_type type, size_t n, const void *got,
                  const void *want);

/* The same for an array, which must have these elements and no others. */
#define test_holds(what, a, type, n, ...) test_holds_at(__FILE__, __LINE__, (what), (a), (type), (n), (__VA_ARGS__))
void test_holds_at(const char *file, int line, const char *what, const gpu_array *a, gpu_type type, size_t n,
                   const void *want);

/* The same for first, first + step, first + 2 step, ... */
#define test_holds_steps(what, a, type, n, first, step)                                                                \
    test_holds_steps_at(__FILE__, __LINE__, (what), (a), (type), (n), (first), (step))
void test_holds_steps_at(const char *file, int line, const char *what, const gpu_array *a, gpu_type type, size_t n,
                         int64_t first, int64_t step);

/* FIREPILE_DEVICE=host: ends a test, skipped, when this text, a failure's, says that the host device does not have an
 * operator or an operation. All that is checked here looks for that. */
void test_end_if_refused(const char *text);
/* Likewise, a test of what only OpenCL devices have. A part of a test asks whether it runs on the host device. */
void test_needs_opencl(void);
bool test_on_host(void);

/* A device may lack double. What is checked here ends a test, skipped, where the library says so; a part of a test asks
 * before. */
bool test_has_double(void);

/* For tests of operations that are left to the host. A tiny FIREPILE_POLICY leaves hardly any floating sums to it: that
 * policy is not used. */
void test_whole_tiles(void);

/* The launches of a scan or a selection: 2 where FIREPILE_POLICY says so. */
unsigned test_passes(void);

/* Can this device run the shapes of GPUs? A CPU with PoCL 3.1 or oclgrind can. Of those that cannot, PoCL 6.0 ends the
 * process inside LLVM, or gives a histogram of zeros, and Mesa's rusticl loses members of structs. */
bool test_runs_gpu_shapes(void);

/* oclgrind 21.10 has faults of its own; docs/drivers.md has them. */
bool test_simulated(void);

/* OpenCL allows several threads on one queue, but oclgrind 21.10 crashes and PoCL 3.1's basic device hangs. */
bool test_takes_threads(void);

/* The device computes right, after a failure. */
void test_still_works(gpu *g, const char *after);

/* The call must succeed; must fail with this status and a text. */
#define test_ok(call) test_status_at(__FILE__, __LINE__, #call, GPU_OK, (call))
#define test_fails(status, call) test_status_at(__FILE__, __LINE__, #call, (status), (call))
void test_status_at(const char *file, int line, const char *call, gpu_status wanted, gpu_status got);

/* The same for an array, which is computed if it is delayed. The array is returned. */
#define test_array_ok(a) test_array_at(__FILE__, __LINE__, #a, GPU_OK, (a))
#define test_array_fails(status, a) test_array_at(__FILE__, __LINE__, #a, (status), (a))
gpu_array *test_array_at(const char *file, int line, const char *call, gpu_status wanted, gpu_array *a);

/* Opens the default device; closes it and checks that nothing of it is left. */
gpu *test_open(void);
void test_close(gpu *g);
void test_nothing_lives(const char *when);

/* The counters of `g`. */
gpu_stats test_stats(const gpu *g);

/* The text must have `part` in it. */
#define test_has(text, part) test_has_at(__FILE__, __LINE__, (text), (part))
void test_has_at(const char *file, int line, const char *text, const char *part);

/* `text` must show `line` with a caret on the line below it, under the line's character `column` (from 0). */
#define test_caret(text, line, column) test_caret_at(__FILE__, __LINE__, (text), (line), (column))
void test_caret_at(const char *file, int at, const char *text, const char *line, size_t column);

/* A new, empty temporary folder; `path` needs TEST_PATH bytes. And gone with all that is in it. */
#define TEST_PATH 256
void test_folder_make(char *path);
void test_folder_remove(const char *path);

/* Runs a command of the shell that begins with the path of a program in the build folder. Its output can be read until
 * pclose. */
FILE *test_program(const char *command);

#endif
