// Looks names of enumerations up; touches nothing but its arguments.
#include "base/enum_name.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

const char* cond_enum_name(const CondEnumName* table, int n, int value)
{
    for (int i = 0; i < n; i++)
        if (table[i].value == value)
            return table[i].name;
    return NULL;
}

CondStatus cond_enum_from_name(const CondEnumName* table, int n, const char* type, const char* name,
                               int* value)
{
    for (int i = 0; name && i < n; i++)
        if (strcmp(table[i].name, name) == 0) {
            *value = table[i].value;
            return COND_OK;
        }
    char names[1024] = "";
    for (int i = 0, end = 0; i < n && end >= 0 && (size_t)end < sizeof names; i++)
        end += snprintf(names + end, sizeof names - (size_t)end, "%s%s", i > 0 ? ", " : "",
                        table[i].name);
    return cond_error_set(NULL, COND_BAD_ARGUMENT, "%s: '%.60s' is none of %s", type,
                          name ? name : "(null)", names);
}
