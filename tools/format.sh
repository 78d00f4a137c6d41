#!/bin/sh
# Formats the sources, or with --check names those that it would change.
# shellcheck disable=SC2086 # names of files have no blanks
set -u

# Other versions of clang-format differ in small things.
formatter=$(command -v clang-format-14) || { echo 'clang-format-14 is not installed'; exit 77; }

files=$(find include lib kernels tests examples -name '*.[ch]' -o -name '*.cl' | sort)
if [ "${1:-}" = --check ]; then
    "$formatter" --dry-run -Werror $files || { echo 'These files are not formatted. Run: make format'; exit 1; }
else
    "$formatter" -i $files
fi
