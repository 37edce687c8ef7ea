// Variations, actions and rewards of a scene file.
#include "io/scene_part.h"

CondStatus cond_variation_read(const CondSceneReader* reader, const CondYamlNode* node,
                               const char* path, int place, void* target)
{
    (void)place;
    (void)target;
    CondVariationDef def = cond_variation_def_default();
    CondSection section;
    CondSceneIssue issue;
    CondStatus status = cond_section_read(reader, "randomise", node, path, &def, &section);
    if (status)
        return status;
    status = cond_scene_put_variation(reader->scene, &def, &issue);
    return status ? cond_scene_refuse_issue(reader, status, node, path, &issue) : COND_OK;
}

CondStatus cond_action_read(const CondSceneReader* reader, const CondYamlNode* node,
                            const char* path, int place, void* target)
{
    (void)place;
    (void)target;
    CondActionDef def = cond_action_def_default();
    CondSection section;
    CondSceneIssue issue;
    CondStatus status = cond_section_read(reader, "actions", node, path, &def, &section);
    if (status)
        return status;
    status = cond_scene_put_action(reader->scene, &def, &issue);
    return status ? cond_scene_refuse_issue(reader, status, node, path, &issue) : COND_OK;
}

CondStatus cond_reward_read(const CondSceneReader* reader, const CondYamlNode* node,
                            const char* path, int place, void* target)
{
    (void)place;
    (void)target;
    CondRewardDef def = cond_reward_def_default();
    CondSection section;
    CondSceneIssue issue;
    CondStatus status = cond_section_read(reader, "rewards", node, path, &def, &section);
    if (status)
        return status;
    status = cond_scene_put_reward(reader->scene, &def, &issue);
    return status ? cond_scene_refuse_issue(reader, status, node, path, &issue) : COND_OK;
}
