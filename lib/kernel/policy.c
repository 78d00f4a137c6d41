#include "kernel/policy.h"

#include "base/error.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Measured: 1024 floats take 1.5 us on the host to sum, 5 to scan, 8 to filter by a function. A value from PoCL takes
 * 25 or more, one from an H200 12, without the upload before it. */
enum { HOST_MAX = 1024, HOST_MAX_LIMIT = 1 << 20 };

/* One work-item of an H200 adds 1024 floats in about 5 us. On CPUs this is at most least_chunk. */
enum { SERIAL = 1024, TINY_SERIAL = 8 };

/* Mesa's rusticl (25.0, on llvmpipe) loses all but the first of the structs that are first stored to an array. */
static bool keeps_structs(const fp_capabilities *capabilities)
{
    static const char *const known[] = {"Portable Computing Language", "Intel(R)", "Oclgrind"};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strstr(capabilities->platform, known[k])) return true;
    return false;
}

/* Measured on PoCL: groups of one item, 64 to 512 chunks and 128 bytes of accumulators keep up with the memory. A chunk
 * of 4096 elements takes about as long as handing it out. */
static fp_policy cpu_policy(const fp_capabilities *capabilities)
{
    size_t chunks = 8 * capabilities->compute_units;
    return (fp_policy){.cpu = true,
                       .group = 1,
                       .warp = 1,
                       .lanes = 128,
                       .struct_lanes = keeps_structs(capabilities),
                       .least_chunk = 4096,
                       .most_chunks = chunks < 64    ? 64
                                      : chunks > 512 ? 512
                                                     : chunks,
                       .tile = 1 << 17,
                       .look_back = true,
                       .serial = SERIAL,
                       .chain = 64};
}

/* Note [progress]: in look-back work-groups wait for earlier ones, so a running work-group must get time until it is
 * done. On CPUs groups are threads of the operating system, and take tickets. NVIDIA's groups stay on their
 * multiprocessor once they have begun, and begin in the order of their numbers: CUB relies on both. Other GPUs promise
 * nothing: they take two launches. */
static bool makes_progress(const fp_capabilities *capabilities)
{
    return capabilities->cpu || capabilities->nvidia;
}

/* Groups that wait for each other must all run at the same time: one for each compute unit. Joined kernels call others
 * that have local memory. NVIDIA's driver can do it. PoCL 3.1 mostly can (docs/drivers.md), where tests run GPU shapes.
 * PoCL 6 ends the process, and oclgrind gives such kernels no local memory. CPUs join nothing, since their launches
 * overlap: on PoCL three of 256 elements took 59 us instead of 71 when joined, three of 4096 94 instead of 83. */
static unsigned meeting_of(const fp_capabilities *capabilities)
{
    enum { MOST = 64 };
    if (!capabilities->calls_kernels) return 0;
    if (!capabilities->nvidia) return 1;
    return capabilities->compute_units < MOST ? (unsigned)capabilities->compute_units : MOST;
}

/* Measured on an H100: loads of 16 bytes, four in flight for each of the 2048 items of a compute unit, fill the memory
 * bus. Groups as large as 8 KiB of local memory allow leave the fewest partial results. */
static fp_policy gpu_policy(const fp_capabilities *capabilities)
{
    size_t group = 1024;
    while (group > capabilities->max_group) group /= 2;
    return (fp_policy){.group = (unsigned)group,
                       .warp = capabilities->nvidia ? 32 : 1,
                       .wide = 16,
                       .flight = 64,
                       .scratch = capabilities->local_bytes / 4 < 8192 ? capabilities->local_bytes / 4 : 8192,
                       .resident = 2048 * capabilities->compute_units,
                       .tile = capabilities->local_bytes / 6 * 5 < 40960 ? capabilities->local_bytes / 6 * 5 : 40960,
                       .tile_group = 256,
                       .tile_items_per_thread = 32,
                       .tile_item = 128,
                       .look_back = makes_progress(capabilities),
                       .in_order = capabilities->nvidia,
                       .meeting = meeting_of(capabilities),
                       .join_after = 1000,
                       .join_one = capabilities->nvidia,
                       .serial = SERIAL,
                       .chain = 64};
}

/* Makes a few thousand elements use every tile, tree and chain many times over, to give bugs a chance. */
static void make_tiny(fp_policy *policy)
{
    policy->group = policy->cpu ? 1 : policy->warp > 1 ? 2 * policy->warp : 4;
    policy->flight = 32;
    policy->resident = 5 * policy->group;
    policy->lanes = 8;
    policy->least_chunk = TINY_SERIAL;
    policy->most_chunks = 5;
    policy->tile = policy->cpu ? 1 : 1024;
    policy->tile_items_per_thread = 4;
    policy->tile_item = 64;
    policy->serial = TINY_SERIAL;
    policy->chain = 3;
    policy->join_after = 2;
}

/* Reads FIREPILE_SMALL, else takes the measured number. On the host device there is no other side. */
static gpu_status choose_host_max(const fp_capabilities *capabilities, size_t *out)
{
    const char *text = getenv("FIREPILE_SMALL");
    *out = capabilities->host ? 0 : HOST_MAX;
    if (capabilities->host || !text || !*text) return GPU_OK;
    char *end;
    unsigned long long most = strtoull(text, &end, 10);
    *out = (size_t)most;
    if (isdigit((unsigned char)*text) && !*end && most <= HOST_MAX_LIMIT) return GPU_OK;
    return fp_fail(GPU_E_ARGUMENT,
                   "FIREPILE_SMALL=%s: write a number of elements, at most %d; 0 leaves all to the device", text,
                   HOST_MAX_LIMIT);
}

gpu_status fp_policy_choose(const fp_capabilities *capabilities, fp_policy *out)
{
    const char *words = getenv("FIREPILE_POLICY");
    bool cpu = capabilities->cpu, tiny = false, sweeps = false;
    for (const char *at = words ? words : ""; *at;) {
        size_t n = strcspn(at, ",");
        if (n == 3 && !memcmp(at, "cpu", n)) {
            cpu = true;
        } else if (n == 3 && !memcmp(at, "gpu", n)) {
            cpu = capabilities->host; /* it runs no kernels */
        } else if (n == 4 && !memcmp(at, "tiny", n)) {
            tiny = true;
        } else if (n == 6 && !memcmp(at, "sweeps", n)) {
            sweeps = true;
        } else {
            return fp_fail(GPU_E_ARGUMENT,
                           "FIREPILE_POLICY=%s: there is no policy \"%.*s\", only cpu, gpu, tiny and sweeps", words,
                           (int)n, at);
        }
        at += n + (at[n] == ',');
    }
    *out = cpu ? cpu_policy(capabilities) : gpu_policy(capabilities);
    if (tiny) make_tiny(out);
    /* GPUs that take two sweeps join no launches, and PoCL 3.1 fails in a joined kernel of two. */
    if (sweeps) out->look_back = false;
    if (sweeps) out->meeting = 0;
    return choose_host_max(capabilities, &out->host_max);
}

size_t fp_chunk_of(size_t n, size_t multiple, size_t most, size_t *chunks)
{
    size_t chunk = fp_round_up(fp_ceiling(n, most), multiple);
    if (chunk == 0) chunk = multiple;
    *chunks = fp_ceiling(n, chunk);
    return chunk;
}

unsigned fp_vector_of(const fp_policy *policy, size_t bytes)
{
    size_t vector = bytes ? policy->wide / bytes : 1;
    return vector > 1 ? (unsigned)vector : 1;
}
