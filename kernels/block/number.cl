// lint:
// lint: FP_COMPLEX=1 FP_T=float2
// Real and complex numbers. lib/host/numbers.c has the same formulas.
//   FP_COMPLEX=0   1: FP_T has two components, the real and the imaginary part
//   FP_REAL=float  the type of a real number
#if FP_COMPLEX
static inline FP_T fp_times(const FP_T a, const FP_T b)
{
    return (FP_T)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Smith's division.
static inline FP_T fp_over(const FP_T a, const FP_T b)
{
    if (fabs(b.x) >= fabs(b.y)) {
        const FP_REAL ratio = b.y / b.x, d = b.x + b.y * ratio;
        return (FP_T)((a.x + a.y * ratio) / d, (a.y - a.x * ratio) / d);
    }
    const FP_REAL ratio = b.x / b.y, d = b.y + b.x * ratio;
    return (FP_T)((a.x * ratio + a.y) / d, (a.y * ratio - a.x) / d);
}

// The magnitude that pivots are chosen by.
#define fp_magnitude(a) (fabs((a).x) + fabs((a).y))
#define FP_ONE (FP_T)(1, 0)
#else
#define fp_times(a, b) ((a) * (b))
#define fp_over(a, b) ((a) / (b))
#define fp_magnitude(a) fabs(a)
#define FP_ONE 1
#endif
