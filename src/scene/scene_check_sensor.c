// The rules that sensors obey.
#include "scene/scene_check.h"

// Something of a body: the whole, a link, a patch.
static CondStatus check_place(const CondScene* scene, const CondSensorDef* def,
                              CondSceneIssue* issue)
{
    const CondEndDef* on = &def->on;
    int body;
    CondStatus status = cond_check_body_name(scene, "body", on->body, &body, issue);
    if (status)
        return status;
    CondBodyKind kind = scene->body[body].kind;
    const char* noun = cond_body_noun(kind);
    if (kind != COND_BODY_ROBOT && on->link[0])
        return cond_scene_issue_set(issue, "link", "only robots have links; '%s' is a %s", on->body,
                                    noun);
    if (!cond_body_is_soft(kind) && on->patch[0])
        return cond_scene_issue_set(issue, "patch", "only soft bodies have patches; '%s' is a %s",
                                    on->body, noun);
    int moves = def->kind == COND_SENSOR_IMU || def->kind == COND_SENSOR_RANGE;
    if (moves && (kind == COND_BODY_ROD || (cond_body_is_soft(kind) && !on->patch[0])))
        return cond_scene_issue_set(issue, kind == COND_BODY_ROD ? "body" : "patch",
                                    "a sensor of this kind needs a frame: a rigid body, a link or "
                                    "a patch of a soft body");
    if (def->kind == COND_SENSOR_JOINT && kind != COND_BODY_ROBOT)
        return cond_scene_issue_set(issue, "measures", "only robots have joints; '%s' is a %s",
                                    on->body, noun);
    if (def->kind == COND_SENSOR_JOINT && !on->link[0])
        return cond_scene_issue_set(issue, "link", "is required (the link whose joint is read)");
    return on->patch[0] ? cond_check_patch_name(scene, "patch", on->patch, on->body, issue)
                        : COND_OK;
}

CondStatus cond_scene_check_sensor(const CondScene* scene, const void* definition,
                                   CondSceneIssue* issue)
{
    const CondSensorDef* def = definition;
    int other;
    const CondEndDef* on = &def->on;
    CondStatus status = cond_check_length("orientation", 4, def->orientation, issue);
    if (status)
        return status;
    if (def->against[0] && (def->attachment[0] || def->kind != COND_SENSOR_CONTACT))
        return cond_scene_issue_set(issue, "against", "only sensors of contact have it");
    if (def->against[0])
        status = cond_check_body_name(scene, "against", def->against, &other, issue);
    if (status)
        return status;
    if (!def->attachment[0])
        return check_place(scene, def, issue);
    if (on->body[0] || on->link[0] || on->patch[0])
        return cond_scene_issue_set(issue, "body",
                                    "a sensor of an attachment is where the attachment is; only "
                                    "one of body and attachment may be given");
    if (def->kind != COND_SENSOR_CONTACT)
        return cond_scene_issue_set(issue, "measures",
                                    "of an attachment only the force is measured");
    if (cond_scene_find(scene, COND_SCENE_ATTACHMENT, def->attachment) < 0)
        return cond_check_missing(scene, "attachment", COND_SCENE_ATTACHMENT, def->attachment,
                                  issue);
    return COND_OK;
}
