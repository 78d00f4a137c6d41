/* Kernels that the library runs by gpu_spawn and the peer `raw` by hand, from one text. The file that includes this one
 * defines BENCH_STRUCT, BENCH_FUNCTION and BENCH_KERNEL, which take what GPU_STRUCT, GPU_FUNCTION and GPU_KERNEL do. */
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

/* One write an item: the elements in reverse. */
BENCH_KERNEL(turn_round, (GPU_GLOBAL const float *x, uint64_t x_length, GPU_GLOBAL float *y), {
    if (i < x_length) y[i] = 2 * x[x_length - 1 - i] + 1;
});

/* N-body, by tiles: see examples/kernel_bodies.c */
BENCH_STRUCT(body, float x; float y; float mass;);
BENCH_STRUCT(pull, float x; float y;);
BENCH_FUNCTION(pull, add_pull, (pull p, body b, body other), {
    const float dx = other.x - b.x;
    const float dy = other.y - b.y;
    const float r2 = dx * dx + dy * dy + 0.01f;
    const float force = b.mass * other.mass / (r2 * sqrt(r2));
    p.x += force * dx;
    p.y += force * dy;
    return p;
});
BENCH_KERNEL(attract,
             (GPU_GLOBAL const body *bodies, uint64_t bodies_length, GPU_LOCAL_MEMORY body *tile,
              GPU_GLOBAL pull *pulls),
             {
                 pull sum;
                 sum.x = sum.y = 0;
                 const body own = bodies[i < bodies_length ? i : 0];
                 for (uint64_t first = 0; first < bodies_length; first += ITEMS) {
                     if (first + item < bodies_length) tile[item] = bodies[first + item];
                     sync();
                     for (uint32_t k = 0; k < ITEMS && first + k < bodies_length; k++)
                         sum = add_pull(sum, own, tile[k]);
                     sync();
                 }
                 if (i < bodies_length) pulls[i] = sum;
             });

/* The matrix product by tiles: see examples/kernel_product.c */
BENCH_KERNEL(multiply_tiles,
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

#endif
