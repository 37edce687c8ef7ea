// Reads one value into a field, or refuses it with its range (scene_value.h).
#include "scene_file/scene_value.h"

#include "base/error.h"
#include "base/name_distance.h"
#include "base/number.h"
#include "scene/scene_choices.h"
#include "scene/tuning.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CondStatus cond_scene_refuse(const CondSceneReader* reader, const CondYamlNode* node,
                             const char* path, const char* format, ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    // The text of an override begins with the path already.
    if (node->override_root || !*path)
        return cond_yaml_error(reader->error, COND_BAD_INPUT, reader->file, node->line,
                               node->override, "%s", text);
    return cond_yaml_error(reader->error, COND_BAD_INPUT, reader->file, node->line, node->override,
                           "%s: %s", path, text);
}

CondStatus cond_scene_refuse_type(const CondSceneReader* reader, const CondKey* key,
                                  const CondYamlNode* node, const char* path)
{
    const char* article = cond_key_article(key);
    const char* type = key->text.type;
    if (node->kind == COND_YAML_SCALAR && node->plain)
        return cond_scene_refuse(reader, node, path, "expected %s%s, not %.40s", article, type,
                                 node->text);
    if (node->kind == COND_YAML_SCALAR)
        return cond_scene_refuse(reader, node, path, "expected %s%s, not the text \"%.40s\"",
                                 article, type, node->text);
    if (node->kind == COND_YAML_SEQUENCE)
        return cond_scene_refuse(reader, node, path, "expected %s%s, not a list of %d", article,
                                 type, node->n_child);
    return cond_scene_refuse(reader, node, path, "expected %s%s, not a mapping", article, type);
}

static CondStatus check_size(const CondSceneReader* reader, const CondKey* key,
                             const CondYamlNode* node, const char* path, double value)
{
    if (cond_key_can_hold(key, value))
        return COND_OK;
    return cond_scene_refuse(reader, node, path, "the size of %.40s must lie in %g .. %g",
                             node->text, COND_LEAST, COND_MOST);
}

CondStatus cond_scene_read_number(const CondSceneReader* reader, const CondKey* key,
                                  const CondYamlNode* node, const char* path, double* value)
{
    if (node->kind != COND_YAML_SCALAR || !node->plain || !cond_number_parse(node->text, value) ||
        !cond_key_accepts(key, *value))
        return cond_scene_refuse_type(reader, key, node, path);
    return check_size(reader, key, node, path, *value);
}

CondStatus cond_scene_read_point(const CondSceneReader* reader, const CondYamlNode* node,
                                 const char* path, double* point)
{
    static const CondKey vector = {
        .text = {"", "", "vector of 3", "", "", ""}, .type = COND_KEY_VECTOR, .count = 3};
    return cond_scene_read_value(reader, &vector, node, path, point);
}

static int is_word(const CondYamlNode* node, const char* word)
{
    return node->kind == COND_YAML_SCALAR && strcmp(node->text, word) == 0;
}

static CondStatus read_text(const CondSceneReader* reader, const CondKey* key,
                            const CondYamlNode* node, const char* path, char* text)
{
    if (node->kind != COND_YAML_SCALAR || strlen(node->text) >= (size_t)key->count)
        return cond_scene_refuse_type(reader, key, node, path);
    memset(text, 0, (size_t)key->count);
    strcpy(text, node->text);
    return COND_OK;
}

static CondStatus read_whole(const CondSceneReader* reader, const CondKey* key,
                             const CondYamlNode* node, const char* path, int* whole)
{
    double value;
    CondStatus status = cond_scene_read_number(reader, key, node, path, &value);
    if (status)
        return status;
    if (value != floor(value) || fabs(value) > INT_MAX)
        return cond_scene_refuse_type(reader, key, node, path);
    *whole = (int)value;
    return COND_OK;
}

static CondStatus read_switch(const CondSceneReader* reader, const CondKey* key,
                              const CondYamlNode* node, const char* path, int* on)
{
    *on = is_word(node, "true");
    if (!*on && !is_word(node, "false"))
        return cond_scene_refuse_type(reader, key, node, path);
    return COND_OK;
}

static CondStatus read_choice(const CondSceneReader* reader, const CondKey* key,
                              const CondYamlNode* node, const char* path, int* choice)
{
    if (node->kind != COND_YAML_SCALAR)
        return cond_scene_refuse_type(reader, key, node, path);
    const char* near = NULL;
    if (is_word(node, "true") && strcmp(key->choice(0), "false") == 0) {
        *choice = 1; // the usual one of what may be switched off
        return COND_OK;
    }
    const char* word = cond_choice_present_name(node->text);
    for (*choice = 0; *choice < key->count; ++*choice) {
        if (strcmp(word, key->choice(*choice)) == 0)
            return COND_OK;
        if (!near && cond_name_distance(node->text, key->choice(*choice)) >= 0)
            near = key->choice(*choice);
    }
    if (!near)
        return cond_scene_refuse_type(reader, key, node, path);
    return cond_scene_refuse(reader, node, path, "expected %s, not %.40s (did you mean %s?)",
                             key->text.type, node->text, near);
}

static CondStatus read_vector(const CondSceneReader* reader, const CondKey* key,
                              const CondYamlNode* node, const char* path, double* vector)
{
    if (key->type == COND_KEY_SAME && node->kind == COND_YAML_SCALAR) {
        CondStatus status = cond_scene_read_number(reader, key, node, path, vector);
        for (int i = 1; i < key->count; ++i)
            vector[i] = vector[0];
        return status;
    }
    int n = node->n_child;
    int fits = n == key->count || (key->type == COND_KEY_SHORT && n == key->count / 2);
    if (node->kind != COND_YAML_SEQUENCE || !fits)
        return cond_scene_refuse_type(reader, key, node, path);
    for (int i = n; i < key->count; ++i)
        vector[i] = 0.0;
    int i = 0;
    for (const CondYamlNode* child = node->first; child; child = child->next, ++i) {
        char place[COND_KEY_PATH_SIZE + 16];
        snprintf(place, sizeof place, "%s[%d]", path, i);
        double value;
        if (child->kind != COND_YAML_SCALAR || !child->plain ||
            !cond_number_parse(child->text, &value))
            return cond_scene_refuse(reader, child, place, "expected a number, not %.40s",
                                     child->text ? child->text : "a list or a mapping");
        if (!cond_key_accepts(key, value))
            return cond_scene_refuse(reader, child, place, "%.40s is not allowed (expected a %s)",
                                     child->text, key->text.type);
        CondStatus status = check_size(reader, key, child, place, value);
        if (status)
            return status;
        vector[i] = value;
    }
    return COND_OK;
}

// The bit of a group, which gets one with its first mention.
static CondStatus find_group(const CondSceneReader* reader, const CondYamlNode* node,
                             const char* path, uint32_t* bit)
{
    CondScene* scene = reader->scene;
    if (node->kind != COND_YAML_SCALAR || !*node->text || strlen(node->text) >= COND_NAME_SIZE)
        return cond_scene_refuse(reader, node, path, "expected the name of a group");
    int i = 0;
    while (i < scene->n_group && strcmp(scene->group[i], node->text) != 0)
        ++i;
    if (i >= COND_MAX_GROUP)
        return cond_scene_refuse(reader, node, path, "'%s': there are 32 groups already",
                                 node->text);
    if (i == scene->n_group) {
        if (COND_RESERVE(&scene->arena, scene->group, i + 1))
            return cond_error_set(reader->error, COND_OUT_OF_MEMORY, "no memory for %s", path);
        strcpy(scene->group[scene->n_group++], node->text);
    }
    *bit = 1u << i;
    return COND_OK;
}

// Names of groups, or the one word `all`.
static CondStatus read_groups(const CondSceneReader* reader, const CondKey* key,
                              const CondYamlNode* node, const char* path, uint32_t* groups)
{
    *groups = COND_GROUP_ALL;
    if (is_word(node, "all"))
        return COND_OK;
    if (node->kind == COND_YAML_MAPPING)
        return cond_scene_refuse_type(reader, key, node, path);
    *groups = 0;
    int list = node->kind == COND_YAML_SEQUENCE;
    for (const CondYamlNode* name = list ? node->first : node; name;
         name = list ? name->next : NULL) {
        uint32_t bit = 0;
        CondStatus status = find_group(reader, name, path, &bit);
        if (status)
            return status;
        *groups |= bit;
    }
    return COND_OK;
}

CondStatus cond_scene_read_value(const CondSceneReader* reader, const CondKey* key,
                                 const CondYamlNode* node, const char* path, void* structure)
{
    char* at = (char*)structure + key->offset;
    int whole = 0;
    double number[6];
    CondStatus status = COND_OK;
    switch (key->type) {
    case COND_KEY_TEXT:
        return read_text(reader, key, node, path, at);
    case COND_KEY_WHOLE:
        status = read_whole(reader, key, node, path, &whole);
        break;
    case COND_KEY_SWITCH:
        status = read_switch(reader, key, node, path, &whole);
        break;
    case COND_KEY_CHOICE:
        status = read_choice(reader, key, node, path, &whole);
        break;
    case COND_KEY_GROUPS: {
        uint32_t groups;
        status = read_groups(reader, key, node, path, &groups);
        if (!status)
            memcpy(at, &groups, sizeof groups);
        return status;
    }
    case COND_KEY_NUMBER:
    case COND_KEY_VECTOR:
    case COND_KEY_SAME:
    case COND_KEY_SHORT:
        if (key->unset == COND_UNSET_AUTO && is_word(node, "auto"))
            for (int i = 0; i < key->count; ++i)
                number[i] = NAN;
        else if (key->type == COND_KEY_NUMBER)
            status = cond_scene_read_number(reader, key, node, path, number);
        else
            status = read_vector(reader, key, node, path, number);
        if (!status)
            memcpy(at, number, (size_t)key->count * sizeof *number);
        return status;
    default:
        return cond_scene_refuse_type(reader, key, node, path); // not a field; never asked for
    }
    if (!status)
        memcpy(at, &whole, sizeof whole);
    return status;
}
