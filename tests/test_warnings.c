/* The compiler has nothing to say of the programs that operations make: PoCL would print it. */
#include "expressions/gpu.h"
#include "support/line.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

enum { N = 300 };

static void of_an_order(gpu_array *x)
{
    size_t index;
    bool sorted;
    gpu_array *a = NULL, *b = NULL;
    test_ok(gpu_argmin(x, &index));
    test_ok(gpu_argmax(gpu_filter(x, "x > 3"), &index));
    test_ok(gpu_is_sorted(x, &sorted));
    test_array_ok(gpu_sort(x));
    test_array_ok(gpu_argsort(x));
    test_array_ok(gpu_lower_bound(x, x));
    test_array_ok(gpu_top(x, 3));
    test_array_ok(gpu_unique(x));
    test_array_ok(gpu_find_if(x, "x > 3"));
    test_ok(gpu_runs(x, &a, &b));
    test_array_ok(b);
    test_ok(gpu_group_reduce(x, x, "a + b", &a, &b));
    test_array_ok(b);
    test_ok(gpu_check_order(x, "a < b"));
}

static void of_numbers(gpu_array *ints, gpu_array *floats)
{
    int i;
    float f;
    gpu_array *counts, *outside;
    test_ok(gpu_sum(ints, &i));
    test_ok(gpu_sum(floats, &f));
    test_ok(gpu_min(ints, &i));
    test_ok(gpu_max(floats, &f));
    test_ok(gpu_histogram(ints, &(int){0}, &(int){9}, 3, &counts, &outside));
    test_array_ok(counts);
    test_ok(gpu_histogram(floats, &(float){0}, &(float){9}, 3, &counts, &outside));
    test_array_ok(counts);
    test_array_ok(gpu_find(ints, &(int){3}));
    test_array_ok(gpu_find(floats, &(float){3}));
    of_an_order(ints);
    of_an_order(floats);
}

static void of_structs(gpu *g, gpu_array *ints)
{
    line out;
    size_t index;
    gpu_array *x = gpu_eval(gpu_map_to(ints, GPU_TYPE(line), line_of)), *indices = gpu_range(g, GPU_UINT, N), *a, *b;
    test_ok(gpu_reduce(x, then, &out));
    test_ok(gpu_reduce(gpu_filter(x, "x.c > 3"), then, &out));
    test_ok(gpu_reduce_all(x, then, &out, "b", &out));
    test_array_ok(gpu_scan(x, then));
    test_array_ok(gpu_block_reduce(x, 10, then));
    test_array_ok(gpu_gather(x, indices));
    test_array_ok(gpu_scatter(x, indices, x));
    test_array_ok(gpu_reverse(x));
    test_array_ok(gpu_concat(x, x));
    test_array_ok(gpu_sort_by(x, "a.c < b.c"));
    test_ok(gpu_index_if(x, "x.c > 3", &index));
    test_ok(gpu_partition(x, "x.c > 3", &a, &b));
    test_array_ok(a);
    test_ok(gpu_reduce_by_key(ints, x, then, &a, &b));
    test_array_ok(b);
    test_array_ok(gpu_scan_by_key(ints, x, then));
    test_ok(gpu_check_reduce(x, then));
}

static void of_sorts(gpu_array *floats)
{
    static const gpu_sort_algorithm algorithms[] = {GPU_SORT_BITONIC, GPU_SORT_MERGE, GPU_SORT_RADIX};
    for (size_t k = 0; k < COUNT_OF(algorithms); k++)
        test_array_ok(gpu_sort_with(floats, &(gpu_sort_options){.algorithm = algorithms[k]}, NULL));
    test_array_ok(gpu_sort_descending(floats));
    test_array_ok(gpu_merge(gpu_sort(floats), gpu_sort(floats)));
    test_array_ok(gpu_set_union(gpu_sort(floats), gpu_sort(floats)));
}

static void of_neighbours(gpu_array *ints, gpu_array *floats)
{
    float sum[3];
    test_array_ok(gpu_stencil(floats, 1, GPU_EDGE_CLAMP, "at(-1) + at(1)"));
    test_array_ok(gpu_stencil(floats, 2, GPU_EDGE_VALUE(&(float){0}), "at(-2) + at(1)"));
    test_array_ok(gpu_window_reduce(floats, 7, "a + b"));
    test_array_ok(gpu_bin_reduce(gpu_map(ints, "x % 10"), floats, 10, &(float){0}, "a + b"));
    test_array_ok(gpu_bin_reduce(ints, floats, 70000, &(float){0}, "a + b"));
    test_ok(gpu_map_reduce_all(floats, "x * x", "a + b", sum, "i", "max(a, b)", sum + 1));
}

static void of_collections(gpu_array *ints, gpu_array *floats)
{
    gpu_matrix *m = gpu_matrix_from(floats, 20, N / 20), *t = gpu_matrix_transpose(m);
    test_array_ok(gpu_matrix_array(gpu_matrix_multiply(m, t)));
    test_array_ok(gpu_matrix_array(gpu_matrix_map(t, "x + row")));
    test_array_ok(gpu_matrix_reduce_rows(t, "a + b"));
    gpu_dict *d = gpu_dict_of(ints, floats, "a + b");
    test_array_ok(gpu_dict_get(d, ints, &(float){0}));
}

/* All programs that were dumped, by a clang with the warnings that `make check` has kernels compiled with. clang itself
 * would start a compiler for each. */
static void check_programs(const char *folder)
{
    static const char form[] = "set -- %s/*.cl; [ -e \"$1\" ] || echo no programs; "
                               "command -v clang >/dev/null || { echo no clang; exit; }; "
                               "clang -cc1 -x cl -cl-std=CL1.2 -fdeclare-opencl-builtins -finclude-default-header "
                               "-internal-isystem \"$(clang -print-resource-dir)/include\" -fsyntax-only -Wall "
                               "-Wno-unused-function -Wno-sometimes-uninitialized \"$@\" 2>&1";
    char command[1024], line[512];
    snprintf(command, sizeof command, form, folder);
    FILE *out = popen(command, "r");
    cr_assert(out);
    bool said = fgets(line, sizeof line, out) != NULL;
    while (fgetc(out) != EOF)
        ;
    pclose(out);
    if (said && !strcmp(line, "no clang\n")) return; /* make check says so too */
    cr_assert(!said, "%s", line);
}

Test(warnings, programs_of_operations_give_none)
{
    test_needs_opencl();
    char folder[TEST_PATH];
    test_folder_make(folder);
    setenv("FIREPILE_DUMP", folder, 1);
    setenv("FIREPILE_SMALL", "0", 1);
    gpu *g = test_open();
    g->kernels.options = "-cl-std=CL1.2 -cl-opt-disable"; /* PoCL takes half the time, and their text is the same */
    gpu_array *ints = gpu_eval(gpu_map(gpu_range(g, GPU_INT, N), "x / 3"));
    gpu_array *floats = gpu_eval(gpu_map_to(ints, GPU_FLOAT, "x"));
    of_numbers(ints, floats);
    of_structs(g, ints);
    of_sorts(floats);
    of_neighbours(ints, floats);
    of_collections(ints, floats);
    test_close(g);
    check_programs(folder);
    test_folder_remove(folder);
}
