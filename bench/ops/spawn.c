/* Kernels of the user's own, by gpu_spawn. The peer `raw` launches the same texts by hand. */
#include "../op.h"

#include <firepile/math.h>

#define BENCH_STRUCT GPU_STRUCT
#define BENCH_FUNCTION GPU_FUNCTION
#define BENCH_KERNEL GPU_KERNEL
#include "../kernels.h"

/* ---- a launch, and its value on the host ---- */

static gpu_status launch(const gpu_array *in, void *out)
{
    const size_t n = gpu_length(in);
    gpu_array *y;
    gpu_spawn(bench_gpu, gpu_space_of(bench_gpu, n), turn_round, GPU_ARG_NAMED(x, in), GPU_RESULT(y, GPU_FLOAT, n));
    gpu_array *first = gpu_slice(y, 0, 1);
    gpu_status status = gpu_read(first, (float *)out);
    gpu_array_free(first);
    gpu_array_free(y);
    return status;
}

static size_t launch_reference(const void *elements, size_t n, void *out)
{
    const float *x = elements;
    *(float *)out = 2 * x[n - 1] + 1;
    return 1;
}

/* ---- N-body ---- */

static void generate_bodies(void *elements, size_t n, uint64_t seed)
{
    body *b = elements;
    for (size_t k = 0; k < n; k++) {
        const uint64_t r = bench_random(&seed);
        b[k] = (body){(float)(r % 1000), (float)(r >> 16 & 1023), 1 + (float)(r >> 32 & 3)};
    }
}

static gpu_array *pull_bodies(const gpu_array *in)
{
    const size_t n = gpu_length(in);
    const gpu_space s = gpu_space_of(bench_gpu, n);
    gpu_array *pulls;
    gpu_spawn(bench_gpu, s, attract, GPU_ARG_NAMED(bodies, in), GPU_GROUP(tile, GPU_TYPE(body), s.items),
              GPU_RESULT(pulls, GPU_TYPE(pull), n));
    return pulls;
}

/* The kernel adds up in the same order and rounds alike, so results are equal. */
static size_t pull_reference(const void *elements, size_t n, void *out)
{
    const body *b = elements;
    pull *pulls = out;
    for (size_t k = 0; k < n; k++) {
        pulls[k] = (pull){0, 0};
        for (size_t other = 0; other < n; other++) pulls[k] = add_pull(pulls[k], b[k], b[other]);
    }
    return n;
}

/* ---- a matrix product ---- */

static gpu_array *multiply(const gpu_array *in)
{
    const uint32_t side = (uint32_t)bench_side(gpu_length(in));
    const gpu_space s = gpu_space_of_2(bench_gpu, side, side);
    gpu_array *z;
    gpu_spawn(bench_gpu, s, multiply_tiles, GPU_ARG_NAMED(x, in), GPU_ARG_NAMED(y, in), GPU_ARG(side),
              GPU_GROUP(left, GPU_FLOAT, s.items), GPU_GROUP(right, GPU_FLOAT, s.items),
              GPU_RESULT(z, GPU_FLOAT, (size_t)side * side));
    return z;
}

/* ---- all of them ---- */

/* Launches are short. In plain C 2^14 bodies take seconds, and so does a product of 2048 rows. */
enum { MOST_LAUNCHED = 1 << 20, MOST_BODIES = 1 << 14, MOST_BODIES_ON_CPU = 1 << 12 };
enum { MOST_MULTIPLIED = 1 << 22, MOST_MULTIPLIED_ON_CPU = 1 << 20 };

BENCH_OP(op_spawn, .name = "spawn", .type = GPU_FLOAT, .bytes = 2 * sizeof(float), .result = sizeof(float),
         .generate = bench_generate_float, .value = launch, .reference = launch_reference, .most = MOST_LAUNCHED);
BENCH_OP(op_spawn_bodies, .name = "spawn_bodies", .type = GPU_TYPE(body), .bytes = sizeof(body) + sizeof(pull),
         .result = sizeof(pull), .generate = generate_bodies, .array = pull_bodies, .reference = pull_reference,
         .most = MOST_BODIES, .most_on_cpu = MOST_BODIES_ON_CPU);
BENCH_OP(op_spawn_product, .name = "spawn_product", .type = GPU_FLOAT, .bytes = 2 * sizeof(float),
         .result = sizeof(float), .generate = bench_generate_float, .array = multiply, .reference = bench_multiply,
         .most = MOST_MULTIPLIED, .most_on_cpu = MOST_MULTIPLIED_ON_CPU);
