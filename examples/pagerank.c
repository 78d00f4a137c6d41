/* PageRank of a list of links, by power iteration until the ranks stay: each page gives its rank to those that it links
 * to, and pages without links give theirs to all. The program makes the links up. */
#include <firepile.h>
#include <math.h>
#include <stdio.h>

enum { PAGES = 2000, LINKS = 10000, SHOWN = 4, MOST_ROUNDS = 100 };
static int from[LINKS], to[LINKS];

/* A page may link to any other; low numbers are linked to more often. Every eighth page has no links. */
static void make_links(void)
{
    unsigned state = 1998;
    for (int k = 0; k < LINKS; k++) {
        state = state * 1664525 + 1013904223;
        from[k] = (int)(state >> 12) % PAGES;
        from[k] += from[k] % 8 == 0;
        state = state * 1664525 + 1013904223;
        to[k] = (int)(state >> 12) % PAGES * (int)(state >> 4 & 255) / 256;
    }
}

/* The sums of the values that have the same page. */
static gpu_array *per_page(const gpu_array *page, const gpu_array *values)
{
    return gpu_bin_reduce(page, values, PAGES, &(float){0}, "a + b");
}

/* One round: 85 of 100 visitors follow a link, and the others go anywhere. */
static gpu_array *visit(const gpu_array *rank, gpu_array *links, const gpu_array *source, const gpu_array *target)
{
    const float pages = PAGES;
    gpu_array *stuck = gpu_reduced(gpu_map2(rank, links, "y > 0 ? 0 : x"), "a + b");
    gpu_array *share = gpu_map2(rank, links, "y > 0 ? x / y : 0");
    gpu_array *followed = per_page(target, gpu_gather(share, source));
    return gpu_map(followed, "(0.15f + 0.85f * stuck[0]) / pages + 0.85f * x", GPU_ARG(stuck), GPU_ARG(pages));
}

/* Returns the number of rounds, or -1. */
static int rank_pages(gpu *g, gpu_array **out)
{
    gpu_array *source = gpu_array_of(g, from, LINKS), *target = gpu_array_of(g, to, LINKS);
    gpu_array *links = gpu_eval(per_page(source, gpu_fill(g, GPU_FLOAT, &(float){1}, LINKS)));
    gpu_array *rank = gpu_eval(gpu_fill(g, GPU_FLOAT, &(float){1.0f / PAGES}, PAGES));
    float change = 1;
    int round = 0;
    for (; change > 1e-6f && round < MOST_ROUNDS; round++) {
        gpu_array *next = gpu_eval(visit(rank, links, source, target));
        if (gpu_reduce(gpu_map2(next, rank, "fabs(x - y)"), "a + b", &change)) return -1;
        gpu_replace(&rank, next);
    }
    *out = rank;
    return round;
}

int main(void)
{
    make_links();
    gpu *g = gpu_open(NULL);
    gpu_array *rank, *best, *which;
    float ranks[SHOWN], sum = 0;
    int pages[SHOWN];
    bool failed = rank_pages(g, &rank) < 0;
    if (!failed) gpu_top_pairs(rank, gpu_range(g, GPU_INT, PAGES), SHOWN, &best, &which);
    failed = failed || gpu_read(best, ranks) || gpu_read(which, pages) || gpu_reduce(rank, "a + b", &sum);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    for (int k = 0; k < SHOWN && !failed; k++)
        printf("page %d %.4f%s", pages[k], ranks[k], k + 1 < SHOWN ? ", " : "\n");
    if (fflush(stdout)) {
        perror("pagerank");
        failed = true;
    }
    gpu_close(g);
    return failed || !(fabsf(sum - 1) < 1e-3f);
}
