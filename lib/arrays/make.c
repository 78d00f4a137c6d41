/* Making arrays. */
#include "arrays/array.h"
#include "arrays/read.h"
#include "expressions/types.h"
#include "planning/eval.h"
#include "planning/task.h"

#include "base/error.h"
#include "kernel/type.h"

static gpu_status fill_buffer(gpu *g, const void *data, size_t bytes, bool on_host, fp_buffer **out)
{
    if (on_host) return fp_buffer_new_on_host(g->device, bytes, data, out);
    gpu_status status = fp_buffer_new(g->device, bytes, out);
    if (!status) status = fp_buffer_upload(*out, 0, data, bytes);
    if (status) fp_buffer_drop(*out);
    return status;
}

static fp_node *upload(gpu *g, gpu_type type, const void *data, size_t n)
{
    size_t bytes;
    fp_buffer *buffer = NULL;
    if (fp_gpu_check_type(g, &type) || fp_array_bytes(type, n, &bytes)) return NULL;
    if (n && !data) {
        fp_fail(GPU_E_ARGUMENT, "the data pointer is NULL and n is %zu", n);
        return NULL;
    }
    if (n && fill_buffer(g, data, bytes, n <= g->policy.host_max, &buffer)) return NULL;
    fp_node *node = fp_node_buffer(g, type, n, buffer, 0);
    fp_buffer_drop(buffer);
    return node;
}

static gpu_array *array_from(gpu *g, const char *operation, gpu_type type, const void *data, size_t n,
                             const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(g, operation, place);
    return fp_array_end(&entry, upload(g, type, data, n));
}

gpu_array *gpu_array_from_op(gpu *g, gpu_type type, const void *data, size_t n, const gpu_place *place)
{
    return array_from(g, "gpu_array_from", type, data, n, place);
}

static void refuse_data(gpu_type given)
{
    const fp_refused *refused = fp_type_refused(given);
    if (refused)
        fp_fail(GPU_E_TYPE, "the data are %s, which no element is: %s", given->name, refused->data);
    else
        fp_fail(GPU_E_TYPE,
                "the pointer's type is no element type: use gpu_array_from(g, GPU_TYPE(its_struct), data, n)");
}

fp_node *fp_array_upload(gpu *g, const gpu_value *data, size_t n)
{
    const gpu_type type = data ? data->type : NULL;
    const bool fits = !g || (type && !fp_type_refused(type));
    if (!fits) refuse_data(type);
    return fits ? upload(g, type, data ? data->pointer : NULL, n) : NULL;
}

gpu_array *gpu_array_of_op(gpu *g, const gpu_value *data, size_t n, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(g, "gpu_array_of", place);
    return fp_array_end(&entry, fp_array_upload(g, data, n));
}

static fp_node *make_range(gpu *g, gpu_type type, size_t n)
{
    if (fp_gpu_check_type(g, &type)) return NULL;
    if (fp_type_is_scalar(type)) return fp_node_range(g, type, n);
    fp_fail(GPU_E_TYPE, "a range has scalars for elements, and %s is none: map a range to it", type->name);
    return NULL;
}

gpu_array *gpu_range_op(gpu *g, gpu_type type, size_t n, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(g, "gpu_range", place);
    return fp_array_end(&entry, make_range(g, type, n));
}

static fp_node *make_fill(gpu *g, gpu_type type, const gpu_value *value, size_t n)
{
    if (fp_gpu_check_type(g, &type) || fp_check_value(value, type, "value")) return NULL;
    return fp_node_fill(g, type, value->pointer, n);
}

gpu_array *gpu_fill_op(gpu *g, gpu_type type, const gpu_value *value, size_t n, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(g, "gpu_fill", place);
    return fp_array_end(&entry, make_fill(g, type, value, n));
}

/* numbers: the first, and how many. */
static gpu_status run_slice(const fp_task *task, fp_node **result)
{
    fp_node *node = task->inputs[0];
    size_t first = task->numbers[0], n = task->numbers[1], length;
    gpu_status status = fp_node_wait_length(node, &length);
    if (!status && (first > length || n > length - first))
        status = fp_fail(GPU_E_RANGE, "there are no %zu elements from %zu on: the array has %zu", n, first, length);
    if (status) return status;
    *result = fp_node_slice(node, first, n);
    if (*result) fp_node_note_slice(*result);
    return *result ? GPU_OK : fp_last_status();
}

gpu_array *gpu_slice_op(const gpu_array *a, size_t first, size_t n, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_slice", place);
    fp_task task = {.run = run_slice, .numbers = {first, n}, .one = n == 1};
    return fp_task_array(&entry, &task, fp_task_input(&task, a, "a"));
}
