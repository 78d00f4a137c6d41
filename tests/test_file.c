/* gpu_load_npy and gpu_save_npy: round trips, files as NumPy writes them, malformed ones, and NumPy itself. */
#include "support/functions.h"
#include "support/reference.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

GPU_STRUCT(item, int a;);

static char folder[64];

static void begin(void)
{
    strcpy(folder, "/tmp/firepile-file-XXXXXX");
    cr_assert(mkdtemp(folder) != NULL);
}

static void end(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(file, .init = begin, .fini = end, .timeout = 300);

/* Valid until the next call. */
static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *write_file(const char *name, const void *bytes, size_t n)
{
    const char *path = path_of(name);
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
    return path;
}

/* A file of format `version`.0 with this dictionary, and then these bytes. */
static const char *write_npy(unsigned char version, const char *dictionary, const void *elements, size_t n)
{
    unsigned char bytes[512] = "\x93NUMPY";
    const size_t length = strlen(dictionary), at = version > 1 ? 12 : 10;
    bytes[6] = version;
    bytes[8] = (unsigned char)length;
    memcpy(bytes + at, dictionary, length);
    memcpy(bytes + at + length, elements, n);
    return write_file("made.npy", bytes, at + length + n);
}

/* ---- round trips ---- */

static void check_round_trip(gpu *g, gpu_type type, size_t n)
{
    gpu_scope *scope = gpu_scope_begin(g);
    unsigned char *data = test_alloc(n, type->size);
    test_pattern_fill(TEST_BITS, type, data, n, 1);
    test_ok(gpu_save_npy(gpu_array_from(g, type, data, n), path_of("a.npy")));
    gpu_array *a = gpu_load_npy(g, path_of("a.npy"));
    test_holds(type->name, a, test_bits(type), n, data);
    cr_assert(gpu_type_equal(gpu_type_of(a), type), "%s became %s", type->name, gpu_type_of(a)->name);
    free(data);
    gpu_scope_end(scope);
}

Test(file, round_trips)
{
    static const size_t sizes[] = {0, 1, 1025, 100000};
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++) check_round_trip(g, test_scalars[t], 100);
    for (size_t s = 0; s < COUNT_OF(sizes); s++) check_round_trip(g, GPU_FLOAT, sizes[s]);
    test_close(g);
}

/* More than a block, from a slice of a delayed array. */
Test(file, writes_and_reads_several_blocks)
{
    enum { N = 3000001 };
    gpu *g = test_open();
    test_ok(gpu_save_npy(gpu_slice(gpu_range(g, GPU_INT, N + 5), 5, N), path_of("long.npy")));
    gpu_array *a = gpu_load_npy(g, path_of("long.npy"));
    cr_assert_eq(gpu_length(a), N);
    int first, last;
    test_ok(gpu_read(gpu_slice(a, 0, 1), &first));
    test_ok(gpu_read(gpu_slice(a, N - 1, 1), &last));
    cr_assert(first == 5 && last == N + 4, "%d to %d", first, last);
    test_close(g);
}

Test(file, keeps_vectors_of_two_as_complex_numbers_and_others_as_rows)
{
    gpu *g = test_open();
    const float data[] = {1, 2, 3, 4, 5, 6, 7, 8};
    test_ok(gpu_save_npy(gpu_array_from(g, GPU_FLOAT2, data, 4), path_of("complex.npy")));
    gpu_array *a = gpu_load_npy(g, path_of("complex.npy"));
    cr_assert(gpu_type_of(a) == GPU_FLOAT2 && gpu_length(a) == 4);
    test_ok(gpu_save_npy(gpu_array_from(g, GPU_FLOAT4, data, 2), path_of("rows.npy")));
    test_holds("rows of four", gpu_load_npy(g, path_of("rows.npy")), GPU_FLOAT, 8, data);
    test_close(g);
}

Test(file, writes_what_a_filter_keeps)
{
    gpu *g = test_open();
    test_ok(gpu_save_npy(gpu_filter(gpu_range(g, GPU_INT, 6), is_odd), path_of("odd.npy")));
    test_holds("filtered elements", gpu_load_npy(g, path_of("odd.npy")), GPU_INT, 3, (int[]){1, 3, 5});
    test_close(g);
}

/* ---- what NumPy writes ---- */

Test(file, reads_all_versions_and_shapes)
{
    gpu *g = test_open();
    const int data[] = {1, 2, 3, 4, 5, 6};
    const unsigned char big[] = {0x01, 0x02, 0x03, 0x04}, yes[] = {1, 0};
    for (unsigned char version = 1; version <= 3; version++) {
        const char *path =
            write_npy(version, "{'descr': '<i4', 'fortran_order': False, 'shape': (6,), }   \n", data, sizeof data);
        test_holds("one dimension", gpu_load_npy(g, path), GPU_INT, 6, data);
    }
    test_holds(
        "two dimensions",
        gpu_load_npy(g, write_npy(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)}", data, sizeof data)),
        GPU_INT, 6, data);
    test_holds("no dimension",
               gpu_load_npy(g, write_npy(1, "{'descr': '<i4', 'fortran_order': False, 'shape': ()}", data, 4)), GPU_INT,
               1, data);
    test_holds("Fortran's order of one dimension",
               gpu_load_npy(g, write_npy(1, "{\"shape\":(3,),\"fortran_order\":True,\"descr\":\"<i4\"}", data, 12)),
               GPU_INT, 3, data);
    test_holds("the other byte order",
               gpu_load_npy(g, write_npy(1, "{'descr': '>u2', 'fortran_order': False, 'shape': (2,)}", big, 4)),
               GPU_USHORT, 2, (unsigned short[]){0x0102, 0x0304});
    test_holds("bool", gpu_load_npy(g, write_npy(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", yes, 2)),
               GPU_UCHAR, 2, yes);
    test_close(g);
}

static bool has_numpy(void)
{
    return system("python3 -c 'import numpy' 2>/dev/null") == 0;
}

Test(file, exchanges_files_with_numpy)
{
    if (!has_numpy()) cr_skip_test("NumPy is not there");
    gpu *g = test_open();
    char command[512];
    test_ok(gpu_save_npy(gpu_map_to(gpu_range(g, GPU_INT, 1000), GPU_FLOAT, "x / 2.0f"), path_of("a.npy")));
    snprintf(command, sizeof command,
             "cd %s && python3 -c 'import numpy as n; a = n.load(\"a.npy\"); assert (a == n.arange(1000) / 2).all(); "
             "n.save(\"b.npy\", n.arange(12).reshape(3, 4).astype(\"i8\"))'",
             folder);
    cr_assert_eq(system(command), 0);
    gpu_array *b = gpu_load_npy(g, path_of("b.npy"));
    cr_assert(gpu_type_of(b) == GPU_LONG && gpu_length(b) == 12);
    test_holds_steps("loaded elements", b, GPU_LONG, 12, 0, 1);
    test_close(g);
}

/* ---- errors ---- */

static void fails_with(gpu *g, gpu_status status, const char *path, const char *message)
{
    test_array_fails(status, gpu_load_npy(g, path));
    test_has(gpu_error(), message);
}

Test(file, names_the_place_of_a_mistake)
{
    static const struct {
        const char *dictionary, *message;
        gpu_status status;
    } cases[] = {
        {"", "byte 10: a '{' is expected", GPU_E_ARGUMENT},
        {"{'descr': '<i4', 'shape': (1,)", "',' or a '}' is expected", GPU_E_ARGUMENT},
        {"{'descr': '<i4'}", "'shape' is missing", GPU_E_ARGUMENT},
        {"{'shape': (1,)}", "'descr' or", GPU_E_ARGUMENT},
        {"{'size': 3}", "byte 19: the key is not", GPU_E_ARGUMENT},
        {"{'descr': '<f2', 'shape': (1,)}", "'<f2'", GPU_E_TYPE},
        {"{'descr': '|O', 'shape': (1,)}", "'|O'", GPU_E_TYPE},
        {"{'descr': [('a', '<i4')], 'shape': (1,)}", "records", GPU_E_TYPE},
        {"{'descr': '<i4', 'shape': (-1,)}", "a number is expected", GPU_E_ARGUMENT},
        {"{'descr': '<i4', 'shape': (99999999999, 99999999999)}", "more elements", GPU_E_ARGUMENT},
        {"{'descr': '<i4', 'shape': (99999999999999999999,)}", "too large", GPU_E_ARGUMENT},
        {"{'descr': '<i4', 'shape': (2", "',' or a ')'", GPU_E_ARGUMENT},
        {"{'descr': '<i4', 'fortran_order': 1, 'shape': (2,)}", "True or False", GPU_E_ARGUMENT},
        {"{'descr': '<i4', 'fortran_order': True, 'shape': (1, 2)}", "Fortran's order", GPU_E_ARGUMENT},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}", "the file ends before the last element",
         GPU_E_ARGUMENT},
    };
    gpu *g = test_open();
    for (size_t k = 0; k < COUNT_OF(cases); k++)
        fails_with(g, cases[k].status, write_npy(1, cases[k].dictionary, "1234", 4), cases[k].message);
    fails_with(g, GPU_E_ARGUMENT, write_file("no.npy", "no file", 7), "byte 0: no .npy file begins so");
    fails_with(g, GPU_E_ARGUMENT, write_file("short.npy", "\x93NUMPY\1\0\x70\0{'de", 14), "the file ends");
    fails_with(g, GPU_E_ARGUMENT, write_npy(4, "{}", "", 0), "byte 6: the format");
    test_close(g);
}

Test(file, that_is_not_there_is_not_loaded)
{
    gpu *g = test_open();
    fails_with(g, GPU_E_ARGUMENT, path_of("nothing.npy"), "No such file");
    fails_with(g, GPU_E_ARGUMENT, folder, "byte 0");
    fails_with(g, GPU_E_ARGUMENT, NULL, "NULL");
    test_close(g);
}

Test(file, is_not_left_by_a_failure)
{
    gpu *g = test_open();
    const item items[] = {{1}, {2}};
    gpu_array *x = gpu_range(g, GPU_INT, 5), *records = gpu_array_from(g, GPU_TYPE(item), items, 2);
    test_fails(GPU_E_ARGUMENT, gpu_save_npy(x, NULL));
    test_fails(GPU_E_ARGUMENT, gpu_save_npy(NULL, path_of("a.npy")));
    test_fails(GPU_E_TYPE, gpu_save_npy(records, path_of("a.npy")));
    test_fails(GPU_E_ARGUMENT, gpu_save_npy(x, "/nowhere/a.npy"));
    test_has(gpu_error(), "/nowhere/a.npy");
    test_fails(GPU_E_SNIPPET, gpu_save_npy(gpu_map(x, "x + nobody"), path_of("a.npy")));
    cr_assert(access(path_of("a.npy"), F_OK) != 0, "a failure left a file");
    test_close(g);
}

/* What was there before stays when the new file cannot be written whole. */
Test(file, file_size_limit)
{
    gpu *g = test_open();
    const struct rlimit limit = {4096, 4096};
    gpu_array *many = gpu_eval(gpu_range(g, GPU_INT, 5000)), *few = gpu_range(g, GPU_INT, 5);
    test_ok(gpu_save_npy(few, path_of("a.npy")));
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    test_fails(GPU_E_ARGUMENT, gpu_save_npy(many, path_of("a.npy")));
    test_has(gpu_error(), "File too large");
    test_holds("the old file", gpu_load_npy(g, path_of("a.npy")), GPU_INT, 5, (int[]){0, 1, 2, 3, 4});
    test_close(g);
}
