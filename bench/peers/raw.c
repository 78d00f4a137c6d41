/* What one would write by hand in OpenCL for the sum and the map of floats, for the sum of their powers, and for the
 * kernels of bench/kernels.h: one kernel each, on the library's own context and queue. A call sets the arguments,
 * launches once, and reads. */
#include "../peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 256, SLOTS = 4096 };

/* Processors: a work-item takes a chunk; 64 sums keep its vector units busy. */
static const char cpu_source[] =
    "__kernel __attribute__((reqd_work_group_size(1, 1, 1)))\n"
    "void raw_sum(__global const float *x, __global float *out, const ulong n, const ulong chunk,\n"
    "             volatile __global float *part, volatile __global uint *ticket, const float p)\n"
    "{\n"
    "    const uint g = get_group_id(0), groups = get_num_groups(0);\n"
    "    const ulong end = min((g + 1) * chunk, n);\n"
    "    ulong i = g * chunk;\n"
    "    float16 s0 = 0, s1 = 0, s2 = 0, s3 = 0;\n"
    "    for (; i + 64 <= end; i += 64) {\n"
    "        s0 += F(vload16(0, x + i));\n"
    "        s1 += F(vload16(1, x + i));\n"
    "        s2 += F(vload16(2, x + i));\n"
    "        s3 += F(vload16(3, x + i));\n"
    "    }\n"
    "    s0 = (s0 + s1) + (s2 + s3);\n"
    "    const float8 e = s0.lo + s0.hi;\n"
    "    const float4 q = e.lo + e.hi;\n"
    "    float sum = (q.x + q.y) + (q.z + q.w);\n"
    "    for (; i < end; i++) sum += F(x[i]);\n"
    "    part[g] = sum;\n"
    "    mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
    "    if (atomic_inc(ticket) != groups - 1) return;\n"
    "    sum = 0;\n"
    "    for (uint k = 0; k < groups; k++) sum += part[k];\n"
    "    *out = sum;\n"
    "    *ticket = 0;\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(1, 1, 1)))\n"
    "void raw_map(__global const float *x, __global float *restrict out, const ulong n, const ulong chunk)\n"
    "{\n"
    "    const ulong end = min((get_group_id(0) + 1) * chunk, n);\n"
    "    for (ulong i = get_group_id(0) * chunk; i < end; i++) out[i] = x[i] * 2 + 1;\n"
    "}\n";

/* GPUs: neighbours side by side, four loads in flight, a tree, and the last group adds what the others left. */
static const char gpu_source[] =
    "#define WG 256\n"
    "#ifdef __NV_CL_C_VERSION\n"
    "#define DEVICE_FENCE() asm volatile(\"membar.gl;\" ::: \"memory\")\n"
    "#else\n"
    "#define DEVICE_FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)\n"
    "#endif\n"
    "static inline void tree(__local float *s, const uint l)\n"
    "{\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint k = WG / 2; k > 0; k /= 2) {\n"
    "        if (l < k) s[l] += s[l + k];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))\n"
    "void raw_sum(__global const float *x, __global float *out, const ulong n, const ulong unused,\n"
    "             volatile __global float *part, volatile __global uint *ticket, const float p)\n"
    "{\n"
    "    __local float s[WG];\n"
    "    __local uint last;\n"
    "    const uint l = get_local_id(0), groups = get_num_groups(0);\n"
    "    const ulong step = get_global_size(0), quads = n / 4;\n"
    "    __global const float4 *v = (__global const float4 *)x;\n"
    "    ulong i = get_global_id(0);\n"
    "    float4 sum = 0;\n"
    "    for (; i + 3 * step < quads; i += 4 * step) {\n"
    "        const float4 v0 = v[i], v1 = v[i + step], v2 = v[i + 2 * step], v3 = v[i + 3 * step];\n"
    "        sum += (F(v0) + F(v1)) + (F(v2) + F(v3));\n"
    "    }\n"
    "    for (; i < quads; i += step) sum += F(v[i]);\n"
    "    s[l] = (sum.x + sum.y) + (sum.z + sum.w);\n"
    "    if (get_global_id(0) == 0)\n"
    "        for (ulong k = 4 * quads; k < n; k++) s[l] += F(x[k]);\n"
    "    tree(s, l);\n"
    "    if (l == 0) {\n"
    "        part[get_group_id(0)] = s[0];\n"
    "        DEVICE_FENCE();\n"
    "        last = atomic_inc(ticket) == groups - 1;\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (!last) return;\n"
    "    DEVICE_FENCE();\n"
    "    float rest = 0;\n"
    "    for (uint k = l; k < groups; k += WG) rest += part[k];\n"
    "    s[l] = rest;\n"
    "    tree(s, l);\n"
    "    if (l == 0) {\n"
    "        *out = s[0];\n"
    "        *ticket = 0;\n"
    "    }\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))\n"
    "void raw_map(__global const float *x, __global float *out, const ulong n, const ulong unused)\n"
    "{\n"
    "    const ulong i = 4 * (ulong)get_global_id(0);\n"
    "    if (i + 4 <= n) vstore4(vload4(0, x + i) * 2 + 1, 0, out + i);\n"
    "    else for (ulong k = i; k < n; k++) out[k] = x[k] * 2 + 1;\n"
    "}\n";

typedef struct raw_trial {
    bench_trial trial;
    cl_command_queue queue; /* borrowed, as is: */
    cl_mem in;
    cl_kernel kernel;
    cl_mem out, part, ticket;
    cl_ulong n, chunk;
    size_t items, group;
    bool sums;
    float value;
} raw_trial;

/* Every status of a call goes through here. */
static bool ok(cl_int status, const char *call)
{
    if (status != CL_SUCCESS) fprintf(stderr, "raw: %s failed with OpenCL status %d\n", call, (int)status);
    return status == CL_SUCCESS;
}

static bool run(bench_trial *trial)
{
    raw_trial *t = (raw_trial *)trial;
    cl_int status = clSetKernelArg(t->kernel, 0, sizeof t->in, &t->in);
    status |= clSetKernelArg(t->kernel, 1, sizeof t->out, &t->out);
    status |= clSetKernelArg(t->kernel, 2, sizeof t->n, &t->n);
    status |= clSetKernelArg(t->kernel, 3, sizeof t->chunk, &t->chunk);
    if (t->sums) {
        status |= clSetKernelArg(t->kernel, 4, sizeof t->part, &t->part);
        status |= clSetKernelArg(t->kernel, 5, sizeof t->ticket, &t->ticket);
        status |= clSetKernelArg(t->kernel, 6, sizeof(cl_float), &(const cl_float){3});
    }
    if (!ok(status, "clSetKernelArg")) return false;
    status = clEnqueueNDRangeKernel(t->queue, t->kernel, 1, NULL, &t->items, &t->group, 0, NULL, NULL);
    if (!ok(status, "clEnqueueNDRangeKernel")) return false;
    if (!t->sums) return ok(clFinish(t->queue), "clFinish");
    status = clEnqueueReadBuffer(t->queue, t->out, CL_TRUE, 0, sizeof t->value, &t->value, 0, NULL, NULL);
    return ok(status, "clEnqueueReadBuffer");
}

static bool read_result(bench_trial *trial, void *out)
{
    raw_trial *t = (raw_trial *)trial;
    size_t bytes = t->sums ? sizeof(float) : t->n * sizeof(float);
    return ok(clEnqueueReadBuffer(t->queue, t->out, CL_TRUE, 0, bytes, out, 0, NULL, NULL), "clEnqueueReadBuffer");
}

static void free_trial(bench_trial *trial)
{
    raw_trial *t = (raw_trial *)trial;
    if (t->kernel) clReleaseKernel(t->kernel);
    if (t->out) clReleaseMemObject(t->out);
    if (t->part) clReleaseMemObject(t->part);
    if (t->ticket) clReleaseMemObject(t->ticket);
    free(t);
}

static bool make_kernel(raw_trial *t, cl_context context, cl_device_id device, bool cpu, const char *options)
{
    cl_int status;
    const char *source = cpu ? cpu_source : gpu_source;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    if (!ok(status, "clCreateProgramWithSource")) return false;
    if (ok(clBuildProgram(program, 1, &device, options, NULL, NULL), "clBuildProgram")) {
        t->kernel = clCreateKernel(program, t->sums ? "raw_sum" : "raw_map", &status);
        ok(status, "clCreateKernel");
    }
    clReleaseProgram(program);
    return t->kernel;
}

static bool make_buffers(raw_trial *t, cl_context context)
{
    const cl_uint zero = 0;
    cl_int status[3];
    size_t bytes = t->sums ? sizeof(float) : t->n * sizeof(float);
    t->out = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &status[0]);
    t->part = clCreateBuffer(context, CL_MEM_READ_WRITE, SLOTS * sizeof(float), NULL, &status[1]);
    t->ticket = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof zero, NULL, &status[2]);
    if (!ok(status[0] | status[1] | status[2], "clCreateBuffer")) return false;
    return ok(clEnqueueWriteBuffer(t->queue, t->ticket, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Processors: 64 to 512 chunks, but none too small to be worth handing out. GPUs: a map's item takes four elements, a
 * sum's as many as it takes for eight groups on each compute unit. */
static void set_shape(raw_trial *t, bool cpu, size_t compute_units)
{
    if (cpu) {
        size_t chunks = smaller(8 * compute_units < 64 ? 64 : 8 * compute_units, 512);
        t->chunk = t->n / chunks + 1 < 4096 ? 4096 : (t->n / chunks + 64) / 64 * 64;
        t->items = (t->n + t->chunk - 1) / t->chunk;
        t->group = 1;
        return;
    }
    size_t groups = (t->n + 4 * GROUP - 1) / (4 * GROUP);
    if (t->sums) groups = smaller(groups, smaller(8 * compute_units, SLOTS));
    t->items = groups * GROUP;
    t->group = GROUP;
}

/* ---- the kernels that the library runs by gpu_spawn ---- */

enum { SIDE = 16 };

/* The names that the texts take from gpu_spawn, and its rules of arithmetic. */
static const char spawn_names[] = "#pragma OPENCL FP_CONTRACT OFF\n"
                                  "#define GPU_GLOBAL __global\n"
                                  "#define GPU_LOCAL_MEMORY __local\n"
                                  "#define ITEMS 256u\n"
                                  "#define ITEM_COLUMNS 16u\n"
                                  "#define i ((ulong)get_global_id(0))\n"
                                  "#define item ((uint)(get_local_id(1) * ITEM_COLUMNS + get_local_id(0)))\n"
                                  "#define item_row ((uint)get_local_id(1))\n"
                                  "#define item_column ((uint)get_local_id(0))\n"
                                  "#define row ((ulong)get_global_id(1))\n"
                                  "#define column ((ulong)get_global_id(0))\n"
                                  "#define sync() barrier(CLK_LOCAL_MEM_FENCE)\n"
                                  "typedef uint uint32_t;\n"
                                  "typedef ulong uint64_t;\n";

#define BENCH_STRUCT(name, ...) static const char text_##name[] = "typedef struct { " #__VA_ARGS__ " } " #name ";\n"
#define BENCH_FUNCTION(result, name, parameters, ...)                                                                  \
    static const char text_##name[] = #result " " #name #parameters "\n" #__VA_ARGS__ "\n"
#define BENCH_KERNEL(name, parameters, ...) BENCH_FUNCTION(void, name, parameters, __VA_ARGS__)
#include "../kernels.h"

static const char spawn_kernels[] =
    "__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))\n"
    "void raw_spawn(__global const float *x, const ulong n, __global float *y) { turn_round(x, n, y); }\n"
    "__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))\n"
    "void raw_spawn_bodies(__global const body *bodies, const ulong n, __global pull *pulls)\n"
    "{\n"
    "    __local body tile[ITEMS];\n"
    "    attract(bodies, n, tile, pulls);\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(ITEM_COLUMNS, ITEMS / ITEM_COLUMNS, 1)))\n"
    "void raw_spawn_product(__global const float *x, const ulong side, __global float *z)\n"
    "{\n"
    "    __local float left[ITEMS], right[ITEMS];\n"
    "    multiply_tiles(x, x, side, left, right, z);\n"
    "}\n";

static const char *const spawn_texts[] = {spawn_names,   text_turn_round, text_body,           text_pull,
                                          text_add_pull, text_attract,    text_multiply_tiles, spawn_kernels};

typedef struct spawn_trial {
    bench_trial trial;
    cl_command_queue queue; /* borrowed, as is: */
    cl_mem in;
    cl_kernel kernel;
    cl_mem out;
    cl_ulong n; /* elements, or the side of the matrix */
    size_t items[2], group[2];
    size_t bytes;  /* of the result that is compared */
    size_t waited; /* bytes that a call reads; 0: it waits for the kernel */
    float value;
} spawn_trial;

static bool run_spawned(bench_trial *trial)
{
    spawn_trial *t = (spawn_trial *)trial;
    cl_int status = clSetKernelArg(t->kernel, 0, sizeof t->in, &t->in);
    status |= clSetKernelArg(t->kernel, 1, sizeof t->n, &t->n);
    status |= clSetKernelArg(t->kernel, 2, sizeof t->out, &t->out);
    if (!ok(status, "clSetKernelArg")) return false;
    status = clEnqueueNDRangeKernel(t->queue, t->kernel, 2, NULL, t->items, t->group, 0, NULL, NULL);
    if (!ok(status, "clEnqueueNDRangeKernel")) return false;
    if (!t->waited) return ok(clFinish(t->queue), "clFinish");
    status = clEnqueueReadBuffer(t->queue, t->out, CL_TRUE, 0, t->waited, &t->value, 0, NULL, NULL);
    return ok(status, "clEnqueueReadBuffer");
}

static bool read_spawned(bench_trial *trial, void *out)
{
    spawn_trial *t = (spawn_trial *)trial;
    return ok(clEnqueueReadBuffer(t->queue, t->out, CL_TRUE, 0, t->bytes, out, 0, NULL, NULL), "clEnqueueReadBuffer");
}

static void free_spawned(bench_trial *trial)
{
    spawn_trial *t = (spawn_trial *)trial;
    if (t->kernel) clReleaseKernel(t->kernel);
    if (t->out) clReleaseMemObject(t->out);
    free(t);
}

static bool make_spawned(spawn_trial *t, const char *op, size_t bytes)
{
    char name[64];
    cl_context context;
    cl_device_id device;
    cl_device_fp_config floats = 0;
    cl_int status, kernel_status = CL_SUCCESS;
    clGetCommandQueueInfo(t->queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    clGetCommandQueueInfo(t->queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof floats, &floats, NULL);
    const bool exact = floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    t->out = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    if (!ok(status, "clCreateBuffer")) return false;
    const cl_uint count = sizeof spawn_texts / sizeof *spawn_texts;
    cl_program program = clCreateProgramWithSource(context, count, (const char **)spawn_texts, NULL, &status);
    if (!ok(status, "clCreateProgramWithSource")) return false;
    status = clBuildProgram(program, 1, &device, exact ? "-cl-fp32-correctly-rounded-divide-sqrt" : "", NULL, NULL);
    snprintf(name, sizeof name, "raw_%s", op);
    if (ok(status, "clBuildProgram")) t->kernel = clCreateKernel(program, name, &kernel_status);
    clReleaseProgram(program);
    return ok(kernel_status, "clCreateKernel") && t->kernel;
}

static size_t rounded_up(size_t n, size_t multiple)
{
    return (n + multiple - 1) / multiple * multiple;
}

static void set_space(spawn_trial *t, bool product)
{
    t->items[0] = rounded_up(t->n, product ? SIDE : GROUP);
    t->items[1] = product ? t->items[0] : 1;
    t->group[0] = product ? SIDE : GROUP;
    t->group[1] = product ? SIDE : 1;
}

/* The side of a square of n elements, rounded down. */
static size_t side_of(size_t n)
{
    size_t side = 0;
    while ((side + 1) * (side + 1) <= n) side++;
    return side;
}

static bench_trial *start_spawned(const bench_job *job)
{
    const bool bodies = !strcmp(job->op, "spawn_bodies"), product = !strcmp(job->op, "spawn_product");
    const bool value = !bodies && !product;
    const size_t n = product ? side_of(job->n) : job->n, elements = product ? n * n : n;
    const size_t bytes = elements * (bodies ? 2 * sizeof(float) : sizeof(float));
    spawn_trial *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    *t = (spawn_trial){.trial = {run_spawned, read_spawned, free_spawned},
                       .queue = job->queue,
                       .in = job->buffer,
                       .n = n,
                       .bytes = value ? sizeof t->value : bytes,
                       .waited = value ? sizeof t->value : 0};
    set_space(t, product);
    if (make_spawned(t, job->op, bytes)) return &t->trial;
    free_spawned(&t->trial);
    return NULL;
}

/* ---- both ---- */

static bench_trial *start(const bench_job *job)
{
    if (!strncmp(job->op, "spawn", 5)) return start_spawned(job);
    bool powers = !strcmp(job->op, "norm"), sums = powers || !strcmp(job->op, "reduce");
    if (strcmp(job->type, "float") || (!sums && strcmp(job->op, "map"))) return NULL;
    raw_trial *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    *t = (raw_trial){
        .trial = {run, read_result, free_trial}, .queue = job->queue, .in = job->buffer, .n = job->n, .sums = sums};
    cl_context context;
    cl_device_id device;
    cl_device_type type = 0;
    cl_uint units = 1;
    clGetCommandQueueInfo(job->queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    clGetCommandQueueInfo(job->queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    bool cpu = type & CL_DEVICE_TYPE_CPU;
    set_shape(t, cpu, units);
    const char *options = powers ? "-DF(v)=pow(fabs(v),p)" : "-DF(v)=(v)";
    if (make_kernel(t, context, device, cpu, options) && make_buffers(t, context)) return &t->trial;
    free_trial(&t->trial);
    return NULL;
}

const bench_peer bench_peers[] = {{"raw", NULL, start, NULL}, {0}};
