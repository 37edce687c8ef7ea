// The rules that variations, actions and rewards obey: what makes a scene a task to learn.
#include "scene/scene_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

CondStatus cond_scene_check_variation(const CondScene* scene, const void* definition,
                                      CondSceneIssue* issue)
{
    (void)scene;
    const CondVariationDef* def = definition;
    if (!def->path[0])
        return cond_scene_issue_set(issue, "path", "is required, such as bodies.box.mass");
    if (strchr(def->path, '='))
        return cond_scene_issue_set(issue, "path", "holds no value: low and high say it");
    if (def->n_choice < 0 || def->n_choice > (int)(sizeof def->choice / sizeof *def->choice))
        return cond_scene_issue_set(issue, "choices", "expected at most %d numbers",
                                    (int)(sizeof def->choice / sizeof *def->choice));
    for (int i = 0; i < def->n_choice; i++)
        if (!isfinite(def->choice[i]))
            return cond_scene_issue_set(issue, "choices", "expected finite numbers");
    if (def->n_choice > 0 && !(isnan(def->low) && isnan(def->high)))
        return cond_scene_issue_set(issue, "choices", "stand instead of low and high");
    if (def->n_choice > 0)
        return COND_OK;
    if (isnan(def->low) || isnan(def->high))
        return cond_scene_issue_set(issue, isnan(def->low) ? "low" : "high",
                                    "is required (a number), or choices are");
    if (def->low > def->high)
        return cond_scene_issue_set(issue, "high", "must not lie below low (%g < %g)", def->high,
                                    def->low);
    if (def->scale == COND_SCALE_LOG && !(def->low > 0.0))
        return cond_scene_issue_set(issue, "low", "must be > 0 where the scale is log");
    return COND_OK;
}

// A box of which both corners are there or neither.
static CondStatus check_box(const CondActionDef* def, CondSceneIssue* issue)
{
    for (int k = 0; k < 3; k++) {
        if (isnan(def->low[k]) != isnan(def->high[k]))
            return cond_scene_issue_set(issue, isnan(def->low[k]) ? "low" : "high",
                                        "is required: a box has two corners");
        if (def->low[k] > def->high[k])
            return cond_scene_issue_set(issue, "high", "must not lie below low (%c: %g < %g)",
                                        "xyz"[k], def -> high[k], def -> low[k]);
    }
    return COND_OK;
}

static CondStatus check_anchor(const CondScene* scene, const CondActionDef* def,
                               CondSceneIssue* issue)
{
    int found = cond_scene_find(scene, COND_SCENE_ATTACHMENT, def->attachment);
    if (found < 0)
        return cond_check_missing(scene, "attachment", COND_SCENE_ATTACHMENT, def->attachment,
                                  issue);
    if (scene->attachment[found].end[1].body[0] || scene->attachment[found].end[1].trajectory[0])
        return cond_scene_issue_set(issue, "attachment",
                                    "'%s' must end in the world (no body or trajectory in its "
                                    "`to`)",
                                    def->attachment);
    if (def->turns && !scene->attachment[found].turns)
        return cond_scene_issue_set(issue, "turns", "must be false: '%s' is a ball joint",
                                    def->attachment);
    return COND_OK;
}

// What a pick or a grip takes.
static CondStatus check_taken(const CondScene* scene, const CondActionDef* def,
                              CondSceneIssue* issue)
{
    int body;
    if (!def->takes[0])
        return COND_OK;
    CondStatus status = cond_check_body_name(scene, "takes", def->takes, &body, issue);
    if (!status && scene->body[body].kind == COND_BODY_ROBOT)
        return cond_scene_issue_set(issue, "takes", "'%s' is a robot, which is not taken",
                                    def->takes);
    return status;
}

CondStatus cond_scene_check_action(const CondScene* scene, const void* definition,
                                   CondSceneIssue* issue)
{
    const CondActionDef* def = definition;
    int body = -1, kind = (int)def->kind;
    CondStatus status = check_box(def, issue);
    if (!status)
        status = check_taken(scene, def, issue);
    if (status || kind == COND_ACTION_PICK)
        return status;
    if (kind == COND_ACTION_ANCHOR)
        return check_anchor(scene, def, issue);
    status = cond_check_body_name(scene, "body", def->body, &body, issue);
    if (status)
        return status;
    if (scene->body[body].kind != COND_BODY_ROBOT)
        return cond_scene_issue_set(issue, "body", "'%s' is a %s; only robots have joints",
                                    def->body, cond_body_noun(scene->body[body].kind));
    int linked =
        kind == COND_ACTION_POSE || kind == COND_ACTION_IMPEDANCE || kind == COND_ACTION_GRIP;
    if (linked && !def->link[0])
        return cond_scene_issue_set(issue, "link", "is required (the link that is driven)");
    if (linked && def->joints[0])
        return cond_scene_issue_set(issue, "joints", "are of joints, velocities and torques");
    return COND_OK;
}

// A point of a body: the whole of it, or what that kind of body has.
static CondStatus check_point(const CondScene* scene, const CondEndDef* at, const char* prefix,
                              CondSceneIssue* issue)
{
    char field[24];
    int body;
    snprintf(field, sizeof field, "%sbody", prefix);
    CondStatus status = cond_check_body_name(scene, field, at->body, &body, issue);
    if (status)
        return status;
    CondBodyKind kind = scene->body[body].kind;
    snprintf(field, sizeof field, "%slink", prefix);
    if (at->link[0] && kind != COND_BODY_ROBOT)
        return cond_scene_issue_set(issue, field, "only robots have links; '%s' is a %s", at->body,
                                    cond_body_noun(kind));
    if (!at->link[0] && kind == COND_BODY_ROBOT)
        return cond_scene_issue_set(issue, field, "is required: '%s' is a robot", at->body);
    snprintf(field, sizeof field, "%spatch", prefix);
    if (at->patch[0] && !cond_body_is_soft(kind))
        return cond_scene_issue_set(issue, field, "only soft bodies have patches; '%s' is a %s",
                                    at->body, cond_body_noun(kind));
    return at->patch[0] ? cond_check_patch_name(scene, field, at->patch, at->body, issue) : COND_OK;
}

CondStatus cond_scene_check_observation(const CondScene* scene, const void* definition,
                                        CondSceneIssue* issue)
{
    const CondObservationDef* def = definition;
    if (def->kind == COND_OBSERVE_ACTION)
        return COND_OK;
    CondStatus status = check_point(scene, &def->at, "", issue);
    if (!status && def->to.body[0])
        status = check_point(scene, &def->to, "to.", issue);
    if (status || def->kind != COND_OBSERVE_POINTS)
        return status;
    CondBodyKind kind = scene->body[cond_scene_find(scene, COND_SCENE_BODY, def->at.body)].kind;
    if (kind != COND_BODY_ROD && !cond_body_is_soft(kind))
        return cond_scene_issue_set(issue, "body",
                                    "'%s' is a %s; only rods and soft bodies have many points",
                                    def->at.body, cond_body_noun(kind));
    return COND_OK;
}

CondStatus cond_scene_check_reward(const CondScene* scene, const void* definition,
                                   CondSceneIssue* issue)
{
    const CondRewardDef* def = definition;
    int body = -1;
    CondStatus status = COND_OK;
    if (def->desired && def->kind != COND_REWARD_DISTANCE &&
        !(def->kind == COND_REWARD_WINDING && !isnan(def->target)))
        status = cond_scene_issue_set(issue, "desired",
                                      "only distance, and winding with a target, have a goal");
    if (!status && def->desired && def->to.body[0])
        status = cond_scene_issue_set(issue, "desired", "the goal must not be a body's point");
    if (!status && def->to.body[0] && def->kind != COND_REWARD_DISTANCE)
        status = cond_scene_issue_set(issue, "to", "only distance has two points");
    if (!status && def->to.body[0])
        status = check_point(scene, &def->to, "to.", issue);
    if (status || def->kind == COND_REWARD_ACTION || def->kind == COND_REWARD_HOLDS)
        return status;
    if (def->kind == COND_REWARD_DISTANCE || def->kind == COND_REWARD_HEIGHT)
        return check_point(scene, &def->at, "", issue);
    status = cond_check_body_name(scene, "body", def->at.body, &body, issue);
    if (status || (def->kind != COND_REWARD_WINDING && def->kind != COND_REWARD_CURVE))
        return status;
    if (scene->body[body].kind != COND_BODY_ROD)
        return cond_scene_issue_set(issue, "body", "'%s' is a %s; only rods %s", def->at.body,
                                    cond_body_noun(scene->body[body].kind),
                                    def->kind == COND_REWARD_WINDING ? "wind" : "follow a curve");
    return cond_check_length("axis", 3, def->axis, issue);
}
