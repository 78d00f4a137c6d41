#include "bench.h"

#include <stdlib.h>
#include <string.h>

const char options_usage[] =
    "usage: bench [options]\n"
    "  --ops LIST        operations, separated by commas; default: all\n"
    "  --types LIST      element types; default: all\n"
    "  --sizes LIST      numbers of elements: 1000,2^12,2^16..2^20. A range goes in powers of four from its first "
    "size\n"
    "                    on. Default: 2^12..2^28 on a GPU, 2^12,2^16,2^20,2^24,2^26 elsewhere.\n"
    "                    bitonic ends at 2^20. By default most end at 2^24 on a CPU, sorts of few types\n"
    "  --device NAME     an OpenCL device: gpu, cpu, an index, part of a name. Default: $FIREPILE_DEVICE, or the best\n"
    "  --peers LIST      openmp, std, gnu, tbb, raw, boost, cub, thrust, cublas, curand; none; all. Default: all that\n"
    "                    were built and can run\n"
    "  --against BENCH   another build of this program, whose library takes part as \"other\"\n"
    "  --format FORMAT   table or csv, on standard output; default: table\n"
    "  --out DIR         writes bench.csv and the tables of README.md too, into a folder there for the device\n"
    "  --quick           2^12 and 2^16 only, to see that everything is right\n"
    "  --host-cost       instead of all that: what a call costs the host, in microseconds\n"
    "  --small           instead of all that: calls on small arrays, left to the host and on the device\n"
    "  --help            this text\n"
    "\n"
    "A time is wall time until the value is on the host, or the finished array on the device and its length on the\n"
    "host, in milliseconds. Each contender is measured in a process of its own. They take turns: seven rounds, in\n"
    "each of which a contender calls for 30 ms, or 1024 times, and once at least; the first tenth warms up. A "
    "contender "
    "takes\n"
    "no further turn once its turns took 0.2 seconds. median_ms is the median of the turns' medians. ratio is the time "
    "of\n"
    "this library divided by the row's, the median over the rounds: below 1 this library is faster. spread is the\n"
    "distance of the ratios' quartiles, as a share of the ratio. A goal that a row misses by more than 2 % is named.\n"
    "first_ms is the first call, which builds the kernel, or loads it from a cache. kernel_ms, of our "
    "rows,\n"
    "is the time that the device itself reports for the kernels of a call, in a pass of its own. GB/s counts the "
    "bytes\n"
    "that have to be read and written; for a sort, each element once. of_copy is the share of a device copy's GB/s,\n"
    "measured at the start. All read the same elements again and again: what fits into the processor's caches is\n"
    "measured in them, for all alike.\n"
    "Some alternatives are left out where they take seconds: std, gnu and tbb do not run beside a GPU, and on a CPU\n"
    "they and boost sort more than 2^20 elements of few types only.\n"
    "\n"
    "Every result is compared with a plain C reference. The exit status is 1 if a result of this library is wrong.\n";

bool options_list_has(const char *list, const char *name)
{
    if (!list || !strcmp(list, "all")) return true;
    size_t length = strlen(name);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && !memcmp(at, name, length)) return true;
    return false;
}

/* A number, or a power of two like 2^12; 0 if it is neither. */
static size_t read_size(const char **text)
{
    char *end;
    unsigned long long size = strtoull(*text, &end, 10);
    if (size == 2 && *end == '^') {
        unsigned long exponent = strtoul(end + 1, &end, 10);
        size = exponent < 40 ? 1ull << exponent : 0;
    }
    *text = end;
    return (size_t)size;
}

bool options_sizes(bench_options *o, const char *text)
{
    size_t last = 0;
    o->size_count = 0;
    for (;;) {
        size_t n = read_size(&text), end = n;
        if (!strncmp(text, "..", 2)) {
            text += 2;
            end = read_size(&text);
        }
        if (n <= last || end < n) return false;
        for (; n <= end; n *= 4) {
            if (o->size_count == SIZES_MAX) return false;
            o->sizes[o->size_count++] = last = n;
        }
        if (!*text) return true;
        if (*text++ != ',') return false;
    }
}

static bool set_sizes(bench_options *o, const char *text)
{
    if (options_sizes(o, text)) return true;
    fprintf(stderr, "bench: --sizes %s: expected rising sizes, at most %d, like 1000,2^12..2^20\n", text, SIZES_MAX);
    return false;
}

static bool set_format(bench_options *o, const char *text)
{
    static const char *const names[FORMAT_COUNT] = {"table", "csv"};
    for (int k = 0; k < FORMAT_COUNT; k++) {
        if (strcmp(text, names[k])) continue;
        o->format = (bench_format)k;
        return true;
    }
    fprintf(stderr, "bench: --format %s: expected table or csv\n", text);
    return false;
}

/* The options without a value. */
static bool read_flag(bench_options *o, const char *name)
{
    if (!strcmp(name, "--quick")) {
        o->quick = true;
    } else if (!strcmp(name, "--host-cost")) {
        o->host_cost = true;
    } else if (!strcmp(name, "--small")) {
        o->small = true;
    } else if (!strcmp(name, "--worker")) {
        o->worker = true;
    } else if (!strcmp(name, "--help")) {
        o->help = true;
    } else {
        return false;
    }
    return true;
}

/* The options with one. */
static bool read_value(bench_options *o, const char *name, const char *value)
{
    const struct {
        const char *name;
        const char **text;
    } texts[] = {{"--ops", &o->ops},         {"--types", &o->types},   {"--peers", &o->peers}, {"--device", &o->device},
                 {"--against", &o->against}, {"--object", &o->object}, {"--out", &o->folder}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        if (strcmp(name, texts[k].name)) continue;
        *texts[k].text = value;
        return true;
    }
    if (!strcmp(name, "--sizes")) return set_sizes(o, value);
    if (!strcmp(name, "--index")) return o->index = atoi(value), true;
    if (!strcmp(name, "--format")) return set_format(o, value);
    fprintf(stderr, "bench: there is no option %s; --help lists them\n", name);
    return false;
}

bool options_read(bench_options *o, int argc, char **argv)
{
    *o = (bench_options){0};
    for (int k = 1; k < argc; k++) {
        if (read_flag(o, argv[k])) continue;
        if (k + 1 == argc) {
            fprintf(stderr, "bench: %s: no such option, or its value is missing; --help lists them\n", argv[k]);
            return false;
        }
        if (!read_value(o, argv[k], argv[k + 1])) return false;
        k++;
    }
    return !o->quick || o->size_count || options_sizes(o, "2^12,2^16");
}
