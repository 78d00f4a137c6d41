// lint:
// Places that stand for places outside of an array of n > 0 elements. The host has the same functions.
static inline ulong fp_clamped(const long at, const ulong n)
{
    return at < 0 ? 0 : min((ulong)at, n - 1);
}

static inline ulong fp_wrapped(const long at, const ulong n)
{
    const long rest = at % (long)n;
    return rest < 0 ? rest + n : rest;
}

static inline ulong fp_reflected(const long at, const ulong n)
{
    if (n == 1) return 0;
    const ulong place = fp_wrapped(at, 2 * (n - 1));
    return place < n ? place : 2 * (n - 1) - place;
}
