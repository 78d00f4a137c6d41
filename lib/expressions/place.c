/* Names, and the places of elements that have one. */
#include "expressions/operator.h"

#include <string.h>

const char *const fp_region_names[] = {[FP_REGION_LOWER] = "lower",
                                       [FP_REGION_UPPER] = "upper",
                                       [FP_REGION_DIAGONAL] = "diagonal",
                                       [FP_REGION_ANTIDIAGONAL] = "antidiagonal"};

const fp_captured *fp_operator_captured(const fp_operator *op, const char *name, size_t length)
{
    for (unsigned k = 0; k < op->count; k++)
        if (fp_is_named(name, length, op->captured[k].name)) return &op->captured[k];
    return NULL;
}

const fp_captured *fp_captured_named(const fp_operator *op, const char *name)
{
    return fp_operator_captured(op, name, strlen(name));
}

fp_place_name fp_place_named(bool placed, const char *name, size_t length)
{
    static const char *const names[] = {"i", "row", "column"};
    for (unsigned k = 0; k < (placed ? FP_PLACES : FP_PLACE_ROW); k++)
        if (fp_is_named(name, length, names[k])) return (fp_place_name)k;
    return FP_PLACES;
}

uint64_t fp_operator_place(const fp_operator *op, fp_place_name place, uint64_t i)
{
    if (place == FP_PLACE_INDEX) return i;
    return place == FP_PLACE_ROW ? i / op->columns : i % op->columns;
}
