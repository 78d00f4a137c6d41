#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"

/* The law that three elements break, by the numbers of kernels/law.cl; 4: none. before[a * n + b]: a comes before b. */
static unsigned find_broken(const unsigned char *before, size_t n, size_t a, size_t b, size_t c)
{
    bool ab = before[a * n + b], ba = before[b * n + a], bc = before[b * n + c], cb = before[c * n + b],
         ac = before[a * n + c], ca = before[c * n + a];
    if (before[a * n + a]) return 0;
    if (ab && ba) return 1;
    if (ab && bc && !ac) return 2;
    return !ab && !ba && !bc && !cb && (ac || ca) ? 3 : 4;
}

/* The output for the lowest triple that breaks a law; zero if there is none. */
static uint32_t try_triples(const unsigned char *before, size_t n)
{
    for (size_t k = 0; k < n * n * n; k++) {
        unsigned law = find_broken(before, n, k / (n * n), k / n % n, k % n);
        if (law < 4) return ~(uint32_t)(4 * k + law);
    }
    return 0;
}

static void compare_all(const fp_node *node, const fp_applied *less, unsigned char *before)
{
    size_t n = node->length, size = node->type->size;
    const unsigned char *elements = fp_node_memory(node);
    for (size_t a = 0; a < n; a++)
        fp_apply(less, &(fp_stretch){.out = before + a * n,
                                     .out_stride = 1,
                                     .in = {elements + a * size, elements},
                                     .stride = {0, size},
                                     .count = n});
}

gpu_status fp_host_law(const fp_request *r)
{
    const fp_node *node = r->input.node;
    fp_applied applied = fp_applied_to_two(r->ops[0], node->type);
    uint32_t *broken = fp_output_memory(r, 0);
    gpu_status status = fp_apply_begin(&applied);
    if (status) return status;
    unsigned char *before = fp_alloc_array(node->length, node->length);
    if (before) compare_all(node, &applied, before);
    if (before) *broken = try_triples(before, node->length);
    fp_free(before);
    fp_apply_end(&applied);
    return before ? GPU_OK : fp_fail_memory();
}
