// variant: FP_TICKETS=1 FP_PACKED=1 FP_INDEX=uint FP_SPLIT=0 FP_WG=64 FP_ITEMS_PER_THREAD=3
// variant: FP_TICKETS=1 FP_PACKED=2 FP_INDEX=ulong FP_SPLIT=1 FP_WG=64 FP_ITEMS_PER_THREAD=2
// variant: FP_TICKETS=1 FP_PACKED=0 FP_INDEX=ulong FP_SPLIT=1 FP_WG=96 FP_ITEMS_PER_THREAD=1
#include "warps.h"

#define FP_ORDERED 1
#define FP_START 0
#define FP_PASS 0
#define FP_IN uint
#define FP_T uint
#define fp_take(i, v) (*(v) = fp_p1[i], *(v) % 8 < keep)

static uint keep; /* of 8 elements */
#include "gpu/select.cl"

enum { TILE_GROUP = FP_WG * FP_TILE, MOST = TILE_GROUP + 1 };
#include "tile_state.h"

const size_t borders[] = {1, FP_WARP, FP_WG, FP_TILE, 3 * FP_TILE, TILE_GROUP, 0};

static uint in[MOST], out[MOST + 1], rest[MOST + 1];
static volatile ulong cells[2], shown[2];
static size_t length;

static void kernel(void)
{
#if FP_SPLIT
    fp_select(length, in, tile_status, values, launches, &ticket, out, cells, shown, 0, rest, cells, shown, 1);
#else
    fp_select(length, in, tile_status, values, launches, &ticket, out, cells, shown, 0);
#endif
}

void test(size_t n)
{
    const uint guard = random_below(1000);
    length = n;
    keep = random_below(9);
    for (size_t k = 0; k < n; k++) in[k] = random_below(1000);
    for (size_t k = 0; k <= n; k++) out[k] = rest[k] = guard;
    cells[0] = cells[1] = shown[0] = shown[1] = n + 1;
    run_tiles(n, kernel);
    size_t kept = 0, others = 0;
    for (size_t k = 0; k < n; k++) {
        if (in[k] % 8 < keep) {
            expect(out[kept] == in[k], "n = %zu: %zu is not the element %zu", n, kept, k);
            kept++;
        } else if (FP_SPLIT) {
            expect(rest[others] == in[k], "n = %zu: %zu of the others is not the element %zu", n, others, k);
            others++;
        }
    }
    expect(cells[0] == kept, "n = %zu: %lu are kept, not %zu", n, cells[0], kept);
    expect(shown[0] == cells[0], "n = %zu: %lu are shown as kept, not %lu", n, shown[0], cells[0]);
    expect(!FP_SPLIT || shown[1] == cells[1], "n = %zu: %lu are shown, not %lu", n, shown[1], cells[1]);
    expect(!FP_SPLIT || cells[1] == others, "n = %zu: %lu are not kept, not %zu", n, cells[1], others);
    expect(out[kept] == guard && rest[others] == guard, "n = %zu: written behind the end", n);
}
