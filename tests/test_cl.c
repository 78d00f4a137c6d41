/* lib/cl: choosing and opening devices, buffers and their pool, transfers. */
#include "support/cl.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Bytes that differ from their neighbours and from those of another seed. */
static void fill(unsigned char *bytes, size_t n, unsigned seed)
{
    for (size_t k = 0; k < n; k++) bytes[k] = (unsigned char)((k * 7 + seed * 31 + k / 251) & 255);
}

/* ---- devices ---- */

static void check_selector(const char *selector)
{
    fp_device *device = NULL;
    cr_assert_eq(fp_device_open(selector, &device), GPU_OK, "\"%s\": %s", selector, gpu_error());
    cr_assert(*fp_device_capabilities(device)->name);
    cr_assert_not_null(fp_device_queue(device));
    closed(device);
}

TestSuite(cl, .init = test_needs_opencl);

Test(cl, selectors_that_match)
{
    gpu_device_info infos[16];
    size_t count = fp_device_list(infos, COUNT_OF(infos));
    cr_assert_geq(count, 1, "%s", gpu_error());
    cr_assert_eq(fp_device_list(NULL, 0), count);
    const char *const kinds[] = {"CPU", "gpu", "accelerator"};
    char *upper = strdup(infos[0].name);
    for (char *c = upper; *c; c++) *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    check_selector("0");
    check_selector("");
    check_selector(upper);
    check_selector(infos[0].platform);
    check_selector(kinds[infos[0].kind]);
    free(upper);
    setenv("FIREPILE_DEVICE", infos[count - 1].name, 1);
    fp_device *device = opened();
    cr_assert(strncmp(fp_device_capabilities(device)->name, infos[count - 1].name, sizeof infos->name - 1) == 0);
    closed(device);
}

Test(cl, selectors_that_do_not)
{
    fp_device *device = NULL;
    fails(fp_device_open("no such thing", &device), GPU_E_DEVICE, "no device matches \"no such thing\"");
    cr_assert(strstr(gpu_error(), "\n  0: "), "the list of devices is missing: %s", gpu_error());
    fails(fp_device_open("99", &device), GPU_E_DEVICE, "\"99\"");
    fails(fp_device_open("99999999999999999999999999", &device), GPU_E_DEVICE, "\n  0: ");
    setenv("FIREPILE_DEVICE", "12345", 1);
    fails(fp_device_open(NULL, &device), GPU_E_DEVICE, "FIREPILE_DEVICE=\"12345\"");
    fails(fp_device_open("", &device), GPU_E_DEVICE, "FIREPILE_DEVICE=\"12345\"");
    cr_assert_null(device);
    nothing_lives();
}

Test(cl, no_platform)
{
    char folder[] = "/tmp/firepile-no-icd-XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    setenv("OCL_ICD_VENDORS", folder, 1);
    if (fp_device_list(NULL, 0) > 0) cr_skip_test("this driver does not come through the ICD loader");
    fp_device *device = NULL;
    fails(fp_device_open(NULL, &device), GPU_E_DEVICE, "pocl-opencl-icd");
    fails(fp_device_open("0", &device), GPU_E_DEVICE, "no OpenCL platform");
    cr_assert_eq(fp_device_list(NULL, 0), 0);
    rmdir(folder);
}

Test(cl, device_says_what_it_can)
{
    fp_device *device = opened();
    const fp_capabilities *capabilities = fp_device_capabilities(device);
    const char *const texts[] = {capabilities->name, capabilities->vendor, capabilities->driver, capabilities->platform,
                                 capabilities->platform_version};
    for (size_t k = 0; k < COUNT_OF(texts); k++) cr_assert(*texts[k], "text %zu is empty", k);
    cr_assert_geq(capabilities->compute_units, 1);
    cr_assert_geq(capabilities->max_group, 1);
    cr_assert_geq(capabilities->local_bytes, 1024);
    cr_assert_geq(capabilities->parameter_bytes, 256);
    closed(device);
}

Test(cl, open_device_is_counted)
{
    fp_device *device = opened();
    cr_assert_eq(stats_of(device).live_gpus, 1);
    closed(device);
}

Test(cl, wait_is_counted_and_timed_on_demand)
{
    fp_device *device = opened();
    cr_assert_eq(stats_of(device).driver_ns, 0);
    fp_device_time_calls(device, true);
    ok(fp_device_finish(device));
    cr_assert_gt(stats_of(device).driver_ns, 0);
    cr_assert_eq(stats_of(device).waits, 1);
    closed(device);
}

/* Of other versions of PoCL nobody knows that they can make them. */
Test(cl, platforms_that_give_binaries)
{
    static const struct {
        const char *name, *version;
        bool gives;
    } platforms[] = {
        {"Portable Computing Language", "OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6",
         true},
        {"Portable Computing Language", "OpenCL 3.0 PoCL 3.1", true},
        {"Portable Computing Language", "OpenCL 3.0 PoCL 3.10  Linux", false},
        {"Portable Computing Language", "OpenCL 3.0 PoCL 3.1.1  Linux", false},
        {"Portable Computing Language", "OpenCL 3.0 PoCL 6.0  Linux, Release, RELOC, SPIR-V, LLVM 19.1.7, SLEEF",
         false},
        {"Portable Computing Language", "OpenCL 2.0 pocl 1.8  Linux, None+Asserts, RELOC, LLVM 11.1.0", false},
        {"NVIDIA CUDA", "OpenCL 3.0 CUDA 13.0.48", true},
        {"Intel(R) OpenCL", "OpenCL 3.0 LINUX", true},
    };
    for (size_t k = 0; k < COUNT_OF(platforms); k++)
        cr_assert_eq(fp_platform_gives_binaries(platforms[k].name, platforms[k].version), platforms[k].gives, "%s: %s",
                     platforms[k].name, platforms[k].version);
}

/* ---- the user's own context ---- */

typedef struct own {
    cl_device_id id;
    cl_context context;
} own;

static own own_context(fp_device *device)
{
    own mine = {NULL, NULL};
    cr_assert_eq(clGetCommandQueueInfo(fp_device_queue(device), CL_QUEUE_DEVICE, sizeof mine.id, &mine.id, NULL), 0);
    mine.context = clCreateContext(NULL, 1, &mine.id, NULL, NULL, NULL);
    cr_assert_not_null(mine.context);
    return mine;
}

static cl_uint context_references(cl_context context)
{
    cl_uint count = 0;
    cr_assert_eq(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL), 0);
    return count;
}

static void check_wrap(fp_device *device, cl_context context)
{
    unsigned char data[100], back[100];
    fill(data, sizeof data, 1);
    cl_mem mem = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data, data, NULL);
    fp_buffer *buffer = NULL;
    ok(fp_buffer_wrap(device, mem, &buffer));
    cr_assert_eq(fp_buffer_bytes(buffer), sizeof data);
    cr_assert_eq(fp_buffer_expose(buffer), (void *)mem);
    clReleaseMemObject(mem);
    ok(fp_buffer_download(buffer, 0, back, sizeof back));
    cr_assert_arr_eq(back, data, sizeof data);
    fp_buffer_drop(buffer);
    fails(fp_buffer_wrap(device, NULL, &buffer), GPU_E_ARGUMENT, "NULL");
}

static void check_foreign(fp_device *device, fp_device *other, own mine)
{
    fp_device *adopted = NULL;
    fp_buffer *foreign = buffer_of(other, 64), *buffer = NULL;
    fails(fp_buffer_wrap(device, fp_buffer_expose(foreign), &buffer), GPU_E_ARGUMENT, "another context");
    fp_buffer_drop(foreign);
    fails(fp_device_adopt(mine.context, fp_device_queue(other), &adopted), GPU_E_ARGUMENT, "another context");
    fails(fp_device_adopt(NULL, fp_device_queue(other), &adopted), GPU_E_ARGUMENT, "context is NULL");
    fails(fp_device_adopt(mine.context, NULL, &adopted), GPU_E_ARGUMENT, "queue is NULL");
    cl_command_queue unordered =
        clCreateCommandQueue(mine.context, mine.id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, NULL);
    if (!unordered) return;
    fails(fp_device_adopt(mine.context, unordered, &adopted), GPU_E_ARGUMENT, "out-of-order");
    clReleaseCommandQueue(unordered);
}

Test(cl, adopts_a_queue)
{
    fp_device *other = opened(), *device = NULL;
    own mine = own_context(other);
    cl_command_queue queue = clCreateCommandQueue(mine.context, mine.id, 0, NULL);
    cl_uint before = context_references(mine.context);
    ok(fp_device_adopt(mine.context, queue, &device));
    cr_assert_eq(fp_device_queue(device), (void *)queue);
    cr_assert_str_eq(fp_device_capabilities(device)->name, fp_device_capabilities(other)->name);
    cr_assert_not(device->times.wanted, "a queue that does not profile");
    check_wrap(device, mine.context);
    check_foreign(device, other, mine);
    fp_device_close(device);
    cr_assert_eq(context_references(mine.context), before);
    closed(other);
    cr_assert_eq(clFinish(queue), 0);
    clReleaseCommandQueue(queue);
    clReleaseContext(mine.context);
}

/* ---- kernel times ---- */

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static fp_device *profiling(void)
{
    fp_device *other = opened(), *device = NULL;
    own mine = own_context(other);
    cl_command_queue queue = clCreateCommandQueue(mine.context, mine.id, CL_QUEUE_PROFILING_ENABLE, NULL);
    ok(fp_device_adopt(mine.context, queue, &device));
    fp_device_close(other);
    clReleaseCommandQueue(queue);
    clReleaseContext(mine.context);
    return device;
}

static fp_kernel *counting_kernel(fp_device *device)
{
    const char *source =
        "kernel void count(global int *x) { for (int k = 0; k < 1000; k++) x[get_global_id(0)] += k; }";
    fp_program *program = NULL;
    fp_kernel *kernel = NULL;
    char *log = NULL;
    ok(fp_program_build(device, source, "", &program, &log));
    ok(fp_kernel_new(program, "count", &kernel));
    fp_program_free(program);
    return kernel;
}

static void launch_often(fp_kernel *kernel, fp_buffer *x, size_t launches)
{
    for (size_t k = 0; k < launches; k++) ok(fp_kernel_launch(kernel, &(fp_arg){.buffer = x}, 1, 8, 8));
}

/* More launches than can be pending, none of them forgotten. */
Test(cl, kernel_times)
{
    fp_device *device = profiling();
    fp_kernel *kernel = counting_kernel(device);
    fp_buffer *x = buffer_of(device, 64 * sizeof(int));
    cr_assert_eq(stats_of(device).kernel_ns, 0);
    uint64_t start = now_ns(), last = 0;
    for (size_t launches = 1; launches < 4 * FP_PENDING_LAUNCHES; launches *= 2) {
        launch_often(kernel, x, launches);
        ok(fp_device_finish(device));
        cr_assert_eq(device->times.count, 0, "%zu launches", launches);
        cr_assert_gt(stats_of(device).kernel_ns, last, "%zu launches", launches);
        last = stats_of(device).kernel_ns;
    }
    cr_assert_leq(last, now_ns() - start);
    cr_assert_eq(stats_of(NULL).kernel_ns, last);
    launch_often(kernel, x, 10);
    fp_kernel_free(kernel);
    fp_buffer_drop(x);
    closed(device);
    cr_assert_gt(stats_of(NULL).kernel_ns, last, "the last launches were not counted");
}

/* Times may get lost when calls fail; launches may not. The first two calls are the launch's own. */
Test(cl, kernel_times_that_fail)
{
    fp_device *device = profiling();
    fp_kernel *kernel = counting_kernel(device);
    fp_buffer *x = buffer_of(device, 64 * sizeof(int));
    unsigned long left = 0, k = 3;
    for (; left == 0; k++) {
        ok(fp_device_finish(device));
        launch_often(kernel, x, FP_PENDING_LAUNCHES);
        fp_cl_fail_at(k);
        launch_often(kernel, x, 1);
        (void)fp_device_finish(device);
        left = fp_cl_fail_at(0);
    }
    cr_assert_gt(k, 3 + 3 * FP_PENDING_LAUNCHES);
    cr_assert_gt(stats_of(device).kernel_ns, 0);
    fp_kernel_free(kernel);
    fp_buffer_drop(x);
    closed(device);
}

/* ---- buffers ---- */

Test(cl, pool_sizes)
{
    const size_t sizes[] = {1, 4, 4095, 4096, 4097, 5000, 8191, 8192, 65537, 1000000, (size_t)1 << 40, SIZE_MAX / 2};
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        size_t rounded = fp_pool_round(sizes[k]);
        cr_assert_geq(rounded, sizes[k]);
        cr_assert_eq(fp_pool_round(rounded), rounded, "%zu", sizes[k]);
        cr_assert(sizes[k] <= 4096 || rounded - sizes[k] < sizes[k] / 8 + 1, "%zu becomes %zu", sizes[k], rounded);
    }
    cr_assert_eq(fp_pool_round(SIZE_MAX), SIZE_MAX);
}

/* Whether a buffer of `second` bytes comes from one of `first` bytes that was dropped. */
static bool reused(fp_device *device, size_t first, size_t second)
{
    fp_pool_trim(device);
    fp_buffer_drop(buffer_of(device, first));
    uint64_t before = stats_of(device).buffers_reused;
    fp_buffer_drop(buffer_of(device, second));
    return stats_of(device).buffers_reused > before;
}

Test(cl, pool_reuses)
{
    fp_device *device = opened();
    cr_assert(reused(device, 4, 4096));
    cr_assert(reused(device, 4096, 1));
    cr_assert(reused(device, 100000, 100000));
    cr_assert(reused(device, 100000, 99000));
    cr_assert(reused(device, 100000, 60000));
    cr_assert_not(reused(device, 100000, 40000));
    cr_assert_not(reused(device, 100000, 200000));
    cr_assert_not(reused(device, 1 << 20, 4));
    fp_buffer *buffer = buffer_of(device, 100);
    cr_assert_eq(fp_buffer_keep(buffer), buffer);
    fp_buffer_drop(buffer);
    cr_assert_eq(stats_of(device).live_buffers, 1);
    fp_buffer_expose(buffer);
    fp_buffer_drop(buffer);
    fp_buffer_drop(NULL);
    cr_assert_eq(device->pool.bytes, 1 << 20, "an exposed buffer came back to the pool");
    closed(device);
}

Test(cl, pool_is_bounded)
{
    fp_device *device = opened();
    fp_buffer *buffers[8];
    for (size_t k = 0; k < COUNT_OF(buffers); k++) buffers[k] = buffer_of(device, 8192 + k * 1024);
    device->pool.most_bytes = 30000;
    for (size_t k = 0; k < COUNT_OF(buffers); k++) fp_buffer_drop(buffers[k]);
    cr_assert_leq(device->pool.bytes, 30000);
    uint64_t before = stats_of(device).buffers_reused;
    fp_buffer *newest = buffer_of(device, 8192 + 7 * 1024);
    cr_assert_eq(stats_of(device).buffers_reused, before + 1, "the newest free buffer was given back to the driver");
    fp_buffer_drop(newest);
    closed(device);
}

/* As launches that are held back do, which keep their buffers until they are sent. */
static gpu_status drop_held(void *buffer)
{
    fp_buffer_drop(buffer);
    return GPU_OK;
}

Test(cl, pool_takes_buffers_of_what_is_sent_as_it_frees_memory, .timeout = 60)
{
    fp_device *device = opened();
    fp_buffer *first = buffer_of(device, 10000), *second = buffer_of(device, 20000);
    device->pool.most_bytes = 0;
    fp_hold(drop_held, second);
    fp_buffer_drop(first);
    ok(fp_hold_leave());
    cr_assert_eq(stats_of(device).live_buffers, 0);
    cr_assert_eq(device->pool.bytes, 0);
    closed(device);
}

Test(cl, memory_runs_out)
{
    fp_device *device = opened();
    fp_buffer *buffer = NULL;
    fp_buffer *used = buffer_of(device, 1000);
    fails(fp_buffer_new(device, (size_t)1 << 62, &buffer), GPU_E_MEMORY, "cannot allocate 4611686018427387904 bytes");
    fails(fp_buffer_new(device, SIZE_MAX, &buffer), GPU_E_MEMORY, "this program uses 4096 of them");
    cr_assert_null(buffer);
    fp_buffer_drop(used);
    cr_assert_gt(device->pool.bytes, 0);
    fp_cl_fail_at(1);
    buffer = buffer_of(device, 1 << 20);
    cr_assert_eq(fp_cl_fail_at(0), 0);
    cr_assert_eq(device->pool.bytes, 0, "the pool was not emptied");
    fp_buffer_drop(buffer);
    closed(device);
}

/* ---- transfers ---- */

enum { MOST = 20000 };

static void stage(fp_device *device, fp_staging_sizes sizes)
{
    if (!test_takes_threads()) sizes.threads = 1;
    fp_staging_resize(device, sizes);
}

static void check_transfer(fp_device *device, size_t offset, size_t bytes)
{
    static unsigned char data[MOST], want[MOST], back[MOST];
    fp_buffer *buffer = buffer_of(device, MOST);
    fill(want, MOST, 2);
    ok(fp_buffer_upload(buffer, 0, want, MOST));
    fill(data, bytes, 3);
    memcpy(want + offset, data, bytes);
    ok(fp_buffer_upload(buffer, offset, data, bytes));
    memset(data, 0, MOST);
    ok(fp_buffer_download(buffer, 0, back, MOST));
    cr_assert_arr_eq(back, want, MOST, "upload of %zu bytes at %zu", bytes, offset);
    memset(back, 0, MOST);
    ok(fp_buffer_download(buffer, offset, back, bytes));
    cr_assert_arr_eq(back, want + offset, bytes, "download of %zu bytes at %zu", bytes, offset);
    cr_assert(bytes == MOST || back[bytes] == 0, "download of %zu bytes wrote more", bytes);
    fp_buffer_drop(buffer);
}

static void check_transfers(fp_device *device)
{
    const size_t sizes[] = {0, 1, 3, 64, 65, 127, 1000, 4097, 10001};
    for (size_t k = 0; k < COUNT_OF(sizes); k++)
        for (size_t offset = 0; offset < 10; offset += 3) check_transfer(device, offset, sizes[k]);
}

Test(cl, plain_transfers)
{
    fp_device *device = opened();
    check_transfers(device);
    fp_buffer *buffer = buffer_of(device, 4);
    int value = 42;
    gpu_stats before = stats_of(device);
    ok(fp_buffer_upload(buffer, 0, &value, sizeof value));
    ok(fp_buffer_download(buffer, 0, &value, sizeof value));
    gpu_stats after = stats_of(device);
    if (device->capabilities.cpu)
        cr_assert_eq(after.driver_calls - before.driver_calls, 2, "a small transfer is one call");
    cr_assert_eq(after.waits - before.waits, 2);
    cr_assert_eq(after.bytes_uploaded - before.bytes_uploaded, sizeof value);
    cr_assert_eq(after.bytes_downloaded - before.bytes_downloaded, sizeof value);
    fails(fp_buffer_upload(buffer, 1 << 20, &value, sizeof value), GPU_E_DRIVER, "CL_INVALID_VALUE (-30)");
    fp_buffer_drop(buffer);
    closed(device);
}

Test(cl, staged_transfers)
{
    const fp_staging_sizes sizes[] = {{1, 64, 1, 0},  {1, 1000, 3, 16}, {100, 4097, 2, 0},
                                      {1, 333, 8, 0}, {1, 777, 99, 99}, {1, 1 << 20, 4, 4096}};
    fp_device *device = opened();
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        stage(device, sizes[k]);
        check_transfers(device);
        cr_assert_not_null(device->staging.slots.bytes);
    }
    closed(device);
}

/* They wait in pinned memory; every call of that fails once. */
Test(cl, small_downloads_through_pinned_memory)
{
    fp_device *device = opened();
    fp_buffer *buffer = buffer_of(device, 64);
    const double value = 1.25;
    ok(fp_buffer_upload(buffer, 8, &value, sizeof value));
    unsigned long left = 0, k = 1;
    for (; left == 0; k++) {
        double back = 0;
        fp_staging_resize(device, (fp_staging_sizes){SIZE_MAX, 64, 1, sizeof value});
        fp_cl_fail_at(k);
        gpu_status status = fp_buffer_download(buffer, 8, &back, sizeof back);
        left = fp_cl_fail_at(0);
        ok(status);
        cr_assert_eq(back, value, "call %lu failed", k);
    }
    cr_assert_not_null(device->staging.small.bytes);
    cr_assert_gt(k, 3);
    fp_buffer_drop(buffer);
    closed(device);
}

static fp_device *opened_with_near_buffers(void)
{
    fp_device *device = opened();
    fp_device_pretend_host_visible(device);
    if (device->capabilities.host_visible) return device;
    closed(device);
    cr_skip_test("this device has no memory that the host sees");
}

static fp_buffer *near_buffer_of(fp_device *device, size_t bytes)
{
    fp_buffer *buffer = NULL;
    ok(fp_buffer_new_host_visible(device, bytes, &buffer));
    return buffer;
}

/* Those of a device that has them; here any device's own buffers stand for them. */
Test(cl, buffers_near_the_host)
{
    fp_device *device = opened_with_near_buffers();
    fp_buffer *value = near_buffer_of(device, 24), *plain = buffer_of(device, 24);
    cr_assert(value->shown && !plain->shown);
    const double wanted = 1.25;
    double back = 0;
    ok(fp_buffer_upload(value, 16, &wanted, sizeof wanted));
    gpu_stats before = stats_of(device);
    ok(fp_buffer_download(value, 16, &back, sizeof back));
    gpu_stats after = stats_of(device);
    cr_assert_eq(back, wanted);
    cr_assert_eq(after.waits - before.waits, 1);
    cr_assert_eq(after.bytes_downloaded - before.bytes_downloaded, sizeof back);
    /* Each kind comes back as what it was. */
    fp_buffer_drop(value);
    fp_buffer_drop(plain);
    fp_buffer *again = near_buffer_of(device, 1), *other = buffer_of(device, 24);
    cr_assert(again == value && other == plain);
    fp_buffer_drop(again);
    fp_buffer_drop(other);
    fp_buffer *large = near_buffer_of(device, 100000);
    cr_assert(!large->shown, "many bytes stay on the device");
    fp_buffer_drop(large);
    closed(device);
}

/* Stands for a kernel that stores a value and its turn. */
static void announce(fp_buffer *buffer, const void *value, size_t bytes, uint32_t turn)
{
    ok(fp_buffer_upload(buffer, 0, value, bytes));
    ok(fp_buffer_upload(buffer, FP_TURN_WORD * sizeof turn, &turn, sizeof turn));
}

/* The OpenCL calls that read a value whose turn is there. */
static uint64_t calls_for_an_announced_value(fp_device *device)
{
    fp_buffer *buffer = near_buffer_of(device, sizeof(int));
    const int wanted = 42;
    int back = 0;
    announce(buffer, &wanted, sizeof wanted, fp_buffer_announce(buffer));
    const uint64_t before = stats_of(device).driver_calls;
    ok(fp_buffer_download(buffer, 0, &back, sizeof back));
    const uint64_t calls = stats_of(device).driver_calls - before;
    cr_assert_eq(back, wanted);
    fp_buffer_drop(buffer);
    return calls;
}

Test(cl, a_value_that_was_announced_needs_no_wait_for_the_queue)
{
    fp_device *device = opened_with_near_buffers();
    cr_assert_eq(calls_for_an_announced_value(device), 1, "a flush alone");
    closed(device);
}

Test(cl, a_value_that_was_announced_is_waited_for_by_a_call_while_calls_are_timed)
{
    fp_device *device = opened_with_near_buffers();
    fp_device_time_calls(device, true);
    cr_assert_eq(calls_for_an_announced_value(device), 2, "a flush and a finish");
    closed(device);
}

Test(cl, each_launch_of_a_buffer_has_a_turn_of_its_own)
{
    fp_device *device = opened_with_near_buffers();
    fp_buffer *buffer = near_buffer_of(device, sizeof(int));
    const uint32_t turn = fp_buffer_announce(buffer);
    cr_assert_neq(fp_buffer_announce(buffer), turn);
    fp_buffer_drop(buffer);
    closed(device);
}

Test(cl, a_turn_that_never_comes_is_not_waited_for_long)
{
    fp_device *device = opened_with_near_buffers();
    fp_buffer *buffer = near_buffer_of(device, sizeof(int));
    const int wanted = 42;
    int back = 0;
    announce(buffer, &wanted, sizeof wanted, 0);
    cr_assert_gt(fp_buffer_announce(buffer), 0);
    ok(fp_buffer_download(buffer, 0, &back, sizeof back));
    cr_assert_eq(back, wanted);
    fp_buffer_drop(buffer);
    closed(device);
}

/* Drivers give memory that was freed to the next buffer. */
Test(cl, a_new_buffer_near_the_host_has_no_turn_of_another)
{
    fp_device *device = opened_with_near_buffers();
    for (int round = 0; round < 10; round++) {
        fp_buffer *buffer = near_buffer_of(device, sizeof(int));
        const uint32_t turn = fp_buffer_announce(buffer);
        uint32_t word;
        memcpy(&word, buffer->shown + FP_TURN_WORD * sizeof word, sizeof word);
        cr_assert_neq(word, turn, "round %d", round);
        announce(buffer, &round, sizeof round, turn);
        fp_buffer_drop(buffer);
        fp_pool_trim(device);
    }
    closed(device);
}

Test(cl, copies_that_began_after_an_announced_value_are_waited_for)
{
    fp_device *device = opened_with_near_buffers();
    fp_buffer *value = near_buffer_of(device, sizeof(int)), *other = buffer_of(device, sizeof(int));
    const int wanted = 42;
    int back = 0, word = 0;
    announce(value, &wanted, sizeof wanted, fp_buffer_announce(value));
    ok(fp_buffer_upload(other, 0, &wanted, sizeof wanted));
    fp_pending pending = {NULL};
    ok(fp_buffer_download_begin(other, 0, &word, sizeof word, &pending));
    const uint64_t before = stats_of(device).waits;
    ok(fp_buffer_download_last(value, 0, &back, sizeof back, &pending));
    cr_assert(back == wanted && word == wanted);
    cr_assert_eq(stats_of(device).waits - before, 1);
    fp_buffer_drop(value);
    fp_buffer_drop(other);
    closed(device);
}

Test(cl, buffers_near_the_host_are_given_up_where_they_show_nothing)
{
    fp_device *device = opened_with_near_buffers();
    fp_device_check_host_visible(device);
    cr_assert(device->capabilities.host_visible);
    fp_pool_trim(device);
    fp_cl_fail_at(2);
    fp_device_check_host_visible(device);
    cr_assert_eq(fp_cl_fail_at(0), 0);
    fp_buffer *buffer = near_buffer_of(device, 8);
    cr_assert(!device->capabilities.host_visible && !buffer->shown);
    fp_buffer_drop(buffer);
    closed(device);
}

/* Else a value could look like the turn of the buffer's next owner. */
Test(cl, values_that_would_reach_the_turn_stay_on_the_device)
{
    fp_device *device = opened_with_near_buffers();
    fp_buffer *large = near_buffer_of(device, FP_SHOWN_BYTES + 1), *near = near_buffer_of(device, FP_SHOWN_BYTES);
    cr_assert(!large->shown && near->shown);
    cr_assert_eq(fp_buffer_announce(large), 0);
    cr_assert_gt(fp_buffer_announce(near), 0);
    fp_buffer_drop(large);
    fp_buffer_drop(near);
    closed(device);
}

Test(cl, buffers_near_the_host_that_fail)
{
    fp_device *device = opened_with_near_buffers();
    /* NVIDIA's devices have one since their opening. */
    fp_buffer *kept = near_buffer_of(device, 8);
    fp_cl_fail_at(1);
    fp_buffer *buffer = near_buffer_of(device, 8);
    cr_assert_eq(fp_cl_fail_at(0), 0);
    cr_assert(!buffer->shown, "where there is no such memory left, another buffer serves");
    fp_buffer_drop(buffer);
    fp_buffer_drop(kept);
    buffer = near_buffer_of(device, 8);
    cr_assert(buffer->shown);
    const int wanted = 42;
    int back = 0;
    ok(fp_buffer_upload(buffer, 0, &wanted, sizeof wanted));
    fp_cl_fail_at(1);
    ok(fp_buffer_download(buffer, 0, &back, sizeof back));
    cr_assert_eq(fp_cl_fail_at(0), 0);
    cr_assert_eq(back, wanted, "a call that failed is made again");
    fp_buffer_drop(buffer);
    closed(device);
}

/* Every call of a staged transfer fails once; a second attempt or a plain transfer makes up for it. */
Test(cl, staged_transfers_that_fail)
{
    static unsigned char data[MOST], back[MOST];
    fp_device *device = opened();
    fp_buffer *buffer = buffer_of(device, MOST);
    fill(data, MOST, 4);
    unsigned long left = 0;
    for (unsigned long k = 1; left == 0; k++) {
        stage(device, (fp_staging_sizes){1, 3000, 2, 0});
        memset(back, 0, MOST);
        fp_cl_fail_at(k);
        gpu_status status = fp_buffer_upload(buffer, 0, data, MOST);
        if (status == GPU_OK) status = fp_buffer_download(buffer, 0, back, MOST);
        left = fp_cl_fail_at(0);
        ok(status);
        cr_assert_arr_eq(back, data, MOST, "call %lu failed", k);
    }
    fp_buffer_drop(buffer);
    closed(device);
}

/* Returns NULL if all went well. */
static void *use_from_thread(void *argument)
{
    fp_device *device = argument;
    unsigned char data[5000], back[5000];
    for (unsigned k = 0; k < 100; k++) {
        fp_buffer *buffer = NULL;
        if (fp_buffer_new(device, sizeof data, &buffer) != GPU_OK) return argument;
        fill(data, sizeof data, k + (unsigned)(uintptr_t)&data);
        gpu_status status = fp_buffer_upload(buffer, 0, data, sizeof data);
        if (status == GPU_OK) status = fp_buffer_download(buffer, 0, back, sizeof back);
        fp_buffer_drop(buffer);
        if (status != GPU_OK || memcmp(data, back, sizeof data) != 0) return argument;
    }
    return NULL;
}

Test(cl, several_threads)
{
    fp_device *device = opened();
    for (size_t staged = 0; staged < 2 && test_takes_threads(); staged++) {
        pthread_t threads[4];
        if (staged) stage(device, (fp_staging_sizes){1, 700, 2, 64});
        for (size_t k = 0; k < COUNT_OF(threads); k++)
            cr_assert_eq(pthread_create(&threads[k], NULL, use_from_thread, device), 0);
        for (size_t k = 0; k < COUNT_OF(threads); k++) {
            void *wrong = NULL;
            pthread_join(threads[k], &wrong);
            cr_assert_null(wrong, "thread %zu, staged %zu", k, staged);
        }
    }
    closed(device);
}
