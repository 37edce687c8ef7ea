// The rules that patches, attachments and trajectories obey.
#include "base/tuning.h"
#include "scene/scene_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

CondStatus cond_scene_check_patch(const CondScene* scene, const void* definition,
                                  CondSceneIssue* issue)
{
    const CondPatchDef* def = definition;
    int body = -1;
    CondStatus status = cond_check_body_name(scene, "body", def->body, &body, issue);
    if (status)
        return status;
    CondBodyKind kind = scene->body[body].kind;
    if (!cond_body_is_soft(kind))
        return cond_scene_issue_set(issue, "body", "'%s' is a %s; only soft bodies have patches",
                                    def->body, cond_body_noun(kind));
    for (int i = 0; i < 3; ++i)
        if (def->low[i] > def->high[i])
            return cond_scene_issue_set(issue, "high", "must not lie below low (%c: %g < %g)",
                                        "xyz"[i], def -> high[i], def -> low[i]);
    if (def->material[0] && cond_scene_find(scene, COND_SCENE_MATERIAL, def->material) < 0)
        return cond_check_missing(scene, "material", COND_SCENE_MATERIAL, def->material, issue);
    return COND_OK;
}

CondStatus cond_check_patch_name(const CondScene* scene, const char* field, const char* name,
                                 const char* body, CondSceneIssue* issue)
{
    int patch = cond_scene_find(scene, COND_SCENE_PATCH, name);
    if (patch < 0)
        return cond_check_missing(scene, field, COND_SCENE_PATCH, name, issue);
    if (strcmp(scene->patch[patch].body, body) != 0)
        return cond_scene_issue_set(issue, field, "'%s' is a patch of '%s', not of '%s'", name,
                                    scene->patch[patch].body, body);
    return COND_OK;
}

// An end without a body is a point of the world, or a frame that moves along a trajectory which has
// no body of its own.
static CondStatus check_free_end(const CondScene* scene, const CondEndDef* at, const char* word,
                                 CondSceneIssue* issue)
{
    char field[24];
    if (!at->trajectory[0])
        return COND_OK;
    snprintf(field, sizeof field, "%s.trajectory", word);
    int trajectory = cond_scene_find(scene, COND_SCENE_TRAJECTORY, at->trajectory);
    if (trajectory < 0)
        return cond_check_missing(scene, field, COND_SCENE_TRAJECTORY, at->trajectory, issue);
    if (scene->trajectory[trajectory].body[0])
        return cond_scene_issue_set(issue, field, "'%s' leads '%s'; a frame has no body",
                                    at->trajectory, scene->trajectory[trajectory].body);
    snprintf(field, sizeof field, "%s.point", word);
    if (!cond_is_zero(3, at->point))
        return cond_scene_issue_set(issue, field, "must be zero: a trajectory has its own origin");
    return COND_OK;
}

// An end names a body, and of it what that kind of body is held by.
static CondStatus check_end(const CondScene* scene, const CondAttachmentDef* def, int end,
                            CondSceneIssue* issue)
{
    static const char* const words[2] = {"from", "to"};
    const CondEndDef* at = &def->end[end];
    char body_field[16], link_field[16], patch_field[16], point_field[16];
    snprintf(body_field, sizeof body_field, "%s.body", words[end]);
    snprintf(link_field, sizeof link_field, "%s.link", words[end]);
    snprintf(patch_field, sizeof patch_field, "%s.patch", words[end]);
    snprintf(point_field, sizeof point_field, "%s.point", words[end]);
    if (!at->body[0] && (at->link[0] || at->patch[0]))
        return cond_scene_issue_set(issue, body_field, "is required where a %s is named",
                                    at->link[0] ? "link" : "patch");
    if (!at->body[0])
        return check_free_end(scene, at, words[end], issue);
    if (at->trajectory[0])
        return cond_scene_issue_set(issue, body_field,
                                    "must be left out where a trajectory is named");
    int body;
    CondStatus status = cond_check_body_name(scene, body_field, at->body, &body, issue);
    if (status)
        return status;
    CondBodyKind kind = scene->body[body].kind;
    const char* noun = cond_body_noun(kind);
    if (kind == COND_BODY_ROBOT && !at->link[0])
        return cond_scene_issue_set(issue, link_field, "is required: '%s' is a robot", at->body);
    if (kind != COND_BODY_ROBOT && at->link[0])
        return cond_scene_issue_set(issue, link_field, "only robots have links; '%s' is a %s",
                                    at->body, noun);
    if (cond_body_is_soft(kind) && !at->patch[0])
        return cond_scene_issue_set(issue, patch_field, "is required: '%s' is a soft body",
                                    at->body);
    if (!cond_body_is_soft(kind) && at->patch[0])
        return cond_scene_issue_set(issue, patch_field,
                                    "only soft bodies have patches; '%s' is a %s", at->body, noun);
    status = cond_check_at(scene, body, words[end], at->at, issue);
    if (status)
        return status;
    if (kind == COND_BODY_PARTICLE && def->turns)
        return cond_scene_issue_set(issue, "turns",
                                    "must be false: '%s' is a particle, which has no orientation",
                                    at->body);
    if (!cond_body_is_soft(kind))
        return cond_check_body_point(scene, body, point_field, at->point, issue);
    status = cond_check_patch_name(scene, patch_field, at->patch, at->body, issue);
    if (status)
        return status;
    if (!cond_is_zero(3, at->point))
        return cond_scene_issue_set(issue, point_field, "must be zero: a patch has its own centre");
    return COND_OK;
}

CondStatus cond_scene_check_attachment(const CondScene* scene, const void* definition,
                                       CondSceneIssue* issue)
{
    const CondAttachmentDef* def = definition;
    CondStatus status = COND_OK;
    for (int end = 0; end < 2 && !status; ++end)
        status = check_end(scene, def, end, issue);
    if (status)
        return status;
    const CondEndDef* end = def->end;
    if (!end[0].body[0] && !end[1].body[0])
        return cond_scene_issue_set(issue, "to.body", "at least one end must be on a body");
    if (strcmp(end[0].body, end[1].body) == 0) {
        // Two links of a robot make a closed loop.
        int links = end[0].link[0] && strcmp(end[0].link, end[1].link) != 0;
        if (!links && !end[0].patch[0])
            return cond_scene_issue_set(issue, "to.body",
                                        "must be another body or link than that of from");
        if (!links && strcmp(end[0].patch, end[1].patch) == 0)
            return cond_scene_issue_set(issue, "to.patch",
                                        "must be another patch than that of from");
    }
    if (def->turns && !(def->rotation_stiffness > 0.0))
        return cond_scene_issue_set(issue, "rotation_stiffness",
                                    "must be > 0 where orientation is held (turns: false makes a "
                                    "ball joint)");
    double square = 0.0;
    for (int i = 0; i < 4; i++)
        square += def->orientation[i] * def->orientation[i];
    if (square < COND_INPUT_ROUNDING * COND_INPUT_ROUNDING)
        return cond_scene_issue_set(issue, "orientation", "is zero");
    if (!(def->end_time > def->start))
        return cond_scene_issue_set(issue, "end", "must come after the start (%g s), not at %g s",
                                    def->start, def->end_time);
    return COND_OK;
}

static CondStatus check_target(const CondWaypoint* point, int index, CondSceneIssue* issue)
{
    char at[40];
    snprintf(at, sizeof at, "waypoints[%d].target", index);
    if (isnan(point->target))
        return cond_scene_issue_set(issue, at, "is required (a number)");
    return COND_OK;
}

static CondStatus check_pose(const CondWaypoint* point, int index, CondSceneIssue* issue)
{
    char at[40];
    snprintf(at, sizeof at, "waypoints[%d].position", index);
    for (int k = 0; k < 3; ++k)
        if (isnan(point->position[k]))
            return cond_scene_issue_set(issue, at, "is required (a vector of 3)");
    snprintf(at, sizeof at, "waypoints[%d].orientation", index);
    return cond_check_length(at, 4, point->orientation, issue);
}

static CondStatus check_waypoints(const CondTrajectoryDef* def, CondSceneIssue* issue)
{
    if (def->n_waypoint < 1 || !def->waypoint)
        return cond_scene_issue_set(issue, "waypoints", "expected at least one");
    for (int i = 0; i < def->n_waypoint; ++i) {
        const CondWaypoint* point = &def->waypoint[i];
        char at[40];
        snprintf(at, sizeof at, "waypoints[%d]", i);
        CondStatus status =
            cond_keys_check_at("trajectories.waypoints", at, point, sizeof *point, issue);
        if (status)
            return status;
        status = def->joint[0] ? check_target(point, i, issue) : check_pose(point, i, issue);
        if (status)
            return status;
        snprintf(at, sizeof at, "waypoints[%d].time", i);
        if (i > 0 && !(point->time > point[-1].time))
            return cond_scene_issue_set(issue, at,
                                        "must come after the one before (%g s), not at %g s",
                                        point[-1].time, point->time);
    }
    return COND_OK;
}

// A motor's target goes from waypoint to waypoint alone.
static CondStatus check_joint(const CondTrajectoryDef* def, CondSceneIssue* issue)
{
    int moves = !cond_is_zero(3, def->velocity) || !cond_is_zero(3, def->spin) ||
                !cond_is_zero(3, def->amplitude) || !cond_is_zero(3, def->swing);
    return moves ? cond_scene_issue_set(issue, "joint",
                                        "velocity, spin, amplitude and swing are of links and "
                                        "frames")
                 : COND_OK;
}

CondStatus cond_scene_check_trajectory(const CondScene* scene, const void* definition,
                                       CondSceneIssue* issue)
{
    const CondTrajectoryDef* def = definition;
    int body = -1;
    if (!def->body[0]) {
        if (def->link[0] || def->joint[0])
            return cond_scene_issue_set(issue, "body", "is required where a %s is named",
                                        def->link[0] ? "link" : "joint");
        return check_waypoints(def, issue);
    }
    CondStatus status = cond_check_body_name(scene, "body", def->body, &body, issue);
    if (status)
        return status;
    CondBodyKind kind = scene->body[body].kind;
    if (kind != COND_BODY_ROBOT)
        return cond_scene_issue_set(issue, "body", "'%s' is a %s; only robots follow trajectories",
                                    def->body, cond_body_noun(kind));
    if (def->link[0] && def->joint[0])
        return cond_scene_issue_set(issue, "joint", "must be left out where a link is named");
    if (!def->link[0] && !def->joint[0])
        return cond_scene_issue_set(issue, "link", "is required (the link that follows)");
    if (def->joint[0] && (status = check_joint(def, issue)))
        return status;
    return check_waypoints(def, issue);
}
