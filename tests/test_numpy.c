/* Results beside NumPy's: tests/compare_numpy.py reads the files that these tests write. */
#include "support/reference.h"

#include <stdlib.h>
#include <string.h>

static char folder[64];

static void needs_numpy(void)
{
    if (system("python3 -c 'import numpy' 2>/dev/null")) cr_skip_test("NumPy is not there");
}

static void begin(void)
{
    strcpy(folder, "/tmp/firepile-numpy-XXXXXX");
    cr_assert(mkdtemp(folder) != NULL);
}

static void end(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(numpy, .init = begin, .fini = end, .timeout = 300);

/* The name of the file is that of the case, which may be empty, and that of the array. */
static void save_as(const char *of, const char *name, const gpu_array *a)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s%s.npy", folder, of, name);
    test_ok(gpu_save_npy(a, path));
}

/* The script prints what differs. */
static void compare_files(const char *kind)
{
    const char *source = getenv("FP_TEST_SOURCE");
    char command[4 * TEST_PATH];
    snprintf(command, sizeof command, "python3 '%s/tests/compare_numpy.py' '%s' %s", source ? source : ".", folder,
             kind);
    cr_assert_eq(system(command), 0, "results differ from NumPy's");
}

/* Format 1.0: a magic, the length of a text that says all of the array, and elements from a multiple of 64 on. */
Test(numpy, a_file_begins_as_numpys_do)
{
    static const float data[] = {1.5f, -2, 3};
    unsigned char bytes[256];
    gpu *g = test_open();
    save_as("", "three", gpu_array_of(g, data, COUNT_OF(data)));
    test_close(g);
    char path[160];
    snprintf(path, sizeof path, "%s/three.npy", folder);
    FILE *file = fopen(path, "rb");
    cr_assert(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file), header = 10 + bytes[8] + 256u * bytes[9];
    fclose(file);
    cr_assert_eq(memcmp(bytes, "\x93NUMPY\x01\x00", 8), 0);
    cr_assert(header % 64 == 0 && size == header + sizeof data && bytes[header - 1] == '\n');
    cr_assert_eq(memcmp(bytes + header, data, sizeof data), 0);
    bytes[header] = 0;
    test_has((const char *)bytes + 10, "'descr': '<f4', 'fortran_order': False, 'shape': (3,)");
}

/* ---- arrays ---- */

enum { N = 5000, FEW = 100, SHARES = 21, BINS = 16 };

/* Mean, variance, median, and then quantiles. */
static void save_statistics(gpu *g, const gpu_array *x)
{
    double values[3 + SHARES];
    test_ok(gpu_variance(x, &values[0], &values[1]));
    test_ok(gpu_mean(x, &values[0]));
    test_ok(gpu_median(x, &values[2]));
    for (int k = 0; k < SHARES; k++) test_ok(gpu_quantile(x, k / (SHARES - 1.0), &values[3 + k]));
    save_as("", "statistics", gpu_array_of(g, values, COUNT_OF(values)));
}

static void save_sorts(const gpu_array *x, const gpu_array *few)
{
    gpu_array *keys, *places;
    save_as("", "sort_descending", gpu_sort_descending(x));
    save_as("", "argsort", gpu_argsort(few));
    save_as("", "argsort_by", gpu_argsort_by(few, "a > b"));
    test_ok(gpu_top_pairs(few, gpu_argsort(x), FEW, &keys, &places));
    save_as("", "top_keys", keys);
    save_as("", "top_places", places);
    gpu_array *sorted = gpu_sort(few);
    save_as("", "lower_bound", gpu_lower_bound(sorted, few));
    save_as("", "upper_bound", gpu_upper_bound(sorted, few));
}

static void save_sets(const gpu_array *few, const gpu_array *others)
{
    gpu_array *a = gpu_unique(gpu_sort(few)), *b = gpu_unique(gpu_sort(others));
    save_as("", "unique", a);
    save_as("", "contains", gpu_contains(b, few));
    save_as("", "union", gpu_set_union(a, b));
    save_as("", "intersection", gpu_set_intersection(a, b));
    save_as("", "difference", gpu_set_difference(a, b));
}

static void fill_below(int *out, int most, uint64_t seed)
{
    for (int k = 0; k < N; k++) out[k] = (int)(test_random(&seed) % (uint64_t)most);
}

Test(numpy, computes_what_numpy_does_of_arrays)
{
    needs_numpy();
    gpu *g = test_open();
    if (!test_has_double()) cr_skip_test("statistics are written as doubles");
    static float data[N];
    static int small[N], others[N], counts[N];
    uint64_t seed = 1;
    for (int k = 0; k < N; k++) data[k] = (float)((double)test_random(&seed) * 0x1p-62 - 2);
    fill_below(small, 3 * FEW, 2);
    fill_below(others, 5 * FEW, 3);
    fill_below(counts, 4, 4);
    gpu_array *x = gpu_array_of(g, data, N), *few = gpu_array_of(g, small, N), *bins, *outside;
    save_as("", "x", x);
    save_as("", "few", few);
    save_as("", "others", gpu_array_of(g, others, N));
    save_as("", "counts", gpu_array_of(g, counts, N));
    save_statistics(g, x);
    save_sorts(x, few);
    save_sets(few, gpu_array_of(g, others, N));
    save_as("", "repeat", gpu_repeat(x, gpu_array_of(g, counts, N)));
    test_ok(gpu_histogram(x, &(float){-1}, &(float){1}, BINS, &bins, &outside));
    save_as("", "histogram", bins);
    compare_files("arrays");
    test_close(g);
}

/* ---- numbers ---- */

/* Numbers from -1 to 1, or from -50 to 50, of one type. */
static void *make_numbers(gpu_type type, size_t n, uint64_t seed)
{
    const size_t scalars = n * (type == GPU_FLOAT2 ? 2 : 1);
    void *out = test_alloc(n, type->size);
    for (size_t k = 0; k < scalars; k++) {
        const double x = (double)test_random(&seed) * 0x1p-63 - 1;
        if (type == GPU_INT) ((int *)out)[k] = (int)(50 * x);
        if (type == GPU_DOUBLE) ((double *)out)[k] = x;
        if (type == GPU_FLOAT || type == GPU_FLOAT2) ((float *)out)[k] = (float)x;
    }
    return out;
}

static gpu_array *numbers(gpu *g, gpu_type type, size_t n, uint64_t seed)
{
    void *data = make_numbers(type, n, seed);
    gpu_array *a = gpu_array_from(g, type, data, n);
    free(data);
    return a;
}

static const char *const type_names[] = {"float", "double", "int", "complex"};

static gpu_type type_of(size_t t)
{
    const gpu_type types[] = {GPU_FLOAT, GPU_DOUBLE, GPU_INT, GPU_FLOAT2};
    return types[t];
}

typedef void check_case(gpu *g, gpu_type type, size_t rows, size_t columns, const char *name);

/* Each type and each shape. The names of cases begin with the type and have the shape. */
static void check_cases(check_case *check, const size_t (*shapes)[2], size_t count, const char *kind)
{
    gpu *g = test_open();
    for (size_t t = 0; t < COUNT_OF(type_names); t++)
        for (size_t s = 0; s < count && !(type_of(t) == GPU_DOUBLE && !test_has_double()); s++) {
            char name[64];
            gpu_scope *scope = gpu_scope_begin(g);
            snprintf(name, sizeof name, "%s-%zu-%zu-", type_names[t], shapes[s][0], shapes[s][1]);
            check(g, type_of(t), shapes[s][0], shapes[s][1], name);
            gpu_scope_end(scope);
        }
    compare_files(kind);
    test_close(g);
}

/* ---- matrices ---- */

static void save_matrix(const char *of, const char *name, const gpu_matrix *m)
{
    save_as(of, name, gpu_matrix_array(m));
}

static const size_t shapes[][2] = {{0, 5}, {1, 1}, {3, 1}, {17, 33}, {150, 210}};

static void check_matrix(gpu *g, gpu_type type, size_t rows, size_t columns, const char *of)
{
    gpu_matrix *m = gpu_matrix_from(numbers(g, type, rows * columns, 1), rows, columns), *t = gpu_matrix_transpose(m);
    save_matrix(of, "m", m);
    save_matrix(of, "transpose", t);
    save_matrix(of, "multiply", gpu_matrix_multiply(m, t));
    save_as(of, "reduce_rows", gpu_matrix_reduce_rows(m, "a + b"));
    save_as(of, "reduce_columns", gpu_matrix_reduce_columns(m, "a + b"));
    save_matrix(of, "scan_rows", gpu_matrix_scan_rows(m, "a + b"));
    if (type != GPU_FLOAT2) save_matrix(of, "sort_rows", gpu_matrix_sort_rows(m));
}

Test(numpy, computes_what_numpy_does_of_matrices)
{
    needs_numpy();
    check_cases(check_matrix, shapes, COUNT_OF(shapes), "matrices");
}

static void check_neighbours(gpu *g, gpu_type type, size_t rows, size_t columns, const char *of)
{
    gpu_matrix *m = gpu_matrix_from(numbers(g, type, rows * columns, 2), rows, columns);
    const char *text = "at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)";
    save_matrix(of, "m", m);
    save_matrix(of, "stencil", gpu_matrix_stencil(m, 1, GPU_EDGE_WRAP, text));
}

Test(numpy, computes_what_numpy_does_of_stencils)
{
    needs_numpy();
    check_cases(check_neighbours, shapes, COUNT_OF(shapes), "stencils");
}

/* The identity and small numbers, so that no determinant overflows. */
static gpu_matrix *make_square(gpu *g, gpu_type type, size_t n)
{
    unsigned char *data = make_numbers(type, n * n, 3);
    const size_t scalars = type == GPU_FLOAT2 ? 2 : 1;
    for (size_t k = 0; k < n * n * scalars; k++) {
        const double one = k % ((n + 1) * scalars) == 0;
        if (type == GPU_DOUBLE) ((double *)(void *)data)[k] = ((double *)(void *)data)[k] / (double)n + one;
        if (type != GPU_DOUBLE) ((float *)(void *)data)[k] = ((float *)(void *)data)[k] / (float)n + (float)one;
    }
    gpu_matrix *m = gpu_matrix_from(gpu_array_from(g, type, data, n * n), n, n);
    free(data);
    return m;
}

/* A square matrix of as many rows, and `columns` right sides. */
static void check_system(gpu *g, gpu_type type, size_t rows, size_t columns, const char *of)
{
    if (type == GPU_INT) return;
    unsigned char determinant[sizeof(double)];
    gpu_matrix *square = make_square(g, type, rows);
    gpu_matrix *sides = gpu_matrix_from(numbers(g, type, rows * columns, 4), rows, columns);
    const gpu_output out = {determinant, type, type->size};
    save_matrix(of, "square", square);
    save_matrix(of, "sides", sides);
    save_matrix(of, "solve", gpu_matrix_solve(square, sides));
    save_matrix(of, "inverse", gpu_matrix_inverse(square));
    test_ok(gpu_matrix_determinant_op(square, &out, GPU_HERE));
    save_as(of, "determinant", gpu_array_from(g, type, determinant, 1));
}

Test(numpy, systems_of_equations)
{
    needs_numpy();
    check_cases(check_system, shapes, COUNT_OF(shapes), "systems");
}

/* ---- dictionaries ---- */

static void save_dict(const char *of, const char *name, const gpu_dict *d)
{
    char keys[32], values[32];
    snprintf(keys, sizeof keys, "%s_keys", name);
    snprintf(values, sizeof values, "%s_values", name);
    save_as(of, keys, gpu_dict_keys(d));
    save_as(of, values, gpu_dict_values(d));
}

static gpu_array *keys_below(gpu *g, size_t n, uint64_t most, uint64_t seed)
{
    int *keys = test_alloc(n, sizeof *keys);
    for (size_t k = 0; k < n; k++) keys[k] = (int)(test_random(&seed) % most) - (int)most / 2;
    gpu_array *a = gpu_array_of(g, keys, n);
    free(keys);
    return a;
}

/* Dictionaries of `n` keys, and of half as many. */
static void check_dict(gpu *g, gpu_type type, size_t n, size_t most, const char *of)
{
    static const unsigned char zero[sizeof(gpu_float2)];
    const gpu_value none = {zero, type, type->size};
    gpu_array *keys = keys_below(g, n, most, 5), *values = numbers(g, type, n, 6);
    gpu_array *others = keys_below(g, n / 2, most, 7), *weights = numbers(g, type, n / 2, 8), *k, *left, *right;
    gpu_dict *d = gpu_dict_of(keys, values, "a + b"), *e = gpu_dict_of(others, weights, "a + b");
    save_as(of, "keys", keys);
    save_as(of, "values", values);
    save_as(of, "others", others);
    save_as(of, "weights", weights);
    save_dict(of, "of", d);
    save_as(of, "get", gpu_dict_get_op(d, others, &none, GPU_HERE));
    save_as(of, "has", gpu_dict_has(d, others));
    save_dict(of, "merge", gpu_dict_merge(d, e, "a + b"));
    save_dict(of, "intersect", gpu_dict_intersect(d, e, "a - b"));
    save_dict(of, "remove", gpu_dict_remove(d, others));
    test_ok(gpu_dict_join(d, others, weights, &k, &left, &right));
    save_as(of, "join_keys", k);
    save_as(of, "join_left", left);
    save_as(of, "join_right", right);
}

Test(numpy, computes_what_numpy_does_of_dictionaries)
{
    needs_numpy();
    static const size_t sizes[][2] = {{0, 1}, {1, 1}, {3, 2}, {561, 100}, {50000, 20000}};
    check_cases(check_dict, sizes, COUNT_OF(sizes), "dictionaries");
}
