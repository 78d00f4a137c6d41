/* gpu_gather, gpu_scatter against plain C; indices out of range; what all operations that move refuse. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(odd_sized, unsigned char r; unsigned char g; unsigned char b;);
GPU_STRUCT(wide, unsigned int v[64];);

static void copy_element(gpu_type type, char *out, size_t to, const char *data, size_t from)
{
    memcpy(out + to * type->size, data + from * type->size, type->size);
}

static const gpu_type moved_types[] = {GPU_USHORT, GPU_ULONG,           GPU_DOUBLE,    GPU_FLOAT4,
                                       GPU_INT3,   GPU_TYPE(odd_sized), GPU_TYPE(wide)};

/* `m` random ones of `n` elements. */
static void check_gather(gpu *g, gpu_type type, gpu_type index_type, size_t n, size_t m)
{
    char *data = test_random_bytes(type, n, 1), *want = test_alloc(m, type->size), what[96];
    void *indices = test_alloc(m, index_type->size);
    uint64_t seed = 2;
    for (size_t i = 0; i < m; i++) {
        size_t at = test_random(&seed) % n;
        test_put(index_type, indices, i, test_whole(index_type, (int64_t)at));
        copy_element(type, want, i, data, at);
    }
    snprintf(what, sizeof what, "gather of %zu from %zu, indices of type %s", m, n, index_type->name);
    gpu_array *a = gpu_array_from(g, type, data, n), *places = gpu_array_from(g, index_type, indices, m);
    test_holds(what, gpu_gather(a, places), type, m, want);
    gpu_array_free(a);
    gpu_array_free(places);
    free(data);
    free(want);
    free(indices);
}

Test(gather, takes_types_and_lengths)
{
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        if (test_scalars[t]->kind != GPU_KIND_FLOATING && test_takes_type(t, 0))
            check_gather(g, GPU_INT, test_scalars[t], 120, 1000);
    }
    for (size_t t = 0; t < COUNT_OF(moved_types); t++) check_gather(g, moved_types[t], GPU_INT, 500, 1025);
    for (size_t k = 0; k < test_size_count(785433); k++) check_gather(g, GPU_FLOAT, GPU_INT, 1000, test_sizes[k]);
    for (size_t k = 1; k < test_size_count(785433); k++) check_gather(g, GPU_FLOAT, GPU_INT, test_sizes[k], 1000);
    test_close(g);
}

static const int gather_data[] = {1, 2, 3, 4, 5}, gather_order[] = {0, 4, 1, 3, 2};

Test(gather, takes_views_of_elements_and_indices) /* H06 */
{
    gpu *g = test_open();
    int want[] = {5, 2, 4, 3};
    gpu_array *x = gpu_array_of(g, gather_data, 5), *indices = gpu_array_of(g, gather_order, 5);
    gpu_array *view = gpu_slice(indices, 1, 4);
    test_holds("an index view", gpu_gather(x, view), GPU_INT, 4, want);
    test_holds("from a view", gpu_gather(gpu_slice(x, 1, 4), gpu_map(view, "x - 1")), GPU_INT, 4, want);
    test_holds("twice", gpu_gather(gpu_gather(x, indices), gpu_slice(gpu_range(g, GPU_UCHAR, 5), 1, 4)), GPU_INT, 4,
               want);
    test_close(g);
}

Test(gather, keeps_the_maps_before_and_after_it)
{
    gpu *g = test_open();
    int sum = 77;
    gpu_array *x = gpu_array_of(g, gather_data, 5), *indices = gpu_array_of(g, gather_order, 5);
    gpu_array *view = gpu_slice(indices, 1, 4);
    test_holds("delayed", gpu_gather(gpu_map(x, "x * 2 - (int)i"), view), GPU_INT, 4, (int[]){6, 3, 5, 4});
    test_holds("i after it", gpu_map(gpu_gather(x, view), "x * 10 + (int)i"), GPU_INT, 4, (int[]){50, 21, 42, 33});
    test_ok(gpu_reduce(gpu_map2(gpu_gather(x, view), gpu_gather(indices, view), "x * y"), "a + b", &sum));
    cr_assert_eq(sum, 5 * 2 + 2 * 4 + 4 * 3 + 3 * 1, "%d", sum);
    test_close(g);
}

Test(gather, takes_filtered_elements_and_indices)
{
    gpu *g = test_open();
    gpu_array *x = gpu_array_of(g, gather_data, 5), *indices = gpu_array_of(g, gather_order, 5);
    gpu_array *large = gpu_filter(x, "x > 2"); /* 3 4 5 */
    test_holds("from a filtered array", gpu_gather(large, gpu_filter(indices, "x < 3")), GPU_INT, 3, (int[]){3, 4, 5});
    test_holds("filtered indices", gpu_gather(x, gpu_filter(indices, "x > 2")), GPU_INT, 2, (int[]){5, 4});
    test_holds("found places", gpu_gather(x, gpu_find_if(x, "x % 2")), GPU_INT, 3, (int[]){1, 3, 5});
    test_close(g);
}

Test(gather, outlives_what_it_was_made_of)
{
    gpu *g = test_open();
    gpu_array *x = gpu_array_of(g, gather_data, 5), *indices = gpu_array_of(g, gather_order, 5);
    gpu_array *late = gpu_gather(x, gpu_reverse(indices));
    gpu_array_free(x);
    gpu_array_free(indices);
    test_holds("of freed arrays", late, GPU_INT, 5, (int[]){3, 4, 2, 5, 1});
    test_close(g);
}

Test(gather, takes_empty_arrays)
{
    gpu *g = test_open();
    int out = 77;
    gpu_array *none = gpu_array_from(g, GPU_INT, NULL, 0), *x = gpu_range(g, GPU_INT, 5);
    test_holds("no indices", gpu_gather(x, none), GPU_INT, 0, &out);
    test_holds("nothing from nothing", gpu_gather(none, none), GPU_INT, 0, &out);
    test_holds("no filtered indices", gpu_gather(none, gpu_filter(x, "x > 5")), GPU_INT, 0, &out);
    test_fails(GPU_E_RANGE, gpu_read(gpu_gather(none, gpu_slice(x, 0, 1)), &out));
    test_fails(GPU_E_RANGE, gpu_read(gpu_gather(gpu_filter(x, "x > 5"), gpu_slice(x, 0, 1)), &out));
    cr_assert_eq(out, 77);
    test_close(g);
}

/* Indices that are right but for `value` at `position`, and at the end. */
static gpu_array *wrong_indices(gpu *g, gpu_type type, size_t n, size_t position, int64_t value)
{
    void *indices = test_alloc(n, type->size);
    for (size_t i = 0; i < n; i++) {
        bool wrong = i == position || i == n - 1;
        test_put(type, indices, i, test_whole(type, wrong ? value : (int64_t)(i * 7 % 120)));
    }
    gpu_array *a = gpu_array_from(g, type, indices, n);
    free(indices);
    return a;
}

/* `bad` is of ints, more than one. What is made of it fails as it does, whatever was written to outputs stays. */
static void check_out_of_range(gpu *g, gpu_array *bad, size_t n, size_t position)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", position);
    int *out = test_alloc(n, sizeof *out), sum = 77;
    out[0] = out[n - 1] = 77;
    size_t count = 77;
    gpu_array *x = gpu_range(g, GPU_INT, n);
    test_fails(GPU_E_RANGE, gpu_reduce(bad, "a + b", &sum));
    test_has(gpu_error(), text);
    test_fails(GPU_E_RANGE, gpu_read(gpu_map(bad, "x + 1"), out));
    test_has(gpu_error(), text);
    test_fails(GPU_E_RANGE, gpu_read(gpu_filter(bad, "x > 0"), out));
    test_fails(GPU_E_RANGE, gpu_read(gpu_map(x, "x + bad[0]", GPU_ARG(bad)), out));
    test_fails(GPU_E_RANGE, gpu_count(gpu_map2(x, bad, "x + y"), "x", &count));
    test_fails(GPU_E_RANGE, gpu_read(bad, out));
    test_has(gpu_error(), text);
    cr_assert(out[0] == 77 && out[n - 1] == 77 && sum == 77 && count == 77, "an output was written");
    cr_assert_eq(gpu_array_status(bad), GPU_E_RANGE);
    test_has(gpu_array_error(bad), text);
    cr_assert_eq(gpu_length(bad), 0, "the length of an array in error is %zu", gpu_length(bad));
    test_array_fails(GPU_E_RANGE, gpu_slice(bad, 0, 1));
    test_ok(gpu_reduce(x, "b", &sum));
    cr_assert_eq(sum, (int)n - 1, "another array: %d", sum);
    free(out);
}

/* What is out of range for an array of 120 in any type of indices, then in those of 64 bits. */
static const int64_t wrong[] = {-1, 120, INT64_MIN, (int64_t)1 << 32, ((int64_t)1 << 32) + 5, INT64_MAX};

static size_t wrong_count(gpu_type type)
{
    return type->kind == GPU_KIND_FLOATING ? 0 : type->size == 8 ? COUNT_OF(wrong) : 2;
}

static void check_wrong(gpu_array *bad, int *out, size_t position)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", position);
    out[0] = 77;
    test_fails(GPU_E_RANGE, gpu_read(bad, out));
    test_has(gpu_error(), text);
    cr_assert_eq(out[0], 77, "an output was written");
    gpu_array_free(bad);
}

/* In a short run indices of up to 32 bits only: ulongs are everywhere else. */
static bool takes_index(size_t t, unsigned first)
{
    return test_takes_type(t, first) && (test_full() || test_scalars[t]->size <= sizeof(uint32_t));
}

Test(gather, an_index_out_of_range_fails_and_is_named)
{
    gpu *g = test_open();
    size_t n = test_limit(100003), position = n / 2 + 17;
    int *out = test_alloc(n, sizeof *out);
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 120));
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        for (size_t k = 0; takes_index(t, 1) && k < wrong_count(test_scalars[t]); k++)
            check_wrong(gpu_gather(x, wrong_indices(g, test_scalars[t], n, position, wrong[k])), out, position);
    }
    check_out_of_range(g, gpu_gather(x, wrong_indices(g, GPU_INT, n, position, -1)), n, position);
    check_out_of_range(g, gpu_gather(x, wrong_indices(g, GPU_INT, 700, 0, 120)), 700, 0);
    gpu_array *kept = gpu_filter(x, "x < 60");
    test_fails(GPU_E_RANGE, gpu_read(gpu_gather(kept, gpu_slice(x, 50, 11)), out)); /* 60 was dropped */
    test_ok(gpu_read(gpu_gather(kept, gpu_slice(x, 50, 10)), out));
    cr_assert_eq(out[9], 59);
    free(out);
    test_close(g);
}

Test(finish, reports_an_index_out_of_range_once)
{
    gpu *g = test_open();
    int out[700];
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 120)), *y = gpu_eval(gpu_fill(g, GPU_INT, &(int){1}, 700));
    gpu_array *gathered = gpu_eval(gpu_gather(x, wrong_indices(g, GPU_INT, 700, 411, 120)));
    test_fails(GPU_E_RANGE, gpu_finish(g));
    test_has(gpu_error(), "411");
    test_ok(gpu_finish(g));
    test_fails(GPU_E_RANGE, gpu_read(gathered, out));
    gpu_array *scattered = gpu_eval(gpu_scatter(x, wrong_indices(g, GPU_INT, 700, 522, 120), y));
    test_fails(GPU_E_RANGE, gpu_finish(g));
    test_has(gpu_error(), "522");
    test_ok(gpu_finish(g));
    test_fails(GPU_E_RANGE, gpu_read(scattered, out));
    test_ok(gpu_read(gpu_gather(x, gpu_map(y, "x + 2")), out));
    cr_assert_eq(out[699], 3);
    test_close(g);
}

/* Two thirds of the places get new elements. */
static void check_scatter(gpu *g, gpu_type type, gpu_type index_type, size_t n)
{
    size_t m = n * 2 / 3;
    char *into = test_random_bytes(type, n, 3), *data = test_random_bytes(type, m, 4),
         *want = test_alloc(n, type->size);
    void *indices = test_alloc(m, index_type->size);
    memcpy(want, into, n * type->size);
    for (size_t i = 0; i < m; i++) {
        size_t at = i * 7919 % n; /* n is no multiple of this prime: no place twice */
        test_put(index_type, indices, i, test_whole(index_type, (int64_t)at));
        copy_element(type, want, at, data, i);
    }
    char what[96];
    snprintf(what, sizeof what, "scatter into %zu, indices of type %s", n, index_type->name);
    gpu_array *target = gpu_array_from(g, type, into, n), *places = gpu_array_from(g, index_type, indices, m);
    test_holds(what, gpu_scatter(target, places, gpu_array_from(g, type, data, m)), type, n, want);
    test_holds("what was scattered into", target, type, n, into);
    free(into);
    free(data);
    free(want);
    free(indices);
}

Test(scatter, takes_types_and_lengths)
{
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        if (test_scalars[t]->kind != GPU_KIND_FLOATING && test_takes_type(t, 2))
            check_scatter(g, GPU_INT, test_scalars[t], 120);
    }
    for (size_t t = 0; t < COUNT_OF(moved_types); t += 2) check_scatter(g, moved_types[t], GPU_INT, 1000);
    for (size_t k = 0; k < test_size_count(785433); k++) check_scatter(g, GPU_FLOAT, GPU_INT, test_sizes[k]);
    test_close(g);
}

static const int scatter_data[] = {10, 20, 30, 40, 50}, scatter_order[] = {4, 3, 2, 1, 0};

Test(scatter, takes_one_array_as_source_and_target)
{
    gpu *g = test_open();
    gpu_array *x = gpu_array_of(g, scatter_data, 5), *indices = gpu_array_of(g, scatter_order, 5);
    test_holds("into itself", gpu_scatter(x, indices, x), GPU_INT, 5, (int[]){50, 40, 30, 20, 10});
    test_holds("itself afterwards", x, GPU_INT, 5, scatter_data);
    test_close(g);
}

Test(scatter, takes_delayed_and_filtered_inputs)
{
    gpu *g = test_open();
    gpu_array *x = gpu_array_of(g, scatter_data, 5), *indices = gpu_array_of(g, scatter_order, 5),
              *zeros = gpu_fill(g, GPU_INT, &(int){0}, 5);
    gpu_array *half = gpu_map(gpu_slice(x, 1, 2), "x / 2"), *places = gpu_map(gpu_slice(indices, 3, 2), "x * 2");
    test_holds("all delayed", gpu_scatter(zeros, places, half), GPU_INT, 5, (int[]){15, 0, 10, 0, 0});
    gpu_array *large = gpu_filter(x, "x > 20");
    gpu_array *marked = gpu_scatter(x, gpu_find_if(x, "x > 20"), gpu_map(large, "x + (int)i"));
    test_holds("filtered", marked, GPU_INT, 5, (int[]){10, 20, 30, 41, 52});
    test_holds("used further", gpu_map(gpu_filter(marked, "x % 10"), "x * 2"), GPU_INT, 2, (int[]){82, 104});
    test_holds("into a filtered array", gpu_scatter(large, gpu_slice(indices, 2, 1), gpu_slice(x, 0, 1)), GPU_INT, 3,
               (int[]){30, 40, 10});
    test_close(g);
}

Test(scatter, takes_empty_arrays)
{
    gpu *g = test_open();
    gpu_array *x = gpu_array_of(g, scatter_data, 5), *none = gpu_slice(x, 0, 0);
    test_holds("nothing", gpu_scatter(x, none, none), GPU_INT, 5, scatter_data);
    test_holds("nothing into nothing", gpu_scatter(none, none, none), GPU_INT, 0, scatter_data);
    test_close(g);
}

Test(scatter, one_of_several_elements_for_a_place_wins) /* H07 */
{
    gpu *g = test_open();
    enum { N = 10000, PLACES = 7 };
    static int places[N], got[PLACES];
    for (int i = 0; i < N; i++) places[i] = i * 7919 % PLACES;
    gpu_array *into = gpu_fill(g, GPU_INT, &(int){-1}, PLACES);
    test_ok(gpu_read(gpu_scatter(into, gpu_array_of(g, places, N), gpu_range(g, GPU_INT, N)), got));
    for (int k = 0; k < PLACES; k++)
        cr_assert(got[k] >= 0 && got[k] < N && places[got[k]] == k, "place %d has %d", k, got[k]);
    test_close(g);
}

Test(scatter, an_index_out_of_range_writes_nothing_beyond_a_slice) /* H07 */
{
    gpu *g = test_open();
    int got[2], indices[] = {0, 0, 9}, values[] = {1, 2, 3};
    gpu_array *four = gpu_array_of(g, (&(int[]){8, 8, 8, 8}[0]), 4), *into_two = gpu_slice(four, 0, 2);
    test_fails(GPU_E_RANGE,
               gpu_read(gpu_scatter(into_two, gpu_array_of(g, indices, 3), gpu_array_of(g, values, 3)), got));
    test_has(gpu_error(), "2");
    test_holds("around it", four, GPU_INT, 4, (int[]){8, 8, 8, 8});
    test_close(g);
}

Test(scatter, an_index_out_of_range_fails_and_is_named)
{
    gpu *g = test_open();
    size_t n = test_limit(100003), position = n / 2 + 17;
    int out[120], numbers[120];
    for (int i = 0; i < 120; i++) numbers[i] = i;
    gpu_array *into = gpu_array_of(g, numbers, 120), *x = gpu_eval(gpu_range(g, GPU_INT, n));
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        for (size_t k = 0; takes_index(t, 3) && k < wrong_count(test_scalars[t]); k++)
            check_wrong(gpu_scatter(into, wrong_indices(g, test_scalars[t], n, position, wrong[k]), x), out, position);
    }
    check_out_of_range(g, gpu_scatter(into, wrong_indices(g, GPU_INT, n, position, -1), x), 120, position);
    gpu_array *kept = gpu_filter(into, "x < 60"), *one = gpu_slice(x, 0, 1);
    test_fails(GPU_E_RANGE, gpu_read(gpu_scatter(kept, gpu_slice(into, 60, 1), one), out)); /* there is no 60th */
    test_fails(GPU_E_RANGE, gpu_read(gpu_scatter(gpu_slice(x, 0, 0), one, one), out));
    test_holds("what was scattered into", into, GPU_INT, 120, numbers);
    test_close(g);
}

Test(move, reverse_gather_and_concat_are_fused_into_a_reduction)
{
    test_needs_opencl();
    if (test_eager() || test_tiny()) cr_skip_test("each step is a buffer");
    gpu *g = test_open();
    int sum;
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 1000)), *down = gpu_eval(gpu_map(x, "999 - x"));
    for (int round = 0; round < 2; round++) {
        gpu_stats before = test_stats(g), now;
        gpu_array *moved = gpu_concat(gpu_reverse(x), gpu_gather(x, down));
        cr_assert_eq(test_stats(g).kernels_launched, before.kernels_launched, "describing launched a kernel");
        test_ok(gpu_reduce(gpu_map(moved, "x + 1"), "a + b", &sum));
        cr_assert_eq(sum, 1001000, "%d", sum);
        gpu_scatter(x, down, x);
        now = test_stats(g);
        cr_assert_eq(now.kernels_launched - before.kernels_launched, 3, "not one for the sum, two for gpu_scatter");
        if (round) cr_assert_eq(now.waits - before.waits, 1, "not one wait, for the sum");
    }
    test_close(g);
}

/* How often the reading of `n` gathered ints waits, the kernels being built. All are wrong, or none, and then nothing
 * is read. */
static unsigned waits_of_read(gpu *g, size_t n, bool wrong)
{
    int *out = test_alloc(n, sizeof *out), first = wrong ? 5 : 0;
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 5)),
              *places = gpu_map(gpu_range(g, GPU_INT, n), "x % 5 + first", GPU_ARG(first));
    gpu_array *gathered = gpu_eval(gpu_gather(x, places));
    uint64_t before = test_stats(g).waits;
    gpu_status status = gpu_read(gathered, out);
    uint64_t waits = test_stats(g).waits - before;
    cr_assert_eq(status, wrong ? GPU_E_RANGE : GPU_OK, "%s", gpu_error());
    for (size_t i = 0; i < n; i++) cr_assert_eq(out[i], wrong ? 0 : (int)i % 5, "element %zu is %d", i, out[i]);
    free(out);
    return (unsigned)waits;
}

Test(gather, a_short_read_of_it_waits_once)
{
    test_needs_opencl();
    gpu *g = test_open();
    for (int round = 0; round < 2; round++) {
        for (int wrong = 0; wrong < 2; wrong++) {
            unsigned few = waits_of_read(g, 16384, wrong), many = waits_of_read(g, 16385, wrong);
            if (round && !test_verifies())
                cr_assert(few == 1 && many == (wrong ? 1 : 2), "%u waits, and %u", few, many);
        }
    }
    test_close(g);
}

Test(move, operations_refuse_wrong_types)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10), *f = gpu_range(g, GPU_FLOAT, 10);
    gpu_array *v = gpu_fill(g, GPU_INT2, (&(gpu_int2){0, 0}), 10);
    test_array_fails(GPU_E_TYPE, gpu_gather(x, f));
    test_array_fails(GPU_E_TYPE, gpu_gather(x, v));
    test_array_fails(GPU_E_TYPE, gpu_scatter(x, f, x));
    test_array_fails(GPU_E_TYPE, gpu_scatter(x, x, f));
    test_array_fails(GPU_E_TYPE, gpu_concat(x, f));
    test_array_fails(GPU_E_TYPE, gpu_concat(gpu_slice(x, 0, 0), f));
    test_close(g);
}

Test(scatter, refuses_indices_and_elements_of_unequal_lengths)
{
    gpu *g = test_open();
    int out[10];
    gpu_array *x = gpu_range(g, GPU_INT, 10), *odd = gpu_filter(x, "x % 2");
    test_array_fails(GPU_E_ARGUMENT, gpu_scatter(x, x, gpu_slice(x, 0, 9)));
    test_has(gpu_error(), "9");
    test_fails(GPU_E_ARGUMENT, gpu_read(gpu_scatter(x, odd, gpu_slice(x, 0, 6)), out));
    test_fails(GPU_E_ARGUMENT, gpu_read(gpu_scatter(x, gpu_slice(x, 0, 4), odd), out));
    test_close(g);
}

Test(move, operations_refuse_arrays_of_another_gpu)
{
    gpu *g = test_open(), *other = gpu_open(NULL);
    gpu_array *x = gpu_range(g, GPU_INT, 10), *away = gpu_range(other, GPU_INT, 10);
    test_array_fails(GPU_E_ARGUMENT, gpu_gather(x, away));
    test_array_fails(GPU_E_ARGUMENT, gpu_scatter(x, x, away));
    test_array_fails(GPU_E_ARGUMENT, gpu_concat(away, x));
    gpu_close(other);
    test_close(g);
}

Test(move, operations_pass_on_the_failure_of_their_inputs)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10), *bad[] = {NULL, gpu_block_reduce(x, 0, "a"), gpu_range(g, GPU_FLOAT4, 1)};
    static const gpu_status statuses[] = {GPU_E_ARGUMENT, GPU_E_ARGUMENT, GPU_E_TYPE};
    for (size_t k = 0; k < COUNT_OF(bad); k++) {
        test_array_fails(statuses[k], gpu_gather(bad[k], x));
        test_array_fails(statuses[k], gpu_gather(x, bad[k]));
        test_array_fails(statuses[k], gpu_scatter(bad[k], x, x));
        test_array_fails(statuses[k], gpu_scatter(x, bad[k], x));
        test_array_fails(statuses[k], gpu_scatter(x, x, bad[k]));
        test_array_fails(statuses[k], gpu_reverse(bad[k]));
        test_array_fails(statuses[k], gpu_concat(bad[k], x));
        test_array_fails(statuses[k], gpu_concat(x, bad[k]));
    }
    gpu_array *late = gpu_gather(x, gpu_map(x, "x + nobody"));
    test_array_fails(GPU_E_SNIPPET, gpu_reverse(late));
    test_array_fails(GPU_E_SNIPPET, gpu_concat(x, gpu_map(x, "nobody")));
    test_close(g);
}

Test(scatter, undoes_a_gather_by_a_permutation)
{
    gpu *g = test_open();
    size_t most = test_limit(100000);
    int *data = test_alloc(most, sizeof *data), *order = test_alloc(most, sizeof *order);
    uint64_t seed = 7;
    test_random_fill(GPU_INT, data, most, 8);
    for (int round = 0; round < 200; round++) {
        size_t n = test_random(&seed) % most;
        for (size_t i = 0; i < n; i++) { /* a random permutation */
            size_t j = test_random(&seed) % (i + 1);
            order[i] = order[j];
            order[j] = (int)i;
        }
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_array *x = gpu_array_of(g, data, n), *indices = gpu_array_of(g, order, n);
        gpu_array *zeros = gpu_fill(g, GPU_INT, &(int){0}, n);
        char what[64];
        snprintf(what, sizeof what, "round %d: %zu elements", round, n);
        test_holds(what, gpu_scatter(zeros, indices, gpu_gather(x, indices)), GPU_INT, n, data);
        gpu_scope_end(scope);
    }
    free(data);
    free(order);
    test_close(g);
}
