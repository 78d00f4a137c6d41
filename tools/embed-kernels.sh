#!/bin/sh
# Writes to standard output the C file that holds the kernels (see lib/kernel/template.h).
#   embed-kernels.sh kernels/FILE.cl...
# Byte arrays, because compilers need not take string literals above 4095 characters. Comments are left out: a driver
# would read them once for each program.
set -eu

echo '#include "kernel/template.h"'
k=0
for file; do
    printf '\nstatic const unsigned char text_%d[] = {\n' "$k"
    sed '/^ *\/\//d' "$file" | od -An -v -tu1 | sed 's/  *\([0-9]\)/\1/; s/  */,/g; s/$/,/'
    echo '0};'
    k=$((k + 1))
done

printf '\nconst fp_kernel_file fp_kernel_files[] = {\n'
k=0
for file; do
    printf '    {"%s", (const char *)text_%d, sizeof text_%d - 1},\n' "${file#kernels/}" "$k" "$k"
    k=$((k + 1))
done
printf '    {0},\n};\n'
