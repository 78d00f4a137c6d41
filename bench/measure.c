#include "bench.h"

#include <string.h>

enum { WARM_UPS = 3, LEAST_RUNS = 5, MOST_RUNS = 51, KERNEL_RUNS = 11 };
static const double enough_ms = 200;

static bench_verdict check(bench_trial *trial, const bench_expected *expected)
{
    memset(expected->got, 0xa5, expected->bytes);
    if (!trial->read(trial, expected->got)) return VERDICT_FAILED;
    return memcmp(expected->got, expected->want, expected->bytes) ? VERDICT_WRONG : VERDICT_OK;
}

/* One call. A value is checked after each, an array if `thorough`, which takes longer than the call. */
static double run_once(bench_trial *trial, const bench_expected *expected, bool thorough, bench_verdict *verdict)
{
    double start = now_ms();
    bool done = trial->run(trial);
    double elapsed = now_ms() - start;
    if (!done) *verdict = VERDICT_FAILED;
    if (done && (thorough || !expected->array) && !*verdict) *verdict = check(trial, expected);
    return elapsed;
}

bench_sample measure(bench_trial *trial, const bench_expected *expected)
{
    bench_sample s = {0};
    double times[MOST_RUNS], total = 0;
    size_t runs = 0;
    s.first_ms = run_once(trial, expected, true, &s.verdict);
    for (int k = 0; k < WARM_UPS && s.verdict != VERDICT_FAILED; k++) run_once(trial, expected, false, &s.verdict);
    while (s.verdict != VERDICT_FAILED && runs < MOST_RUNS && (runs < LEAST_RUNS || total < enough_ms)) {
        times[runs] = run_once(trial, expected, false, &s.verdict);
        total += times[runs++];
    }
    if (s.verdict == VERDICT_OK && expected->array) s.verdict = check(trial, expected);
    if (s.verdict == VERDICT_FAILED) return s;
    s.median_ms = median(times, runs);
    s.min_ms = times[0];
    s.spread = (times[(runs - 1) * 9 / 10] - times[(runs - 1) / 10]) / s.median_ms;
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
    double times[KERNEL_RUNS];
    for (int k = -WARM_UPS; k < KERNEL_RUNS; k++) {
        double before = kernels_ms(g);
        if (!trial->run(trial)) return 0;
        if (k >= 0) times[k] = kernels_ms(g) - before;
    }
    return median(times, KERNEL_RUNS);
}
