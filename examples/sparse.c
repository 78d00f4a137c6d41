/* Conjugate gradients with a sparse matrix in rows (CSR): the voltages in a net of resistors, from the currents into
 * its nodes. The host waits once, for the voltages. */
#include <firepile.h>
#include <math.h>
#include <stdio.h>

enum { NODES = 1000, WIRES = 3, MOST = NODES * (2 * WIRES + 1), ITERATIONS = 25 };

/* Row k has the numbers values[starts[k]] to values[starts[k + 1] - 1], in these columns. */
static int starts[NODES + 1], columns[MOST];
static float values[MOST];

GPU_FUNCTION(float, row_times,
             (int begin, uint64_t i, GPU_GLOBAL const int *start, GPU_GLOBAL const int *column,
              GPU_GLOBAL const float *value, GPU_GLOBAL const float *v),
             {
                 float sum = 0;
                 for (int k = begin; k < start[i + 1]; k++) sum += value[k] * v[column[k]];
                 return sum;
             });

/* Each node is wired to some others, and to the ground. */
static void make_net(void)
{
    int used = 0;
    for (int node = 0; node < NODES; node++) {
        starts[node] = used;
        columns[used] = node;
        values[used++] = 2 * WIRES + 1;
        for (int wire = 0; wire < WIRES; wire++)
            for (int side = -1; side <= 1; side += 2, used++) {
                const int away = side * (1 + 37 * wire * wire);
                columns[used] = (node + NODES + away) % NODES;
                values[used] = -1;
            }
    }
    starts[NODES] = used;
}

static gpu_array *dot(const gpu_array *a, const gpu_array *b)
{
    return gpu_reduced(gpu_map2(a, b, "x * y"), "a + b");
}

/* Solves matrix * u = current, from u = 0. */
static gpu_array *solve(gpu *g, const gpu_array *current)
{
    gpu_array *start = gpu_array_of(g, starts, NODES + 1), *begins = gpu_slice(start, 0, NODES);
    gpu_array *column = gpu_array_of(g, columns, MOST), *value = gpu_array_of(g, values, MOST);
    gpu_array *u = gpu_eval(gpu_fill(g, GPU_FLOAT, &(float){0}, NODES));
    const gpu_array *rest = current, *v = current;
    gpu_array *square = dot(rest, rest);
    for (int k = 0; k < ITERATIONS; k++) {
        gpu_array *image = gpu_eval(gpu_map_to(begins, GPU_FLOAT, row_times, GPU_ARG(start), GPU_ARG(column),
                                               GPU_ARG(value), GPU_ARG_AS(v, GPU_CAPTURE_ARRAY, v)));
        gpu_array *slope = dot(v, image), *before = square;
        u = gpu_eval(gpu_map2(u, v, "x + before[0] / slope[0] * y", GPU_ARG(before), GPU_ARG(slope)));
        rest = gpu_eval(gpu_map2(rest, image, "x - before[0] / slope[0] * y", GPU_ARG(before), GPU_ARG(slope)));
        square = dot(rest, rest);
        v = gpu_map2(rest, v, "x + square[0] / before[0] * y", GPU_ARG(square), GPU_ARG(before));
    }
    return u;
}

/* The current that is left over at a node, at most. */
static double largest_rest(const float *u, const float *current)
{
    double worst = 0;
    for (int node = 0; node < NODES; node++) {
        double rest = current[node];
        for (int k = starts[node]; k < starts[node + 1]; k++) rest -= (double)values[k] * u[columns[k]];
        worst = fmax(worst, fabs(rest));
    }
    return worst;
}

int main(void)
{
    static float current[NODES] = {[0] = 1, [NODES / 2] = -1}, u[NODES];
    make_net();
    gpu *g = gpu_open(NULL);
    bool failed = gpu_read(solve(g, gpu_array_of(g, current, NODES)), u);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    if (!failed) printf("%.4f and %.4f volts; the currents are balanced\n", u[0], u[NODES / 2]);
    if (fflush(stdout)) {
        perror("sparse");
        failed = true;
    }
    gpu_close(g);
    return failed || !(largest_rest(u, current) < 1e-4);
}
