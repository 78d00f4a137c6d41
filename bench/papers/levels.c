/* The levels of reduce.cl as a user writes them for gpu_spawn, beside the kernels by hand. The operator is an argument
 * of the kernel, as in the thesis. */
#include "papers.h"

enum { GROUP = 256 };

/* Level 1, inside the work-item. `none` is the operator's identity. */
#define ONE_ELEMENT "  data[item] = i < x_length ? x[i] : none;\n"
#define FIRST_ADD_DURING_LOAD                                                                                          \
    "  const ulong k = (ulong)group * 2 * ITEMS + item;\n"                                                             \
    "  data[item] = op(k < x_length ? x[k] : none, k + ITEMS < x_length ? x[k + ITEMS] : none);\n"
#define SEVERAL_ELEMENTS                                                                                               \
    "  float sum = none;\n"                                                                                            \
    "  for (ulong k = i; k < x_length; k += (ulong)GROUPS * ITEMS) sum = op(sum, x[k]);\n"                             \
    "  data[item] = sum;\n"

/* Level 2, inside the work-group. The value is in data[0]. */
#define DIVERGENT                                                                                                      \
    "  for (uint s = 1; s < ITEMS; s *= 2) {\n"                                                                        \
    "    sync();\n"                                                                                                    \
    "    if (item % (2 * s) == 0) data[item] = op(data[item], data[item + s]);\n"                                      \
    "  }\n"
#define INTERLEAVED                                                                                                    \
    "  for (uint s = 1; s < ITEMS; s *= 2) {\n"                                                                        \
    "    const uint at = 2 * s * item;\n"                                                                              \
    "    sync();\n"                                                                                                    \
    "    if (at < ITEMS) data[at] = op(data[at], data[at + s]);\n"                                                     \
    "  }\n"
#define SEQUENTIAL                                                                                                     \
    "  for (uint s = ITEMS / 2; s > 0; s /= 2) {\n"                                                                    \
    "    sync();\n"                                                                                                    \
    "    if (item < s) data[item] = op(data[item], data[item + s]);\n"                                                 \
    "  }\n"

#define KERNEL(item_level, group_level) "{\n" item_level group_level "  if (item == 0) part[group] = data[0];\n}"

/* A kernel, and the choices of reduce.cl that are the same. */
typedef struct level {
    const char *name, *text, *tree;
    size_t elements; /* of a work-item */
} level;

static const level levels[] = {{"interleaved with divergent branch", KERNEL(ONE_ELEMENT, DIVERGENT), "DIVERGENT", 1},
                               {"interleaved without divergence", KERNEL(ONE_ELEMENT, INTERLEAVED), "INTERLEAVED", 1},
                               {"sequential addressing", KERNEL(ONE_ELEMENT, SEQUENTIAL), "SEQUENTIAL", 1},
                               {"first add during load", KERNEL(FIRST_ADD_DURING_LOAD, SEQUENTIAL), "SEQUENTIAL", 2},
                               {"64 elements per work-item", KERNEL(SEVERAL_ELEMENTS, SEQUENTIAL), "SEQUENTIAL", 64}};

typedef struct job {
    bench *b;
    const level *level;
    size_t n;
} job;

/* The values of all work-groups. */
static gpu_array *reduce_groups(const job *j, const gpu_array *x)
{
    const size_t tile = GROUP * j->level->elements;
    const gpu_space s = {.groups = (gpu_length(x) + tile - 1) / tile, .items = GROUP};
    const float none = 0;
    gpu_array *part;
    gpu_spawn(j->b->gpu, s, j->level->text, GPU_ARG(x), GPU_ARG(none), GPU_ARG_OPERATOR(op, GPU_FLOAT, "a + b"),
              GPU_GROUP(data, GPU_FLOAT, s.items), GPU_RESULT(part, GPU_FLOAT, s.groups));
    return part;
}

/* Level 3, between work-groups: further launches, until one value is left. */
static bool run_levels(void *data, double *value)
{
    const job *j = data;
    float sum;
    gpu_scope *scope = gpu_scope_begin(j->b->gpu);
    gpu_array *x = reduce_groups(j, gpu_array_wrap(j->b->gpu, GPU_FLOAT, j->b->float_input, j->n));
    while (gpu_length(x) > 1) x = reduce_groups(j, x);
    const gpu_status status = gpu_read(x, &sum);
    gpu_scope_end(scope);
    if (status) fprintf(stderr, "bench-papers: %s\n", gpu_error());
    *value = status ? 0 : (double)sum;
    return !status;
}

void figure_levels(bench *b)
{
    figure f = {.name = "spawn-levels",
                .title = "The levels by gpu_spawn",
                .source = "PCL-Reduction and the slides: the kernels of reduce.cl by hand, and the same as texts for "
                          "gpu_spawn, with the operator as an argument; further launches finish.",
                .rows = "kernel",
                .unit = "milliseconds",
                .bars = true};
    for (size_t k = 0; k < sizeof levels / sizeof levels[0]; k++) {
        const level *l = &levels[k];
        const recipe how = {"GLOBAL", l->tree, ENDING_LAUNCHES, true, GROUP, l->elements};
        job j = {.b = b, .level = l, .n = b->stage_n};
        reduction_measure(b, &f, l->name, "by hand", &how, j.n);
        sample s = measure(run_levels, &j, expected_sum(b, j.n), b->budget_ms);
        figure_sample(&b->report, &f, l->name, "gpu_spawn", j.n, 4.0 * (double)j.n, &s);
    }
    report_figure(&b->report, &f);
}
