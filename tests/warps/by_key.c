// variant: FP_TICKETS=1 FP_PACKED=2 FP_WORD=ushort FP_INDEX=uint FP_RUNNING=0 FP_WG=64 FP_ITEMS_PER_THREAD=3
// variant: FP_TICKETS=1 FP_PACKED=2 FP_WORD=ushort FP_INDEX=uint FP_RUNNING=1 FP_WG=64 FP_ITEMS_PER_THREAD=2
// variant: FP_TICKETS=1 FP_PACKED=0 FP_WORD=uint FP_INDEX=ulong FP_RUNNING=1 FP_WG=96 FP_ITEMS_PER_THREAD=1
// variant: FP_TICKETS=1 FP_PACKED=0 FP_WORD=uint FP_INDEX=uint FP_RUNNING=0 FP_WG=32 FP_ITEMS_PER_THREAD=32
#include "affine.h"

typedef struct {
    affine v0;
    uint w0, mark0;
} element;

#define FP_ORDERED 1
#define FP_SERIAL_MOST 0
#define FP_START 0
#define FP_PASS 0
#define FP_SERIAL_MOST 0
#define FP_KEY uint
#define FP_RESULT affine
#define FP_IN element
#define FP_T affine
#define fp_load(i) fp_p1[i]
#define fp_op(a, b) affine_then(a, b)
#include "gpu/by_key.cl"

enum { TILE_GROUP = FP_WG * FP_TILE, MOST = TILE_GROUP + 1 };
#include "tile_state.h"

const size_t borders[] = {1, FP_WARP, 32 * FP_ITEMS_PER_THREAD, FP_WG, FP_TILE, 3 * FP_TILE, TILE_GROUP, 0};

static element in[MOST];
static affine out[MOST + 1];
static size_t length;

#if FP_RUNNING
static void kernel(void)
{
    fp_by_key(length, in, tile_status, values, launches, &ticket, out);
}
#else
static uint keys[MOST + 1];
static volatile ulong cells[1], shown[1];

static void kernel(void)
{
    fp_by_key(length, in, tile_status, values, launches, &ticket, out, keys, cells, shown, 0);
}
#endif

static void fill(size_t n)
{
    const uint longest = random_below(2) ? 3 : 1000;
    for (size_t k = 0; k < n; k++) {
        const bool begins = k == 0 || random_below(longest) == 0;
        in[k] = (element){affine_random(), begins ? random_below(1000) : in[k - 1].w0, begins};
    }
}

void test(size_t n)
{
    const affine guard = affine_random();
    length = n;
    fill(n);
    for (size_t k = 0; k <= n; k++) out[k] = guard;
    run_tiles(n, kernel);
    affine sum = guard;
    size_t runs = 0;
    for (size_t k = 0; k < n; k++) {
        runs += in[k].mark0;
        sum = in[k].mark0 ? in[k].v0 : affine_then(sum, in[k].v0);
        if (FP_RUNNING) expect(affine_is(out[k], sum), "n = %zu: wrong at %zu", n, k);
#if !FP_RUNNING
        if (k + 1 < n && !in[k + 1].mark0) continue;
        expect(keys[runs - 1] == in[k].w0, "n = %zu: wrong key of run %zu", n, runs - 1);
        expect(affine_is(out[runs - 1], sum), "n = %zu: wrong value of run %zu", n, runs - 1);
#endif
    }
#if !FP_RUNNING
    expect(cells[0] == runs, "n = %zu: %lu runs, not %zu", n, cells[0], runs);
    expect(shown[0] == runs, "n = %zu: %lu runs are shown, not %zu", n, shown[0], runs);
#endif
    expect(affine_is(out[FP_RUNNING ? n : runs], guard), "n = %zu: written behind the end", n);
}
