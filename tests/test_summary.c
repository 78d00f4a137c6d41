/* The example that reads more numbers than fit into memory: what it says of several blocks, how much memory it takes,
 * and what is seen on a terminal. */
#include "support/support.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Two blocks of the example, and a part of one. */
enum { BLOCK = 1 << 20, SEVERAL = 2 * BLOCK + BLOCK / 2, MISSING_EACH = 1000 };

/* Quarters: sums of them are exact. */
static double number(size_t i)
{
    return (double)((int64_t)(i * 7919 % 1000003) - 400000) / 4;
}

static bool is_missing(size_t i)
{
    return i % MISSING_EACH == 7;
}

static void write_file(const char *path, const char *head, const char *form, size_t n)
{
    FILE *file = fopen(path, "w");
    cr_assert(file, "cannot write %s", path);
    fputs(head, file);
    for (size_t i = 0; i < n; i++) {
        if (is_missing(i)) fputs("NA\n", file);
        if (!is_missing(i)) fprintf(file, form, number(i));
    }
    cr_assert(!fclose(file), "cannot write %s", path);
}

/* What the example prints, by the names of its lines. */
typedef struct printed {
    char text[8192];
    int status;
} printed;

/* The arguments, and where standard input and error lead, as a shell takes them. */
static printed run(const char *arguments)
{
    printed p = {.status = -1};
    char command[4 * TEST_PATH];
    snprintf(command, sizeof command, "examples/summary %s", arguments);
    FILE *output = test_program(command);
    size_t length = fread(p.text, 1, sizeof p.text - 1, output);
    p.text[length] = '\0';
    p.status = pclose(output);
    return p;
}

static printed run_on(const char *before, const char *file, const char *after)
{
    char arguments[2 * TEST_PATH];
    snprintf(arguments, sizeof arguments, "%s%s%s", before, file, after);
    return run(arguments);
}

/* The file comes through a pipe that has a name. */
static printed run_on_pipe(const char *file)
{
    char pipe[TEST_PATH + 16], command[3 * TEST_PATH];
    snprintf(pipe, sizeof pipe, "%s.pipe", file);
    snprintf(command, sizeof command, "cat %s >%s &", file, pipe);
    cr_assert(!mkfifo(pipe, 0600) && !system(command));
    printed p = run(pipe);
    unlink(pipe);
    return p;
}

static double value_of(const printed *p, const char *name)
{
    const char *at = strstr(p->text, name);
    cr_assert(at, "there is no \"%s\" in:\n%s", name, p->text);
    return atof(at + strlen(name));
}

static void check_value(const printed *p, const char *name, double wanted)
{
    double got = value_of(p, name);
    cr_assert(fabs(got - wanted) <= 1e-14 * fabs(wanted), "%s: %.17g, wanted %.17g, in:\n%s", name, got, wanted,
              p->text);
}

typedef struct facts {
    size_t count, missing, min_at, max_at;
    double sum, mean, deviation;
} facts;

static facts facts_of(size_t n)
{
    facts f = {.min_at = 0, .max_at = 0};
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_missing(i)) {
            f.missing++;
            continue;
        }
        f.count++;
        f.sum += number(i);
        if (number(i) < number(f.min_at)) f.min_at = i;
        if (number(i) > number(f.max_at)) f.max_at = i;
    }
    f.mean = f.sum / (double)f.count;
    for (size_t i = 0; i < n; i++)
        if (!is_missing(i)) squares += (number(i) - f.mean) * (number(i) - f.mean);
    f.deviation = sqrt(squares / ((double)f.count - 1));
    return f;
}

static size_t count_between(size_t n, double from, double below)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += !is_missing(i) && number(i) >= from && number(i) < below;
    return count;
}

static void check_histogram(const printed *p, size_t n, size_t count)
{
    const char *at = strstr(p->text, "each # is");
    size_t counted = 0, rows = 0, in_row;
    double from, below;
    cr_assert(at, "no histogram in:\n%s", p->text);
    while ((at = strchr(at, '\n')) && sscanf(++at, "%lf %lf %zu", &from, &below, &in_row) == 3) {
        cr_assert_eq(in_row, count_between(n, from, below), "%zu from %g below %g in:\n%s", in_row, from, below,
                     p->text);
        counted += in_row;
        rows++;
    }
    cr_assert(rows > 5 && counted == count, "%zu rows with %zu numbers of %zu in:\n%s", rows, counted, count, p->text);
}

/* `before`: lines of the file before its first number. */
static void check_all(const printed *p, size_t n, size_t before)
{
    facts f = facts_of(n);
    cr_assert_eq(p->status, 0, "the wait status is %d:\n%s", p->status, p->text);
    check_value(p, "count ", (double)f.count);
    check_value(p, "missing ", (double)f.missing);
    check_value(p, "sum ", f.sum);
    check_value(p, "mean ", f.mean);
    check_value(p, "standard deviation ", f.deviation);
    check_value(p, "min ", number(f.min_at));
    check_value(p, "max ", number(f.max_at));
    char line[64];
    snprintf(line, sizeof line, " on line %zu\nmax ", f.min_at + 1 + before);
    test_has(p->text, line);
    snprintf(line, sizeof line, " on line %zu\ndevice ", f.max_at + 1 + before);
    test_has(p->text, line);
    test_has(p->text, "extremes equal");
    check_histogram(p, n, f.count);
}

/* The length of a block is the example's. */
static void needs_long_arrays(void)
{
    test_needs_opencl();
    if (test_limit(SEVERAL) < SEVERAL) cr_skip_test("several blocks take long in a simulator, and with tiny tiles");
}

Test(summary, several_blocks_of_a_file_and_through_a_pipe)
{
    needs_long_arrays();
    char folder[TEST_PATH], file[TEST_PATH + 8], broken[64];
    test_folder_make(folder);
    snprintf(file, sizeof file, "%s/numbers", folder);
    write_file(file, "", "%.2f\n", SEVERAL);
    printed p = run(file);
    check_all(&p, SEVERAL, 0);
    p = run_on_pipe(file);
    check_all(&p, SEVERAL, 0);
    FILE *end = fopen(file, "a");
    cr_assert(end && fputs("1,5\n", end) >= 0 && !fclose(end));
    p = run_on("", file, " 2>&1");
    snprintf(broken, sizeof broken, "numbers:%d: not a number: \"1,5\"", SEVERAL + 1);
    cr_assert(p.status, "ended well:\n%s", p.text);
    test_has(p.text, broken);
    write_file(file, "place,\"the value\"\n", "somewhere,\"%.2f\"\n", BLOCK + 1000);
    p = run_on("--column 'the value' ", file, "");
    check_all(&p, BLOCK + 1000, 1);
    test_folder_remove(folder);
}

/* The largest memory that the example had at once, in KiB. A process of its own has no other children. */
static long peak_of(const char *file)
{
    long peak = -1;
    int ends[2];
    cr_assert(!pipe(ends));
    pid_t child = fork();
    if (child == 0) {
        printed p = run_on("- <", file, "");
        struct rusage usage;
        if (!p.status && !getrusage(RUSAGE_CHILDREN, &usage)) peak = usage.ru_maxrss;
        _exit(write(ends[1], &peak, sizeof peak) < 0);
    }
    cr_assert(child > 0 && read(ends[0], &peak, sizeof peak) == sizeof peak && peak > 0, "it did not run");
    close(ends[0]);
    close(ends[1]);
    waitpid(child, NULL, 0);
    return peak;
}

static void write_many(const char *path, size_t n)
{
    enum { PART = 100000 };
    char *part = test_alloc(PART, 16);
    size_t length = 0;
    for (int i = 0; i < PART; i++) length += (size_t)sprintf(part + length, "%d\n", i * 7919 % 1000);
    FILE *file = fopen(path, "w");
    cr_assert(file, "cannot write %s", path);
    for (size_t k = 0; k < n / PART; k++) fwrite(part, 1, length, file);
    cr_assert(!fclose(file), "cannot write %s", path);
    free(part);
}

/* In memory a million numbers and their lines take 15 MiB. */
Test(summary, memory_does_not_grow_with_the_input)
{
    needs_long_arrays();
#ifdef __SANITIZE_ADDRESS__
    cr_skip_test("the sanitizer keeps what was freed");
#endif
    size_t n = test_full() ? 10000000 : 4000000;
    char folder[TEST_PATH], file[TEST_PATH + 8];
    test_folder_make(folder);
    snprintf(file, sizeof file, "%s/numbers", folder);
    write_many(file, 100000);
    peak_of(file); /* which may build kernels */
    write_many(file, n * 3 / 10);
    long few = peak_of(file);
    write_many(file, n);
    long many = peak_of(file);
    cr_assert(many < few + 16384, "%ld KiB for %zu numbers, and %ld for three tenths", many, n, few);
    test_folder_remove(folder);
}

/* What a terminal got that was standard error. */
static void run_on_terminal(const char *file, char *seen, size_t room)
{
    char after[64];
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    cr_assert(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal), "there are no terminals here");
    int held = open(ptsname(terminal), O_RDWR | O_NOCTTY); /* what is written there is not lost when the program ends */
    snprintf(after, sizeof after, " 2>%s", ptsname(terminal));
    printed p = run_on("", file, after);
    cr_assert_eq(p.status, 0, "the wait status is %d:\n%s", p.status, p.text);
    size_t length = 0;
    for (struct pollfd more = {.fd = terminal, .events = POLLIN}; poll(&more, 1, 200) > 0;) { /* it comes in pieces */
        ssize_t got = read(terminal, seen + length, room - 1 - length);
        if (got <= 0) break;
        length += (size_t)got;
    }
    seen[length] = '\0';
    close(held);
    close(terminal);
}

Test(summary, a_bar_on_terminals_only)
{
    test_needs_opencl();
    char folder[TEST_PATH], file[TEST_PATH + 8], seen[4096];
    test_folder_make(folder);
    snprintf(file, sizeof file, "%s/numbers", folder);
    write_file(file, "", "%.2f\n", 10000);
    run_on_terminal(file, seen, sizeof seen);
    test_has(seen, "reading [");
    test_has(seen, " %  ");
    cr_assert_str_eq(seen + strlen(seen) - 4, "\r\033[K", "the bar stays: %s", seen);
    printed p = run_on("", file, " 2>&1 >/dev/null");
    cr_assert_str_empty(p.text, "what is no terminal got: %s", p.text);
    test_folder_remove(folder);
}

/* ---- single files ---- */

static printed run_text(const char *text, size_t length, const char *before, const char *after)
{
    char folder[TEST_PATH], path[TEST_PATH + 8];
    test_folder_make(folder);
    snprintf(path, sizeof path, "%s/text", folder);
    FILE *file = fopen(path, "w");
    cr_assert(file && fwrite(text, 1, length, file) == length && !fclose(file));
    printed p = run_on(before, path, after);
    test_folder_remove(folder);
    return p;
}

Test(summary, a_byte_order_mark_before_a_quote)
{
    static const char text[] = "\xef\xbb\xbf\"a, b\",c\n1,2\n3,4\n", plain[] = "\xef\xbb\xbf"
                                                                               "5\n7\n";
    printed p = run_text(text, sizeof text - 1, "--column 'a, b' ", " 2>&1");
    cr_assert_eq(p.status, 0, "%s", p.text);
    check_value(&p, "sum ", 4);
    p = run_text(plain, sizeof plain - 1, "", " 2>&1");
    check_value(&p, "sum ", 12);
}

/* Each of the numbers stands between the bounds that are printed before its bin's count. */
static void check_bins(const char *text, const double *numbers, size_t n)
{
    printed p = run_text(text, strlen(text), "", " 2>&1");
    const char *at = strstr(p.text, "each # is");
    double from, below;
    size_t counted = 0, in_row;
    cr_assert(at && !strstr(at, "elsewhere"), "not all numbers are in bins:\n%s", p.text);
    while ((at = strchr(at, '\n')) && sscanf(++at, "%lf %lf %zu", &from, &below, &in_row) == 3) {
        size_t wanted = 0;
        for (size_t k = 0; k < n; k++) wanted += numbers[k] >= from && numbers[k] < below;
        cr_assert_eq(in_row, wanted, "%zu from %.17g below %.17g in:\n%s", in_row, from, below, p.text);
        counted += in_row;
    }
    cr_assert_eq(counted, n, "%zu of %zu numbers are in bins:\n%s", counted, n, p.text);
}

Test(summary, numbers_stand_between_the_bounds_that_are_printed)
{
    check_bins("1\n1.0000000000000002\n", (const double[]){1, 1.0000000000000002}, 2);
    check_bins("1e16\n10000000000000002\n", (const double[]){1e16, 1e16 + 2}, 2);
    check_bins("0.1\n0.2\n0.3\n", (const double[]){0.1, 0.2, 0.3}, 3);
    check_bins("-0.3\n-0.1\n0.7\n", (const double[]){-0.3, -0.1, 0.7}, 3);
    check_bins("0.5\n1\n70\n9999\n", (const double[]){0.5, 1, 70, 9999}, 4);
    check_bins("1125899906842624\n1152921504606846976\n", (const double[]){0x1p50, 0x1p60}, 2);
}

Test(summary, a_sum_that_overflows_has_a_mean)
{
    static const char text[] = "1.7e308\n1.7e308\n-1.7e308\n";
    printed p = run_text(text, sizeof text - 1, "", " 2>&1");
    cr_assert_eq(p.status, 0, "%s", p.text);
    test_has(p.text, "sum                 more than a double holds");
    check_value(&p, "mean ", 1.7e308 / 3);
}

Test(summary, bad_input_is_printed_harmlessly)
{
    static const char text[] = "1\n\x1b]0;title\x07 Gr\xc3\xb6\xc3\x9f"
                               "e \xc2\x9b"
                               "31m \x9b"
                               "2J\n";
    printed p = run_text(text, sizeof text - 1, "", " 2>&1");
    cr_assert(p.status);
    test_has(p.text, "\\x1b]0;title\\x07 Gr\xc3\xb6\xc3\x9f"
                     "e \\xc2\\x9b31m \\x9b2J");
}

Test(summary, a_full_disk_is_told)
{
    printed p = run_text("1\n2\n", 4, "", " 2>&1 >/dev/full");
    cr_assert(p.status);
    test_has(p.text, "cannot write the results: No space left on device");
}

Test(summary, runs_on_the_host_device)
{
    setenv("FIREPILE_DEVICE", "host", 1);
    printed p = run_text("1\n2\n9\n1000\n", 11, "", " 2>&1");
    cr_assert_eq(p.status, 0, "%s", p.text);
    check_value(&p, "sum ", 1012);
    test_has(p.text, "extremes equal");
    test_has(p.text, "each # is");
}
