#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/definition.h"
#include "kernel/layout.h"
#include "kernel/lex.h"
#include "kernel/type.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* Note [expressions on the host]: a text of operands, the index, numbers, captured values and constants with the
 * operators of C is computed term by term: a loop of FP_BLOCK elements for each. Operands and captured values are
 * scalars, or scalar members of structs and vectors. A struct as a result is written (name){...}, and each of its
 * members is a scalar. The types of the terms are those of OpenCL C, so the results have a device's bits. Any other
 * text is unknown: it calls a function, computes with vectors, or would not compile. */

/* Parentheses and prefixes in each other. */
enum { MOST_DEPTH = 64 };

typedef struct parser {
    const fp_applied *applied;
    fp_expression *out;
    const char *text;
    fp_token t;
    unsigned depth;
    bool unknown; /* the text is none of these expressions */
} parser;

/* ---- terms ---- */

static unsigned give_up(parser *p)
{
    p->unknown = true;
    return 0;
}

static unsigned add(parser *p, const fp_term *term)
{
    if (p->out->count == FP_MOST_TERMS) return give_up(p);
    p->out->exactness.doubles |= term->type == GPU_DOUBLE;
    p->out->terms[p->out->count] = *term;
    return p->out->count++;
}

static unsigned add_constant(parser *p, gpu_type type, const void *value)
{
    fp_term term = {.kind = FP_TERM_CONSTANT, .type = type};
    memcpy(term.bytes, value, type->size);
    return add(p, &term);
}

static gpu_type type_of(const parser *p, unsigned v)
{
    return p->out->terms[v].type;
}

/* C and OpenCL C leave open how a floating number becomes an integer that cannot hold it. */
static unsigned convert(parser *p, unsigned v, gpu_type to)
{
    fp_term *term = &p->out->terms[v];
    const gpu_type from = term->type;
    if (from == to) return v;
    if (from->kind == GPU_KIND_FLOATING && to->kind != GPU_KIND_FLOATING && to != &fp_type_bool)
        p->out->exactness.exact = false;
    if (term->kind != FP_TERM_CONSTANT)
        return add(p, &(fp_term){FP_TERM_CONVERT, to, {v}, .convert = fp_conversion_of(from, to)});
    fp_term converted = {.kind = FP_TERM_CONSTANT, .type = to};
    fp_convert(from, term->bytes, to, converted.bytes);
    *term = converted;
    return v;
}

/* Both operands have the type. Comparisons give ints. */
static unsigned compute(parser *p, fp_computation computation, unsigned a, unsigned b)
{
    const gpu_type type = type_of(p, a);
    const bool compares = computation >= FP_COMPUTE_LESS && computation <= FP_COMPUTE_DIFFERENT;
    fp_compute *does = fp_compute_of(computation, type);
    if (!does) return give_up(p);
    return add(p, &(fp_term){FP_TERM_COMPUTE, compares ? GPU_INT : type, {a, b}, compares, .compute = does});
}

/* 0 or 1, as an int. */
static unsigned flag(parser *p, unsigned v)
{
    return p->out->terms[v].is_flag ? v : convert(p, convert(p, v, &fp_type_bool), GPU_INT);
}

static unsigned promote(parser *p, unsigned v)
{
    return convert(p, v, fp_type_promoted(type_of(p, v)));
}

static unsigned is_zero(parser *p, unsigned v)
{
    const unsigned a = promote(p, v), zero = add_constant(p, GPU_INT, &(int){0});
    if (p->unknown) return 0;
    return compute(p, FP_COMPUTE_EQUAL, a, convert(p, zero, type_of(p, a)));
}

/* Devices and hosts divide integers by zero, and the least one by -1, in ways of their own. */
static bool is_safe_divisor(const fp_term *term)
{
    int64_t value = 0;
    if (term->kind == FP_TERM_CONSTANT) fp_convert(term->type, term->bytes, GPU_LONG, &value);
    return value != 0 && value != -1;
}

static void note_division(parser *p, gpu_type type, unsigned by)
{
    fp_exactness *e = &p->out->exactness;
    if (type->kind == GPU_KIND_FLOATING) e->divides = true;
    if (type->kind != GPU_KIND_FLOATING && !is_safe_divisor(&p->out->terms[by])) e->exact = false;
}

/* ---- numbers ---- */

enum { MOST_DIGITS = 60 };

static bool is_suffix(const char *end, const char *suffix)
{
    return !strcasecmp(end, suffix);
}

static unsigned floating_number(parser *p, char *digits)
{
    char *point = strchr(digits, '.'), *end;
    if (point) *point = *localeconv()->decimal_point;
    const float single = strtof(digits, &end);
    if (is_suffix(end, "f")) return add_constant(p, GPU_FLOAT, &single);
    const double wide = strtod(digits, &end);
    return *end ? give_up(p) : add_constant(p, GPU_DOUBLE, &wide);
}

/* The first type of int, uint, long and ulong that holds the value. Only octal and hexadecimal numbers become unsigned
 * without a u. */
static unsigned whole_number(parser *p, const char *digits)
{
    char *end;
    errno = 0;
    const uint64_t value = strtoull(digits, &end, 0);
    const bool is_long = is_suffix(end, "l") || is_suffix(end, "ul") || is_suffix(end, "lu"),
               is_unsigned = is_suffix(end, "u") || is_suffix(end, "ul") || is_suffix(end, "lu"),
               may_be_unsigned = is_unsigned || digits[0] == '0';
    if (errno || (*end && !is_long && !is_unsigned)) return give_up(p);
    gpu_type type = is_unsigned ? GPU_ULONG : GPU_LONG;
    if (!is_long && value <= UINT32_MAX && may_be_unsigned) type = GPU_UINT;
    if (!is_long && value <= INT32_MAX && !is_unsigned) type = GPU_INT;
    if (value > INT64_MAX) type = may_be_unsigned ? GPU_ULONG : NULL;
    if (!type) return give_up(p);
    const unsigned v = add_constant(p, GPU_ULONG, &value);
    return p->unknown ? 0 : convert(p, v, type);
}

static unsigned number(parser *p)
{
    char digits[MOST_DIGITS];
    const fp_slice slice = fp_token_slice(p->text, p->t);
    if (slice.length >= sizeof digits) return give_up(p);
    memcpy(digits, slice.bytes, slice.length);
    digits[slice.length] = '\0';
    p->t = fp_next(p->text, p->t);
    const bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    return strpbrk(digits, hex ? "pP" : ".eE") ? floating_number(p, digits) : whole_number(p, digits);
}

/* ---- names ---- */

static bool passes(parser *p, const char *mark)
{
    const size_t length = strlen(mark);
    if (p->t.kind != FP_TOKEN_MARK || strncmp(p->text + p->t.offset, mark, length)) return false;
    p->t = fp_lex(p->text, p->t.offset + length);
    return true;
}

/* The user's definition that the word at this offset means; NULL: none. */
static const gpu_definition *meaning_at(const fp_snippet *snippet, size_t offset)
{
    for (size_t k = 0; k < snippet->words.count; k++)
        if (snippet->words.list[k].offset == offset) return snippet->meanings[k];
    return NULL;
}

/* The scalar or struct that a member is, and where it is in its struct. NULL: there is none, or it is an array. */
static gpu_type member_of_struct(const fp_layout *layout, fp_slice name, size_t *offset)
{
    const fp_member *m = layout->root.first;
    while (m && !(m->name.length == name.length && !memcmp(m->name.bytes, name.bytes, name.length))) m = m->next;
    if (!m || m->lengths.length) return NULL;
    *offset += m->offset;
    return m->type;
}

static gpu_type member_of_vector(gpu_type vector, fp_slice name, size_t *offset)
{
    static const char names[] = "xyzw";
    const char *at = name.length == 1 ? memchr(names, *name.bytes, sizeof names - 1) : NULL;
    if (!at || at - names >= vector->width) return NULL;
    *offset += (size_t)(at - names) * fp_type_scalar(vector)->size;
    return fp_type_scalar(vector);
}

static gpu_type member_of(gpu_type type, fp_slice name, size_t *offset)
{
    fp_layout *layout;
    if (type->kind != GPU_KIND_STRUCT) return member_of_vector(type, name, offset);
    if (fp_layout_parse(type, &layout)) return NULL;
    const gpu_type member = member_of_struct(layout, name, offset);
    fp_layout_free(layout);
    return member;
}

/* Goes from a value to the scalar that ".name.name" behind it means. NULL: that is none. */
static gpu_type members(parser *p, gpu_type type, size_t *offset)
{
    while (type && !fp_type_is_scalar(type)) {
        if (!passes(p, ".") || p->t.kind != FP_TOKEN_WORD) return NULL;
        type = member_of(type, fp_token_slice(p->text, p->t), offset);
        p->t = fp_next(p->text, p->t);
    }
    return type;
}

/* A value, or element 0 of an array of which the text reads nothing else. */
static unsigned captured(parser *p, const fp_captured *c)
{
    const bool element = c->pointed || (c->array && c->subscripted);
    size_t offset = 0;
    if (c->length) return add(p, &(fp_term){FP_TERM_ELEMENT, c->type, {0}, .captured = c});
    if (c->array && !element && !c->large) return give_up(p);
    for (int k = 0; k < 3 && element; k++) p->t = fp_next(p->text, p->t); /* [0] */
    const gpu_type type = members(p, c->type, &offset);
    if (!type) return give_up(p);
    if (!c->array) return add_constant(p, type, (const unsigned char *)c->bytes + offset);
    return add(p, &(fp_term){FP_TERM_ELEMENT, type, {0}, .offset = offset, .captured = c});
}

/* The number of the operand of this name; FP_INPUTS: there is none. */
static unsigned find_operand(const fp_applied *a, const char *word, size_t length)
{
    const char *const *names = fp_operand_names(a->op->keyed, a->combines);
    for (unsigned k = 0; k < a->operands && !a->around; k++)
        if (fp_is_named(word, length, names[k])) return k;
    return FP_INPUTS;
}

static unsigned operand(parser *p, unsigned k)
{
    const gpu_type whole = p->applied->types[k];
    size_t offset = 0;
    const gpu_type type = members(p, whole, &offset);
    const fp_term_kind kind = type == whole ? FP_TERM_OPERAND : FP_TERM_MEMBER;
    return type ? add(p, &(fp_term){.kind = kind, .type = type, .in = {k}, .offset = offset}) : give_up(p);
}

/* A number with or without a sign. */
static ptrdiff_t distance(parser *p)
{
    const bool minus = passes(p, "-");
    if (!minus) passes(p, "+");
    const fp_token t = p->t;
    if (t.kind != FP_TOKEN_NUMBER) return give_up(p);
    char *end;
    const long away = strtol(p->text + t.offset, &end, 0);
    if (end != p->text + t.offset + t.length) return give_up(p);
    p->t = fp_next(p->text, t);
    return minus ? -away : away;
}

/* "(-1)" behind the `at` of a stencil's text; in a matrix "(0, -1)". */
static unsigned neighbour(parser *p)
{
    const fp_applied *a = p->applied;
    if (!fp_type_is_scalar(a->types[0]) || !passes(p, "(")) return give_up(p);
    const ptrdiff_t down = a->op->placed ? distance(p) : 0;
    if (p->unknown || (a->op->placed && !passes(p, ","))) return give_up(p);
    const ptrdiff_t away = down * (ptrdiff_t)a->line + distance(p);
    if (p->unknown || !passes(p, ")")) return give_up(p);
    return add(p, &(fp_term){FP_TERM_NEIGHBOUR, a->types[0], {0}, .away = away});
}

/* Captured values come before operands, and these before definitions, as in kernels. */
static unsigned name(parser *p)
{
    const size_t offset = p->t.offset, length = p->t.length;
    const char *word = p->text + offset;
    const fp_captured *c = fp_operator_captured(p->applied->op, word, length);
    p->t = fp_next(p->text, p->t);
    if (c) return captured(p, c);
    if (p->applied->around && fp_is_named(word, length, "at")) return neighbour(p);
    const unsigned k = find_operand(p->applied, word, length);
    if (k < FP_INPUTS) return operand(p, k);
    const fp_place_name place = fp_place_named(p->applied->op->placed, word, length);
    if (!p->applied->combines && place < FP_PLACES)
        return add(p, &(fp_term){.kind = FP_TERM_PLACE, .type = GPU_ULONG, .place = place});
    if (length == 1 && strchr("xyziab", *word)) return give_up(p);
    const gpu_definition *d = meaning_at(p->applied->op->snippet, offset);
    if (!d || d->kind != GPU_DEFINES_CONSTANT || !d->type || !fp_type_is_scalar(d->type)) return give_up(p);
    return add_constant(p, d->type, d->value);
}

/* ---- operators ---- */

static unsigned conditional(parser *p);

/* The type in parentheses; NULL if none is there. */
static gpu_type cast(parser *p)
{
    const fp_token first = fp_next(p->text, p->t);
    fp_token t = first;
    size_t end = first.offset, longs = 0;
    for (; t.kind == FP_TOKEN_WORD; t = fp_next(p->text, t)) {
        if (meaning_at(p->applied->op->snippet, t.offset)) return NULL;
        longs += fp_token_is_word(p->text, t, "long");
        end = t.offset + t.length;
    }
    if (!fp_token_is(p->text, t, ')') || longs > 1) return NULL;
    const fp_slice words = {p->text + first.offset, end - first.offset};
    const gpu_type type = fp_slice_is(words, "bool") ? &fp_type_bool : fp_type_named(words.bytes, words.length);
    if (!type || !fp_type_is_scalar(type)) return NULL;
    p->t = fp_next(p->text, t);
    return type;
}

static unsigned unary(parser *p);

/* Of an expression in parentheses, or of a cast. */
static unsigned parenthesis(parser *p)
{
    const gpu_type type = cast(p);
    if (type) {
        const unsigned v = unary(p);
        return p->unknown ? 0 : convert(p, v, type);
    }
    passes(p, "(");
    const unsigned v = conditional(p);
    return passes(p, ")") ? v : give_up(p);
}

static unsigned prefixed(parser *p, char mark)
{
    const unsigned v = unary(p);
    if (p->unknown) return 0;
    if (mark == '!') return is_zero(p, v);
    const unsigned a = promote(p, v);
    if (p->unknown || mark == '+') return a;
    return compute(p, mark == '-' ? FP_COMPUTE_NEGATE : FP_COMPUTE_INVERT, a, a);
}

/* ++ and -- are other tokens. */
static bool is_doubled(const parser *p)
{
    const char *at = p->text + p->t.offset;
    return fp_token_in(p->text, p->t, "+-") && at[0] == at[1];
}

static unsigned unary(parser *p)
{
    const char mark = p->text[p->t.offset];
    if (p->unknown || p->depth == MOST_DEPTH || is_doubled(p)) return give_up(p);
    if (p->t.kind == FP_TOKEN_NUMBER) return number(p);
    if (p->t.kind == FP_TOKEN_WORD) return name(p);
    if (!fp_token_in(p->text, p->t, "(+-~!")) return give_up(p);
    p->depth++;
    if (mark != '(') p->t = fp_next(p->text, p->t);
    const unsigned v = mark == '(' ? parenthesis(p) : prefixed(p, mark);
    p->depth--;
    return v;
}

/* Longer marks come before those that they begin with. */
static const struct binary {
    const char *mark;
    unsigned level;
    fp_computation computation;
} binaries[] = {{"||", 1, FP_COMPUTE_OR},         {"&&", 2, FP_COMPUTE_AND},         {"|", 3, FP_COMPUTE_OR},
                {"^", 4, FP_COMPUTE_XOR},         {"&", 5, FP_COMPUTE_AND},          {"==", 6, FP_COMPUTE_EQUAL},
                {"!=", 6, FP_COMPUTE_DIFFERENT},  {"<=", 7, FP_COMPUTE_AT_MOST},     {">=", 7, FP_COMPUTE_AT_LEAST},
                {"<<", 8, FP_COMPUTE_SHIFT_LEFT}, {">>", 8, FP_COMPUTE_SHIFT_RIGHT}, {"<", 7, FP_COMPUTE_LESS},
                {">", 7, FP_COMPUTE_GREATER},     {"+", 9, FP_COMPUTE_ADD},          {"-", 9, FP_COMPUTE_SUBTRACT},
                {"*", 10, FP_COMPUTE_MULTIPLY},   {"/", 10, FP_COMPUTE_DIVIDE},      {"%", 10, FP_COMPUTE_REMAINDER}};

static const struct binary *binary_at(const parser *p)
{
    if (p->t.kind != FP_TOKEN_MARK || is_doubled(p)) return NULL;
    for (size_t k = 0; k < sizeof binaries / sizeof *binaries; k++)
        if (!strncmp(p->text + p->t.offset, binaries[k].mark, strlen(binaries[k].mark))) return &binaries[k];
    return NULL;
}

/* Both sides are computed, since neither has an effect. */
static unsigned combine_flags(parser *p, const struct binary *b, unsigned left, unsigned right)
{
    if (p->unknown) return 0;
    const unsigned v = compute(p, b->computation, left, right);
    p->out->terms[v].is_flag = true;
    return v;
}

static unsigned combine(parser *p, const struct binary *b, unsigned left, unsigned right)
{
    const bool shifts = b->level == 8;
    gpu_type type = fp_type_common(type_of(p, left), type_of(p, right));
    if (b->level <= 2) return combine_flags(p, b, flag(p, left), flag(p, right));
    if (shifts && type->kind == GPU_KIND_FLOATING) return give_up(p);
    if (shifts) type = fp_type_promoted(type_of(p, left));
    left = convert(p, left, type);
    right = convert(p, right, type);
    if (p->unknown) return 0;
    if (b->computation == FP_COMPUTE_DIVIDE || b->computation == FP_COMPUTE_REMAINDER) note_division(p, type, right);
    return compute(p, b->computation, left, right);
}

/* Operators of at least this level. */
static unsigned binary(parser *p, unsigned level)
{
    unsigned left = unary(p);
    for (const struct binary *b = binary_at(p); b && b->level >= level && !p->unknown; b = binary_at(p)) {
        passes(p, b->mark);
        const unsigned right = binary(p, b->level + 1);
        if (!p->unknown) left = combine(p, b, left, right);
    }
    return left;
}

/* OpenCL C allows no floating condition. */
static unsigned choose(parser *p, unsigned which, unsigned a, unsigned b)
{
    if (type_of(p, which)->kind == GPU_KIND_FLOATING) return give_up(p);
    const gpu_type type = fp_type_common(type_of(p, a), type_of(p, b));
    which = convert(p, which, &fp_type_bool);
    a = convert(p, a, type);
    b = convert(p, b, type);
    return add(p, &(fp_term){.kind = FP_TERM_CHOOSE, .type = type, .in = {which, a, b}});
}

static unsigned conditional(parser *p)
{
    const unsigned which = binary(p, 1);
    if (p->unknown || !passes(p, "?")) return which;
    const unsigned a = conditional(p);
    if (!passes(p, ":")) return give_up(p);
    const unsigned b = conditional(p);
    return p->unknown ? 0 : choose(p, which, a, b);
}

/* The value as the result's type. */
static void finish(parser *p, unsigned v)
{
    const fp_applied *a = p->applied;
    if (p->unknown) return;
    if (a->op->predicate) v = a->op->negated ? is_zero(p, v) : flag(p, v);
    if (!p->unknown) v = convert(p, v, a->result);
    const bool moves = v + 1 < p->out->count || p->out->terms[v].kind < FP_TERM_CONVERT;
    if (moves && !p->unknown)
        add(p, &(fp_term){FP_TERM_CONVERT, a->result, {v}, .convert = fp_conversion_of(a->result, a->result)});
}

/* "(name)" of the result's type. */
static bool names_result(parser *p)
{
    if (!passes(p, "(")) return false;
    const gpu_definition *d = p->t.kind == FP_TOKEN_WORD ? meaning_at(p->applied->op->snippet, p->t.offset) : NULL;
    if (!d || d->kind != GPU_DEFINES_STRUCT || !gpu_type_equal(d->type, p->applied->result)) return false;
    p->t = fp_next(p->text, p->t);
    return passes(p, ")");
}

/* The value of one member. */
static void initialise(parser *p, const fp_member *m)
{
    fp_expression *x = p->out;
    const bool is_scalar = m && m->type && fp_type_is_scalar(m->type) && !m->lengths.length;
    const unsigned v = is_scalar && x->member_count < FP_MOST_MEMBERS ? conditional(p) : give_up(p);
    if (p->unknown) return;
    x->members[x->member_count++] = (fp_stored){convert(p, v, m->type), m->offset};
}

/* "(name){value, value}": members without a value are zero. */
static void construct(parser *p)
{
    fp_layout *layout;
    if (!names_result(p) || !passes(p, "{") || fp_layout_parse(p->applied->result, &layout)) {
        give_up(p);
        return;
    }
    const fp_member *m = layout->root.first;
    initialise(p, m);
    while (!p->unknown && passes(p, ",")) initialise(p, m = m->next);
    if (!passes(p, "}")) give_up(p);
    fp_layout_free(layout);
}

bool fp_expression_find(const fp_applied *a, fp_expression *out)
{
    const fp_snippet *snippet = a->op->snippet;
    parser p = {.applied = a, .out = out, .text = snippet->text};
    if (snippet->function || snippet->body || a->result->width > 1) return false;
    out->count = out->member_count = 0;
    out->exactness = (fp_exactness){.exact = true};
    p.t = fp_lex(p.text, 0);
    if (a->result->kind == GPU_KIND_STRUCT)
        construct(&p);
    else
        finish(&p, conditional(&p));
    return !p.unknown && p.t.kind == FP_TOKEN_END;
}

/* ---- computing ---- */

/* The room of a term. */
enum { ROOM = FP_BLOCK * sizeof(uint64_t) };

static void fill(const void *value, size_t size, unsigned char *out)
{
    for (size_t e = 0; e < FP_BLOCK; e++) memcpy(out + e * size, value, size);
}

/* The terms' rooms and the expression are one block. */
gpu_status fp_expression_begin(fp_applied *a, const fp_expression *x)
{
    static const uint64_t none;
    a->slots = fp_alloc(x->count * ROOM + sizeof *x);
    if (!a->slots) return fp_fail_memory();
    a->expression = memcpy(a->slots + x->count * ROOM, x, sizeof *x);
    for (unsigned k = 0; k < x->count; k++) {
        const fp_term *t = &x->terms[k];
        const bool is_length = t->kind == FP_TERM_ELEMENT && t->captured->length;
        const uint64_t length = is_length ? fp_node_most(t->captured->array) : 0;
        const unsigned char *element =
            t->kind == FP_TERM_ELEMENT && !is_length ? fp_captured_memory(t->captured) : NULL;
        if (t->kind == FP_TERM_CONSTANT) fill(t->bytes, t->type->size, a->slots + k * ROOM);
        if (t->kind != FP_TERM_ELEMENT) continue;
        const void *value = is_length ? &length : element ? (const void *)(element + t->offset) : &none;
        fill(value, t->type->size, a->slots + k * ROOM);
    }
    return GPU_OK;
}

static void fill_places(const fp_operator *op, fp_place_name place, uint64_t first, size_t count, uint64_t *out)
{
    for (size_t e = 0; e < count; e++) out[e] = fp_operator_place(op, place, first + e);
}

/* Copies scalars that lie `from_stride` and `to_stride` bytes apart. */
static void copy_members(const unsigned char *from, size_t from_stride, unsigned char *to, size_t to_stride,
                         size_t size, size_t count)
{
    for (size_t e = 0; e < count; e++) fp_copy_element(to + e * to_stride, from + e * from_stride, size);
}

/* The bytes between members are zero. */
static void store_members(const fp_applied *a, const fp_stretch *s, const void *const *at)
{
    const fp_expression *x = a->expression;
    for (size_t e = 0; e < s->count; e++) memset(s->out + e * s->out_stride, 0, a->result->size);
    for (const fp_stored *m = x->members; m < x->members + x->member_count; m++) {
        const size_t size = x->terms[m->term].type->size;
        copy_members(at[m->term], size, s->out + m->offset, s->out_stride, size, s->count);
    }
}

/* Terms of a block: the last one becomes the result, or some are its members. */
static void compute_block(const fp_applied *a, const fp_stretch *s)
{
    const fp_expression *x = a->expression;
    const void *at[FP_MOST_TERMS];
    for (unsigned k = 0; k < x->count; k++) {
        const fp_term *t = &x->terms[k];
        const unsigned *in = t->in;
        void *out = k + 1 == x->count && !x->member_count ? s->out : a->slots + k * ROOM;
        at[k] = out;
        if (t->kind == FP_TERM_OPERAND) at[k] = s->in[in[0]];
        if (t->kind == FP_TERM_NEIGHBOUR) at[k] = s->in[0] + t->away * (ptrdiff_t)t->type->size;
        if (t->kind == FP_TERM_MEMBER)
            copy_members(s->in[in[0]] + t->offset, s->stride[in[0]], out, t->type->size, t->type->size, s->count);
        if (t->kind == FP_TERM_PLACE) fill_places(a->op, t->place, s->index, s->count, out);
        if (t->kind == FP_TERM_CONVERT) t->convert(at[in[0]], out, s->count);
        if (t->kind == FP_TERM_COMPUTE) t->compute(at[in[0]], at[in[1]], out, s->count);
        if (t->kind == FP_TERM_CHOOSE) fp_compute_choose(at[in[0]], at[in[1]], at[in[2]], t->type->size, out, s->count);
    }
    if (x->member_count) store_members(a, s, at);
}

void fp_expression_apply(const fp_applied *a, const fp_stretch *s)
{
    fp_apply_blocks(a, s, compute_block);
}
