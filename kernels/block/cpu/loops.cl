// lint:
// lint: FP_FLOAT_FUNCTIONS=1
// Hints to the compiler, about loops of a CPU.
//   FP_ROLLED             the loop has few iterations: to unroll or to vectorize it takes longer than it runs
//   FP_LIKELY(condition)  the condition nearly always holds: the compiler keeps the other case out of the loop
//   FP_ASSUME(condition)  the condition always holds
//   FP_IN_ORDER           the loop combines elements in order
//   FP_NEIGHBOURS         the loop goes over neighbouring elements
#ifdef __clang__
#define FP_ROLLED _Pragma("clang loop unroll(disable) vectorize(disable)")
#define FP_LIKELY(condition) __builtin_expect(condition, 1)
#define FP_ASSUME(condition)                                                                                           \
    if (!(condition)) __builtin_unreachable()
#else
#define FP_ROLLED
#define FP_LIKELY(condition) (condition)
#define FP_ASSUME(condition)
#endif

// Intel's compiler (2026.2) reorders sums and products of floats when it vectorizes a loop. It compiles for SPIR, PoCL
// does not.
#if defined(__clang__) && defined(__SPIR__)
#define FP_IN_ORDER _Pragma("clang loop vectorize(disable)")
#else
#define FP_IN_ORDER
#endif

// With FP_FLOAT_FUNCTIONS, in a program that calls functions of kernels/math and no slower ones, vectors have 16
// elements: by itself the compiler takes half of the processor's widest ones.
#ifdef FP_FLOAT_FUNCTIONS
#pragma clang diagnostic ignored "-Wpass-failed"
#define FP_NEIGHBOURS _Pragma("clang loop vectorize_width(16)")
#else
#define FP_NEIGHBOURS
#endif
