// What leads joints: equalities between two of them, the keyframe a scene starts at, actuators.
//
// An actuator pulls with F = g u + b0 + b1 L + b2 dL/dt at its control u, where its length L is a
// multiple of one coordinate, L = G q + c. On that coordinate it is a torque
//     G (g u + b0 + b1 c) + G^2 b1 q + G^2 b2 q',
// a motor of stiffness -G^2 b1 and damping -G^2 b2 whose target is the first term by the stiffness.
#include "io/mjcf_model.h"
#include "io/scene_value.h"
#include "math/quat.h"

#include <stdio.h>
#include <string.h>

// The coordinate that a joint moves with: position = scale * (that of joint `leader`) + shift.
typedef struct Lead {
    int leader;
    double scale, shift;
} Lead;

static Lead find_leader(const CondMjcf* m, int joint)
{
    Lead lead = {joint, 1.0, 0.0};
    for (int k = 0; k <= m->n_joint && m->joint[lead.leader].mimic >= 0; k++) {
        const CondMjcfJoint* at = &m->joint[lead.leader];
        lead.shift += lead.scale * at->offset;
        lead.scale *= at->multiplier;
        lead.leader = at->mimic;
    }
    return lead;
}

static int is_single(const CondMjcfJoint* joint)
{
    return joint->kind == COND_MJCF_HINGE || joint->kind == COND_MJCF_SLIDE;
}

// y - y0 = a0 + a1 (x - x0), about the references: a mimic. More terms have no counterpart.
static void read_joint_equality(CondMjcf* m, CondMjcfNode* node)
{
    double a[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
    const char* name[2] = {cond_mjcf_own(node, "joint1"), cond_mjcf_own(node, "joint2")};
    int j[2] = {cond_mjcf_find_joint(m, name[0]), cond_mjcf_find_joint(m, name[1])};
    cond_mjcf_visit(m, node);
    cond_mjcf_numbers(m, node, "polycoef", 1, 5, a);
    for (int k = 0; k < 2; k++)
        if (j[k] < 0 && (k == 0 || name[k])) {
            cond_mjcf_refuse(m, node, "there is no joint '%.60s'", name[k] ? name[k] : "");
            return;
        }
    if (!cond_mjcf_true(m, node, "active", 1)) {
        cond_mjcf_warn(m, node, "an equality of joint '%.60s' is not active and left out", name[0]);
        return;
    }
    CondMjcfJoint* y = &m->joint[j[0]];
    const char* why = NULL;
    if (a[2] != 0.0 || a[3] != 0.0 || a[4] != 0.0)
        why = "it is not linear";
    else if (!is_single(y) || (j[1] >= 0 && !is_single(&m->joint[j[1]])))
        why = "it is one of a ball or a free joint";
    else if (y->mimic >= 0 || y->fixed)
        why = "the joint follows another one already";
    else if (j[1] >= 0 && find_leader(m, j[1]).leader == j[0])
        why = "the joints would follow each other";
    else if (j[1] >= 0 && m->body[y->body].top != m->body[m->joint[j[1]].body].top)
        why = "the joints are in two trees";
    if (why) {
        cond_mjcf_warn(m, node, "the equality of joint '%.60s' is left out: %s", name[0], why);
        return;
    }
    if (j[1] < 0) {
        y->fixed = 1;
        y->start = y->ref + a[0];
        return;
    }
    y->mimic = j[1];
    y->multiplier = a[1];
    y->offset = y->ref + a[0] - a[1] * m->joint[j[1]].ref;
}

void cond_mjcf_read_joint_equalities(CondMjcf* m)
{
    for (CondMjcfNode* section = m->root->first; section; section = section->next) {
        if (!cond_mjcf_is(section, "equality"))
            continue;
        section->used = 1;
        for (CondMjcfNode* node = section->first; node && !cond_mjcf_ends(m); node = node->next)
            if (cond_mjcf_is(node, "joint"))
                read_joint_equality(m, node);
    }
}

// The numbers of a list of any length; NULL where there is none.
static double* read_list(CondMjcf* m, const CondMjcfNode* node, const char* name, int n)
{
    const char* text = cond_mjcf_own(node, name);
    if (!text)
        return NULL;
    double* list = cond_arena_allocate(&m->arena, (size_t)n, sizeof *list);
    if (!list) {
        cond_mjcf_no_memory(m);
        return NULL;
    }
    if (cond_mjcf_list(text, n, list))
        return list;
    cond_mjcf_refuse(m, node, "%s of <%.40s>: expected %d numbers", name, node->name, n);
    return NULL;
}

static CondMjcfNode* find_key(CondMjcf* m)
{
    const char* wanted = m->options.keyframe ? m->options.keyframe : "home";
    CondMjcfNode* found = NULL;
    for (CondMjcfNode* section = m->root->first; section; section = section->next) {
        if (!cond_mjcf_is(section, "keyframe"))
            continue;
        section->used = 1;
        for (CondMjcfNode* key = section->first; key; key = key->next) {
            const char* name = cond_mjcf_own(key, "name");
            cond_mjcf_visit(m, key);
            int chosen = !found && *wanted && name && strcmp(name, wanted) == 0;
            if (chosen)
                found = key;
            // A run may start at any of them, so that none is left out; but of the chosen one what
            // nobody asks for is.
            cond_mjcf_own(key, "time");
            for (int i = 0; i < key->n_attribute && !chosen; i++)
                key->attribute[i].used = 1;
        }
    }
    if (!found && m->options.keyframe && *wanted)
        cond_mjcf_refuse(m, m->root, "there is no keyframe '%.60s'", wanted);
    return found;
}

// Where a joint starts: within its limits, which no step may leave.
static void bound_start(CondMjcf* m, CondMjcfJoint* joint)
{
    double start = joint->start;
    if (joint->mimic >= 0)
        return;
    if (!isnan(joint->lower))
        joint->start = fmin(fmax(start, joint->lower), joint->upper);
    if (fabs(start - joint->start) > 1e-9)
        cond_mjcf_warn(m, joint->node, "joint '%s' starts at %g, its limit, instead of %g",
                       joint->name, joint->start, start);
}

void cond_mjcf_read_keyframe(CondMjcf* m)
{
    CondMjcfNode* key = find_key(m);
    const double* q = key ? read_list(m, key, "qpos", m->n_q) : NULL;
    m->key = key;
    for (int i = 0; i < m->n_joint; i++) {
        CondMjcfJoint* joint = &m->joint[i];
        const double* own = q ? q + joint->qpos : NULL;
        if (own && is_single(joint) && !joint->fixed)
            joint->start = own[0];
        if (own && !is_single(joint)) {
            memcpy(joint->turn, own + (joint->kind == COND_MJCF_FREE ? 3 : 0), sizeof joint->turn);
            double square = 0.0;
            for (int k = 0; k < 4; k++)
                square += joint->turn[k] * joint->turn[k];
            if (square > 1e-18)
                quat_normalize(joint->turn);
            else
                cond_mjcf_refuse(m, key, "qpos: the quaternion of joint '%s' is zero", joint->name);
        }
        if (own && joint->kind == COND_MJCF_FREE) {
            double turn[4];
            cond_mjcf_place(&m->place, own, joint->place);
            quat_product(m->place.q, joint->turn, turn);
            memcpy(joint->turn, turn, sizeof turn);
        }
        if (is_single(joint) && !joint->fixed)
            bound_start(m, joint);
    }
    if (key)
        cond_mjcf_warn(m, key, "the scene starts at keyframe '%.60s'", cond_mjcf_own(key, "name"));
}

// What an actuator pulls at: L = scale q + shift of one coordinate; 0 where it is none.
static int find_length(CondMjcf* m, CondMjcfNode* node, double gear, Lead* length)
{
    const char* joint = cond_mjcf_own(node, "joint");
    const char* tendon = cond_mjcf_own(node, "tendon");
    joint = joint ? joint : cond_mjcf_own(node, "jointinparent");
    if (joint) {
        int j = cond_mjcf_find_joint(m, joint);
        if (j < 0)
            cond_mjcf_refuse(m, node, "there is no joint '%.60s'", joint);
        if (j < 0 || !is_single(&m->joint[j]))
            return 0;
        *length = find_leader(m, j);
        length->scale *= gear;
        length->shift *= gear;
        return 1;
    }
    CondMjcfNode* wraps = tendon ? cond_mjcf_find_tendon(m, tendon) : NULL;
    if (tendon && !wraps)
        cond_mjcf_refuse(m, node, "there is no tendon '%.60s'", tendon);
    *length = (Lead){-1, 0.0, 0.0};
    for (CondMjcfNode* wrap = wraps ? wraps->first : NULL; wrap; wrap = wrap->next) {
        int j = cond_mjcf_is(wrap, "joint") ? cond_mjcf_find_joint(m, cond_mjcf_own(wrap, "joint"))
                                            : -1;
        if (j < 0 || !is_single(&m->joint[j]))
            return 0;
        Lead one = find_leader(m, j);
        double coef = cond_mjcf_number(m, wrap, "coef", 0.0);
        wrap->used = 1;
        if (length->leader >= 0 && length->leader != one.leader)
            return 0;
        length->leader = one.leader;
        length->scale += gear * coef * one.scale;
        length->shift += gear * coef * one.shift;
    }
    return length->leader >= 0;
}

CondMjcfNode* cond_mjcf_find_tendon(CondMjcf* m, const char* name)
{
    for (CondMjcfNode* section = m->root->first; section; section = section->next)
        for (CondMjcfNode* node = cond_mjcf_is(section, "tendon") ? section->first : NULL; node;
             node = node->next) {
            const char* own = cond_mjcf_own(node, "name");
            section->used = 1;
            if (own && strcmp(own, name) == 0 && cond_mjcf_is(node, "fixed")) {
                cond_mjcf_visit(m, node);
                return node;
            }
        }
    return NULL;
}

// Inertia that a coordinate feels where all joints are at their references: armature, and of every
// body beyond it a'(I + m (|r|^2 1 - r r')) a about the axis, or m along it.
static double joint_inertia(const CondMjcf* m, const CondMjcfJoint* joint)
{
    const CondMjcfPose* own = &m->body[joint->body].world;
    double R[9], axis[3], at[3], sum = joint->armature;
    quat_matrix(own->q, R);
    mat3_multiply(R, joint->axis, axis);
    cond_mjcf_place(own, joint->pos, at);
    for (int b = joint->body; b < m->n_body; b++) {
        int up = b;
        while (up > joint->body)
            up = m->body[up].parent;
        if (up != joint->body)
            continue;
        const CondMjcfBody* body = &m->body[b];
        double com[3], local[3], Ia[3], r[3], cross[3], Rb[9];
        if (joint->kind == COND_MJCF_SLIDE) {
            sum += body->mass;
            continue;
        }
        cond_mjcf_place(&body->world, body->com, com);
        for (int i = 0; i < 3; i++)
            r[i] = com[i] - at[i];
        quat_matrix(body->world.q, Rb);
        mat3_multiply_transposed(Rb, axis, local);
        mat3_multiply(body->inertia, local, Ia);
        vec3_cross(axis, r, cross);
        sum += vec3_dot(local, Ia) + body->mass * vec3_dot(cross, cross);
    }
    return sum;
}

typedef struct Actuator {
    double gain, bias[3];
    int understood;
} Actuator;

// g, b0, b1, b2 of the kinds of actuators that are a multiple of the control and of the state.
static Actuator read_law(CondMjcf* m, CondMjcfNode* node, const Lead* length)
{
    static const char* const dynamics[] = {"none",   "integrator", "filter", "filterexact",
                                           "muscle", "user",       NULL};
    static const char* const gains[] = {"fixed", "affine", "muscle", "user", NULL};
    static const char* const biases[] = {"none", "affine", "muscle", "user", NULL};
    Actuator a = {.gain = 1.0, .understood = 1};
    double prm[16] = {1.0, 0.0, 0.0}, bias[16] = {0.0, 0.0, 0.0};
    if (cond_mjcf_is(node, "position")) {
        double kp = cond_mjcf_number(m, node, "kp", 1.0), kv = cond_mjcf_number(m, node, "kv", 0.0);
        double ratio = cond_mjcf_number(m, node, "dampratio", 0.0);
        if (ratio > 0.0 && length->scale != 0.0)
            kv = 2.0 * ratio * sqrt(kp * joint_inertia(m, &m->joint[length->leader])) /
                 fabs(length->scale);
        a = (Actuator){kp, {0.0, -kp, -kv}, 1};
        a.understood = cond_mjcf_number(m, node, "timeconst", 0.0) == 0.0;
    } else if (cond_mjcf_is(node, "velocity")) {
        double kv = cond_mjcf_number(m, node, "kv", 1.0);
        a = (Actuator){kv, {0.0, 0.0, -kv}, 1};
    } else if (cond_mjcf_is(node, "general")) {
        int kind[3] = {cond_mjcf_word(m, node, "dyntype", dynamics, 0),
                       cond_mjcf_word(m, node, "gaintype", gains, 0),
                       cond_mjcf_word(m, node, "biastype", biases, 0)};
        cond_mjcf_numbers(m, node, "gainprm", 1, 10, prm);
        cond_mjcf_numbers(m, node, "biasprm", 1, 10, bias);
        cond_mjcf_text(m, node, "dynprm");
        a.gain = prm[0];
        for (int i = 0; i < 3 && kind[2] == 1; i++)
            a.bias[i] = bias[i];
        a.understood =
            (kind[0] == 0 || kind[0] == 2 || kind[0] == 3) && kind[1] == 0 && kind[2] < 2;
        if (a.understood && kind[0] != 0)
            cond_mjcf_warn(m, node, "an actuator's filter of its control is left out");
    } else {
        a.understood = cond_mjcf_is(node, "motor");
    }
    return a;
}

// The largest torque at the coordinate, by the range of the force or of the control.
static double read_effort(CondMjcf* m, CondMjcfNode* node, const Actuator* a, const Lead* length,
                          double control[2])
{
    double force[2], effort = INFINITY;
    const char* joint = cond_mjcf_own(node, "joint");
    int j = cond_mjcf_find_joint(m, joint);
    control[0] = -INFINITY;
    control[1] = INFINITY;
    if (cond_mjcf_number(m, node, "inheritrange", 0.0) > 0.0 && j >= 0 &&
        !isnan(m->joint[j].lower)) {
        control[0] = m->joint[j].lower;
        control[1] = m->joint[j].upper;
    }
    if (cond_mjcf_limited(m, node, "ctrllimited", "ctrlrange"))
        cond_mjcf_numbers(m, node, "ctrlrange", 2, 2, control);
    if (cond_mjcf_limited(m, node, "forcelimited", "forcerange") &&
        cond_mjcf_numbers(m, node, "forcerange", 2, 2, force)) {
        effort = fmax(fabs(force[0]), fabs(force[1]));
        if (force[0] != -force[1])
            cond_mjcf_warn(m, node, "forcerange %g .. %g is taken as %g both ways", force[0],
                           force[1], effort);
    } else if (a->bias[1] == 0.0 && a->bias[2] == 0.0 && isfinite(control[1])) {
        effort = fabs(a->gain) * fmax(fabs(control[0]), fabs(control[1]));
    }
    return effort * fabs(length->scale);
}

static void left_out(CondMjcf* m, CondMjcfNode* node, const char* why)
{
    const char* name = cond_mjcf_own(node, "name");
    cond_mjcf_warn(m, node, "actuator <%.40s> '%.60s' is left out: %s", node->name,
                   name ? name : "", why);
    for (int i = 0; i < node->n_attribute; i++)
        node->attribute[i].used = 1;
}

static void read_actuator(CondMjcf* m, CondMjcfNode* node, int number, double* efforts)
{
    double gear[6] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0}, range[2];
    Lead length;
    cond_mjcf_visit(m, node);
    cond_mjcf_numbers(m, node, "gear", 1, 6, gear);
    if (!find_length(m, node, gear[0], &length)) {
        left_out(m, node, "it does not act on one joint that turns about or slides along an axis");
        return;
    }
    Actuator a = read_law(m, node, &length);
    double effort = read_effort(m, node, &a, &length, range);
    CondMjcfJoint* joint = &m->joint[length.leader];
    double stiffness = -length.scale * length.scale * a.bias[1];
    if (!a.understood || stiffness < 0.0 || a.bias[2] > 0.0 || joint->fixed) {
        left_out(m, node, joint->fixed ? "its joint is fixed" : "its law has no counterpart");
        return;
    }
    double control = m->control ? m->control[number] : 0.0;
    control = fmin(fmax(control, range[0]), range[1]);
    efforts[length.leader] += effort;
    joint->motor_stiffness += stiffness;
    joint->motor_damping -= length.scale * length.scale * a.bias[2];
    joint->motor_pull += length.scale * (a.gain * control + a.bias[0] + a.bias[1] * length.shift);
    cond_mjcf_text(m, node, "ctrllimited");
}

void cond_mjcf_read_actuators(CondMjcf* m)
{
    int n = 0;
    double* efforts = cond_arena_allocate(&m->arena, (size_t)m->n_joint, sizeof *efforts);
    if (!efforts) {
        cond_mjcf_no_memory(m);
        return;
    }
    for (int pass = 0; pass < 2; pass++) {
        n = 0;
        for (CondMjcfNode* section = m->root->first; section; section = section->next)
            for (CondMjcfNode* node = cond_mjcf_is(section, "actuator") ? section->first : NULL;
                 node && !cond_mjcf_ends(m); node = node->next, n++) {
                section->used = 1;
                if (pass)
                    read_actuator(m, node, n, efforts);
            }
        m->n_control = n;
        if (!pass && m->key)
            m->control = read_list(m, m->key, "ctrl", n);
    }
    for (int i = 0; i < m->n_joint; i++) {
        CondMjcfJoint* joint = &m->joint[i];
        if (efforts[i] > 0.0)
            joint->effort = fmin(joint->effort, efforts[i]);
        if (joint->motor_stiffness == 0.0 && fabs(joint->motor_pull) > 0.0)
            cond_mjcf_warn(m, joint->node,
                           "joint '%s': its actuators' constant torque %g is left "
                           "out",
                           joint->name, joint->motor_pull);
    }
}
