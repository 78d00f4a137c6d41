/* Describes the numbers on standard input: count, minimum, maximum, mean and a histogram. They are uploaded once;
 * examples/summary takes more numbers, in blocks. */
#include <firepile.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BINS = 10, WIDTH = 40 };

static float *numbers;
static size_t count;

static bool read_numbers(void)
{
    size_t room = 0;
    float number;
    int found;
    while ((found = scanf("%f", &number)) == 1 && isfinite(number)) {
        if (count == room) {
            room = 2 * room + 1024;
            float *grown = realloc(numbers, room * sizeof *numbers);
            if (!grown) return perror("column"), false;
            numbers = grown;
        }
        numbers[count++] = number;
    }
    if (found == EOF && !ferror(stdin)) return true;
    fprintf(stderr, "column: cannot read number %zu\n", count + 1);
    return false;
}

static bool print_histogram(const gpu_array *x, float min, float max)
{
    static const char bar[WIDTH + 1] = "########################################";
    uint64_t counted[BINS], at_max, most = 1;
    gpu_array *counts, *outside;
    gpu_histogram(x, &min, &max, BINS, &counts, &outside);
    if (gpu_read(counts, counted) || gpu_read(outside, &at_max)) return false;
    counted[BINS - 1] += at_max; /* a bin does not hold its upper bound */
    for (int k = 0; k < BINS; k++) most = counted[k] > most ? counted[k] : most;
    for (int k = 0; k < BINS; k++)
        printf("from %-12.7g %10" PRIu64 "  %.*s\n", min + (float)k * (max - min) / BINS, counted[k],
               (int)((counted[k] * WIDTH + most - 1) / most), bar);
    return true;
}

static bool describe(gpu *g)
{
    gpu_array *x = gpu_array_of(g, numbers, count);
    float sum, min, max;
    if (gpu_reduce_all(x, "a + b", &sum, "fmin(a, b)", &min, "fmax(a, b)", &max)) return false;
    printf("minimum %.7g\nmaximum %.7g\nmean    %.7g\n", min, max, sum / (float)count);
    return min == max || print_histogram(x, min, max);
}

int main(void)
{
    if (!read_numbers()) return 1;
    printf("count   %zu\n", count);
    gpu *g = gpu_open(NULL);
    bool failed = count && !describe(g);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    if (fflush(stdout)) {
        perror("column");
        failed = true;
    }
    gpu_close(g);
    free(numbers);
    return failed;
}
