#include "contender.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* No call takes so long, and no preparation. */
enum { PATIENCE_S = 300 };

bool shared_open(shared_bytes *s, const char *name)
{
    *s = (shared_bytes){.descriptor = memfd_create(name, MFD_CLOEXEC)};
    return s->descriptor >= 0;
}

bool shared_resize(shared_bytes *s, size_t bytes)
{
    if (s->at) munmap(s->at, s->bytes);
    s->at = NULL;
    s->bytes = bytes ? bytes : 1;
    if (ftruncate(s->descriptor, 0) || ftruncate(s->descriptor, (off_t)s->bytes)) return false;
    s->at = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->descriptor, 0);
    if (s->at == MAP_FAILED) s->at = NULL;
    return s->at != NULL;
}

/* The descriptors go where a worker looks for them: aside first, since they may lie there for something else. */
static void become_worker(const contender *c, int socket, int elements, int wanted)
{
    enum { ASIDE = 64 };
    const int from[] = {socket, elements, wanted};
    char index[16];
    int aside[3];
    for (int k = 0; k < 3; k++) aside[k] = fcntl(from[k], F_DUPFD, ASIDE);
    for (int k = 0; k < 3; k++) dup2(aside[k], WIRE_SOCKET + k);
    for (int k = 0; k < 3; k++) close(aside[k]);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    snprintf(index, sizeof index, "%d", c->index);
    const char *argv[12] = {c->program, "--worker"};
    int count = 2;
    if (*c->object) argv[count++] = "--object", argv[count++] = c->object;
    if (*c->object) argv[count++] = "--index", argv[count++] = index;
    if (c->device) argv[count++] = "--device", argv[count++] = c->device;
    execv(c->program, (char *const *)argv);
    fprintf(stderr, "bench: cannot run %s: %s\n", c->program, strerror(errno));
    _exit(127);
}

/* Reads all of it. */
static bool receive(const contender *c, void *to, size_t bytes)
{
    return recv(c->socket, to, bytes, MSG_WAITALL) == (ssize_t)bytes;
}

/* Moves the worker's main thread, which calls. Threads that its driver has started already run where they like. Later
 * ones inherit the core. */
static void stay_on_core(const contender *c)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET((size_t)c->core, &cores);
    if (sched_setaffinity(c->pid, sizeof cores, &cores))
        fprintf(stderr, "bench: %s may change its core: %s\n", c->hello.name, strerror(errno));
}

bool contender_start(contender *c, const shared_bytes *elements, const shared_bytes *wanted)
{
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) return false;
    c->pid = fork();
    if (c->pid == 0) become_worker(c, sockets[1], elements->descriptor, wanted->descriptor);
    close(sockets[1]);
    c->socket = sockets[0];
    if (c->pid < 0) {
        close(c->socket);
        c->pid = 0;
        return false;
    }
    setsockopt(c->socket, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = PATIENCE_S}, sizeof(struct timeval));
    if (!receive(c, &c->hello, sizeof c->hello)) {
        contender_stop(c);
        return false;
    }
    if (c->hello.is_gpu) stay_on_core(c);
    return true;
}

bool contender_ask(contender *c, const wire_question *q, wire_answer *a)
{
    *a = (wire_answer){.known = true, .verdict = VERDICT_CRASHED};
    if (send(c->socket, q, sizeof *q, MSG_NOSIGNAL) == sizeof *q && receive(c, a, sizeof *a)) return true;
    *a = (wire_answer){.known = true, .verdict = VERDICT_CRASHED};
    contender_stop(c);
    return false;
}

/* A worker ends when its socket does, or it hangs. */
bool contender_stop(contender *c)
{
    enum { STEPS = 100, STEP_US = 50000 };
    if (!c->pid) return true;
    close(c->socket);
    int ended = 0, status = 0;
    for (int k = 0; k < STEPS && !(ended = waitpid(c->pid, &status, WNOHANG)); k++) usleep(STEP_US);
    if (!ended) {
        kill(c->pid, SIGKILL);
        waitpid(c->pid, &status, 0);
    }
    c->pid = 0;
    return WIFEXITED(status) && !WEXITSTATUS(status);
}
