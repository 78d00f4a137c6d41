/* The stages of a reduction one by one, after PCL-Reduction. */
#include "papers.h"

enum { GROUP = 256 };

static const size_t granularities[] = {1, 4, 16, 64, 256, 1024};
enum { GRANULARITIES = sizeof granularities / sizeof granularities[0] };

static void row_name(char name[32], size_t number)
{
    snprintf(name, 32, "%zu", number);
}

/* plain C, and the library, for comparison */

typedef struct job {
    bench *b;
    size_t n;
    int threads;
    gpu_array *x;
} job;

static bool run_plain(void *data, double *value)
{
    job *j = data;
    *value = host_sum(j->b->floats, j->n, j->threads);
    return true;
}

static bool run_firepile(void *data, double *value)
{
    job *j = data;
    float sum;
    if (gpu_reduce(j->x, "a + b", &sum)) return false;
    *value = (double)sum;
    return true;
}

static void measure_job(job *j, figure *f, const char *row, const char *column, run_once *run)
{
    sample s = measure(run, j, expected_sum(j->b, j->n), j->b->budget_ms);
    figure_sample(&j->b->report, f, row, column, j->n, 4.0 * (double)j->n, &s);
}

static void against_cpu(bench *b)
{
    figure f = {
        .name = "pcl-against-cpu",
        .title = "Reduction against the CPU",
        .source = "PCL-Reduction, the three-level kernel (64 elements per work-item, grid stride, unrolled tree, last "
                  "work-group finishes) against plain C over sizes.",
        .rows = "elements",
        .unit = "milliseconds"};
    const recipe best = {"GLOBAL", "UNROLLED", ENDING_LAST_GROUP, true, GROUP, 64};
    for (size_t k = 0; k < b->size_count; k++) {
        char row[32];
        row_name(row, b->sizes[k]);
        job j = {.b = b, .n = b->sizes[k], .threads = 1};
        j.x = gpu_array_wrap(b->gpu, GPU_FLOAT, b->float_input, j.n);
        measure_job(&j, &f, row, "C one thread", run_plain);
        j.threads = 0;
        measure_job(&j, &f, row, "C with OpenMP", run_plain);
        reduction_measure(b, &f, row, "three-level kernel", &best, j.n);
        measure_job(&j, &f, row, "firepile", run_firepile);
        gpu_array_free(j.x);
    }
    report_figure(&b->report, &f);
}

static void stride_and_granularity(bench *b)
{
    figure f = {.name = "pcl-stride",
                .title = "Inside the work-item: stride and granularity",
                .source =
                    "PCL-Reduction, elements per work-item and how it walks them: a grid apart (global stride) or one "
                    "after the other in a chunk of its own (local stride).",
                .rows = "elements per work-item",
                .unit = "milliseconds"};
    for (size_t k = 0; k < GRANULARITIES; k++) {
        char row[32];
        row_name(row, granularities[k]);
        recipe how = {"GLOBAL", "UNROLLED", ENDING_LAST_GROUP, true, GROUP, granularities[k]};
        reduction_measure(b, &f, row, "global stride", &how, b->stage_n);
        how.stride = "LOCAL";
        reduction_measure(b, &f, row, "local stride", &how, b->stage_n);
    }
    report_figure(&b->report, &f);
}

typedef struct tree {
    const char *slot, *name;
} tree;

static void trees(bench *b)
{
    static const tree all[] = {{"DIVERGENT", "interleaved with divergent branch"},
                               {"INTERLEAVED", "interleaved without divergence"},
                               {"SEQUENTIAL", "sequential addressing"},
                               {"LAST_WARP_UNROLLED", "last warp unrolled"},
                               {"UNROLLED", "completely unrolled"}};
    static const size_t groups[] = {64, 128, 256};
    figure f = {
        .name = "pcl-trees",
        .title = "Inside the work-group: five trees",
        .source = "PCL-Reduction and the slides, the tree in local memory, for work-groups of three sizes: one element "
                  "per work-item, so that the tree is most of the work; further launches finish.",
        .rows = "tree",
        .unit = "milliseconds",
        .bars = true};
    for (size_t t = 0; t < sizeof all / sizeof all[0]; t++) {
        for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
            char column[64];
            snprintf(column, sizeof column, "groups of %zu", groups[g]);
            const recipe how = {"GLOBAL", all[t].slot, ENDING_LAUNCHES, true, groups[g], 1};
            reduction_measure(b, &f, all[t].name, column, &how, b->stage_n);
        }
    }
    report_figure(&b->report, &f);
}

/* How much the tree matters is the distance between the columns; it shrinks as the work-items do more by themselves. */
static void group_level(bench *b)
{
    figure f = {.name = "pcl-group-level",
                .title = "What the work-group level contributes as granularity grows",
                .source =
                    "PCL-Reduction, the slowest and the fastest tree, and none (every work-item leaves its value to "
                    "the next launch), over elements per work-item; further launches finish.",
                .rows = "elements per work-item",
                .unit = "milliseconds"};
    for (size_t k = 0; k < GRANULARITIES; k++) {
        char row[32];
        row_name(row, granularities[k]);
        recipe how = {"GLOBAL", "DIVERGENT", ENDING_LAUNCHES, true, GROUP, granularities[k]};
        reduction_measure(b, &f, row, "divergent tree", &how, b->stage_n);
        how.tree = "UNROLLED";
        reduction_measure(b, &f, row, "unrolled tree", &how, b->stage_n);
        how.tree = "NONE";
        reduction_measure(b, &f, row, "no tree", &how, b->stage_n);
    }
    report_figure(&b->report, &f);
}

typedef struct end {
    ending ending;
    bool floats;
    const char *name;
} end;

static void endings(bench *b)
{
    static const end all[] = {{ENDING_ATOMIC, false, "atomic add (int)"},
                              {ENDING_ATOMIC, true, "atomic exchange (float)"},
                              {ENDING_LAST_GROUP, true, "last group finishes"},
                              {ENDING_LAUNCHES, true, "further launches"},
                              {ENDING_HOST, true, "host"}};
    figure f = {.name = "pcl-endings",
                .title = "Between work-groups: five endings",
                .source = "PCL-Reduction, how the work-groups' values become one, over the number of work-groups.",
                .rows = "work-groups",
                .unit = "milliseconds"};
    for (size_t k = GRANULARITIES; k-- > 0;) {
        size_t items = granularities[k];
        if (b->stage_n < GROUP * items) continue;
        char row[32];
        row_name(row, b->stage_n / (GROUP * items));
        for (size_t e = 0; e < sizeof all / sizeof all[0]; e++) {
            const recipe how = {"GLOBAL", "UNROLLED", all[e].ending, all[e].floats, GROUP, items};
            reduction_measure(b, &f, row, all[e].name, &how, b->stage_n);
        }
    }
    report_figure(&b->report, &f);
}

void figures_stages(bench *b)
{
    against_cpu(b);
    stride_and_granularity(b);
    trees(b);
    group_level(b);
    endings(b);
}
