/* Children of a fork. A test is a process that has made no OpenCL call when it begins. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 5000, FEW = 10 };

static int data[N];

static bool sums(gpu *g)
{
    int sum = -1;
    gpu_array *x = gpu_array_of(g, data, N);
    return !gpu_reduce(gpu_map2(x, x, "x + y"), "a + b", &sum) && sum == 2 * N;
}

static void begin(void)
{
    test_needs_opencl();
    for (int i = 0; i < N; i++) data[i] = 1;
}

/* What a child finds wrong goes to its standard error; it has 20 seconds. */
#define CHILD_WANTS(condition)                                                                                         \
    ((condition)                                                                                                       \
         ? (void)0                                                                                                     \
         : (void)(fprintf(stderr, "%s:%d: not %s; %s\n", __FILE__, __LINE__, #condition, gpu_error()), _exit(1)))

static bool in_a_child;

/* The driver's objects stay where they are in a child: no call is made that would free them. */
#ifdef __SANITIZE_ADDRESS__
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return in_a_child;
}
#endif

/* Runs `work` in a child, which leaves through exit if `work` returns. */
static void in_child(const char *what, void (*work)(gpu *g), gpu *g)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        in_a_child = true;
        alarm(20);
        work(g);
        exit(0);
    }
    cr_assert(child > 0 && waitpid(child, &status, 0) == child);
    cr_assert(!(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM), "%s: the child hangs", what);
    cr_assert_eq(status, 0, "%s: the child ended with the wait status %d", what, status);
}

static void open_and_compute(gpu *g)
{
    g = gpu_open(NULL);
    CHILD_WANTS(g && sums(g));
    gpu_close(g);
}

TestSuite(fork, .init = begin);

Test(fork, child_of_a_process_that_has_not_used_a_driver)
{
    in_child("first", open_and_compute, NULL);
    in_child("second", open_and_compute, NULL);
    open_and_compute(NULL);
}

static bool is_refused(gpu_status status)
{
    return status == GPU_E_DEVICE && strstr(gpu_error(), "forked");
}

static bool is_refused_array(const gpu_array *a)
{
    return gpu_array_status(a) == GPU_E_DEVICE && strstr(gpu_array_error(a), "forked");
}

static void open_again(gpu *g)
{
    gpu_device_info info;
    int sum;
    g = gpu_open(NULL);
    CHILD_WANTS(!g && strstr(gpu_error(), "forked"));
    CHILD_WANTS(gpu_sum(gpu_range(g, GPU_INT, 3), &sum) == GPU_E_ARGUMENT && strstr(gpu_error(), "forked"));
    CHILD_WANTS(!gpu_open("cpu") && strstr(gpu_error(), "forked"));
    CHILD_WANTS(gpu_devices(&info, 1) == 0 && strstr(gpu_error(), "forked"));
}

Test(fork, child_opens_a_device_that_its_parent_has_used)
{
    gpu_device_info info;
    cr_assert_gt(gpu_devices(&info, 1), 0);
    in_child("after gpu_devices", open_again, NULL);
    gpu *g = test_open();
    in_child("before the first kernel", open_again, NULL);
    cr_assert(sums(g));
    in_child("after it", open_again, NULL);
    cr_assert(sums(g));
    test_close(g);
}

/* Made by the parent: long and short ones, computed, delayed, of a length that the device knows, and a compiled
 * function. */
static gpu_array *inputs[6], *places;
static gpu_status (*twice)(int *out, const gpu_array *x);

static void make_inputs(gpu *g)
{
    inputs[0] = gpu_array_of(g, data, N);
    inputs[1] = gpu_array_of(g, data, FEW);
    inputs[2] = gpu_map(inputs[0], "x * 2");
    inputs[3] = gpu_filter(inputs[0], "x == 1");
    inputs[4] = gpu_eval(gpu_map(inputs[0], "x - 2"));
    inputs[5] = gpu_sort(inputs[0]);
    places = gpu_range(g, GPU_UINT, FEW);
    gpu_array *x = gpu_symbol(g, GPU_INT);
    test_ok(gpu_compile(&twice, gpu_reduced(gpu_map(x, "x * 2"), "a + b"), x));
    for (size_t k = 0; k < COUNT_OF(inputs); k++) test_ok(gpu_array_status(inputs[k]));
}

static void make_arrays(gpu *g, gpu_array *x)
{
    gpu_array *a[2], *b[2], *c[2], *d[2], *e[2], *f[2], *h[2];
    gpu_partition(x, "x > 0", &a[0], &a[1]);
    gpu_span(x, "x > 0", &b[0], &b[1]);
    gpu_runs(x, &c[0], &c[1]);
    gpu_sort_pairs(x, x, &d[0], &d[1]);
    gpu_reduce_by_key(x, x, "a + b", &e[0], &e[1]);
    gpu_group_reduce(x, x, "a + b", &f[0], &f[1]);
    gpu_histogram(x, &(int){0}, &(int){9}, 3, &h[0], &h[1]);
    gpu_array *const made[] = {a[0],
                               a[1],
                               b[0],
                               b[1],
                               c[0],
                               c[1],
                               d[0],
                               d[1],
                               e[0],
                               e[1],
                               f[0],
                               f[1],
                               h[0],
                               h[1],
                               gpu_map(x, "x + 1"),
                               gpu_map_to(x, GPU_FLOAT, "x"),
                               gpu_map2(x, x, "x + y"),
                               gpu_map3(x, x, x, "x + y + z"),
                               gpu_slice(x, 0, 2),
                               gpu_reduced(x, "a + b"),
                               gpu_block_reduce(x, 5, "a + b"),
                               gpu_scan(x, "a + b"),
                               gpu_scan_exclusive(x, &(int){0}, "a + b"),
                               gpu_filter(x, "x > 0"),
                               gpu_find(x, &(int){1}),
                               gpu_find_if(x, "x > 0"),
                               gpu_take_while(x, "x > 0"),
                               gpu_drop_while(x, "x > 0"),
                               gpu_unique(x),
                               gpu_gather(x, places),
                               gpu_scatter(x, places, x),
                               gpu_reverse(x),
                               gpu_concat(x, x),
                               gpu_sort(x),
                               gpu_sort_by(x, "a < b"),
                               gpu_sort_key(x, GPU_INT, "-x"),
                               gpu_argsort(x),
                               gpu_top(x, 3),
                               gpu_lower_bound(x, x),
                               gpu_scan_by_key(x, x, "a + b"),
                               gpu_array_of(g, data, N),
                               gpu_array_of(g, data, FEW),
                               gpu_range(g, GPU_INT, FEW),
                               gpu_symbol(g, GPU_INT),
                               gpu_fill(g, GPU_INT, &(int){1}, N)};
    for (size_t k = 0; k < COUNT_OF(made); k++) {
        if (!is_refused_array(made[k])) fprintf(stderr, "array %zu\n", k);
        CHILD_WANTS(is_refused_array(made[k]));
    }
}

static void bring_to_host(gpu_array *x)
{
    static int out[N];
    size_t n = 77;
    bool truth;
    CHILD_WANTS(is_refused(gpu_read(x, out)));
    CHILD_WANTS(is_refused(gpu_read_n(x, out, N, &n)));
    CHILD_WANTS(is_refused(gpu_reduce(x, "a + b", out)));
    CHILD_WANTS(is_refused(gpu_fold(x, &(int){1}, "a + b", out)));
    CHILD_WANTS(is_refused(gpu_reduce_all(x, "a + b", out)));
    CHILD_WANTS(is_refused(gpu_sum(x, out)));
    CHILD_WANTS(is_refused(gpu_product(x, out)));
    CHILD_WANTS(is_refused(gpu_min(x, out)));
    CHILD_WANTS(is_refused(gpu_max(x, out)));
    CHILD_WANTS(is_refused(gpu_argmin(x, &n)));
    CHILD_WANTS(is_refused(gpu_argmax(x, &n)));
    CHILD_WANTS(is_refused(gpu_count(x, "x > 0", &n)));
    CHILD_WANTS(is_refused(gpu_any(x, "x > 0", &truth)));
    CHILD_WANTS(is_refused(gpu_all(x, "x > 0", &truth)));
    CHILD_WANTS(is_refused(gpu_index_of(x, &(int){1}, &n)));
    CHILD_WANTS(is_refused(gpu_index_if(x, "x > 0", &n)));
    CHILD_WANTS(is_refused(gpu_is_sorted(x, &truth)));
    CHILD_WANTS(is_refused(gpu_check_reduce(x, "a + b")));
    CHILD_WANTS(is_refused(gpu_check_order(x, "a < b")));
    CHILD_WANTS(is_refused(twice(out, x)));
    CHILD_WANTS(gpu_length(x) == 0 && is_refused(GPU_E_DEVICE));
    CHILD_WANTS(n == 77 && out[0] == 0);
}

static void use_arrays(gpu *g)
{
    gpu_scope *scope = gpu_scope_begin(g);
    for (size_t k = 0; k < COUNT_OF(inputs); k++) {
        make_arrays(g, inputs[k]);
        bring_to_host(inputs[k]);
        CHILD_WANTS(gpu_type_of(inputs[k]) == GPU_INT);
    }
    CHILD_WANTS(is_refused(gpu_finish(g)));
    gpu_scope_end(scope);
    for (size_t k = 0; k < COUNT_OF(inputs); k++) gpu_array_free(inputs[k]);
    gpu_close(g);
    gpu_stats s = {0};
    CHILD_WANTS(!gpu_get_stats(NULL, &s));
    CHILD_WANTS(!s.live_gpus && !s.live_arrays && !s.live_buffers && !s.live_programs && !s.live_kernels);
}

Test(fork, child_uses_the_device_of_its_parent)
{
    gpu *g = test_open();
    make_inputs(g);
    in_child("all operations", use_arrays, g);
    int sum = -1;
    test_ok(gpu_sum(inputs[4], &sum));
    cr_assert_eq(sum, -N);
    test_close(g);
}

static gpu *left;

static void close_left(void)
{
    gpu_close(left);
}

static void close_at_exit(gpu *g)
{
    left = g;
    atexit(close_left);
}

static void leave(gpu *g)
{
    (void)g;
}

Test(fork, child_ends)
{
    gpu *g = test_open();
    gpu_array *delayed = gpu_map(gpu_array_of(g, data, N), "x + 2");
    cr_assert(sums(g));
    in_child("exit with the device open", leave, g);
    in_child("gpu_close", gpu_close, g);
    in_child("gpu_close in a handler of exit", close_at_exit, g);
    int sum = -1;
    test_ok(gpu_sum(delayed, &sum));
    cr_assert_eq(sum, 3 * N);
    test_close(g);
}

static void use_host(gpu *g)
{
    gpu *own = gpu_open("host");
    CHILD_WANTS(sums(own) && sums(g));
    CHILD_WANTS(!gpu_finish(own) && !gpu_finish(g));
    gpu_close(own);
    gpu_close(g);
}

Test(fork, host_device_of_child_and_parent)
{
    gpu *host = gpu_open("host"), *g = gpu_open(NULL);
    cr_assert(host && g && sums(g), "%s", gpu_error());
    in_child("both host devices", use_host, host);
    cr_assert(sums(host) && sums(g), "%s", gpu_error());
    gpu_close(g);
    test_close(host);
}
