# The linter of shells finds nothing in the scripts. A script that turns a rule off says why.
set -u

command -v shellcheck >/dev/null || { echo 'shellcheck is not here'; exit 77; }
status=0
shellcheck tools/*.sh tools/linker/ld .ci/run || status=1
# `sh` runs those of the checks, which have no first line that says so.
shellcheck --shell=sh tests/checks/*.sh || status=1
exit $status
