// The rules that variations, actions and rewards obey: what makes a scene a task to learn.
#include "scene/scene_check.h"

#include <math.h>
#include <string.h>

CondStatus cond_scene_check_variation(const CondScene* scene, const CondVariationDef* def,
                                      CondSceneIssue* issue)
{
    CondStatus status =
        cond_check_size(def->struct_size, sizeof *def, "cond_variation_def_default", issue);
    if (!status)
        status = cond_keys_check("randomise", def, sizeof *def, issue);
    if (!status)
        status = cond_check_name("variation", def->name, &scene->variation_name, scene->variation,
                                 sizeof *def, issue);
    if (status)
        return status;
    if (!def->path[0])
        return cond_scene_issue_set(issue, "path", "is required, such as bodies.box.mass");
    if (strchr(def->path, '='))
        return cond_scene_issue_set(issue, "path", "holds no value: low and high say it");
    if (def->low > def->high)
        return cond_scene_issue_set(issue, "high", "must not lie below low (%g < %g)", def->high,
                                    def->low);
    if (def->scale == COND_SCALE_LOG && !(def->low > 0.0))
        return cond_scene_issue_set(issue, "low", "must be > 0 where the scale is log");
    return COND_OK;
}

CondStatus cond_scene_check_action(const CondScene* scene, const CondActionDef* def,
                                   CondSceneIssue* issue)
{
    int body = -1;
    CondStatus status =
        cond_check_size(def->struct_size, sizeof *def, "cond_action_def_default", issue);
    if (!status)
        status = cond_keys_check("actions", def, sizeof *def, issue);
    if (!status)
        status = cond_check_name("action", def->name, &scene->action_name, scene->action,
                                 sizeof *def, issue);
    if (status)
        return status;
    if (def->kind == COND_ACTION_ANCHOR) {
        int found = cond_scene_find_attachment(scene, def->attachment);
        if (found < 0)
            return cond_check_missing("attachment", "attachment", def->attachment,
                                      scene->attachment, sizeof *scene->attachment,
                                      scene->n_attachment, issue);
        if (scene->attachment[found].end[1].body[0] ||
            scene->attachment[found].end[1].trajectory[0])
            return cond_scene_issue_set(
                issue, "attachment",
                "'%s' must end in the world (no body or trajectory in its `to`)", def->attachment);
        if (def->turns && !scene->attachment[found].turns)
            return cond_scene_issue_set(issue, "turns", "must be false: '%s' is a ball joint",
                                        def->attachment);
        return COND_OK;
    }
    status = cond_check_body_name(scene, "body", def->body, &body, issue);
    if (status)
        return status;
    if (scene->body[body].kind != COND_BODY_ROBOT)
        return cond_scene_issue_set(issue, "body", "'%s' is a %s; only robots have joints",
                                    def->body, cond_body_noun(scene->body[body].kind));
    if (def->kind == COND_ACTION_POSE && !def->link[0])
        return cond_scene_issue_set(issue, "link", "is required (the link that is led)");
    return COND_OK;
}

CondStatus cond_scene_check_reward(const CondScene* scene, const CondRewardDef* def,
                                   CondSceneIssue* issue)
{
    int body = -1;
    CondStatus status =
        cond_check_size(def->struct_size, sizeof *def, "cond_reward_def_default", issue);
    if (!status)
        status = cond_keys_check("rewards", def, sizeof *def, issue);
    if (!status)
        status = cond_check_name("reward", def->name, &scene->reward_name, scene->reward,
                                 sizeof *def, issue);
    if (!status)
        status = cond_check_body_name(scene, "body", def->at.body, &body, issue);
    if (status || (def->kind != COND_REWARD_WINDING && def->kind != COND_REWARD_CURVE))
        return status;
    if (scene->body[body].kind != COND_BODY_ROD)
        return cond_scene_issue_set(issue, "body", "'%s' is a %s; only rods %s", def->at.body,
                                    cond_body_noun(scene->body[body].kind),
                                    def->kind == COND_REWARD_WINDING ? "wind" : "follow a curve");
    return cond_check_length("axis", 3, def->axis, issue);
}
