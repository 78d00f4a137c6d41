/* bench-papers: redraws the figures of the papers this project comes from, on the device at hand. */
#include "papers.h"

#include <stdlib.h>
#include <string.h>

typedef struct options {
    const char *device, *folder, *kernels, *sizes;
    bool quick, least;
} options;

static const char usage[] =
    "usage: bench-papers [--device NAME] [--out DIR] [--sizes LIST] [--quick] [--least] [--source DIR]\n"
    "  --device NAME  gpu, cpu, an index, or part of a name; default: $FIREPILE_DEVICE, else the best\n"
    "  --out DIR      where CSV, PNG and Markdown files go; default: build/papers\n"
    "  --sizes LIST   elements, ascending: 4096,2^16,2^20..2^24; default: the thesis's ten sizes, 2^12 to 2^25\n"
    "  --least        shows the least of the runs, not the median: where other work shares the machine\n"
    "  --quick        small sizes and few runs, to see that everything is right\n"
    "  --source DIR   the folder of the kernels and the programs that are counted; default: bench/papers\n";

double expected_sum(const bench *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)b->floats[i];
    return sum;
}

/* The value of an option that has one, or NULL. */
static const char *option_value(const char *name, int *k, int argc, char **argv)
{
    if (strcmp(argv[*k], name) || *k + 1 >= argc) return NULL;
    return argv[++*k];
}

static bool read_options(options *o, int argc, char **argv)
{
    *o = (options){.folder = "build/papers", .kernels = "bench/papers"};
    for (int k = 1; k < argc; k++) {
        const char *value;
        if ((value = option_value("--device", &k, argc, argv)))
            o->device = value;
        else if ((value = option_value("--out", &k, argc, argv)))
            o->folder = value;
        else if ((value = option_value("--sizes", &k, argc, argv)))
            o->sizes = value;
        else if ((value = option_value("--source", &k, argc, argv)))
            o->kernels = value;
        else if (!strcmp(argv[k], "--quick"))
            o->quick = true;
        else if (!strcmp(argv[k], "--least"))
            o->least = true;
        else
            return false;
    }
    if (!o->sizes) o->sizes = o->quick ? "1000,2^12,2^16,2^18" : "2^12,2^14,2^16,2^18,2^20..2^25";
    return true;
}

static size_t read_size(const char **text)
{
    char *end;
    size_t size = strtoul(*text, &end, 10);
    if (size == 2 && *end == '^') {
        unsigned long power = strtoul(end + 1, &end, 10);
        size = power < 31 ? (size_t)1 << power : 0;
    }
    *text = end;
    return size;
}

/* Sizes and ranges of powers of two between commas. */
static bool read_sizes(bench *b, const char *text)
{
    for (;;) {
        size_t first = read_size(&text), last = first;
        if (!strncmp(text, "..", 2)) {
            text += 2;
            last = read_size(&text);
        }
        if (!first || first <= b->capacity) return false;
        for (size_t n = first; n <= last; n *= 2) {
            if (b->size_count == FIGURE_ROWS) return false;
            b->sizes[b->size_count++] = b->capacity = n;
        }
        if (!*text) return true;
        if (*text++ != ',') return false;
    }
}

/* The elements: whole numbers from -8 to 8, so that no sum of them is rounded. The elements to sort: 2^23 numbers, too
 * many for equal ones to matter. */
static bool make_elements(bench *b)
{
    b->floats = calloc(b->capacity, sizeof(float));
    b->ints = calloc(b->capacity, sizeof(int));
    b->keys = calloc(b->capacity, sizeof(float));
    if (!b->floats || !b->ints || !b->keys) return false;
    uint32_t state = 2463534242u;
    for (size_t i = 0; i < b->capacity; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        b->ints[i] = (int)(state >> 8) % 17 - 8;
        b->floats[i] = (float)b->ints[i];
        b->keys[i] = (float)(state >> 9) - 4e6f;
    }
    size_t bytes = b->capacity * sizeof(float);
    b->float_input = raw_buffer(&b->raw, bytes);
    b->int_input = raw_buffer(&b->raw, bytes);
    b->key_input = raw_buffer(&b->raw, bytes);
    raw_write(&b->raw, b->float_input, b->floats, bytes);
    raw_write(&b->raw, b->int_input, b->ints, bytes);
    raw_write(&b->raw, b->key_input, b->keys, bytes);
    raw_reserve(&b->raw, b->capacity);
    return true;
}

/* A CPU device takes minutes over the GPU's shapes at full size: 2^22 elements show the same there. */
static size_t stage_size(const bench *b)
{
    size_t most = b->raw.cpu ? (size_t)1 << 22 : (size_t)1 << 25;
    size_t n = 1;
    while (2 * n <= b->capacity && 2 * n <= most) n *= 2;
    return n;
}

static bool bench_open(bench *b, const options *o)
{
    *b = (bench){.kernels = o->kernels, .budget_ms = o->quick ? 5 : 250};
    if (!read_sizes(b, o->sizes)) {
        fprintf(stderr,
                "bench-papers: --sizes %s: up to %d sizes below 2^31, ascending, such as 4096,2^16,2^20..2^24\n",
                o->sizes, FIGURE_ROWS);
        return false;
    }
    if (!raw_open(&b->raw, o->device, o->kernels)) {
        fprintf(stderr, "bench-papers: %s\n", gpu_error());
        return false;
    }
    b->gpu = gpu_open_with(b->raw.context, b->raw.queue);
    if (!b->gpu) fprintf(stderr, "bench-papers: %s\n", gpu_error());
    if (!b->gpu || !make_elements(b)) return false;
    b->stage_n = stage_size(b);
    return report_open(&b->report, o->folder, o->kernels, &b->raw, o->least);
}

static void bench_close(bench *b)
{
    gpu_close(b->gpu);
    if (b->float_input) clReleaseMemObject(b->float_input);
    if (b->int_input) clReleaseMemObject(b->int_input);
    if (b->key_input) clReleaseMemObject(b->key_input);
    raw_close(&b->raw);
    free(b->floats);
    free(b->ints);
    free(b->keys);
}

int main(int argc, char **argv)
{
    options o;
    if (!read_options(&o, argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }
    bench b;
    if (!bench_open(&b, &o)) {
        bench_close(&b);
        return 2;
    }
    figures_thesis(&b);
    figures_stages(&b);
    figure_levels(&b);
    figure_slides(&b);
    figure_cloverleaf(&b);
    report_close(&b.report);
    unsigned wrong = b.report.wrong;
    bench_close(&b);
    return wrong ? 1 : 0;
}
