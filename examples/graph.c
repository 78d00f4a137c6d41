/* A graph of pages and links: its adjacency lists from a list of links, PageRank by 30 rounds without a wait, and the
 * distances from the first page by a breadth-first search. The program makes the links up. */
#include <firepile.h>
#include <math.h>
#include <stdio.h>

enum { PAGES = 1000, LINKS = 6000, ROUNDS = 30, SHOWN = 4 };
static int from[LINKS], to[LINKS];

/* The links of page v are columns[starts[v]], ...; the last page's end with the columns. */
typedef struct graph {
    gpu_array *starts, *columns;
} graph;

GPU_FUNCTION(uint64_t, end_of, (uint64_t v, GPU_GLOBAL const uint64_t *starts, uint64_t pages, uint64_t links),
             { return v + 1 < pages ? starts[v + 1] : links; });
/* What page i gives to each page that it links to. */
GPU_FUNCTION(float, share,
             (float rank, uint64_t i, GPU_GLOBAL const uint64_t *starts, uint64_t starts_length,
              uint64_t columns_length),
             {
                 uint64_t links = end_of(i, starts, starts_length, columns_length) - starts[i];
                 return links > 0 ? rank / (float)links : 0;
             });
/* What page i gets: links lead back, too. */
GPU_FUNCTION(float, rank_of,
             (float rank, uint64_t i, GPU_GLOBAL const uint64_t *starts, uint64_t starts_length,
              GPU_GLOBAL const int *columns, uint64_t columns_length, GPU_GLOBAL const float *shares),
             {
                 float sum = 0 * rank;
                 for (uint64_t k = starts[i]; k < end_of(i, starts, starts_length, columns_length); k++)
                     sum += shares[columns[k]];
                 return 0.15f / (float)starts_length + 0.85f * sum;
             });
/* The distance of page i, once a page that it links to has one. */
GPU_FUNCTION(int, reach,
             (int x, uint64_t i, int round, GPU_GLOBAL const uint64_t *starts, uint64_t starts_length,
              GPU_GLOBAL const int *columns, uint64_t columns_length, GPU_GLOBAL const int *distances),
             {
                 if (x >= 0) return x;
                 for (uint64_t k = starts[i]; k < end_of(i, starts, starts_length, columns_length); k++)
                     if (distances[columns[k]] == round) return round + 1;
                 return -1;
             });

/* Each link in both directions. Low numbers have more of them. */
static void make_links(void)
{
    unsigned state = 1998;
    for (int k = 0; k < LINKS; k += 2) {
        state = state * 1664525 + 1013904223;
        from[k] = to[k + 1] = (int)(state >> 12) % PAGES;
        to[k] = from[k + 1] = from[k] * ((int)(state >> 4 & 255)) / 256;
    }
}

static graph make_graph(gpu *g)
{
    gpu_array *sorted;
    graph made;
    gpu_sort_pairs(gpu_array_of(g, from, LINKS), gpu_array_of(g, to, LINKS), &sorted, &made.columns);
    made.starts = gpu_eval(gpu_lower_bound(sorted, gpu_range(g, GPU_INT, PAGES)));
    return made;
}

static gpu_array *rank_pages(gpu *g, graph made)
{
    gpu_array *starts = made.starts, *columns = made.columns;
    gpu_array *rank = gpu_fill(g, GPU_FLOAT, &(float){1.0f / PAGES}, PAGES);
    for (int k = 0; k < ROUNDS; k++) {
        gpu_array *shares = gpu_map(rank, share, GPU_ARG(starts), GPU_ARG(columns));
        rank = gpu_map(rank, rank_of, GPU_ARG(starts), GPU_ARG(columns), GPU_ARG(shares));
    }
    return rank;
}

/* Returns the number of rounds, or -1. */
static int find_distances(gpu *g, graph made, gpu_array **out)
{
    gpu_array *starts = made.starts, *columns = made.columns;
    gpu_array *distances = gpu_eval(gpu_map_to(gpu_range(g, GPU_ULONG, PAGES), GPU_INT, "x > 0 ? -1 : 0"));
    bool more = true;
    int round = 0;
    for (; more; round++) {
        gpu_array *next =
            gpu_eval(gpu_map(distances, reach, GPU_ARG(round), GPU_ARG(starts), GPU_ARG(columns), GPU_ARG(distances)));
        if (gpu_any(gpu_map2(distances, next, "x != y"), "x", &more)) return -1;
        distances = next;
    }
    *out = distances;
    return round;
}

static bool describe(gpu *g)
{
    const graph made = make_graph(g);
    gpu_array *rank = rank_pages(g, made), *distances, *best, *which;
    const int rounds = find_distances(g, made, &distances);
    float ranks[SHOWN];
    int pages[SHOWN];
    size_t reached;
    gpu_top_pairs(rank, gpu_range(g, GPU_INT, PAGES), SHOWN, &best, &which);
    if (rounds < 0 || gpu_read(best, ranks) || gpu_read(which, pages) || gpu_count(distances, "x >= 0", &reached))
        return false;
    for (int k = 0; k < SHOWN; k++) printf("page %d %.4f  ", pages[k], ranks[k]);
    printf("\n%zu of %d pages in reach, within %d links\n", reached, PAGES, rounds - 1);
    return pages[0] == 0;
}

int main(void)
{
    make_links();
    gpu *g = gpu_open(NULL);
    bool failed = !describe(g);
    if (failed) fprintf(stderr, "graph: %s\n", gpu_error());
    if (fflush(stdout)) {
        perror("graph");
        failed = true;
    }
    gpu_close(g);
    return failed;
}
