// lint:
// The two runs that a place of a merge's result is merged from: where the left one begins, and their lengths.
//   FP_TWO=0  1: the input is two runs of any lengths, the left one of `width` elements
//             0: pairs of runs of `width` elements
#ifndef FP_TWO
#error "block/runs.cl needs FP_TWO"
#endif
#define FP_RUNS(place)                                                                                                 \
    const ulong start = FP_TWO ? 0 : (place) / (2 * width) * (2 * width);                                              \
    const ulong left = FP_TWO ? width : min(width, n - start);                                                         \
    const ulong right = FP_TWO ? n - left : min(width, n - start - left)
