#include "bench.h"

enum { ELEMENTS = 4096, ROUNDS = 21, MAPS = 10000, REDUCES = 200 };

static uint64_t driver_calls(gpu *g)
{
    gpu_stats stats = {0};
    return gpu_get_stats(g, &stats) ? 0 : stats.driver_calls;
}

static void print_cost(const char *what, double us, const char *text)
{
    printf("%-44s %10.3f  %s\n", what, us, text);
}

static void print_with_calls(const char *what, double us, double calls)
{
    char text[64];
    snprintf(text, sizeof text, "%.2f driver calls", calls);
    print_cost(what, us, text);
}

/* Delayed maps: nothing is launched. What a scope's end costs is left out. */
static void map_cost(gpu *g, const gpu_array *in)
{
    double us[ROUNDS];
    uint64_t calls = driver_calls(g);
    for (int round = 0; round < ROUNDS; round++) {
        gpu_scope *scope = gpu_scope_begin(g);
        double start = now_ms();
        for (int k = 0; k < MAPS; k++) gpu_map(in, "x * 2 + 1");
        us[round] = (now_ms() - start) * 1e3 / MAPS;
        gpu_scope_end(scope);
    }
    calls = driver_calls(g) - calls;
    print_with_calls("gpu_map, delayed", median(us, ROUNDS), (double)calls / ((double)MAPS * ROUNDS));
}

/* A value on the host, by the library or by hand. */
typedef struct caller {
    const gpu_array *in;
    gpu_status (*norm)(float *out, const gpu_array *v, float p); /* NULL: gpu_reduce */
    bench_trial *raw;                                            /* NULL: by the library */
} caller;

static bool run_once(const caller *c)
{
    float value;
    if (c->raw) return c->raw->run(c->raw);
    return (c->norm ? c->norm(&value, c->in, 3) : gpu_reduce(c->in, "a + b", &value)) == GPU_OK;
}

/* Microseconds for one of a round of calls. */
static double one_round(const caller *c, bool *good)
{
    double start = now_ms();
    for (int k = 0; k < REDUCES; k++)
        if (!run_once(c)) *good = false;
    return (now_ms() - start) * 1e3 / REDUCES;
}

/* The rounds take turns, so that both see the same machine. */
static bool value_cost(gpu *g, const char *what, const caller *c)
{
    double ours[ROUNDS], theirs[ROUNDS];
    bool good = true;
    const caller library = {c->in, c->norm, NULL};
    one_round(&library, &good);
    if (c->raw) one_round(c, &good);
    uint64_t calls = driver_calls(g);
    for (int round = 0; round < ROUNDS && good; round++) {
        ours[round] = one_round(&library, &good);
        if (c->raw) theirs[round] = one_round(c, &good);
    }
    if (!good) return false;
    calls = driver_calls(g) - calls;
    print_with_calls(what, median(ours, ROUNDS), (double)calls / (REDUCES * ROUNDS));
    if (c->raw) {
        print_cost("the same by hand in OpenCL", median(theirs, ROUNDS), "7 clSetKernelArg, 1 launch, 1 blocking read");
        print_cost("the library's share", median(ours, ROUNDS) - median(theirs, ROUNDS),
                   "the difference, two kernels' times included");
    } else {
        printf("(no comparison: the peer raw is not there)\n");
    }
    return true;
}

static bench_trial *start_raw(gpu *g, const char *op, const gpu_array *in, const float *elements)
{
    char object[4096];
    bench_job job = {.op = op,
                     .type = "float",
                     .n = ELEMENTS,
                     .element = sizeof(float),
                     .elements = elements,
                     .buffer = gpu_array_mem(in, NULL),
                     .queue = gpu_queue(g)};
    const bench_peer *raw = beside_program("peers/raw.so", object, sizeof object) ? peers_find(object, 0) : NULL;
    return raw ? raw->start(&job) : NULL;
}

/* The sum of cubes, as a function that gpu_compile has made. */
static bool norm_cost(gpu *g, const gpu_array *in, bench_trial *raw)
{
    caller c = {.in = in, .raw = raw};
    gpu_array *v = gpu_symbol(g, GPU_FLOAT), *p = gpu_symbol_value(g, GPU_FLOAT);
    gpu_array *sum = gpu_reduced(gpu_map(v, "pow(fabs(x), p[0])", GPU_ARG(p)), "a + b");
    if (gpu_compile(&c.norm, sum, v, p)) return false;
    return value_cost(g, "norm(&out, x, 3), compiled, value on the host", &c);
}

static bool print_costs(gpu *g)
{
    static float elements[ELEMENTS];
    bench_generate_float(elements, ELEMENTS, 1);
    gpu_array *in = gpu_array_of(g, elements, ELEMENTS);
    bench_trial *sum = start_raw(g, "reduce", in, elements), *norm = start_raw(g, "norm", in, elements);
    printf("%s\nHost cost of a warmed-up call at n = %d, wall time in microseconds, medians of %d rounds:\n\n",
           gpu_device_name(g), ELEMENTS, ROUNDS);
    map_cost(g, in);
    bool good = value_cost(g, "gpu_reduce, value on the host", &(caller){in, NULL, sum});
    good = norm_cost(g, in, norm) && good;
    if (sum) sum->free(sum);
    if (norm) norm->free(norm);
    gpu_array_free(in);
    return good;
}

bool host_cost(const char *device)
{
    gpu *g = open_device(device);
    bool good = g && print_costs(g);
    if (g && !good) fprintf(stderr, "bench: %s\n", gpu_error());
    gpu_close(g);
    return good;
}
