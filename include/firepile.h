/** firepile: collections on the GPU for C programs. This header includes the whole public interface except three
 * headers: firepile/interop.h (a program's own OpenCL objects), firepile/math.h (math functions for host and device),
 * and firepile/random.h (random numbers). */
#ifndef FIREPILE_H
#define FIREPILE_H

#define FIREPILE_VERSION "0.1.0"

#include <firepile/array.h>
#include <firepile/bins.h>
#include <firepile/by_key.h>
#include <firepile/compile.h>
#include <firepile/copy.h>
#include <firepile/define.h>
#include <firepile/device.h>
#include <firepile/dict.h>
#include <firepile/explain.h>
#include <firepile/file.h>
#include <firepile/histogram.h>
#include <firepile/law.h>
#include <firepile/map.h>
#include <firepile/matrix.h>
#include <firepile/merge.h>
#include <firepile/move.h>
#include <firepile/operator.h>
#include <firepile/overloads.h>
#include <firepile/reduce.h>
#include <firepile/repeat.h>
#include <firepile/scan.h>
#include <firepile/select.h>
#include <firepile/sort.h>
#include <firepile/sorted.h>
#include <firepile/spawn.h>
#include <firepile/statistics.h>
#include <firepile/status.h>
#include <firepile/stencil.h>
#include <firepile/type.h>
#include <firepile/window.h>

#endif
