/* N-body by tiles: the items of a group load as many bodies as they are, and each adds up the pull of those on its own.
 * The pulls of all bodies add up to nothing. */
#include <firepile.h>
#include <firepile/math.h>
#include <stdio.h>

enum { BODIES = 1000 };

GPU_STRUCT(body, float x; float y; float mass;);
GPU_STRUCT(pull, float x; float y;);

/* What `other` adds to the pull on `b`, softened so that a body does not pull itself. */
GPU_FUNCTION(pull, add_pull, (pull p, body b, body other), {
    const float dx = other.x - b.x;
    const float dy = other.y - b.y;
    const float r2 = dx * dx + dy * dy + 0.01f;
    const float force = b.mass * other.mass / (r2 * sqrt(r2));
    p.x += force * dx;
    p.y += force * dy;
    return p;
});

GPU_KERNEL(attract,
           (GPU_GLOBAL const body *bodies, uint64_t bodies_length, GPU_LOCAL_MEMORY body *tile, GPU_GLOBAL pull *pulls),
           {
               pull sum;
               sum.x = sum.y = 0;
               const body own = bodies[i < bodies_length ? i : 0];
               for (uint64_t first = 0; first < bodies_length; first += ITEMS) {
                   if (first + item < bodies_length) tile[item] = bodies[first + item];
                   sync();
                   for (uint32_t k = 0; k < ITEMS && first + k < bodies_length; k++) sum = add_pull(sum, own, tile[k]);
                   sync();
               }
               if (i < bodies_length) pulls[i] = sum;
           });

int main(void)
{
    static body all[BODIES];
    static pull got[BODIES];
    for (int k = 0; k < BODIES; k++) all[k] = (body){(float)(k * 37 % 101), (float)(k * 53 % 103), 1 + (float)(k % 3)};
    gpu *g = gpu_open(NULL);
    const gpu_space s = gpu_space_of(g, BODIES);
    gpu_array *bodies = gpu_array_from(g, GPU_TYPE(body), all, BODIES), *pulls;
    gpu_spawn(g, s, attract, GPU_ARG(bodies), GPU_GROUP(tile, GPU_TYPE(body), s.items),
              GPU_RESULT(pulls, GPU_TYPE(pull), BODIES));
    bool failed = gpu_read(pulls, got);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    double x = 0, y = 0, most = 0;
    for (int k = 0; k < BODIES; k++) {
        x += got[k].x;
        y += got[k].y;
        most = fmax(most, fabs((double)got[k].x));
    }
    const bool balanced = fabs(x) < 0.001 * most && fabs(y) < 0.001 * most;
    if (!failed) printf("the pulls %s\n", balanced ? "add up to nothing" : "do not add up to nothing");
    if (fflush(stdout)) {
        perror("kernel_bodies");
        failed = true;
    }
    gpu_close(g);
    return failed || !balanced;
}
