/* Numbers in texts. */
#include "host/internal.h"
#include "kernel/type.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 60 };

static bool is_suffix(const char *end, const char *suffix)
{
    return !strcasecmp(end, suffix);
}

/* Compilers also know halves, and binary numbers. */
static gpu_type refuse(const char *rest, bool *wrong)
{
    *wrong = !strchr("hHbB", *rest);
    return NULL;
}

static gpu_type floating_number(char *digits, void *value, bool *wrong)
{
    char *point = strchr(digits, '.'), *end;
    if (point) *point = *localeconv()->decimal_point;
    const float single = strtof(digits, &end);
    if (is_suffix(end, "f")) {
        memcpy(value, &single, sizeof single);
        return GPU_FLOAT;
    }
    const double wide = strtod(digits, &end);
    if (*end) return refuse(end, wrong);
    memcpy(value, &wide, sizeof wide);
    return GPU_DOUBLE;
}

/* The first type of int, uint, long and ulong that holds the value. Only octal and hexadecimal numbers become unsigned
 * without a u. */
static gpu_type whole_number(const char *digits, void *value, bool *wrong)
{
    char *end;
    errno = 0;
    const uint64_t number = strtoull(digits, &end, 0);
    const bool is_long = is_suffix(end, "l") || is_suffix(end, "ul") || is_suffix(end, "lu"),
               is_unsigned = is_suffix(end, "u") || is_suffix(end, "ul") || is_suffix(end, "lu"),
               may_be_unsigned = is_unsigned || digits[0] == '0';
    if (*end && !is_long && !is_unsigned) return refuse(end, wrong);
    gpu_type type = is_unsigned ? GPU_ULONG : GPU_LONG;
    if (!is_long && number <= UINT32_MAX && may_be_unsigned) type = GPU_UINT;
    if (!is_long && number <= INT32_MAX && !is_unsigned) type = GPU_INT;
    if (number > INT64_MAX) type = may_be_unsigned ? GPU_ULONG : NULL;
    if (errno || !type) return NULL;
    fp_convert(GPU_ULONG, &number, type, value);
    return type;
}

gpu_type fp_literal_value(fp_slice number, void *value, bool *wrong)
{
    char digits[MOST_DIGITS];
    *wrong = false;
    if (number.length >= sizeof digits) return NULL;
    memcpy(digits, number.bytes, number.length);
    digits[number.length] = '\0';
    const bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    return strpbrk(digits, hex ? "pP" : ".eE") ? floating_number(digits, value, wrong)
                                               : whole_number(digits, value, wrong);
}
