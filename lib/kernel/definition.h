/* The registered GPU_FUNCTIONs, GPU_DEVICE_FUNCTIONs, GPU_CONSTANTs and GPU_STRUCTs of the process. Lookups return the
 * library's own copies, which stay valid when the shared object that defined them is unloaded. */
#ifndef FP_KERNEL_DEFINITION_H
#define FP_KERNEL_DEFINITION_H

#include <firepile/define.h>

/* The function whose operator argument points to `address`, or NULL. */
const gpu_definition *fp_definition_at(const void *address);

/* A GPU_FUNCTION of the library. A library header only declares it, so a program has it once, and not once for each C
 * file that includes the header. Its C file is NULL, as that of the library's own texts is: in these its name means
 * nothing else. */
#define FP_FUNCTION(result_, name_, parameters_, ...)                                                                  \
    GPU_HOST_SIDE_(result_ name_ parameters_, __VA_ARGS__)                                                             \
    static gpu_definition gpu_definition_##name_##_ =                                                                  \
        GPU_FUNCTION_OF_(#result_, #name_, #parameters_, #__VA_ARGS__, name_, NULL);                                   \
    GPU_REGISTER_(name_)

/* Finds the meaning of `length` bytes at `name` in the C file `unit` (NULL: the library's): its own definition, else
 * that of other files if they all say the same. *out is NULL if nothing has that name. GPU_E_SNIPPET if other files
 * disagree: the message names two places. */
gpu_status fp_definition_find(const char *name, size_t length, const void *unit, const gpu_definition **out);

/* Is it a struct, in whichever file? */
bool fp_definition_is_struct(const char *name, size_t length, const void *unit);

/* The same without a failure: NULL for nothing, &fp_disputed where other files disagree. */
const gpu_definition *fp_definition_meaning(const char *name, size_t length, const void *unit);

/* The GPU_KERNEL of this name in `unit`, or NULL: no word of a text means one. */
const gpu_definition *fp_definition_kernel(const char *name, size_t length, const void *unit);
extern const gpu_definition fp_disputed;

/* The kept type (fp_type_keep) of a GPU_STRUCT that was looked up, even if it is no longer registered. GPU_E_LAYOUT,
 * GPU_E_MEMORY. */
gpu_status fp_definition_type(const gpu_definition *definition, gpu_type *type);

/* GPU_E_ARGUMENT if a function that was looked up is no longer registered: its host side must not be called. */
gpu_status fp_definition_check_loaded(const gpu_definition *function);

/* The definition's file, for messages. */
const char *fp_definition_file(const gpu_definition *definition);

/* Did memory run out for a definition when it was registered? */
bool fp_definitions_lost(void);

/* A number that changes whenever a definition comes or goes: results derived from definitions are outdated then. */
unsigned long fp_definition_generation(void);

/* Do two definitions say the same (kind, texts, constant's bits, struct's members)? */
bool fp_definition_equal(const gpu_definition *a, const gpu_definition *b);

#endif
