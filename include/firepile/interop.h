/** Interoperation with a program's own OpenCL context, queue and buffers. This is the only header that includes
 * <CL/cl.h>; firepile.h does not include it. The library retains the objects passed in while it uses them, and releases
 * them afterwards. */
#ifndef FIREPILE_INTEROP_H
#define FIREPILE_INTEROP_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <firepile/overloads.h>

GPU_BEGIN_DECLS

/** Opens the device of the user's own in-order queue.
 * Owner     the caller, until gpu_close; the library retains context and queue until then.
 * Errors    NULL and GPU_E_ARGUMENT for a NULL, a queue of another context, or an out-of-order queue. */
GPU_API gpu *gpu_open_with(cl_context context, cl_command_queue queue);

/** An array over the first `n` elements of the user's buffer. The buffer is retained, not copied. Its contents are read
 * when the array, or a delayed array made from it, is evaluated.
 * Errors    GPU_E_RANGE if the buffer is smaller; GPU_E_ARGUMENT for a NULL or a buffer of another context;
 *           GPU_E_DEVICE on the host device. */
#define gpu_array_wrap(g, type, mem, n) gpu_array_wrap_op((g), (type), (mem), (n), GPU_HERE)
GPU_API gpu_array *gpu_array_wrap_op(gpu *g, gpu_type type, cl_mem mem, size_t n, const gpu_place *place);

/** The buffer that holds `a` (the thesis's clbuffer), computing it first. `*first` becomes the index of a's first
 * element in it; `first` may be NULL. The buffer is borrowed: it is valid as long as `a`, unless the caller retains it.
 * Commands on other queues must wait for gpu_queue(g). NULL if `a` is in error or empty, and on the host device
 * (GPU_E_DEVICE). */
GPU_API cl_mem gpu_array_mem(const gpu_array *a, size_t *first);

/** The queue of `g`, borrowed. NULL for NULL and for the host device. All that was computed before this call is in it.
 * Later kernels over short arrays may not be in it before gpu_finish (docs/fusion.md). */
GPU_API cl_command_queue gpu_queue(gpu *g);

GPU_END_DECLS

#ifdef __cplusplus
namespace firepile {

/** In C++: firepile::array_wrap<float>(g, mem, n), firepile::array_wrap(g, type, mem, n). */
template <class T> gpu_array *array_wrap(gpu *g, cl_mem mem, size_t n, const caller &at = caller()) {
    return gpu_array_wrap_op(g, element<T>::type(), mem, n, &at.place);
}

inline gpu_array *array_wrap(gpu *g, gpu_type type, cl_mem mem, size_t n, const caller &at = caller()) {
    return gpu_array_wrap_op(g, type, mem, n, &at.place);
}

} // namespace firepile
#endif
#endif
