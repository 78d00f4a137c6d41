/* A matrix product by tiles: each group loads a tile of both matrices into local memory, where its items share it. */
#include <firepile.h>
#include <stdio.h>

enum { SIDE = 96 };

GPU_KERNEL(multiply,
           (GPU_GLOBAL const float *x, GPU_GLOBAL const float *y, uint32_t side, GPU_LOCAL_MEMORY float *left,
            GPU_LOCAL_MEMORY float *right, GPU_GLOBAL float *z),
           {
               float sum = 0;
               for (uint32_t first = 0; first < side; first += ITEM_COLUMNS) {
                   const uint32_t across = first + item_column;
                   const uint32_t down = first + item_row;
                   left[item] = row < side && across < side ? x[row * side + across] : 0;
                   right[item] = down < side && column < side ? y[down * side + column] : 0;
                   sync();
                   for (uint32_t k = 0; k < ITEM_COLUMNS; k++)
                       sum += left[item_row * ITEM_COLUMNS + k] * right[k * ITEM_COLUMNS + item_column];
                   sync();
               }
               if (row < side && column < side) z[row * side + column] = sum;
           });

static float x_data[SIDE * SIDE], y_data[SIDE * SIDE], z_data[SIDE * SIDE];

/* The elements that differ from those of the loops in C. Whole numbers are exact. */
static int count_wrong(void)
{
    int wrong = 0;
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++) {
            float sum = 0;
            for (int k = 0; k < SIDE; k++) sum += x_data[r * SIDE + k] * y_data[k * SIDE + c];
            wrong += z_data[r * SIDE + c] != sum;
        }
    return wrong;
}

int main(void)
{
    for (int k = 0; k < SIDE * SIDE; k++) {
        x_data[k] = (float)(k % 7);
        y_data[k] = (float)(k % 5 - 2);
    }
    gpu *g = gpu_open(NULL);
    const gpu_space s = {.groups = (SIDE / 8) * (SIDE / 8), .items = 64, .group_rows = SIDE / 8, .item_rows = 8};
    const uint32_t side = SIDE;
    gpu_array *x = gpu_array_of(g, x_data, SIDE * SIDE), *y = gpu_array_of(g, y_data, SIDE * SIDE), *z;
    gpu_spawn(g, s, multiply, GPU_ARG(x), GPU_ARG(y), GPU_ARG(side), GPU_GROUP(left, GPU_FLOAT, s.items),
              GPU_GROUP(right, GPU_FLOAT, s.items), GPU_RESULT(z, GPU_FLOAT, SIDE * SIDE));
    bool failed = gpu_read(z, z_data);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    const int wrong = failed ? 1 : count_wrong();
    if (!failed) printf("%d of %d elements differ from plain C\n", wrong, SIDE * SIDE);
    if (fflush(stdout)) {
        perror("kernel_product");
        failed = true;
    }
    gpu_close(g);
    return failed || wrong;
}
