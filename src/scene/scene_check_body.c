// The rules that bodies obey: which kind has which keys, and what must fit together.
#include "base/tuning.h"
#include "scene/scene_check.h"
#include "scene/shape_kind.h"
#include "scene/tuning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const CondKey* cond_shape_key(const char* section, CondShapeKind shape)
{
    const CondShapeRow* row = cond_shape_row(shape);
    return row ? cond_keys_find(section, row->name) : NULL;
}

static CondStatus refuse_key(const CondBodyDef* def, const CondKey* row, CondSceneIssue* issue)
{
    const char* key = row->text.key;
    char owners[40];
    cond_key_put_bodies(row, owners, sizeof owners);
    const char* noun = cond_body_noun(def->kind);
    const char* hint = NULL;
    if (strcmp(key, "mass") == 0)
        hint = def->kind != COND_BODY_ROBOT ? "its mass comes from the density of its material"
                                            : "its mass comes from its URDF";
    else if (strcmp(key, "shape") == 0 && cond_body_is_soft(def->kind))
        hint = "its mesh is what touches";
    else if (strcmp(key, "shape") == 0 && def->kind == COND_BODY_ROD)
        hint = "its section is what touches";
    else if (strcmp(key, "shape") == 0 && def->kind == COND_BODY_ROBOT)
        hint = "its shapes come from its URDF";
    if (hint)
        return cond_scene_issue_set(issue, key, "a %s has none: %s", noun, hint);
    return cond_scene_issue_set(issue, key, "a %s has none (only kind: %s)", noun, owners);
}

// The fields of a section that the kind does not have must be as the default leaves them.
static CondStatus check_owned(const CondBodyDef* def, const char* section, CondSceneIssue* issue)
{
    const CondBodyDef initial = cond_body_def_default();
    int mesh = cond_shape_is_mesh(def->shape) && def->kind == COND_BODY_RIGID, n_key;
    const CondKey* key = cond_keys_section(section, &n_key);
    const char* part = strchr(section, '.'); // is refused as a whole
    for (int i = 0; i < n_key; ++i) {
        unsigned kinds = cond_key_bodies(&key[i]);
        if (mesh && strcmp(key[i].text.key, "mesh") == 0)
            continue; // the shape's
        if (kinds && !(kinds >> def->kind & 1u) && key[i].structure &&
            !cond_key_same(&key[i], def, &initial))
            return refuse_key(def, part ? cond_keys_find("bodies", part + 1) : &key[i], issue);
    }
    return COND_OK;
}

static CondStatus check_ownership(const CondBodyDef* def, CondSceneIssue* issue)
{
    static const char* const sections[] = {"bodies", "bodies.rod", "bodies.motor"};
    const int robots[] = {def->n_joint, def->n_link, def->n_link_groups};
    static const char* const lists[] = {"joints", "links", "link_groups"};
    CondStatus status = COND_OK;
    for (int i = 0; i < 3 && !status; ++i)
        status = check_owned(def, sections[i], issue);
    if (status)
        return status;
    if (def->kind == COND_BODY_RIGID && !cond_shape_is_mesh(def->shape) && def->mesh_scale != 1.0)
        return cond_scene_issue_set(issue, "scale", "only shapes convex and mesh have one");
    if (def->kind != COND_BODY_RIGID && def->shape != COND_SHAPE_NONE)
        return refuse_key(def, cond_keys_find("bodies", "shape"), issue);
    for (int i = 0; i < 3 && def->kind != COND_BODY_ROBOT; ++i)
        if (robots[i] != 0)
            return refuse_key(def, cond_keys_find("bodies", lists[i]), issue);
    return COND_OK;
}

// Sylvester: a symmetric 3x3 matrix (xx, yy, zz, xy, xz, yz) is positive definite exactly when its
// leading minors are positive. The matrix is scaled by its trace first, against over- and
// underflow.
static int is_positive_definite(const double* a)
{
    double trace = a[0] + a[1] + a[2];
    if (!(trace > 0.0 && isfinite(trace)))
        return 0;
    double xx = a[0] / trace, yy = a[1] / trace, zz = a[2] / trace;
    double xy = a[3] / trace, xz = a[4] / trace, yz = a[5] / trace;
    double minor = xx * yy - xy * xy;
    double determinant = zz * minor - xx * yz * yz - yy * xz * xz + 2.0 * xy * xz * yz;
    return xx > 0.0 && minor > 0.0 && determinant > 0.0;
}

// The inertia I = integral of (|r|^2 1 - r r') dm is that of some distribution of mass exactly when
// integral of r r' dm = tr(I)/2 1 - I has no negative eigenvalue, which is the triangle inequality
// of the principal moments. A flat body meets it with equality, so rounding is allowed for.
static CondStatus check_inertia(const double* inertia, CondSceneIssue* issue)
{
    if (!is_positive_definite(inertia))
        return cond_scene_issue_set(issue, "inertia", "must be positive definite");
    double trace = inertia[0] + inertia[1] + inertia[2];
    double slack = COND_INPUT_ROUNDING * trace;
    double second[6];
    for (int i = 0; i < 3; ++i) {
        second[i] = 0.5 * trace - inertia[i] + slack;
        second[3 + i] = -inertia[3 + i];
    }
    if (!is_positive_definite(second))
        return cond_scene_issue_set(issue, "inertia",
                                    "no body has it: each principal moment must be at most the "
                                    "sum of the other two");
    return COND_OK;
}

static int is_computable(double value)
{
    return value >= COND_LEAST && value <= COND_MOST;
}

void cond_scene_inertial(const CondBodyDef* def, double* mass, double inertia[6])
{
    const CondShapeRow* shape = cond_shape_row(def->shape);
    int measured = cond_shape_is_mesh(def->shape); // when the scene is compiled
    *mass = def->mass;
    memcpy(inertia, def->inertia, sizeof def->inertia);
    if (measured || def->kind != COND_BODY_RIGID)
        return;
    if (def->density > 0.0)
        *mass = shape && shape->volume ? def->density * shape->volume(def->size) : 0.0;
    if (def->inertia_from_shape && shape && shape->inertia)
        shape->inertia(*mass, def->size, inertia);
}

// Mass and moments of inertia, given or made from the shape, can be computed with.
static CondStatus check_inertial(const CondBodyDef* def, CondSceneIssue* issue)
{
    double mass, inertia[6];
    cond_scene_inertial(def, &mass, inertia);
    if (!is_computable(mass))
        return cond_scene_issue_set(issue, def->density != 0.0 ? "density" : "mass",
                                    "makes a mass of %g kg, which must lie in %g .. %g", mass,
                                    COND_LEAST, COND_MOST);
    for (int i = 0; i < 3; ++i)
        if (!is_computable(inertia[i]))
            return cond_scene_issue_set(issue, def->inertia_from_shape ? "shape" : "inertia",
                                        "makes a moment of inertia of %g kg m2, which must lie in "
                                        "%g .. %g",
                                        inertia[i], COND_LEAST, COND_MOST);
    return COND_OK;
}

static CondStatus check_mass(const CondBodyDef* def, CondSceneIssue* issue)
{
    int has_volume = def->shape != COND_SHAPE_NONE && def->shape != COND_SHAPE_POINTS;
    if (def->density != 0.0 && def->mass != 0.0)
        return cond_scene_issue_set(issue, "density", "the mass is given; only one of them may be");
    if (def->density != 0.0 && !has_volume)
        return cond_scene_issue_set(issue, "density", "the body has no shape that has a volume");
    if (def->mass == 0.0 && def->density == 0.0)
        return cond_scene_issue_set(issue, "mass", "is required (a number > 0)");
    return COND_OK;
}

static CondStatus check_points(const CondBodyDef* def, CondSceneIssue* issue)
{
    if (def->n_point < 1 || !def->point)
        return cond_scene_issue_set(issue, "shape.points", "expected at least one point");
    for (int i = 0; i < def->n_point; ++i)
        for (int k = 0; k < 3; ++k)
            if (!isfinite(def->point[3 * (size_t)i + k]))
                return cond_scene_issue_set(issue, "shape.points", "point %d is not finite", i);
    return COND_OK;
}

static CondStatus check_rigid(const CondBodyDef* def, CondSceneIssue* issue)
{
    CondStatus status = check_mass(def, issue);
    if (!status && def->shape == COND_SHAPE_POINTS)
        status = check_points(def, issue);
    else if (!status && cond_shape_is_mesh(def->shape) && !def->mesh[0])
        status = cond_scene_issue_set(issue, "shape", "needs the file of its surface");
    else if (!status && def->shape != COND_SHAPE_NONE)
        status = cond_key_check(cond_shape_key("bodies.shape", def->shape), "shape", def, issue);
    if (!status && !def->inertia_from_shape)
        status = check_inertia(def->inertia, issue);
    if (status || !def->inertia_from_shape)
        return status;
    if (def->shape == COND_SHAPE_NONE || def->shape == COND_SHAPE_POINTS)
        return cond_scene_issue_set(issue, "inertia",
                                    "is required: 3 or 6 numbers (only shapes with a volume can "
                                    "do without)");
    if (!cond_is_zero(6, def->inertia))
        return cond_scene_issue_set(
            issue, "inertia", "is given, but inertia_from_shape says to make it from the shape");
    return COND_OK;
}

static CondStatus check_material(const CondScene* scene, const CondBodyDef* def,
                                 CondSceneIssue* issue)
{
    if (!def->material[0])
        return cond_scene_issue_set(issue, "material", "is required (the name of a material)");
    if (cond_scene_find(scene, COND_SCENE_MATERIAL, def->material) < 0)
        return cond_check_missing(scene, "material", COND_SCENE_MATERIAL, def->material, issue);
    return COND_OK;
}

static CondStatus check_soft(const CondScene* scene, const CondBodyDef* def, CondSceneIssue* issue)
{
    if (!def->mesh[0])
        return cond_scene_issue_set(issue, "mesh", "is required: a file, or a generator such as %s",
                                    def->kind == COND_BODY_SHELL ? "sheet:31,31:0.3,0.3"
                                                                 : "mat:27,27,2:0.3,0.3,0.01");
    if (def->kind == COND_BODY_SHELL && !(def->thickness > 0.0))
        return cond_scene_issue_set(issue, "thickness", "of a shell must be positive");
    return check_material(scene, def, issue);
}

// The joint has a name that none of those before it has; their index grows by it.
static CondStatus check_joint_name(CondArena* arena, const CondBodyDef* def, int i,
                                   CondNameIndex* index, CondSceneIssue* issue)
{
    const char* name = def->joint[i].name;
    char field[40];
    snprintf(field, sizeof field, "joints[%d].name", i);
    if (!*name)
        return cond_scene_issue_set(issue, field, "is required (as in the URDF)");
    if (cond_name_index_find(index, def->joint, sizeof *def->joint, name) >= 0)
        return cond_scene_issue_set(issue, field, "another joint is called '%s' already", name);
    if (cond_name_index_reserve(arena, index, def->joint, sizeof *def->joint, i, i + 1)) {
        cond_scene_issue_set(issue, "", "no memory for the names of joints");
        return COND_OUT_OF_MEMORY;
    }
    cond_name_index_add(index, def->joint, sizeof *def->joint, i);
    return COND_OK;
}

static CondStatus check_joints(const CondScene* scene, const CondBodyDef* def,
                               CondSceneIssue* issue)
{
    if (def->n_joint < 0 || (def->n_joint > 0 && !def->joint))
        return cond_scene_issue_set(issue, "joints", "n_joint is %d, but there are none",
                                    def->n_joint);
    CondArena arena = {.context = scene->arena.context};
    CondNameIndex index = {0};
    CondStatus status = COND_OK;
    for (int i = 0; i < def->n_joint && !status; ++i) {
        char at[32];
        snprintf(at, sizeof at, "joints[%d]", i);
        status = cond_keys_check_at("bodies.joints", at, &def->joint[i], sizeof *def->joint, issue);
        if (!status)
            status = check_joint_name(&arena, def, i, &index, issue);
    }
    cond_arena_release(&arena);
    return status;
}

static CondStatus check_link_groups(const CondBodyDef* def, CondSceneIssue* issue)
{
    CondStatus status = COND_OK;
    if (def->n_link_groups < 0 || (def->n_link_groups > 0 && !def->link_groups))
        return cond_scene_issue_set(issue, "link_groups", "n_link_groups is %d, but there are none",
                                    def->n_link_groups);
    for (int i = 0; i < def->n_link_groups && !status; ++i) {
        char at[32];
        snprintf(at, sizeof at, "link_groups[%d]", i);
        status = cond_keys_check_at("bodies.link_groups", at, &def->link_groups[i],
                                    sizeof *def->link_groups, issue);
        for (int k = 0; k < i && !status; ++k)
            if (strcmp(def->link_groups[k].name, def->link_groups[i].name) == 0)
                status = cond_scene_issue_set(issue, at, "link '%s' is given twice",
                                              def->link_groups[i].name);
    }
    return status;
}

static CondStatus check_robot(const CondScene* scene, const CondBodyDef* def, CondSceneIssue* issue)
{
    if (!def->urdf[0] && def->n_link == 0)
        return cond_scene_issue_set(issue, "urdf",
                                    "is required: the file that describes the robot (or links)");
    if (def->urdf[0] && def->n_link != 0)
        return cond_scene_issue_set(issue, "links", "urdf is given; only one of them may be");
    CondStatus status = cond_scene_check_links(scene, def, issue);
    if (!status)
        status = cond_keys_check("bodies.motor", def, sizeof *def, issue);
    if (!status)
        status = check_joints(scene, def, issue);
    if (!status)
        status = check_link_groups(def, issue);
    if (status || def->floating)
        return status;
    const char* field = NULL;
    if (!cond_is_zero(3, def->velocity))
        field = "velocity";
    else if (!cond_is_zero(3, def->angular_velocity))
        field = "angular_velocity";
    if (field)
        return cond_scene_issue_set(issue, field, "the base stands still (unless floating: true)");
    return COND_OK;
}

CondStatus cond_scene_check_body(const CondScene* scene, const void* definition,
                                 CondSceneIssue* issue)
{
    const CondBodyDef* def = definition;
    CondStatus status = cond_check_length("orientation", 4, def->orientation, issue);
    if (status)
        return status;
    int shape = (int)def->shape;
    if (shape != COND_SHAPE_NONE && !cond_shape_key("bodies.shape", def->shape))
        return cond_scene_issue_set(issue, "shape", "there is no shape number %d", shape);
    status = check_ownership(def, issue);
    if (status)
        return status;
    switch (def->kind) {
    case COND_BODY_PARTICLE:
        return check_mass(def, issue);
    case COND_BODY_RIGID:
        status = check_rigid(def, issue);
        return status || cond_shape_is_mesh(def->shape) ? status : check_inertial(def, issue);
    case COND_BODY_SOFT:
    case COND_BODY_SHELL:
        return check_soft(scene, def, issue);
    case COND_BODY_ROBOT:
        return check_robot(scene, def, issue);
    case COND_BODY_ROD:
        status = cond_scene_check_rod(def, issue);
        return status ? status : check_material(scene, def, issue);
    }
    return COND_OK;
}
