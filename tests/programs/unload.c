/* Loads libfirepile, has a thread use it and unload it, and sees the thread end. test_unload runs it. */
#include <dlfcn.h>
#include <firepile.h>
#include <libgen.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *library;

#define FIND(name) __typeof__(&name) find_##name = __extension__(__typeof__(&name)) dlsym(library, #name)

static void *work(void *unused)
{
    FIND(gpu_open);
    FIND(gpu_close);
    FIND(gpu_range_op);
    FIND(gpu_explain);
    gpu *g = find_gpu_open("host");
    gpu_array *a = find_gpu_range_op(g, dlsym(library, "gpu_type_float"), 10, NULL);
    bool told = *find_gpu_explain(a); /* this text is the thread's, and freed at its end */
    find_gpu_close(g);
    dlclose(library);
    return told ? library : unused;
}

int main(void)
{
    char self[1024] = "", path[1100];
    pthread_t thread;
    void *worked = NULL;
    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0) return 1;
    snprintf(path, sizeof path, "%s/../../libfirepile.so", dirname(self));
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fprintf(stderr, "%s\n", dlerror());
    if (!library || pthread_create(&thread, NULL, work, NULL)) return 1;
    pthread_join(thread, &worked);
    return !worked;
}
