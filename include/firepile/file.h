/** Files of NumPy: arrays in .npy files.
 *
 * Types     integers of 8 to 64 bits, floats of 32 and 64 bits. bool becomes GPU_UCHAR, complex numbers GPU_FLOAT2 and
 *           GPU_DOUBLE2. Either byte order is read; that of the machine is written.
 * Shape     formats 1.0 to 3.0. An array of several dimensions is read in C order, as one row after the other. Vectors
 *           are written as arrays of two dimensions, but for GPU_FLOAT2 and GPU_DOUBLE2.
 * Cost      files are read and written in blocks of some megabytes, so there is no second copy in the host's memory.
 *           Saving computes `a` and waits.
 * Owner     the scope, as of any array (firepile/array.h).
 * Errors    GPU_E_ARGUMENT names the file and the byte: it is missing or malformed, cannot be read or written, or has
 *           several dimensions in Fortran's order. GPU_E_TYPE for records, objects, texts and half floats, and for
 *           structs. GPU_E_MEMORY, the failure of `a`. A file that could not be written whole is removed, and what was
 *           at `path` before stays.
 * Source    NumPy Enhancement Proposal 1, A Simple File Format for NumPy Arrays.
 *
 * Example
 *     if (gpu_save_npy(x, "x.npy")) fprintf(stderr, "%s\n", gpu_error());
 *     gpu_array *same = gpu_load_npy(g, "x.npy");
 */
#ifndef FIREPILE_FILE_H
#define FIREPILE_FILE_H

#include <firepile/array.h>

GPU_BEGIN_DECLS

/** The array in a file. */
#define gpu_load_npy(g, path) gpu_load_npy_op((g), (path), GPU_HERE)
GPU_API gpu_array *gpu_load_npy_op(gpu *g, const char *path, const gpu_place *place);

/** Writes the elements to a file, in the place of one that is there. */
#define gpu_save_npy(a, path) gpu_save_npy_op((a), (path), GPU_HERE)
GPU_API GPU_CHECKED gpu_status gpu_save_npy_op(const gpu_array *a, const char *path, const gpu_place *place);

GPU_END_DECLS
#endif
