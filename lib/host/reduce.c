#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* Note [order on the host]: runs of RUN elements are combined from left to right, then the runs' values as a balanced
 * tree, so sums lose less than in a row. The order depends on the number of elements alone, also behind a filter. RUN
 * is what Note [serial order] in lib/ops/reduce.c asks for. */
enum { RUN = 1024 };

/* ---- maps ---- */

gpu_status fp_mapped_begin(const fp_request *r, unsigned k, fp_mapped *out)
{
    *out = (fp_mapped){.room = NULL};
    if (!r->maps) return GPU_OK;
    out->map = fp_applied_to_one(r, k);
    gpu_status status = fp_apply_begin(&out->map);
    if (status) return status;
    out->room = fp_alloc_array(FP_BLOCK, r->types[k]->size);
    return out->room ? GPU_OK : fp_fail_memory();
}

/* A map that uses the index has no selection below, so a block's elements are neighbours. */
const unsigned char *fp_mapped_elements(const fp_mapped *m, const fp_walk *walk, const fp_block *block)
{
    if (!m->map.op) return block->elements;
    fp_apply(&m->map, &(fp_stretch){.out = m->room,
                                    .out_stride = m->map.result->size,
                                    .in = {block->elements},
                                    .stride = {m->map.types[0]->size},
                                    .count = block->count,
                                    .index = walk->at - block->count});
    return m->room;
}

void fp_mapped_end(fp_mapped *m)
{
    fp_apply_end(&m->map);
    fp_free(m->room);
}

/* ---- folds ---- */

/* The values of one operator so far: those of the current run, and those of 2^k runs for each bit k of their number.
 * There is one value for each column of a matrix, else one. */
typedef struct fold {
    fp_mapped mapped;
    fp_applied applied;
    size_t size, columns;
    size_t filled; /* elements of the current run, in each column */
    uint64_t runs;
    unsigned char *run;
    unsigned char *trees;
    unsigned char *room; /* for the values of a combination */
} fold;

/* `count` values that stand side by side. The result may be one of the operands. */
static void combine_some(const fold *f, const unsigned char *a, const unsigned char *b, size_t count,
                         unsigned char *out)
{
    const size_t size = f->size;
    fp_apply(&f->applied,
             &(fp_stretch){.out = f->room, .out_stride = size, .in = {a, b}, .stride = {size, size}, .count = count});
    memcpy(out, f->room, count * size);
}

/* b = op(a, b) */
static void combine(const fold *f, const unsigned char *a, unsigned char *b)
{
    combine_some(f, a, b, f->columns, b);
}

static unsigned char *tree_at(const fold *f, unsigned k)
{
    return f->trees + k * f->columns * f->size;
}

static void end_run(fold *f)
{
    unsigned k = 0;
    for (; f->runs >> k & 1; k++) combine(f, tree_at(f, k), f->run);
    memcpy(tree_at(f, k), f->run, f->columns * f->size);
    f->runs++;
    f->filled = 0;
}

static void add(fold *f, const unsigned char *elements, size_t count)
{
    while (count) {
        size_t left = RUN - f->filled, part = count < left ? count : left, used = !f->filled;
        if (used) memcpy(f->run, elements, f->size);
        fp_apply(&f->applied, &(fp_stretch){.out = f->run,
                                            .in = {f->run, elements + used * f->size},
                                            .stride = {0, f->size},
                                            .count = part - used});
        elements += part * f->size;
        count -= part;
        f->filled += part;
        if (f->filled == RUN) end_run(f);
    }
}

/* Puts the values into f->run. False if there were no elements. */
static bool finish(fold *f)
{
    bool any = f->filled > 0;
    for (unsigned k = 0; f->runs >> k; k++) {
        if (!(f->runs >> k & 1)) continue;
        if (any)
            combine(f, tree_at(f, k), f->run);
        else
            memcpy(f->run, tree_at(f, k), f->columns * f->size);
        any = true;
    }
    return any;
}

static unsigned levels_of(size_t length)
{
    unsigned levels = 1;
    while (length / RUN >> levels) levels++;
    return levels;
}

static gpu_status fold_begin(const fp_request *r, unsigned k, size_t columns, fold *out)
{
    gpu_type type = fp_operand_at(r, k);
    gpu_status status = fp_mapped_begin(r, k, &out->mapped);
    out->applied = fp_applied_to_two(r->ops[k], type);
    if (!status) status = fp_apply_begin(&out->applied);
    if (status) return status;
    out->size = type->size;
    out->columns = columns;
    out->run = fp_alloc_array((2 + levels_of(r->input.node->length / columns)) * columns, out->size);
    if (!out->run) return fp_fail_memory();
    out->room = out->run + columns * out->size;
    out->trees = out->room + columns * out->size;
    return GPU_OK;
}

static void fold_end(fold *f)
{
    fp_mapped_end(&f->mapped);
    fp_apply_end(&f->applied);
    fp_free(f->run);
}

/* Stores the value of one operator, or what stands for it if there are no elements. */
static void store_one(const fp_request *r, fold *f, bool found, unsigned char *out)
{
    const void *none = r->start ? r->start : r->identity;
    if (found && r->start) combine(f, r->start, f->run);
    if (found || none) memcpy(out, found ? f->run : none, f->size);
    if (!found && !none) memset(out, 0, f->size);
}

static void store(const fp_request *r, fold *folds)
{
    unsigned char *out = fp_output_memory(r, 0);
    gpu_type types[FP_TUPLE_MEMBERS];
    bool found = false;
    for (unsigned k = 0; k < r->op_count; k++) {
        types[k] = fp_operand_at(r, k);
        found = finish(&folds[k]);
        store_one(r, &folds[k], found, out + fp_tuple_member(types, k));
    }
    const uint32_t mark = found || r->start;
    if (r->marked) memcpy(out + fp_tuple_mark(types, r->op_count), &mark, sizeof mark);
}

static gpu_status run(const fp_request *r, fold *folds)
{
    fp_walk walk;
    fp_block block;
    gpu_status status = fp_walk_begin(&walk, r->input.node);
    while (!status && fp_walk_next(&walk, &block))
        for (unsigned k = 0; k < r->op_count; k++)
            add(&folds[k], fp_mapped_elements(&folds[k].mapped, &walk, &block), block.count);
    fp_walk_end(&walk);
    if (!status) store(r, folds);
    return status;
}

gpu_status fp_host_reduce(const fp_request *r)
{
    fold *folds = fp_alloc_array(r->op_count, sizeof *folds);
    gpu_status status = folds ? GPU_OK : fp_fail_memory();
    for (unsigned k = 0; k < r->op_count && !status; k++) status = fold_begin(r, k, 1, &folds[k]);
    if (!status) status = run(r, folds);
    for (unsigned k = 0; folds && k < r->op_count; k++) fold_end(&folds[k]);
    fp_free(folds);
    return status;
}

/* ---- blocks ---- */

/* Stores the value of the current block, and begins a new one. */
static void end_block(fold *f, unsigned char **out)
{
    finish(f);
    memcpy(*out, f->run, f->size);
    *out += f->size;
    f->filled = 0;
    f->runs = 0;
}

static gpu_status reduce_blocks(fp_node *node, size_t block_length, fold *f, unsigned char *out)
{
    fp_walk walk;
    fp_block block;
    size_t left = block_length;
    gpu_status status = fp_walk_begin(&walk, node);
    while (!status && fp_walk_next(&walk, &block)) {
        for (size_t done = 0, part; done < block.count; done += part) {
            part = block.count - done < left ? block.count - done : left;
            add(f, block.elements + done * f->size, part);
            left -= part;
            if (!left) end_block(f, &out);
            if (!left) left = block_length;
        }
    }
    fp_walk_end(&walk);
    if (!status && left < block_length) end_block(f, &out);
    return status;
}

gpu_status fp_host_block_reduce(const fp_request *r)
{
    fold f = {.run = NULL};
    fp_node *node = r->input.node;
    gpu_status status = fold_begin(r, 0, 1, &f);
    if (!status) status = reduce_blocks(node, r->number, &f, fp_output_memory(r, 0));
    if (!status && r->outputs[0].count) fp_count_learn(r->outputs[0].count, fp_ceiling(node->length, r->number));
    fold_end(&f);
    return status;
}

/* ---- columns ---- */

/* Adds `count` elements of a row, from this column on. */
static void add_to_columns(fold *f, size_t column, const unsigned char *elements, size_t count)
{
    unsigned char *total = f->run + column * f->size;
    if (f->filled) combine_some(f, total, elements, count, total);
    if (!f->filled) memcpy(total, elements, count * f->size);
    if (column + count == f->columns && ++f->filled == RUN) end_run(f);
}

static gpu_status reduce_columns(fp_node *node, fold *f)
{
    fp_walk walk;
    fp_block block;
    size_t column = 0;
    gpu_status status = fp_walk_begin(&walk, node);
    while (!status && fp_walk_next(&walk, &block)) {
        for (size_t done = 0, part; done < block.count; done += part) {
            const size_t left = f->columns - column;
            part = block.count - done < left ? block.count - done : left;
            add_to_columns(f, column, block.elements + done * f->size, part);
            column = part == left ? 0 : column + part;
        }
    }
    fp_walk_end(&walk);
    return status;
}

gpu_status fp_host_reduce_columns(const fp_request *r)
{
    fold f = {.run = NULL};
    gpu_status status = fold_begin(r, 0, r->number, &f);
    if (!status) status = reduce_columns(r->input.node, &f);
    if (!status) finish(&f);
    if (!status) memcpy(fp_output_memory(r, 0), f.run, f.columns * f.size);
    fold_end(&f);
    return status;
}
