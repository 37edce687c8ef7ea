// <actuator>: what pulls at joints and tendons becomes motors of joints.
//
// An actuator pulls with F = (g0 + g1 L + g2 L') u + b0 + b1 L + b2 L' at its control u, where its
// length L is a multiple of one coordinate, L = G q + c. With k = -b1 - g1 u and d = -b2 - g2 u it
// is a torque
//     G (g0 u + b0 - k c) - G^2 k q - G^2 d q'
// on that coordinate, a motor of stiffness G^2 k and damping G^2 d whose target is the first term
// by the stiffness.
#include "math/quat.h"
#include "robot_file/mjcf_model.h"

#include <stdio.h>
#include <string.h>

// What an actuator pulls at: L = scale q + shift of one coordinate; 0 where it is none.
static int find_length(CondMjcf* m, CondMjcfNode* node, double gear, CondMjcfLead* length)
{
    const char* joint = cond_mjcf_own(node, "joint");
    const char* tendon = cond_mjcf_own(node, "tendon");
    joint = joint ? joint : cond_mjcf_own(node, "jointinparent");
    if (joint) {
        int j = cond_mjcf_find_joint(m, joint);
        if (j < 0)
            cond_mjcf_refuse(m, node, "there is no joint '%.60s'", joint);
        if (j < 0 || !cond_mjcf_is_single(&m->joint[j]))
            return 0;
        *length = cond_mjcf_find_leader(m, j);
        length->scale *= gear;
        length->shift *= gear;
        return 1;
    }
    CondMjcfNode* wraps = tendon ? cond_mjcf_find_tendon(m, tendon) : NULL;
    if (tendon && !wraps)
        cond_mjcf_refuse(m, node, "there is no tendon '%.60s'", tendon);
    *length = (CondMjcfLead){-1, 0.0, 0.0};
    if (wraps && cond_mjcf_is(wraps, "fixed"))
        cond_mjcf_visit(m, wraps);
    for (CondMjcfNode* wrap = wraps ? wraps->first : NULL; wrap; wrap = wrap->next) {
        int j = cond_mjcf_is(wrap, "joint") ? cond_mjcf_find_joint(m, cond_mjcf_own(wrap, "joint"))
                                            : -1;
        if (j < 0 || !cond_mjcf_is_single(&m->joint[j]))
            return 0;
        CondMjcfLead one = cond_mjcf_find_leader(m, j);
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
            if (own && strcmp(own, name) == 0)
                return node;
        }
    return NULL;
}

typedef enum Dynamics {
    DYNAMICS_NONE,
    DYNAMICS_INTEGRATOR,
    DYNAMICS_FILTER,
    DYNAMICS_EXACT
} Dynamics;
enum LawWord { LAW_FIXED = 0, LAW_NONE = 0, LAW_AFFINE = 1, MUSCLE = 4 };

// What kinds of actuators set, one after the other: all share one default.
typedef struct Law {
    int dynamics, gains, biases; // words of <general>
    double gain[10], bias[10], time[10];
    int understood;
} Law;

static void set_general(CondMjcf* m, const CondMjcfNode* node, Law* law)
{
    static const char* const dynamics[] = {"none",   "integrator", "filter", "filterexact",
                                           "muscle", "user",       NULL};
    static const char* const gains[] = {"fixed", "affine", "muscle", "user", NULL};
    static const char* const biases[] = {"none", "affine", "muscle", "user", NULL};
    law->dynamics = cond_mjcf_own_word(m, node, "dyntype", dynamics, law->dynamics);
    law->gains = cond_mjcf_own_word(m, node, "gaintype", gains, law->gains);
    law->biases = cond_mjcf_own_word(m, node, "biastype", biases, law->biases);
    cond_mjcf_own_numbers(m, node, "gainprm", 1, 10, law->gain);
    cond_mjcf_own_numbers(m, node, "biasprm", 1, 10, law->bias);
    cond_mjcf_own_numbers(m, node, "dynprm", 1, 10, law->time);
}

// A positive third number of the bias is a damping ratio.
static void set_position(CondMjcf* m, const CondMjcfNode* node, Law* law)
{
    double kv, ratio;
    cond_mjcf_own_numbers(m, node, "kp", 1, 1, law->gain);
    law->bias[1] = -law->gain[0];
    if (cond_mjcf_own_numbers(m, node, "kv", 1, 1, &kv))
        law->bias[2] = -kv;
    if (cond_mjcf_own_numbers(m, node, "dampratio", 1, 1, &ratio))
        law->bias[2] = ratio;
    if (cond_mjcf_own_numbers(m, node, "timeconst", 1, 1, law->time))
        law->dynamics = law->time[0] > 0.0 ? DYNAMICS_EXACT : DYNAMICS_NONE;
    if (cond_mjcf_is(node, "intvelocity"))
        law->dynamics = DYNAMICS_INTEGRATOR;
    law->gains = LAW_FIXED;
    law->biases = LAW_AFFINE;
}

static void set_velocity(CondMjcf* m, const CondMjcfNode* node, Law* law)
{
    cond_mjcf_own_numbers(m, node, "kv", 1, 1, law->gain);
    memset(law->bias, 0, sizeof law->bias);
    law->bias[2] = -law->gain[0];
    law->dynamics = DYNAMICS_NONE;
    law->gains = LAW_FIXED;
    law->biases = LAW_AFFINE;
}

// The control says how much it damps.
static void set_damper(CondMjcf* m, const CondMjcfNode* node, Law* law)
{
    double kv = 0.0;
    cond_mjcf_own_numbers(m, node, "kv", 1, 1, &kv);
    memset(law->gain, 0, sizeof law->gain);
    law->gain[2] = -kv;
    law->dynamics = DYNAMICS_NONE;
    law->gains = LAW_AFFINE;
    law->biases = LAW_NONE;
}

static void set_cylinder(CondMjcf* m, const CondMjcfNode* node, Law* law)
{
    double diameter;
    cond_mjcf_own_numbers(m, node, "timeconst", 1, 1, law->time);
    cond_mjcf_own_numbers(m, node, "bias", 3, 3, law->bias);
    cond_mjcf_own_numbers(m, node, "area", 1, 1, law->gain);
    if (cond_mjcf_own_numbers(m, node, "diameter", 1, 1, &diameter))
        law->gain[0] = 3.14159265358979323846 / 4.0 * diameter * diameter;
    law->dynamics = DYNAMICS_FILTER;
    law->gains = LAW_FIXED;
    law->biases = LAW_AFFINE;
}

// A muscle itself has no counterpart, but its numbers are left to other kinds behind it.
static void set_muscle(CondMjcf* m, const CondMjcfNode* node, Law* law)
{
    static const double initial[3] = {1.0, 0.0, 0.0};
    static const double own[3] = {0.75, 1.05, -1.0};
    for (int i = 0; i < 3; i++)
        law->gain[i] = law->gain[i] == initial[i] ? own[i] : law->gain[i];
    cond_mjcf_own_numbers(m, node, "range", 2, 2, law->gain);
    cond_mjcf_own_numbers(m, node, "force", 1, 1, law->gain + 2);
    memcpy(law->bias, law->gain, 3 * sizeof *law->bias);
    law->dynamics = law->gains = law->biases = MUSCLE;
}

// What an element of any kind, a default or the actuator itself, makes of the law so far.
static void set_law(CondMjcf* m, const CondMjcfNode* node, void* data)
{
    Law* law = data;
    if (cond_mjcf_is(node, "general")) {
        set_general(m, node, law);
    } else if (cond_mjcf_is(node, "position") || cond_mjcf_is(node, "intvelocity")) {
        set_position(m, node, law);
    } else if (cond_mjcf_is(node, "velocity")) {
        set_velocity(m, node, law);
    } else if (cond_mjcf_is(node, "damper")) {
        set_damper(m, node, law);
    } else if (cond_mjcf_is(node, "cylinder")) {
        set_cylinder(m, node, law);
    } else if (cond_mjcf_is(node, "muscle")) {
        set_muscle(m, node, law);
    } else if (cond_mjcf_is(node, "motor")) {
        law->gain[0] = 1.0;
        law->dynamics = law->gains = law->biases = 0;
    }
}

// Force at a control u, as numbers: pull - stiffness L - damping L'.
typedef struct Actuator {
    double pull, stiffness, damping;
    int constant; // 1: the force is bias + gain u, however it moves
    double gain, bias;
    int understood;
} Actuator;

static Actuator read_law(CondMjcf* m, CondMjcfNode* node, const CondMjcfLead* length,
                         double control)
{
    Law law = {.gain = {1.0}, .time = {1.0}};
    Actuator a = {.understood = 0};
    cond_mjcf_each_default(m, node, set_law, &law);
    set_law(m, node, &law);
    if (cond_mjcf_is(node, "muscle") || cond_mjcf_is(node, "adhesion") ||
        cond_mjcf_is(node, "plugin") || law.dynamics == DYNAMICS_INTEGRATOR ||
        law.dynamics > DYNAMICS_EXACT || law.gains > LAW_AFFINE || law.biases > LAW_AFFINE)
        return a;
    if (law.dynamics != DYNAMICS_NONE)
        cond_mjcf_warn(m, node, "an actuator's filter of its control is left out");
    if (law.gains == LAW_FIXED)
        law.gain[1] = law.gain[2] = 0.0;
    if (law.biases == LAW_NONE)
        memset(law.bias, 0, sizeof law.bias);
    int servo = law.gains == LAW_FIXED && law.gain[0] == -law.bias[1];
    if (servo && law.bias[2] > 0.0 && length->scale != 0.0)
        law.bias[2] = -2.0 * law.bias[2] *
                      sqrt(law.gain[0] * cond_mjcf_joint_inertia(m, &m->joint[length->leader])) /
                      fabs(length->scale);
    a.pull = law.gain[0] * control + law.bias[0];
    a.stiffness = -law.bias[1] - law.gain[1] * control;
    a.damping = -law.bias[2] - law.gain[2] * control;
    a.gain = law.gain[0];
    a.bias = law.bias[0];
    a.constant = law.gains == LAW_FIXED && law.bias[1] == 0.0 && law.bias[2] == 0.0;
    a.understood = 1;
    return a;
}

// Least and largest torque at the coordinate, by the range of the force or of the control.
static void read_effort(CondMjcf* m, CondMjcfNode* node, const Actuator* a,
                        const CondMjcfLead* length, const double control[2], double effort[2])
{
    double force[2] = {-INFINITY, INFINITY};
    if (cond_mjcf_limited(m, node, "forcelimited", "forcerange"))
        cond_mjcf_numbers(m, node, "forcerange", 2, 2, force);
    else if (a->constant && isfinite(control[0]) && isfinite(control[1]))
        for (int k = 0; k < 2; k++)
            force[k] = a->bias + a->gain * control[a->gain < 0.0 ? 1 - k : k];
    for (int k = 0; k < 2; k++)
        effort[k] = length->scale * force[length->scale < 0.0 ? 1 - k : k];
}

static void left_out(CondMjcf* m, CondMjcfNode* node, const char* why)
{
    const char* name = cond_mjcf_own(node, "name");
    cond_mjcf_warn(m, node, "actuator <%.40s> '%.60s' is left out: %s", node->name,
                   name ? name : "", why);
    for (int i = 0; i < node->n_attribute; i++)
        node->attribute[i].used = 1;
}

static void read_control_range(CondMjcf* m, CondMjcfNode* node, double range[2])
{
    int j = cond_mjcf_find_joint(m, cond_mjcf_own(node, "joint"));
    range[0] = -INFINITY;
    range[1] = INFINITY;
    double share = cond_mjcf_number(m, node, "inheritrange", 0.0);
    if (share > 0.0 && j >= 0 && !isnan(m->joint[j].lower)) {
        double middle = 0.5 * (m->joint[j].lower + m->joint[j].upper);
        range[0] = middle + share * (m->joint[j].lower - middle);
        range[1] = middle + share * (m->joint[j].upper - middle);
    }
    if (cond_mjcf_limited(m, node, "ctrllimited", "ctrlrange"))
        cond_mjcf_numbers(m, node, "ctrlrange", 2, 2, range);
}

static void read_actuator(CondMjcf* m, CondMjcfNode* node, int number, double (*efforts)[2])
{
    double gear[6] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0}, range[2], effort[2];
    CondMjcfLead length;
    cond_mjcf_visit(m, node);
    cond_mjcf_numbers(m, node, "gear", 1, 6, gear);
    if (!find_length(m, node, gear[0], &length)) {
        left_out(m, node, "it does not act on one joint that turns about or slides along an axis");
        return;
    }
    read_control_range(m, node, range);
    double control = m->control ? m->control[number] : 0.0;
    control = fmin(fmax(control, range[0]), range[1]);
    Actuator a = read_law(m, node, &length, control);
    read_effort(m, node, &a, &length, range, effort);
    CondMjcfJoint* joint = &m->joint[length.leader];
    if (!a.understood || a.stiffness < 0.0 || a.damping < 0.0 || joint->fixed) {
        left_out(m, node, joint->fixed ? "its joint is fixed" : "its law has no counterpart");
        return;
    }
    for (int k = 0; k < 2; k++)
        efforts[length.leader][k] += effort[k];
    joint->actuated = 1;
    joint->motor_stiffness += length.scale * length.scale * a.stiffness;
    joint->motor_damping += length.scale * length.scale * a.damping;
    joint->motor_pull += length.scale * (a.pull - a.stiffness * length.shift);
}

void cond_mjcf_read_actuators(CondMjcf* m)
{
    int n = 0;
    double(*efforts)[2] = cond_arena_allocate(&m->arena, (size_t)m->n_joint, sizeof *efforts);
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
            m->control = cond_mjcf_read_list(m, m->key, "ctrl", n);
    }
    for (int i = 0; i < m->n_joint; i++) {
        CondMjcfJoint* joint = &m->joint[i];
        for (int k = 0; k < 2 && joint->actuated; k++)
            joint->effort[k] =
                k ? fmin(joint->effort[k], efforts[i][k]) : fmax(joint->effort[k], efforts[i][k]);
    }
}
