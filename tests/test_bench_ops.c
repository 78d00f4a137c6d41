/* The operations of the benchmark give what their references give. */
#include "support/support.h"

#include "../bench/op.h"

#include <stdlib.h>
#include <string.h>

/* Is the double's absence on this device why an array cannot be made? */
static bool lacks_type(gpu_array *in)
{
    return gpu_array_status(in) == GPU_E_TYPE && strstr(gpu_array_error(in), "double");
}

static void run_op(const bench_op *op, const gpu_array *in, void *out)
{
    if (op->value) {
        test_ok(op->value(in, out));
    } else {
        gpu_array *made = op->array(in);
        test_ok(gpu_read(made, out));
        gpu_array_free(made);
    }
}

static void check_op(gpu *g, const bench_op *op, size_t n)
{
    size_t most = bench_results(op, n);
    void *elements = test_alloc(n, op->type->size), *want = test_alloc(most, op->result);
    void *got = test_alloc(most, op->result);
    op->generate(elements, n, n);
    gpu_array *in = gpu_array_from(g, op->type, elements, n);
    bench_gpu = g;
    if (!lacks_type(in)) {
        size_t results = op->reference(elements, n, want);
        run_op(op, in, got);
        cr_assert(bench_same(op, got, want, results), "%s of %zu %s differs from its reference", op->name, n,
                  op->type->name);
    }
    gpu_array_free(in);
    free(elements);
    free(want);
    free(got);
}

/* In a short run one type of each operation: the tests of the operations take more. */
static bool takes_op(const bench_op *op)
{
    for (const bench_op *other = bench_ops(); other != op && !test_full(); other = other->next)
        if (!strcmp(other->name, op->name)) return false;
    return true;
}

/* Every second operation, from `first` (0 or 1) on: two tests run beside each other. In a short run a quarter of those:
 * `make bench` compares all results too. */
static void check_half(unsigned first)
{
    static const size_t sizes[] = {1, 2, 1000, 4096, 65537};
    gpu *g = test_open();
    unsigned number = 0;
    cr_assert(bench_ops(), "no operation is registered");
    for (const bench_op *op = bench_ops(); op; op = op->next, number++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes && number % 2 == first &&
                           (test_full() || number % 8 == first) && takes_op(op);
             k++)
            check_op(g, op, test_limit(op->most && op->most < sizes[k] ? op->most : sizes[k]));
    test_close(g);
}

Test(bench_ops, results_are_those_of_plain_c)
{
    check_half(0);
}

Test(bench_ops, results_of_the_others_too)
{
    check_half(1);
}

/* The benchmark tells them apart by both names. */
Test(bench_ops, names_are_unique)
{
    for (const bench_op *op = bench_ops(); op; op = op->next) {
        cr_assert(!op->value != !op->array, "%s of %s: a value or an array", op->name, op->type->name);
        for (const bench_op *other = op->next; other; other = other->next)
            cr_assert(strcmp(op->name, other->name) || strcmp(op->type->name, other->type->name), "two of %s of %s",
                      op->name, op->type->name);
    }
}
