#include "picture.h"
#include "bins.h"
#include "terminal.h"

#include <inttypes.h>
#include <string.h>

/* ---- counting ---- */

typedef struct histogram {
    bins bins;
    uint64_t counts[ROWS + 1], outside;
} histogram;

/* The index of a number's bin: -1 below all bounds, `last`, the index of the last bound, above. */
GPU_FUNCTION(int, bin_of, (double x, GPU_GLOBAL const double *bounds, int last), {
    int k = 0;
    while (k <= last && x >= bounds[k]) k++;
    return k - 1;
});
GPU_FUNCTION(int, bin_of_float, (float x, GPU_GLOBAL const float *bounds, int last), {
    int k = 0;
    while (k <= last && x >= bounds[k]) k++;
    return k - 1;
});

static gpu_array *find_bins_narrow(gpu *g, const gpu_array *x, const bins *b)
{
    int last = (int)b->count;
    float narrow[ROWS + 2];
    for (size_t k = 0; k <= b->count; k++) narrow[k] = (float)b->bounds[k];
    gpu_array *bounds = gpu_array_of(g, narrow, b->count + 1);
    return gpu_map_to(x, GPU_INT, bin_of_float, GPU_ARG(bounds), GPU_ARG(last));
}

static gpu_array *find_bins(gpu *g, const gpu_array *x, const bins *b)
{
    int last = (int)b->count;
    gpu_array *bounds = gpu_array_of(g, b->bounds, b->count + 1);
    return gpu_map_to(x, GPU_INT, bin_of, GPU_ARG(bounds), GPU_ARG(last));
}

static void count_block(gpu *g, block *b, histogram *h)
{
    uint64_t more[ROWS + 1], more_outside;
    int last = (int)h->bins.count;
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *x = upload(g, b), *counts, *outside;
    gpu_array *found = b->narrow ? find_bins_narrow(g, x, &h->bins) : find_bins(g, x, &h->bins);
    gpu_histogram(found, &(int){0}, &last, h->bins.count, &counts, &outside);
    if (gpu_read(counts, more) || gpu_read(outside, &more_outside)) fail("%s", gpu_error());
    for (size_t k = 0; k < h->bins.count; k++) h->counts[k] += more[k];
    h->outside += more_outside;
    gpu_scope_end(scope);
}

/* ---- printing ---- */

enum { COLUMNS = 40 };

static uint64_t largest_count(const histogram *h)
{
    uint64_t most = 1;
    for (size_t k = 0; k < h->bins.count; k++) most = h->counts[k] > most ? h->counts[k] : most;
    return most;
}

static void print_bin(const histogram *h, size_t k, uint64_t each)
{
    static const char bar[COLUMNS + 1] = "########################################";
    const bins *b = &h->bins;
    printf("%15.*g %15.*g %10" PRIu64 "  %.*s\n", b->digits, b->bounds[k], b->digits, b->bounds[k + 1], h->counts[k],
           (int)((h->counts[k] + each - 1) / each), bar);
}

/* Begins with the first bin that is not empty. */
static void print_bins(const histogram *h)
{
    uint64_t each = (largest_count(h) + COLUMNS - 1) / COLUMNS;
    size_t k = 0;
    while (k < h->bins.count && !h->counts[k]) k++;
    printf("\n%15s %15s %10s  each # is %s%" PRIu64 "\n", "from", "below", "count", each > 1 ? "up to " : "", each);
    for (; k < h->bins.count; k++) print_bin(h, k, each);
    if (h->outside) printf("%31s %10" PRIu64 "\n", h->bins.exponents ? "less" : "elsewhere", h->outside);
}

void print_histogram(gpu *g, input *in, block *b, const statistics *s)
{
    histogram h = {.bins = choose_bins(s)};
    if (!begin_again(in)) {
        printf("\nno histogram: the numbers came through a pipe, and no copy could be kept in a temporary file: %s\n",
               strerror(in->copy_error));
        return;
    }
    while (read_block(in, b)) count_block(g, b, &h);
    clear_bar();
    if (in->count != in->total) fail("%s: changed while it was read", in->r.name);
    print_bins(&h);
}
