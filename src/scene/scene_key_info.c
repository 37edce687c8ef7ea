// What the table of keys says to programs: every row with its default, its bounds and its field.
#include "base/enum_name.h"
#include "scene/scene_keys.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

COND_ENUM_TABLE(CondKeyType, cond_key_type, {COND_KEY_TEXT, "text"}, {COND_KEY_NUMBER, "number"},
                {COND_KEY_WHOLE, "whole"}, {COND_KEY_SWITCH, "switch"}, {COND_KEY_CHOICE, "choice"},
                {COND_KEY_VECTOR, "vector"}, {COND_KEY_SAME, "same"}, {COND_KEY_SHORT, "short"},
                {COND_KEY_GROUPS, "groups"}, {COND_KEY_POINTS, "points"},
                {COND_KEY_SECTION, "section"}, {COND_KEY_LIST, "list"})

COND_ENUM_TABLE(CondKeyUnset, cond_key_unset, {COND_UNSET_NEVER, "never"},
                {COND_UNSET_ABSENT, "absent"}, {COND_UNSET_AUTO, "auto"}, {COND_UNSET_ZERO, "zero"})

int cond_key_count(void)
{
    return cond_key_table_size;
}

static const CondKey* row_of(int index)
{
    return index >= 0 && index < cond_key_table_size ? &cond_key_table[index] : NULL;
}

// As defaults are written in the source: they have few digits.
static int put_number(char* text, size_t size, double value)
{
    return isinf(value) ? snprintf(text, size, "%s.inf", value < 0.0 ? "-" : "")
                        : snprintf(text, size, "%.*g", DBL_DIG, value);
}

// Numbers of a vector, as many as a file writes: one for all, or half of them, where that is the
// same.
static void put_vector(const CondKey* key, const double* x, char* text, size_t size)
{
    int n = key->count, same = 1, zero = 1;
    for (int i = 1; i < n; i++)
        same &= x[i] == x[0];
    for (int i = n / 2; i < n; i++)
        zero &= x[i] == 0.0;
    if (key->type == COND_KEY_SAME && same) {
        put_number(text, size, x[0]);
        return;
    }
    n = key->type == COND_KEY_SHORT && zero ? n / 2 : n;
    size_t at = (size_t)snprintf(text, size, "[");
    for (int i = 0; i < n && at < size; i++) {
        char number[32];
        put_number(number, sizeof number, x[i]);
        at += (size_t)snprintf(text + at, size - at, "%s%s", i ? ", " : "", number);
    }
    if (at < size)
        snprintf(text + at, size - at, "]");
}

static void put_numbers(const CondKey* key, const void* at, char* text, size_t size)
{
    double x[8];
    memcpy(x, at, (size_t)key->count * sizeof *x);
    if (isnan(x[0]))
        snprintf(text, size, "%s", key->unset == COND_UNSET_AUTO ? "auto" : "not given");
    else if (key->unset == COND_UNSET_ZERO && x[0] == 0.0)
        snprintf(text, size, "none");
    else if (key->type == COND_KEY_NUMBER)
        put_number(text, size, x[0]);
    else
        put_vector(key, x, text, size);
}

void cond_key_initial(const CondKey* key, char* text, size_t size)
{
    const CondStructure* structure = key->structure ? cond_structure_find(key->structure) : NULL;
    double made[1024]; // aligned for all of them
    int whole;
    snprintf(text, size, "%s", key->text.initial ? key->text.initial : "");
    if (key->text.initial || !structure || structure->size > sizeof made)
        return;
    structure->fill(made);
    const char* at = (const char*)made + key->offset;
    memcpy(&whole, at, sizeof whole);
    switch (key->type) {
    case COND_KEY_TEXT:
        snprintf(text, size, "%.*s", key->count, at);
        break;
    case COND_KEY_WHOLE:
        snprintf(text, size, "%d", whole);
        break;
    case COND_KEY_SWITCH:
        snprintf(text, size, "%s", whole ? "true" : "false");
        break;
    case COND_KEY_CHOICE:
        snprintf(text, size, "%s", key->choice(whole));
        break;
    case COND_KEY_GROUPS:
        snprintf(text, size, "%s", (unsigned)whole == COND_GROUP_ALL ? "all" : "default");
        break;
    default:
        put_numbers(key, at, text, size);
    }
}

int cond_key_is_required(const CondKey* key)
{
    return key->text.initial && strcmp(key->text.initial, "required") == 0;
}

unsigned cond_key_bodies(const CondKey* key)
{
    static const char list[] = "bodies.";
    const char* section = key->text.section;
    char part[48];
    if (key->bodies || strncmp(section, list, sizeof list - 1) != 0)
        return key->bodies;
    section += sizeof list - 1;
    snprintf(part, sizeof part, "%.*s", (int)strcspn(section, "."), section);
    return cond_keys_find("bodies", part)->bodies;
}

void cond_key_put_bodies(const CondKey* key, char* text, size_t size)
{
    unsigned bodies = cond_key_bodies(key);
    size_t at = 0;
    *text = 0;
    for (int kind = 0; cond_body_kind_name((CondBodyKind)kind) && at < size; kind++)
        if (bodies >> kind & 1u)
            at += (size_t)snprintf(text + at, size - at, "%s%s", at ? ", " : "",
                                   cond_body_kind_name((CondBodyKind)kind));
}

// The interval that a range stands for.
static void put_bounds(CondRange range, CondKeyInfo* info)
{
    static const struct {
        double low, high;
        int low_is_open, high_is_open, infinite;
    } bounds[] = {
        [COND_RANGE_FINITE] = {-INFINITY, INFINITY, 1, 1, 0},
        [COND_RANGE_POSITIVE] = {0.0, INFINITY, 1, 1, 0},
        [COND_RANGE_POSITIVE_OR_INFINITE] = {0.0, INFINITY, 1, 0, 1},
        [COND_RANGE_NOT_NEGATIVE] = {0.0, INFINITY, 0, 1, 0},
        [COND_RANGE_NOT_NEGATIVE_OR_INFINITE] = {0.0, INFINITY, 0, 0, 1},
        [COND_RANGE_ABOVE] = {-INFINITY, INFINITY, 1, 0, 1},
        [COND_RANGE_UNIT] = {0.0, 1.0, 0, 0, 0},
        [COND_RANGE_SHARE] = {0.0, 1.0, 1, 0, 0},
        [COND_RANGE_THETA] = {0.5, 1.0, 0, 0, 0},
        [COND_RANGE_FROM_ONE] = {1.0, INFINITY, 0, 1, 0},
        [COND_RANGE_POISSON] = {-1.0, 0.5, 1, 1, 0},
    };
    info->low = bounds[range].low;
    info->high = bounds[range].high;
    info->low_is_open = bounds[range].low_is_open;
    info->high_is_open = bounds[range].high_is_open;
    info->infinite = bounds[range].infinite;
}

// What the reader alone fills is no field of the library; settings begin its own structure.
static void put_field(const CondKey* key, CondKeyInfo* info)
{
    static const char settings[] = "settings.";
    const char* structure = key->structure ? key->structure : "";
    info->structure = info->field = "";
    if (strcmp(structure, "CondSettingsDraft") == 0) {
        if (strncmp(key->field, settings, sizeof settings - 1) != 0)
            return;
        info->structure = "CondSceneSettings";
        info->field = key->field + sizeof settings - 1;
    } else if (*structure && !strstr(structure, "Draft") &&
               strcmp(structure, "CondSceneMesh") != 0) {
        info->structure = structure;
        info->field = key->field;
    }
    info->offset = key->offset;
}

int cond_key_get(int index, CondKeyInfo* key, size_t size)
{
    const CondKey* row = row_of(index);
    if (!row)
        return 0;
    CondKeyInfo info = {.section = row->text.section,
                        .key = row->text.key,
                        .alias = row->alias ? row->alias : "",
                        .type = row->type,
                        .count = row->count,
                        .unset = row->unset,
                        .words = row->text.type,
                        .required = cond_key_is_required(row),
                        .unit = row->text.unit,
                        .since = row->since ? row->since : "0.1",
                        .meaning = row->text.meaning};
    put_field(row, &info);
    cond_key_put_bodies(row, info.bodies, sizeof info.bodies);
    put_bounds(row->range, &info);
    cond_key_initial(row, info.initial, sizeof info.initial);
    memset(key, 0, size);
    memcpy(key, &info, size < sizeof info ? size : sizeof info);
    return 1;
}

const char* cond_key_choice(int index, int value)
{
    const CondKey* row = row_of(index);
    return row && row->type == COND_KEY_CHOICE && value >= 0 && value < row->count
               ? row->choice(value)
               : NULL;
}

// That of version 0.1, whose default is a text of the library.
int cond_scene_key(int index, CondSceneKey* key)
{
    static _Thread_local char initial[COND_KEY_ROWS][32]; // longer than any that is made
    const CondKey* row = row_of(index);
    if (row && key) {
        *key = row->text;
        if (!key->initial) {
            cond_key_initial(row, initial[index], sizeof initial[index]);
            key->initial = initial[index];
        }
    }
    return row != NULL;
}
