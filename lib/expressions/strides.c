#include "expressions/strides.h"

#include <stdint.h>

bool fp_strides_are_run(const fp_strides *s, size_t rows)
{
    const bool along_rows = s->columns < 2 || s->column_step == 1;
    return along_rows && (rows < 2 || s->row_step == s->columns);
}

/* A step in the inner view, by rows and columns. */
typedef struct step {
    int64_t rows, columns;
} step;

/* Two steps may be meant: -1 is one column back, or one row back and all columns but one ahead. */
static step step_of(size_t places, size_t columns, bool back)
{
    const int64_t width = (int64_t)columns, all = (int64_t)places, ahead = (all % width + width) % width;
    const int64_t across = back ? ahead - width : ahead;
    return (step){(all - across) / width, across};
}

/* Are all of at, at + a * step, ... for the two ends of both ranges from 0 to limit - 1? */
static bool stays(int64_t at, int64_t step_down, int64_t rows, int64_t step_across, int64_t columns, int64_t limit)
{
    const int64_t down = step_down * (rows - 1), across = step_across * (columns - 1);
    const int64_t least = at + (down < 0 ? down : 0) + (across < 0 ? across : 0);
    const int64_t most = at + (down > 0 ? down : 0) + (across > 0 ? across : 0);
    return least >= 0 && most < limit;
}

/* A row and a column are unique for a place, if each step leads to one that is there. */
static bool fits(const fp_strides *outer, size_t rows, step down, step across, size_t inner_columns, size_t inner_rows)
{
    const int64_t row = (int64_t)(outer->first / inner_columns), column = (int64_t)(outer->first % inner_columns);
    const int64_t n = (int64_t)rows, m = (int64_t)outer->columns;
    return stays(row, down.rows, n, across.rows, m, (int64_t)inner_rows) &&
           stays(column, down.columns, n, across.columns, m, (int64_t)inner_columns);
}

static size_t along(const fp_strides *s, step way)
{
    return (size_t)way.rows * s->row_step + (size_t)way.columns * s->column_step;
}

bool fp_strides_compose(const fp_strides *outer, size_t rows, const fp_strides *inner, size_t inner_rows,
                        fp_strides *out)
{
    for (int way = 0; way < 4; way++) {
        const step none = {0, 0};
        const step down = rows > 1 ? step_of(outer->row_step, inner->columns, way & 1) : none;
        const step across = outer->columns > 1 ? step_of(outer->column_step, inner->columns, way & 2) : none;
        if (!fits(outer, rows, down, across, inner->columns, inner_rows)) continue;
        *out = (fp_strides){outer->columns, fp_strides_place(inner, outer->first), along(inner, down),
                            along(inner, across)};
        return true;
    }
    return false;
}
