#include "expressions/counter.h"

#include "base/error.h"
#include "base/memory.h"

/* Those of a buffer that the host sees. */
enum { COUNTERS = FP_SHOWN_BYTES / sizeof(uint64_t) };

/* A buffer of counters, and the state of each. */
struct fp_slab {
    fp_slab *next;
    fp_buffer *buffer;
    /* Kernels store for the host here: in host-visible memory if the device has some, else in `buffer`. */
    fp_buffer *shown;
    bool used[COUNTERS];
    bool dirty[COUNTERS]; /* it may differ from zero */
};

static gpu_status clear(fp_slab *slab, unsigned first, unsigned count)
{
    static const uint64_t zeros[COUNTERS];
    const size_t offset = first * sizeof *zeros, bytes = count * sizeof *zeros;
    gpu_status status = fp_buffer_upload_begin(slab->buffer, offset, zeros, bytes);
    if (!status && slab->shown != slab->buffer) status = fp_buffer_upload_begin(slab->shown, offset, zeros, bytes);
    return status;
}

static void slab_free(fp_slab *slab)
{
    fp_buffer_drop(slab->buffer);
    fp_buffer_drop(slab->shown);
    fp_free(slab);
}

static gpu_status add_slab(gpu *g)
{
    fp_slab *slab = fp_alloc(sizeof *slab);
    if (!slab) return fp_fail_memory();
    gpu_status status = fp_buffer_new(g->device, COUNTERS * sizeof(uint64_t), &slab->buffer);
    if (!status && g->capabilities->host_visible)
        status = fp_buffer_new_host_visible(g->device, COUNTERS * sizeof(uint64_t), &slab->shown);
    if (!status && !slab->shown) slab->shown = fp_buffer_keep(slab->buffer);
    if (!status) status = clear(slab, 0, COUNTERS);
    if (status) {
        slab_free(slab);
        return status;
    }
    slab->next = g->slabs;
    g->slabs = slab;
    return GPU_OK;
}

/* The first free counter that is dirty or not, as asked. */
static bool find(gpu *g, bool dirty, fp_counter *out)
{
    for (fp_slab *slab = g->slabs; slab; slab = slab->next) {
        for (unsigned k = 0; k < COUNTERS; k++) {
            if (slab->used[k] || slab->dirty[k] != dirty) continue;
            *out = (fp_counter){slab, k};
            return true;
        }
    }
    return false;
}

/* Clears a counter, and all behind it up to the next that is in use: one command serves many calls. */
static gpu_status clear_from(fp_counter first)
{
    fp_slab *slab = first.slab;
    unsigned end = first.index;
    while (end < COUNTERS && !slab->used[end]) end++;
    gpu_status status = clear(slab, first.index, end - first.index);
    for (unsigned k = first.index; k < end && !status; k++) slab->dirty[k] = false;
    return status;
}

gpu_status fp_counter_new(gpu *g, bool zero, fp_counter *out)
{
    if (!find(g, !zero, out) && !find(g, zero, out)) {
        gpu_status status = add_slab(g);
        if (status) return status;
        find(g, false, out);
    }
    if (zero && out->slab->dirty[out->index]) {
        gpu_status status = clear_from(*out);
        if (status) return status;
    }
    out->slab->used[out->index] = out->slab->dirty[out->index] = true;
    return GPU_OK;
}

void fp_counter_free(fp_counter counter, bool zero)
{
    counter.slab->used[counter.index] = false;
    counter.slab->dirty[counter.index] = !zero;
}

fp_buffer *fp_counter_buffer(fp_counter counter)
{
    return counter.slab->buffer;
}

fp_buffer *fp_counter_shown(fp_counter counter)
{
    return counter.slab->shown;
}

void fp_slabs_free(gpu *g)
{
    for (fp_slab *slab = g->slabs, *next; slab; slab = next) {
        next = slab->next;
        slab_free(slab);
    }
    g->slabs = NULL;
}

/* ---- counts ---- */

fp_count *fp_count_known(size_t value)
{
    fp_count *count = fp_alloc(sizeof *count);
    if (!count) fp_fail_memory();
    if (count) *count = (fp_count){.references = 1, .known = true, .value = value};
    return count;
}

fp_count *fp_count_new(gpu *g)
{
    fp_counter counter;
    if (fp_counter_new(g, false, &counter)) return NULL;
    fp_count *count = fp_count_known(0);
    if (!count) fp_counter_free(counter, false);
    if (!count) return NULL;
    count->known = false;
    count->counter = counter;
    return count;
}

fp_count *fp_count_keep(fp_count *count)
{
    if (count) count->references++;
    return count;
}

static void release_counter(fp_count *count)
{
    if (!count->known) fp_counter_free(count->counter, false);
}

void fp_count_drop(fp_count *count)
{
    if (!count || --count->references) return;
    release_counter(count);
    fp_free(count);
}

void fp_count_args(const fp_count *count, uint64_t *index, fp_arg *args)
{
    *index = count->counter.index;
    args[0] = (fp_arg){.buffer = fp_counter_buffer(count->counter)};
    args[1] = (fp_arg){.buffer = count->counter.slab->shown};
    args[2] = (fp_arg){.value = index, .bytes = sizeof *index};
}

gpu_status fp_count_read(const fp_count *count, uint64_t *out)
{
    *out = count->value;
    if (count->known) return GPU_OK;
    return fp_buffer_download(count->counter.slab->shown, count->counter.index * sizeof *out, out, sizeof *out);
}

void fp_count_learn(fp_count *count, size_t value)
{
    release_counter(count);
    count->value = value;
    count->known = true;
}

gpu_status fp_count_wait(fp_count *count)
{
    uint64_t value;
    if (count->known) return GPU_OK;
    gpu_status status = fp_count_read(count, &value);
    if (!status) fp_count_learn(count, (size_t)value);
    return status;
}
