#!/bin/sh
# PoCL reads clang's declarations of all functions of OpenCL C, 18000 lines, for each program that it builds: half the time of most
# tests. This makes a folder with the PoCL that is installed and a header which declares those functions only that are named somewhere
# in this tree: a program cannot tell, it finds what it names. Prints the folder of drivers for OCL_ICD_VENDORS; nothing where PoCL does
# not lie as Debian has it.
#   lean-pocl.sh FOLDER
set -eu

data=/usr/share/pocl drivers=/etc/OpenCL/vendors
for library in /usr/lib/*/libpocl.so.2; do break; done
[ -e "$library" ] && [ -e $drivers/pocl.icd ] && [ -e $data/include/opencl-c.h ] || exit 0

# PoCL looks for its files from where it was loaded.
folder=$(mkdir -p "$1" && cd "$1" && pwd)
mkdir -p "$folder/lib/here" "$folder/share/pocl/include" "$folder/vendors"
ln -sfn "$library" "$folder/lib/here/libpocl.so.2"
ln -sfn "$(dirname "$library")/pocl" "$folder/lib/here/pocl"
ln -sf $data/*.bc "$folder/share/pocl"
ln -sf $data/include/*.h "$folder/share/pocl/include"
ln -sf $drivers/*.icd "$folder/vendors"
rm "$folder/vendors/pocl.icd" "$folder/share/pocl/include/opencl-c.h"
echo "$folder/lib/here/libpocl.so.2" >"$folder/vendors/pocl.icd"

# Names of conversions are put together, by tests.
find kernels include lib tests examples bench -name '*.[ch]' -o -name '*.cl' | xargs grep -ohE '[A-Za-z_][A-Za-z_0-9]*' |
    awk '
        FILENAME == "-" { named[$0]; next }
        /__ovld/ && /;$/ && match($0, /[A-Za-z_0-9]+\(/) {
            name = substr($0, RSTART, RLENGTH - 1)
            if (!(name in named) && name !~ /^convert_[a-z]+$/) next
        }
        { print }
    ' - $data/include/opencl-c.h >"$folder/share/pocl/include/opencl-c.h"

# Each kernel is linked, too, and gold does that in half the time.
mkdir -p "$folder/bin"
! gold=$(command -v ld.gold) || ln -sf "$gold" "$folder/bin/ld"

echo "$folder/vendors"
