#!/bin/sh
# Runs test binaries on the host device, where no OpenCL platform is found. What they test is right there, or the test
# ends, skipped, at the error that says that the host does not have an operator or an operation; all else is a failure.
# Called by `make test-host`.
#   test-host.sh BUILD-FOLDER BINARY...
set -u

# So many tests run there to their end, at least: fewer would mean that the host has lost operators or operations.
least=800

log=$1/tests/host-log
vendors=$(mktemp -d)
trap 'rm -rf "$vendors"' EXIT
status=0
mkdir -p "$1/tests"
OCL_ICD_VENDORS=$vendors FIREPILE_DEVICE=host FIREPILE_TEST_SMALL=1 FP_TEST_LEAST=0 \
    tools/run-tests.sh "$@" >"$log" 2>&1 || status=1
if [ "$status" = 0 ]; then tail -n 1 "$log"; else cat "$log"; fi
total=$(cat tests/test_*.c | grep -c '^Test(')
passing=$(sed -n '$s/.*Passing: \([0-9]*\).*/\1/p' "$log")
echo "${passing:=0} of $total tests completed on the host device; at least $least must"
[ "$passing" -ge "$least" ] || status=1
exit "$status"
