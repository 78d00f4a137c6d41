// variant: FP_KEY=float FP_BITS=uint FP_FLOATING=1 FP_PASSES=4 FP_WG=256 FP_ITEMS_PER_THREAD=2
// variant: FP_KEY=uchar FP_BITS=uchar FP_FLOATING=0 FP_PASSES=1 FP_WG=384 FP_ITEMS_PER_THREAD=1
#include "warps.h"

#include <string.h>

#define FP_ORDERED 1
#define FP_KEYED 0
#define FP_SIGNED 0
#define FP_DESCENDING 0
#define FP_IN FP_KEY
#define fp_load(i) fp_p1[i]
#include "gpu/sort_radix_histogram.cl"

enum { MOST = 5 * FP_TILE + 1, WORDS = 1000, BETWEEN = 3 };

const size_t borders[] = {2, FP_WG, FP_TILE, 5 * FP_TILE, 0};

static FP_KEY in[MOST];
static uint ticket[BETWEEN + FP_COUNTS + 1], begins[FP_COUNTS + 1];
static ulong tile_status[WORDS];
static size_t length;

static void kernel(void)
{
    fp_sort_radix_histogram(length, in, ticket, BETWEEN, begins, tile_status, WORDS);
}

/* Positive numbers, with bits that are in the order of the numbers but for the sign. */
static uint digit_of(FP_KEY key, uint pass)
{
    uint bits = 0;
    memcpy(&bits, &key, sizeof key);
    if (FP_FLOATING) bits |= 0x80000000;
    return bits >> 8 * pass & 255;
}

static void test_once(size_t n)
{
    static uint counts[FP_PASSES][FP_DIGITS];
    memset(counts, 0, sizeof counts);
    memset(tile_status, 1, sizeof tile_status);
    length = n;
    const uint range = random_below(4) ? 100000 : 3;
    const size_t zero = FP_FLOATING && random_below(2) ? random_below(n) : n; /* the place of a -0, if there is one */
    for (size_t k = 0; k < n; k++) {
        in[k] = k == zero ? (FP_KEY)-0.0 : (FP_KEY)(1 + random_below(range));
        for (uint pass = 0; pass < FP_PASSES; pass++) counts[pass][digit_of(in[k], pass)]++;
    }
    run_groups(1 + random_below(5), FP_WG, kernel);
    uint differ = zero < n ? FP_NOT_PLAIN : 0;
    for (uint pass = 0; pass < FP_PASSES; pass++) {
        differ |= (uint)(counts[pass][digit_of(in[0], pass)] != n) << pass;
        uint sum = 0;
        for (uint digit = 0; digit < FP_DIGITS; digit++) {
            expect(begins[pass * FP_DIGITS + digit] == sum, "n = %zu: digit %u of pass %u begins at %u, not %u", n,
                   digit, pass, begins[pass * FP_DIGITS + digit], sum);
            sum += counts[pass][digit];
        }
    }
    expect(begins[FP_COUNTS] == differ, "n = %zu: the digits %x differ, not %x", n, begins[FP_COUNTS], differ);
    for (uint k = 0; k < WORDS; k++) expect(tile_status[k] == 0, "n = %zu: the status word %u is left", n, k);
    for (uint k = 0; k <= BETWEEN + FP_COUNTS; k++) expect(ticket[k] == 0, "n = %zu: the count %u is left", n, k);
}

/* What goes wrong between groups is rare. */
void test(size_t n)
{
    for (uint k = 0; k < 8; k++) test_once(n);
}
