// lint:
// lint: FP_START=1
// The start value of a reduction or a scan: a parameter in front of others.
//   FP_START=0  1: there is one
#ifndef FP_START
#error "block/start.cl needs FP_START"
#endif
#if FP_START
#define FP_START_PARAM const FP_T start,
#define FP_START_ARG start,
#define FP_START_OR(other) start
#define FP_WITH_START(value) fp_op(start, value)
#else
#define FP_START_PARAM
#define FP_START_ARG
#define FP_START_OR(other) (other)
#define FP_WITH_START(value) (value)
#endif
