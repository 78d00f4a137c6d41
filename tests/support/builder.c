/* Has a program that the cache lacks built by tests/programs/builder.c, before the test builds it. */
#include "base/hash.h"
#include "cl/program.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Without a builder, or when it ends, there is nothing to wait for. */
static void ask(const char *path, const char *source, const char *options)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char answer;
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (!connect(connection, (struct sockaddr *)&address, sizeof address) &&
        send(connection, options, strlen(options) + 1, MSG_NOSIGNAL) >= 0 &&
        send(connection, source, strlen(source), MSG_NOSIGNAL) >= 0 && !shutdown(connection, SHUT_WR))
        (void)!read(connection, &answer, 1);
    close(connection);
}

gpu_status __real_fp_program_build(fp_device *device, const char *source, const char *options, fp_program **out,
                                   char **log);
gpu_status __wrap_fp_program_build(fp_device *device, const char *source, const char *options, fp_program **out,
                                   char **log);

/* The tests' linker puts it in the place of fp_program_build. An empty file stands for each program that a test has
 * built, beside PoCL's cache. */
gpu_status __wrap_fp_program_build(fp_device *device, const char *source, const char *options, fp_program **out,
                                   char **log)
{
    const char *builder = getenv("FP_TEST_BUILDER"), *known = getenv("FP_TEST_KNOWN");
    char mark[4096];
    if (builder && known && options && fp_device_capabilities(device)->header_guard) {
        snprintf(mark, sizeof mark, "%s/%016" PRIx64, known,
                 fp_hash(source, strlen(source), fp_hash(options, strlen(options), 0)));
        if (access(mark, F_OK)) ask(builder, source, options);
        close(open(mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0666));
    }
    return __real_fp_program_build(device, source, options, out, log);
}
