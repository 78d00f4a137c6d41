/* Contenders take turns, so that what changes with time, a clock or a neighbour, changes for all alike. */
#include "bench.h"

#include <string.h>

/* A contender's turn lasts TURN_MS or one call. It takes no further turn once its calls took ENOUGH_MS. */
enum { TURN_MS = 30, ENOUGH_MS = 200 };

/* Fewer ratios say nothing of their spread. */
enum { SPREAD_FROM = 3 };

static void take_turn(contender *c, bench_series *s)
{
    wire_answer a;
    double start = now_ms();
    contender_ask(c, &(wire_question){.verb = WIRE_RUN, .ms = TURN_MS}, &a);
    s->spent_ms += now_ms() - start;
    if (a.verdict > s->verdict) s->verdict = a.verdict;
    if (s->verdict >= VERDICT_FAILED) return;
    s->least_ms = s->rounds && s->least_ms < a.min_ms ? s->least_ms : a.min_ms;
    s->turns_ms[s->rounds++] = a.median_ms;
}

/* Values are checked after each call, arrays in the end. */
static void check_last(contender *c, bench_series *s)
{
    wire_answer a;
    if (!s->known || s->verdict != VERDICT_OK) return;
    contender_ask(c, &(wire_question){.verb = WIRE_CHECK}, &a);
    s->verdict = a.verdict;
}

static bool wants_turn(const bench_series *s)
{
    return s->known && s->verdict < VERDICT_FAILED && (!s->rounds || s->spent_ms < ENOUGH_MS);
}

void rounds_measure(contender *contenders, size_t count, const wire_question *start, bench_series *series)
{
    for (size_t k = 0; k < count; k++) {
        wire_answer a;
        series[k] = (bench_series){0};
        if (!contenders[k].pid) continue;
        report_progress(start->op, start->type, start->n, contenders[k].name);
        contender_ask(&contenders[k], start, &a);
        series[k].known = a.known;
        series[k].verdict = a.verdict;
        series[k].first_ms = a.median_ms;
    }
    for (size_t round = 0; round < ROUNDS_MOST; round++)
        for (size_t k = 0; k < count; k++)
            if (wants_turn(&series[k]) && series[k].rounds == round) take_turn(&contenders[k], &series[k]);
    for (size_t k = 0; k < count; k++) check_last(&contenders[k], &series[k]);
}

double series_median(const bench_series *s)
{
    double sorted[ROUNDS_MOST];
    if (!s->rounds) return 0;
    memcpy(sorted, s->turns_ms, sizeof sorted);
    return median(sorted, s->rounds);
}

bench_ratio series_ratio(const bench_series *ours, const bench_series *theirs)
{
    double ratios[ROUNDS_MOST];
    size_t count = ours->rounds < theirs->rounds ? ours->rounds : theirs->rounds;
    if (!count) return (bench_ratio){0};
    for (size_t k = 0; k < count; k++) ratios[k] = ours->turns_ms[k] / theirs->turns_ms[k];
    bench_ratio r = {.median = median(ratios, count)};
    if (count < SPREAD_FROM) return r;
    r.spread = (ratios[(count - 1) * 3 / 4] - ratios[(count - 1) / 4]) / r.median;
    return r;
}
