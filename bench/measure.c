#include "bench.h"

#include <string.h>

enum { MOST_CALLS = 1024, KERNEL_CALLS = 14, KERNEL_WARM_UPS = 3 };

/* No further call for the device's own times begins when those so far took this long. */
static const double enough_ms = 200;

static bench_verdict check(bench_trial *trial, const bench_expected *expected)
{
    memset(expected->got, 0xa5, expected->results * expected->op->result);
    if (!trial->read(trial, expected->got)) return VERDICT_FAILED;
    return bench_same(expected->op, expected->got, expected->want, expected->results) ? VERDICT_OK : VERDICT_WRONG;
}

/* One call. A value is checked after each, an array if `thorough`, which takes longer than the call. */
static double run_once(bench_trial *trial, const bench_expected *expected, bool thorough, bench_verdict *verdict)
{
    double start = now_ms();
    bool done = trial->run(trial);
    double elapsed = now_ms() - start;
    if (!done) *verdict = VERDICT_FAILED;
    if (done && (thorough || expected->op->value) && !*verdict) *verdict = check(trial, expected);
    return elapsed;
}

wire_answer measure_first(bench_trial *trial, const bench_expected *expected)
{
    wire_answer a = {.known = true};
    a.median_ms = a.min_ms = run_once(trial, expected, true, &a.verdict);
    return a;
}

/* Others have run since, and may still spin: the calls of the first tenth of the time warm up, and one at least, unless
 * it is all that there is time for. */
wire_answer measure_round(bench_trial *trial, const bench_expected *expected, double ms)
{
    wire_answer a = {.known = true};
    double times[MOST_CALLS], total = 0;
    size_t calls = 0, warm = 0;
    while (a.verdict != VERDICT_FAILED && (!calls || (calls < MOST_CALLS && total < ms))) {
        times[calls] = run_once(trial, expected, false, &a.verdict);
        if (total < ms / 10) warm = calls + 1;
        total += times[calls++];
    }
    if (warm > calls / 2) warm = calls / 2;
    a.median_ms = median(times + warm, calls - warm);
    a.min_ms = times[warm];
    return a;
}

bench_verdict measure_last(bench_trial *trial, const bench_expected *expected)
{
    return expected->op->value ? VERDICT_OK : check(trial, expected);
}

/* Milliseconds that the kernels of all calls so far ran. */
static double kernels_ms(gpu *g)
{
    gpu_stats stats = {0};
    if (gpu_finish(g) || gpu_get_stats(g, &stats)) return 0;
    return (double)stats.kernel_ns * 1e-6;
}

double measure_kernels(bench_trial *trial, gpu *g)
{
    double times[KERNEL_CALLS], start = now_ms();
    size_t calls = 0;
    while (!calls || (calls < KERNEL_CALLS && now_ms() - start < enough_ms)) {
        double before = kernels_ms(g);
        if (!trial->run(trial)) return 0;
        times[calls++] = kernels_ms(g) - before;
    }
    size_t warm = calls / 2 < KERNEL_WARM_UPS ? calls / 2 : KERNEL_WARM_UPS;
    return median(times + warm, calls - warm);
}
