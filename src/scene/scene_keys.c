// Finding keys in their table, and what each accepts.
#include "scene/scene_keys.h"

#include "base/name_distance.h"
#include "scene/tuning.h"

#include <math.h>
#include <string.h>

const CondKey* cond_keys_section(const char* section, int* n_key)
{
    const CondKey* first = NULL;
    const char* other = NULL; // the text of a section that it is not, by address
    *n_key = 0;
    for (int i = 0; i < cond_key_table_size; ++i) {
        const char* found = cond_key_table[i].text.section;
        if (found == other)
            continue;
        if (strcmp(found, section) != 0) {
            other = found;
            if (first) // the rows of a section stand together
                break;
            continue;
        }
        if (!first)
            first = &cond_key_table[i];
        ++*n_key;
    }
    return first;
}

const CondKey* cond_keys_find(const char* section, const char* key)
{
    int n;
    const CondKey* row = cond_keys_section(section, &n);
    for (int i = 0; i < n; ++i)
        if (strcmp(row[i].text.key, key) == 0 || (row[i].alias && strcmp(row[i].alias, key) == 0))
            return &row[i];
    return NULL;
}

int cond_keys_inner(const CondKey* around, const char* section)
{
    int n_key;
    const CondKey* inner = cond_keys_section(section, &n_key);
    return inner && inner->structure && around->structure &&
           strcmp(inner->structure, around->structure) == 0;
}

const CondKey* cond_keys_find_elsewhere(const char* section, const char* key)
{
    for (int i = 0; i < cond_key_table_size; ++i)
        if (strcmp(cond_key_table[i].text.key, key) == 0 &&
            strcmp(cond_key_table[i].text.section, section) != 0)
            return &cond_key_table[i];
    return NULL;
}

const CondKey* cond_keys_nearest(const char* section, const char* key)
{
    const CondKey* nearest = NULL;
    int least = 0;
    int n_key;
    const CondKey* known = cond_keys_section(section, &n_key);
    for (int i = 0; i < n_key; ++i) {
        int distance = cond_name_distance(key, known[i].text.key);
        if (distance >= 0 && (!nearest || distance < least)) {
            nearest = &known[i];
            least = distance;
        }
    }
    return nearest;
}

const char* cond_key_article(const CondKey* key)
{
    return key->type == COND_KEY_CHOICE || key->type == COND_KEY_SWITCH ? "" : "a ";
}

int cond_key_can_hold(const CondKey* key, double value)
{
    int coordinate = key->range == COND_RANGE_FINITE || key->range == COND_RANGE_ABOVE ||
                     key->range == COND_RANGE_POISSON;
    if (coordinate || !isfinite(value) || value == 0.0)
        return 1;
    return fabs(value) >= COND_LEAST && fabs(value) <= COND_MOST;
}

int cond_key_accepts(const CondKey* key, double value)
{
    if (isnan(value))
        return key->unset == COND_UNSET_ABSENT || key->unset == COND_UNSET_AUTO;
    switch (key->range) {
    case COND_RANGE_POSITIVE:
        return value > 0.0 && isfinite(value);
    case COND_RANGE_POSITIVE_OR_INFINITE:
        return value > 0.0;
    case COND_RANGE_NOT_NEGATIVE:
        return value >= 0.0 && isfinite(value);
    case COND_RANGE_NOT_NEGATIVE_OR_INFINITE:
        return value >= 0.0;
    case COND_RANGE_ABOVE:
        return value > -INFINITY;
    case COND_RANGE_UNIT:
        return value >= 0.0 && value <= 1.0;
    case COND_RANGE_SHARE:
        return value > 0.0 && value <= 1.0;
    case COND_RANGE_THETA:
        return value >= 0.5 && value <= 1.0;
    case COND_RANGE_FROM_ONE:
        return value >= 1.0 && isfinite(value);
    case COND_RANGE_POISSON:
        return value > -1.0 && value < 0.5;
    case COND_RANGE_FINITE:
        break;
    }
    return isfinite(value);
}
