# No line of a source or a document is longer than 120 columns. Tables, addresses, output of
# programs and the variants of kernels may be.
set -u

export LC_ALL=C.UTF-8
sources=$(find include lib kernels tests examples bench tools Makefile -type f |
    grep -E '\.([ch]|cl|cpp|cu|sh|gp)$|Makefile$')
allowed='^[^:]*:[0-9]*:(\||// variant: |.*\]\(http)|docs/guide\.md:[0-9]*:    '
! grep -nE '^.{121}' $sources *.md docs/*.md | grep -vE "$allowed"
