# The library has no warnings under clang either: the tests are built by one compiler only.
set -u

command -v clang >/dev/null || { echo 'clang is not here'; exit 77; }
${MAKE:-make} lib CC=clang CFLAGS='-O0 -Werror' FP_BUILD="$FP_SCRATCH/build" >"$FP_SCRATCH/log" 2>&1 ||
    { grep -v '^  [A-Z]' "$FP_SCRATCH/log"; exit 1; }
