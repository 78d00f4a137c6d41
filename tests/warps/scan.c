// variant: FP_TICKETS=1 FP_PACKED=1 FP_WORD=ushort FP_START=0 FP_WG=64 FP_ITEMS_PER_THREAD=3
// variant: FP_TICKETS=1 FP_PACKED=2 FP_WORD=uint FP_START=1 FP_WG=64 FP_ITEMS_PER_THREAD=1
// variant: FP_TICKETS=1 FP_PACKED=0 FP_WORD=ulong FP_START=1 FP_WG=96 FP_ITEMS_PER_THREAD=2
// variant: FP_TICKETS=1 FP_PACKED=2 FP_WORD=uint FP_START=0 FP_WG=64 FP_ITEMS_PER_THREAD=1 FP_SERIAL_MOST=1
// variant: FP_TICKETS=1 FP_PACKED=2 FP_WORD=uint FP_START=1 FP_WG=64 FP_ITEMS_PER_THREAD=3 FP_SERIAL_MOST=1
#include "affine.h"

#define FP_ORDERED 1
#define FP_PASS 0
#ifndef FP_SERIAL_MOST /* with 1 any number is few, since the host knows it */
#define FP_SERIAL_MOST 0
#endif
#define FP_IN affine
#define FP_T affine
#define fp_load(i) fp_p1[i]
#define fp_op(a, b) affine_then(a, b)
#include "gpu/scan.cl"

enum { TILE_GROUP = FP_WG * FP_TILE, MOST = TILE_GROUP + 1 };
#include "tile_state.h"

const size_t borders[] = {1, FP_WARP, 32 * FP_ITEMS_PER_THREAD, FP_WG, FP_TILE, 3 * FP_TILE, TILE_GROUP, 0};

static affine in[MOST], out[MOST + 1], start;
static size_t length;

static void kernel(void)
{
    fp_scan(length, in, FP_START_ARG tile_status, values, launches, &ticket, out);
}

void test(size_t n)
{
    const affine guard = affine_random();
    length = n;
    start = affine_random();
    for (size_t k = 0; k < n; k++) in[k] = affine_random();
    for (size_t k = 0; k <= n; k++) out[k] = guard;
    run_tiles(n, kernel);
    affine sum = start;
    for (size_t k = 0; k < n; k++) {
        const affine before = sum;
        sum = FP_START || k > 0 ? affine_then(before, in[k]) : in[k];
        expect(affine_is(out[k], FP_START ? before : sum), "n = %zu: wrong at %zu", n, k);
    }
    expect(affine_is(out[n], guard), "n = %zu: written behind the end", n);
}
