/* Several kinds of shape in one array. A sealed class with its subclasses becomes a struct with a tag and a union. A
 * virtual method becomes a function with a switch, written once for host and device. */
#include <firepile.h>
#include <stdio.h>
#include <string.h>

GPU_ENUM(CIRCLE, RECTANGLE, TRIANGLE);
GPU_STRUCT(
    shape, int kind; union {
        float radius;
        struct {
            float width;
            float height;
        } rectangle;
        struct {
            float base;
            float height;
        } triangle;
    };);

GPU_FUNCTION(float, area, (shape s), {
    switch (s.kind) {
    case CIRCLE:
        return 3.14159265f * s.radius * s.radius;
    case RECTANGLE:
        return s.rectangle.width * s.rectangle.height;
    case TRIANGLE:
        return s.triangle.base * s.triangle.height / 2;
    }
    return 0;
});

/* The larger of two shapes, as an operator of a reduction. Shapes are passed and returned by value. */
GPU_FUNCTION(shape, larger, (shape a, shape b), { return area(a) < area(b) ? b : a; });

/* More elements than FIREPILE_SMALL, so that the device computes them. */
enum { COUNT = 30000, SHOWN = 6 };
static shape shapes[COUNT];

static void fill(void)
{
    for (int k = 0; k < COUNT; k++) {
        float a = (float)(k % 101) / 4, b = (float)(k % 37) / 2;
        shapes[k].kind = k % 3;
        if (k % 3 == CIRCLE) shapes[k].radius = a;
        if (k % 3 == RECTANGLE) shapes[k].rectangle.width = a, shapes[k].rectangle.height = b;
        if (k % 3 == TRIANGLE) shapes[k].triangle.base = a, shapes[k].triangle.height = b;
    }
}

/* Computes the area of each shape, and that of the largest. */
static gpu_status measure(const char *device, float *areas, float *most)
{
    static const char *const names[] = {"circle", "rectangle", "triangle"};
    gpu *g = gpu_open(device);
    gpu_array *all = gpu_array_from(g, GPU_TYPE(shape), shapes, COUNT);
    shape largest;
    gpu_status status = gpu_read(gpu_map_to(all, GPU_FLOAT, area), areas);
    if (!status) status = gpu_reduce(all, larger, &largest);
    if (status) {
        fprintf(stderr, "%s\n", gpu_error());
    } else {
        *most = area(largest);
        printf("%s:", gpu_device_name(g));
        for (int k = 0; k < SHOWN; k++) printf(" %g", areas[k]);
        printf(" ...; the largest is a %s of %g\n", names[largest.kind], *most);
    }
    gpu_close(g);
    return status;
}

int main(void)
{
    static float there[COUNT], here[COUNT];
    float most_there, most_here;
    fill();
    if (measure(NULL, there, &most_there) || measure("host", here, &most_here)) return 1;
    bool same = !memcmp(there, here, sizeof here) && most_there == most_here; /* to the last bit */
    printf("%s\n", same ? "the same on both sides" : "NOT the same on both sides");
    bool printed = !ferror(stdout) && !fflush(stdout);
    if (!printed) perror("sealed");
    return !same || !printed;
}
