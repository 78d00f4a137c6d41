/* A struct and two functions, each written once. The host calls them, and the device runs them as operators. */
#include <firepile.h>
#include <stdio.h>

GPU_STRUCT(particle, float x; float y; float mass;);
GPU_FUNCTION(float, energy, (particle p), { return 0.5f * p.mass * (p.x * p.x + p.y * p.y); });
GPU_FUNCTION(float, add, (float a, float b), { return a + b; });

#define COUNT 1000

int main(void)
{
    particle cloud[COUNT];
    float expected = 0;
    for (int i = 0; i < COUNT; i++) {
        cloud[i] = (particle){.x = (float)(i % 7), .y = (float)(i % 11), .mass = 2};
        expected = add(expected, energy(cloud[i]));
    }

    gpu *g = gpu_open(NULL);
    gpu_array *particles = gpu_array_from(g, GPU_TYPE(particle), cloud, COUNT);
    float total;
    bool failed = gpu_reduce(gpu_map_to(particles, GPU_FLOAT, energy), add, &total);
    if (failed)
        fprintf(stderr, "%s\n", gpu_error());
    else
        printf("energy of %d particles: %g on %s, %g on the host\n", COUNT, total, gpu_device_name(g), expected);

    if (fflush(stdout)) {
        perror("functions");
        failed = true;
    }
    gpu_close(g);
    return failed || total != expected; /* whole numbers below 2^24: exact in any order */
}
