/* What is in the host's memory has the size that was asked for, so that sanitizers see what reads past its end. */
#include "support/host.h"

#include "arrays/array.h"
#include "cl/buffer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* gcc says so by the name of a macro, clang by a feature. */
#ifdef __SANITIZE_ADDRESS__
#define SEES_ADDRESSES true
#elif defined __has_feature
#define SEES_ADDRESSES __has_feature(address_sanitizer)
#else
#define SEES_ADDRESSES false
#endif

TestSuite(host_memory, .init = test_host_begin, .fini = test_host_end, .timeout = 120);

GPU_STRUCT(triple, char a; char b; char c;);
GPU_FUNCTION(int, doubled, (int x), { return 2 * x; });
GPU_FUNCTION(bool, is_even, (int x), { return (x & 1) == 0; });
GPU_FUNCTION(int, plus, (int a, int b), { return a + b; });
GPU_FUNCTION(triple, triple_of, (int x), { return (triple){(char)x, 0, 1}; });

/* As many bytes as its elements take. */
static void check(const char *what, gpu_array *a)
{
    size_t length = gpu_length(test_array_ok(a));
    const fp_node *node = a->node;
    if (!length) return;
    cr_assert_eq(node->first, 0, "%s: a view", what);
    cr_assert_eq(fp_buffer_bytes(node->buffer), length * node->type->size, "%s: %zu bytes for %zu elements of %zu",
                 what, fp_buffer_bytes(node->buffer), length, node->type->size);
}

static void check_made(gpu *g, gpu_array *x)
{
    check("gpu_array_of", x);
    check("gpu_range", gpu_range(g, GPU_USHORT, gpu_length(x)));
    check("gpu_fill", gpu_fill(g, GPU_CHAR, &(char){1}, gpu_length(x)));
    check("gpu_map", gpu_map(x, doubled));
    check("gpu_map_to", gpu_map_to(x, GPU_TYPE(triple), triple_of));
    check("gpu_map2", gpu_map2(x, x, "x * y"));
    check("gpu_scan", gpu_scan(x, "a + b"));
    check("gpu_scan_exclusive", gpu_scan_exclusive(x, &(int){1}, plus));
    check("gpu_reduced", gpu_reduced(x, "a + b"));
    check("gpu_block_reduce", gpu_block_reduce(x, 7, plus));
    check("gpu_reverse", gpu_reverse(gpu_map(x, doubled)));
    check("gpu_concat", gpu_concat(x, x));
    check("gpu_gather", gpu_gather(x, gpu_range(g, GPU_UINT, gpu_length(x))));
    check("gpu_scatter", gpu_scatter(x, gpu_range(g, GPU_UINT, gpu_length(x)), x));
}

static void check_selected(gpu_array *x)
{
    gpu_array *yes, *no;
    check("gpu_filter", gpu_filter(x, is_even));
    check("gpu_find_if", gpu_find_if(x, is_even));
    check("gpu_find", gpu_find(x, &(int){3}));
    check("gpu_unique", gpu_unique(x));
    gpu_partition(x, is_even, &yes, &no);
    check("gpu_partition", yes);
    check("gpu_partition, the others", no);
}

static void check_ordered(gpu_array *x)
{
    gpu_array *keys, *values;
    check("gpu_sort", gpu_sort(x));
    check("gpu_argsort", gpu_argsort(x));
    gpu_sort_pairs(x, x, &keys, &values);
    check("gpu_sort_pairs, keys", keys);
    check("gpu_sort_pairs, values", values);
    gpu_runs(x, &keys, &values);
    check("gpu_runs, values", keys);
    check("gpu_runs, lengths", values);
    gpu_reduce_by_key(x, x, plus, &keys, &values);
    check("gpu_reduce_by_key, keys", keys);
    check("gpu_reduce_by_key, values", values);
    gpu_group_reduce(x, x, "a + b", &keys, &values);
    check("gpu_group_reduce, keys", keys);
    check("gpu_group_reduce, values", values);
    check("gpu_scan_by_key", gpu_scan_by_key(x, x, plus));
}

Test(host_memory, arrays_have_the_bytes_of_their_elements)
{
    const size_t sizes[] = {1, 2, 5, 255, 257, 1023, 1025, 5000};
    int data[5000];
    for (int i = 0; i < 5000; i++) data[i] = i / 4 % 7;
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        gpu *g = test_open_host();
        gpu_array *x = gpu_array_of(g, data, sizes[k]);
        check_made(g, x);
        check_selected(x);
        check_ordered(x);
        test_close(g);
    }
}

/* Small arrays of an OpenCL device, which are in the host's memory likewise. */
Test(small_memory, arrays_have_the_bytes_of_their_elements)
{
    test_whole_tiles();
    test_needs_opencl();
    setenv("FIREPILE_SMALL", "1024", 1);
    setenv("FIREPILE_VERIFY", "0", 1);
    int data[600];
    for (int i = 0; i < 600; i++) data[i] = i / 4 % 7;
    gpu *g = test_open();
    gpu_array *x = gpu_array_of(g, data, 600);
    check("gpu_array_of", x);
    check("gpu_map", gpu_map(x, doubled));
    check("gpu_scan", gpu_scan(x, "a + b"));
    check("gpu_reduced", gpu_reduced(x, "a + b"));
    check_selected(x);
    cr_assert_eq(test_stats(g).kernels_launched, 0);
    test_close(g);
}

/* What a program that reads past an array's end prints, and that it ends with a failure. */
static void check_seen(const char *command)
{
    char line[512], text[4096] = "";
    FILE *output = test_program(command);
    while (fgets(line, sizeof line, output)) strncat(text, line, sizeof text - strlen(text) - 1);
    int status = pclose(output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) != 0, "%s went well: %s", command, text);
    test_has(text, "AddressSanitizer: heap-buffer-overflow");
}

Test(host_memory, sanitizer_sees_reads_past_the_end)
{
    if (!SEES_ADDRESSES) cr_skip_test("only under the address sanitizer: make test SAN=address,undefined");
    const char *options = getenv("ASAN_OPTIONS");
    char text[1024];
    snprintf(text, sizeof text, "%s:log_path=stderr:abort_on_error=0", options ? options : "");
    setenv("ASAN_OPTIONS", text, 1);
    check_seen("tests/programs/overrun 1 2>&1");
    check_seen("tests/programs/overrun 600 2>&1");
    check_seen("tests/programs/overrun -1 2>&1");
    check_seen("tests/programs/overrun 1 filtered 2>&1");
    check_seen("tests/programs/overrun 600 filtered 2>&1");
}
