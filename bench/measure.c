#include "bench.h"

#include <string.h>

enum { WARM_UPS = 3, MOST_CALLS = 54, KERNEL_CALLS = 14 };

/* No further call begins when those so far took this long. */
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

/* Of so many calls, those that only warm up. */
static size_t warm_ups(size_t calls)
{
    return calls / 2 < WARM_UPS ? calls / 2 : WARM_UPS;
}

static bool wants_more(size_t calls, size_t most, double total_ms)
{
    return !calls || (calls < most && total_ms < enough_ms);
}

bench_sample measure(bench_trial *trial, const bench_expected *expected)
{
    bench_sample s = {0};
    double times[MOST_CALLS], total = 0;
    size_t calls = 0;
    s.first_ms = run_once(trial, expected, true, &s.verdict);
    while (s.verdict != VERDICT_FAILED && wants_more(calls, MOST_CALLS, total)) {
        times[calls] = run_once(trial, expected, false, &s.verdict);
        total += times[calls++];
    }
    if (s.verdict == VERDICT_OK && !expected->op->value) s.verdict = check(trial, expected);
    if (s.verdict == VERDICT_FAILED) return s;
    size_t warm = warm_ups(calls), runs = calls - warm;
    double *sorted = times + warm;
    s.median_ms = median(sorted, runs);
    s.min_ms = sorted[0];
    s.spread = (sorted[(runs - 1) * 9 / 10] - sorted[(runs - 1) / 10]) / s.median_ms;
    return s;
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
    while (wants_more(calls, KERNEL_CALLS, now_ms() - start)) {
        double before = kernels_ms(g);
        if (!trial->run(trial)) return 0;
        times[calls++] = kernels_ms(g) - before;
    }
    size_t warm = warm_ups(calls);
    return median(times + warm, calls - warm);
}
