#include "support.h"

#include "cl/device.h"

#include <firepile/interop.h>
#include <ftw.h>
#include <inttypes.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const size_t test_sizes[] = {0,     1,     2,     3,      31,      32,      33,      63,    64,    65,
                             127,   128,   129,   255,    256,     257,     511,     512,   513,   1000,
                             1023,  1024,  1025,  6143,   6144,    6145,    10000,   16384, 16385, 65535,
                             65536, 65537, 68931, 785433, 2803221, 3679636, 16777217};

const gpu_type test_scalars[] = {GPU_CHAR, GPU_UCHAR, GPU_SHORT, GPU_USHORT, GPU_INT,
                                 GPU_UINT, GPU_LONG,  GPU_ULONG, GPU_FLOAT,  GPU_DOUBLE};

static bool is_on(const char *name)
{
    const char *value = getenv(name);
    return value && *value && strcmp(value, "0") != 0;
}

bool test_full(void)
{
    return is_on("FIREPILE_TEST_FULL");
}

bool test_takes_type(size_t t, unsigned first)
{
    return test_full() || t % 4 == first;
}

bool test_small(void)
{
    return is_on("FIREPILE_TEST_SMALL");
}

int test_rounds(void)
{
    const char *rounds = getenv("FIREPILE_TEST_ROUNDS");
    return rounds && *rounds ? atoi(rounds) : 1;
}

bool test_eager(void)
{
    return is_on("FIREPILE_EAGER") || test_verifies();
}

bool test_verifies(void)
{
    return is_on("FIREPILE_VERIFY");
}

bool test_tiny(void)
{
    const char *policy = getenv("FIREPILE_POLICY");
    return policy && strstr(policy, "tiny");
}

size_t test_limit(size_t n)
{
    size_t most = test_small() ? 4096 : test_tiny() ? (size_t)1 << 20 : n;
    return n < most ? n : most;
}

size_t test_size_count(size_t limit)
{
    size_t count = sizeof test_sizes / sizeof test_sizes[0];
    limit = test_limit(test_full() ? SIZE_MAX : limit);
    while (count > 0 && test_sizes[count - 1] > limit) count--;
    return count;
}

/* A copy of a size that the compiler knows is no call. */
static void copy_scalar(void *to, const void *from, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else if (bytes == 2)
        memcpy(to, from, 2);
    else
        memcpy(to, from, 1);
}

test_number test_get(gpu_type type, const void *array, size_t i)
{
    const char *at = (const char *)array + i * type->size;
    test_number number = {0};
    if (type == GPU_FLOAT) {
        float f;
        memcpy(&f, at, sizeof f);
        number.f = (double)f;
        return number;
    }
    copy_scalar(&number, at, type->size); /* little endian */
    unsigned unused = 64 - 8 * (unsigned)type->size;
    if (type->kind == GPU_KIND_SIGNED) number.s = (int64_t)(number.u << unused) >> unused;
    return number;
}

void test_put(gpu_type type, void *array, size_t i, test_number number)
{
    char *at = (char *)array + i * type->size;
    float f = type == GPU_FLOAT ? (float)number.f : 0;
    copy_scalar(at, type == GPU_FLOAT ? (const void *)&f : (const void *)&number, type->size);
}

test_number test_whole(gpu_type type, int64_t value)
{
    test_number number = {.s = value};
    if (type->kind == GPU_KIND_FLOATING) number.f = (double)value;
    return number;
}

uint64_t test_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15)); /* splitmix64 */
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void test_random_fill(gpu_type type, void *out, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = test_random(&seed);
        int64_t value = type->kind == GPU_KIND_FLOATING ? (int64_t)(bits % 5) - 2 : (int64_t)bits;
        test_put(type, out, i, test_whole(type, value));
    }
}

void *test_alloc(size_t n, size_t bytes)
{
    void *memory = calloc(n ? n : 1, bytes);
    cr_assert(memory, "the test needs %zu times %zu bytes of memory", n, bytes);
    return memory;
}

void *test_random_bytes(gpu_type type, size_t n, uint64_t seed)
{
    void *data = test_alloc(n, type->size);
    test_random_fill(GPU_UCHAR, data, n * type->size, seed);
    return data;
}

static gpu_type component_of(gpu_type type)
{
    size_t slots = type->width == 3 ? 4 : type->width;
    for (size_t k = 0; k < COUNT_OF(test_scalars); k++) {
        if (test_scalars[k]->kind == type->kind && test_scalars[k]->size * slots == type->size) return test_scalars[k];
    }
    return NULL;
}

static bool same_element(gpu_type type, const char *got, const char *want)
{
    gpu_type scalar = component_of(type);
    if (!scalar) return memcmp(got, want, type->size) == 0;
    for (size_t k = 0; k < type->width; k++) {
        test_number g = test_get(scalar, got, k), w = test_get(scalar, want, k);
        bool same = scalar->kind != GPU_KIND_FLOATING ? g.u == w.u : g.f == w.f || (isnan(g.f) && isnan(w.f));
        if (!same) return false;
    }
    return true;
}

static const char *show(gpu_type type, const char *element, char *text, size_t room)
{
    gpu_type scalar = component_of(type);
    size_t count = scalar ? type->width : type->size < 32 ? type->size : 32, used = 0;
    text[0] = 0;
    for (size_t k = 0; k < count && used < room; k++) {
        test_number v = scalar ? test_get(scalar, element, k) : test_get(GPU_UCHAR, element, k);
        const char *blank = k ? " " : "";
        int n = !scalar                             ? snprintf(text + used, room - used, "%s%02" PRIx64, blank, v.u)
                : scalar->kind == GPU_KIND_FLOATING ? snprintf(text + used, room - used, "%s%.17g", blank, v.f)
                : scalar->kind == GPU_KIND_SIGNED   ? snprintf(text + used, room - used, "%s%" PRId64, blank, v.s)
                                                    : snprintf(text + used, room - used, "%s%" PRIu64, blank, v.u);
        used += n > 0 ? (size_t)n : 0;
    }
    return text;
}

/* ---- comparing ---- */

static _Atomic uint64_t compared;
static pid_t counting;

__attribute__((constructor)) static void start_counting(void)
{
    counting = getpid();
}

void test_compared(size_t n)
{
    compared += n;
}

/* Each test is a process. At its end it appends a line with one write, since several end at once. A process that it
 * forked has inherited its counts. */
__attribute__((destructor)) static void tell_counts(void)
{
    const char *path = getenv("FP_TEST_COUNTS");
    FILE *counts = path && getpid() == counting ? fopen(path, "a") : NULL;
    gpu_stats stats;
    if (!counts) return;
    if (!gpu_get_stats(NULL, &stats))
        fprintf(counts, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", compared, stats.programs_built, stats.programs_loaded);
    fclose(counts);
}

void test_same_at(const char *file, int line, const char *what, gpu_type type, size_t n, const void *got,
                  const void *want)
{
    test_compared(n);
    if (n == 0 || memcmp(got, want, n * type->size) == 0) return;
    for (size_t i = 0; i < n; i++) {
        const char *g = (const char *)got + i * type->size, *w = (const char *)want + i * type->size;
        char g_text[256], w_text[256];
        cr_assert(same_element(type, g, w), "%s:%d: %s: type %s, n = %zu, element %zu: got %s, wanted %s", file, line,
                  what, type->name, n, i, show(type, g, g_text, sizeof g_text), show(type, w, w_text, sizeof w_text));
    }
}

bool test_on_host(void)
{
    const char *device = getenv("FIREPILE_DEVICE");
    return device && !strcmp(device, "host");
}

void test_end_if_refused(const char *text)
{
    static const char *const refusals[] = {"does not run on the host", "the host device does not have",
                                           "has no host side"};
    for (size_t k = 0; k < COUNT_OF(refusals) && test_on_host(); k++)
        if (strstr(text, refusals[k])) cr_skip_test("%s", text);
    bool lacks = strstr(text, "has no double") || strstr(text, "has a double, and the device");
    if (lacks && !test_has_double()) cr_skip_test("%s", text);
}

/* Of the device that gpu_open(NULL) opens; where that fails the test finds out. */
bool test_has_double(void)
{
    static int has = -1;
    fp_device *device;
    if (has < 0 && !fp_device_open(NULL, &device)) {
        has = fp_device_capabilities(device)->has_double;
        fp_device_close(device);
    }
    return has != 0;
}

size_t test_scalar_count(void)
{
    return COUNT_OF(test_scalars) - !test_has_double();
}

void test_needs_opencl(void)
{
    if (test_on_host()) cr_skip_test("it tests OpenCL devices");
}

void test_whole_tiles(void)
{
    const char *policy = getenv("FIREPILE_POLICY");
    if (policy && strstr(policy, "tiny")) unsetenv("FIREPILE_POLICY");
}

unsigned test_passes(void)
{
    const char *policy = getenv("FIREPILE_POLICY");
    return policy && strstr(policy, "sweeps") ? 2 : 1;
}

static fp_capabilities capabilities_of_device(void)
{
    fp_device *device;
    test_ok(fp_device_open(NULL, &device));
    const fp_capabilities capabilities = *fp_device_capabilities(device);
    fp_device_close(device);
    return capabilities;
}

static bool is_simulated(const fp_capabilities *capabilities)
{
    return strstr(capabilities->platform, "Oclgrind") != NULL;
}

bool test_simulated(void)
{
    const fp_capabilities capabilities = capabilities_of_device();
    return is_simulated(&capabilities);
}

bool test_runs_gpu_shapes(void)
{
    const fp_capabilities capabilities = capabilities_of_device();
    bool tested_pocl = strstr(capabilities.platform, "Portable Computing Language") && capabilities.gives_binaries;
    return !capabilities.cpu || capabilities.host || tested_pocl || is_simulated(&capabilities);
}

bool test_takes_threads(void)
{
    const fp_capabilities capabilities = capabilities_of_device();
    return !is_simulated(&capabilities) && strncmp(capabilities.name, "basic", 5) != 0;
}

void test_holds_at(const char *file, int line, const char *what, const gpu_array *a, gpu_type type, size_t n,
                   const void *want)
{
    size_t read = SIZE_MAX;
    void *got = test_alloc(n, type->size);
    gpu_status status = gpu_read_n(a, got, n, &read);
    if (status) test_end_if_refused(gpu_error());
    cr_assert(status == GPU_OK && read == n, "%s:%d: %s: %zu elements, wanted %zu; %s", file, line, what, read, n,
              gpu_error());
    cr_assert_eq(gpu_length(a), n, "%s:%d: %s: the length is %zu, wanted %zu", file, line, what, gpu_length(a), n);
    test_same_at(file, line, what, type, n, got, want);
    free(got);
}

void test_holds_steps_at(const char *file, int line, const char *what, const gpu_array *a, gpu_type type, size_t n,
                         int64_t first, int64_t step)
{
    void *want = test_alloc(n, type->size);
    for (size_t i = 0; i < n; i++) test_put(type, want, i, test_whole(type, first + step * (int64_t)i));
    test_holds_at(file, line, what, a, type, n, want);
    free(want);
}

void test_still_works(gpu *g, const char *after)
{
    int got = 0;
    test_ok(gpu_reduce(gpu_map(gpu_range(g, GPU_INT, 10), "x * 2"), "a + b", &got));
    cr_assert_eq(got, 90, "%d, wanted 90, after \"%s\"", got, after);
}

void test_status_at(const char *file, int line, const char *call, gpu_status wanted, gpu_status got)
{
    if (got && got != wanted) test_end_if_refused(gpu_error());
    cr_assert(got == wanted, "%s:%d: %s gave %s, wanted %s; gpu_error() is \"%s\"", file, line, call,
              gpu_status_name(got), gpu_status_name(wanted), gpu_error());
    if (wanted) cr_assert(*gpu_error(), "%s:%d: %s gave %s and no text", file, line, call, gpu_status_name(got));
}

gpu_array *test_array_at(const char *file, int line, const char *call, gpu_status wanted, gpu_array *a)
{
    cr_assert(a, "%s:%d: %s gave NULL", file, line, call);
    gpu_status got = gpu_array_status(gpu_eval(a));
    if (got && got != wanted) test_end_if_refused(gpu_array_error(a));
    cr_assert(got == wanted, "%s:%d: %s is %s, wanted %s; its text is \"%s\"", file, line, call, gpu_status_name(got),
              gpu_status_name(wanted), gpu_array_error(a));
    cr_assert(!wanted == !*gpu_array_error(a), "%s:%d: %s is %s with the text \"%s\"", file, line, call,
              gpu_status_name(got), gpu_array_error(a));
    return a;
}

/* PoCL loads its built-in functions, which takes a second, for the first program that is built while there is no other
 * context. One of the tests' own, alive until the process ends, has that done once for all the gpus that a test opens
 * one after the other. */
static void keep_the_driver_loaded(gpu *g)
{
    static cl_context context;
    cl_device_id device;
    cl_device_type type = 0;
    cl_command_queue queue = gpu_queue(g);
    if (context || !queue || clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL)) return;
    if (clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL) || !(type & CL_DEVICE_TYPE_CPU)) return;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
}

gpu *test_open(void)
{
    test_nothing_lives("before gpu_open");
    gpu *g = gpu_open(NULL);
    cr_assert(g, "gpu_open(NULL): %s", gpu_error());
    keep_the_driver_loaded(g);
    return g;
}

void test_close(gpu *g)
{
    gpu_close(g);
    test_nothing_lives("after gpu_close");
}

void test_nothing_lives(const char *when)
{
    gpu_stats s = test_stats(NULL);
    cr_assert(!s.live_gpus && !s.live_arrays && !s.live_buffers && !s.live_programs && !s.live_kernels,
              "%s there are still %" PRIu64 " gpus, %" PRIu64 " arrays, %" PRIu64 " buffers, %" PRIu64
              " programs, %" PRIu64 " kernels",
              when, s.live_gpus, s.live_arrays, s.live_buffers, s.live_programs, s.live_kernels);
}

gpu_stats test_stats(const gpu *g)
{
    gpu_stats stats = {0};
    cr_assert(gpu_get_stats(g, &stats) == GPU_OK, "gpu_get_stats: %s", gpu_error());
    return stats;
}

void test_has_at(const char *file, int line, const char *text, const char *part)
{
    if (!strstr(text, part)) test_end_if_refused(text);
    cr_assert(strstr(text, part), "%s:%d: no \"%s\" in the text \"%s\"", file, line, part, text);
}

void test_caret_at(const char *file, int at, const char *text, const char *line, size_t column)
{
    test_end_if_refused(text);
    for (const char *shown = strstr(text, line); shown; shown = strstr(shown + 1, line)) {
        const char *start = shown, *end = strchr(shown, '\n');
        while (start > text && start[-1] != '\n') start--;
        const char *next = end ? strchr(end + 1, '\n') : NULL, *caret = end ? strchr(end, '^') : NULL;
        if (!caret || (next && caret > next)) continue;
        cr_assert(caret - end - 1 == shown - start + (ptrdiff_t)column,
                  "%s:%d: the caret is not under character %zu of \"%s\" in \"%s\"", file, at, column, line, text);
        return;
    }
    cr_assert_fail("%s:%d: no line \"%s\" with a caret below it in \"%s\"", file, at, line, text);
}

void test_folder_make(char *path)
{
    const char *above = getenv("TMPDIR");
    snprintf(path, TEST_PATH, "%s/firepile-test-XXXXXX", above && *above ? above : "/tmp");
    cr_assert(mkdtemp(path), "cannot make the folder %s", path);
}

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *walk)
{
    (void)status, (void)flag, (void)walk;
    return remove(path);
}

void test_folder_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- programs ---- */

static void command_in_build(const char *command, char *path, size_t room)
{
    const char *folder = getenv("FP_TEST_BUILD");
    char self[2 * TEST_PATH] = "";
    if (folder) {
        snprintf(path, room, "%s/%s", folder, command);
        return;
    }
    cr_assert(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(path, room, "%s/../%s", dirname(self), command);
}

/* Leaks are for the tests in this process to find: a driver's compiler leaks when it has work to do. */
FILE *test_program(const char *command)
{
    const char *options = getenv("ASAN_OPTIONS");
    char path[4 * TEST_PATH];
    snprintf(path, sizeof path, "%s:detect_leaks=0", options ? options : "");
    setenv("ASAN_OPTIONS", path, 1);
    command_in_build(command, path, sizeof path);
    FILE *output = popen(path, "r");
    cr_assert(output, "cannot run %s", path);
    return output;
}
