/* The kernels of docs/kernels.md: examples that compare themselves with plain C, on the device and on the host. */
#include "support/support.h"

#include <stdlib.h>
#include <sys/wait.h>

static void check(const char *name, const char *wanted)
{
    char path[TEST_PATH], line[256] = "";
    snprintf(path, sizeof path, "examples/kernel_%s", name);
    for (int host = 0; host < 2; host++) {
        if (host) setenv("FIREPILE_DEVICE", "host", 1);
        FILE *output = test_program(path);
        while (fgets(line, sizeof line, output)) continue;
        const int status = pclose(output);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s ended with the wait status %d: %s", name, status,
                  line);
        cr_assert_str_eq(line, wanted);
    }
}

Test(kernels, sum)
{
    check("sum", "the sum is 100 million\n");
}

Test(kernels, product)
{
    check("product", "0 of 9216 elements differ from plain C\n");
}

Test(kernels, histogram)
{
    check("histogram", "0 of 64 bins differ from plain C\n");
}

Test(kernels, blur)
{
    check("blur", "0 of 10000 elements differ from plain C\n");
}

Test(kernels, scan)
{
    check("scan", "0 of 5000 elements differ from plain C\n");
}

Test(kernels, bodies)
{
    check("bodies", "the pulls add up to nothing\n");
}
