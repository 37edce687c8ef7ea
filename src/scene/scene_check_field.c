// Single fields of a definition against the table of keys, and the rules that all kinds share.
#include "base/name_distance.h"
#include "base/tuning.h"
#include "scene/scene_check.h"
#include "scene/tuning.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

CondStatus cond_scene_issue_set(CondSceneIssue* issue, const char* field, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    snprintf(issue->field, sizeof issue->field, "%s", field);
    vsnprintf(issue->text, sizeof issue->text, format, arguments);
    va_end(arguments);
    return COND_BAD_ARGUMENT;
}

// A text field of fixed size ends within it and holds nothing that would garble a message.
static int is_clean_text(const char* text, int size)
{
    for (int i = 0; i < size; ++i) {
        unsigned char letter = (unsigned char)text[i];
        if (letter == 0)
            return 1;
        if (letter < 0x20 || letter == 0x7f)
            return 0;
    }
    return 0;
}

static int is_clean_choice(const CondKey* key, int index)
{
    return index >= 0 && index < key->count;
}

static CondStatus check_field(const CondKey* key, const char* field, const char* at,
                              CondSceneIssue* issue)
{
    const CondSceneKey* text = &key->text;
    int whole = 0;
    switch (key->type) {
    case COND_KEY_TEXT:
        if (!is_clean_text(at, key->count))
            return cond_scene_issue_set(issue, field, "expected a %s, without control characters",
                                        text->type);
        return COND_OK;
    case COND_KEY_WHOLE:
    case COND_KEY_SWITCH:
    case COND_KEY_CHOICE:
        memcpy(&whole, at, sizeof whole);
        if (key->type == COND_KEY_CHOICE ? !is_clean_choice(key, whole)
                                         : !cond_key_accepts(key, whole))
            return cond_scene_issue_set(issue, field, "expected %s%s, not %d",
                                        cond_key_article(key), text->type, whole);
        return COND_OK;
    case COND_KEY_NUMBER:
    case COND_KEY_VECTOR:
    case COND_KEY_SAME:
    case COND_KEY_SHORT:
        break;
    default:
        return COND_OK; // not a field
    }
    int n_unset = 0;
    for (int i = 0; i < key->count; ++i) {
        double value;
        memcpy(&value, at + (size_t)i * sizeof value, sizeof value);
        if (key->unset == COND_UNSET_ZERO && value == 0.0)
            continue;
        if (!cond_key_accepts(key, value))
            return cond_scene_issue_set(issue, field, "expected a %s, not %g", text->type, value);
        if (!cond_key_can_hold(key, value))
            return cond_scene_issue_set(issue, field, "the size of %g must lie in %g .. %g", value,
                                        COND_LEAST, COND_MOST);
        n_unset += isnan(value);
    }
    if (n_unset != 0 && n_unset != key->count)
        return cond_scene_issue_set(issue, field, "expected a %s, all of it given or none",
                                    text->type);
    return COND_OK;
}

static int is_nested(const CondKey* key)
{
    return key->type == COND_KEY_POINTS || key->type == COND_KEY_SECTION ||
           key->type == COND_KEY_LIST;
}

static size_t field_size(const CondKey* key)
{
    switch (key->type) {
    case COND_KEY_TEXT:
        return (size_t)key->count;
    case COND_KEY_WHOLE:
    case COND_KEY_SWITCH:
    case COND_KEY_CHOICE:
    case COND_KEY_GROUPS:
        return sizeof(int);
    default:
        return (size_t)key->count * sizeof(double);
    }
}

int cond_key_same(const CondKey* key, const void* structure, const void* other)
{
    const char* a = (const char*)structure + key->offset;
    const char* b = (const char*)other + key->offset;
    if (key->type == COND_KEY_TEXT)
        return strncmp(a, b, (size_t)key->count) == 0;
    if (field_size(key) == sizeof(int))
        return memcmp(a, b, sizeof(int)) == 0;
    for (int i = 0; i < key->count; ++i) {
        double x, y;
        memcpy(&x, a + (size_t)i * sizeof x, sizeof x);
        memcpy(&y, b + (size_t)i * sizeof y, sizeof y);
        if (!(x == y || (isnan(x) && isnan(y))))
            return 0;
    }
    return 1;
}

CondStatus cond_key_check(const CondKey* key, const char* prefix, const void* structure,
                          CondSceneIssue* issue)
{
    CondStatus status =
        check_field(key, key->text.key, (const char*)structure + key->offset, issue);
    if (status)
        snprintf(issue->field, sizeof issue->field, "%s%s%s", prefix, *prefix ? "." : "",
                 key->text.key);
    return status;
}

CondStatus cond_keys_check_at(const char* section, const char* prefix, const void* structure,
                              size_t size, CondSceneIssue* issue)
{
    int n_key;
    const CondKey* key = cond_keys_section(section, &n_key);
    CondStatus status = COND_OK;
    for (int i = 0; i < n_key && !status; ++i)
        if (!is_nested(&key[i]) && key[i].offset + field_size(&key[i]) <= size)
            status = cond_key_check(&key[i], prefix, structure, issue);
    return status;
}

CondStatus cond_keys_check(const char* section, const void* structure, size_t size,
                           CondSceneIssue* issue)
{
    // The first word of the section is a list, whose entries are checked one by one, or not.
    char word[48] = "";
    size_t length = strcspn(section, ".");
    snprintf(word, sizeof word, "%.*s", (int)length, section);
    const CondKey* top = *word ? cond_keys_find("", word) : NULL;
    const char* prefix = section;
    if (top && top->type == COND_KEY_LIST)
        prefix = section[length] ? section + length + 1 : "";
    return cond_keys_check_at(section, prefix, structure, size, issue);
}

CondStatus cond_check_length(const char* field, int n, const double* x, CondSceneIssue* issue)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
        sum += x[i] * x[i];
    if (sum == 0.0)
        return cond_scene_issue_set(issue, field, "must not be zero");
    double length = sqrt(sum);
    if (!(length > COND_INPUT_ROUNDING && length < 1.0 / COND_INPUT_ROUNDING))
        return cond_scene_issue_set(issue, field, "its length must lie in %g .. %g",
                                    COND_INPUT_ROUNDING, 1.0 / COND_INPUT_ROUNDING);
    return COND_OK;
}

int cond_is_zero(int n, const double* x)
{
    for (int i = 0; i < n; ++i)
        if (x[i] != 0.0)
            return 0;
    return 1;
}

const char* cond_body_noun(CondBodyKind kind)
{
    static const char* const nouns[] = {"particle", "rigid body", "soft body",
                                        "robot",    "rod",        "shell"};
    return nouns[kind];
}

CondStatus cond_check_missing(const CondScene* scene, const char* field, CondSceneKind kind,
                              const char* name, CondSceneIssue* issue)
{
    const char* nearest = NULL;
    const char* word = cond_scene_kind_name(kind);
    int least = 0;
    for (int i = 0; i < cond_scene_count(scene, kind); ++i) {
        const char* known = cond_scene_name(scene, kind, i);
        int distance = cond_name_distance(name, known);
        if (distance >= 0 && (!nearest || distance < least)) {
            nearest = known;
            least = distance;
        }
    }
    if (!nearest)
        return cond_scene_issue_set(issue, field, "there is no %s called '%s'", word, name);
    return cond_scene_issue_set(issue, field, "there is no %s called '%s' (did you mean '%s'?)",
                                word, name, nearest);
}

CondStatus cond_check_body_name(const CondScene* scene, const char* field, const char* name,
                                int* body, CondSceneIssue* issue)
{
    *body = cond_scene_find(scene, COND_SCENE_BODY, name);
    if (*body >= 0)
        return COND_OK;
    return cond_check_missing(scene, field, COND_SCENE_BODY, name, issue);
}

CondStatus cond_check_body_point(const CondScene* scene, int body, const char* field,
                                 const double* point, CondSceneIssue* issue)
{
    if (scene->body[body].kind == COND_BODY_PARTICLE && !cond_is_zero(3, point))
        return cond_scene_issue_set(issue, field, "must be zero: '%s' is a particle",
                                    scene->body[body].name);
    return COND_OK;
}
