// Names of enumerations: each has one table of names, used by both functions of COND_ENUM_NAMES
// (cond/status.h).
#ifndef COND_BASE_ENUM_NAME_H
#define COND_BASE_ENUM_NAME_H

#include "cond/status.h"

typedef struct CondEnumName {
    int value;
    const char* name;
} CondEnumName;

// The first name of a value; NULL if it has none.
const char* cond_enum_name(const CondEnumName* table, int n, int value);

// The value of a name, or COND_BAD_ARGUMENT with a message that lists the names of `type`.
CondStatus cond_enum_from_name(const CondEnumName* table, int n, const char* type, const char* name,
                               int* value);

// Defines the functions that COND_ENUM_NAMES(api, Type, prefix) declares, from {value, "name"}, ...
// A value with several names is written by its first one and read by all.
#define COND_ENUM_TABLE(Type, prefix, ...)                                                         \
    static const CondEnumName prefix##_names[] = {__VA_ARGS__};                                    \
    enum { prefix##_n_names = sizeof prefix##_names / sizeof prefix##_names[0] };                  \
    const char* prefix##_name(Type value)                                                          \
    {                                                                                              \
        return cond_enum_name(prefix##_names, prefix##_n_names, (int)value);                       \
    }                                                                                              \
    CondStatus prefix##_from_name(const char* name, Type* value)                                   \
    {                                                                                              \
        int found = 0;                                                                             \
        CondStatus status =                                                                        \
            cond_enum_from_name(prefix##_names, prefix##_n_names, #Type, name, &found);            \
        if (!status)                                                                               \
            *value = (Type)found;                                                                  \
        return status;                                                                             \
    }

#endif
