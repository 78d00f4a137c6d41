// lint:
// lint: FP_FLOATING=0 FP_T=int
// lint: FP_FLOATING=0 FP_T=int FP_HUGE=1
// The bin of an element: a guess, corrected by the bounds.
//   FP_FLOATING=1     1: elements are floating
//   FP_DISTANCE=uint  the unsigned type for differences of integers
//   FP_GUESS=float    the type of a guess: that of floating elements, else float
//   FP_HUGE=0         integers: 1: a difference of elements times the number of bins can exceed 64 bits
#if !defined(FP_FLOATING) || !defined(FP_HUGE)
#error "block/bin.cl needs FP_FLOATING, FP_DISTANCE, FP_GUESS and FP_HUGE"
#endif

// Is x less than the lower bound of bin k, low + k * (high - low) / bins?
static inline bool fp_below(const FP_T x, const uint k, const FP_T low, const FP_T high, const uint bins)
{
    if (FP_FLOATING) return x < low + (FP_T)k * (high - low) / (FP_T)bins;
    const ulong from_low = (ulong)x - (ulong)low, range = (ulong)high - (ulong)low;
    const ulong left = mul_hi(from_low, (ulong)bins), right = mul_hi(range, (ulong)k);
    if (FP_HUGE && left != right) return left < right;
    return from_low * bins < range * k;
}

// The largest error of a guess, in bins. A guess that is farther than this from both ends of its bin is right and needs
// no comparison with the bounds. The bounds are rounded too; that error is large if low and high are nearly equal. All
// is doubled, since low and high may be doubles that float rounds badly.
static inline float fp_slack(const FP_T low, const FP_T high, const uint bins)
{
    const float epsilon = sizeof(FP_GUESS) > sizeof(float) ? 0x1p-52f : FLT_EPSILON;
    const float largest = max(fabs((float)low), fabs((float)high)), width = (float)(high - low);
    return FP_FLOATING ? 8 * epsilon * bins * (1 + largest / width) : 8 * epsilon * bins;
}

// The bin of x; `bins` if it is in none.
static inline uint fp_bin(const FP_T x, const FP_T low, const FP_T high, const uint bins, const float slack)
{
    if (!(x >= low && x < high)) return bins;
    const FP_GUESS from_low = FP_FLOATING ? x - low : (FP_GUESS)((FP_DISTANCE)x - (FP_DISTANCE)low);
    const FP_GUESS range = FP_FLOATING ? high - low : (FP_GUESS)((FP_DISTANCE)high - (FP_DISTANCE)low);
    const FP_GUESS guess = from_low * (bins / range);
    uint k = guess < bins - 1 ? (uint)guess : bins - 1;
    const float inside = (float)(guess - k);
    if (inside > slack && inside < 1 - slack) return k;
    while (k > 0 && fp_below(x, k, low, high, bins)) k--;
    while (k + 1 < bins && !fp_below(x, k + 1, low, high, bins)) k++;
    return k;
}
