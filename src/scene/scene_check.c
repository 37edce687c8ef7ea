// The rules that planes, obstacles, materials, forces, springs and settings obey. Ranges of single
// fields come from the table of keys; what is written out here are the rules between fields and
// between definitions.
#include "scene/scene_check.h"
#include "base/tuning.h"
#include "scene/shape_kind.h"

#include "base/definition.h"
#include "base/error.h"
#include "mesh/tuning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void cond_scene_plane_direction(const CondPlaneDef* def, double direction[3])
{
    const double* n = def->normal;
    int axis = n[0] * n[0] > n[1] * n[1] + n[2] * n[2] ? 1 : 0;
    for (int i = 0; i < 3; ++i)
        direction[i] = !isnan(def->direction[0]) ? def->direction[i] : i == axis ? 1.0 : 0.0;
}

CondStatus cond_scene_check_plane(const CondScene* scene, const void* definition,
                                  CondSceneIssue* issue)
{
    (void)scene;
    const CondPlaneDef* def = definition;
    CondStatus status = cond_check_length("normal", 3, def->normal, issue);
    if (status || isnan(def->direction[0]))
        return status;
    status = cond_check_length("direction", 3, def->direction, issue);
    if (status)
        return status;
    // |n x d|^2 = |n|^2 |d|^2 sin^2 of their angle
    const double* n = def->normal;
    const double* d = def->direction;
    double x = n[1] * d[2] - n[2] * d[1];
    double y = n[2] * d[0] - n[0] * d[2];
    double z = n[0] * d[1] - n[1] * d[0];
    double lengths2 =
        (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (x * x + y * y + z * z < COND_ROUNDING * lengths2)
        return cond_scene_issue_set(issue, "direction", "must not be parallel to the normal");
    return COND_OK;
}

// Heightfields and terrain.
static CondStatus check_ground(const CondObstacleDef* def, CondSceneIssue* issue)
{
    static const char* const keys[] = {"extent", "height", "depth"};
    const CondObstacleDef initial = cond_obstacle_def_default();
    int heights = def->shape == COND_SHAPE_HEIGHTFIELD;
    int ground = heights || def->shape == COND_SHAPE_TERRAIN;
    CondStatus status = COND_OK;
    for (int k = 0; k < 3 && !status; k++) {
        const CondKey* key = cond_keys_find("obstacles.shape", keys[k]);
        status = cond_key_check(key, "shape", def, issue);
        if (!status && !(heights || (ground && k == 2)) && !cond_key_same(key, def, &initial))
            status = cond_scene_issue_set(issue, "shape", "%s: only %s one", keys[k],
                                          k == 2 ? "a heightfield or a terrain has"
                                                 : "a heightfield has");
    }
    if (status || !heights)
        return status;
    if (!(def->extent[0] > 0.0 && def->extent[1] > 0.0))
        return cond_scene_issue_set(issue, "shape.extent",
                                    "is required: two lengths > 0, along x and y");
    if (def->height == 0.0)
        return cond_scene_issue_set(issue, "shape.height", "must not be zero");
    if (def->n_row == 0 && def->n_column == 0)
        return COND_OK;
    if (def->n_row < 2 || def->n_column < 2 || def->n_row > COND_MOST_HEIGHTS ||
        def->n_column > COND_MOST_HEIGHTS || !def->heights)
        return cond_scene_issue_set(issue, "shape.heightfield", "expected 2 to %d rows and columns",
                                    COND_MOST_HEIGHTS);
    for (int k = 0; k < def->n_row * def->n_column; k++)
        if (!isfinite(def->heights[k]))
            return cond_scene_issue_set(issue, "shape.heightfield",
                                        "a height is not a finite number");
    return COND_OK;
}

CondStatus cond_scene_check_obstacle(const CondScene* scene, const void* definition,
                                     CondSceneIssue* issue)
{
    (void)scene;
    const CondObstacleDef* def = definition;
    CondStatus status = cond_check_length("orientation", 4, def->orientation, issue);
    if (status)
        return status;
    const CondKey* shape = cond_shape_key("obstacles.shape", def->shape);
    int heights = def->shape == COND_SHAPE_HEIGHTFIELD, scaled = cond_shape_is_mesh(def->shape);
    if (!shape)
        return cond_scene_issue_set(issue, "shape",
                                    "expected one of box, sphere, capsule, cylinder, convex, mesh, "
                                    "heightfield, terrain");
    if (cond_shape_is_mesh(def->shape) && !def->mesh[0] && !(heights && def->n_row != 0))
        return cond_scene_issue_set(issue, "shape", "needs the file of its surface");
    if ((!scaled || heights) && def->mesh_scale != 1.0)
        return cond_scene_issue_set(issue, "scale",
                                    "only shapes convex, mesh and terrain have one");
    status = check_ground(def, issue);
    return status ? status : cond_key_check(shape, "shape", def, issue);
}

CondStatus cond_scene_check_exclude(const CondScene* scene, const void* definition,
                                    CondSceneIssue* issue)
{
    const CondExcludeDef* def = definition;
    CondStatus status = def->touches ? cond_keys_check("pairs", def, sizeof *def, issue) : COND_OK;
    CondSceneThing thing[2];
    for (int s = 0; s < 2 && !status; s++) {
        if (!memchr(def->thing[s], 0, sizeof def->thing[s]))
            return cond_scene_issue_set(issue, "", "a name has no end");
        int n = cond_scene_find_thing(scene, def->thing[s], &thing[s]);
        if (n == 0)
            status = cond_scene_issue_set(
                issue, "", "there is no body, link (robot/link), obstacle or plane called '%s'",
                def->thing[s]);
        else if (n > 1)
            status = cond_scene_issue_set(
                issue, "", "'%s' is the name of several: a body, an obstacle or a plane",
                def->thing[s]);
    }
    if (!status && thing[0].body >= 0 && thing[0].body == thing[1].body &&
        (!thing[0].link[0] || !thing[1].link[0] || strcmp(thing[0].link, thing[1].link) == 0))
        return cond_scene_issue_set(issue, "",
                                    "'%s' and '%s' are not two things (of a whole body with "
                                    "itself self_contact: false says so)",
                                    def->thing[0], def->thing[1]);
    return status;
}

CondStatus cond_scene_check_material(const CondScene* scene, const void* definition,
                                     CondSceneIssue* issue)
{
    (void)scene;
    const CondMaterialDef* def = definition;
    int constant = def->geometric == COND_GEOMETRIC_CONSTANT;
    if ((def->strain_limit > 0.0) != (def->limit_modulus > 0.0))
        return cond_scene_issue_set(issue,
                                    def->strain_limit > 0.0 ? "limit_modulus" : "strain_limit",
                                    "is required with the other one of the two");
    if (!(def->yield_hardening < 1.0))
        return cond_scene_issue_set(issue, "yield_hardening", "must be below 1");
    if (def->yield_hardening > 0.0 && !(def->yield_curvature > 0.0))
        return cond_scene_issue_set(issue, "yield_curvature", "is required with yield_hardening");
    if (constant && def->geometric_stiffness == 0.0)
        return cond_scene_issue_set(issue, "geometric_stiffness",
                                    "is required for geometric: constant (a number > 0)");
    if (!constant && def->geometric_stiffness != 0.0)
        return cond_scene_issue_set(issue, "geometric_stiffness",
                                    "is of use for geometric: constant only");
    return COND_OK;
}

// The body that a force or a spring acts on, at a point of it.
static CondStatus check_pushed(const CondScene* scene, const char* field, const char* name,
                               const char* point_field, const double* point, int* body,
                               CondSceneIssue* issue)
{
    CondStatus status = cond_check_body_name(scene, field, name, body, issue);
    if (status)
        return status;
    CondBodyKind kind = scene->body[*body].kind;
    if (kind != COND_BODY_PARTICLE && kind != COND_BODY_RIGID && kind != COND_BODY_ROD)
        return cond_scene_issue_set(issue, field,
                                    "'%s' is a %s; springs, and forces at a point, act on "
                                    "particles, rigid bodies and rods",
                                    name, cond_body_noun(kind));
    return cond_check_body_point(scene, *body, point_field, point, issue);
}

// On a soft body forces act on the nodes of a patch, pressures on its faces.
static CondStatus check_load(const CondScene* scene, const CondForceDef* def, CondSceneIssue* issue)
{
    if (!def->patch[0] && !cond_is_zero(3, def->force))
        return cond_scene_issue_set(issue, "patch", "is required: '%s' is a soft body", def->body);
    if (!cond_is_zero(3, def->torque))
        return cond_scene_issue_set(issue, "torque", "must be zero: '%s' is a soft body",
                                    def->body);
    if (!cond_is_zero(3, def->point))
        return cond_scene_issue_set(issue, "point", "must be zero: a patch has its own nodes");
    return def->patch[0] ? cond_check_patch_name(scene, "patch", def->patch, def->body, issue)
                         : COND_OK;
}

static CondStatus check_place(const CondScene* scene, const CondForceDef* def, int* body,
                              CondSceneIssue* issue)
{
    CondStatus status = cond_check_body_name(scene, "body", def->body, body, issue);
    if (status)
        return status;
    if (cond_body_is_soft(scene->body[*body].kind))
        return check_load(scene, def, issue);
    if (def->patch[0] || def->pressure != 0.0)
        return cond_scene_issue_set(issue, def->patch[0] ? "patch" : "pressure",
                                    "is of soft bodies; '%s' is a %s", def->body,
                                    cond_body_noun(scene->body[*body].kind));
    return check_pushed(scene, "body", def->body, "point", def->point, body, issue);
}

CondStatus cond_scene_check_force(const CondScene* scene, const void* definition,
                                  CondSceneIssue* issue)
{
    const CondForceDef* def = definition;
    int body = -1;
    CondStatus status = check_place(scene, def, &body, issue);
    if (status)
        return status;
    status = cond_check_at(scene, body, "", def->at, issue);
    if (status)
        return status;
    if (scene->body[body].kind == COND_BODY_PARTICLE && !cond_is_zero(3, def->torque))
        return cond_scene_issue_set(issue, "torque", "must be zero: '%s' is a particle",
                                    scene->body[body].name);
    if (!(def->end > def->start))
        return cond_scene_issue_set(issue, "end", "must come after the start (%g s), not at %g s",
                                    def->start, def->end);
    return COND_OK;
}

// A joint instead of a point. Which joints the robot has is known once its files are read.
static CondStatus check_spring_joint(const CondScene* scene, const CondSpringDef* def, int end,
                                     int* body, CondSceneIssue* issue)
{
    static const char* const bodies[2] = {"from.body", "to.body"};
    static const char* const points[2] = {"from.point", "to.point"};
    static const char* const ats[2] = {"from.at", "to.at"};
    static const char* const ratios[2] = {"from.ratio", "to.ratio"};
    CondStatus status = cond_check_body_name(scene, bodies[end], def->body[end], body, issue);
    if (status)
        return status;
    if (scene->body[*body].kind != COND_BODY_ROBOT)
        return cond_scene_issue_set(issue, bodies[end], "'%s' is a %s and has no joints",
                                    def->body[end], cond_body_noun(scene->body[*body].kind));
    if (!cond_is_zero(3, def->point[end]))
        return cond_scene_issue_set(issue, points[end], "must be zero: the end is a joint");
    if (!isnan(def->at[end]))
        return cond_scene_issue_set(issue, ats[end], "is of rods; the end is a joint");
    if (def->ratio[end] == 0.0)
        return cond_scene_issue_set(issue, ratios[end], "must not be 0");
    return COND_OK;
}

// Of ends between joints: both are joints, or the other one is left out.
static CondStatus check_between_joints(const CondScene* scene, const CondSpringDef* def,
                                       CondSceneIssue* issue)
{
    static const char* const joints[2] = {"from.joint", "to.joint"};
    CondStatus status = COND_OK;
    for (int end = 0; end < 2 && !status; end++) {
        int body;
        if (def->joint[end][0])
            status = check_spring_joint(scene, def, end, &body, issue);
        else if (def->body[end][0] || !cond_is_zero(3, def->point[end]))
            status =
                cond_scene_issue_set(issue, joints[end], "is required: the other end is a joint");
    }
    if (!status && strcmp(def->body[0], def->body[1]) == 0 &&
        strcmp(def->joint[0], def->joint[1]) == 0)
        return cond_scene_issue_set(issue, "to.joint", "must be another joint than that of from");
    return status;
}

static CondStatus check_between_points(const CondScene* scene, const CondSpringDef* def,
                                       CondSceneIssue* issue)
{
    static const char* const bodies[2] = {"from.body", "to.body"};
    static const char* const points[2] = {"from.point", "to.point"};
    static const char* const ratios[2] = {"from.ratio", "to.ratio"};
    static const char* const ends[2] = {"from", "to"};
    CondStatus status = COND_OK;
    int body[2] = {-1, -1};
    for (int end = 0; end < 2 && !status; ++end) {
        if (def->body[end][0])
            status = check_pushed(scene, bodies[end], def->body[end], points[end], def->point[end],
                                  &body[end], issue);
        if (!status && body[end] >= 0)
            status = cond_check_at(scene, body[end], ends[end], def->at[end], issue);
        if (!status && def->ratio[end] != 1.0)
            status = cond_scene_issue_set(issue, ratios[end], "is of joints; the end is a point");
    }
    if (status)
        return status;
    if (def->rest_length < 0.0)
        return cond_scene_issue_set(issue, "rest_length", "expected a number >= 0 or auto, not %g",
                                    def->rest_length);
    if (body[0] < 0 && body[1] < 0)
        return cond_scene_issue_set(issue, "to.body", "at least one end must be on a body");
    if (body[0] == body[1] && scene->body[body[0]].kind != COND_BODY_ROD)
        return cond_scene_issue_set(issue, "to.body", "must be another body than that of from");
    if (body[0] == body[1] && def->at[0] == def->at[1])
        return cond_scene_issue_set(
            issue, "to.at", "must be another point of '%s' than that of from", def->body[0]);
    return COND_OK;
}

CondStatus cond_scene_check_spring(const CondScene* scene, const void* definition,
                                   CondSceneIssue* issue)
{
    const CondSpringDef* def = definition;
    return def->joint[0][0] || def->joint[1][0] ? check_between_joints(scene, def, issue)
                                                : check_between_points(scene, def, issue);
}

CondStatus cond_scene_check_settings(const CondSceneSettings* settings, CondSceneIssue* issue)
{
    static const char* const sections[] = {"",        "step", "contact",     "solver",
                                           "penalty", "pbd",  "environment", "environment.observe"};
    CondStatus status = COND_OK;
    if (!cond_definition_fits(settings->struct_size, sizeof *settings))
        status = cond_scene_issue_set(
            issue, "", "the definition was not made by cond_scene_settings_default()");
    for (size_t i = 0; i < sizeof sections / sizeof *sections && !status; ++i)
        status = cond_keys_check(sections[i], settings, sizeof *settings, issue);
    if (status)
        return status;
    CondError error;
    if (!cond_solver_settings_check(&settings->solver, &error))
        return COND_OK;
    // The solver's message begins with the field, "name: what is wrong".
    static const char* const homes[] = {"solver", "contact"};
    char name[32];
    const char* colon = strchr(error.message, ':');
    snprintf(name, sizeof name, "%.*s", colon ? (int)(colon - error.message) : 0, error.message);
    for (int i = 0; i < 2; ++i) {
        if (!*name || !cond_keys_find(homes[i], name))
            continue;
        char field[48];
        snprintf(field, sizeof field, "%s.%s", homes[i], name);
        return cond_scene_issue_set(issue, field, "%.250s", colon + 1 + (colon[1] == ' '));
    }
    return cond_scene_issue_set(issue, "solver", "%.250s", error.message);
}

CondStatus cond_scene_settings_check(const CondSceneSettings* settings, CondError* error)
{
    CondSceneIssue issue;
    CondStatus status = cond_scene_check_settings(settings, &issue);
    if (!status)
        return COND_OK;
    return cond_error_set(error, status, "settings: %s%s%s", issue.field, *issue.field ? ": " : "",
                          issue.text);
}
