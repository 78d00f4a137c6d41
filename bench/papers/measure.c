#include "papers.h"

#include <math.h>

enum { WARM_UPS = 2, MIN_RUNS = 3, MAX_RUNS = 31 };

static double run_checked(run_once *run, void *job, double expected, sample *s)
{
    double value = NAN;
    double start = now_ms();
    bool done = run(job, &value);
    double elapsed = now_ms() - start;
    double error = done ? fabs(value - expected) : NAN;
    if (!(error <= 0)) s->ok = false;
    if (!(error <= s->error)) s->error = error;
    return elapsed;
}

sample measure(run_once *run, void *job, double expected, double budget_ms)
{
    sample s = {.ok = true};
    double times[MAX_RUNS];
    for (int k = 0; k < WARM_UPS && s.ok; k++) run_checked(run, job, expected, &s);
    double end = now_ms() + budget_ms;
    while (s.ok && s.runs < MAX_RUNS && (s.runs < MIN_RUNS || now_ms() < end)) {
        times[s.runs++] = run_checked(run, job, expected, &s);
    }
    if (!s.runs) return s;
    s.median_ms = median(times, s.runs);
    s.min_ms = times[0];
    s.max_ms = times[s.runs - 1];
    return s;
}
