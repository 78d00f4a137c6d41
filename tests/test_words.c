/* What a text declares itself, and what it therefore means by its names. */
#include "support/support.h"

#include "base/memory.h"
#include "kernel/words.h"

#include <string.h>

GPU_STRUCT(two, float p; float q;);

/* K and L stand for names that definitions have too. */
typedef struct words_case {
    const char *text;
    const char *own; /* of each K and L, in order: 1 if the text declares what it means there, else 0 */
} words_case;

static const words_case products[] = {
    {"{ two t = {x * K, 1}; return t; }", "0"},
    {"{ two t[2] = {{x * K, 1}, {x * K, 2}}; return t[0]; }", "00"},
    {"{ float v[2] = {K * x, L * K}; return v[0]; }", "000"},
    {"{ for (int k = 0; k * K < x; k++) x += k; return x; }", "0"},
    {"{ for (; x * K < 3; x * K) ; return x; }", "00"},
    {"{ int k; for (k = 0; k * K < x; k * L) x += k; return x; }", "00"},
    {"{ while (x * K < 2) x++; return x * K; }", "00"},
    {"{ do x * K; while (x * K < 3); return x; }", "00"},
    {"{ x * K; return x; }", "0"},
    {"{ switch (x) { case 1: x * K; default: return x * K; } }", "00"},
    {"{ if (x) x * K; else x * L; return x; }", "00"},
    {"{ int two = 3; two * K; return two; }", "0"},
    {"x * K + (two){x * K, 1}.p", "00"},
    {"(float)x * K", "0"},
    {"(two *)q == &K", "0"},
    {"sizeof(two) * K + sizeof(float) * K", "00"},
    {"x < 2 ? x * K : L", "00"},
};

static const words_case declarators[] = {
    {"{ int K = 1; return K; }", "11"},
    {"{ int a = K, b = a * K; return b; }", "00"},
    {"{ int a = L, K = a * L; return K; }", "0101"},
    {"{ int a = f(K, L), K, *L; return K + *L; }", "001111"},
    {"{ const int K = 2; return K; }", "11"},
    {"{ int const *K = q; return *K; }", "11"},
    {"{ const __global float *K = q, *const L = K; return L[0]; }", "1111"},
    {"{ two K = {1, 2}; return K.p; }", "11"},
    {"{ two *K = q; return K->p; }", "11"},
    {"{ struct two *K = q; return K->p; }", "11"},
    {"{ struct two K; return K.p; }", "11"},
    {"{ unsigned K = 3; return K; }", "11"},
    {"{ unsigned long int K = 3; return K; }", "11"},
    {"{ long long K = 3; return K; }", "11"},
    {"{ signed K; return K; }", "11"},
    {"{ float4 K = 0, *L = &K; return L->x; }", "1111"},
    {"{ gpu_float4 K; return K.x; }", "11"},
    {"{ uint64_t *K; return *K; }", "11"},
    {"{ size_t K[4] = {K, L}; return K[0]; }", "1101"},
    {"{ float K[L], L[2]; return K[0] + L[0]; }", "10111"},
    {"{ float (*K)[4] = q; return (*K)[0]; }", "11"},
    {"{ float (*K)(float L) = f; return K(L); }", "1110"},
    {"{ cl_mem_fence_flags K = 1; some_type L = 2; return K + L; }", "1111"},
    {"{ typedef float real; real *K = q; return *K; }", "11"},
    {"{ typedef float real; real K = 1; return K; }", "11"},
    {"{ typedef float K; K L = 1; return (K)2 + L; }", "11111"},
    {"{ typeof(K) K = L; return K; }", "0101"},
    {"{ float K __attribute__((aligned(L))) = 1; return K; }", "101"},
    {"{ static const float K[] = {1, 2}; return K[0]; }", "11"},
    {"{ image2d_array_t *K; return 0; }", "1"},
};

static const words_case structs[] = {
    {"{ struct { float K; int L[2]; } s = {K, L}; return s.K; }", "11000"},
    {"{ struct K { float p; }; struct K s; return K; }", "110"},
    {"{ union K { float p; int L; } s; return s.p + K; }", "110"},
    {"{ enum { K = L, M }; return K; }", "101"},
    {"(struct { float K; }){L}.K", "100"},
};

static const words_case scopes[] = {
    {"{ { int K = 1; x += K; } return x * K; }", "110"},
    {"{ x = K; int K = 2; return K; }", "011"},
    {"{ int K = K; return K; }", "111"},
    {"{ for (int K = 0; K < 3; K++) x += K; return K; }", "11110"},
    {"{ for (int K = 0, L = 1; K < 3; K++) { x += L; } return K + L; }", "1111100"},
    {"{ for (int K = 0; K < 3; K++) if (K) x++; else x += K; return K; }", "111110"},
    {"{ if (x) for (int K = 0; K < 3; K++) x++; else x += K; return K; }", "11100"},
    {"{ if (x) { int K; K = 1; } else if (K) { float K; K = 2; } else x = K; return K; }", "1101100"},
    {"{ while (K) { int K = 1; x -= K; } return K; }", "0110"},
    {"{ switch (x) { case K: { int K = 1; return K; } default: return K; } }", "0110"},
    {"{ int K = 1; { float K = 2; { K++; } } return K; }", "1111"},
    {"x + ({ int K = 2; K * 3; }) + K", "110"},
    {"{ do { int K = 1; x -= K; } while (K); return K; }", "1100"},
};

static const words_case places[] = {
    {"{ goto K; K: x++; return K; }", "110"},
    {"{ K: L: x = 3; goto L; return K; }", "1110"},
    {"{ switch (x) { case K ? L : 3: return K; case L: case K: return 2; } }", "00000"},
    {"{ two t = {.p = K}; t.K = 1; q->K = L; return t.p; }", "0000"},
    {"{ return K(x) + f(L); }", "00"},
    {"{ float K = 1; return K(x) + K; }", "111"},
    {"x /* int K */ + K // int K", "0"},
    {"{ __attribute__((opencl_unroll_hint(K))) for (int L = 0; L < K; L++) x++; return x; }", "01101"},
    {"{ _Pragma(\"unroll\") for (int L = 0; L < K; L++) x++; return L; }", "11010"},
};

static const words_case malformed[] = {
    {"{ int K = ; ; ) } K", "10"}, {"} K { ( int L", "00"}, {"{ struct { int K", "1"},
    {"{ for (int K", "1"},         {"{ int K[ = (3", "1"},  {"{ case K", "0"},
};

static const words_case parameters[] = {
    {"(float K, two L)", "11"},
    {"(two *K, const two *const L)", "11"},
    {"(unknown K, unknown *L)", "11"},
    {"(float (*K)(float L), int L[K])", "1111"},
    {"(float K[4], int n, struct two L)", "11"},
    {"(GPU_GLOBAL const float *K, unsigned long L)", "11"},
    {"(void)", ""},
    {"()", ""},
    {"(float, K *)", "0"},
};

static void check(const words_case *c, fp_text_kind kind)
{
    fp_words words;
    char got[32];
    size_t count = 0;
    cr_assert(fp_words_find(c->text, kind, GPU_TYPE(two)->unit, &words));
    for (size_t k = 0; k < words.count; k++) {
        const fp_word *w = &words.list[k];
        if (w->length == 1 && strchr("KL", c->text[w->offset])) got[count++] = w->own ? '1' : '0';
    }
    got[count] = '\0';
    cr_expect_str_eq(got, c->own, "%s: %s, wanted %s", c->text, got, c->own);
    fp_free(words.list);
}

#define CHECK(cases, kind)                                                                                             \
    for (size_t k = 0; k < COUNT_OF(cases); k++) check(&(cases)[k], kind)

Test(words, a_product_declares_nothing)
{
    CHECK(products, FP_TEXT_CODE);
}

Test(words, a_declarator_declares_its_name_from_there_on)
{
    CHECK(declarators, FP_TEXT_CODE);
}

Test(words, members_and_enumerators_are_declared_where_c_declares_them)
{
    CHECK(structs, FP_TEXT_CODE);
}

Test(words, a_declaration_ends_with_its_scope)
{
    CHECK(scopes, FP_TEXT_CODE);
}

Test(words, labels_members_and_calls_mean_what_they_mean_in_c)
{
    CHECK(places, FP_TEXT_CODE);
}

Test(words, the_search_ends_in_a_text_that_is_no_c)
{
    CHECK(malformed, FP_TEXT_CODE);
}

Test(words, parameters_declare_their_names)
{
    CHECK(parameters, FP_TEXT_PARAMETERS);
}
