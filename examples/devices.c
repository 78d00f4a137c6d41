/* Lists the devices, and marks the one that gpu_open(NULL) takes. */
#include <firepile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *kind_name(gpu_device_kind kind)
{
    switch (kind) {
    case GPU_DEVICE_CPU:
        return "CPU";
    case GPU_DEVICE_GPU:
        return "GPU";
    case GPU_DEVICE_ACCELERATOR:
        return "accelerator";
    }
    return "unknown";
}

/* gpu_device_info cuts long names. */
static bool has_name(const gpu_device_info *info, const char *name)
{
    return strncmp(info->name, name, sizeof info->name - 1) == 0;
}

static void print_devices(const gpu_device_info *infos, size_t count, const char *taken)
{
    size_t marked = 0;
    for (size_t k = 0; k < count; k++) {
        bool mark = taken && has_name(&infos[k], taken);
        marked += mark;
        printf("%c %zu  %s  %s\n", mark ? '*' : ' ', k, kind_name(infos[k].kind), infos[k].name);
        printf("      platform %s, driver %s\n", infos[k].platform, infos[k].driver);
        printf("      %.1f GiB of memory, %u compute units, %s\n", (double)infos[k].memory_bytes / (1 << 30),
               infos[k].compute_units, infos[k].has_double ? "double" : "no double");
    }
    if (marked) printf("* gpu_open(NULL) takes %s\n", marked == 1 ? "this one" : "one of these, which share a name");
}

int main(void)
{
    size_t count = gpu_devices(NULL, 0);
    if (!count) {
        fprintf(stderr, "%s\n", gpu_error());
        return 1;
    }
    gpu_device_info *infos = malloc(count * sizeof *infos);
    if (!infos) {
        perror("devices");
        return 1;
    }
    size_t listed = gpu_devices(infos, count); /* a device may have come or gone since the first call */
    gpu *g = gpu_open(NULL);
    print_devices(infos, listed < count ? listed : count, g ? gpu_device_name(g) : NULL);
    if (!g) fprintf(stderr, "%s\n", gpu_error());

    bool failed = !g;
    if (fflush(stdout)) {
        perror("devices");
        failed = true;
    }
    gpu_close(g);
    free(infos);
    return failed;
}
