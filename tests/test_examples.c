/* The examples that keep their values on the device give right results and wait once, as the trace tells. column
 * describes its input. All examples report a full disk. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Runs an example, which ends with 0 if its result is what it should be. Its last line goes to `line`. */
static void run(const char *name, char *line, int room)
{
    char path[TEST_PATH];
    snprintf(path, sizeof path, "examples/%s", name);
    FILE *output = test_program(path);
    while (fgets(line, room, output)) continue;
    int status = pclose(output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s ended with the wait status %d: %s", name, status,
              line);
}

/* Of a line of the trace, the number behind `name`. */
static int number_of(const char *line, const char *name)
{
    const char *at = strstr(line, name);
    cr_assert(at, "no \"%s\" in the line of the trace: %s", name, line);
    return atoi(at + strlen(name));
}

/* Kernels that all calls launched, and their waits, but for those that brought data to the device. The last call
 * waited. */
static void check_trace(const char *name, const char *path, int most_kernels)
{
    char line[1024] = "";
    int kernels = 0, waits = 0, last = 0;
    FILE *trace = fopen(path, "r");
    cr_assert(trace, "%s left no trace", name);
    while (fgets(line, sizeof line, trace)) {
        last = strstr(line, "gpu_array_of:") ? 0 : number_of(line, "waits ");
        kernels += number_of(line, "kernels ");
        waits += last;
    }
    fclose(trace);
    cr_assert_eq(waits, 1, "%s waited %d times", name, waits);
    cr_assert_eq(last, 1, "%s did not wait in its last call: %s", name, line);
    if (!test_eager() && !test_tiny()) cr_assert_leq(kernels, most_kernels, "%s launched %d kernels", name, kernels);
}

/* The first run may build kernels, after each of which the library waits for the driver; the second finds them. */
static void check(const char *name, const char *wanted, int most_kernels)
{
    char folder[TEST_PATH], path[TEST_PATH + 8], line[256] = "";
    test_needs_opencl();
    setenv("FIREPILE_VERIFY", "0", 1); /* which waits for each operation */
    test_folder_make(folder);
    snprintf(path, sizeof path, "%s/trace", folder);
    run(name, line, sizeof line);
    setenv("FIREPILE_TRACE", path, 1);
    run(name, line, sizeof line);
    test_has(line, wanted);
    check_trace(name, path, most_kernels);
    test_folder_remove(folder);
}

Test(examples, softmax)
{
    check("softmax", "firefly    990.0  0.000002", 3);
}

Test(examples, power)
{
    check("power", "exactly 4093.56", 40); /* three for each vector */
}

Test(examples, gradients)
{
    check("gradients", " 0.0182 0.0282 0.0333 0.0349 0.0333 0.0282 0.0182", 242); /* six for each step */
}

Test(examples, sparse)
{
    check("sparse", "0.1707 and -0.1707 volts; the currents are balanced", 154); /* six for each step */
}

Test(examples, kmeans)
{
    check("kmeans", "1000 points around (", 19); /* two for each step */
}

Test(examples, pi)
{
    check("pi", "pi is about 3.14", 1);
}

Test(examples, option)
{
    check("option", "(Black and Scholes: 10.69), Asian", 2); /* the numbers, and the sum over all paths */
}

static void check_last_line(const char *name, const char *wanted)
{
    char line[256] = "";
    test_needs_opencl();
    run(name, line, sizeof line);
    cr_assert_str_eq(line, wanted);
}

Test(examples, words)
{
    check_last_line("words", "the 30, that 28, is 7, house 7, This 7\n");
}

Test(examples, join)
{
    check_last_line("join", "2980 flights on 13 bad days\n");
}

Test(examples, flights)
{
    if (!test_has_double()) cr_skip_test("its moments are doubles");
    check_last_line("flights",
                    "half are below 18 minutes, nine of ten below 32; correlation with the distance -0.16\n");
}

Test(examples, series)
{
    check_last_line("series", "yearly means: 10.1 to 11.8; exponential average -3.1; longest frost 86 days; warmest "
                              "week from day 3459\n");
}

Test(examples, graph)
{
    check_last_line("graph", "989 of 1000 pages in reach, within 6 links\n");
}

Test(examples, runs)
{
    check_last_line("runs", "512 pixels in 29 runs\n");
}

Test(examples, rod)
{
    check_last_line("rod", "at most 0.00 degrees from a straight line\n");
}

Test(examples, plate)
{
    check_last_line("plate", "25.0 degrees in the middle\n");
}

Test(examples, image)
{
    check_last_line("image", "65 specks, 0 of them left; 2180 pixels of edges\n");
}

Test(examples, pagerank)
{
    check_last_line("pagerank", "page 0 0.0059, page 4 0.0036, page 21 0.0034, page 321 0.0033\n");
}

Test(examples, nearest)
{
    check_last_line("nearest", "293 of 300 animals get their kind\n");
}

/* Runs an example, and the rest of a command of the shell. Returns whether it ended with status 0. */
static bool run_command(const char *example, const char *rest, char *text, size_t room)
{
    char command[2 * TEST_PATH];
    snprintf(command, sizeof command, "examples/%s%s", example, rest);
    FILE *output = test_program(command);
    text[fread(text, 1, room - 1, output)] = '\0';
    int status = pclose(output);
    cr_assert(WIFEXITED(status), "%s ended with the wait status %d", example, status);
    return WEXITSTATUS(status) == 0;
}

static void check_column(const char *input, bool well, const char *wanted)
{
    char rest[256], text[2048];
    snprintf(rest, sizeof rest, " 2>&1 <<end\n%send\n", input);
    cr_assert_eq(run_command("column", rest, text, sizeof text), well, "%s", text);
    cr_assert_str_eq(text, wanted);
}

Test(examples, column)
{
    static const char wanted[] = "count   11\nminimum 1\nmaximum 11\nmean    4.5\n"
                                 "from 1                     2  ########################################\n"
                                 "from 2                     2  ########################################\n"
                                 "from 3                     1  ####################\n"
                                 "from 4                     1  ####################\n"
                                 "from 5                     2  ########################################\n"
                                 "from 6                     1  ####################\n"
                                 "from 7                     0  \n"
                                 "from 8                     0  \n"
                                 "from 9                     1  ####################\n"
                                 "from 10                    1  ####################\n";
    check_column("3 1\n4 1 5 9 2 6\n5 2.5e0 11\n", true, wanted);
    check_column("-7\n-7\n", true, "count   2\nminimum -7\nmaximum -7\nmean    -7\n");
    check_column("", true, "count   0\n");
    check_column("1 2 x\n", false, "column: cannot read number 3\n");
    check_column("1 inf\n", false, "column: cannot read number 2\n");
}

Test(examples, a_full_disk_is_told)
{
    static const char *const names[] = {"captures",
                                        "column </dev/null",
                                        "collections",
                                        "devices",
                                        "first",
                                        "functions",
                                        "gradients",
                                        "flights",
                                        "graph",
                                        "join",
                                        "rod",
                                        "runs",
                                        "series",
                                        "kernel_blur",
                                        "image",
                                        "kernel_bodies",
                                        "kernel_histogram",
                                        "kernel_product",
                                        "kernel_scan",
                                        "kernel_sum",
                                        "kmeans",
                                        "mistake",
                                        "nearest",
                                        "norm",
                                        "pagerank",
                                        "plate",
                                        "sparse",
                                        "pipeline",
                                        "power",
                                        "sealed",
                                        "softmax",
                                        "thesis",
                                        "words",
                                        "samples/dct",
                                        "samples/reduce",
                                        "summary --help",
                                        "samples/black_scholes",
                                        "samples/matrix_vector",
                                        "samples/vector_add"};
    test_needs_opencl();
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        char text[8192];
        cr_assert(!run_command(names[k], " 2>&1 >/dev/full", text, sizeof text), "%s ended well", names[k]);
        cr_assert(strstr(text, "No space left on device"), "%s says nothing of a full disk: %s", names[k], text);
    }
}
