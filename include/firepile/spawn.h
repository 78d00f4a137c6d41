/** Spawn: kernels of your own, for what no operation does.
 *
 * gpu_spawn runs a text in OpenCL C, or a GPU_KERNEL, once for each work-item of a space: `groups` work-groups of
 * `items` work-items. The items of a group share local memory and wait for each other at a barrier. The text is a body
 * in braces, without a return value. Names in it, beside those of captures and helpers (firepile/operator.h):
 *
 *     group, item   the work-group and the item in it, uints      GROUPS, ITEMS   their numbers
 *     i             group * ITEMS + item, a ulong
 *     x_length      the number of elements of x, a ulong: of an array, a result or local memory
 *     sync();       a barrier of the group, for local and global memory. Every item of the group must reach it
 *
 * In a space of two dimensions also
 *
 *     row, column               the place of the item, ulongs
 *     item_row, item_column     the place in its group, uints
 *     ITEM_ROWS, ITEM_COLUMNS   the rows and columns of a group
 *
 * Items beyond the data are the text's to skip: `if (i < x_length)`. Captures may also be called x, y, z, a or b here.
 * Variables in the outermost block have other names than captures and the names above.
 *
 * Parts     GPU_ARG and its kin        a value, or an array that the kernel reads. A delayed array that is only read as
 *                                      name[i] is fused into the kernel; others are computed first
 *           GPU_GROUP                  local memory of each group, undefined at first
 *           GPU_RESULT                 a new array, undefined at first
 *           GPU_RESULT_FROM            a new array that starts as a copy of another one
 *           GPU_RESULT_COUNT           a counter in the kernel, which shortens a result
 *           GPU_ARG_OPERATOR           an operator that the kernel calls
 *           No part is an array that exists already, so a kernel overwrites nothing that others need. At most
 *           GPU_SPAWN_RESULTS arrays are made, counts included.
 * Cost      one launch, and one for each GPU_RESULT_FROM, which computes a delayed array straight into the result.
 *           Nothing is waited for.
 * Owner     results are new arrays of the current scope.
 * Errors    in the status and in all results: GPU_E_ARGUMENT (a space or local memory that the device does not have,
 *           parts), GPU_E_SNIPPET (the text), GPU_E_TYPE, GPU_E_MEMORY, an input's failure, GPU_E_DEVICE (the host
 *           device runs no texts, only GPU_KERNELs). In the results alone, by a later wait: GPU_E_RANGE (a count,
 *           or a subscript with FIREPILE_CHECK=1).
 * Checks    FIREPILE_CHECK=1 checks subscripts `name[...]` in the text. It does not check those of pointers that the
 *           text makes of a name, nor those in a GPU_FUNCTION that the text gives a name. docs/debugging.md has more.
 *
 * Example
 *     gpu_space s = gpu_space_of(g, gpu_length(x));
 *     gpu_array *part;
 *     gpu_spawn(g, s, "{"
 *         "  data[item] = i < x_length ? x[i] : 0;"
 *         "  sync();"
 *         "  for (uint k = ITEMS / 2; k > 0; k >>= 1) {"
 *         "    if (item < k) data[item] = f(data[item], data[item + k]);"
 *         "    sync();"
 *         "  }"
 *         "  if (item == 0) part[group] = data[0];"
 *         "}", GPU_ARG(x), GPU_ARG_OPERATOR(f, GPU_FLOAT, "a + b"), GPU_GROUP(data, GPU_FLOAT, s.items),
 *         GPU_RESULT(part, GPU_FLOAT, s.groups));
 */
#ifndef FIREPILE_SPAWN_H
#define FIREPILE_SPAWN_H

#include <firepile/define.h>
#include <firepile/operator.h>

GPU_BEGIN_DECLS

/** Work-groups, and work-items of each. In two dimensions the groups form `group_rows` rows of equal length, and the
 * items of each group `item_rows`; both are 0 in one dimension. */
typedef struct gpu_space {
    size_t groups, items, group_rows, item_rows;
} gpu_space;

/** A space for n elements, one for each item: groups of a size that suits the device, a power of two, and as many as
 * cover n. There is one group at least. Its members are 0 for a NULL gpu, and gpu_spawn then says why. */
GPU_API gpu_space gpu_space_of(gpu *g, size_t n);

/** The same for a matrix. */
GPU_API gpu_space gpu_space_of_2(gpu *g, size_t rows, size_t columns);

typedef enum gpu_part_kind {
    GPU_PART_GROUP = 1,
    GPU_PART_RESULT,
    GPU_PART_FROM,
    GPU_PART_COUNT,
    GPU_PART_OPERATOR
} gpu_part_kind;

/** A part of a kernel, as the macros pass it: the value of a gpu_capture of type GPU_CAPTURE_PART. */
typedef struct gpu_part {
    gpu_part_kind kind;
    gpu_type type;
    size_t count;           /**< elements */
    gpu_array **result;     /**< the variable that is set */
    const gpu_array *from;  /**< a result starts as a copy of it */
    const gpu_operator *op; /**< an operator */
} gpu_part;

/** The type of such a capture. */
GPU_API extern const gpu_type_info gpu_capture_part_type;
#define GPU_CAPTURE_PART (&gpu_capture_part_type)

/** The most arrays that one kernel makes. */
#define GPU_SPAWN_RESULTS 8

#ifdef __cplusplus
/** In C++, use firepile::group, firepile::result, firepile::result_from, firepile::result_count and
 * firepile::arg_operator instead. */
#define GPU_GROUP(...) GPU_FOR_C_(const gpu_capture *)
#define GPU_RESULT(...) GPU_FOR_C_(const gpu_capture *)
#define GPU_RESULT_FROM(...) GPU_FOR_C_(const gpu_capture *)
#define GPU_RESULT_COUNT(...) GPU_FOR_C_(const gpu_capture *)
#define GPU_ARG_OPERATOR(...) GPU_FOR_C_(const gpu_capture *)
#else
#define GPU_PART_(name, ...)                                                                                           \
    (&(const gpu_capture){name, &(const gpu_part){__VA_ARGS__}, GPU_CAPTURE_PART, sizeof(gpu_part)})

/** GPU_GROUP(name, type, count): local memory of each group, `count` elements. */
#define GPU_GROUP(name_, type_, count_) GPU_PART_(#name_, .kind = GPU_PART_GROUP, .type = (type_), .count = (count_))

/** GPU_RESULT(name, type, length): a new array, which the kernel writes, `name[i] = ...`. The variable of that name, a
 * gpu_array *, is set to it. */
#define GPU_RESULT(name_, type_, length_)                                                                              \
    GPU_PART_(#name_, .kind = GPU_PART_RESULT, .type = (type_), .count = (length_), .result = &(name_))

/** GPU_RESULT_FROM(name, array): the same, of an array that starts as a copy of `array`, with its type and length. */
#define GPU_RESULT_FROM(name_, array) GPU_PART_(#name_, .kind = GPU_PART_FROM, .from = (array), .result = &(name_))

/** GPU_RESULT_COUNT(name, &count): shortens the GPU_RESULT `name`. In the text name_count points to a uint that is 0 at
 * first. The kernel counts in it, `name[atomic_inc(name_count)] = ...`, and at its end it is the length of the result.
 * The gpu_array * `count` is set to it, an array of one GPU_UINT; NULL: it is not wanted. Nothing waits for the number.
 * A count beyond the length that was given is GPU_E_RANGE. A later wait for one of the kernel's results reports it. The
 * kernel must not write there: `if (k < most) name[k] = ...`. */
#define GPU_RESULT_COUNT(name_, count_)                                                                                \
    GPU_PART_(#name_ "_count", .kind = GPU_PART_COUNT, .type = GPU_UINT, .count = 1, .result = (count_))

/** GPU_ARG_OPERATOR(name, type, op): an operator that the kernel calls, `name(p, q)`, with values and a result of
 * `type`. A snippet combines a and b, or maps x (or x and y, or x, y and z). A GPU_FUNCTION takes up to three values.
 * It captures nothing. */
#define GPU_ARG_OPERATOR(name_, type_, op_)                                                                            \
    GPU_PART_(#name_, .kind = GPU_PART_OPERATOR, .type = (type_), .op = GPU_OPERATOR_(op_, NULL))
#endif

/** Where an item is, for a GPU_KERNEL that runs on the host. */
typedef struct gpu_item_place {
    uint64_t i, row, column;
    uint32_t item, group, items, groups;
    uint32_t item_row, item_column, item_rows, item_columns;
} gpu_item_place;

/** The place of the item that this thread runs. The body of a GPU_KERNEL begins with it. */
GPU_API const gpu_item_place *gpu_item_now(void);
/** Its barrier. */
GPU_API void gpu_item_sync(void);

/* Items of the host run one at a time. The word is an int or an unsigned. */
GPU_UNUSED static uint32_t gpu_item_add(volatile void *word, uint32_t value) {
    volatile uint32_t *at = (volatile uint32_t *)word;
    const uint32_t before = *at;
    *at = before + value;
    return before;
}
GPU_UNUSED static uint32_t gpu_item_inc(volatile void *word) { return gpu_item_add(word, 1); }

/** Stands before the type of a GPU_KERNEL's parameter that is a GPU_GROUP. */
#define GPU_LOCAL_MEMORY

/** GPU_KERNEL(name, (parameters), { body }): a kernel that is C too, at file scope. `name` is passed to gpu_spawn in
 * place of a text. Each parameter has the name of a part, and its exact type:
 *
 *     GPU_ARG of an array   GPU_GLOBAL const float *x
 *     GPU_ARG of a value    float k
 *     GPU_GROUP             GPU_LOCAL_MEMORY float *data
 *     results               GPU_GLOBAL float *part      and a count: GPU_GLOBAL uint32_t *part_count
 *     their lengths         uint64_t x_length           of each array, result and local memory
 *
 * Devices get the text as written, before macro expansion. It calls GPU_FUNCTIONs by their names, and takes no
 * GPU_ARG_OPERATOR. The body has item, group, i, sync and the other names of kernels as variables, and atomic_add(p, n)
 * and atomic_inc(p) of 32-bit integers.
 *
 * On the host device items run one after the other. Those of a kernel that names sync get a thread each, of which one
 * at a time runs, from barrier to barrier, in the order of their numbers. So debuggers and sanitizers work. A barrier
 * that only some items of a group reach is GPU_E_SNIPPET there, with the kernel and two items.
 *
 *     GPU_KERNEL(add_up, (GPU_GLOBAL const float *x, uint64_t x_length, GPU_LOCAL_MEMORY float *data,
 *                         GPU_GLOBAL float *part), {
 *         data[item] = i < x_length ? x[i] : 0;
 *         sync();
 *         for (unsigned k = ITEMS / 2; k > 0; k /= 2) {
 *             if (item < k) data[item] += data[item + k];
 *             sync();
 *         }
 *         if (item == 0) part[group] = data[0];
 *     });
 */
#ifdef __cplusplus
#define GPU_KERNEL(...) static_assert(false, "firepile: GPU_KERNEL " GPU_FOR_C_FILES_)
#else
#define GPU_KERNEL(name_, parameters_, ...)                                                                            \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")                                      \
        GPU_HOST_SIDE_(static void name_ parameters_, {GPU_ITEM_PLACES_ __VA_ARGS__})                                  \
            _Pragma("GCC diagnostic pop") static gpu_definition gpu_definition_##name_##_ = {                          \
                .kind = GPU_DEFINES_KERNEL,                                                                            \
                .name = #name_,                                                                                        \
                .result = "void",                                                                                      \
                .parameters = #parameters_,                                                                            \
                .body = #__VA_ARGS__,                                                                                  \
                .address = __extension__(const void *)(name_),                                                         \
                .math = GPU_MATH_,                                                                                     \
                .loose = GPU_LOOSE_,                                                                                   \
                .place = {__FILE__, __LINE__, &gpu_unit_}};                                                            \
    GPU_REGISTER_(name_)
/* The names of kernels, as variables of the host's side. */
#define GPU_ITEM_PLACES_                                                                                               \
    const gpu_item_place *const gpu_item_ = gpu_item_now();                                                            \
    GPU_UNUSED const uint64_t i = gpu_item_->i, row = gpu_item_->row, column = gpu_item_->column;                      \
    GPU_UNUSED const uint32_t item = gpu_item_->item, group = gpu_item_->group, ITEMS = gpu_item_->items;              \
    GPU_UNUSED const uint32_t GROUPS = gpu_item_->groups, item_row = gpu_item_->item_row;                              \
    GPU_UNUSED const uint32_t item_column = gpu_item_->item_column, ITEM_ROWS = gpu_item_->item_rows;                  \
    GPU_UNUSED const uint32_t ITEM_COLUMNS = gpu_item_->item_columns;                                                  \
    GPU_UNUSED void (*const sync)(void) = gpu_item_sync;                                                               \
    GPU_UNUSED uint32_t (*const atomic_add)(volatile void *, uint32_t) = gpu_item_add;                                 \
    GPU_UNUSED uint32_t (*const atomic_inc)(volatile void *) = gpu_item_inc;
#endif

/** gpu_spawn(g, space, text or GPU_KERNEL, parts...) */
#define gpu_spawn(g, space, ...) gpu_spawn_((g), (space), __VA_ARGS__, NULL)
#define gpu_spawn_(g, space, kernel, ...) gpu_spawn_op(g, space, GPU_OPERATOR_(kernel, __VA_ARGS__))
GPU_API gpu_status gpu_spawn_op(gpu *g, gpu_space space, const gpu_operator *kernel);

GPU_END_DECLS
#endif
