#include "expressions/cell.h"

#include "base/error.h"
#include "base/memory.h"

enum { CELLS = 512, WORD = 64 };

/* A buffer of cells, and what each is. */
struct fp_slab {
    fp_slab *next;
    fp_buffer *buffer;
    /* Where kernels tell counts to the host: near it where the device has such memory, else the same. */
    fp_buffer *shown;
    uint64_t used[CELLS / WORD];
    uint64_t dirty[CELLS / WORD]; /* may be other than zero */
};

static bool has(const uint64_t *bits, unsigned k)
{
    return bits[k / WORD] >> k % WORD & 1;
}

static void set(uint64_t *bits, unsigned k, bool on)
{
    uint64_t bit = (uint64_t)1 << k % WORD;
    bits[k / WORD] = on ? bits[k / WORD] | bit : bits[k / WORD] & ~bit;
}

static gpu_status clear(fp_slab *slab, unsigned first, unsigned count)
{
    static const uint64_t zeros[CELLS];
    return fp_buffer_upload_begin(slab->buffer, first * sizeof *zeros, zeros, count * sizeof *zeros);
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
    gpu_status status = fp_buffer_new(g->device, CELLS * sizeof(uint64_t), &slab->buffer);
    if (!status) status = clear(slab, 0, CELLS);
    if (!status && g->capabilities->host_visible)
        status = fp_buffer_new_host_visible(g->device, CELLS * sizeof(uint64_t), &slab->shown);
    if (status) {
        slab_free(slab);
        return status;
    }
    if (!slab->shown) slab->shown = fp_buffer_keep(slab->buffer);
    slab->next = g->slabs;
    g->slabs = slab;
    return GPU_OK;
}

/* The first free cell that is dirty or not, as asked. */
static bool find(gpu *g, bool dirty, fp_cell *out)
{
    for (fp_slab *slab = g->slabs; slab; slab = slab->next) {
        for (unsigned k = 0; k < CELLS; k++) {
            if (has(slab->used, k) || has(slab->dirty, k) != dirty) continue;
            *out = (fp_cell){slab, k};
            return true;
        }
    }
    return false;
}

gpu_status fp_cell_new(gpu *g, bool zero, fp_cell *out)
{
    if (!find(g, !zero, out) && !find(g, zero, out)) {
        gpu_status status = add_slab(g);
        if (status) return status;
        find(g, false, out);
    }
    if (zero && has(out->slab->dirty, out->index)) {
        gpu_status status = clear(out->slab, out->index, 1);
        if (status) return status;
    }
    set(out->slab->used, out->index, true);
    set(out->slab->dirty, out->index, true);
    return GPU_OK;
}

void fp_cell_free(fp_cell cell, bool zero)
{
    set(cell.slab->used, cell.index, false);
    set(cell.slab->dirty, cell.index, !zero);
}

fp_buffer *fp_cell_buffer(fp_cell cell)
{
    return cell.slab->buffer;
}

gpu_status fp_cell_read(fp_cell cell, uint64_t *out)
{
    return fp_buffer_download(cell.slab->buffer, cell.index * sizeof *out, out, sizeof *out);
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

static fp_count *alloc_count(void)
{
    fp_count *count = fp_alloc(sizeof *count);
    if (count) count->references = 1;
    if (!count) fp_fail_memory();
    return count;
}

fp_count *fp_count_known(size_t value)
{
    fp_count *count = alloc_count();
    if (count) count->known = true;
    if (count) count->value = value;
    return count;
}

fp_count *fp_count_new(gpu *g)
{
    fp_count *count = alloc_count();
    if (!count) return NULL;
    if (!fp_cell_new(g, false, &count->cell)) return count;
    fp_free(count);
    return NULL;
}

fp_count *fp_count_keep(fp_count *count)
{
    if (count) count->references++;
    return count;
}

static void release_cell(fp_count *count)
{
    if (!count->known) fp_cell_free(count->cell, false);
}

void fp_count_drop(fp_count *count)
{
    if (!count || --count->references) return;
    release_cell(count);
    fp_free(count);
}

void fp_count_args(const fp_count *count, uint64_t *index, fp_arg *args)
{
    *index = count->cell.index;
    args[0] = (fp_arg){.buffer = fp_cell_buffer(count->cell)};
    args[1] = (fp_arg){.buffer = count->cell.slab->shown};
    args[2] = (fp_arg){.value = index, .bytes = sizeof *index};
}

gpu_status fp_count_read(const fp_count *count, uint64_t *out)
{
    *out = count->value;
    if (count->known) return GPU_OK;
    return fp_buffer_download(count->cell.slab->shown, count->cell.index * sizeof *out, out, sizeof *out);
}

void fp_count_learn(fp_count *count, size_t value)
{
    release_cell(count);
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
