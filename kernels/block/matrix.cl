// lint:
// Places in matrices. Divisions of 32 bits take a fraction of the time of those of 64. On `(i | columns) >> 32` Intel's
// compiler (2026.2) crashes, in a loop that converts the row to a float.
static inline ulong fp_row(const ulong i, const ulong columns)
{
    return max(i, columns) >> 32 ? i / columns : (uint)i / (uint)columns;
}

static inline ulong fp_column(const ulong i, const ulong columns)
{
    return i - fp_row(i, columns) * columns;
}

static inline bool fp_lower(const ulong i, const ulong columns)
{
    return fp_column(i, columns) <= fp_row(i, columns);
}

static inline bool fp_upper(const ulong i, const ulong columns)
{
    return fp_column(i, columns) >= fp_row(i, columns);
}

static inline bool fp_diagonal(const ulong i, const ulong columns)
{
    return fp_column(i, columns) == fp_row(i, columns);
}

static inline bool fp_antidiagonal(const ulong i, const ulong columns)
{
    return fp_column(i, columns) + fp_row(i, columns) == columns - 1;
}

// The place of an element of a view.
static inline ulong fp_strided_in(const ulong row, const ulong column, const ulong first, const ulong row_step,
                                  const ulong column_step)
{
    return first + row * row_step + column * column_step;
}

static inline ulong fp_strided(const ulong i, const ulong columns, const ulong first, const ulong row_step,
                               const ulong column_step)
{
    const ulong row = fp_row(i, columns);
    return fp_strided_in(row, i - row * columns, first, row_step, column_step);
}
