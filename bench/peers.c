#include "bench.h"

#include <dlfcn.h>
#include <glob.h>
#include <string.h>
#include <unistd.h>

static void add_peers(bench_peer_list *out, const bench_peer *peer, const char *list, cl_device_id device)
{
    for (; peer->name; peer++) {
        bool wanted = options_list_has(list, peer->name) && (!peer->usable || peer->usable(device));
        if (wanted && out->count < PEERS_MAX) out->peers[out->count++] = peer;
    }
}

/* peers/NAME.so in the folder of the program. */
static bool find_objects(glob_t *found)
{
    static const char pattern[] = "/peers/*.so";
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof pattern);
    if (length < 0) return false;
    path[length] = '\0';
    char *name = strrchr(path, '/');
    if (!name) return false;
    memcpy(name, pattern, sizeof pattern);
    return glob(path, 0, NULL, found) == 0;
}

void peers_load(bench_peer_list *out, const char *list, cl_device_id device)
{
    glob_t found;
    out->count = 0;
    if (!find_objects(&found)) return;
    for (size_t k = 0; k < found.gl_pathc; k++) {
        /* Never unloaded: runtimes of other languages leave threads and exit handlers behind. */
        void *object = dlopen(found.gl_pathv[k], RTLD_NOW | RTLD_LOCAL);
        const bench_peer *peers = object ? dlsym(object, "bench_peers") : NULL;
        if (peers) {
            add_peers(out, peers, list, device);
        } else {
            fprintf(stderr, "bench: a peer is left out: %s\n", dlerror());
        }
    }
    globfree(&found);
}
