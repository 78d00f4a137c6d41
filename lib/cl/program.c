#include "cl/internal.h"

#include <string.h>

static gpu_status wrap(fp_device *device, cl_program program, fp_program **out)
{
    fp_program *wrapped = fp_alloc(sizeof *wrapped);
    if (!wrapped) {
        (void)FP_CL_ALWAYS(device, clReleaseProgram(program));
        return fp_fail_memory();
    }
    wrapped->device = device;
    wrapped->program = program;
    atomic_init(&wrapped->references, 1);
    FP_COUNT(device, live_programs, 1);
    *out = wrapped;
    return GPU_OK;
}

/* Builds a program that was made with `code`. Releases it after a failure, unless it has a log. */
static cl_int build(fp_device *device, const char *options, cl_int code, cl_program *program)
{
    if (code == CL_SUCCESS) code = FP_CL(device, clBuildProgram(*program, 1, &device->id, options, NULL, NULL));
    if (code == CL_SUCCESS || code == CL_BUILD_PROGRAM_FAILURE) return code;
    if (*program) (void)FP_CL_ALWAYS(device, clReleaseProgram(*program));
    *program = NULL;
    return code;
}

/* Drivers disagree on whether the log ends with a NUL and whether its size counts one. */
static gpu_status read_log(fp_device *device, cl_program program, char **log)
{
    size_t bytes = 0;
    cl_int code = FP_CL(device, clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes));
    if (code != CL_SUCCESS) return fp_call_fail(code, "clGetProgramBuildInfo for the size of the build log");
    char *text = fp_alloc(bytes + 1);
    if (!text) return fp_fail_memory();
    code = FP_CL(device, clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, bytes, text, NULL));
    if (code != CL_SUCCESS) {
        fp_free(text);
        return fp_call_fail(code, "clGetProgramBuildInfo for the build log");
    }
    *log = text;
    return GPU_OK;
}

/* PoCL's cache may refuse a good program when many processes fill it at once. Then the log names no error. */
static bool explains_failure(const char *log)
{
    return strcasestr(log, "error") != NULL;
}

static gpu_status attempt(fp_device *device, const char *source, const char *options, fp_program **out, char **log)
{
    cl_program program = NULL;
    cl_int code;
    FP_CL_NEW(device, program, code, clCreateProgramWithSource(device->context, 1, &source, NULL, &code));
    code = build(device, options, code, &program);
    if (code == CL_SUCCESS) return wrap(device, program, out);
    if (!program) return fp_call_fail(code, "building a program with the options \"%s\"", options ? options : "");
    gpu_status status = read_log(device, program, log);
    (void)FP_CL_ALWAYS(device, clReleaseProgram(program));
    return status == GPU_OK ? GPU_E_SNIPPET : status;
}

gpu_status fp_program_build(fp_device *device, const char *source, const char *options, fp_program **out, char **log)
{
    *log = NULL;
    gpu_status status = attempt(device, source, options, out, log);
    if (status == GPU_E_SNIPPET && !explains_failure(*log)) {
        fp_free(*log);
        *log = NULL;
        status = attempt(device, source, options, out, log);
    }
    if (status == GPU_OK) FP_COUNT(device, programs_built, 1);
    return status;
}

bool fp_program_load(fp_device *device, const void *binary, size_t bytes, const char *options, fp_program **out)
{
    const unsigned char *start = binary;
    cl_program program = NULL;
    cl_int accepted = CL_SUCCESS, code;
    FP_CL_NEW(device, program, code,
              clCreateProgramWithBinary(device->context, 1, &device->id, &bytes, &start, &accepted, &code));
    code = build(device, options, code == CL_SUCCESS ? accepted : code, &program);
    if (code != CL_SUCCESS && program) (void)FP_CL_ALWAYS(device, clReleaseProgram(program));
    if (code != CL_SUCCESS || wrap(device, program, out) != GPU_OK) return false;
    FP_COUNT(device, programs_loaded, 1);
    return true;
}

/* The driver fills one size and one pointer for each device of the context. The first call has room for one, so it
 * refuses a user's context of several devices; their programs are not cached. */
bool fp_program_binary(fp_program *program, void **binary, size_t *bytes)
{
    fp_device *device = program->device;
    if (!device->capabilities.gives_binaries) return false;
    size_t size = 0;
    cl_int code = FP_CL(device, clGetProgramInfo(program->program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    if (code != CL_SUCCESS || size == 0) return false;
    unsigned char *copy = fp_alloc(size);
    if (!copy) return false;
    code = FP_CL(device, clGetProgramInfo(program->program, CL_PROGRAM_BINARIES, sizeof copy, &copy, NULL));
    if (code != CL_SUCCESS) {
        fp_free(copy);
        return false;
    }
    *binary = copy;
    *bytes = size;
    return true;
}

void fp_program_free(fp_program *program)
{
    if (!program || atomic_fetch_sub_explicit(&program->references, 1, memory_order_acq_rel) != 1) return;
    (void)FP_CL_ALWAYS(program->device, clReleaseProgram(program->program));
    FP_COUNT(program->device, live_programs, -1);
    fp_free(program);
}
