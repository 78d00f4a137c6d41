/* Matrices: handles, and what every call has. */
#include "collections/matrix.h"

#include "base/error.h"
#include "base/memory.h"
#include "expressions/types.h"
#include "kernel/type.h"
#include "planning/eval.h"
#include "planning/execute.h"

/* Stand for matrices that cannot exist. */
static gpu_matrix no_gpu = {.array = {.fault = &fp_fault_no_gpu}};
static gpu_matrix no_memory = {.array = {.fault = &fp_fault_no_memory}};

static const gpu_array *handle_to_read(const gpu_matrix *m)
{
    return m ? &m->array : NULL;
}

gpu *fp_matrix_gpu(const gpu_matrix *m)
{
    return fp_array_gpu(handle_to_read(m));
}

static gpu_status fail_null(const char *which)
{
    return fp_fail(GPU_E_ARGUMENT, "the matrix '%s' is NULL", which);
}

/* A matrix may be symbolic. */
static gpu_status accept(const gpu_matrix *m, const char *which)
{
    return m ? fp_array_accept(&m->array, which) : fail_null(which);
}

gpu_status fp_matrix_check(const gpu_matrix *m, const char *which)
{
    return m ? fp_array_check(&m->array, which) : fail_null(which);
}

/* ---- calls ---- */

gpu_status fp_matrix_input(fp_task *task, const gpu_matrix *m, const char *which)
{
    gpu_status status = accept(m, which);
    if (!status && task->g && task->g != m->array.g)
        status = fp_fail(GPU_E_ARGUMENT, "the matrices 'a' and '%s' belong to different gpus", which);
    return status ? status : fp_task_input(task, &m->array, which);
}

gpu_status fp_matrix_length(size_t rows, size_t columns, size_t *length)
{
    if (fp_multiply(rows, columns, length)) return GPU_OK;
    return fp_fail(GPU_E_ARGUMENT, "a matrix of %zu by %zu has more elements than can be counted", rows, columns);
}

gpu_status fp_matrix_same_type(const fp_task *task)
{
    const gpu_type a = task->inputs[0]->type, b = task->inputs[1]->type;
    if (gpu_type_equal(a, b)) return GPU_OK;
    return fp_fail(GPU_E_TYPE, "the elements of 'a' are %s, and those of 'b' are %s", a->name, b->name);
}

static gpu_matrix *matrix_new(gpu *g, fp_node *node, size_t rows, size_t columns)
{
    gpu_matrix *m = (gpu_matrix *)fp_handle_new(g, node, sizeof *m);
    if (!m) return fp_last_status() == GPU_E_MEMORY ? &no_memory : &no_gpu;
    m->rows = m->array.node ? rows : 0;
    m->columns = m->array.node ? columns : 0;
    return m;
}

/* Ends a call. Takes over the node. */
static gpu_matrix *matrix_end(fp_entry *entry, fp_node *node, size_t rows, size_t columns)
{
    gpu_matrix *m = matrix_new(entry->g, node, rows, columns);
    fp_entry_end(entry, gpu_matrix_status(m));
    return m;
}

gpu_matrix *fp_matrix_end(fp_entry *entry, fp_task *task, gpu_status status, size_t rows, size_t columns)
{
    if (!status && !task->result_count) fp_task_gives(task, task->inputs[0]->type);
    return matrix_end(entry, fp_task_result(task, status), rows, columns);
}

/* ---- making ---- */

gpu_matrix *gpu_matrix_of_op(gpu *g, const gpu_value *data, size_t rows, size_t columns, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(g, "gpu_matrix_of", place);
    size_t length;
    gpu_status status = fp_matrix_length(rows, columns, &length);
    return matrix_end(&entry, status ? NULL : fp_array_upload(g, data, length), rows, columns);
}

/* numbers: rows and columns. In a rehearsal no length is known. */
static gpu_status run_from(const fp_task *task, fp_node **result)
{
    fp_node *node = task->inputs[0];
    const size_t rows = task->numbers[0], columns = task->numbers[1];
    size_t wanted, length;
    gpu_status status = fp_matrix_length(rows, columns, &wanted);
    if (!status && node->g->mode) *result = fp_temporary(node->g, node->type, wanted, NULL);
    if (status || node->g->mode) return *result ? GPU_OK : fp_last_status();
    status = fp_node_wait_length(node, &length);
    if (!status && length != wanted)
        status = fp_fail(GPU_E_ARGUMENT, "the array has %zu elements, and a matrix of %zu by %zu has %zu", length, rows,
                         columns, wanted);
    if (!status) *result = fp_node_keep(node);
    return status;
}

gpu_matrix *gpu_matrix_from_op(const gpu_array *a, size_t rows, size_t columns, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_matrix_from", place);
    fp_task task = {.run = run_from, .numbers = {rows, columns}};
    return fp_matrix_end(&entry, &task, fp_task_input(&task, a, "a"), rows, columns);
}

/* 1 at each place (k, k). */
static fp_node *make_identity(gpu *g, gpu_type type, size_t n)
{
    size_t length;
    const uint64_t step = (uint64_t)n + 1;
    const gpu_capture apart = {"step", &step, GPU_ULONG, sizeof step};
    if (fp_gpu_check_type(g, &type) || fp_matrix_length(n, n, &length)) return NULL;
    if (!fp_type_is_scalar(type)) {
        fp_fail(GPU_E_TYPE, "an identity matrix has scalars for elements, and %s is none", type->name);
        return NULL;
    }
    fp_node *places = fp_node_range(g, GPU_ULONG, length);
    fp_node *node =
        places ? fp_node_map_own(type, "x % step == 0", (const gpu_capture *const[]){&apart, NULL}, &places, 1) : NULL;
    fp_node_drop(places);
    return node;
}

gpu_matrix *gpu_matrix_identity_op(gpu *g, gpu_type type, size_t n, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(g, "gpu_matrix_identity", place);
    return matrix_end(&entry, make_identity(g, type, n), n, n);
}

/* ---- reading ---- */

gpu_array *gpu_matrix_array(const gpu_matrix *m)
{
    fp_entry entry = fp_entry_begin(fp_matrix_gpu(m), "gpu_matrix_array", NULL);
    return fp_array_end(&entry, accept(m, "m") ? NULL : fp_node_keep(m->array.node));
}

static size_t extent(const gpu_matrix *m, const char *operation, bool down)
{
    fp_entry entry = fp_entry_begin(fp_matrix_gpu(m), operation, NULL);
    const gpu_status status = fp_entry_end(&entry, accept(m, "m"));
    return status ? 0 : down ? m->rows : m->columns;
}

size_t gpu_matrix_rows(const gpu_matrix *m)
{
    return extent(m, "gpu_matrix_rows", true);
}

size_t gpu_matrix_columns(const gpu_matrix *m)
{
    return extent(m, "gpu_matrix_columns", false);
}

gpu_status gpu_matrix_read_op(const gpu_matrix *m, const gpu_output *out, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_matrix_gpu(m), "gpu_matrix_read", place);
    gpu_status status = fp_matrix_check(m, "m");
    const bool empty = !status && !(m->rows && m->columns);
    if (!status && !empty) status = fp_check_output(out, m->array.node->type);
    if (!status && empty) status = fp_node_check(m->array.node);
    if (!status && !empty) status = fp_node_read(&entry, m->array.node, out->pointer);
    return fp_entry_end(&entry, status);
}

/* ---- handles ---- */

gpu_status gpu_matrix_status(const gpu_matrix *m)
{
    return gpu_array_status(handle_to_read(m));
}

const char *gpu_matrix_error(const gpu_matrix *m)
{
    return m ? gpu_array_error(&m->array) : "the matrix is NULL";
}

void gpu_matrix_free(gpu_matrix *m)
{
    gpu_array_free(m ? &m->array : NULL);
}

gpu_matrix *gpu_matrix_keep(gpu_matrix *m)
{
    gpu_keep(m ? &m->array : NULL);
    return m;
}

static gpu_status eval(gpu_matrix *m, const char *which)
{
    gpu_status status = fp_matrix_check(m, which);
    if (status) return status;
    status = fp_node_eval(m->array.node, FP_REASON_ASKED);
    if (status) fp_fault_set(&m->array.fault, fp_fault_new(m->array.g));
    return status;
}

gpu_matrix *gpu_matrix_eval(gpu_matrix *m)
{
    fp_entry entry = fp_entry_begin(fp_matrix_gpu(m), "gpu_matrix_eval", NULL);
    fp_entry_end(&entry, eval(m, "m"));
    return m;
}

gpu_matrix *gpu_matrix_replace(gpu_matrix **u, gpu_matrix *v)
{
    gpu_matrix *old = u ? *u : NULL;
    gpu *g = fp_first_gpu(fp_matrix_gpu(v), fp_matrix_gpu(old));
    fp_entry entry = fp_entry_begin(g, "gpu_matrix_replace", NULL);
    gpu_status status = u ? eval(v, "v") : fp_fail(GPU_E_ARGUMENT, "u is NULL: pass the address of a gpu_matrix *");
    if (!u || !v) v = matrix_new(g, NULL, 0, 0);
    if (u) fp_handle_follow(&v->array, handle_to_read(old));
    if (u) *u = v;
    fp_entry_end(&entry, status);
    if (u && v != old) gpu_matrix_free(old);
    return v;
}
