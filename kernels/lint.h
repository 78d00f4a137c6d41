// Stands in for a generated program: `make check` compiles each template behind this file. It has what every program
// has. Each template gives its own slots (tests/checks/kernels.sh).
#include "prelude.cl"

#define FP_WG 256
#ifndef FP_COUNTED
#define FP_COUNTED 0
#endif

// Elements are floats; a variant may name another type.
typedef struct {
    float v0;
    int w0;
    uint mark0;
} fp_pair;
#define FP_PAIR_MEMBERS(M) M(float, v0) M(int, w0) M(uint, mark0)

// A pair whose value is a struct.
typedef struct {
    fp_pair v0;
    int w0;
    uint mark0;
} fp_struct_pair;

#ifndef FP_T
#define FP_T float
#endif
#ifndef FP_IN
typedef FP_T fp_in;
#define FP_IN fp_in
#endif
#define FP_OUT long

#if defined(FP_SPLIT) && FP_SPLIT
#include "block/matrix.cl"
#define FP_PARAMS const ulong fp_p0, const __global FP_IN *fp_p1, const uint fp_edges
#define FP_ARGS fp_p0, fp_p1, fp_edges
#define fp_load(i) fp_p1[fp_edges ? min(i, fp_n) : (i)]
#else
#define FP_PARAMS const ulong fp_p0, const __global FP_IN *fp_p1
#define FP_ARGS fp_p0, fp_p1
#define fp_load(i) fp_p1[i]
#endif
#define fp_load_in(i, row, column) fp_load(i)
#define fp_fetch_ahead(i) ((void)0)
#define FP_LINE 16
#define fp_n fp_p0
#define fp_columns 8

bool fp_keeps(ulong i);
#define fp_take(i, v) (*(v) = fp_p1[i], fp_keeps(i))
#define fp_less(a, b) ((a) < (b))

FP_T fp_op_all(FP_T a, FP_T b, FP_PARAMS);
#define fp_op(a, b) fp_op_all(a, b, FP_ARGS)
FP_T fp_none(void);
#define fp_nothing fp_none()
FP_OUT fp_epilogue_of(ulong i, FP_T v, FP_PARAMS);
#define fp_epilogue(i, v) fp_epilogue_of(i, v, FP_ARGS)

#define fp_load_a(i) fp_load(i)
#define fp_load_b(i) fp_load(i)
FP_T fp_product(FP_T x, FP_T y);

void fp_load_wide_of(ulong i, FP_T *v, FP_PARAMS);
#define fp_load_wide(i, v) fp_load_wide_of(i, v, FP_ARGS)
void fp_store_wide(__global FP_T *p, const FP_T *v);

// NVIDIA's compiler knows the word, clang in OpenCL mode only this spelling.
#define asm __asm__

#define FP_LOCAL_MEMORY __local float fp_local0[FP_WG];
#define FP_STORE_COUNTS fp_store_counted(ticket, 0, 0, fp_p0, fp_p0, 0, 1u);
void fp_kernel_of(FP_PARAMS, __local float *data);
#define fp_kernel() fp_kernel_of(FP_ARGS, fp_local0)
