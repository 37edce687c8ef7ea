// The rules that cameras obey.
#include "math/vec3.h"
#include "scene/scene_check.h"

#include <math.h>

// Something that a camera can be mounted on.
static CondStatus check_mount(const CondScene* scene, const CondCameraDef* def,
                              CondSceneIssue* issue)
{
    int body;
    if (!def->body[0] && def->link[0])
        return cond_scene_issue_set(issue, "body", "is required (the robot of link '%s')",
                                    def->link);
    if (!def->body[0])
        return COND_OK;
    CondStatus status = cond_check_body_name(scene, "body", def->body, &body, issue);
    if (status)
        return status;
    CondBodyKind kind = scene->body[body].kind;
    const char* noun = cond_body_noun(kind);
    if (cond_body_is_soft(kind) || kind == COND_BODY_ROD)
        return cond_scene_issue_set(issue, "body",
                                    "a camera is mounted on a rigid body, a particle or a robot; "
                                    "'%s' is a %s",
                                    def->body, noun);
    if (kind != COND_BODY_ROBOT && def->link[0])
        return cond_scene_issue_set(issue, "link", "only robots have links; '%s' is a %s",
                                    def->body, noun);
    return COND_OK;
}

CondStatus cond_scene_check_camera(const CondScene* scene, const void* definition,
                                   CondSceneIssue* issue)
{
    const CondCameraDef* def = definition;
    double ahead[3], side[3];
    if (isnan(def->position[0]))
        return cond_scene_issue_set(issue, "position", "is required");
    CondStatus status = cond_check_length("up", 3, def->up, issue);
    if (status)
        return status;
    for (int i = 0; i < 3; i++)
        ahead[i] = def->target[i] - def->position[i];
    if (!(vec3_norm(ahead) > 0.0))
        return cond_scene_issue_set(issue, "target", "must not be the position");
    vec3_cross(ahead, def->up, side);
    if (!(vec3_norm(side) > COND_ROUNDING * vec3_norm(ahead) * vec3_norm(def->up)))
        return cond_scene_issue_set(issue, "up", "must not point along the view");
    if (!(def->field > 0.0 && def->field < 180.0))
        return cond_scene_issue_set(issue, "field", "is %g: must be between 0 and 180 degrees",
                                    def->field);
    return check_mount(scene, def, issue);
}
