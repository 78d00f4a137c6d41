# No line of a source or a document is longer than 120 columns. Tables, addresses and output of programs may be.
# shellcheck disable=SC2086 # names of files have no blanks
set -u

export LC_ALL=C.UTF-8
sources=$(find include lib kernels tests examples bench tools Makefile -type f |
    grep -E '\.([ch]|cl|cpp|cu|sh|gp)$|Makefile$')
allowed='^[^:]*:[0-9]*:(\||.*\]\(http)|docs/guide\.md:[0-9]*:    '
! grep -nE '^.{121}' $sources ./*.md docs/*.md | grep -vE "$allowed"
