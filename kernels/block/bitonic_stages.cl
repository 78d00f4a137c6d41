// All steps that stay in a tile: those from `width` down to 2, or, with `all`, all stages up to `width`. The file that
// includes this has fp_sort_items and fp_pass_tile, the work of all items of a tile. It has fp_meet(width) too, which
// makes the elements that the items of a block of `width` elements have written visible to all of them.

// The passes of a stage, from `width` down.
FP_ALWAYS void fp_stage(FP_SPACE FP_T *tile, const fp_place count, const fp_place width, const bool flip, FP_PARAMS)
{
    for (fp_place at = max(width, (fp_place)FP_HELD);; at = max(at >> FP_STEPS, (fp_place)FP_HELD)) {
        fp_pass_tile(tile, count, at, flip && at == width, FP_ARGS);
        if (at == FP_HELD) break;
        fp_meet(at);
    }
}

FP_ALWAYS void fp_stages(FP_SPACE FP_T *tile, const fp_place count, const fp_place width, const bool all, FP_PARAMS)
{
    if (all) fp_sort_items(tile, count, FP_ARGS);
    for (fp_place stage = all ? 2 * FP_HELD : width; stage <= width && (!all || stage < 2 * count); stage *= 2) {
        fp_meet(stage);
        fp_stage(tile, count, stage, all, FP_ARGS);
    }
}
