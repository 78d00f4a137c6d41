#include "bench.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

const bench_peer *peers_find(const char *object, int index)
{
    /* Never unloaded: runtimes of other languages leave threads and exit handlers behind. */
    void *loaded = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    const bench_peer *peers = loaded ? dlsym(loaded, "bench_peers") : NULL;
    if (!peers) fprintf(stderr, "bench: a peer is left out: %s\n", dlerror());
    for (int k = 0; peers && peers[k].name; k++)
        if (k == index) return &peers[k];
    return NULL;
}

bool beside_program(const char *name, char *path, size_t bytes)
{
    ssize_t length = readlink("/proc/self/exe", path, bytes - 1);
    if (length < 0) return false;
    path[length] = '\0';
    char *end = strrchr(path, '/');
    size_t room = end ? bytes - (size_t)(end + 1 - path) : 0;
    return end && (size_t)snprintf(end + 1, room, "%s", name) < room;
}
