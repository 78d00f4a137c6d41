# Each public header compiles alone, and twice over, as C11 and as C++, by each compiler that is here.
# shellcheck disable=SC2086 # lists of options are words
set -u

status=0
compile() { # COMPILER LANGUAGE STANDARD WARNINGS
    command -v "$1" >/dev/null || return 0
    flags="-x $2 -std=$3 $4 -Werror -fsyntax-only -Iinclude $(pkg-config --cflags OpenCL)"
    for header in include/firepile.h include/firepile/*.h; do
        name=${header#include/}
        printf '#include <%s>\n#include <%s>\n' "$name" "$name" |
            "$1" $flags - || { echo "$header: not $3 by $1"; status=1; }
    done
}

for compiler in "${CC:-cc}" gcc clang; do compile "$compiler" c c11 "$FP_STRICT"; done
for compiler in g++ clang++; do
    compile "$compiler" c++ c++11 '-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wredundant-decls -Wundef'
done
exit $status
