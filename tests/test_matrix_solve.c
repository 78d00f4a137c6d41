/* Solutions, inverses and determinants beside plain C: shapes on both sides of a panel, real and complex numbers,
 * views, singular matrices, errors. Operators are functions, so that the host device runs the tests too. */
#include "support/host.h"
#include "support/reference.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double complex number;

GPU_FUNCTION(float, doubled, (float x), { return 2 * x; });

static const gpu_type types[] = {GPU_FLOAT, GPU_DOUBLE, GPU_FLOAT2, GPU_DOUBLE2};
static const size_t sizes[] = {1, 2, 3, 17, 63, 64, 65, 129, 200};

static bool is_single(gpu_type type)
{
    return type == GPU_FLOAT || type == GPU_FLOAT2;
}

/* Elements of the type from numbers, and back. */
static void *pack(gpu_type type, const number *x, size_t n)
{
    unsigned char *out = test_alloc(n, type->size);
    for (size_t k = 0; k < n; k++) {
        const double parts[] = {creal(x[k]), cimag(x[k])};
        const float singles[] = {(float)parts[0], (float)parts[1]};
        memcpy(out + k * type->size, is_single(type) ? (const void *)singles : parts, type->size);
    }
    return out;
}

static void unpack(gpu_type type, const unsigned char *x, size_t n, number *out)
{
    for (size_t k = 0; k < n; k++, x += type->size) {
        double parts[2] = {0, 0};
        float singles[2] = {0, 0};
        memcpy(is_single(type) ? (void *)singles : parts, x, type->size);
        out[k] = is_single(type) ? singles[0] + singles[1] * I : parts[0] + parts[1] * I;
    }
}

/* Between -1 and 1 in each part, as the type has them. */
static number *some_numbers(gpu_type type, size_t n, uint64_t seed)
{
    number *x = test_alloc(n, sizeof *x);
    for (size_t k = 0; k < n; k++) {
        const double re = (double)(test_random(&seed) % 200001) / 1e5 - 1;
        const double im = type->width == 2 ? (double)(test_random(&seed) % 200001) / 1e5 - 1 : 0;
        x[k] = re + im * I;
    }
    void *packed = pack(type, x, n);
    unpack(type, packed, n, x);
    free(packed);
    return x;
}

static gpu_matrix *matrix_of(gpu *g, gpu_type type, const number *x, size_t rows, size_t columns)
{
    void *packed = pack(type, x, rows * columns);
    gpu_matrix *m = gpu_matrix_from(gpu_array_from(g, type, packed, rows * columns), rows, columns);
    free(packed);
    return m;
}

static number *read_numbers(const gpu_matrix *m, gpu_type type, size_t rows, size_t columns)
{
    test_ok(gpu_matrix_status(m));
    cr_assert_eq(gpu_matrix_rows(m), rows);
    cr_assert_eq(gpu_matrix_columns(m), columns);
    size_t n;
    unsigned char *packed = test_alloc(rows * columns, type->size);
    test_ok(gpu_read_n(gpu_matrix_array(m), (void *)packed, rows * columns, &n));
    number *x = test_alloc(rows * columns, sizeof *x);
    unpack(type, packed, n, x);
    free(packed);
    return x;
}

static double tolerance(gpu_type type, size_t n)
{
    return 100 * (double)n * (is_single(type) ? FLT_EPSILON : DBL_EPSILON);
}

/* |a x - b| is at most a fraction of |a| |x|. */
static void check_residual(gpu_type type, const number *a, const number *x, const number *b, size_t n, size_t m)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            number rest = -b[i * m + j];
            double most = cabs(b[i * m + j]);
            for (size_t k = 0; k < n; k++) rest += a[i * n + k] * x[k * m + j];
            for (size_t k = 0; k < n; k++) most += cabs(a[i * n + k] * x[k * m + j]);
            cr_assert_leq(cabs(rest), tolerance(type, n) * most, "%s, %zu by %zu: element (%zu, %zu) is off by %g",
                          type->name, n, m, i, j, cabs(rest));
        }
}

static void check_solution(gpu *g, gpu_type type, size_t n, size_t m)
{
    number *a = some_numbers(type, n * n, n), *b = some_numbers(type, n * m, n + 1);
    gpu_matrix *x = gpu_matrix_solve(matrix_of(g, type, a, n, n), matrix_of(g, type, b, n, m));
    number *got = read_numbers(x, type, n, m);
    check_residual(type, a, got, b, n, m);
    free(a);
    free(b);
    free(got);
}

/* In a short run one real type and one complex one. */
static bool is_taken(gpu_type type)
{
    return test_full() || type == GPU_FLOAT || type == (test_has_double() ? GPU_DOUBLE2 : GPU_FLOAT2);
}

/* Calls `check` for each type that the device has. */
static void for_each_type(void (*check)(gpu *g, gpu_type type))
{
    gpu *g = test_open();
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        if (!is_taken(types[t]) || (!is_single(types[t]) && !test_has_double())) continue;
        gpu_scope *scope = gpu_scope_begin(g);
        check(g, types[t]);
        gpu_scope_end(scope);
    }
    test_close(g);
}

static void solve_each_size(gpu *g, gpu_type type)
{
    for (size_t k = 0; k < COUNT_OF(sizes); k++) check_solution(g, type, sizes[k], 1 + 3 * (k % 3));
}

Test(matrix_solve, solves_systems_of_all_types_and_sizes)
{
    for_each_type(solve_each_size);
}

static void invert_each_size(gpu *g, gpu_type type)
{
    static const size_t some[] = {1, 3, 64, 100};
    for (size_t k = 0; k < COUNT_OF(some); k++) {
        const size_t n = some[k];
        number *a = some_numbers(type, n * n, n + 5), *identity = test_alloc(n * n, sizeof *identity);
        for (size_t e = 0; e < n * n; e++) identity[e] = e % (n + 1) == 0;
        number *got = read_numbers(gpu_matrix_inverse(matrix_of(g, type, a, n, n)), type, n, n);
        check_residual(type, a, got, identity, n, n);
        free(a);
        free(identity);
        free(got);
    }
}

Test(matrix_solve, inverts_matrices_of_all_types_and_sizes)
{
    for_each_type(invert_each_size);
}

/* ---- determinants ---- */

/* By elimination in doubles, which destroys `a`. */
static number eliminated(number *a, size_t n)
{
    number determinant = 1;
    for (size_t k = 0; k < n; k++) {
        size_t at = k;
        for (size_t i = k; i < n; i++) at = cabs(a[i * n + k]) > cabs(a[at * n + k]) ? i : at;
        for (size_t j = 0; j < n && at != k; j++) {
            const number kept = a[k * n + j];
            a[k * n + j] = a[at * n + j];
            a[at * n + j] = kept;
        }
        determinant *= at == k ? a[k * n + k] : -a[k * n + k];
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = n; j-- > k;) a[i * n + j] -= a[i * n + k] / a[k * n + k] * a[k * n + j];
    }
    return determinant;
}

static number read_determinant(const gpu_matrix *m, gpu_type type)
{
    number d = 0;
    float f = 0;
    gpu_float2 f2 = {0};
    double e = 0;
    gpu_double2 e2 = {0};
    if (type == GPU_FLOAT) test_ok(gpu_matrix_determinant(m, &f));
    if (type == GPU_FLOAT2) test_ok(gpu_matrix_determinant(m, &f2));
    if (type == GPU_DOUBLE) test_ok(gpu_matrix_determinant(m, &e));
    if (type == GPU_DOUBLE2) test_ok(gpu_matrix_determinant(m, &e2));
    d = f + e + f2.x + e2.x + (f2.y + e2.y) * I;
    return d;
}

/* Elements are scaled to keep the determinant in the range of floats. */
static void check_determinants(gpu *g, gpu_type type)
{
    static const size_t some[] = {1, 3, 17, 64, 130};
    for (size_t k = 0; k < COUNT_OF(some); k++) {
        const size_t n = some[k];
        number *a = some_numbers(type, n * n, n + 7);
        for (size_t e = 0; e < n * n; e++) a[e] *= (type->width == 2 ? 1.2 : 1.6) / sqrt((double)n);
        const number got = read_determinant(matrix_of(g, type, a, n, n), type), want = eliminated(a, n);
        cr_assert_leq(cabs(got - want), tolerance(type, n) * cabs(want), "%s, %zu rows: %g + %gi", type->name, n,
                      creal(got), cimag(got));
        free(a);
    }
}

Test(matrix_solve, computes_determinants_of_all_types)
{
    for_each_type(check_determinants);
}

/* Rows in reverse: every second exchange changes the sign. */
Test(matrix_solve, exchanged_rows)
{
    gpu *g = test_open();
    for (size_t n = 1; n < 70; n += 4) {
        float *x = test_alloc(n * n, sizeof *x), *want = test_alloc(n * n, sizeof *x), d = 0;
        for (size_t k = 0; k < n * n; k++) x[k] = k / n + k % n == n - 1 ? 2 : 0;
        for (size_t k = 0; k < n * n; k++) want[k] = x[k] / 4;
        gpu_matrix *m = gpu_matrix_of(g, x, n, n);
        test_holds("the inverse", gpu_matrix_array(gpu_matrix_inverse(m)), GPU_FLOAT, n * n, want);
        test_ok(gpu_matrix_determinant(m, &d));
        cr_assert_eq(d, (n / 2 % 2 ? -1 : 1) * powf(2, (float)n), "%zu rows: %g", n, (double)d);
        free(x);
        free(want);
    }
    test_close(g);
}

/* Without the exchange of rows the first one would swamp the second. */
Test(matrix_solve, small_pivots)
{
    gpu *g = test_open();
    const float x[] = {1e-20f, 1, 1, 1}, b[] = {1, 2}, want[] = {1, 1};
    gpu_matrix *s = gpu_matrix_solve(gpu_matrix_of(g, x, 2, 2), gpu_matrix_of(g, b, 2, 1));
    test_holds("small pivots", gpu_matrix_array(s), GPU_FLOAT, 2, want);
    test_close(g);
}

/* ---- no elements ---- */

Test(matrix_solve, no_rows)
{
    gpu *g = test_open();
    const float none[1] = {0};
    float d = 0;
    gpu_matrix *m = gpu_matrix_of(g, none, 0, 0), *s = gpu_matrix_solve(m, gpu_matrix_of(g, none, 0, 3));
    test_ok(gpu_matrix_status(s));
    cr_assert(gpu_matrix_rows(s) == 0 && gpu_matrix_columns(s) == 3);
    test_holds("the inverse", gpu_matrix_array(gpu_matrix_inverse(m)), GPU_FLOAT, 0, none);
    test_ok(gpu_matrix_determinant(m, &d));
    cr_assert_eq(d, 1);
    test_close(g);
}

Test(matrix_solve, no_right_sides)
{
    gpu *g = test_open();
    const float x[] = {1, 2, 3, 4}, singular[] = {1, 2, 2, 4};
    float out[1];
    gpu_matrix *none = gpu_matrix_of(g, x, 2, 0), *s = gpu_matrix_solve(gpu_matrix_of(g, x, 2, 2), none);
    test_ok(gpu_matrix_read(s, out));
    cr_assert(gpu_matrix_rows(s) == 2 && gpu_matrix_columns(s) == 0);
    test_fails(GPU_E_ARGUMENT, gpu_matrix_read(gpu_matrix_solve(gpu_matrix_of(g, singular, 2, 2), none), out));
    test_close(g);
}

/* ---- views ---- */

/* A transposed block of a mapped matrix, and right sides upside down. */
static void check_views(gpu *g, size_t n)
{
    const size_t m = 5, wide = n + 3;
    number *x = some_numbers(GPU_FLOAT, wide * wide, 21), *y = some_numbers(GPU_FLOAT, n * m, 22);
    number *a = test_alloc(n * n, sizeof *a), *b = test_alloc(n * m, sizeof *b);
    for (size_t k = 0; k < n * n; k++) a[k] = 2 * x[(k % n + 2) * wide + k / n + 1];
    for (size_t k = 0; k < n * m; k++) b[k] = y[(n - 1 - k / m) * m + k % m];
    gpu_matrix *all = gpu_matrix_map(matrix_of(g, GPU_FLOAT, x, wide, wide), doubled);
    gpu_matrix *p = gpu_matrix_transpose(gpu_matrix_block(all, 2, 1, n, n));
    gpu_matrix *q = gpu_matrix_flip_rows(matrix_of(g, GPU_FLOAT, y, n, m));
    number *got = read_numbers(gpu_matrix_solve(p, q), GPU_FLOAT, n, m);
    check_residual(GPU_FLOAT, a, got, b, n, m);
    free(x);
    free(y);
    free(a);
    free(b);
    free(got);
}

Test(matrix_solve, solves_for_views)
{
    gpu *g = test_open();
    check_views(g, 9);
    check_views(g, 100);
    test_close(g);
}

/* The matrix is its own right side. */
Test(matrix_solve, one_matrix_twice)
{
    gpu *g = test_open();
    const float x[] = {2, 1, 0, 0, 4, 1, 0, 0, 8}, want[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    gpu_matrix *m = gpu_matrix_map(gpu_matrix_of(g, x, 3, 3), doubled);
    test_holds("the identity", gpu_matrix_array(gpu_matrix_solve(m, m)), GPU_FLOAT, 9, want);
    test_close(g);
}

static gpu_status (*compiled)(gpu_array **out, const gpu_array *a, const gpu_array *b);

Test(matrix_solve, compiled_functions)
{
    enum { N = 70 };
    gpu *g = test_open();
    gpu_array *a = gpu_symbol(g, GPU_FLOAT), *b = gpu_symbol(g, GPU_FLOAT), *out;
    gpu_matrix *s = gpu_matrix_solve(gpu_matrix_from(a, N, N), gpu_matrix_from(b, N, 2));
    test_ok(gpu_compile(&compiled, gpu_matrix_array(s), a, b));
    for (uint64_t seed = 1; seed < 4; seed++) {
        number *x = some_numbers(GPU_FLOAT, N * N, seed), *y = some_numbers(GPU_FLOAT, N * 2, seed + 9);
        const gpu_matrix *m = matrix_of(g, GPU_FLOAT, x, N, N), *sides = matrix_of(g, GPU_FLOAT, y, N, 2);
        test_ok(compiled(&out, gpu_matrix_array(m), gpu_matrix_array(sides)));
        number *got = read_numbers(gpu_matrix_from(out, N, 2), GPU_FLOAT, N, 2);
        check_residual(GPU_FLOAT, x, got, y, N, 2);
        free(x);
        free(y);
        free(got);
    }
    test_close(g);
}

/* ---- singular matrices ---- */

/* Column `column` is the one before it, or zeros. */
static gpu_matrix *singular_matrix(gpu *g, size_t n, size_t column)
{
    number *x = some_numbers(GPU_FLOAT, n * n, 31);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) x[i * n + j] = i == j ? 1 : i < j ? x[i * n + j] : 0;
    for (size_t i = 0; i < n; i++) x[i * n + column] = column ? x[i * n + column - 1] : 0;
    gpu_matrix *m = matrix_of(g, GPU_FLOAT, x, n, n);
    free(x);
    return m;
}

static void check_singular(gpu *g, size_t n, size_t column)
{
    char text[80];
    float d = 1, *out = test_alloc(n * n, sizeof *out);
    gpu_matrix *m = singular_matrix(g, n, column);
    snprintf(text, sizeof text, "the matrix is singular: column %zu has no pivot", column);
    gpu_matrix *const both[] = {gpu_matrix_solve(m, gpu_matrix_identity(g, GPU_FLOAT, n)), gpu_matrix_inverse(m)};
    for (size_t k = 0; k < 2; k++) {
        test_fails(GPU_E_ARGUMENT, gpu_matrix_read(both[k], out));
        test_has(gpu_error(), text);
        test_has(gpu_error(), k ? "gpu_matrix_inverse" : "gpu_matrix_solve");
        test_fails(GPU_E_ARGUMENT, gpu_matrix_status(both[k]));
        test_has(gpu_matrix_error(both[k]), text);
    }
    test_ok(gpu_matrix_determinant(m, &d));
    cr_assert_eq(d, 0);
    free(out);
}

Test(matrix_solve, singular_matrices)
{
    static const size_t cases[][2] = {{1, 0}, {3, 0}, {3, 1}, {3, 2}, {64, 63}, {100, 40}, {100, 64}, {100, 99}};
    gpu *g = test_open();
    for (size_t k = 0; k < COUNT_OF(cases); k++) check_singular(g, cases[k][0], cases[k][1]);
    test_close(g);
}

/* The failure passes on to all that is made from the solution, and gpu_finish reports it. */
Test(matrix_solve, singular_matrices_pass_on)
{
    gpu *g = test_open();
    float out[9];
    gpu_matrix *m = singular_matrix(g, 3, 1), *inverse = gpu_matrix_inverse(m);
    gpu_matrix *product = gpu_matrix_multiply(inverse, m);
    test_fails(GPU_E_ARGUMENT, gpu_matrix_read(gpu_matrix_transpose(product), out));
    test_has(gpu_error(), "gpu_matrix_inverse: the matrix is singular: column 1 has no pivot");
    gpu_matrix *other = gpu_matrix_inverse(m);
    test_fails(GPU_E_ARGUMENT, gpu_finish(g));
    test_fails(GPU_E_ARGUMENT, gpu_matrix_read(other, out));
    test_ok(gpu_finish(g));
    test_close(g);
}

/* NaN is no failure. */
Test(matrix_solve, nan_passes_through)
{
    gpu *g = test_open();
    const float x[] = {1, 2, NAN, 4}, b[] = {1, 2};
    float out[2] = {0}, d = 0;
    gpu_matrix *m = gpu_matrix_of(g, x, 2, 2);
    test_ok(gpu_matrix_read(gpu_matrix_solve(m, gpu_matrix_of(g, b, 2, 1)), out));
    cr_assert(isnan(out[0]) && isnan(out[1]));
    test_ok(gpu_matrix_determinant(m, &d));
    cr_assert(isnan(d));
    test_close(g);
}

/* ---- errors ---- */

static void check_error(gpu_status status, const char *text, const gpu_matrix *m)
{
    test_fails(status, gpu_matrix_status(m));
    test_has(gpu_matrix_error(m), text);
}

Test(matrix_solve, shapes_that_do_not_fit)
{
    gpu *g = test_open();
    const float x[] = {1, 2, 3, 4, 5, 6};
    float d = 7;
    gpu_matrix *m = gpu_matrix_of(g, x, 2, 3), *square = gpu_matrix_of(g, x, 2, 2);
    check_error(GPU_E_ARGUMENT, "the matrix 'm' is 2 by 3: it must have as many rows as columns",
                gpu_matrix_inverse(m));
    check_error(GPU_E_ARGUMENT, "the matrix 'm' is 2 by 3", gpu_matrix_solve(m, square));
    check_error(GPU_E_ARGUMENT, "the matrix 'm' has 2 rows, and 'b' has 3: they must be as many",
                gpu_matrix_solve(square, gpu_matrix_transpose(m)));
    test_fails(GPU_E_ARGUMENT, gpu_matrix_determinant(m, &d));
    test_has(gpu_error(), "the matrix 'm' is 2 by 3");
    cr_assert_eq(d, 7);
    test_close(g);
}

Test(matrix_solve, types_that_are_no_numbers)
{
    gpu *g = test_open();
    const int x[] = {1, 2, 3, 4};
    const float y[] = {1, 2, 3, 4};
    int d = 7;
    gpu_matrix *ints = gpu_matrix_of(g, x, 2, 2), *floats = gpu_matrix_of(g, y, 2, 2);
    const char *text = "they must be float, double, GPU_FLOAT2 or GPU_DOUBLE2";
    check_error(GPU_E_TYPE, text, gpu_matrix_inverse(ints));
    check_error(GPU_E_TYPE, text, gpu_matrix_solve(ints, ints));
    test_fails(GPU_E_TYPE, gpu_matrix_determinant(ints, &d));
    gpu_matrix *wide = gpu_matrix_from(gpu_fill(g, GPU_FLOAT3, (&(gpu_float3){.x = 1}), 4), 2, 2);
    check_error(GPU_E_TYPE, "the elements are float3", gpu_matrix_inverse(wide));
    check_error(GPU_E_TYPE, "the elements of 'm' are float, and those of 'b' are int", gpu_matrix_solve(floats, ints));
    test_close(g);
}

Test(matrix_solve, determinants_to_wrong_places)
{
    gpu *g = test_open();
    const float x[] = {1, 2, 3, 4};
    int d = 7;
    gpu_matrix *m = gpu_matrix_of(g, x, 2, 2);
    test_fails(GPU_E_TYPE, gpu_matrix_determinant(m, &d));
    cr_assert_eq(d, 7);
    test_fails(GPU_E_ARGUMENT, gpu_matrix_determinant(m, (float *)NULL));
    test_close(g);
}

/* More right sides than can be counted beside the matrix. */
Test(matrix_solve, too_many_right_sides)
{
    gpu *g = test_open();
    const float one = 1;
    gpu_matrix *m = gpu_matrix_of(g, &one, 1, 1),
               *b = gpu_matrix_from(gpu_fill(g, GPU_FLOAT, &one, SIZE_MAX), 1, SIZE_MAX);
    check_error(GPU_E_MEMORY, "more than can be addressed", gpu_matrix_solve(m, b));
    test_close(g);
}

Test(matrix_solve, matrices_in_error)
{
    gpu *g = test_open();
    const float x[] = {1, 2, 3, 4};
    float d = 7;
    gpu_matrix *m = gpu_matrix_of(g, x, 2, 2), *failed = gpu_matrix_block(m, 0, 0, 3, 3);
    check_error(GPU_E_ARGUMENT, "the matrix 'm' is NULL", gpu_matrix_solve(NULL, m));
    check_error(GPU_E_ARGUMENT, "the matrix 'b' is NULL", gpu_matrix_solve(m, NULL));
    check_error(GPU_E_ARGUMENT, "gpu_open failed?", gpu_matrix_inverse(NULL));
    test_fails(GPU_E_ARGUMENT, gpu_matrix_determinant(NULL, &d));
    check_error(GPU_E_RANGE, "gpu_matrix_block", gpu_matrix_solve(failed, m));
    check_error(GPU_E_RANGE, "gpu_matrix_block", gpu_matrix_solve(m, failed));
    check_error(GPU_E_RANGE, "gpu_matrix_block", gpu_matrix_inverse(failed));
    test_fails(GPU_E_RANGE, gpu_matrix_determinant(failed, &d));
    cr_assert_eq(d, 7);
    test_close(g);
}

/* Failures that only the device finds, of the matrix and of the right sides. */
Test(matrix_solve, deferred_errors_of_the_input)
{
    gpu *g = test_open();
    const float x[] = {1, 2, 3, 4};
    const int wrong[] = {0, 1, 9, 3};
    float out[4], d = 7;
    gpu_array *a = gpu_array_of(g, x, 4);
    gpu_matrix *m = gpu_matrix_from(a, 2, 2), *n = gpu_matrix_from(gpu_gather(a, gpu_array_of(g, wrong, 4)), 2, 2);
    test_fails(GPU_E_RANGE, gpu_matrix_read(gpu_matrix_solve(m, n), out));
    test_fails(GPU_E_RANGE, gpu_matrix_read(gpu_matrix_inverse(n), out));
    test_fails(GPU_E_RANGE, gpu_matrix_determinant(n, &d));
    test_has(gpu_error(), "the index at position 2 is out of range");
    cr_assert_eq(d, 7);
    test_close(g);
}

Test(matrix_solve, symbols_have_no_determinant)
{
    gpu *g = test_open();
    float d = 7;
    test_fails(GPU_E_ARGUMENT, gpu_matrix_determinant(gpu_matrix_from(gpu_symbol(g, GPU_FLOAT), 2, 2), &d));
    cr_assert_eq(d, 7);
    test_close(g);
}

/* ---- memory ---- */

enum { FAULTY = 70 };

typedef struct results {
    gpu_float2 solution[FAULTY * 2], conjugates[FAULTY * 2], determinant;
    float inverse[9], cross[9];
} results;

static gpu_status program(void *out)
{
    results *r = out;
    gpu_float2 x[FAULTY * FAULTY], b[FAULTY * 2];
    const float y[] = {2, 1, 0, 0, 4, 1, 1, 0, 8};
    for (int k = 0; k < FAULTY * FAULTY; k++) x[k] = (gpu_float2){(float)(k * 7 % 11), (float)(k * 5 % 13) / 13};
    for (int k = 0; k < FAULTY * 2; k++) b[k] = (gpu_float2){1, (float)k};
    for (int k = 0; k < FAULTY; k++) x[k * FAULTY + (k + 1) % FAULTY].x += 90;
    gpu *g = gpu_open("host"); /* all that follows accepts NULL */
    gpu_matrix *m = gpu_matrix_of(g, x, FAULTY, FAULTY), *s = gpu_matrix_solve(m, gpu_matrix_of(g, b, FAULTY, 2));
    gpu_matrix *inverse = gpu_matrix_inverse(gpu_matrix_of(g, y, 3, 3));
    gpu_status status = gpu_matrix_read(s, r->solution);
    if (!status) status = gpu_matrix_read(gpu_matrix_conjugate_transpose(s), r->conjugates);
    if (!status) status = gpu_matrix_determinant(gpu_matrix_block(m, 0, 0, 2, 2), &r->determinant);
    if (!status) status = gpu_matrix_read(inverse, r->inverse);
    if (!status) status = gpu_matrix_read(gpu_matrix_cross(inverse, gpu_matrix_transpose(inverse)), r->cross);
    gpu_close(g);
    return status;
}

Test(matrix_solve, each_allocation, .init = test_host_begin, .fini = test_host_end, .timeout = 120)
{
    static results want, got;
    test_host_faults(program, &want, &got, sizeof want);
}
