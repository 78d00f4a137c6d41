#include "plain_c.h"

#include <float.h>
#include <math.h>

/* The sum of the differences to `from`, or of their squares. A long sum rounds more than the sum of its halves. */
static double add_up(const double *x, size_t n, double from, bool squared)
{
    double sum = 0;
    if (n > 1024) return add_up(x, n / 2, from, squared) + add_up(x + n / 2, n - n / 2, from, squared);
    for (size_t k = 0; k < n; k++) sum += squared ? (x[k] - from) * (x[k] - from) : x[k] - from;
    return sum;
}

static void find_extremes(const block *b, statistics *s)
{
    s->min = s->max = b->values[0];
    s->min_line = s->max_line = b->lines[0];
    for (size_t k = 0; k < b->count; k++) {
        double x = b->values[k];
        if (x < s->min) s->min_line = b->lines[k];
        if (x > s->max) s->max_line = b->lines[k];
        s->min = fmin(s->min, x);
        s->max = fmax(s->max, x);
    }
}

/* Where the sum overflows, the mean is a sum of shares. */
static double mean_of(const block *b, double sum)
{
    double count = (double)b->count, mean = 0;
    if (isfinite(sum)) return sum / count;
    for (size_t k = 0; k < b->count; k++) mean += b->values[k] / count;
    return mean;
}

statistics measure_in_c(const block *b)
{
    statistics s = {.count = b->count};
    find_extremes(b, &s);
    s.sum = add_up(b->values, b->count, 0, false);
    s.mean = mean_of(b, s.sum);
    s.squares = add_up(b->values, b->count, s.mean, true);
    return s;
}

static bool same_extremes(const statistics *s, const statistics *t)
{
    return s->count == t->count && s->min == t->min && s->max == t->max && s->min_line == t->min_line &&
           s->max_line == t->max_line;
}

/* The device adds in another order than plain C. Each addition rounds by at most half an epsilon of the largest
 * magnitude per number, up or down, so that mean and deviation are off by about sqrt(n) of that. */
bool print_agreement(const statistics *device, const statistics *c, double epsilon)
{
    double largest = fmax(fmax(fabs(c->min), fabs(c->max)), DBL_MIN), allowed = sqrt((double)c->count) * epsilon;
    double mean = fabs(device->mean - c->mean) / largest, spread = fabs(deviation(device) - deviation(c)) / largest;
    if (!isfinite(deviation(device)) && !isfinite(deviation(c))) spread = 0;
    bool same = same_extremes(device, c);
    printf(
        "against plain C     mean off by %.1e, deviation by %.1e of the largest number (allowed: %.1e), extremes %s\n",
        mean, spread, allowed, same ? "equal" : "DIFFER");
    return same && mean <= allowed && spread <= allowed;
}
