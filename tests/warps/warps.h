/* Kernels for a GPU with warps of 32, run by a plain C compiler: what stands in for OpenCL C, for block/gpu/ptx.cl, and
 * for the slots that all generated programs have. warps.c runs the work-items; tests/checks/warps.sh prepares the
 * kernels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

/* ---- OpenCL C ---- */

#define __kernel
#define __global
#define __local
#define reqd_work_group_size(x, y, z)

/* What the check script writes for __local where a kernel has variables there: warps.c finds them by the section's
 * name. */
#define FP_LOCAL_VARIABLE static __attribute__((section("fp_local")))

#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
void barrier(int fences);

size_t get_local_id(uint dimension);
size_t get_group_id(uint dimension);
size_t get_num_groups(uint dimension);
size_t get_global_id(uint dimension);
size_t get_global_size(uint dimension);

uint atomic_inc(volatile uint *p);
uint atomic_add(volatile uint *p, uint value);
uint atomic_xchg(volatile uint *p, uint value);

#define popcount(x) ((uint)__builtin_popcount(x))
#define clz(x) ((uint)__builtin_clz(x))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))

/* ---- block/gpu/ptx.cl ---- */

uint fp_shuffle_up(uint word, uint distance);
uint fp_shuffle_down(uint word, uint distance);
uint fp_ballot(bool yes);
uint fp_same_bit(uint word, uint bit);
void fp_warp_sync(void);
void fp_store_pair(volatile ulong *pair, ulong first, ulong second);
void fp_load_pair(volatile ulong *pair, ulong *first, ulong *second);

/* ---- the generated program ---- */

#define FP_WARP 32
#define FP_COUNTED 0
#define FP_PARAMS const ulong fp_p0, const FP_IN *fp_p1
#define FP_ARGS fp_p0, fp_p1
#define fp_n fp_p0
#define FP_OUT FP_IN
#define fp_epilogue(i, v) (v)

/* Memory has one order here: there are no stores that overtake others. */
#define fp_fence_device() ((void)0)
#define fp_fence_system() ((void)0)

/* ---- the test ---- */

/* Lengths to test, with those beside them; 0 ends them. */
extern const size_t borders[];

/* One launch and more for `n` elements, and a look at all that came out. */
void test(size_t n);

/* Runs the groups of a launch in any order, one after the other or some beside each other. */
void run_groups(size_t groups, uint items, void (*kernel)(void));

uint random_below(uint limit);

/* Ends the program unless `right`; a printf format says what is wrong. */
void expect(bool right, const char *format, ...) __attribute__((format(printf, 2, 3)));
