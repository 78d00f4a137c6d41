/* Builds programs for the tests, one after the other. PoCL loads its built-in functions, which takes a second, for the
 * first program that a process builds. It does that once here and not in each test: a test finds its program in PoCL's
 * cache. tools/run-tests.sh starts it; tests/preload/faster.c asks it.
 *   builder SOCKET PROCESSES */
#include "base/text.h"
#include "cl/device.h"
#include "cl/program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (strlen(path) >= sizeof address.sun_path) return -1;
    strcpy(address.sun_path, path);
    if (bind(listening, (struct sockaddr *)&address, sizeof address) || listen(listening, 64)) return -1;
    return listening;
}

/* A request is the options, a NUL, and the program. The answer is that the connection ends. */
static void serve(fp_device *device, int connection)
{
    char part[1 << 16];
    fp_text request = {0};
    fp_program *program = NULL;
    char *log = NULL;
    for (ssize_t n; (n = read(connection, part, sizeof part)) > 0;) fp_text_add(&request, part, (size_t)n);
    const char *options = fp_text_string(&request), *source = options + strlen(options) + 1;
    if (source < options + request.length && !fp_program_build(device, source, options, &program, &log))
        fp_program_free(program);
    free(log);
    fp_text_free(&request);
    close(connection);
}

/* Until its parent ends. */
static int run(int listening)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    fp_device *device;
    if (fp_device_open(NULL, &device) || !fp_device_capabilities(device)->header_guard)
        return 0; /* it is not PoCL 3.1 */
    for (;;) serve(device, accept(listening, NULL, NULL));
}

int main(int count, char **arguments)
{
    if (count < 3) return 0;
    int listening = listen_at(arguments[1]);
    if (listening < 0) return 1;
    for (int k = 1; k < atoi(arguments[2]); k++)
        if (fork() == 0) return run(listening);
    return run(listening);
}
