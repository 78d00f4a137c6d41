/* Hashes, by which kernels, snippets and files of the cache are found. */
#include "base/hash.h"

#include <criterion/criterion.h>

enum { MOST = 40 };

static void fill(unsigned char *bytes)
{
    for (size_t k = 0; k < MOST; k++) bytes[k] = (unsigned char)(k * 37 + 11);
}

Test(hash, depends_on_the_seed_at_each_length)
{
    unsigned char bytes[MOST];
    fill(bytes);
    for (size_t n = 0; n <= MOST; n++)
        cr_assert_neq(fp_hash(bytes, n, 1), fp_hash(bytes, n, 2), "two seeds, %zu bytes", n);
}

Test(hash, depends_on_each_byte)
{
    unsigned char bytes[MOST];
    fill(bytes);
    for (size_t n = 1; n <= MOST; n++)
        for (size_t k = 0; k < n; k++) {
            const uint64_t before = fp_hash(bytes, n, 1);
            bytes[k] ^= 1;
            cr_assert_neq(fp_hash(bytes, n, 1), before, "byte %zu of %zu", k, n);
            bytes[k] ^= 1;
        }
}

Test(hash, depends_on_the_length)
{
    static const unsigned char zeros[MOST];
    for (size_t n = 0; n < MOST; n++)
        cr_assert_neq(fp_hash(zeros, n, 1), fp_hash(zeros, n + 1, 1), "%zu and %zu zeros", n, n + 1);
}

Test(hash, depends_on_the_order_of_words)
{
    const uint64_t words[] = {1, 2, 3, 4}, others[] = {2, 1, 4, 3}, swapped[] = {3, 4, 1, 2};
    const uint64_t hash = fp_hash(words, sizeof words, 1);
    cr_assert_neq(fp_hash(others, sizeof others, 1), hash);
    cr_assert_neq(fp_hash(swapped, sizeof swapped, 1), hash);
}
