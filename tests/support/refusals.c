#include "support/refusals.h"

const size_t test_both_lengths[2] = {1000, 1100};

gpu *test_open_side(bool host)
{
    if (!host) return test_open();
    gpu *g = gpu_open("host");
    cr_assert(g, "%s", gpu_error());
    return g;
}

/* ---- operations ---- */

/* What an operator is given, of x and of two arrays that are as long. */
typedef struct inputs {
    gpu *g;
    gpu_array *x, *keys;
} inputs;

typedef gpu_status operation(const inputs *in, const gpu_operator *op);

/* Computes an array: a delayed failure comes out. */
static gpu_status status_of(gpu_array *a)
{
    return gpu_array_status(gpu_eval(a));
}

static gpu_value start_of(const inputs *in)
{
    static const gpu_double4 zeros[4];
    gpu_type type = gpu_type_of(in->x);
    return (gpu_value){zeros, type, type->size};
}

static gpu_output output_of(const inputs *in)
{
    static gpu_double4 room[4];
    gpu_type type = gpu_type_of(in->x);
    return (gpu_output){room, type, type->size};
}

static gpu_status do_map(const inputs *in, const gpu_operator *op)
{
    return status_of(gpu_map_op(in->x, NULL, op));
}

static gpu_status do_map_of_a_symbol(const inputs *in, const gpu_operator *op)
{
    return gpu_array_status(gpu_map_op(gpu_symbol(in->g, gpu_type_of(in->x)), NULL, op));
}

static gpu_status do_sort_key(const inputs *in, const gpu_operator *op)
{
    return status_of(gpu_sort_key_op(in->x, gpu_type_of(in->x), op));
}

static gpu_status do_filter(const inputs *in, const gpu_operator *op)
{
    return status_of(gpu_filter_op(in->x, op));
}

static gpu_status do_find_if(const inputs *in, const gpu_operator *op)
{
    return status_of(gpu_find_if_op(in->x, op));
}

static gpu_status do_index_if(const inputs *in, const gpu_operator *op)
{
    size_t index;
    return gpu_index_if_op(in->x, op, &index);
}

static gpu_status do_count(const inputs *in, const gpu_operator *op)
{
    size_t count;
    return gpu_count_op(in->x, op, &count);
}

static gpu_status do_any(const inputs *in, const gpu_operator *op)
{
    bool any;
    return gpu_any_op(in->x, op, &any);
}

static gpu_status do_all(const inputs *in, const gpu_operator *op)
{
    bool all;
    return gpu_all_op(in->x, op, &all);
}

static gpu_status do_partition(const inputs *in, const gpu_operator *op)
{
    gpu_array *yes, *no;
    return gpu_partition_op(in->x, op, &yes, &no);
}

static gpu_status do_span(const inputs *in, const gpu_operator *op)
{
    gpu_array *prefix, *rest;
    return gpu_span_op(in->x, op, &prefix, &rest);
}

static gpu_status do_take_while(const inputs *in, const gpu_operator *op)
{
    return status_of(gpu_take_while_op(in->x, op));
}

static gpu_status do_drop_while(const inputs *in, const gpu_operator *op)
{
    return status_of(gpu_drop_while_op(in->x, op));
}

static gpu_status do_map2(const inputs *in, const gpu_operator *op)
{
    return status_of(gpu_map2_op(in->x, in->x, NULL, op));
}

static gpu_status do_reduce(const inputs *in, const gpu_operator *op)
{
    const gpu_output out = output_of(in);
    return gpu_reduce_op(in->x, op, &out);
}

static gpu_status do_fold(const inputs *in, const gpu_operator *op)
{
    const gpu_value start = start_of(in);
    const gpu_output out = output_of(in);
    return gpu_fold_op(in->x, &start, op, &out);
}

static gpu_status do_reduced(const inputs *in, const gpu_operator *op)
{
    return status_of(gpu_reduced_op(in->x, op));
}

static gpu_status do_block_reduce(const inputs *in, const gpu_operator *op)
{
    return status_of(gpu_block_reduce_op(in->x, 7, op));
}

static gpu_status do_reduce_all(const inputs *in, const gpu_operator *op)
{
    const gpu_reduction one = {*op, output_of(in)};
    return gpu_reduce_all_op(in->x, &one, 1);
}

static gpu_status do_map_reduce_all(const inputs *in, const gpu_operator *op)
{
    const gpu_map_reduction one = {*op, {.snippet = "a", .place = op->place}, output_of(in)};
    return gpu_map_reduce_all_op(in->x, &one, 1);
}

static gpu_status do_scan(const inputs *in, const gpu_operator *op)
{
    return status_of(gpu_scan_op(in->x, op));
}

static gpu_status do_scan_exclusive(const inputs *in, const gpu_operator *op)
{
    const gpu_value start = start_of(in);
    return status_of(gpu_scan_exclusive_op(in->x, &start, op));
}

static gpu_status do_reduce_by_key(const inputs *in, const gpu_operator *op)
{
    gpu_array *keys, *values;
    return gpu_reduce_by_key_op(in->keys, in->x, op, &keys, &values);
}

static gpu_status do_scan_by_key(const inputs *in, const gpu_operator *op)
{
    return status_of(gpu_scan_by_key_op(in->keys, in->x, op));
}

static gpu_status do_group_reduce(const inputs *in, const gpu_operator *op)
{
    gpu_array *keys, *values;
    return gpu_group_reduce_op(in->keys, in->x, op, &keys, &values);
}

static gpu_status do_check_reduce(const inputs *in, const gpu_operator *op)
{
    return gpu_check_reduce_op(in->x, op);
}

static gpu_status do_sort_by(const inputs *in, const gpu_operator *op)
{
    return status_of(gpu_sort_op(in->x, NULL, op, op->place));
}

static gpu_status do_sort_pairs_by(const inputs *in, const gpu_operator *op)
{
    gpu_array *keys, *values;
    return gpu_sort_pairs_op(in->x, in->keys, op, &keys, &values, op->place);
}

static gpu_status do_check_order(const inputs *in, const gpu_operator *op)
{
    return gpu_check_order_op(in->x, op);
}

static const struct {
    unsigned kind;
    operation *run;
} operations[] = {{TEST_MAPS, do_map},
                  {TEST_MAPS, do_map_of_a_symbol},
                  {TEST_MAPS_FIRST, do_map_reduce_all},
                  {TEST_KEYS, do_sort_key},
                  {TEST_ASKS, do_filter},
                  {TEST_ASKS, do_find_if},
                  {TEST_ASKS, do_index_if},
                  {TEST_ASKS, do_count},
                  {TEST_ASKS, do_any},
                  {TEST_ASKS, do_all},
                  {TEST_ASKS, do_partition},
                  {TEST_ASKS, do_span},
                  {TEST_ASKS, do_take_while},
                  {TEST_ASKS, do_drop_while},
                  {TEST_MAPS_TWO, do_map2},
                  {TEST_COMBINES, do_reduce},
                  {TEST_COMBINES, do_fold},
                  {TEST_COMBINES, do_reduced},
                  {TEST_COMBINES, do_block_reduce},
                  {TEST_COMBINES, do_reduce_all},
                  {TEST_COMBINES, do_scan},
                  {TEST_COMBINES, do_scan_exclusive},
                  {TEST_COMBINES, do_reduce_by_key},
                  {TEST_COMBINES, do_scan_by_key},
                  {TEST_COMBINES, do_group_reduce},
                  {TEST_COMBINES, do_check_reduce},
                  {TEST_COMPARES, do_sort_by},
                  {TEST_COMPARES, do_sort_pairs_by},
                  {TEST_COMPARES, do_check_order}};

/* ---- refusals ---- */

static void refuse_at(const test_refusal *r, unsigned kinds, gpu *g, size_t length)
{
    static const gpu_place place = {"caller.c", 77, &gpu_unit_};
    static unsigned char zeros[1100 * sizeof(gpu_double4)];
    gpu_type type = r->elements ? r->elements : GPU_FLOAT;
    const inputs in = {g, gpu_array_from(g, type, zeros, length), gpu_range(g, GPU_INT, length)};
    const gpu_operator op = {.function = r->function, .captures = r->captures, .place = &place};
    const uint64_t built = test_stats(g).programs_built;
    for (size_t k = 0; k < COUNT_OF(operations); k++) {
        if (!(operations[k].kind & kinds)) continue;
        test_fails(r->status, operations[k].run(&in, &op));
        test_has(gpu_error(), "caller.c:77: gpu_");
        for (int p = 0; p < 4 && r->parts[p]; p++) test_has(gpu_error(), r->parts[p]);
    }
    cr_assert_eq(test_stats(g).programs_built, built, "something was built");
}

void test_refuse(const test_refusal *refusal, unsigned kinds, test_capture *capture)
{
    for (int host = 0; host < 2; host++) {
        test_refusal r = *refusal;
        gpu *g = test_open_side(host);
        if (capture) capture(g, &r);
        for (size_t n = 0; n < COUNT_OF(test_both_lengths); n++) refuse_at(&r, kinds, g, test_both_lengths[n]);
        test_close(g);
    }
}
