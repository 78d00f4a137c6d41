#include "statistics.h"
#include "terminal.h"

#include <math.h>

/* ---- on the device ---- */

/* The host device runs C functions too, but not every snippet. */
GPU_FUNCTION(double, share, (double x, double count), { return x / count; });
GPU_FUNCTION(double, square, (double x, double mean), { return (x - mean) * (x - mean); });
GPU_FUNCTION(float, share_float, (float x, float count), { return x / count; });
GPU_FUNCTION(float, square_float, (float x, float mean), { return (x - mean) * (x - mean); });

/* Two passes over the block: the second captures the mean. A sum that overflows needs one more pass, because the mean
 * of numbers is a number. */
static gpu_status measure_double(const gpu_array *x, statistics *s)
{
    double count = (double)s->count, mean;
    gpu_status status = gpu_reduce_all(x, "a + b", &s->sum, "fmin(a, b)", &s->min, "fmax(a, b)", &s->max);
    if (status) return status;
    mean = s->sum / count;
    if (!isfinite(s->sum)) status = gpu_reduce(gpu_map(x, share, GPU_ARG(count)), "a + b", &mean);
    s->mean = mean;
    return status ? status : gpu_reduce(gpu_map(x, square, GPU_ARG(mean)), "a + b", &s->squares);
}

static gpu_status measure_float(const gpu_array *x, statistics *s)
{
    float sum, min, max, squares, mean, count = (float)s->count;
    gpu_status status = gpu_reduce_all(x, "a + b", &sum, "fmin(a, b)", &min, "fmax(a, b)", &max);
    if (status) return status;
    mean = sum / count;
    if (!isfinite(sum)) status = gpu_reduce(gpu_map(x, share_float, GPU_ARG(count)), "a + b", &mean);
    if (!status) status = gpu_reduce(gpu_map(x, square_float, GPU_ARG(mean)), "a + b", &squares);
    if (!status) *s = (statistics){s->count, sum, mean, min, max, squares, 0, 0};
    return status;
}

static gpu_status find_line(const gpu_array *x, const block *b, double value, size_t *line)
{
    size_t index;
    float narrow = (float)value;
    gpu_status status = b->narrow ? gpu_index_of(x, &narrow, &index) : gpu_index_of(x, &value, &index);
    if (!status) *line = b->lines[index];
    return status;
}

statistics measure(gpu *g, block *b)
{
    statistics s = {.count = b->count};
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *x = upload(g, b);
    gpu_status status = b->narrow ? measure_float(x, &s) : measure_double(x, &s);
    if (!status) status = find_line(x, b, s.min, &s.min_line);
    if (!status) status = find_line(x, b, s.max, &s.max_line);
    if (status) fail("%s", gpu_error());
    gpu_scope_end(scope);
    return s;
}

/* ---- of several blocks ---- */

/* By the method of Chan, Golub and LeVeque, in which each part's squares are those of differences to its own mean. */
void merge(statistics *total, const statistics *part)
{
    double n = (double)total->count, m = (double)part->count, apart = part->mean - total->mean;
    if (!total->count) *total = *part;
    if (n == 0) return;
    total->count += part->count;
    total->sum += part->sum;
    total->mean =
        isfinite(total->sum) ? total->sum / (n + m) : total->mean * (n / (n + m)) + part->mean * (m / (n + m));
    total->squares += part->squares + apart * apart * n * m / (n + m);
    if (part->min < total->min) total->min_line = part->min_line;
    if (part->max > total->max) total->max_line = part->max_line;
    total->min = fmin(total->min, part->min);
    total->max = fmax(total->max, part->max);
}

double deviation(const statistics *s)
{
    return sqrt(s->squares / fmax((double)s->count - 1, 1));
}
