// variant: FP_KEY=float FP_BITS=uint FP_FLOATING=1 FP_ITEMS_PER_THREAD=2
// variant: FP_KEY=uint FP_BITS=uint FP_UNZIP=1 FP_ITEMS_PER_THREAD=3
// variant: FP_KEY=uint FP_BITS=uint FP_ITEMS_PER_THREAD=3 FP_ROUNDS=2
// variant: FP_KEY=float FP_BITS=uint FP_FLOATING=1 FP_UNZIP=1 FP_WG=384 FP_ITEMS_PER_THREAD=2 FP_ROUNDS=2
// variant: FP_KEY=short FP_BITS=ushort FP_SIGNED=1 FP_DESCENDING=1 FP_UNZIP=2 FP_WG=384 FP_ITEMS_PER_THREAD=1
// variant: FP_KEY=float FP_BITS=uint FP_FLOATING=1 FP_DESCENDING=1 FP_UNZIP=2 FP_VALUE=ulong FP_ITEMS_PER_THREAD=2
// variant: FP_KEY=double FP_BITS=ulong FP_FLOATING=1 FP_UNZIP=1 FP_MOVED=ushort FP_ITEMS_PER_THREAD=9 FP_ROUNDS=2
// variant: FP_KEY=ushort FP_BITS=ushort FP_UNZIP=2 FP_MOVED=three_words FP_ITEMS_PER_THREAD=5 FP_ROUNDS=2
#include "warps.h"

/* The slots that a variant leaves out. */
#ifndef FP_FLOATING
#define FP_FLOATING 0
#endif
#ifndef FP_SIGNED
#define FP_SIGNED 0
#endif
#ifndef FP_DESCENDING
#define FP_DESCENDING 0
#endif
#ifndef FP_UNZIP
#define FP_UNZIP 0
#endif
#ifndef FP_ROUNDS
#define FP_ROUNDS 1
#endif
#ifndef FP_WG
#define FP_WG 256
#endif
#ifndef FP_MOVED
#define FP_MOVED uint
#endif
#ifndef FP_VALUE
#define FP_VALUE FP_MOVED
#endif
#define FP_PASSES sizeof(FP_BITS)
#define FP_TICKETS 1 /* groups begin in any order here */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FP_ORDERED 1
#define FP_KEYED (FP_UNZIP > 0)
typedef struct {
    uint words[3];
} three_words;
typedef struct {
    FP_KEY v0;
    FP_MOVED w0; /* its first bytes are the element's place before */
} element;
#if FP_KEYED
#define FP_IN element
#else
#define FP_IN FP_KEY
#endif
#define fp_load(i) (expect((i) < fp_n, "element %zu of %zu is read", (size_t)(i), (size_t)fp_n), fp_p1[i])
#include "gpu/sort_radix_onesweep.cl"

enum { MOST = 5 * FP_TILE + 1, DIFFER = FP_PASSES * FP_DIGITS };

const size_t borders[] = {2, 32 * FP_ITEMS_PER_THREAD, FP_TILE, 5 * FP_TILE, 0};

static element sorted[MOST];
static FP_IN in[MOST];
static uint begins[DIFFER + 1], ticket, pass;
static volatile ulong tile_status[(MOST / FP_TILE + 1) * FP_DIGITS];
static size_t length;

#if FP_UNZIP == 0
static FP_KEY out[MOST];
#else
static FP_KEY keys[MOST];
static FP_VALUE out[MOST];
#endif

/* What a pass does not store is missing in its output. */
static void clear_output(void)
{
    memset(out, 0, sizeof out);
#if FP_UNZIP == 1
    memset(keys, 0, sizeof keys);
#endif
}

static FP_MOVED value_at(uint place)
{
    FP_MOVED value;
    memset(&value, place % 251, sizeof value);
    memcpy(&value, &place, min(sizeof value, sizeof place));
    return value;
}

static uint place_of(FP_MOVED value)
{
    uint place = 0;
    memcpy(&place, &value, min(sizeof value, sizeof place));
    return place;
}

static void kernel(void)
{
#if FP_UNZIP == 1
    fp_sort_radix_onesweep(length, in, pass, &ticket, begins, tile_status, 2 * pass + 1, keys, out);
#else
    fp_sort_radix_onesweep(length, in, pass, &ticket, begins, tile_status, 2 * pass + 1, out);
#endif
}

/* The order that is promised, and the places before where keys are equal. NaN is last. */
static int compare(const void *left, const void *right)
{
    const element *a = left, *b = right;
    const bool nan_a = a->v0 != a->v0, nan_b = b->v0 != b->v0;
    int order = (a->v0 > b->v0) - (a->v0 < b->v0);
    if (FP_DESCENDING) order = -order;
    if (nan_a || nan_b) order = nan_a - nan_b;
    return order ? order : place_of(a->w0) < place_of(b->w0) ? -1 : 1;
}

/* The bits that may differ between keys: of each digit all, two or none. So passes are left out. */
static ulong some_bits(void)
{
    static const ulong digits[] = {255, 3, 0};
    ulong bits = 0;
    for (uint k = 0; k < sizeof bits; k++) bits = bits << 8 | digits[random_below(3)];
    return bits;
}

static FP_KEY some_key(ulong bits, bool plain)
{
    const ulong number = ((ulong)random_below(1u << 31) << 31 ^ random_below(1u << 31)) & bits;
#if FP_FLOATING
    const uint kind = plain ? 20 : random_below(20);
    if (kind < 3) return kind == 0 ? NAN : kind == 1 ? -NAN : -0.0f;
    return ((float)(number % 1000000000) - 2) / (float)(1 + random_below(3));
#else
    (void)plain;
    return (FP_KEY)number;
#endif
}

/* What the pass has moved is what the next one reads. Pairs that were unzipped are zipped again; where only the values
 * did, the keys are those of the places they name. */
static void take_back(size_t n, const FP_KEY *of)
{
    for (size_t k = 0; k < n; k++) {
#if FP_UNZIP == 0
        (void)of;
        in[k] = out[k];
#elif FP_UNZIP == 1
        (void)of;
        in[k] = (element){keys[k], out[k]};
#else
        in[k] = (element){of[place_of(out[k])], out[k]};
#endif
    }
}

static void find_begins(size_t n)
{
    begins[DIFFER] = 0;
    for (uint shift = 0; shift < 8 * FP_PASSES; shift += 8) {
        uint counts[FP_DIGITS + 1] = {0}, *mine = begins + shift / 8 * FP_DIGITS;
        for (size_t k = 0; k < n; k++) counts[fp_digit(in[k], shift) + 1]++;
        for (size_t k = 0; k < n; k++)
            if (fp_key_bits(in[k]) != fp_plain_bits(FP_KEY_OF(in[k]))) begins[DIFFER] |= FP_NOT_PLAIN;
        for (uint digit = 0; digit < FP_DIGITS; digit++) counts[digit + 1] += mine[digit] = counts[digit];
        for (size_t k = 1; k < n; k++)
            if (fp_digit(in[k], shift) != fp_digit(in[0], shift)) begins[DIFFER] |= 1u << shift / 8;
    }
}

void test(size_t n)
{
    static FP_KEY of[MOST];
    const ulong bits = some_bits();
    const bool plain = random_below(2);
    length = n;
    for (uint k = 0; k < n; k++) {
        of[k] = some_key(bits, plain);
        sorted[k] = (element){of[k], value_at(k)};
#if FP_KEYED
        in[k] = sorted[k];
#else
        in[k] = of[k];
#endif
    }
    qsort(sorted, n, sizeof *sorted, compare);
    find_begins(n);
    memset((void *)tile_status, 0, sizeof tile_status);
    for (pass = 0; pass < FP_PASSES; pass++) {
        clear_output();
        run_groups((n + FP_TILE - 1) / FP_TILE + random_below(2), FP_WG, kernel);
        expect(ticket == 0, "n = %zu: the ticket is %u", n, ticket);
        if (fp_pass_shift(pass, begins[DIFFER]) != FP_IDLE) take_back(n, of);
    }
    for (size_t k = 0; k < n; k++) {
#if FP_KEYED
        const uint place = place_of(in[k].w0), wanted = place_of(sorted[k].w0);
        expect(memcmp(&in[k].w0, &sorted[k].w0, sizeof in[k].w0) == 0, "n = %zu: %u at %zu, not %u", n, place, k,
               wanted);
#else
        expect(memcmp(&in[k], &sorted[k].v0, sizeof in[k]) == 0, "n = %zu: wrong at %zu", n, k);
#endif
    }
}
