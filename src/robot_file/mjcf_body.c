// <worldbody>: bodies, frames, joints and sites.
#include "base/tuning.h"
#include "math/quat.h"
#include "robot_file/mjcf_model.h"

#include <stdio.h>
#include <string.h>

int cond_mjcf_find_joint(const CondMjcf* m, const char* name)
{
    for (int i = 0; name && i < m->n_joint; i++)
        if (strcmp(m->joint[i].name, name) == 0)
            return i;
    return -1;
}

int cond_mjcf_find_body(const CondMjcf* m, const char* name)
{
    for (int i = 0; name && i < m->n_body; i++)
        if (strcmp(m->body[i].name, name) == 0)
            return i;
    return -1;
}

int cond_mjcf_find_site(const CondMjcf* m, const char* name)
{
    for (int i = 0; name && i < m->n_site; i++)
        if (m->site[i].name && strcmp(m->site[i].name, name) == 0)
            return i;
    return -1;
}

// Two of a kind may not share a name.
static void check_twice(CondMjcf* m, const CondMjcfNode* node, int found)
{
    if (found >= 0)
        cond_mjcf_refuse(m, node, "there are two of <%.40s> named '%.63s'", node->name,
                         cond_mjcf_own(node, "name"));
}

// The joint's own name, or that of its body, with a number where another one has it.
static void name_joint(CondMjcf* m, const CondMjcfNode* node, const CondMjcfBody* body,
                       char name[COND_NAME_SIZE])
{
    const char* own = cond_mjcf_own(node, "name");
    if (own && *own) {
        cond_mjcf_name(m, node, "", 0, name);
        check_twice(m, node, cond_mjcf_find_joint(m, name));
        return;
    }
    memset(name, 0, COND_NAME_SIZE);
    snprintf(name, COND_NAME_SIZE, "%.50s", body->name);
    for (int k = 1; cond_mjcf_find_joint(m, name) >= 0; k++)
        snprintf(name, COND_NAME_SIZE, "%.50s_%d", body->name, k);
}

static void read_range(CondMjcf* m, const CondMjcfNode* node, CondMjcfJoint* joint)
{
    double range[2];
    if (joint->kind == COND_MJCF_BALL || joint->kind == COND_MJCF_FREE) { // MuJoCo wants no range
        const char* limited = cond_mjcf_text(m, node, "limited");
        const char* given = cond_mjcf_text(m, node, "range");
        int on = limited && strcmp(limited, "true") == 0;
        if (joint->kind == COND_MJCF_BALL &&
            (on || (given && cond_mjcf_limited(m, node, "limited", "range"))))
            cond_mjcf_warn(m, node, "joint '%s': nothing limits a ball joint here", joint->name);
        return;
    }
    if (!cond_mjcf_limited(m, node, "limited", "range") ||
        !cond_mjcf_numbers(m, node, "range", 2, 2, range))
        return;
    int turns = joint->kind == COND_MJCF_HINGE;
    joint->lower = turns ? cond_mjcf_angle(m, node, range[0]) : range[0];
    joint->upper = turns ? cond_mjcf_angle(m, node, range[1]) : range[1];
    if (!(joint->lower < joint->upper)) {
        cond_mjcf_refuse(m, node, "joint '%s': range %g .. %g is empty", joint->name, range[0],
                         range[1]);
    }
}

// The numbers of a joint that moves along or about an axis, or freely about a point.
static void read_joint_numbers(CondMjcf* m, const CondMjcfNode* node, CondMjcfJoint* joint)
{
    int turns = joint->kind == COND_MJCF_HINGE;
    double range[2];
    cond_mjcf_numbers(m, node, "pos", 3, 3, joint->pos);
    cond_mjcf_numbers(m, node, "axis", 3, 3, joint->axis);
    double length = vec3_norm(joint->axis);
    int axial = turns || joint->kind == COND_MJCF_SLIDE;
    if (axial && !(length > COND_INPUT_ROUNDING))
        cond_mjcf_refuse(m, node, "joint '%s': its axis is zero", joint->name);
    for (int i = 0; i < 3 && axial; i++)
        joint->axis[i] /= length;
    joint->ref = cond_mjcf_number(m, node, "ref", 0.0);
    joint->spring_rest = cond_mjcf_number(m, node, "springref", 0.0);
    if (turns) {
        joint->ref = cond_mjcf_angle(m, node, joint->ref);
        joint->spring_rest = cond_mjcf_angle(m, node, joint->spring_rest);
    }
    const struct {
        const char* name;
        double* value;
    } number[] = {{"damping", &joint->damping},
                  {"armature", &joint->armature},
                  {"frictionloss", &joint->friction},
                  {"stiffness", &joint->stiffness}};
    for (size_t k = 0; k < sizeof number / sizeof *number; k++) {
        *number[k].value = cond_mjcf_number(m, node, number[k].name, 0.0);
        if (*number[k].value < 0.0) { // MuJoCo takes it, and gains energy
            cond_mjcf_warn(m, node, "joint '%s': %s %g is negative and left out", joint->name,
                           number[k].name, *number[k].value);
            *number[k].value = 0.0;
        }
    }
    cond_mjcf_numbers(m, node, "springdamper", 2, 2, joint->spring_damper);
    if (cond_mjcf_limited(m, node, "actuatorfrclimited", "actuatorfrcrange") &&
        cond_mjcf_numbers(m, node, "actuatorfrcrange", 2, 2, range)) {
        memcpy(joint->effort, range, sizeof range);
    }
    read_range(m, node, joint);
    joint->start = joint->ref;
}

static void read_joint(CondMjcf* m, CondMjcfNode* node, int body)
{
    static const char* const kinds[] = {"free", "ball", "slide", "hinge", NULL};
    static const int n_q[] = {7, 4, 1, 1}, n_v[] = {6, 3, 1, 1};
    if (COND_RESERVE(&m->arena, m->joint, m->n_joint + 1)) {
        cond_mjcf_no_memory(m);
        return;
    }
    CondMjcfJoint* joint = &m->joint[m->n_joint];
    CondMjcfBody* owner = &m->body[body];
    *joint = (CondMjcfJoint){.node = node,
                             .body = body,
                             .axis = {0.0, 0.0, 1.0},
                             .lower = NAN,
                             .upper = NAN,
                             .effort = {-INFINITY, INFINITY},
                             .mimic = -1,
                             .turn = {1.0, 0.0, 0.0, 0.0}};
    cond_mjcf_visit(m, node);
    joint->kind = cond_mjcf_is(node, "freejoint")
                      ? COND_MJCF_FREE
                      : (CondMjcfJointKind)cond_mjcf_word(m, node, "type", kinds, COND_MJCF_HINGE);
    name_joint(m, node, owner, joint->name);
    // <freejoint> has no defaults; a <joint> of type free has those of joints.
    if (!cond_mjcf_is(node, "freejoint"))
        read_joint_numbers(m, node, joint);
    if (body == 0)
        cond_mjcf_refuse(m, node, "the world has no joints");
    else if (joint->kind == COND_MJCF_FREE && owner->parent != 0)
        cond_mjcf_refuse(m, node, "a free joint is for bodies of the world alone");
    else if (owner->n_joint > 0 &&
             (joint->kind == COND_MJCF_FREE || m->joint[owner->first_joint].kind == COND_MJCF_FREE))
        cond_mjcf_refuse(m, node, "a free joint must be the only one of its body");
    if (owner->n_joint++ == 0)
        owner->first_joint = m->n_joint;
    joint->qpos = m->n_q;
    m->n_q += n_q[joint->kind];
    joint->qvel = m->n_v;
    m->n_v += n_v[joint->kind];
    m->n_joint++;
}

static void read_site(CondMjcf* m, CondMjcfNode* node, int body, const CondMjcfPose* frame)
{
    static const char* const pictures[] = {"type", "size", "rgba", "group", "material", "fromto"};
    if (COND_RESERVE(&m->arena, m->site, m->n_site + 1)) {
        cond_mjcf_no_memory(m);
        return;
    }
    cond_mjcf_visit(m, node);
    CondMjcfPose pose = cond_mjcf_pose(m, node);
    double ends[6];
    if (cond_mjcf_numbers(m, node, "fromto", 6, 6, ends))
        for (int i = 0; i < 3; i++)
            pose.p[i] = 0.5 * (ends[i] + ends[3 + i]);
    for (size_t k = 0; k < sizeof pictures / sizeof *pictures; k++)
        cond_mjcf_text(m, node, pictures[k]);
    m->site[m->n_site++] = (CondMjcfSite){.node = node,
                                          .name = cond_mjcf_own(node, "name"),
                                          .body = body,
                                          .pose = cond_mjcf_times(frame, &pose)};
}

// Cameras that follow a body without turning, and those of other projections, are left out.
static void read_camera(CondMjcf* m, CondMjcfNode* node, int body, const CondMjcfPose* frame)
{
    if (COND_RESERVE(&m->arena, m->camera, m->n_camera + 1)) {
        cond_mjcf_no_memory(m);
        return;
    }
    cond_mjcf_visit(m, node);
    CondMjcfPose pose = cond_mjcf_pose(m, node);
    double field = cond_mjcf_number(m, node, "fovy", 45.0);
    const char* mode = cond_mjcf_text(m, node, "mode");
    const char* flat = cond_mjcf_text(m, node, "orthographic");
    const char* name = cond_mjcf_own(node, "name");
    if ((mode && strcmp(mode, "fixed") != 0) || (flat && strcmp(flat, "true") == 0)) {
        cond_mjcf_warn(m, node,
                       "camera '%.60s' is left out: only mode fixed in perspective is read",
                       name ? name : "");
        return;
    }
    m->camera[m->n_camera++] = (CondMjcfCamera){node, body, cond_mjcf_times(frame, &pose), field};
}

static void read_composite(CondMjcf* m, CondMjcfNode* node, int body, const CondMjcfPose* frame)
{
    const char* type = cond_mjcf_own(node, "type");
    if (!type || strcmp(type, "cable") != 0)
        return;
    if (COND_RESERVE(&m->arena, m->cable, m->n_cable + 1))
        cond_mjcf_no_memory(m);
    else
        m->cable[m->n_cable++] = (CondMjcfCable){node, body, *frame};
}

// 1 where bodies, or what they consist of, are below an element.
static int holds_bodies(const CondMjcfNode* node)
{
    static const char* const names[] = {"body", "geom", "joint", "freejoint", "frame"};
    int found = 0;
    for (const CondMjcfNode* child = node->first; child && !found; child = child->next) {
        for (size_t k = 0; k < sizeof names / sizeof *names && !found; k++)
            found = cond_mjcf_is(child, names[k]);
        found = found || holds_bodies(child);
    }
    // These make bodies of their own, and are told where they are left out.
    return found && !cond_mjcf_is(node, "composite") && !cond_mjcf_is(node, "flexcomp");
}

static void read_body(CondMjcf* m, CondMjcfNode* node, int parent, const CondMjcfPose* frame);

// What stands in a body or a frame; `frame` is the latter's pose in the body. Joints come first:
// they belong to the body wherever they stand, and its children's names to those after it.
static void read_children(CondMjcf* m, CondMjcfNode* node, int body, const CondMjcfPose* frame,
                          int joints)
{
    for (CondMjcfNode* child = node->first; child && !cond_mjcf_ends(m); child = child->next) {
        if (cond_mjcf_is(child, "frame")) {
            cond_mjcf_visit(m, child);
            CondMjcfPose own = cond_mjcf_pose(m, child), both = cond_mjcf_times(frame, &own);
            read_children(m, child, body, &both, joints);
        } else if (cond_mjcf_is(child, "joint") || cond_mjcf_is(child, "freejoint")) {
            if (joints)
                read_joint(m, child, body);
        } else if (joints) {
            continue;
        } else if (cond_mjcf_is(child, "geom")) {
            cond_mjcf_read_geom(m, child, body, frame);
        } else if (cond_mjcf_is(child, "site")) {
            read_site(m, child, body, frame);
        } else if (cond_mjcf_is(child, "camera")) {
            read_camera(m, child, body, frame);
        } else if (cond_mjcf_is(child, "body")) {
            read_body(m, child, body, frame);
        } else if (cond_mjcf_is(child, "composite")) {
            read_composite(m, child, body, frame);
        } else if (holds_bodies(child)) {
            cond_mjcf_refuse(m, child, "<%.40s> is not understood, and there are bodies in it",
                             child->name);
        }
    }
}

static void read_inertial(CondMjcf* m, CondMjcfNode* node, CondMjcfBody* body)
{
    cond_mjcf_visit(m, node);
    CondMjcfPose pose = cond_mjcf_pose(m, node);
    double diagonal[3] = {0.0, 0.0, 0.0}, full[6], R[9], RI[9], I[9] = {0.0};
    if (!cond_mjcf_own(node, "mass"))
        cond_mjcf_refuse(m, node, "<inertial> without mass");
    body->mass = cond_mjcf_number(m, node, "mass", 0.0);
    if (body->mass < 0.0)
        cond_mjcf_refuse(m, node, "mass %g is negative", body->mass);
    if (cond_mjcf_numbers(m, node, "fullinertia", 6, 6, full)) {
        const double all[9] = {full[0], full[3], full[4], full[3], full[1],
                               full[5], full[4], full[5], full[2]};
        memcpy(I, all, sizeof I);
    } else if (cond_mjcf_numbers(m, node, "diaginertia", 3, 3, diagonal)) {
        for (int i = 0; i < 3; i++)
            I[4 * i] = diagonal[i];
    }
    // I_body = R I R', mirrored so that it is exactly symmetric.
    quat_matrix(pose.q, R);
    mat3_product(R, I, RI);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            body->inertia[3 * i + j] = body->inertia[3 * j + i] = vec3_dot(RI + 3 * i, R + 3 * j);
    memcpy(body->com, pose.p, sizeof body->com);
    body->inertial = 1;
}

static int add_body(CondMjcf* m, CondMjcfNode* node, int parent)
{
    if (COND_RESERVE(&m->arena, m->body, m->n_body + 1)) {
        cond_mjcf_no_memory(m);
        return -1;
    }
    CondMjcfBody* body = &m->body[m->n_body];
    *body = (CondMjcfBody){.node = node, .parent = parent, .first_joint = -1};
    body->pose = body->world = body->in_link = cond_mjcf_unit();
    return m->n_body++;
}

static void read_body(CondMjcf* m, CondMjcfNode* node, int parent, const CondMjcfPose* frame)
{
    char name[COND_NAME_SIZE];
    cond_mjcf_visit(m, node);
    cond_mjcf_name(m, node, "body", m->n_body, name);
    check_twice(m, node, cond_mjcf_find_body(m, name));
    int b = add_body(m, node, parent);
    if (b < 0)
        return;
    CondMjcfBody* body = &m->body[b];
    CondMjcfPose own = cond_mjcf_pose(m, node);
    memcpy(body->name, name, sizeof body->name);
    body->pose = cond_mjcf_times(frame, &own);
    body->world = cond_mjcf_times(&m->body[parent].world, &body->pose);
    body->top = parent == 0 ? b : m->body[parent].top;
    body->borne = cond_mjcf_number(m, node, "gravcomp", 0.0);
    CondMjcfNode* inertial = cond_mjcf_named(node->first, "inertial");
    if (inertial)
        read_inertial(m, inertial, body);
    body->mocap = cond_mjcf_true(m, node, "mocap", 0);
    if (body->mocap && parent != 0)
        cond_mjcf_refuse(m, node, "mocap body '%s' is not a child of the world", name);
    CondMjcfPose unit = cond_mjcf_unit();
    read_children(m, node, b, &unit, 1);
    if (m->body[b].n_joint > 0)
        m->body[m->body[b].top].moves = 1;
    read_children(m, node, b, &unit, 0);
}

void cond_mjcf_read_bodies(CondMjcf* m)
{
    CondMjcfPose unit = cond_mjcf_unit();
    if (add_body(m, m->root, -1) < 0)
        return;
    snprintf(m->body[0].name, sizeof m->body[0].name, "world");
    m->body[0].world = m->body[0].in_link = m->place;
    for (CondMjcfNode* node = m->root->first; node && !cond_mjcf_ends(m); node = node->next) {
        if (!cond_mjcf_is(node, "worldbody"))
            continue;
        cond_mjcf_visit(m, node);
        read_children(m, node, 0, &unit, 1);
        read_children(m, node, 0, &unit, 0);
    }
    for (int b = 1; b < m->n_body; b++)
        m->body[b].moves = m->body[m->body[b].top].moves;
    for (int j = 0; j < m->n_joint; j++) {
        CondMjcfJoint* joint = &m->joint[j];
        memcpy(joint->place, m->body[joint->body].world.p, sizeof joint->place);
        if (joint->kind == COND_MJCF_FREE)
            memcpy(joint->turn, m->body[joint->body].world.q, sizeof joint->turn);
    }
}
