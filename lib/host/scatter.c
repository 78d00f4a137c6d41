#include "host/internal.h"

#include <string.h>

gpu_status fp_host_scatter(fp_node *pairs, gpu_type type, unsigned char *into, size_t length, const fp_risk *risk)
{
    fp_walk walk;
    fp_block block;
    const size_t second = fp_pair_second(type, GPU_ULONG);
    gpu_status status = fp_walk_begin(&walk, pairs);
    for (size_t first = 0; !status && fp_walk_next(&walk, &block); first += block.count) {
        for (size_t k = 0; k < block.count; k++) {
            const unsigned char *pair = block.elements + k * pairs->type->size;
            uint64_t at;
            memcpy(&at, pair + second, sizeof at);
            if (at < length) memcpy(into + at * type->size, pair, type->size);
            if (at >= length) fp_risk_report(risk, first + k);
        }
    }
    fp_walk_end(&walk);
    return status;
}
