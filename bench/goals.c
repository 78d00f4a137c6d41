#include "bench.h"

#include <string.h>

/* The project's goals: the largest ratio of its time to a peer's, and milliseconds that may come on top. */
static const struct {
    const char *peer;
    const char *op; /* NULL: all */
    bool gpu;       /* on GPUs, or on the others */
    size_t least;   /* elements from which it holds */
    double ratio, more_ms;
} goals[] = {{.peer = "cub", .gpu = true, .ratio = 1.00},
             {.peer = "openmp", .least = 1 << 20, .ratio = 1.10},
             {.peer = "raw", .op = "spawn", .gpu = true, .ratio = 1.00, .more_ms = 0.0015},
             {.peer = "raw", .op = "spawn_bodies", .gpu = true, .ratio = 1 / 0.95},
             {.peer = "raw", .op = "spawn_product", .gpu = true, .ratio = 1 / 0.95}};

/* A ratio differs by as much from run to run. */
static const double tolerance = 0.02;

bool goal_find(const bench_row *peer, bool gpu, double *ratio)
{
    for (size_t k = 0; k < sizeof goals / sizeof *goals; k++) {
        if (strcmp(goals[k].peer, peer->who) || goals[k].gpu != gpu || peer->n < goals[k].least) continue;
        if (goals[k].op && strcmp(goals[k].op, peer->op)) continue;
        *ratio = goals[k].ratio + (peer->median_ms > 0 ? goals[k].more_ms / peer->median_ms : 0);
        return true;
    }
    return false;
}

bool goal_is_met(double goal, double ratio)
{
    return ratio <= goal * (1 + tolerance);
}
