# The overloads for C++ compile without a warning, and do what the macros do in C. No OpenCL platform is needed.
set -eu

command -v g++ >/dev/null || { echo 'g++ is not here'; exit 77; }

${CC:-cc} -std=c11 -Iinclude -c tests/checks/overloads.c -o "$FP_SCRATCH/overloads.o"
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    $compiler -std=c++11 -Wall -Wextra -Wpedantic -Werror -Iinclude tests/checks/overloads.cpp "$FP_SCRATCH/overloads.o" \
        "$FP_BUILD/libfirepile.a" $(pkg-config --libs OpenCL libffi) -pthread -lm -o "$FP_SCRATCH/overloads"
    "$FP_SCRATCH/overloads"
done
