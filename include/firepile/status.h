/** Status codes, the text of the last failure, and the place of a call.
 *
 * Functions that make an array never return NULL. A failure travels inside the array ("in error"), and every later
 * operation passes it on, so a program may check once, at the end. Functions that bring something to the host return a
 * gpu_status, 0 on success, and leave their outputs untouched on failure. gpu_error() has the text.
 *
 * Example
 *     float sum;
 *     if (gpu_reduce(x, "a + b", &sum)) fprintf(stderr, "%s\n", gpu_error());
 */
#ifndef FIREPILE_STATUS_H
#define FIREPILE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define GPU_BEGIN_DECLS extern "C" {
#define GPU_END_DECLS }
#else
#define GPU_BEGIN_DECLS
#define GPU_END_DECLS
#endif

#if defined(__GNUC__)
#define GPU_API __attribute__((visibility("default")))
#define GPU_CHECKED __attribute__((warn_unused_result))
#define GPU_UNUSED __attribute__((unused))
#else
#error "firepile needs gcc or clang: its definitions register themselves through constructor functions"
#endif

GPU_BEGIN_DECLS

/** Every status: code, number, meaning. */
#define GPU_STATUS_MAP(X)                                                                                              \
    X(GPU_OK, 0, "success")                                                                                            \
    X(GPU_E_ARGUMENT, 1, "a wrong argument")                                                                           \
    X(GPU_E_TYPE, 2, "element types do not agree")                                                                     \
    X(GPU_E_SNIPPET, 3, "an operator's text is wrong")                                                                 \
    X(GPU_E_LAYOUT, 4, "host and device lay a struct out differently")                                                 \
    X(GPU_E_EMPTY, 5, "an empty array has no such value")                                                              \
    X(GPU_E_RANGE, 6, "an index or a length is out of range")                                                          \
    X(GPU_E_DEVICE, 7, "no such device")                                                                               \
    X(GPU_E_MEMORY, 8, "not enough memory")                                                                            \
    X(GPU_E_DRIVER, 9, "the OpenCL driver failed")                                                                     \
    X(GPU_E_INTERNAL, 10, "a defect of firepile")

#define GPU_STATUS_ENUM_(code, number, meaning) code = number,
typedef enum gpu_status { GPU_STATUS_MAP(GPU_STATUS_ENUM_) GPU_STATUS_COUNT_ } gpu_status;
#undef GPU_STATUS_ENUM_

/** The name of a status, "GPU_E_TYPE" for example; never NULL. */
GPU_API const char *gpu_status_name(gpu_status status);

/** The text of this thread's last failure: the place of the call, the operation, the mistake and its remedy. "" if
 * nothing has failed yet. Valid until this thread's next failure; never NULL. */
GPU_API const char *gpu_error(void);

/** The whole build log of this thread's last GPU_E_SNIPPET or GPU_E_LAYOUT, as the OpenCL compiler wrote it. "" if the
 * last failure has none. Valid until this thread's next failure; never NULL. */
GPU_API const char *gpu_error_log(void);

/** The whole generated OpenCL C source that gpu_error_log() refers to. "" if the last failure has none. Valid until
 * this thread's next failure; never NULL. */
GPU_API const char *gpu_error_source(void);

/** The place of a call; the macros fill it in. `unit` identifies the C file (translation unit), so that two files may
 * have different helpers of one name. A caller without macros may pass NULL for a place. */
typedef struct gpu_place {
    const char *file;
    int line;
    const void *unit;
} gpu_place;

/* One object per C file; its address identifies the file. */
GPU_UNUSED static const char gpu_unit_ = 0;

GPU_END_DECLS

#ifdef __cplusplus
/* A macro for C becomes this in C++: a compile error with the text below. */
template <class T, int line> T gpu_for_c_() {
    static_assert(line < 0,
                  "firepile: this macro is for C; in C++ call the function of that name in the namespace firepile, "
                  "firepile::map(...) for gpu_map(...), or the function behind the macro, gpu_map_op(...)");
    return T();
}
#define GPU_FOR_C_(T) (gpu_for_c_<T, __LINE__>())
#define GPU_HERE GPU_FOR_C_(const gpu_place *)
#else
#define GPU_HERE (&(const gpu_place){__FILE__, __LINE__, &gpu_unit_})
#endif
#endif
