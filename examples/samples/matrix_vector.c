/* Firepile's product of a matrix and a vector: the products, and the sums of the rows, in one kernel. */
#include <firepile.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

enum { ROWS = 600, COLUMNS = 1000 };
static float matrix[ROWS][COLUMNS], vector[COLUMNS], product[ROWS];

/* A NaN is infinitely far from everything. */
static double off(double a, double b)
{
    double difference = fabs(a - b);
    return difference >= 0 ? difference : INFINITY;
}

/* The largest difference from plain C, relative to the rounding of float arithmetic. */
static double compare(void)
{
    double worst = 0;
    for (int r = 0; r < ROWS; r++) {
        double sum = 0, size = 0;
        for (int c = 0; c < COLUMNS; c++) {
            sum += (double)matrix[r][c] * vector[c];
            size += fabs((double)matrix[r][c] * vector[c]);
        }
        /* Each product is rounded once, and once more in each of at most COLUMNS - 1 additions, in any order of
         * adding. */
        double allowed = COLUMNS * (FLT_EPSILON / 2) * size;
        worst = fmax(worst, off(product[r], sum) / allowed);
    }
    return worst;
}

int main(void)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) matrix[r][c] = (float)((r * 37 + c * 101) % 251 - 125) / 7;
    for (int c = 0; c < COLUMNS; c++) vector[c] = (float)(c % 13 - 6) / 3;

    gpu *g = gpu_open(NULL);
    unsigned columns = COLUMNS;
    gpu_array *m = gpu_array_of(g, &matrix[0][0], ROWS * COLUMNS), *v = gpu_array_of(g, vector, COLUMNS);
    gpu_array *products = gpu_map(m, "x * v[i % columns]", GPU_ARG(v), GPU_ARG(columns));
    bool failed = gpu_read(gpu_block_reduce(products, COLUMNS, "a + b"), product);

    double part = failed ? 0 : compare();
    if (failed)
        fprintf(stderr, "%s\n", gpu_error());
    else
        printf("matrix x vector: %d x %d on %s, at most %.1e of the allowed difference from plain C\n", ROWS, COLUMNS,
               gpu_device_name(g), part);

    if (fflush(stdout)) {
        perror("matrix_vector");
        failed = true;
    }
    gpu_close(g);
    return failed || !(part <= 1);
}
