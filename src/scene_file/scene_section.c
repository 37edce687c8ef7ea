// Reads mappings and lists by the table of keys (scene_section.h).
#include "scene_file/scene_section.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Copies at most `most` letters; returns how many.
static int copy_word(char* to, const char* from, int most)
{
    int n = 0;
    for (; n < most && from[n]; n++)
        to[n] = from[n];
    return n;
}

// By hand: it is made for every key that is read, and told where one is refused.
void cond_path_join(char* path, const char* parent, const char* key)
{
    int n = copy_word(path, parent, 80);
    if (n > 0)
        path[n++] = '.';
    n += copy_word(path + n, key, 64);
    path[n] = '\0';
}

static CondStatus refuse_unknown(const CondSceneReader* reader, const char* section,
                                 const CondYamlNode* child, const char* path)
{
    const CondKey* near = cond_keys_nearest(section, child->key);
    if (near)
        return cond_scene_refuse(reader, child, path, "unknown key (did you mean %s?)",
                                 near->text.key);
    const CondKey* other = cond_keys_find_elsewhere(section, child->key);
    if (other)
        return cond_scene_refuse(reader, child, path, "unknown key here; %s belongs %s%s",
                                 child->key, *other->text.section ? "in " : "to the top level",
                                 other->text.section);
    char known[1024] = ""; // all keys of the longest section
    size_t length = 0;
    int n_key;
    const CondKey* key = cond_keys_section(section, &n_key);
    for (int i = 0; i < n_key && length < sizeof known - 40; ++i)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "",
                                   key[i].text.key);
    return cond_scene_refuse(reader, child, path, "unknown key (known: %s)", known);
}

// Finds the row of every key of a mapping, and refuses those that are unknown, doubled or empty.
static CondStatus match_section(const CondSceneReader* reader, const char* name,
                                const CondYamlNode* mapping, const char* path, CondSection* section)
{
    memset(section, 0, sizeof *section);
    section->key = cond_keys_section(name, &section->n_key);
    char at[COND_KEY_PATH_SIZE];
    for (const CondYamlNode* child = mapping->first; child; child = child->next) {
        cond_path_join(at, path, child->key);
        const CondKey* key = cond_keys_find(name, child->key);
        if (!key)
            return refuse_unknown(reader, name, child, at);
        const CondYamlNode** place = &section->node[key - section->key];
        if (*place)
            return cond_scene_refuse(reader, child, at, "given twice (first on line %d)",
                                     (*place)->line);
        if (cond_yaml_is_null(child))
            return cond_scene_refuse(reader, child, at, "has no value (expected %s%s)",
                                     cond_key_article(key), key->text.type);
        *place = child;
    }
    return COND_OK;
}

static int is_field(const CondKey* key)
{
    return key->type != COND_KEY_SECTION && key->type != COND_KEY_LIST &&
           key->type != COND_KEY_POINTS;
}

CondStatus cond_section_read(const CondSceneReader* reader, const char* name,
                             const CondYamlNode* mapping, const char* path, void* structure,
                             CondSection* section)
{
    if (mapping->kind != COND_YAML_MAPPING)
        return cond_scene_refuse(reader, mapping, path, "expected a mapping of keys and values");
    CondStatus status = match_section(reader, name, mapping, path, section);
    for (int i = 0; i < section->n_key && !status; ++i) {
        const CondKey* key = &section->key[i];
        char at[COND_KEY_PATH_SIZE];
        cond_path_join(at, path, key->text.key);
        if (section->node[i] && is_field(key))
            status = cond_scene_read_value(reader, key, section->node[i], at, structure);
        else if (!section->node[i] && cond_key_is_required(key))
            // Said by hand and not by refuse(): a key that is absent has no node of its own.
            status = cond_yaml_error(reader->error, COND_BAD_INPUT, reader->file, mapping->line,
                                     mapping->override, "%s: is required (%s%s)", at,
                                     cond_key_article(key), key->text.type);
    }
    return status;
}

CondStatus cond_section_read_inner(const CondSceneReader* reader, const CondSection* section,
                                   const char* name, const char* path, void* structure)
{
    CondStatus status = COND_OK;
    for (int i = 0; i < section->n_key && !status; ++i) {
        const char* key = section->key[i].text.key;
        char inner[COND_KEY_PATH_SIZE], at[COND_KEY_PATH_SIZE];
        cond_path_join(inner, name, key);
        cond_path_join(at, path, key);
        CondSection within;
        if (!section->node[i] || !cond_keys_inner(section->key, inner))
            continue;
        status = cond_section_read(reader, inner, section->node[i], at, structure, &within);
        if (!status)
            status = cond_section_read_inner(reader, &within, inner, at, structure);
    }
    return status;
}

const CondYamlNode* cond_section_node(const CondSection* section, const char* key)
{
    for (int i = 0; i < section->n_key; ++i)
        if (strcmp(section->key[i].text.key, key) == 0)
            return section->node[i];
    return NULL;
}

// Follows one step of a field, such as "shape" or "joints[2]", as far as the file goes; *rest moves
// past what was found.
static const CondYamlNode* find_step(const CondYamlNode* node, const char** rest)
{
    char key[48] = "";
    size_t length = strcspn(*rest, ".[");
    memcpy(key, *rest, length);
    const CondYamlNode* child = cond_yaml_find(node, key);
    if (child && (*rest)[length] == '[') {
        char* end;
        long place = strtol(*rest + length + 1, &end, 10);
        child = child->first;
        while (child && place-- > 0)
            child = child->next;
        length = (size_t)(end - *rest) + 1;
    }
    if (child)
        *rest += length + ((*rest)[length] == '.');
    return child;
}

CondStatus cond_scene_refuse_issue(const CondSceneReader* reader, CondStatus status,
                                   const CondYamlNode* item, const char* path,
                                   const CondSceneIssue* issue)
{
    if (status == COND_OUT_OF_MEMORY)
        return cond_error_set(reader->error, status, "%s", issue->text);
    const CondYamlNode* node = item;
    const char* rest = issue->field;
    while (*rest) {
        const CondYamlNode* child = find_step(node, &rest);
        if (!child)
            break;
        node = child;
    }
    char at[COND_KEY_PATH_SIZE];
    cond_path_join(at, path, issue->field);
    if (!*issue->field)
        snprintf(at, sizeof at, "%s", path);
    return cond_scene_refuse(reader, node, at, "%s", issue->text);
}

// "bodies.box" for an entry that has a name, "bodies[3]" for one that has none.
void cond_entry_path(char* path, const char* list, const CondYamlNode* entry, int place)
{
    const CondYamlNode* name = cond_yaml_find(entry, "name");
    if (name && name->kind == COND_YAML_SCALAR && *name->text)
        cond_path_join(path, list, name->text);
    else
        snprintf(path, COND_KEY_PATH_SIZE, "%.100s[%d]", list, place);
}

CondStatus cond_list_read(const CondSceneReader* reader, const CondKey* key,
                          const CondYamlNode* list, const char* path, CondEntryRead* read,
                          void* target)
{
    if (list->kind != COND_YAML_SEQUENCE)
        return cond_scene_refuse_type(reader, key, list, path);
    int place = 0;
    for (const CondYamlNode* entry = list->first; entry; entry = entry->next) {
        char at[COND_KEY_PATH_SIZE];
        cond_entry_path(at, path, entry, place);
        CondStatus status = read(reader, entry, at, place++, target);
        if (status)
            return status;
    }
    return COND_OK;
}
