/* Random pipelines of all operations against plain C: under each setting of the library, and with faults.
 *
 * Environment: FUZZ_SECONDS is how long this takes (20), FIREPILE_SEED the first pipeline (1), FUZZ_MOST the length of
 * the longest arrays. A failure prints the seed of its pipeline; FIREPILE_SEED runs that pipeline first. */
#include "differential/engine.h"

#include "base/memory.h"
#include "cl/device.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Of each pipeline; and seconds after which one of them is taken for hanging. */
enum { RUNS = 60, MOST_SECONDS = 300 };

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- a crash: what was being done is printed ---- */

static run *running;
static uint64_t running_seed;

static void put(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(1);
}

static void crashed(int signal_number)
{
    char seed[64];
    snprintf(seed, sizeof seed, "\nFIREPILE_SEED=%llu crashed or hangs, ", (unsigned long long)running_seed);
    put(seed);
    put(running->mode);
    put(":\n");
    put(running->text ? running->text : "");
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* The OpenCL driver has handlers of its own from its first call on. The address sanitizer's tell more than this one. */
static void catch_crashes(void)
{
    signal(SIGALRM, crashed);
#ifndef __SANITIZE_ADDRESS__
    signal(SIGSEGV, crashed);
    signal(SIGBUS, crashed);
    signal(SIGABRT, crashed);
#endif
}

/* ---- one pipeline ---- */

static void differs(run *r, program *p, uint64_t seed)
{
    char failure[sizeof r->failure], *text = strdup(r->text);
    memcpy(failure, r->failure, sizeof failure);
    program_minimise(r, p);
    bool again = *r->failure;
    cr_assert_fail("FIREPILE_SEED=%llu, %s: %s%s\n%s", (unsigned long long)seed, r->mode, again ? r->failure : failure,
                   again ? "" : "; it is right when it is done again", again ? r->text : text);
}

static void run_calls(run *r, const shape *p, uint64_t seed, double end)
{
    program program;
    for (uint64_t k = 0; k < RUNS && now() < end; k++) {
        shape_program(p, seed * 1000003 + k, &program);
        if (!program_runs(r, &program)) differs(r, &program, seed);
    }
}

/* Each fifth pipeline is one of symbols, compiled to a C function. */
static void run_pipeline(run *r, uint64_t seed, double end)
{
    shape p;
    bool symbols = seed % 5 == 0;
    shape_draw(&p, seed, r->host, symbols);
    r->g = test_open();
    catch_crashes();
    alarm(MOST_SECONDS);
    if (symbols && !shape_compiles(r, &p, seed * 1000003, RUNS))
        cr_assert_fail("FIREPILE_SEED=%llu, %s: %s\n%s", (unsigned long long)seed, r->mode, r->failure, r->text);
    if (!symbols) run_calls(r, &p, seed, end);
    alarm(0);
    test_close(r->g);
}

static bool is_host(void)
{
    const char *device = getenv("FIREPILE_DEVICE");
    return device && !strcmp(device, "host");
}

static void fuzz(const char *mode, uint64_t first, size_t most, double seconds)
{
    run r = {.mode = mode, .most = number("FUZZ_MOST", most), .host = is_host()};
    uint64_t seed = first;
    running = &r;
    for (double end = now() + seconds; now() < end; seed++) run_pipeline(&r, running_seed = seed, end);
    test_compared(r.compared);
    fprintf(stderr, "differential, %s: %llu pipelines, %zu elements compared\n", mode,
            (unsigned long long)(seed - first), r.compared);
    fclose(r.log);
    free(r.text);
}

/* ---- each setting ---- */

static double seconds(void)
{
    return (double)number("FUZZ_SECONDS", test_full() ? 200 : 20);
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

/* As the environment says: with all settings at their defaults, if it says nothing. */
Test(differential, as_set, .timeout = 36000)
{
    fuzz("as set", number("FIREPILE_SEED", 1), is_set("FIREPILE_POLICY") ? 5000 : 70000, seconds() * 0.5);
}

static const struct setting {
    const char *name, *value;
    size_t most; /* elements: a GPU's kernels are slow on a CPU */
} settings[] = {
    {"FIREPILE_DEVICE", "host", 70000},      {"FIREPILE_SMALL", "0", 70000},   {"FIREPILE_EAGER", "1", 70000},
    {"FIREPILE_POLICY", "tiny", 5000},       {"FIREPILE_POLICY", "gpu", 5000}, {"FIREPILE_POLICY", "gpu,tiny", 5000},
    {"FIREPILE_POLICY", "gpu,sweeps", 5000},
};

/* One after the other, each with all others at their defaults. */
Test(differential, is_right_with_each_setting, .timeout = 36000)
{
    for (size_t k = 0; k < COUNT_OF(settings); k++)
        if (is_set(settings[k].name)) cr_skip_test("the environment says which");
    for (size_t k = 0; k < COUNT_OF(settings); k++) {
        char mode[64];
        if (!strncmp(settings[k].value, "gpu", 3) && !test_runs_gpu_shapes()) continue;
        snprintf(mode, sizeof mode, "%s=%s", settings[k].name, settings[k].value);
        setenv(settings[k].name, settings[k].value, 1);
        fuzz(mode, number("FIREPILE_SEED", 100 * (k + 1)), settings[k].most, seconds() * 0.35 / COUNT_OF(settings));
        unsetenv(settings[k].name);
    }
}

/* ---- faults ---- */

/* What fails. */
static const struct {
    const char *name;
    unsigned long (*fail_at)(unsigned long k);
} faults[] = {
    {"allocation %lu fails", fp_memory_fail_at},
    {"OpenCL call %lu fails", fp_cl_fail_at},
    {"OpenCL calls fail from number %lu on", fp_cl_fail_from},
};

enum { FAULTS = COUNT_OF(faults) };

typedef struct faulty {
    run run;
    uint64_t seed;
    program program;
    char mode[64];
    unsigned long faults[FAULTS];
    uint64_t kept; /* buffers that the gpu made on the way and keeps */
} faulty;

static void run_once(faulty *f, fault fault)
{
    f->run.fault = fault;
    if (!program_runs(&f->run, &f->program)) differs(&f->run, &f->program, f->seed);
}

/* Once it needs them, a gpu keeps a buffer of counters, and one of the states of tiles. */
enum { MOST_KEPT = 2 };

static void note_kept(faulty *f, gpu_stats *before, const gpu_stats *after)
{
    if (after->live_buffers <= before->live_buffers) return;
    const uint64_t more = after->live_buffers - before->live_buffers;
    if (f->kept + more > MOST_KEPT) return;
    f->kept += more;
    before->live_buffers += more;
}

/* After each fault a run without one: it is right, and nothing is left of the fault. */
static void fail_each(faulty *f, int kind, double end)
{
    gpu_stats before = test_stats(f->run.g);
    fault fault = {.fail_at = faults[kind].fail_at};
    for (bool left = false; !left && now() < end; f->faults[kind] += !left) {
        fault.at++;
        snprintf(f->mode, sizeof f->mode, faults[kind].name, fault.at);
        alarm(MOST_SECONDS);
        run_once(f, fault);
        left = f->run.fault.left;
        run_once(f, (struct fault){0});
        gpu_stats after = test_stats(f->run.g);
        note_kept(f, &before, &after);
        cr_assert(after.live_arrays == before.live_arrays && after.live_buffers == before.live_buffers,
                  "FIREPILE_SEED=%llu, %s: %lld arrays and %lld buffers are left\n%s", (unsigned long long)f->seed,
                  f->mode, (long long)(after.live_arrays - before.live_arrays),
                  (long long)(after.live_buffers - before.live_buffers), f->run.text);
    }
}

/* One run of a pipeline. Every second pipeline leaves nothing to the host. */
static void fail_in_pipeline(faulty *f, double end)
{
    shape p;
    setenv("FIREPILE_SMALL", f->seed % 2 ? "0" : "", 1);
    shape_draw(&p, f->seed, f->run.host, false);
    shape_program(&p, f->seed * 1000003, &f->program);
    f->run.g = test_open();
    f->kept = 0;
    catch_crashes();
    running = &f->run;
    running_seed = f->seed;
    snprintf(f->mode, sizeof f->mode, "no fault");
    alarm(MOST_SECONDS);
    run_once(f, (fault){0});
    for (int kind = 0; kind < FAULTS; kind++) fail_each(f, kind, end);
    alarm(0);
    test_close(f->run.g);
}

/* Each allocation and each OpenCL call of a run fails in turn. */
Test(differential, is_right_or_fails_when_any_call_does, .timeout = 36000)
{
    if (test_verifies()) cr_skip_test("a comparison that cannot be made is no failure of the operation");
    uint64_t first = number("FIREPILE_SEED", 1);
    faulty *f = test_alloc(1, sizeof *f);
    f->run = (run){.mode = f->mode, .most = number("FUZZ_MOST", 3000), .host = is_host()};
    f->seed = first;
    for (double end = now() + seconds() * 0.15; now() < end; f->seed++) fail_in_pipeline(f, end);
    test_compared(f->run.compared);
    fprintf(stderr,
            "differential, faults: %llu pipelines, %zu elements compared, %lu allocations and %lu calls failed\n",
            (unsigned long long)(f->seed - first), f->run.compared, f->faults[0], f->faults[1] + f->faults[2]);
    fclose(f->run.log);
    free(f->run.text);
    free(f);
}
