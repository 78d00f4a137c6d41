// lint:
// lint: FP_KEYED=1 FP_T=fp_pair
// The key of an element, and the value that moves with it: without one, the key stands for it.
//   FP_KEYED=0  1: an element is a pair of a key v0 and a value w0; 0: an element is a key
#ifndef FP_KEYED
#error "block/key.cl needs FP_KEYED"
#endif
#if FP_KEYED
#define FP_KEY_OF(x) ((x).v0)
#define FP_VALUE_OF(x) ((x).w0)
#else
#define FP_KEY_OF(x) (x)
#define FP_VALUE_OF(x) (x)
#endif
