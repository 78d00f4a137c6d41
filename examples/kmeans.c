/* k-means: each point belongs to the nearest of a few centres, and each centre moves to the mean of its points. Sums
 * and centres stay on the device through all iterations. The host waits once, for the last sums. */
#include <firepile.h>
#include <stdio.h>

#define POINTS 3000
#define CENTRES 3
#define SQUARE (POINTS / CENTRES)
#define ITERATIONS 10

/* For each centre: the sums of its points, and their number. */
GPU_STRUCT(sums, float x[CENTRES]; float y[CENTRES]; float count[CENTRES];);
GPU_CONSTANT(centre_count, CENTRES);

GPU_FUNCTION(sums, add, (sums a, sums b), {
    for (int k = 0; k < centre_count; k++) {
        a.x[k] += b.x[k];
        a.y[k] += b.y[k];
        a.count[k] += b.count[k];
    }
    return a;
});

/* The sums of a single point: it counts for its nearest centre. */
GPU_DEVICE_FUNCTION(sums, divide, (float2 point, __global const float2 *centres), {
    int nearest = 0;
    for (int k = 1; k < centre_count; k++)
        if (distance(point, centres[k]) < distance(point, centres[nearest])) nearest = k;
    sums one = {{0}};
    one.x[nearest] = point.x;
    one.y[nearest] = point.y;
    one.count[nearest] = 1;
    return one;
});

/* An iteration is two kernels: one for the sums, and one for the centres, when the next iteration captures them. A
 * centre without points does not move. */
static gpu_array *find_sums(const gpu_array *points, const gpu_array *centres)
{
    gpu_array *total = NULL;
    for (int k = 0; k < ITERATIONS; k++) {
        total = gpu_reduced(gpu_map_to(points, GPU_TYPE(sums), divide, GPU_ARG(centres)), add, GPU_COMMUTATIVE);
        centres = gpu_map(centres, "total->count[i] > 0 ? (float2)(total->x[i], total->y[i]) / total->count[i] : x",
                          GPU_ARG(total));
    }
    return total;
}

/* The points: SQUARE of them in a square around each of three places. */
static void make_points(gpu_float2 *points)
{
    static const gpu_float2 middles[CENTRES] = {{0, 0}, {4, 1}, {1, 5}};
    uint32_t state = 2011;
    for (int k = 0; k < 2 * POINTS; k++) {
        state = state * 1664525u + 1013904223u;
        const gpu_float2 *middle = &middles[k / 2 / SQUARE];
        float noise = (float)(state >> 8) / 16777216 - 0.5f;
        if (k % 2)
            points[k / 2].y = middle->y + 2 * noise;
        else
            points[k / 2].x = middle->x + 2 * noise;
    }
}

int main(void)
{
    static gpu_float2 points[POINTS];
    make_points(points);
    gpu *g = gpu_open(NULL);
    gpu_array *p = gpu_array_of(g, points, POINTS);
    sums total;
    bool failed = gpu_read(find_sums(p, gpu_slice(p, 0, CENTRES)), &total), wrong = false;
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    for (int k = 0; !failed && k < CENTRES; k++) {
        printf("%4.0f points around (%.2f, %.2f)\n", total.count[k], total.x[k] / total.count[k],
               total.y[k] / total.count[k]);
        wrong |= total.count[k] != SQUARE;
    }
    if (fflush(stdout)) {
        perror("kmeans");
        failed = true;
    }
    gpu_close(g);
    return failed || wrong;
}
