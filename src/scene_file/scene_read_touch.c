// Pairs that may touch in a scene file: groups and excluded pairs.
#include "base/error.h"
#include "base/memory.h"
#include "scene_file/scene_part.h"

#include <string.h>

CondStatus cond_exclude_read(const CondSceneReader* reader, const CondYamlNode* node,
                             const char* path, int place, void* target)
{
    (void)place;
    (void)target;
    CondExcludeDef def = cond_exclude_def_default();
    if (node->kind != COND_YAML_SEQUENCE || node->n_child != 2)
        return cond_scene_refuse(reader, node, path, "expected two names, such as [box, arm/hand]");
    int side = 0;
    for (const CondYamlNode* name = node->first; name; name = name->next) {
        if (name->kind != COND_YAML_SCALAR || strlen(name->text) >= sizeof def.thing[0])
            return cond_scene_refuse(reader, name, path,
                                     "expected the name of a body, plane, obstacle or link");
        strcpy(def.thing[side++], name->text);
    }
    CondSceneIssue issue;
    CondStatus status = cond_scene_put_def(reader->scene, COND_SCENE_EXCLUDE, &def, &issue);
    return status ? cond_scene_refuse_issue(reader, status, node, path, &issue) : COND_OK;
}

CondStatus cond_pair_read(const CondSceneReader* reader, const CondYamlNode* node, const char* path,
                          int place, void* target)
{
    (void)place;
    (void)target;
    CondExcludeDef def = cond_exclude_def_default();
    CondSection section;
    CondSceneIssue issue;
    def.touches = 1;
    CondStatus status = cond_section_read(reader, "pairs", node, path, &def, &section);
    if (status)
        return status;
    status = cond_scene_put_def(reader->scene, COND_SCENE_EXCLUDE, &def, &issue);
    return status ? cond_scene_refuse_issue(reader, status, node, path, &issue) : COND_OK;
}

CondStatus cond_groups_begin(const CondSceneReader* reader)
{
    CondScene* scene = reader->scene;
    if (COND_RESERVE(&scene->arena, scene->group, 1))
        return cond_error_set(reader->error, COND_OUT_OF_MEMORY, "no memory for the groups");
    memset(scene->group[0], 0, sizeof scene->group[0]);
    strcpy(scene->group[0], "default");
    scene->n_group = 1;
    return COND_OK;
}

// The first place in the file, or in a part of it, where something touches the group.
static const CondYamlNode* find_mention(const CondYamlNode* node, const char* group)
{
    if (node->key && strcmp(node->key, "touches") == 0) {
        if (node->kind == COND_YAML_SCALAR)
            return strcmp(node->text, group) == 0 ? node : NULL;
        for (const CondYamlNode* name = node->first; name; name = name->next)
            if (name->kind == COND_YAML_SCALAR && strcmp(name->text, group) == 0)
                return name;
    }
    const CondYamlNode* found = NULL;
    for (const CondYamlNode* child = node->first; child && !found; child = child->next)
        found = find_mention(child, group);
    return found;
}

CondStatus cond_groups_check(const CondSceneReader* reader, const CondYamlNode* root)
{
    const CondScene* scene = reader->scene;
    uint32_t groups = COND_GROUP_DEFAULT;
    for (int i = 0; i < scene->n_body; i++) {
        groups |= scene->body[i].groups;
        for (int k = 0; k < scene->body[i].n_link_groups; k++)
            groups |= scene->body[i].link_groups[k].groups;
    }
    for (int i = 0; i < scene->n_obstacle; i++)
        groups |= scene->obstacle[i].groups;
    for (int i = 0; i < scene->n_plane; i++)
        groups |= scene->plane[i].groups;
    for (int i = 0; i < scene->n_group; i++) {
        const CondYamlNode* node = groups >> i & 1u ? NULL : find_mention(root, scene->group[i]);
        if (node)
            return cond_scene_refuse(reader, node, "touches", "nothing is in the group '%s'",
                                     scene->group[i]);
    }
    return COND_OK;
}
