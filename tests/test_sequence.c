/* Launches of short arrays that are held back and become one: the same results, in fewer launches. The shapes are those
 * of GPUs, on any device. */
#include "arrays/array.h"
#include "cl/internal.h"
#include "expressions/entry.h"
#include "expressions/gpu.h"
#include "planning/sequence.h"
#include "support/cl.h"
#include "support/support.h"

#include <firepile/interop.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 20000 };

static gpu *open_joining(unsigned times)
{
    if (!test_runs_gpu_shapes()) cr_skip_test("this driver does not run the shapes of GPUs");
    setenv("FIREPILE_POLICY", "gpu", 1);
    setenv("FIREPILE_SMALL", "0", 1);
    gpu *g = test_open();
    g->policy.join_after = times;
    return g;
}

static gpu_array *numbers(gpu *g, size_t n)
{
    float data[MOST];
    for (size_t i = 0; i < n; i++) data[i] = (float)(i * 37 % 101) / 8;
    return gpu_array_of(g, data, n);
}

/* Three launches, each of which reads what those before it store. */
static gpu_array *softmax(const gpu_array *x)
{
    gpu_array *largest = gpu_reduced(x, "fmax(a, b)");
    gpu_array *sum = gpu_reduced(gpu_map(x, "exp(x - largest[0])", GPU_ARG(largest)), "a + b");
    return gpu_eval(gpu_map(x, "exp(x - largest[0]) / sum[0]", GPU_ARG(largest), GPU_ARG(sum)));
}

static uint64_t launches(gpu *g)
{
    gpu_stats stats;
    test_ok(gpu_get_stats(g, &stats));
    return stats.kernels_launched;
}

/* The launches of the last of so many runs. */
static uint64_t run(const gpu_array *x, gpu *g, int runs, float *out)
{
    uint64_t before = 0;
    for (int k = 0; k < runs; k++) {
        gpu_scope *scope = gpu_scope_begin(g);
        before = launches(g);
        test_ok(gpu_read(softmax(x), out));
        gpu_scope_end(scope);
    }
    return launches(g) - before;
}

static bool joins(gpu *g)
{
    return g->policy.meeting && !g->capabilities->host && !test_verifies() && !getenv("FIREPILE_TRACE");
}

static void needs_joins(gpu *g)
{
    if (joins(g)) return;
    test_close(g);
    cr_skip_test("nothing is joined here");
}

Test(sequence, that_is_launched_again_is_one_launch, .timeout = 300)
{
    float out[300];
    gpu *g = open_joining(2);
    gpu_array *x = numbers(g, 300);
    needs_joins(g);
    cr_assert_eq(run(x, g, 1, out), 3);
    const uint64_t last = run(x, g, 5, out);
    cr_assert_eq(last, 1, "%llu launches", (unsigned long long)last);
    test_close(g);
}

Test(sequence, has_the_bits_of_single_launches, .timeout = 300)
{
    static const size_t sizes[] = {1, 2, 33, 1000, 1025, 5000, MOST};
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        float apart[MOST], joined[MOST];
        gpu *g = open_joining(0);
        gpu_array *x = numbers(g, sizes[k]);
        run(x, g, 1, apart);
        g->policy.join_after = 1;
        run(x, g, 2, joined);
        cr_assert(!memcmp(apart, joined, sizes[k] * sizeof *apart), "%zu elements", sizes[k]);
        test_compared(sizes[k]);
        test_close(g);
    }
}

Test(sequence, is_right_in_the_shape_of_the_device, .timeout = 300)
{
    float apart[5000], joined[5000];
    gpu *g = test_open();
    gpu_array *x = numbers(g, 5000);
    g->policy.join_after = 0;
    run(x, g, 1, apart);
    g->policy.join_after = 1;
    run(x, g, 2, joined);
    test_same("joined", GPU_FLOAT, 5000, joined, apart);
    test_close(g);
}

/* ---- copies for the host ---- */

/* Sends the launches that are held. Do they copy these bytes for the host, and announce them? */
static bool shows(const gpu_array *a, size_t offset, void *out, size_t bytes)
{
    gpu *g = a->g;
    fp_entry entry = fp_entry_begin(g, "a test", NULL);
    fp_buffer *shown = fp_sequence_show(g, a->node->buffer, offset, bytes);
    test_ok(fp_entry_end(&entry, GPU_OK));
    if (!shown) return false;
    test_ok(fp_buffer_download(shown, 0, out, bytes));
    test_ok(fp_device_finish(g->device));
    uint32_t turn;
    memcpy(&turn, shown->shown + FP_TURN_WORD * sizeof turn, sizeof turn);
    cr_assert_eq(turn, shown->turn);
    fp_buffer_drop(shown);
    return true;
}

/* The first launch of a kernel is not held. The launches held then are sent before the first buffer near the host is
 * made. */
enum { BEGINNING = 2 };

Test(sequence, copies_a_short_array_for_the_host, .timeout = 300)
{
    float want[300], got[300];
    gpu *g = open_joining(1);
    gpu_array *x = numbers(g, 300);
    needs_joins(g);
    run(x, g, BEGINNING, want);
    for (int round = 0; round < 3; round++) {
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_array *y = softmax(x);
        cr_assert(shows(y, 0, got, sizeof got), "round %d", round);
        test_same("y", GPU_FLOAT, 300, got, want);
        gpu_scope_end(scope);
    }
    test_close(g);
}

/* Its work-groups wait for nobody, so there may be several on any device. */
Test(sequence, of_one_launch_copies_when_all_its_groups_have_ended, .timeout = 300)
{
    gpu *g = open_joining(1);
    needs_joins(g);
    g->policy.join_one = true;
    g->policy.meeting = 64;
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 10000));
    const size_t lengths[] = {10000, 10000, 10000, 10, 10, 10000};
    for (size_t k = 0; k < COUNT_OF(lengths); k++) {
        int last[10];
        gpu_array *y = gpu_eval(gpu_map(gpu_slice(x, 0, lengths[k]), "2 * x"));
        const bool is_shown = shows(y, (lengths[k] - 10) * sizeof *last, last, sizeof last);
        cr_assert(is_shown || k < BEGINNING, "run %zu", k);
        cr_assert(!is_shown || last[9] == 2 * (int)lengths[k] - 2);
        test_holds_steps("y", y, GPU_INT, lengths[k], 0, 2);
    }
    test_close(g);
}

Test(sequence, of_one_launch_stays_as_it_is_where_that_gains_nothing, .timeout = 300)
{
    gpu *g = open_joining(1);
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 100));
    g->policy.join_one = false;
    for (int round = 0; round <= BEGINNING; round++) {
        int got[100];
        gpu_array *y = gpu_eval(gpu_map(x, "2 * x"));
        cr_assert_not(shows(y, 0, got, sizeof got));
        test_holds_steps("y", y, GPU_INT, 100, 0, 2);
    }
    test_close(g);
}

/* Bytes that are no whole words, an offset, and more bytes than are copied. */
Test(sequence, copies_elements_of_any_size_and_place, .timeout = 300)
{
    static const size_t lengths[] = {1, 3, 4, 1000, 4091, 4092, 4093, 8000};
    unsigned char data[8000], got[8000];
    for (size_t i = 0; i < COUNT_OF(data); i++) data[i] = (unsigned char)(i * 7 % 251);
    gpu *g = open_joining(1);
    gpu_array *x = gpu_array_of(g, data, COUNT_OF(data));
    g->policy.join_one = true;
    for (size_t k = 0; k < COUNT_OF(lengths); k++)
        for (size_t first = 0; first < 3 && first + lengths[k] <= COUNT_OF(data); first++) {
            gpu_array *y = gpu_slice(gpu_eval(gpu_map(x, "x")), first, lengths[k]);
            test_ok(gpu_read(y, got));
            cr_assert(!memcmp(got, data + first, lengths[k]), "%zu from %zu", lengths[k], first);
        }
    test_close(g);
}

/* ---- parts that have the same names ---- */

GPU_STRUCT(point, float x; int partials;);
GPU_FUNCTION(float, chunk, (point p), { return p.x + (float)p.partials; });

Test(sequence, may_use_a_struct_and_a_function_in_each_part, .timeout = 300)
{
    gpu *g = open_joining(1);
    point points[100];
    for (int i = 0; i < 100; i++) points[i] = (point){(float)i, 2 * i};
    for (int round = 0; round < 3; round++) {
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_array *p = gpu_array_from(g, GPU_TYPE(point), points, 100);
        gpu_array *sum = gpu_reduced(gpu_map_to(p, GPU_FLOAT, chunk), "a + b");
        gpu_array *shares = gpu_eval(gpu_map_to(p, GPU_FLOAT, "chunk(x) / sum[0] * 14850", GPU_ARG(sum)));
        float total;
        test_ok(gpu_reduce(shares, "a + b", &total));
        cr_assert_float_eq(total, 14850, 0.1);
        gpu_scope_end(scope);
    }
    test_close(g);
}

Test(sequence, may_declare_the_names_of_the_kernels_parameters, .timeout = 300)
{
    gpu *g = open_joining(1);
    for (int round = 0; round < 3; round++) {
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_array *x = gpu_range(g, GPU_INT, 50);
        const int k = 3;
        gpu_array *a = gpu_eval(gpu_map(x, "{ int out = 2, chunk = k; return x * out + chunk; }", GPU_ARG(k)));
        gpu_array *b = gpu_eval(gpu_map(a, "{ int out = 5, chunk = k; return x * out - chunk; }", GPU_ARG(k)));
        test_holds_steps("b", b, GPU_INT, 50, 12, 10);
        gpu_scope_end(scope);
    }
    test_close(g);
}

/* ---- what ends a sequence ---- */

Test(sequence, is_launched_before_the_users_own_commands, .timeout = 300)
{
    gpu *g = open_joining(1);
    needs_joins(g);
    gpu_array *x = numbers(g, 100), *y = gpu_eval(gpu_map(x, "x + 1"));
    size_t first = 0;
    float got[100], want[100];
    cl_mem mem = gpu_array_mem(y, &first);
    cr_assert_eq(clEnqueueReadBuffer(gpu_queue(g), mem, CL_TRUE, first * sizeof *got, sizeof got, got, 0, NULL, NULL),
                 CL_SUCCESS);
    test_ok(gpu_read(x, want));
    for (int i = 0; i < 100; i++) want[i] += 1;
    test_same("y", GPU_FLOAT, 100, got, want);
    test_close(g);
}

static void *evaluate(void *array)
{
    return gpu_eval(gpu_map(array, "x * 2"));
}

Test(sequence, of_another_thread_is_launched_before_a_read, .timeout = 300)
{
    gpu *g = open_joining(1);
    gpu_array *x = gpu_range(g, GPU_INT, 500);
    pthread_t thread;
    void *y;
    cr_assert_eq(pthread_create(&thread, NULL, evaluate, x), 0);
    pthread_join(thread, &y);
    test_holds_steps("y", y, GPU_INT, 500, 0, 2);
    gpu_array_free(y);
    test_close(g);
}

Test(sequence, outlives_the_arrays_that_it_reads, .timeout = 300)
{
    gpu *g = open_joining(1);
    gpu_array *x = gpu_range(g, GPU_INT, 500), *y = gpu_eval(gpu_map(x, "x + 1")), *z = gpu_eval(gpu_map(y, "x + 1"));
    gpu_array_free(x);
    gpu_array_free(y);
    gpu_array *other = gpu_eval(gpu_fill(g, GPU_INT, &(int){7}, 500));
    test_holds_steps("z", z, GPU_INT, 500, 2, 1);
    test_holds_steps("other", other, GPU_INT, 500, 7, 0);
    test_close(g);
}

Test(sequence, may_be_held_when_the_gpu_is_closed, .timeout = 300)
{
    gpu *g = open_joining(1);
    cr_assert(softmax(numbers(g, 100)));
    test_close(g);
    test_nothing_lives("held launches");
}

/* ---- failures ---- */

/* Is a program with this kernel one that can be a part? */
static bool is_joinable(const char *text)
{
    fp_source source = {.failed = false};
    fp_joinable joinable = {.text = {0}};
    fp_text_put(&source.parts[FP_PART_TEMPLATE], text);
    fp_joinable_read(&source, "fp_part", &joinable);
    const bool can = !fp_joinable_empty(&joinable);
    fp_joinable_free(&joinable);
    fp_source_free(&source);
    return can;
}

Test(sequence, has_no_part_whose_parameters_cannot_be_passed_on)
{
    cr_assert(is_joinable("#define FP_X_PARAMS uint x\n#define FP_X_ARGS x\n__kernel void fp_part(FP_X_PARAMS) {}\n"));
    cr_assert(!is_joinable("#define FP_X_PARAMS uint x\n__kernel void fp_part(FP_X_PARAMS) {}\n"));
    cr_assert(!is_joinable("#define FP_X_PARAMS(n) uint n\n__kernel void fp_part(FP_X_PARAMS(x)) {}\n"));
}

/* A joined launch may have more work-groups than the part has alone. */
Test(sequence, that_asks_for_work_groups_stays_apart, .timeout = 300)
{
    gpu *g = open_joining(1);
    gpu_array *x = numbers(g, 100);
    uint64_t before = 0;
    needs_joins(g);
    for (int k = 0; k < 4; k++) {
        before = launches(g);
        gpu_array *groups = gpu_eval(gpu_map(x, "x + get_num_groups(0)"));
        float got[100], want[100];
        test_ok(gpu_read(gpu_map(groups, "x - 1"), got) || gpu_read(x, want));
        test_same("x", GPU_FLOAT, 100, got, want);
    }
    cr_assert_eq(launches(g) - before, 2);
    test_close(g);
}

/* gpu_check_reduce downloads results while it has the lock. Those that differ are not in the first slot. */
Test(sequence, is_launched_before_threads_download, .timeout = 300)
{
    gpu *g = open_joining(2);
    gpu_array *x = gpu_range(g, GPU_INT, 8);
    needs_joins(g);
    fp_staging_resize(g->device, (fp_staging_sizes){.least_bytes = 64, .slot_bytes = 64, .threads = 4});
    for (int round = 0; round < 20; round++) {
        const int zero = round % 2 ? 7 : 8;
        cr_assert_eq(gpu_check_reduce(x, "a == zero ? 0 : max(a, b)", GPU_ARG(zero)),
                     round % 2 ? GPU_E_ARGUMENT : GPU_OK, "round %d: %s", round, gpu_error());
    }
    test_close(g);
}

/* The arrays are right, or say that they failed. */
Test(sequence, that_fails_leaves_no_wrong_elements, .timeout = 300)
{
    float want[300];
    gpu *g = open_joining(1);
    gpu_array *x = numbers(g, 300);
    run(x, g, 3, want);
    bool left = false;
    for (unsigned long k = 1; !left; k++) {
        gpu_scope *scope = gpu_scope_begin(g);
        float first[300] = {0}, again[300] = {0};
        fp_cl_fail_at(k);
        gpu_array *y = softmax(x);
        gpu_status status = gpu_read(y, first);
        left = fp_cl_fail_at(0) > 0;
        cr_assert(!left || !status, "%lu: %s", k, gpu_error());
        if (!status) test_same("first", GPU_FLOAT, 300, first, want);
        if (!gpu_read(y, again)) test_same("again", GPU_FLOAT, 300, again, want);
        gpu_scope_end(scope);
    }
    test_close(g);
}
