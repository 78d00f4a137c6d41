// lint:
// lint: FP_MIDDLE=1
// The whole blocks in the middle of a window: a parameter in front of others.
//   FP_MIDDLE=0  1: windows have some: middle[k] combines those from block k on
#ifndef FP_MIDDLE
#error "block/middle.cl needs FP_MIDDLE"
#endif
#if FP_MIDDLE
#define FP_MIDDLE_PARAM const __global FP_T *middle,
#define FP_MIDDLE_ARG middle,
#define FP_MIDDLE_OR(k, other) middle[k]
#else
#define FP_MIDDLE_PARAM
#define FP_MIDDLE_ARG
#define FP_MIDDLE_OR(k, other) (other)
#endif
