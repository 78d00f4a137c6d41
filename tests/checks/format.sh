# The sources look as .clang-format says.
exec tools/format.sh --check
