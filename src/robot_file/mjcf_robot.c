// Trees of bodies -> robots and rigid bodies of a scene.
#include "base/tuning.h"
#include "math/quat.h"
#include "robot_file/mjcf_make.h"
#include "scene/shape_kind.h"

#include <stdio.h>
#include <string.h>

// A robot while it is made; all arrays are the arena's.
typedef struct Robot {
    CondBodyDef def;
    CondLinkDef* link;      // (def.n_link)
    CondJointDef* joint;    // (def.n_joint)
    CondLinkGroups* groups; // (def.n_link_groups)
} Robot;

static CondLinkDef* add_link(CondMjcf* m, Robot* robot, const char* name, const char* parent)
{
    if (COND_RESERVE(&m->arena, robot->link, robot->def.n_link + 1)) {
        cond_mjcf_no_memory(m);
        return NULL;
    }
    CondLinkDef* link = &robot->link[robot->def.n_link++];
    *link = cond_link_def_default();
    snprintf(link->name, sizeof link->name, "%s", name);
    snprintf(link->parent, sizeof link->parent, "%s", parent);
    return link;
}

static int has_link(const Robot* robot, const char* name)
{
    for (int i = 0; i < robot->def.n_link; i++)
        if (strcmp(robot->link[i].name, name) == 0)
            return 1;
    return 0;
}

// A name that no body of the file and no link so far has.
static void free_name(const CondMjcf* m, const Robot* robot, const char* first, const char* second,
                      char name[COND_NAME_SIZE])
{
    memset(name, 0, COND_NAME_SIZE);
    snprintf(name, COND_NAME_SIZE, "%.28s_%.28s", first, second);
    for (int k = 2; cond_mjcf_find_body(m, name) >= 0 || has_link(robot, name); k++)
        snprintf(name, COND_NAME_SIZE, "%.24s_%.24s%d", first, second, k);
}

// What a joint does to the frame at position q, from its reference.
static CondMjcfPose motion(const CondMjcfJoint* joint, double q)
{
    CondMjcfPose pose = cond_mjcf_unit();
    double way = q - joint->ref;
    if (joint->kind == COND_MJCF_SLIDE)
        for (int i = 0; i < 3; i++)
            pose.p[i] = way * joint->axis[i];
    if (joint->kind == COND_MJCF_HINGE) {
        pose.q[0] = cos(0.5 * way);
        for (int i = 0; i < 3; i++)
            pose.q[1 + i] = sin(0.5 * way) * joint->axis[i];
    }
    return pose;
}

static void put_start(CondMjcf* m, Robot* robot, const CondMjcfJoint* joint)
{
    int motor =
        joint->motor_stiffness > 0.0 || joint->motor_damping > 0.0 || joint->motor_pull != 0.0;
    int turned = joint->kind == COND_MJCF_BALL && joint->turn[0] != 1.0;
    int moves = joint->speed[0] != 0.0 || joint->speed[1] != 0.0 || joint->speed[2] != 0.0;
    if (joint->mimic >= 0 || joint->fixed || (!motor && !turned && !moves && joint->start == 0.0))
        return;
    if (COND_RESERVE(&m->arena, robot->joint, robot->def.n_joint + 1)) {
        cond_mjcf_no_memory(m);
        return;
    }
    CondJointDef* def = &robot->joint[robot->def.n_joint++];
    *def = cond_joint_def_default();
    memcpy(def->name, joint->name, sizeof def->name);
    if (joint->kind == COND_MJCF_BALL) {
        memcpy(def->orientation, joint->turn, sizeof def->orientation);
        memcpy(def->angular_velocity, joint->speed, sizeof def->angular_velocity);
        return;
    }
    def->position = joint->start;
    def->velocity = joint->speed[0];
    if (!motor)
        return;
    def->stiffness = joint->motor_stiffness;
    def->damping = joint->motor_damping;
    if (joint->motor_stiffness > 0.0)
        def->lead = joint->motor_pull / joint->motor_stiffness - joint->start;
    else
        def->torque = joint->motor_pull;
}

// The joint of a link, whose frame against the parent's is `at` where the joint is at its
// reference.
static void put_joint(const CondMjcf* m, const CondMjcfJoint* joint, const CondMjcfPose* at,
                      CondLinkDef* link)
{
    static const CondJointKind kinds[] = {COND_JOINT_FLOATING, COND_JOINT_SPHERICAL,
                                          COND_JOINT_PRISMATIC, COND_JOINT_REVOLUTE};
    CondMjcfPose back = motion(joint, joint->fixed ? joint->start : 0.0);
    CondMjcfPose zero = cond_mjcf_times(at, &back);
    memcpy(link->joint, joint->name, sizeof link->joint);
    memcpy(link->position, zero.p, sizeof link->position);
    memcpy(link->orientation, zero.q, sizeof link->orientation);
    if (joint->fixed)
        return;
    link->kind = kinds[joint->kind];
    if (joint->kind == COND_MJCF_HINGE && isnan(joint->lower))
        link->kind = COND_JOINT_CONTINUOUS;
    memcpy(link->axis, joint->axis, sizeof link->axis);
    link->lower = joint->lower;
    link->upper = joint->upper;
    link->effort = fmax(joint->effort[1], 0.0);
    link->effort_back = fmax(-joint->effort[0], 0.0);
    link->friction = joint->friction;
    link->damping = joint->damping;
    link->armature = joint->armature;
    link->spring = joint->stiffness;
    link->spring_rest = joint->spring_rest;
    if (joint->mimic >= 0) {
        memcpy(link->mimic, m->joint[joint->mimic].name, sizeof link->mimic);
        link->multiplier = joint->multiplier;
        link->offset = joint->offset;
    }
}

// The links of a body, one for each joint, and none of them but the last with what the body has.
// `at` is the body's frame in the axes of the parent link. Returns the last one.
static CondLinkDef* add_joints(CondMjcf* m, Robot* robot, CondMjcfBody* body, const char* parent,
                               CondMjcfPose at)
{
    char above[COND_NAME_SIZE], name[COND_NAME_SIZE];
    CondLinkDef* link = NULL;
    snprintf(above, sizeof above, "%s", parent);
    for (int k = 0; k < body->n_joint; k++) {
        const CondMjcfJoint* joint = &m->joint[body->first_joint + k];
        CondMjcfPose anchor = cond_mjcf_unit();
        memcpy(anchor.p, joint->pos, sizeof anchor.p);
        at = cond_mjcf_times(&at, &anchor);
        if (k + 1 < body->n_joint)
            free_name(m, robot, body->name, joint->name, name);
        else
            memcpy(name, body->name, sizeof name);
        link = add_link(m, robot, name, above);
        if (!link)
            return NULL;
        put_joint(m, joint, &at, link);
        put_start(m, robot, joint);
        at = cond_mjcf_inverse(&anchor);
        memcpy(above, name, sizeof above);
    }
    body->in_link = at;
    return link;
}

static void put_inertia(const CondMjcfBody* body, CondLinkDef* link)
{
    const double* I = body->inertia; // the body's axes are the link's
    const double six[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
    link->mass = body->mass;
    link->gravity_compensation = body->borne;
    if (body->mass > 0.0) {
        cond_mjcf_place(&body->in_link, body->com, link->center);
        memcpy(link->inertia, six, sizeof six);
    }
}

int cond_mjcf_touches(const CondMjcfGeom* geom)
{
    return geom->contype != 0 || geom->conaffinity != 0;
}

int cond_mjcf_put_shape(CondMjcf* m, const CondMjcfGeom* geom, const CondMjcfPose* body,
                        CondLinkShapeDef* shape)
{
    CondMjcfPose own = cond_mjcf_geom_frame(m, geom), pose = cond_mjcf_times(body, &own);
    *shape = cond_link_shape_def_default();
    memcpy(shape->position, pose.p, sizeof shape->position);
    memcpy(shape->orientation, pose.q, sizeof shape->orientation);
    for (int i = 0; i < 3; i++)
        shape->size[i] = (geom->kind == COND_MJCF_BOX || i > 0 ? 2.0 : 1.0) * geom->size[i];
    switch (geom->kind) {
    case COND_MJCF_SPHERE:
        shape->shape = COND_SHAPE_SPHERE;
        return 1;
    case COND_MJCF_CAPSULE:
        shape->shape = COND_SHAPE_CAPSULE;
        return 1;
    case COND_MJCF_CYLINDER:
        shape->shape = COND_SHAPE_CYLINDER;
        return 1;
    case COND_MJCF_BOX:
        shape->shape = COND_SHAPE_BOX;
        return 1;
    case COND_MJCF_ELLIPSOID: // a fine ball, stretched
        shape->shape = COND_SHAPE_CONVEX;
        snprintf(shape->mesh, sizeof shape->mesh, "ball:1:4");
        memcpy(shape->scale, geom->size, sizeof shape->scale);
        return 1;
    case COND_MJCF_MESH:
        shape->shape = COND_SHAPE_CONVEX;
        memcpy(shape->mesh, m->mesh[geom->mesh].file, sizeof shape->mesh);
        memcpy(shape->scale, m->mesh[geom->mesh].scale, sizeof shape->scale);
        return cond_mjcf_check_mesh(m, geom);
    default:
        return 0;
    }
}

// The first geom of a tree that touches, whose friction is that of the robot; NULL: none.
static const CondMjcfGeom* first_touching(const CondMjcf* m, int top)
{
    for (int g = 0; g < m->n_geom; g++)
        if (m->geom[g].body > 0 && m->body[m->geom[g].body].top == top &&
            cond_mjcf_touches(&m->geom[g]))
            return &m->geom[g];
    return NULL;
}

// What a shape has of its own, where that differs from robot and link.
static void put_own(CondMjcf* m, const CondMjcfGeom* geom, CondLinkShapeDef* shape)
{
    const CondMjcfGeom* first = first_touching(m, m->body[geom->body].top);
    uint32_t all = 0, touched = 0;
    if (!cond_mjcf_rub_alike(first, geom))
        cond_mjcf_put_friction(geom, &shape->surface, &shape->rubbing);
    cond_mjcf_put_groups(m, geom->body, -1, &all, &touched);
    cond_mjcf_put_groups(m, geom->body, (int)(geom - m->geom), &shape->groups, &shape->touches);
    if (shape->groups == all && shape->touches == touched)
        shape->groups = shape->touches = 0;
}

static CondLinkShapeDef* add_shape(CondMjcf* m, const CondLinkShapeDef* shape, CondLinkDef* link)
{
    CondLinkShapeDef* own = (CondLinkShapeDef*)link->shape; // the arena's
    if (COND_RESERVE(&m->arena, own, link->n_shape + 1)) {
        cond_mjcf_no_memory(m);
        return NULL;
    }
    link->shape = own;
    own[link->n_shape] = *shape;
    return &own[link->n_shape++];
}

static void put_shapes(CondMjcf* m, int b, CondLinkDef* link)
{
    for (int g = 0; g < m->n_geom; g++) {
        const CondMjcfGeom* geom = &m->geom[g];
        CondLinkShapeDef one;
        if (geom->body != b || !cond_mjcf_touches(geom) ||
            !cond_mjcf_put_shape(m, geom, &m->body[b].in_link, &one))
            continue;
        CondLinkShapeDef* shape = add_shape(m, &one, link);
        if (!shape)
            return;
        put_own(m, geom, shape);
    }
    cond_mjcf_put_visuals(m, b, link);
}

int cond_mjcf_put_visual(CondMjcf* m, const CondMjcfGeom* geom, const CondMjcfPose* body,
                         CondLinkShapeDef* shape)
{
    const CondMjcfMesh* mesh = geom->kind == COND_MJCF_MESH ? &m->mesh[geom->mesh] : NULL;
    if (!geom->seen || geom->kind == COND_MJCF_PLANE || geom->kind == COND_MJCF_HFIELD)
        return 0;
    if (mesh && !cond_mjcf_is_readable(mesh->file)) {
        m->n_unseen++;
        m->unseen = m->unseen ? m->unseen : geom->node;
        return 0;
    }
    if (!cond_mjcf_put_shape(m, geom, body, shape))
        return 0;
    if (mesh)
        shape->shape = COND_SHAPE_MESH; // as it is, not its hull
    shape->visual = 1;
    memcpy(shape->rgba, geom->colour, sizeof shape->rgba);
    return 1;
}

// Where anything of a body is there to be seen alone, or has a colour, all that is seen of it is
// listed, and what touches is not drawn.
void cond_mjcf_put_visuals(CondMjcf* m, int b, CondLinkDef* link)
{
    int listed = 0;
    for (int g = 0; g < m->n_geom; g++)
        listed |= m->geom[g].body == b && m->geom[g].seen &&
                  (!cond_mjcf_touches(&m->geom[g]) || !isnan(m->geom[g].colour[0]));
    for (int g = 0; g < m->n_geom && listed; g++) {
        CondLinkShapeDef one;
        if (m->geom[g].body == b && cond_mjcf_put_visual(m, &m->geom[g], &m->body[b].in_link, &one))
            add_shape(m, &one, link);
    }
}

static void add_groups(CondMjcf* m, Robot* robot, int b)
{
    CondLinkGroups own = {.groups = 0};
    cond_mjcf_put_groups(m, b, -1, &own.groups, &own.touches);
    if (!own.groups)
        return;
    if (COND_RESERVE(&m->arena, robot->groups, robot->def.n_link_groups + 1)) {
        cond_mjcf_no_memory(m);
        return;
    }
    memcpy(own.name, m->body[b].name, sizeof own.name);
    robot->groups[robot->def.n_link_groups++] = own;
}

static void set_place(const CondMjcfPose* pose, CondBodyDef* def)
{
    memcpy(def->position, pose->p, sizeof def->position);
    memcpy(def->orientation, pose->q, sizeof def->orientation);
}

// The velocity of a free joint in the keyframe, of the point r of its body.
static void set_velocity(const CondMjcf* m, const CondMjcfJoint* joint, const double r[3],
                         CondBodyDef* def)
{
    double place[9], R[9], arm[3], swing[3];
    quat_matrix(m->place.q, place);
    quat_matrix(joint->turn, R);
    mat3_multiply(place, joint->speed, def->velocity);
    mat3_multiply(R, joint->speed + 3, def->angular_velocity);
    mat3_multiply(R, r, arm);
    vec3_cross(def->angular_velocity, arm, swing);
    for (int i = 0; i < 3; i++)
        def->velocity[i] += swing[i];
}

// The link that the body's tree stands on, and where that is.
static CondLinkDef* add_base(CondMjcf* m, Robot* robot, CondMjcfBody* body)
{
    const CondMjcfJoint* joint = body->n_joint ? &m->joint[body->first_joint] : NULL;
    char name[COND_NAME_SIZE];
    set_place(&body->world, &robot->def);
    if (joint && joint->kind != COND_MJCF_FREE) {
        free_name(m, robot, body->name, "base", name);
        return add_link(m, robot, name, "") ? add_joints(m, robot, body, name, cond_mjcf_unit())
                                            : NULL;
    }
    if (joint) {
        CondMjcfPose start;
        memcpy(start.p, joint->place, sizeof start.p);
        memcpy(start.q, joint->turn, sizeof start.q);
        static const double origin[3] = {0.0, 0.0, 0.0};
        set_place(&start, &robot->def);
        set_velocity(m, joint, origin, &robot->def);
        robot->def.floating = 1;
        if (joint->stiffness > 0.0)
            cond_mjcf_warn(m, joint->node, "joint '%s': the spring of a free joint is left out",
                           joint->name);
    }
    CondLinkDef* link = add_link(m, robot, body->name, "");
    if (joint && link) {
        link->damping = joint->damping;
        link->armature = joint->armature;
        link->friction = joint->friction;
    }
    return link;
}

static void make_robot(CondMjcf* m, int top)
{
    Robot robot = {.def = cond_body_def_default()};
    cond_mjcf_scene_name(m, m->body[top].node, m->body[top].name, robot.def.name);
    robot.def.kind = COND_BODY_ROBOT;
    for (int b = top; b < m->n_body && m->body[b].top == top && !cond_mjcf_ends(m); b++) {
        CondMjcfBody* body = &m->body[b];
        CondMjcfBody* parent = &m->body[body->parent];
        CondLinkDef* link;
        if (b == top) {
            link = add_base(m, &robot, body);
        } else {
            CondMjcfPose at = cond_mjcf_times(&parent->in_link, &body->pose);
            if (body->n_joint > 0) {
                link = add_joints(m, &robot, body, parent->link, at);
            } else {
                link = add_link(m, &robot, body->name, parent->link);
                if (link) {
                    memcpy(link->position, at.p, sizeof link->position);
                    memcpy(link->orientation, at.q, sizeof link->orientation);
                }
            }
        }
        if (!link)
            return;
        memcpy(body->scene_body, robot.def.name, sizeof body->scene_body);
        memcpy(body->link, body->name, sizeof body->link);
        put_inertia(body, link);
        put_shapes(m, b, link);
        add_groups(m, &robot, b);
    }
    robot.def.link_groups = robot.groups;
    robot.def.link = robot.link;
    robot.def.joint = robot.joint;
    const CondMjcfGeom* first = first_touching(m, top);
    if (first)
        cond_mjcf_put_friction(first, &robot.def.surface, &robot.def.rubbing);
    robot.def.neighbours = m->all_touch ? COND_NEIGHBOURS_NONE : COND_NEIGHBOURS_MOVING;
    cond_mjcf_put_body(m, m->body[top].node, &robot.def);
}

// The one shape of a free body that a rigid body can have: centred at the centre of mass.
static const CondMjcfGeom* single_shape(const CondMjcf* m, int b)
{
    const CondMjcfBody* body = &m->body[b];
    const CondMjcfGeom* found = NULL;
    const CondMjcfJoint* joint = &m->joint[body->first_joint];
    if (joint->kind != COND_MJCF_FREE || joint->damping > 0.0 || joint->armature > 0.0 ||
        joint->friction > 0.0 || body->borne != 0.0 ||
        (b + 1 < m->n_body && m->body[b + 1].top == b))
        return NULL;
    for (int g = 0; g < m->n_geom; g++) {
        if (m->geom[g].body != b || !cond_mjcf_touches(&m->geom[g]))
            continue;
        if (found)
            return NULL;
        found = &m->geom[g];
    }
    if (!found || found->kind == COND_MJCF_PLANE || found->kind == COND_MJCF_HFIELD ||
        found->kind == COND_MJCF_ELLIPSOID || found->kind == COND_MJCF_MESH || !(body->mass > 0.0))
        return NULL;
    double away = 0.0, size = vec3_norm(found->size);
    for (int i = 0; i < 3; i++)
        away = fmax(away, fabs(found->pose.p[i] - body->com[i]));
    return away <= COND_INPUT_ROUNDING * size ? found : NULL;
}

// A rigid body in the axes of its shape.
static void make_rigid(CondMjcf* m, int b, const CondMjcfGeom* geom)
{
    CondMjcfBody* body = &m->body[b];
    const CondMjcfJoint* joint = &m->joint[body->first_joint];
    CondBodyDef def = cond_body_def_default();
    CondLinkShapeDef shape;
    CondMjcfPose unit = cond_mjcf_unit(), start, own = geom->pose;
    double R[9], turned[9], I[9];
    cond_mjcf_scene_name(m, body->node, body->name, def.name);
    cond_mjcf_put_groups(m, b, -1, &def.groups, &def.touches);
    cond_mjcf_put_shape(m, geom, &unit, &shape);
    def.shape = shape.shape;
    memcpy(def.size, shape.size, sizeof def.size);
    memcpy(start.p, joint->place, sizeof start.p);
    memcpy(start.q, joint->turn, sizeof start.q);
    CondMjcfPose pose = cond_mjcf_times(&start, &own);
    set_place(&pose, &def);
    set_velocity(m, joint, own.p, &def);
    // I_shape = R' I_body R
    quat_matrix(own.q, R);
    mat3_product(body->inertia, R, turned);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            I[3 * i + j] = R[i] * turned[j] + R[3 + i] * turned[3 + j] + R[6 + i] * turned[6 + j];
    const double six[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
    def.mass = body->mass;
    def.inertia_from_shape = 0;
    memcpy(def.inertia, six, sizeof six);
    memcpy(body->scene_body, def.name, sizeof def.name);
    body->in_link = cond_mjcf_inverse(&own);
    cond_mjcf_put_friction(geom, &def.surface, &def.rubbing);
    cond_mjcf_put_body(m, body->node, &def);
}

void cond_mjcf_make_trees(CondMjcf* m)
{
    for (int b = 1; b < m->n_body && !m->status; b++) {
        if (m->body[b].parent != 0 || !m->body[b].moves)
            continue;
        const CondMjcfGeom* shape = m->body[b].n_joint == 1 ? single_shape(m, b) : NULL;
        if (shape)
            make_rigid(m, b, shape);
        else
            make_robot(m, b);
    }
}
