# The library, its tool and the tests have no warnings under clang either.
set -u

command -v clang >/dev/null || { echo 'clang is not here'; exit 77; }

build() { # FLAGS TARGET...
    flags=$1
    shift
    ${MAKE:-make} "$@" CC=clang CFLAGS="$flags -Werror" FP_BUILD="$FP_SCRATCH/build" >"$FP_SCRATCH/log" 2>&1 ||
        { grep -v '^  [A-Z]' "$FP_SCRATCH/log"; exit 1; }
}

build -O0 lib
pkg-config --exists criterion || exit 0

# No program of these is made, so their code is not either.
sources=$(find tests tools -name '*.c' ! -path 'tests/checks/*' ! -path 'tests/warps/*' ! -path 'tests/plugins/*')
# shellcheck disable=SC2046 # names of files have no blanks
build -fsyntax-only $(echo "$sources" | sed "s|\(.*\)c$|$FP_SCRATCH/build/\1o|")
