/* Random kernels: the device and the host compute the same. Random texts: none ends the program. */
#include "support/refusals.h"

#include <stdlib.h>
#include <string.h>

/* Runs a small program. An instruction is a code and two operands. All items run the same one, so they reach the same
 * barriers. */
GPU_KERNEL(interpret,
           (GPU_GLOBAL const uint32_t *p, uint64_t p_length, GPU_GLOBAL const uint32_t *x, uint64_t x_length,
            GPU_LOCAL_MEMORY uint32_t *t, GPU_GLOBAL uint32_t *y, GPU_GLOBAL uint32_t *sums),
           {
               uint32_t own = item + 3 * group;
               uint32_t sum = 0;
               t[item] = own;
               sync();
               for (uint32_t at = 0; at + 2 < p_length; at += 3) {
                   const uint32_t code = p[at];
                   const uint32_t m = p[at + 1];
                   const uint32_t n = p[at + 2];
                   if (code == 0) own = m * 31 + n;
                   if (code == 1) own += m * item + n;
                   if (code == 2) own += t[(item * m + n) % ITEMS];
                   if (code == 3) own = (own * (2 * m + 1)) ^ n;
                   if (code == 4) own += x[(i * m + n) % x_length];
                   for (uint32_t k = 0; code == 5 && k < m % 9; k++) own += t[(item + k + n) % ITEMS] * k;
                   if (code == 6) {
                       sync();
                       t[item] = own;
                       sync();
                   }
               }
               y[i] = own;
               for (uint32_t k = 0; item == 0 && k < ITEMS; k++) sum += t[k] * (k + 1);
               if (item == 0) sums[group] = sum;
           });
enum { CODES = 7, MOST = 40, INPUT = 97 };

typedef struct program {
    uint32_t numbers[3 * MOST];
    size_t length;
    gpu_space space;
} program;

static program random_program(uint64_t *state)
{
    static const size_t some[] = {1, 7, 33}; /* each is a kernel of its own */
    const size_t items = test_full() ? 1 + test_random(state) % 33 : some[test_random(state) % COUNT_OF(some)];
    program p = {.length = 3 * (1 + test_random(state) % MOST),
                 .space = {.groups = 1 + test_random(state) % 9, .items = items}};
    for (size_t k = 0; k < p.length; k++) p.numbers[k] = (uint32_t)(test_random(state) % (k % 3 ? 1000 : CODES));
    return p;
}

/* Runs it as a GPU_KERNEL, or its body as a text. */
static void run(gpu *g, const program *program, bool as_text, uint32_t *items, uint32_t *groups)
{
    uint32_t input[INPUT];
    const gpu_space s = program->space;
    const char *text = gpu_definition_interpret_.body;
    for (uint32_t k = 0; k < INPUT; k++) input[k] = k * k * 77;
    gpu_array *p = gpu_array_of(g, program->numbers, program->length), *x = gpu_array_of(g, input, INPUT), *y, *sums;
    if (as_text)
        test_ok(gpu_spawn(g, s, text, GPU_ARG(p), GPU_ARG(x), GPU_GROUP(t, GPU_UINT, s.items),
                          GPU_RESULT(y, GPU_UINT, s.groups * s.items), GPU_RESULT(sums, GPU_UINT, s.groups)));
    else
        test_ok(gpu_spawn(g, s, interpret, GPU_ARG(p), GPU_ARG(x), GPU_GROUP(t, GPU_UINT, s.items),
                          GPU_RESULT(y, GPU_UINT, s.groups * s.items), GPU_RESULT(sums, GPU_UINT, s.groups)));
    test_ok(gpu_read(y, items));
    test_ok(gpu_read(sums, groups));
}

static void check_programs(bool as_text, bool checked)
{
    test_needs_opencl();
    if (checked) setenv("FIREPILE_CHECK", "1", 1);
    gpu *g = test_open_side(false), *host = test_open_side(true);
    uint64_t state = 20 + as_text + 2 * checked;
    for (int k = 0; k < 40; k++) {
        const program p = random_program(&state);
        gpu_scope *scope = gpu_scope_begin(g), *other = gpu_scope_begin(host);
        uint32_t there[2][9 * 33], here[2][9 * 33];
        run(g, &p, as_text, there[0], there[1]);
        run(host, &p, false, here[0], here[1]);
        cr_assert(!memcmp(there[0], here[0], p.space.groups * p.space.items * 4), "program %d: the items differ", k);
        cr_assert(!memcmp(there[1], here[1], p.space.groups * 4), "program %d: the groups differ", k);
        gpu_scope_end(other);
        gpu_scope_end(scope);
    }
    gpu_close(host);
    gpu_close(g);
}

Test(spawn_random, programs_give_the_same_on_both_sides)
{
    check_programs(false, false);
}

Test(spawn_random, programs_as_a_text)
{
    check_programs(true, false);
}

Test(spawn_random, programs_that_are_checked)
{
    check_programs(false, true);
}

/* ---- texts ---- */

/* Deletes characters, and swaps neighbours. */
static void mutate(char *text, uint64_t *state)
{
    for (uint64_t k = 1 + test_random(state) % 3; k > 0; k--) {
        const size_t length = strlen(text), at = test_random(state) % (length - 1);
        const char c = text[at];
        if (test_random(state) % 2) {
            memmove(text + at, text + at + 1, length - at);
        } else {
            text[at] = text[at + 1];
            text[at + 1] = c;
        }
    }
}

/* gpu_compile builds kernels and runs none: a wrong text may run for ever. */
static void check_texts(bool checked)
{
    static const char *const texts[] = {
        "{ t[item] = x[i % x_length]; sync(); /* all */ y[i] = t[(item + 1) % ITEMS] + k; }",
        "{ for (uint m = 0; m < 3; m++) { const int z = x[x[m] % 5]; if (z > 'a') y[i] = f(z, k); } return; }",
        "{ const int v[2] = {1, 2}; if (x[i % 4] != k) kept[atomic_inc(kept_count)] = v[0]; y[i] = 0; t[item] = 1; }"};
    if (checked) setenv("FIREPILE_CHECK", "1", 1);
    gpu *g = test_open();
    uint64_t state = 7 + checked;
    const int k = 4;
    for (int n = 0; n < 24; n++) {
        char text[256];
        strcpy(text, texts[n % 3]);
        mutate(text, &state);
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_array *x = gpu_symbol(g, GPU_INT), *y, *kept;
        gpu_status (*function)(gpu_array * *y, const gpu_array *x) = NULL;
        gpu_status status =
            gpu_spawn(g, ((gpu_space){.groups = 2, .items = 4}), text, GPU_ARG(x), GPU_ARG(k), GPU_GROUP(t, GPU_INT, 4),
                      GPU_ARG_OPERATOR(f, GPU_INT, "a + b"), GPU_RESULT(y, GPU_INT, 8), GPU_RESULT(kept, GPU_INT, 8),
                      GPU_RESULT_COUNT(kept, NULL));
        if (!status) status = gpu_compile(&function, y, x);
        cr_assert(!status || *gpu_error(), "%s", text);
        gpu_scope_end(scope);
    }
    test_close(g);
}

Test(spawn_random, damaged_texts_compile_or_are_explained)
{
    check_texts(false);
}

Test(spawn_random, texts_that_are_checked)
{
    check_texts(true);
}
