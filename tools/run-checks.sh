#!/bin/sh
# Runs the scripts in tests/checks: one line for each, and what it printed if it failed. Called by `make check`.
# A check exits with 0 if all is well, 77 if it could not look (its last line says why), anything else if it failed.
set -u

# What a user's program may be compiled with: the headers and what they expand to say nothing under it, as C.
export FP_STRICT='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wredundant-decls -Wmissing-prototypes
    -Wstrict-prototypes -Wundef -Wwrite-strings -Wpointer-arith -Werror'

passed=0 failed=0 skipped=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Each beside the others.
for check in tests/checks/*.sh; do
    name=$(basename "$check" .sh)
    mkdir "$scratch/$name"
    {
        FP_SCRATCH="$scratch/$name" sh "$check" >"$scratch/$name.log" 2>&1
        echo $? >"$scratch/$name.status"
    } &
done
wait

for check in tests/checks/*.sh; do
    name=$(basename "$check" .sh)
    log=$scratch/$name.log
    case $(cat "$scratch/$name.status") in
    0)
        echo "ok       $name"
        passed=$((passed + 1))
        ;;
    77)
        echo "skipped  $name: $(tail -n 1 "$log")"
        skipped=$((skipped + 1))
        ;;
    *)
        echo "FAILED   $name"
        sed 's/^/    /' "$log"
        failed=$((failed + 1))
        ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
