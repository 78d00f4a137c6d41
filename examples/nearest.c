/* Nearest neighbours: each animal of unknown kind gets the kind of the known one that is most like it. The distances
 * are a matrix that is not stored: gpu_matrix_outer is fused with the reduction of its rows. */
#include <firepile.h>
#include <stdio.h>

enum { KNOWN = 1500, UNKNOWN = 300, KINDS = 3 };

GPU_STRUCT(animal, float weight; float height; float away; int kind;);

/* The known animal, with its distance from the other one. */
GPU_FUNCTION(animal, measure, (animal unknown, animal known), {
    const float weight = known.weight - unknown.weight, height = known.height - unknown.height;
    known.away = weight * weight + height * height;
    return known;
});
GPU_FUNCTION(animal, nearer, (animal a, animal b), { return b.away < a.away ? b : a; });

/* Whole numbers, scattered around a middle for each kind. */
static void make_animals(animal *animals, int count, unsigned state)
{
    static const float middles[KINDS][2] = {{40, 60}, {90, 50}, {70, 110}};
    for (int k = 0; k < count; k++) {
        float spread[2] = {0, 0};
        for (int draw = 0; draw < 8; draw++) {
            state = state * 1664525 + 1013904223;
            spread[draw % 2] += (float)(state >> 16) / 65536 * 20 - 10;
        }
        const int kind = k % KINDS;
        animals[k] =
            (animal){(float)(int)(middles[kind][0] + spread[0]), (float)(int)(middles[kind][1] + spread[1]), 0, kind};
    }
}

/* By one loop in the other. */
static int kind_of(const animal *unknown, const animal *known)
{
    animal best = measure(*unknown, known[0]);
    for (int k = 1; k < KNOWN; k++) best = nearer(best, measure(*unknown, known[k]));
    return best.kind;
}

int main(void)
{
    static animal known[KNOWN], unknown[UNKNOWN], nearest[UNKNOWN];
    make_animals(known, KNOWN, 1);
    make_animals(unknown, UNKNOWN, 2);
    gpu *g = gpu_open(NULL);
    gpu_matrix *distances = gpu_matrix_outer(gpu_array_from(g, GPU_TYPE(animal), unknown, UNKNOWN),
                                             gpu_array_from(g, GPU_TYPE(animal), known, KNOWN), measure);
    bool failed = gpu_read(gpu_matrix_reduce_rows(distances, nearer), nearest);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    int right = 0, agree = 0;
    for (int k = 0; k < UNKNOWN && !failed; k++) {
        right += nearest[k].kind == unknown[k].kind;
        agree += nearest[k].kind == kind_of(&unknown[k], known);
    }
    if (!failed) printf("%d of %d animals get their kind\n", right, UNKNOWN);
    if (fflush(stdout)) {
        perror("nearest");
        failed = true;
    }
    gpu_close(g);
    return failed || agree < UNKNOWN;
}
