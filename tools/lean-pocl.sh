#!/bin/sh
# PoCL reads clang's declarations of all functions of OpenCL C, 18000 lines, for each program that it builds: half the time of most
# tests. This makes a folder with the PoCL that is installed and a header which declares those functions only that are named somewhere
# in this tree: a program cannot tell, it finds what it names. Prints the folder of drivers for OCL_ICD_VENDORS; nothing where PoCL is
# not version 3.1 as Debian 12 has it: with PoCL 6.0 it saves no time.
#   lean-pocl.sh FOLDER
set -eu

data=/usr/share/pocl header=include/opencl-c.h drivers=/etc/OpenCL/vendors
for library in /usr/lib/*/libpocl.so.2; do break; done
[ -e "$library" ] && [ -e $drivers/pocl.icd ] && [ -e $data/$header ] || exit 0
version=$(readlink -f "$library")
case $version in */libpocl.so.2.10.*) ;; *) exit 0 ;; esac
folder=$(mkdir -p "$1/${version##*/}" && cd "$1/${version##*/}" && pwd)

# Links to what is there. PoCL looks for its files from where it was loaded, and has each kernel linked: gold does that in half the time.
if [ ! -e "$folder/vendors/pocl.icd" ]; then
    mkdir -p "$folder/lib/here" "$folder/share" "$folder/vendors" "$folder/bin"
    ln -sf "$library" "$(dirname "$library")/pocl" "$folder/lib/here"
    cp -rsf $data "$folder/share"
    ln -sf $drivers/*.icd "$folder/vendors"
    ! gold=$(command -v ld.gold) || ln -sf "$gold" "$folder/bin/ld"
    rm "$folder/vendors/pocl.icd"
    echo "$folder/lib/here/libpocl.so.2" >"$folder/vendors/pocl.icd"
fi

# Names of conversions are put together, by tests.
find kernels include lib tests examples bench -name '*.[ch]' -o -name '*.cl' | xargs grep -ohE '[A-Za-z_][A-Za-z_0-9]*' |
    awk '
        FILENAME == "-" { named[$0]; next }
        /__ovld/ && /;$/ && match($0, /[A-Za-z_0-9]+\(/) {
            name = substr($0, RSTART, RLENGTH - 1)
            if (!(name in named) && name !~ /^convert_[a-z]+$/) next
        }
        { print }
    ' - $data/$header >"$folder/header.$$"
mv -f "$folder/header.$$" "$folder/share/pocl/$header"

echo "$folder/vendors"
