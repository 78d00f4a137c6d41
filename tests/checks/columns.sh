# No line of a source or a document is longer than 120 columns. Tables, addresses, what programs
# print and the variants of kernels may be.
set -u

export LC_ALL=C.UTF-8
sources=$(find include lib kernels tests examples bench tools Makefile -type f \
    \( -name '*.[ch]' -o -name '*.cl' -o -name '*.cpp' -o -name '*.cu' -o -name '*.sh' -o -name Makefile \))
! grep -nE '^.{121}' $sources *.md docs/*.md | grep -vE '^[^:]*:[0-9]*:(\||// variant: |.*\]\(http)|\.md:[0-9]*:    '
