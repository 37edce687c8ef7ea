// Writes what a seed draws into the tree of a scene, and reads the changed entries again.
#include "base/error.h"
#include "base/memory.h"
#include "scene_file/scene_part.h"
#include "scene_file/scene_source.h"

#include <stdio.h>
#include <string.h>

enum NumberText { NUMBER_SIZE = 40 }; // bytes of 17 digits with sign, point and exponent

// "a.b, c.d" holds two paths.
static int count_paths(const char* path)
{
    int n = 1;
    for (; *path; path++)
        n += *path == ',';
    return n;
}

// Writes "path=value" for every path of a variation; returns how many.
static int write_draws(const CondVariationDef* def, double value, char (*text)[COND_PATH_SIZE + 40])
{
    int n = 0;
    for (const char* at = def->path; *at;) {
        at += strspn(at, ", ");
        int length = (int)strcspn(at, ", ");
        if (length > 0)
            snprintf(text[n++], sizeof *text, "%.*s=%.17g", length, at, value);
        at += length;
    }
    return n;
}

static CondStatus no_memory(CondError* error)
{
    return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
}

// 1 where the tree below a node, itself included, holds another.
static int holds(const CondYamlNode* node, const CondYamlNode* wanted)
{
    if (node == wanted)
        return 1;
    for (const CondYamlNode* child = node->first; child; child = child->next)
        if (holds(child, wanted))
            return 1;
    return 0;
}

static int row_of(const char* key)
{
    const CondSceneListRow* row;
    for (int i = 0; (row = cond_scene_list_row(i)); i++)
        if (strcmp(row->key, key) == 0)
            return row->kind < COND_SCENE_N_KIND ? i : -1;
    return -1;
}

// Adds the entries of a list that hold a drawn leaf; `all`: every one of them.
static void add_entries(CondSceneSource* source, int row, const CondYamlNode* list, int all)
{
    int place = 0;
    for (CondYamlNode* entry = list->first; entry; entry = entry->next, place++) {
        int drawn = all;
        for (int i = 0; i < source->n_drawn && !drawn; i++)
            drawn = holds(entry, source->leaf[i]);
        if (drawn)
            source->entry[source->n_entry++] = (CondDrawnEntry){row, place, entry};
    }
}

// 1 where a rod is drawn: where on it things are held has to be looked at again.
static int draws_rod(const CondSceneSource* source)
{
    for (int i = 0; i < source->n_entry; i++)
        if (source->entry[i].node->kind == COND_YAML_MAPPING &&
            cond_yaml_find(source->entry[i].node, "rod"))
            return 1;
    return 0;
}

// Finds what draws change. Where that is not entries of lists alone, or one draw undoes another,
// nothing is known.
static CondStatus find_entries(CondSceneSource* source)
{
    const CondSceneListRow* row;
    int n = 0, found = 0;
    source->n_entry = 0;
    source->gravity = NULL;
    for (const CondYamlNode* top = source->root->first; top; top = top->next)
        n += top->n_child;
    cond_release(&source->context, source->entry);
    source->entry = cond_allocate(&source->context, (size_t)n, sizeof *source->entry);
    if (!source->entry)
        return COND_OUT_OF_MEMORY;
    for (CondYamlNode* top = source->root->first; top; top = top->next)
        for (int i = 0; i < source->n_drawn; i++) {
            int inside = holds(top, source->leaf[i]), at = row_of(top->key);
            int known = strcmp(top->key, "gravity") == 0 || (at >= 0 && top->n_child > 0);
            found += inside && known && source->leaf[i]->kind == COND_YAML_SCALAR;
            if (inside && strcmp(top->key, "gravity") == 0)
                source->gravity = top;
        }
    if (found != source->n_drawn || cond_yaml_find(source->root, "mjcf")) {
        cond_release(&source->context, source->entry);
        source->entry = NULL;
        return COND_OK;
    }
    for (int i = 0; (row = cond_scene_list_row(i)); i++) {
        const CondYamlNode* list = cond_yaml_find(source->root, row->key);
        int held = strcmp(row->key, "attachments") == 0 || strcmp(row->key, "forces") == 0 ||
                   strcmp(row->key, "springs") == 0;
        if (list && row->kind < COND_SCENE_N_KIND)
            add_entries(source, i, list, held && draws_rod(source));
    }
    return COND_OK;
}

// Writes the values anew where they stand.
static void write_leaves(CondSceneSource* source)
{
    for (int i = 0; i < source->n_drawn; i++)
        snprintf(source->leaf[i]->text, NUMBER_SIZE, "%s", strchr(source->drawn[i], '=') + 1);
}

// Puts the values into the tree as overrides, and notes where they stand.
static CondStatus write_overrides(CondSceneSource* source, CondError* error)
{
    CondStatus status = COND_OK;
    cond_release(&source->context, source->leaf);
    cond_release(&source->context, source->entry);
    source->entry = NULL;
    source->leaf = cond_allocate(&source->context, (size_t)source->n_drawn, sizeof *source->leaf);
    if (!source->leaf)
        return no_memory(error);
    for (int i = 0; i < source->n_drawn && !status; i++)
        status = cond_yaml_override_at(&source->context, source->root, source->drawn[i],
                                       &source->leaf[i], error);
    if (!status && find_entries(source))
        status = no_memory(error);
    for (int i = 0; i < source->n_drawn && !status && source->entry; i++) {
        char* room = cond_allocate(&source->context, NUMBER_SIZE, 1);
        if (!room)
            status = no_memory(error);
        else
            snprintf(room, NUMBER_SIZE, "%s", source->leaf[i]->text);
        if (room)
            cond_release(&source->context, source->leaf[i]->text);
        source->leaf[i]->text = room ? room : source->leaf[i]->text;
    }
    if (status) {
        cond_release(&source->context, source->entry);
        source->entry = NULL;
    }
    return status;
}

CondStatus cond_scene_source_draw(CondSceneSource* source, const CondScene* plain, uint64_t seed,
                                  CondError* error)
{
    int n = 0, most = 0;
    for (int i = 0; i < plain->n_variation; i++)
        most += count_paths(plain->variation[i].path);
    if (!source->drawn)
        source->drawn = cond_allocate(&source->context, (size_t)most, sizeof *source->drawn);
    if (!source->drawn)
        return no_memory(error);
    for (int i = 0; i < plain->n_variation; i++)
        n += write_draws(&plain->variation[i], cond_scene_draw(plain, i, seed), source->drawn + n);
    source->n_drawn = n;
    if (!cond_scene_source_is_quick(source))
        return write_overrides(source, error);
    write_leaves(source);
    return COND_OK;
}

int cond_scene_source_is_quick(const CondSceneSource* source)
{
    return source->entry != NULL;
}

int cond_scene_source_changes(const CondSceneSource* source, const char* list)
{
    for (int i = 0; i < source->n_entry; i++)
        if (strcmp(cond_scene_list_row(source->entry[i].list)->key, list) == 0)
            return 1;
    return 0;
}

// Which definition of the scene an entry is: those of the file come last.
static int number_of(const CondSceneSource* source, const CondScene* scene,
                     const CondDrawnEntry* entry)
{
    const CondSceneListRow* row = cond_scene_list_row(entry->list);
    const CondYamlNode* list = cond_yaml_find(source->root, row->key);
    return cond_scene_count(scene, row->kind) - list->n_child + entry->place;
}

CondStatus cond_scene_source_reread(const CondSceneSource* source, CondScene* scene,
                                    CondError* error)
{
    CondSceneReader reader = {source->context, source->file, error, scene};
    CondStatus status = COND_OK;
    if (source->gravity) {
        CondSettingsDraft draft = {.settings = scene->settings};
        status = cond_scene_read_value(&reader, cond_keys_find("", "gravity"), source->gravity,
                                       "gravity", &draft);
        memcpy(scene->settings.gravity, draft.settings.gravity, sizeof scene->settings.gravity);
    }
    for (int i = 0; i < source->n_entry && !status; i++) {
        const CondDrawnEntry* entry = &source->entry[i];
        const CondSceneListRow* row = cond_scene_list_row(entry->list);
        CondNameIndex* index = &scene->name[row->kind];
        char at[COND_KEY_PATH_SIZE];
        cond_entry_path(at, row->key, entry->node, entry->place);
        index->put = 1 + number_of(source, scene, entry);
        status = row->read(&reader, entry->node, at, entry->place, (void*)row);
        index->put = 0;
    }
    return status;
}

void cond_scene_source_mark(const CondSceneSource* source, const CondScene* scene,
                            unsigned char* body, unsigned char* obstacle)
{
    memset(body, 0, (size_t)scene->n_body);
    memset(obstacle, 0, (size_t)scene->n_obstacle);
    for (int i = 0; i < source->n_entry; i++) {
        const char* key = cond_scene_list_row(source->entry[i].list)->key;
        int number = number_of(source, scene, &source->entry[i]);
        if (strcmp(key, "bodies") == 0)
            body[number] = 1;
        else if (strcmp(key, "obstacles") == 0)
            obstacle[number] = 1;
        for (int b = 0; b < scene->n_body && strcmp(key, "materials") == 0; b++)
            if (strcmp(scene->body[b].material, scene->material[number].name) == 0)
                body[b] = 1;
    }
}
