# What takes an NVIDIA device, kernels whose items exchange values in warps, is done here by a plain compiler, under
# random schedules (see tests/warps/warps.c): tests/warps/NAME.c compares them with plain C, once for each line
# `// variant: FP_X=1 ...` at its top.
# shellcheck disable=SC2086 # lists of options are words
set -u

compile="${CC:-cc} -std=gnu11 -Wundef -Wno-tautological-compare -Werror -g -fno-pie -Itests/warps -I$FP_SCRATCH/kernels"
echo 'int x;' | $compile -fsanitize=thread -c -x c -o "$FP_SCRATCH/probe.o" - ||
    { echo "${CC:-cc} has no -fsanitize=thread"; exit 77; }

# The kernels as they are, but for variables in local memory, which items share, and for the instructions that warps.c
# has.
for kernel in kernels/*.cl kernels/*/*.cl kernels/*/*/*.cl; do
    mkdir -p "$FP_SCRATCH/${kernel%/*}"
    sed '/^ *__local [A-Za-z0-9_ ]*[[,;]/s/__local/FP_LOCAL_VARIABLE/' "$kernel" >"$FP_SCRATCH/$kernel"
done
: >"$FP_SCRATCH/kernels/block/gpu/ptx.cl"

$compile -O2 -U_FORTIFY_SOURCE -c -o "$FP_SCRATCH/warps.o" tests/warps/warps.c || exit 1

# Where in the kernels the fault is that a program told of.
tell_place() { # PROGRAM
    address=$(sed -n 's/.* at \(0x[0-9a-f]*\)$/\1/p' "$1.log")
    [ -z "$address" ] || addr2line -i -e "$1" "$address" | sed "s|^$FP_SCRATCH/|    |"
}

try() { # NAME
    number=0
    sed -n 's|^// variant:||p' "tests/warps/$1.c" | sed 's/ / -D/g' | while read -r flags; do
        number=$((number + 1)) program=$FP_SCRATCH/$1-$number
        $compile $flags -O1 -fsanitize=thread -c -o "$program.o" "tests/warps/$1.c" &&
            ${CC:-cc} -no-pie -o "$program" "$program.o" "$FP_SCRATCH/warps.o" &&
            "$program" >"$program.log" 2>&1 && continue
        echo "tests/warps/$1.c with '$flags'"
        [ ! -e "$program.log" ] || { cat "$program.log"; tell_place "$program"; }
    done
}

names=$(grep -l '^// variant:' tests/warps/*.c | sed 's|.*/\(.*\)\.c|\1|')
for name in $names; do try "$name" >"$FP_SCRATCH/$name.faults" 2>&1 & done
wait
cat "$FP_SCRATCH"/*.faults
! grep -q . "$FP_SCRATCH"/*.faults
