#!/bin/sh
# Formats the sources, or with --check names those that it would change.
set -u

# Other versions of clang-format differ in small things.
formatter=$(command -v clang-format-14) || { echo 'clang-format 14 is not here'; exit 77; }

status=0
for file in $(find include lib kernels tests examples -name '*.[ch]' -o -name '*.cl' | sort); do
    "$formatter" "$file" | cmp -s - "$file" && continue
    if [ "${1:-}" = --check ]; then
        echo "$file: \`make format\` changes it"
        status=1
    else
        "$formatter" -i "$file"
    fi
done
exit $status
