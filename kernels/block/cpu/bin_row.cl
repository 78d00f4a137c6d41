// lint:
// The places from one row of bins to the next: cores that fill neighbouring rows share no cache line. The host has the
// same function.
static inline ulong fp_bin_row(const ulong bins)
{
    return (bins + 63) / 64 * 64;
}
