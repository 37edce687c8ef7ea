// Driven joints: equalities between two of them, and the keyframe a scene starts at.
#include "base/tuning.h"
#include "math/quat.h"
#include "robot_file/mjcf_model.h"

#include <stdio.h>
#include <string.h>

CondMjcfLead cond_mjcf_find_leader(const CondMjcf* m, int joint)
{
    CondMjcfLead lead = {joint, 1.0, 0.0};
    for (int k = 0; k <= m->n_joint && m->joint[lead.leader].mimic >= 0; k++) {
        const CondMjcfJoint* at = &m->joint[lead.leader];
        lead.shift += lead.scale * at->offset;
        lead.scale *= at->multiplier;
        lead.leader = at->mimic;
    }
    return lead;
}

int cond_mjcf_is_single(const CondMjcfJoint* joint)
{
    return joint->kind == COND_MJCF_HINGE || joint->kind == COND_MJCF_SLIDE;
}

int cond_mjcf_is_across(const CondMjcf* m, const int j[2])
{
    return j[1] >= 0 && m->body[m->joint[j[0]].body].top != m->body[m->joint[j[1]].body].top;
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
    else if (!cond_mjcf_is_single(y) || (j[1] >= 0 && !cond_mjcf_is_single(&m->joint[j[1]])))
        why = "it is one of a ball or a free joint";
    else if (cond_mjcf_is_across(m, j))
        return; // a spring, once robots are made
    else if (y->mimic >= 0 || y->fixed)
        why = "the joint follows another one already";
    else if (j[1] >= 0 && cond_mjcf_find_leader(m, j[1]).leader == j[0])
        why = "the joints would follow each other";
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

double* cond_mjcf_read_list(CondMjcf* m, const CondMjcfNode* node, const char* name, int n)
{
    const char* text = cond_mjcf_own(node, name);
    if (!text)
        return NULL;
    double* list = cond_arena_allocate(&m->arena, (size_t)n, sizeof *list);
    if (!list) {
        cond_mjcf_no_memory(m);
        return NULL;
    }
    if (cond_mjcf_list(text, n, list) >= 0)
        return list;
    cond_mjcf_refuse(m, node, "%s of <%.40s>: expected at most %d number%s", name, node->name, n,
                     n == 1 ? "" : "s");
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
    if (fabs(start - joint->start) > COND_INPUT_ROUNDING)
        cond_mjcf_warn(m, joint->node, "joint '%s' starts at %g, its limit, instead of %g",
                       joint->name, joint->start, start);
}

void cond_mjcf_read_keyframe(CondMjcf* m)
{
    CondMjcfNode* key = find_key(m);
    const double* q = key ? cond_mjcf_read_list(m, key, "qpos", m->n_q) : NULL;
    const double* v = key ? cond_mjcf_read_list(m, key, "qvel", m->n_v) : NULL;
    m->key = key;
    for (int i = 0; i < m->n_joint; i++) {
        CondMjcfJoint* joint = &m->joint[i];
        const double* own = q ? q + joint->qpos : NULL;
        static const size_t n_v[] = {6, 3, 1, 1};
        if (v)
            memcpy(joint->speed, v + joint->qvel, n_v[joint->kind] * sizeof *v);
        if (own && cond_mjcf_is_single(joint) && !joint->fixed)
            joint->start = own[0];
        if (own && !cond_mjcf_is_single(joint))
            cond_mjcf_unit_quat(own + (joint->kind == COND_MJCF_FREE ? 3 : 0), joint->turn);
        if (own && joint->kind == COND_MJCF_FREE) {
            double turn[4];
            cond_mjcf_place(&m->place, own, joint->place);
            quat_product(m->place.q, joint->turn, turn);
            memcpy(joint->turn, turn, sizeof turn);
        }
        if (cond_mjcf_is_single(joint) && !joint->fixed)
            bound_start(m, joint);
    }
    if (key)
        cond_mjcf_warn(m, key, "the scene starts at keyframe '%.60s'", cond_mjcf_own(key, "name"));
}
