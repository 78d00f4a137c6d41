# A staged installation serves strict programs through pkg-config, shared and static; uninstall leaves nothing of it.
# shellcheck disable=SC2046 # lists of options are words
set -eu

stage=$FP_SCRATCH/stage prefix=/opt/firepile
in_stage() {
    ${MAKE:-make} "$1" DESTDIR="$stage" PREFIX=$prefix LIBDIR=$prefix/lib >"$FP_SCRATCH/log" ||
        { cat "$FP_SCRATCH/log"; exit 1; }
}
in_stage install

export PKG_CONFIG_PATH="$stage$prefix/lib/pkgconfig"
flags() {
    pkg-config --define-variable=prefix="$stage$prefix" --define-variable=libdir="$stage$prefix/lib" "$@" firepile
}
strict="${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror"

# build NAME SOURCE...: links the program once with each library.
build() {
    program=$FP_SCRATCH/$1
    shift
    $strict -r "$@" -o "$program.o" $(flags --cflags)
    $strict "$program.o" -o "$program-static" $(flags --libs --static | sed 's/-lfirepile/-l:libfirepile.a/') -lm
    $strict "$program.o" -o "$program" $(flags --libs) -lm
}
for source in examples/*.c examples/samples/*.c; do
    build "$(basename "$source" .c)" "$source"
done
for main in examples/*/main.c; do
    folder=$(dirname "$main")
    build "$(basename "$folder")" "$folder"/*.c
done

# The programs that README and documents show, run with the installed library.
export LD_LIBRARY_PATH="$stage$prefix/lib"
export FIREPILE_CACHE="$PWD/build/cache/firepile" POCL_CACHE_DIR="$PWD/build/cache/pocl"
mkdir -p "$FIREPILE_CACHE" "$POCL_CACHE_DIR"
for name in first captures functions sealed mistake; do
    "$FP_SCRATCH/$name" || { echo "examples/$name.c fails"; exit 1; }
done

"$stage$prefix/bin/firepile-cache" || { echo 'the installed firepile-cache fails'; exit 1; }

in_stage uninstall
left=$(find "$stage" ! -type d)
[ -z "$left" ] || { echo "uninstall leaves $left"; exit 1; }
