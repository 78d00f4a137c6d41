#include "kernel/policy.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* CPU, measured on PoCL: groups of one item, 64 to 512 chunks, 256 bytes of accumulators fill the vector units. A chunk of
 * 4096 elements takes about as long as handing it out. */
static fp_policy cpu_policy(const fp_facts *facts)
{
    size_t chunks = 8 * facts->compute_units;
    return (fp_policy){.cpu = true,
                       .group = 1,
                       .items = 1,
                       .lanes = 256,
                       .least_chunk = 4096,
                       .most_groups = chunks < 64 ? 64 : chunks > 512 ? 512 : chunks,
                       .chain = 64};
}

/* GPU: enough groups to fill every compute unit several times over. */
static fp_policy gpu_policy(const fp_facts *facts)
{
    size_t group = 256;
    while (group > facts->max_group) group /= 2;
    return (fp_policy){.group = (unsigned)group,
                       .items = 8,
                       .lanes = 0,
                       .least_chunk = 1,
                       .most_groups = 8 * facts->compute_units,
                       .chain = 64};
}

/* "To give bugs a chance": every tile, tree and chain is used many times over by a few thousand elements. */
static void make_tiny(fp_policy *policy)
{
    policy->group = policy->cpu ? 1 : 4;
    policy->items = 2;
    policy->lanes = 8;
    policy->least_chunk = policy->cpu ? 8 : 1;
    policy->most_groups = 5;
    policy->chain = 3;
}

gpu_status fp_policy_choose(const fp_facts *facts, fp_policy *out)
{
    const char *words = getenv("FIREPILE_POLICY");
    bool cpu = facts->cpu, tiny = false;
    for (const char *at = words ? words : ""; *at;) {
        size_t n = strcspn(at, ",");
        if (n == 3 && !memcmp(at, "cpu", n)) {
            cpu = true;
        } else if (n == 3 && !memcmp(at, "gpu", n)) {
            cpu = false;
        } else if (n == 4 && !memcmp(at, "tiny", n)) {
            tiny = true;
        } else {
            return fp_fail(GPU_E_ARGUMENT, "FIREPILE_POLICY=%s: there is no policy \"%.*s\", only cpu, gpu and tiny", words,
                           (int)n, at);
        }
        at += n + (at[n] == ',');
    }
    *out = cpu ? cpu_policy(facts) : gpu_policy(facts);
    if (tiny) make_tiny(out);
    return GPU_OK;
}

size_t fp_policy_chunk(const fp_policy *policy, size_t n, size_t *groups)
{
    size_t unit = policy->least_chunk;
    size_t share = n / policy->most_groups + (n % policy->most_groups != 0);
    size_t chunk = (share / unit + (share % unit != 0)) * unit;
    if (chunk == 0) chunk = unit;
    *groups = n / chunk + (n % chunk != 0);
    return chunk;
}
