/* Shared objects that define functions and structs, and are unloaded while arrays made with them live. */
#include "support/support.h"

#include <dlfcn.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef gpu_array *maker(gpu *g, size_t n);

static void *load(int mode)
{
    char self[2 * TEST_PATH] = "", path[4 * TEST_PATH];
    cr_assert(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(path, sizeof path, "%s/plugins/plugin.so", dirname(self));
    return dlopen(path, mode | RTLD_NOW | RTLD_LOCAL);
}

/* What the plugin's function of this name makes; the plugin is gone when this returns. */
static gpu_array *make(gpu *g, const char *name, size_t n)
{
    void *plugin = load(0);
    cr_assert(plugin, "%s", dlerror());
    maker *f = __extension__(maker *) dlsym(plugin, name);
    cr_assert(f, "%s", dlerror());
    gpu_array *a = f(g, n);
    cr_assert(a, "%s: %s", name, gpu_error());
    cr_assert_eq(dlclose(plugin), 0);
    cr_assert_null(load(RTLD_NOLOAD), "the plugin is still loaded");
    return a;
}

static const size_t lengths[] = {5, 3000};

/* The device's elements, and small arrays' on the host. */
Test(unload, functions_are_gone_and_say_so)
{
    static const char *const names[] = {"function", "sorted", "device_function", "called"};
    setenv("FIREPILE_EAGER", "0", 1); /* else all is computed before they go */
    setenv("FIREPILE_VERIFY", "0", 1);
    gpu *g = test_open();
    for (size_t k = 0; k < 2 * COUNT_OF(names); k++) {
        int got[3000];
        gpu_array *a = make(g, names[k / 2], lengths[k % 2]);
        test_fails(GPU_E_ARGUMENT, gpu_read(a, got));
        test_has(gpu_error(), "is gone");
        test_has(gpu_error(), "plugin.c:");
        cr_assert(*gpu_explain(a), "%s", names[k / 2]);
    }
    test_close(g);
}

/* first + k * step */
static void is_series(const char *name, const gpu_array *a, size_t n, int first, int step)
{
    int *want = test_alloc(n, sizeof *want);
    for (size_t k = 0; k < n; k++) want[k] = first + (int)k * step;
    test_holds(name, a, GPU_INT, n, want);
    free(want);
}

Test(unload, texts_values_and_structs_stay)
{
    static const struct {
        const char *name;
        int first, step;
    } cases[] = {{"captured", 1000, 3}, {"items", 6, 0}, {"captured_item", 5, 1}, {"compiled", -1000, 1}};
    gpu *g = test_open();
    for (size_t k = 0; k < 2 * COUNT_OF(cases); k++) {
        size_t n = lengths[k % 2];
        is_series(cases[k / 2].name, make(g, cases[k / 2].name, n), n, cases[k / 2].first, cases[k / 2].step);
    }
    test_close(g);
}

Test(unload, errors_keep_their_texts)
{
    static const struct {
        const char *name;
        gpu_status status;
        const char *says;
    } cases[] = {{"sliced", GPU_E_RANGE, "plugin.c:"},
                 {"gathered", GPU_E_RANGE, "plugin.c:"},
                 {"refused", GPU_E_SNIPPET, "x + undefined_name"}};
    gpu *g = test_open();
    for (size_t k = 0; k < 2 * COUNT_OF(cases); k++) {
        int got[3000];
        gpu_array *a = make(g, cases[k / 2].name, lengths[k % 2]);
        test_fails(cases[k / 2].status, gpu_read(a, got));
        test_has(gpu_error(), cases[k / 2].says);
        cr_assert(*gpu_explain(a), "%s", cases[k / 2].name);
    }
    test_close(g);
}

/* What was made while it was loaded is not needed again. */
Test(unload, a_plugin_that_comes_again_works_again)
{
    gpu *g = test_open();
    for (int round = 0; round < 3; round++) {
        void *plugin = load(0);
        cr_assert(plugin, "%s", dlerror());
        maker *f = __extension__(maker *) dlsym(plugin, "function");
        gpu_array *a = gpu_eval(f(g, 3000));
        is_series("while it is loaded", a, 3000, 0, 2);
        dlclose(plugin);
        is_series("computed before it went", a, 3000, 0, 2);
    }
    test_close(g);
}

Test(unload, gpus_are_closed_after_it)
{
    static const char *const names[] = {"function", "items", "captured", "sorted", "refused"};
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        gpu *g = test_open();
        make(g, names[k], 3000);
        test_close(g);
    }
}

Test(unload, the_library_while_a_thread_lives_on)
{
    int status = pclose(test_program("tests/programs/unload"));
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the program ended with the wait status %d", status);
}
