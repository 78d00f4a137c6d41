#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/check.h"
#include "kernel/definition.h"
#include "kernel/layout.h"
#include "kernel/lex.h"
#include "kernel/type.h"

#include <stdlib.h>
#include <string.h>

/* Note [expressions on the host]: a text of operands, the index, numbers, captured values and constants with the
 * operators of C is computed term by term: a loop of FP_BLOCK elements for each. Operands and captured values are
 * scalars, or scalar members of structs and vectors. A struct as a result is written (name){...}, a vector (type)(...),
 * and each of its members is a scalar.
 *
 * Operators of vectors compute lane by lane. So an expression whose operands are vectors of the result's width is
 * computed as one of scalars, of as many elements as there are lanes. Other values are the same in all lanes. OpenCL C
 * converts no vector, and a scalar only if its type is no wider, so each operation has the type of its lanes.
 *
 * The types of the terms are those of OpenCL C, so the results have a device's bits. Any other
 * text is unknown: it calls a function, computes with vectors, or would not compile. If a mistake comes before anything
 * that the host does not know, `wrong` names it. */

/* Parentheses and prefixes in each other. */
enum { MOST_DEPTH = 64 };

typedef struct parser {
    const fp_applied *applied;
    fp_expression *out;
    const char *text;
    fp_token t;
    unsigned depth;
    unsigned width; /* of the vectors that it computes with, or 1 */
    bool unknown;   /* the text is none of these expressions */
} parser;

/* ---- terms ---- */

static unsigned give_up(parser *p)
{
    p->unknown = true;
    return 0;
}

/* No device would compile the text. */
static unsigned refuse(parser *p, fp_token t, const char *why)
{
    if (!p->unknown) p->out->wrong = why;
    if (!p->unknown) p->out->wrong_at = t.offset;
    return give_up(p);
}

/* The text goes on where an expression ends. */
static unsigned refuse_rest(parser *p)
{
    if (p->t.kind == FP_TOKEN_WORD || p->t.kind == FP_TOKEN_NUMBER)
        return refuse(p, p->t, "an operator is missing here");
    if (fp_token_is(p->text, p->t, ':')) return refuse(p, p->t, "no '?' belongs to this ':'");
    if (p->width > 1) return give_up(p);
    if (fp_token_is(p->text, p->t, '.')) return refuse(p, p->t, "a scalar has no members");
    if (fp_token_is(p->text, p->t, '[')) return refuse(p, p->t, "a scalar has no elements");
    return give_up(p);
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

static bool is_lane(const parser *p, unsigned v)
{
    return p->out->terms[v].is_lane;
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
        return add(
            p, &(fp_term){FP_TERM_CONVERT, to, {v}, .is_lane = term->is_lane, .convert = fp_conversion_of(from, to)});
    fp_term converted = {.kind = FP_TERM_CONSTANT, .type = to};
    fp_convert(from, term->bytes, to, converted.bytes);
    *term = converted;
    return v;
}

/* 0 or -1, as an integer of the lane's size. */
static unsigned compute(parser *p, fp_computation computation, unsigned a, unsigned b);
static unsigned mask(parser *p, unsigned flag, size_t size)
{
    const unsigned v = p->unknown ? 0 : convert(p, flag, size == sizeof(int64_t) ? GPU_LONG : GPU_INT);
    return p->unknown ? 0 : compute(p, FP_COMPUTE_NEGATE, v, v);
}

/* Both operands have the type. Comparisons of scalars give ints. */
static unsigned compute(parser *p, fp_computation computation, unsigned a, unsigned b)
{
    const gpu_type type = type_of(p, a);
    const bool compares = computation >= FP_COMPUTE_LESS && computation <= FP_COMPUTE_DIFFERENT;
    const bool lane = is_lane(p, a) || is_lane(p, b);
    fp_compute *does = fp_compute_of(computation, type);
    if (!does) return give_up(p);
    const unsigned v = add(p, &(fp_term){FP_TERM_COMPUTE,
                                         compares ? GPU_INT : type,
                                         {a, b},
                                         .is_flag = compares && !lane,
                                         .is_lane = lane,
                                         .compute = does});
    return compares && lane ? mask(p, v, type->size) : v;
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

static unsigned number(parser *p)
{
    const fp_token t = p->t;
    uint64_t value;
    bool wrong;
    const gpu_type type = fp_literal_value(fp_token_slice(p->text, t), &value, &wrong);
    p->t = fp_next(p->text, t);
    if (wrong) return refuse(p, t, "this is no number of OpenCL C");
    return type ? add_constant(p, type, &value) : give_up(p);
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

/* Goes from a value to the scalar that ".name.name" behind it means. NULL: that is none. */
static gpu_type members(parser *p, gpu_type type, size_t *offset)
{
    bool wrong;
    while (type && !fp_type_is_scalar(type)) {
        if (!passes(p, ".") || p->t.kind != FP_TOKEN_WORD) return NULL;
        const gpu_type member = fp_member_find(type, fp_token_slice(p->text, p->t), offset, &wrong);
        if (wrong) refuse(p, p->t, "the struct has no member of this name");
        type = member;
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
    if (p->width > 1 && whole->width == p->width && !fp_token_is(p->text, p->t, '.'))
        return add(p, &(fp_term){.kind = FP_TERM_OPERAND, .type = fp_type_scalar(whole), .in = {k}, .is_lane = true});
    if (p->width > 1) return give_up(p);
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

/* The name of no captured value, operand or definition. The host does not know all functions. */
static unsigned unnamed(parser *p, fp_token t)
{
    const char *word = p->text + t.offset;
    const bool is_known = fp_is_keyword(word, t.length) || fp_is_type_name(word, t.length) || !strncmp(word, "__", 2);
    if (is_known || fp_token_is(p->text, p->t, '(')) return give_up(p);
    return refuse(p, t, "undeclared identifier: capture a value with GPU_ARG, or define a GPU_CONSTANT");
}

/* Captured values come before operands, and these before definitions, as in kernels. */
static unsigned name(parser *p)
{
    const fp_token t = p->t;
    const size_t offset = t.offset, length = t.length;
    const char *word = p->text + offset;
    const fp_captured *c = fp_operator_captured(p->applied->op, word, length);
    p->t = fp_next(p->text, p->t);
    if (c) return captured(p, c);
    if (p->applied->around && fp_is_named(word, length, "at")) return neighbour(p);
    const unsigned k = find_operand(p->applied, word, length);
    if (k < FP_INPUTS) return operand(p, k);
    const fp_place_name place = fp_place_named(p->applied->op->placed, word, length);
    if (!p->applied->combines && place < FP_PLACES && p->width == 1)
        return add(p, &(fp_term){.kind = FP_TERM_PLACE, .type = GPU_ULONG, .place = place});
    if (length == 1 && strchr("xyziab", *word)) return give_up(p);
    const gpu_definition *d = meaning_at(p->applied->op->snippet, offset);
    if (!d) return unnamed(p, t);
    if (d->kind != GPU_DEFINES_CONSTANT || !d->type || !fp_type_is_scalar(d->type)) return give_up(p);
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
        return p->unknown || is_lane(p, v) ? give_up(p) : convert(p, v, type);
    }
    passes(p, "(");
    const unsigned v = conditional(p);
    return passes(p, ")") ? v : refuse_rest(p);
}

static unsigned prefixed(parser *p, char mark)
{
    const unsigned v = unary(p);
    if (p->unknown) return 0;
    if (mark == '!') return is_lane(p, v) ? give_up(p) : is_zero(p, v);
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

/* Is it the end of an assignment, as in "+=", or of "->"? */
static bool ends_operator(const parser *p)
{
    const char before = p->t.offset ? p->text[p->t.offset - 1] : ' ';
    return fp_token_is(p->text, p->t, '=') ? strchr("+-*/%&|^<>", before) != NULL
                                           : fp_token_is(p->text, p->t, '>') && before == '-';
}

/* No value begins here that the host knows. */
static unsigned refuse_value(parser *p)
{
    if (fp_token_is(p->text, p->t, '*') && p->t.offset && p->text[p->t.offset - 1] == '*')
        return refuse(p, p->t, "there is no operator **: write x * x, or pow in a GPU_FUNCTION");
    const bool is_other = p->t.kind == FP_TOKEN_QUOTED || fp_token_in(p->text, p->t, "*&{");
    if (is_other || ends_operator(p)) return give_up(p);
    return refuse(p, p->t, "a value is missing here");
}

static unsigned unary(parser *p)
{
    const char mark = p->text[p->t.offset];
    if (p->unknown || p->depth == MOST_DEPTH || is_doubled(p)) return give_up(p);
    if (p->t.kind == FP_TOKEN_NUMBER) return number(p);
    if (p->t.kind == FP_TOKEN_WORD) return name(p);
    if (!fp_token_in(p->text, p->t, "(+-~!")) return refuse_value(p);
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

/* Bits and remainders are those of integers. */
static bool is_of_integers(const struct binary *b)
{
    return (b->level >= 3 && b->level <= 5) || b->level == 8 || b->computation == FP_COMPUTE_REMAINDER;
}

/* Can an operation of this type have both operands, of which one is a lane? */
static bool lanes_fit(const parser *p, const struct binary *b, gpu_type type, unsigned left, unsigned right)
{
    const bool both = is_lane(p, left) && is_lane(p, right);
    if (b->level <= 2 || (b->level == 8 && !is_lane(p, left))) return false;
    return type == type_of(p, is_lane(p, left) ? left : right) && (!both || type_of(p, left) == type_of(p, right));
}

/* `t` is the operator in the text. */
static unsigned combine(parser *p, const struct binary *b, fp_token t, unsigned left, unsigned right)
{
    const bool shifts = b->level == 8;
    gpu_type type = fp_type_common(type_of(p, left), type_of(p, right));
    if ((is_lane(p, left) || is_lane(p, right)) && !lanes_fit(p, b, type, left, right)) return give_up(p);
    if (b->level <= 2) return combine_flags(p, b, flag(p, left), flag(p, right));
    if (is_of_integers(b) && type->kind == GPU_KIND_FLOATING)
        return refuse(p, t, "floating numbers have no such operator");
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
        const fp_token t = p->t;
        passes(p, b->mark);
        const unsigned right = binary(p, b->level + 1);
        if (!p->unknown) left = combine(p, b, t, left, right);
    }
    return left;
}

/* `t` is the '?'. */
static unsigned choose(parser *p, fp_token t, unsigned which, unsigned a, unsigned b)
{
    if (is_lane(p, which) || is_lane(p, a) || is_lane(p, b)) return give_up(p);
    if (type_of(p, which)->kind == GPU_KIND_FLOATING)
        return refuse(p, t, "OpenCL C has no floating conditions: compare the number, x != 0");
    const gpu_type type = fp_type_common(type_of(p, a), type_of(p, b));
    which = convert(p, which, &fp_type_bool);
    a = convert(p, a, type);
    b = convert(p, b, type);
    return add(p, &(fp_term){.kind = FP_TERM_CHOOSE, .type = type, .in = {which, a, b}});
}

static unsigned conditional(parser *p)
{
    const unsigned which = binary(p, 1);
    const fp_token t = p->t;
    if (p->unknown || !passes(p, "?")) return which;
    const unsigned a = conditional(p);
    if (p->t.kind == FP_TOKEN_END || fp_token_is(p->text, p->t, ')'))
        return refuse(p, p->t, "a ':' is missing here, which belongs to the '?'");
    if (!passes(p, ":")) return refuse_rest(p);
    const unsigned b = conditional(p);
    return p->unknown ? 0 : choose(p, t, which, a, b);
}

/* The value as the result's type. */
static void finish(parser *p, unsigned v)
{
    const fp_applied *a = p->applied;
    const gpu_type result = fp_type_scalar(a->result);
    if (!p->unknown && p->width > 1 && (!is_lane(p, v) || type_of(p, v) != result)) give_up(p);
    if (p->unknown) return;
    if (a->op->predicate) v = a->op->negated ? is_zero(p, v) : flag(p, v);
    if (!p->unknown) v = convert(p, v, result);
    const bool moves = v + 1 < p->out->count || p->out->terms[v].kind < FP_TERM_CONVERT;
    if (moves && !p->unknown)
        add(p, &(fp_term){FP_TERM_CONVERT, result, {v}, .convert = fp_conversion_of(result, result)});
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
static void store(parser *p, unsigned v, gpu_type type, size_t offset)
{
    fp_expression *x = p->out;
    if (x->member_count == FP_MOST_MEMBERS) give_up(p);
    if (!p->unknown) x->members[x->member_count++] = (fp_stored){convert(p, v, type), offset};
}

static void initialise(parser *p, const fp_member *m)
{
    const bool is_scalar = m && m->type && fp_type_is_scalar(m->type) && !m->lengths.length;
    const unsigned v = is_scalar ? conditional(p) : give_up(p);
    if (!p->unknown) store(p, v, m->type, m->offset);
}

/* "(float2)" of the result's type, and a bracket. */
static bool begins_vector(parser *p)
{
    const fp_token begin = p->t;
    const bool names = p->applied->result->width > 1 && passes(p, "(") && p->t.kind == FP_TOKEN_WORD &&
                       fp_type_named(p->text + p->t.offset, p->t.length) == p->applied->result;
    if (names) p->t = fp_next(p->text, p->t);
    if (names && passes(p, ")") && passes(p, "(")) return true;
    p->t = begin;
    return false;
}

/* "value, value)": one for each lane, or one for all. */
static void construct_vector(parser *p)
{
    const gpu_type type = fp_type_scalar(p->applied->result);
    const unsigned width = p->applied->result->width;
    unsigned v = conditional(p), count = 1;
    store(p, v, type, 0);
    for (; count < width && !p->unknown && passes(p, ","); count++) store(p, conditional(p), type, count * type->size);
    if (count > 1 && count < width) give_up(p);
    for (; count < width; count++) store(p, v, type, count * type->size);
    if (!p->unknown && !passes(p, ")")) give_up(p);
}

/* A vector that operators compute, lane by lane, in a type that C computes in. */
static void compute_vector(parser *p)
{
    const gpu_type type = fp_type_scalar(p->applied->result);
    p->width = p->applied->result->width;
    if (fp_type_promoted(type) != type)
        give_up(p);
    else
        finish(p, conditional(p));
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
    parser p = {.applied = a, .out = out, .text = snippet->text, .width = 1};
    out->wrong = NULL;
    if (snippet->function || snippet->body) return false;
    out->count = out->member_count = 0;
    out->exactness = (fp_exactness){.exact = true};
    p.t = fp_lex(p.text, 0);
    if (a->result->kind == GPU_KIND_STRUCT)
        construct(&p);
    else if (begins_vector(&p))
        construct_vector(&p);
    else if (a->result->width > 1)
        compute_vector(&p);
    else
        finish(&p, conditional(&p));
    if (!p.unknown && p.t.kind != FP_TOKEN_END) refuse_rest(&p);
    return !p.unknown;
}
