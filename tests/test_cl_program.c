/* lib/cl: programs, their binaries, launches, and every failure of the driver that can be made to happen. */
#include "support/cl.h"

#include <stdlib.h>

static const char *const scale_source = "kernel void scale(global const float *x, global float *y, const float k)\n"
                                        "{ y[get_global_id(0)] = x[get_global_id(0)] * k; }\n";

TestSuite(cl, .init = test_needs_opencl);

Test(cl, rejected_programs)
{
    fp_device *device = opened();
    fp_program *program = NULL;
    char *log = NULL;
    const char *wrong = "kernel void k(global int *x)\n{ x[0] = undeclared_name; }\n";
    cr_assert_eq(fp_program_build(device, wrong, "", &program, &log), GPU_E_SNIPPET);
    cr_assert(log && strstr(log, "undeclared_name"), "%s", log);
    fp_free(log);
    gpu_status status = fp_program_build(device, scale_source, "-no-such-option", &program, &log);
    if (status == GPU_E_SNIPPET)
        fp_free(log); /* some drivers say it in the log */
    else
        fails(status, GPU_E_DRIVER, "-no-such-option");
    cr_assert_null(program);
    cr_assert_not(fp_program_load(device, "not a binary at all", 19, "", &program));
    cr_assert_eq(stats_of(device).programs_built, 0);
    ok(fp_program_build(device, scale_source, NULL, &program, &log));
    fp_kernel *kernel = NULL;
    fails(fp_kernel_new(program, "absent", &kernel), GPU_E_DRIVER, "\"absent\" failed with CL_INVALID_KERNEL_NAME");
    fp_program_free(program);
    fp_program_free(NULL);
    fp_kernel_free(NULL);
    closed(device);
}

static void check_scale(fp_program *program, fp_buffer *x, fp_buffer *y, float k, size_t n)
{
    fp_kernel *kernel = NULL;
    ok(fp_kernel_new(program, "scale", &kernel));
    const fp_arg args[] = {{.buffer = x}, {.buffer = y}, {.value = &k, .bytes = sizeof k}};
    ok(fp_kernel_launch(kernel, args, 3, n / 8, 8));
    fp_kernel_free(kernel);
    float *got = malloc(n * sizeof *got);
    ok(fp_buffer_download(y, 0, got, n * sizeof *got));
    for (size_t i = 0; i < n; i++) cr_assert_eq(got[i], (float)i * k, "element %zu", i);
    free(got);
}

Test(cl, programs_and_their_binaries)
{
    enum { N = 800 };
    fp_device *device = opened();
    if (!fp_device_capabilities(device)->gives_binaries) cr_skip_test("this PoCL is not asked for binaries");
    fp_program *program = NULL, *loaded = NULL;
    char *log = NULL;
    void *binary = NULL;
    size_t bytes = 0;
    float numbers[N];
    for (size_t i = 0; i < N; i++) numbers[i] = (float)i;
    fp_buffer *x = buffer_of(device, sizeof numbers), *y = buffer_of(device, sizeof numbers);
    ok(fp_buffer_upload(x, 0, numbers, sizeof numbers));
    ok(fp_program_build(device, scale_source, "", &program, &log));
    cr_assert_null(log);
    check_scale(program, x, y, 2, N);
    cr_assert(fp_program_binary(program, &binary, &bytes));
    fp_program_free(program);
    cr_assert(fp_program_load(device, binary, bytes, "", &loaded));
    check_scale(loaded, x, y, 3, N);
    fp_program_free(loaded);
    fp_free(binary);
    gpu_stats stats = stats_of(device);
    cr_assert_eq(stats.programs_built, 1);
    cr_assert_eq(stats.programs_loaded, 1);
    cr_assert_eq(stats.kernels_launched, 2);
    fp_buffer_drop(x);
    fp_buffer_drop(y);
    closed(device);
}

static void check_launches(fp_device *device, fp_kernel *kernel, fp_buffer *x)
{
    float k = 2;
    const fp_arg args[] = {{.buffer = x}, {.buffer = x}, {.value = &k, .bytes = sizeof k}};
    gpu_stats before = stats_of(device);
    ok(fp_kernel_launch(kernel, args, 3, 4, 4));
    cr_assert_eq(stats_of(device).driver_calls - before.driver_calls, 4, "one call an argument and one to launch");
    fails(fp_kernel_launch(kernel, args, 3, SIZE_MAX, 2), GPU_E_RANGE, "\"scale\" cannot run");
    fails(fp_kernel_launch(kernel, args, 3, 1, (size_t)1 << 30), GPU_E_DRIVER, "its largest buffer 4096 bytes");
    const fp_arg short_value[] = {{.buffer = x}, {.buffer = x}, {.value = &k, .bytes = 1}};
    fails(fp_kernel_launch(kernel, short_value, 3, 4, 4), GPU_E_DRIVER, "argument 2 (1 bytes) of \"scale\"");
    fp_cl_fail_at(4);
    ok(fp_kernel_launch(kernel, args, 3, 4, 4));
    cr_assert_eq(fp_cl_fail_at(0), 0, "the launch was not tried again");
    ok(fp_device_finish(device));
}

static void check_null_buffer(fp_device *device, fp_buffer *x)
{
    fp_program *program = NULL;
    fp_kernel *kernel = NULL;
    char *log = NULL;
    const char *source = "kernel void probe(global int *p, global int *out) { *out = p ? 1 : 7; }";
    ok(fp_program_build(device, source, "", &program, &log));
    ok(fp_kernel_new(program, "probe", &kernel));
    fp_program_free(program);
    cr_assert_eq(stats_of(device).live_programs, 2, "a kernel keeps its program");
    int seen = 0;
    ok(fp_kernel_launch(kernel, (fp_arg[]){{.buffer = NULL}, {.buffer = x}}, 2, 1, 1));
    ok(fp_buffer_download(x, 0, &seen, sizeof seen));
    cr_assert_eq(seen, 7);
    fp_kernel_free(kernel);
}

Test(cl, launches_count_calls_and_name_what_fails)
{
    fp_device *device = opened();
    fp_program *program = NULL;
    fp_kernel *kernel = NULL;
    char *log = NULL;
    float zeros[16] = {0};
    fp_buffer *x = buffer_of(device, sizeof zeros);
    ok(fp_buffer_upload(x, 0, zeros, sizeof zeros));
    ok(fp_program_build(device, scale_source, "", &program, &log));
    ok(fp_kernel_new(program, "scale", &kernel));
    check_launches(device, kernel, x);
    check_null_buffer(device, x);
    fp_kernel_free(kernel);
    fp_program_free(program);
    fp_buffer_drop(x);
    closed(device);
}

/* ---- failures made to happen ---- */

typedef struct session {
    fp_device *device;
    fp_buffer *x;
    fp_buffer *y;
    fp_program *program;
    fp_program *loaded;
    fp_kernel *kernel;
    void *binary;
    char *log;
} session;

static void session_end(session *s)
{
    fp_kernel_free(s->kernel);
    fp_program_free(s->program);
    fp_program_free(s->loaded);
    fp_buffer_drop(s->x);
    fp_buffer_drop(s->y);
    fp_device_close(s->device);
    fp_free(s->binary);
    fp_free(s->log);
}

static gpu_status session_open(session *s, const float *data)
{
    gpu_status status = fp_device_open(NULL, &s->device);
    if (status == GPU_OK) status = fp_buffer_new(s->device, 64 * sizeof *data, &s->x);
    if (status == GPU_OK) status = fp_buffer_new(s->device, 64 * sizeof *data, &s->y);
    if (status == GPU_OK) status = fp_buffer_upload(s->x, 0, data, 64 * sizeof *data);
    return status;
}

static gpu_status session_run(session *s, float *out)
{
    const float factor = 5;
    const fp_arg args[] = {{.buffer = s->x}, {.buffer = s->y}, {.value = &factor, .bytes = sizeof factor}};
    gpu_status status = fp_program_build(s->device, scale_source, "", &s->program, &s->log);
    if (status == GPU_OK) status = fp_kernel_new(s->program, "scale", &s->kernel);
    if (status == GPU_OK) status = fp_kernel_launch(s->kernel, args, 3, 8, 8);
    if (status == GPU_OK) status = fp_buffer_download(s->y, 0, out, 64 * sizeof *out);
    size_t bytes;
    if (status == GPU_OK && fp_program_binary(s->program, &s->binary, &bytes))
        fp_program_load(s->device, s->binary, bytes, "", &s->loaded);
    if (status == GPU_OK) status = fp_device_finish(s->device);
    return status;
}

/* Does everything once, and checks that it either worked or said why, and that nothing is left. */
static bool session_worked(const char *what, unsigned long k)
{
    float data[64], out[64] = {0};
    for (size_t i = 0; i < 64; i++) data[i] = (float)i;
    session s = {0};
    fp_fail_again(GPU_OK, "");
    gpu_status status = session_open(&s, data);
    if (status == GPU_OK) status = session_run(&s, out);
    session_end(&s);
    nothing_lives();
    for (size_t i = 0; status == GPU_OK && i < 64; i++) cr_assert_eq(out[i], data[i] * 5, "%s %lu failed", what, k);
    cr_assert(status == GPU_OK || *gpu_error(), "%s %lu failed, and nothing was said", what, k);
    return status == GPU_OK;
}

Test(cl, every_call_fails_once)
{
    unsigned long left = 0, failed = 0, k = 0;
    while (left == 0) {
        fp_cl_fail_at(++k);
        bool worked = session_worked("call", k);
        left = fp_cl_fail_at(0);
        cr_assert(worked || left == 0, "it failed without cause: %s", gpu_error());
        failed += !worked;
    }
    cr_assert_gt(failed, 20, "%lu of %lu", failed, k);
}

Test(cl, every_allocation_fails_once)
{
    unsigned long failed = 0, worked = 0;
    for (unsigned long k = 1; worked < 5; k++) { /* the library does without some, but not without five in a row */
        fp_memory_fail_at(k);
        worked = session_worked("allocation", k) ? worked + 1 : 0;
        failed += worked == 0;
    }
    cr_assert_gt(failed, 5);
}
