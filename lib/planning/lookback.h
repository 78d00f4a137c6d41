/* Look-back: the tiles of a scan publish their totals for the tiles behind them (kernels/block/tile_state.cl). */
#ifndef FP_PLANNING_LOOKBACK_H
#define FP_PLANNING_LOOKBACK_H

#include "expressions/request.h"
#include "planning/plan.h"

/* One scan: its tiles and its memory. */
typedef struct fp_lookback {
    size_t tiles;
    unsigned group;            /* work-items of a group */
    unsigned items_per_thread; /* GPU: elements of an item in a tile */
    uint64_t chunk;            /* CPU: elements of a tile */
    size_t size;               /* bytes of a value, or more */
    unsigned packed;           /* the words of a value with its status; 0: `values` has the values */
    fp_tile_status *tile_status;
    fp_buffer *values;
    uint32_t launch;
} fp_lookback;

/* Launches the kernel of one pass. */
typedef gpu_status fp_launch_pass(const fp_request *request, const fp_lookback *lookback, unsigned pass);

/* Divides the elements of a request (> 0) into tiles, and launches all passes. An element takes `staged` bytes of local
 * memory; an `odd` number of them for each item meets different banks. A tile publishes a value of at most `size`
 * bytes. */
gpu_status fp_lookback_run(const fp_request *request, size_t staged, bool odd, size_t size, fp_launch_pass *launch);

/* The launches of a scan: 1, or 2 if groups may not wait for each other. */
unsigned fp_lookback_passes(const gpu *g);

/* The slots of lookback.cl in kernels/block/cpu and kernels/block/gpu, for pass number `pass`. */
void fp_lookback_slots(fp_plan *plan, const fp_lookback *lookback, bool start, unsigned pass);

enum { FP_LOOKBACK_ARGS = 5 };

/* The kernel's arguments from the status words to the ticket and, on a CPU, the chunk. Returns their number. */
unsigned fp_lookback_args(const gpu *g, const fp_lookback *lookback, fp_arg *out);

#endif
