#include "base/switch.h"

#include <stdlib.h>
#include <string.h>

bool fp_is_on(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}
