// lint:
// Tries a comparator on all triples of the fp_n elements, of which there are at most 2^10. Stores the lowest triple
// that breaks a law in `broken`, which is zero before, as ~(4 * triple + law), so that zero means none. The laws are
//   0  a is not less than itself
//   1  if a is less than b, b is not less than a
//   2  if a is less than b and b less than c, a is less than c
//   3  if b is equivalent to a and to c, a is equivalent to c
static inline uint fp_broken(const FP_T a, const FP_T b, const FP_T c, FP_PARAMS)
{
    if (fp_less(a, a)) return 0;
    const bool ab = fp_less(a, b), ba = fp_less(b, a), bc = fp_less(b, c), cb = fp_less(c, b), ac = fp_less(a, c);
    if (ab && ba) return 1;
    if (ab && bc && !ac) return 2;
    if (!ab && !ba && !bc && !cb && (ac || fp_less(c, a))) return 3;
    return 4;
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void fp_law(FP_PARAMS, volatile __global uint *broken)
{
    const uint n = (uint)fp_n;
    for (uint k = get_global_id(0); k < n * n * n; k += get_global_size(0)) {
        const FP_T a = fp_load(k / (n * n)), b = fp_load(k / n % n), c = fp_load(k % n);
        const uint law = fp_broken(a, b, c, FP_ARGS);
        if (law < 4) atomic_max(broken, ~(4 * k + law));
    }
}
