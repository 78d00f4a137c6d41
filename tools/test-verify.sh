#!/bin/sh
# Runs test binaries with FIREPILE_VERIFY=1, so that what the device computes is computed on the host too and compared,
# and adds up what all traces say at their ends. A difference is a failure, except in test_verify, which makes some.
# Called by `make test-verify`.
#   test-verify.sh BUILD-FOLDER BINARY...
set -u

# So many operations are compared, at least: fewer would mean that some are left out.
least=60000

mkdir -p "$1/tests"
log=$1/tests/verify-log
traces=$(mktemp -d "$1/tests/traces-XXXXXX")
trap 'rm -rf "$traces"' EXIT
status=0
FIREPILE_VERIFY=1 FP_TEST_TRACES=$traces FP_TEST_WRAPPER='timeout 1200' tools/run-tests.sh "$@" >"$log" 2>&1 || status=1
if [ "$status" = 0 ]; then tail -n 1 "$log"; else cat "$log"; fi

# "NAME: compared N operations, could not compare N launches, found N differences" of each binary, and of all.
for trace in "$traces"/*; do
    awk -v name="$(basename "$trace")" '
        /^FIREPILE_VERIFY: compared / { compared += $3; launches += $8; differences += $11 }
        END { print name, compared + 0, launches + 0, differences + 0 }' "$trace"
done | awk -v least="$least" '
    function tell(name, n, m, d) {
        printf "%s: compared %d operations, could not compare %d launches, found %d differences\n", name, n, m, d
    }
    { tell($1, $2, $3, $4) }
    { compared += $2; launches += $3 }
    $1 != "test_verify" { differences += $4 }
    END {
        tell("all tests (differences without those of test_verify)", compared, launches, differences)
        if (compared < least) print "at least " least " operations must be compared"
        exit differences > 0 || compared < least
    }' || status=1
exit "$status"
