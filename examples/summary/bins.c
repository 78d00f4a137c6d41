#include "bins.h"

#include <math.h>
#include <stdlib.h>

/* ---- bounds ---- */

/* The number that a reader takes the printed digits for. */
static double printed(double bound, int digits)
{
    char text[64];
    snprintf(text, sizeof text, "%.*g", digits, bound);
    return strtod(text, NULL);
}

/* Bound k is a multiple of the width, or the power of two `k` widths above the first exponent. */
static double bound(const bins *b, double first, size_t k, double width)
{
    return printed(b->exponents ? exp2(first + (double)k * width) : (first + (double)k) * width, b->digits);
}

/* The first bound is not above `from`, and the last one is above `to`. False if two bounds look the same. */
static bool set_bounds(bins *b, double width, double from, double to, int digits)
{
    double first = b->exponents ? ilogb(from) : floor(from / width);
    b->digits = digits;
    if (bound(b, first, 0, width) > from) first -= b->exponents ? width : 1;
    for (b->count = 0; b->count < ROWS + 2; b->count++) {
        b->bounds[b->count] = bound(b, first, b->count, width);
        if (b->count && b->bounds[b->count] <= b->bounds[b->count - 1]) return false;
        if (b->count && b->bounds[b->count] > to) return true;
    }
    b->count--;
    return true;
}

/* Bounds have ten digits. If two of them look the same they have 17, which tell any two numbers apart. */
static bins bins_of(bool exponents, double width, double from, double to)
{
    bins b = {.exponents = exponents};
    if (!set_bounds(&b, width, from, to, 10)) set_bounds(&b, width, from, to, 17);
    return b;
}

/* ---- which bounds ---- */

/* For sizes, incomes and their like. Most of them are far below the mean and a few far above, so that a few bins of one
 * width would hold almost all. Numbers more than ROWS powers of two below the mean, and 0, are in no bin. */
static bins exponent_bins(const statistics *s)
{
    double low = ilogb(s->mean) - ROWS, from = exp2(low);
    if (s->min > from) from = s->min;
    return bins_of(true, ceil((ilogb(s->max) + 1 - ilogb(from)) / (double)ROWS), from, s->max);
}

/* The least of 1, 2 and 5 times a power of ten that goes into `range` fewer than ROWS times. */
static double round_width(double range)
{
    double least = range / (ROWS - 1), power = pow(10, floor(log10(least))), times = least / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

/* Numbers more than three deviations from the mean are in no bin, because they would push the others into a few bins.
 * Bounds cannot be closer to each other than numbers are. */
static bins number_bins(const statistics *s)
{
    double near = 3 * deviation(s), from = fmax(s->min, s->mean - near), to = fmin(s->max, s->mean + near);
    double largest = fmax(fabs(from), fabs(to)), least = nextafter(largest, INFINITY) - largest;
    return bins_of(false, fmax(round_width(to - from), least), from, to);
}

bins choose_bins(const statistics *s)
{
    bool skewed = s->min >= 0 && deviation(s) > s->mean;
    return skewed ? exponent_bins(s) : number_bins(s);
}
