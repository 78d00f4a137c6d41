// variant: FP_ORDERED=1 FP_WORD=ushort FP_START=0 FP_WIDE=1 FP_INDEX=uint FP_WG=64 FP_ITEMS_PER_THREAD=4
// variant: FP_ORDERED=1 FP_WORD=ulong FP_START=1 FP_WIDE=0 FP_INDEX=ulong FP_WG=96 FP_ITEMS_PER_THREAD=2
// variant: FP_ORDERED=0 FP_WORD=uint FP_START=1 FP_WIDE=0 FP_INDEX=uint FP_WG=64 FP_ITEMS_PER_THREAD=2
// variant: FP_ORDERED=0 FP_WORD=uint FP_START=0 FP_WIDE=1 FP_INDEX=ulong FP_WG=96 FP_ITEMS_PER_THREAD=2
// variant: FP_ORDERED=1 FP_WORD=uint FP_START=0 FP_WIDE=0 FP_INDEX=uint FP_WG=64 FP_ITEMS_PER_THREAD=2 FP_SERIAL_MOST=1
#include "affine.h"

/* Without order: both words are added up. */
static inline affine combine(affine a, affine b)
{
    return FP_ORDERED ? affine_then(a, b) : (affine){(FP_WORD)(a.a + b.a), (FP_WORD)(a.b + b.b)};
}

#ifndef FP_SERIAL_MOST /* with 1 any number is few, since the host knows it */
#define FP_SERIAL_MOST 0
#endif
#define FP_COUNTED 0
#define FP_VECTOR 2
#define FP_IN_FLIGHT 2
#define FP_TURN_WORD 8
#define FP_IN affine
#define FP_T affine
#define fp_load(i) fp_p1[i]
#define fp_load_wide(i, v) ((v)[0] = fp_p1[i], (v)[1] = fp_p1[(i) + 1])
#define fp_op(a, b) combine(a, b)
#include "gpu/reduce.cl"

/* A group has two vectors for each item, or two or three times as much. There are more groups, too, than a group has
 * items. */
enum { CHUNK = 2 * FP_WG * FP_VECTOR, MOST = (FP_WG + 1) * CHUNK + 1 };

const size_t borders[] = {2, FP_WARP, 32 * FP_ITEMS_PER_THREAD, FP_WG, CHUNK, 3 * CHUNK, (FP_WG + 1) * CHUNK, 0};

static affine in[MOST], start, partials[FP_WG + 2];
static union {
    affine value;
    uint words[FP_TURN_WORD + 1];
} result;
static size_t length, chunk;
static uint ticket, turn;

static void kernel(void)
{
#if FP_START
    fp_reduce(length, in, start, chunk, partials, &ticket, &result.value, turn);
#else
    fp_reduce(length, in, chunk, partials, &ticket, &result.value, turn);
#endif
}

void test(size_t n)
{
    length = n;
    chunk = (1 + random_below(3)) * CHUNK;
    start = affine_random();
    turn++;
    for (size_t k = 0; k < n; k++) in[k] = affine_random();
    run_groups((n + chunk - 1) / chunk, FP_WG, kernel);
    affine right = FP_START ? combine(start, in[0]) : in[0];
    for (size_t k = 1; k < n; k++) right = combine(right, in[k]);
    expect(affine_is(result.value, right), "n = %zu, chunks of %zu: wrong", n, chunk);
    expect(result.words[FP_TURN_WORD] == turn, "n = %zu: the turn is not announced", n);
    expect(ticket == 0, "n = %zu: the ticket is %u", n, ticket);
}
