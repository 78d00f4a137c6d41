#!/bin/sh
# Long runs that find what short ones do not: called by `make test-long`. The tests are those of `make test`, longer.
#   test-long.sh BUILD-FOLDER
# LONG_SECONDS (3600) is about how long random pipelines and processes at once take on two cores. Faults and damage take
# a minute or two more, whatever it is. FIREPILE_SEED is the first of the random pipelines; without it each run has
# others. The logs lie in BUILD-FOLDER/long.
set -u

build=$1
seconds=${LONG_SECONDS:-3600}
seed=${FIREPILE_SEED:-$(date +%s)}
logs=$build/long
failed=''
mkdir -p "$logs"

# part NAME SETTING...: runs test_NAME so. Prints what it did, and after a failure all that it printed.
part() {
    name=$1
    shift
    start=$(date +%s)
    if env "$@" tools/run-tests.sh "$build" "$build/tests/test_$name" >"$logs/$name" 2>&1; then
        grep "^$name, " "$logs/$name"
        finding='nothing found'
    else
        cat "$logs/$name"
        finding=FAILED
        failed="$failed $name"
    fi
    tests=$(sed -n '$s/.*Tested: \([0-9]*\) .*/\1/p' "$logs/$name")
    echo "$name: ${tests:-no} tests, $(($(date +%s) - start)) s: $finding"
}

# The tests of the differential test share its seconds; on two cores they take half of them.
echo "LONG_SECONDS=$seconds, random pipelines from FIREPILE_SEED=$seed on"
part differential FUZZ_SECONDS=$((seconds * 8 / 5)) FIREPILE_SEED="$seed"
part faults
part cache FIREPILE_TEST_FULL=1 FIREPILE_TEST_ROUNDS=$((seconds / 30 + 1))

[ -z "$failed" ] || { echo "Failed:$failed"; exit 1; }
