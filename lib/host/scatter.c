#include "host/internal.h"

#include <string.h>

gpu_status fp_host_scatter(fp_node *pairs, fp_node *into, const fp_risk *risk)
{
    fp_walk walk;
    fp_block block;
    gpu_type type = into->type;
    unsigned char *out =
        into->length ? (unsigned char *)fp_buffer_memory(into->buffer) + into->first * type->size : NULL;
    const size_t second = fp_pair_second(type, GPU_ULONG);
    gpu_status status = fp_walk_begin(&walk, pairs);
    for (size_t first = 0; !status && fp_walk_next(&walk, &block); first += block.count) {
        for (size_t k = 0; k < block.count; k++) {
            const unsigned char *pair = block.elements + k * pairs->type->size;
            uint64_t at;
            memcpy(&at, pair + second, sizeof at);
            if (at < into->length) memcpy(out + at * type->size, pair, type->size);
            if (at >= into->length) fp_risk_report(risk, first + k);
        }
    }
    fp_walk_end(&walk);
    return status;
}
