// Springs between joints: those of fixed tendons, and <equality> <joint> between two trees, where
// no robot holds both joints, so that they are coupled by a spring as stiff as MuJoCo's constraint.
//
// y - y0 = a0 + a1 (x - x0) is a length y - a1 x at rest at y0 + a0 - a1 x0. Its mass is that which
// MuJoCo gives it, 1/m = 1/I_y + 1/I_x.
#include "robot_file/mjcf_make.h"

#include <math.h>
#include <string.h>

// One end: ratio times the joint's position. A joint that follows another is that one; one that is
// fixed is a number, and no end.
static void put_end(CondMjcf* m, int end, int joint, double ratio, CondSpringDef* def)
{
    CondMjcfLead lead = cond_mjcf_find_leader(m, joint);
    const CondMjcfJoint* leader = &m->joint[lead.leader];
    def->rest_length -= ratio * lead.shift;
    ratio *= lead.scale;
    if (leader->fixed) {
        def->rest_length -= ratio * leader->start;
    } else if (ratio != 0.0) {
        memcpy(def->body[end], m->body[leader->body].scene_body, sizeof def->body[end]);
        memcpy(def->joint[end], leader->name, sizeof def->joint[end]);
        def->ratio[end] = ratio;
    }
}

static void make_coupling(CondMjcf* m, CondMjcfNode* node, const int j[2])
{
    double a[5] = {0.0, 1.0, 0.0, 0.0, 0.0}, inverse = 0.0;
    CondSpringDef def = cond_spring_def_default();
    CondSceneIssue issue;
    const char* name = cond_mjcf_own(node, "name");
    cond_mjcf_numbers(m, node, "polycoef", 1, 5, a);
    const CondMjcfJoint *y = &m->joint[j[0]], *x = &m->joint[j[1]];
    cond_mjcf_scene_name(m, node, name ? name : "", def.name);
    def.rest_length = y->ref + a[0] - a[1] * x->ref;
    put_end(m, 0, j[0], 1.0, &def);
    put_end(m, 1, j[1], -a[1], &def);
    if (!def.joint[0][0] && !def.joint[1][0]) {
        cond_mjcf_warn(m, node, "<joint> holds two fixed bodies: left out");
        return;
    }
    for (int k = 0; k < 2; k++)
        if (def.joint[k][0])
            inverse += 1.0 / cond_mjcf_joint_inertia(m, &m->joint[j[k]]);
    cond_mjcf_read_softness(m, node, &def.stiffness, &def.damping);
    def.stiffness /= inverse;
    def.damping /= inverse;
    CondStatus status = cond_scene_put_def(m->scene, COND_SCENE_SPRING, &def, &issue);
    if (status == COND_OUT_OF_MEMORY)
        cond_mjcf_no_memory(m);
    else if (status)
        cond_mjcf_refuse(m, node, "%s: %.1000s", issue.field, issue.text);
}

// Those that can be were told from those that cannot where the equalities of a tree were read.
static int is_coupling(CondMjcf* m, const CondMjcfNode* node, int j[2])
{
    double a[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
    j[0] = cond_mjcf_find_joint(m, cond_mjcf_own(node, "joint1"));
    j[1] = cond_mjcf_find_joint(m, cond_mjcf_own(node, "joint2"));
    cond_mjcf_numbers(m, node, "polycoef", 1, 5, a);
    return j[0] >= 0 && j[1] >= 0 && cond_mjcf_true(m, node, "active", 1) &&
           cond_mjcf_is_across(m, j) && cond_mjcf_is_single(&m->joint[j[0]]) &&
           cond_mjcf_is_single(&m->joint[j[1]]) && a[2] == 0.0 && a[3] == 0.0 && a[4] == 0.0;
}

// Adds coef times a joint's position to the length: 0 where that takes a third coordinate.
static int add_joint(CondMjcf* m, int joint, double coef, CondSpringDef* def)
{
    CondSpringDef one = cond_spring_def_default();
    one.rest_length = 0.0;
    put_end(m, 0, joint, coef, &one);
    def->rest_length += one.rest_length;
    for (int end = 0; end < 2 && one.joint[0][0]; end++) {
        if (strcmp(def->joint[end], one.joint[0]) == 0) {
            def->ratio[end] += one.ratio[0];
            return 1;
        }
        if (!def->joint[end][0]) {
            memcpy(def->body[end], one.body[0], sizeof def->body[end]);
            memcpy(def->joint[end], one.joint[0], sizeof def->joint[end]);
            def->ratio[end] = one.ratio[0];
            return 1;
        }
    }
    return !one.joint[0][0];
}

// The spring and the damper of a fixed tendon, whose length is the sum of coef q. Without
// springlength it is slack where its joints' springs are.
static void make_tendon(CondMjcf* m, CondMjcfNode* node)
{
    CondSpringDef def = cond_spring_def_default();
    CondSceneIssue issue;
    const char* name = cond_mjcf_own(node, "name");
    double slack[2] = {-1.0, NAN}, length = 0.0;
    def.stiffness = cond_mjcf_number(m, node, "stiffness", 0.0);
    def.damping = cond_mjcf_number(m, node, "damping", 0.0);
    def.rest_length = 0.0;
    if (!(def.stiffness > 0.0) && !(def.damping > 0.0))
        return;
    cond_mjcf_visit(m, node);
    node->parent->used = 1;
    cond_mjcf_numbers(m, node, "springlength", 1, 2, slack);
    const char* why = slack[1] > slack[0] ? "is slack over a range" : NULL;
    for (CondMjcfNode* wrap = node->first; wrap && !why; wrap = wrap->next) {
        int j = cond_mjcf_find_joint(m, cond_mjcf_own(wrap, "joint"));
        double coef = cond_mjcf_number(m, wrap, "coef", 0.0);
        wrap->used = 1;
        if (j < 0 || !cond_mjcf_is_single(&m->joint[j]) || !add_joint(m, j, coef, &def))
            why = "is not one of at most two hinges and slides";
        else
            length += coef * m->joint[j].spring_rest;
    }
    if (why || !def.joint[0][0]) {
        cond_mjcf_warn(m, node, "the spring of tendon '%.60s' %s: left out", name ? name : "",
                       why ? why : "holds two things that stand still");
        return;
    }
    def.rest_length += slack[0] < 0.0 ? length : slack[0];
    cond_mjcf_scene_name(m, node, name ? name : "", def.name);
    if (def.ratio[0] == 0.0 || def.ratio[1] == 0.0)
        return; // of no length
    CondStatus status = cond_scene_put_def(m->scene, COND_SCENE_SPRING, &def, &issue);
    if (status == COND_OUT_OF_MEMORY)
        cond_mjcf_no_memory(m);
    else if (status)
        cond_mjcf_refuse(m, node, "%s: %.1000s", issue.field, issue.text);
}

void cond_mjcf_make_couplings(CondMjcf* m)
{
    int j[2];
    for (CondMjcfNode* section = m->root->first; section; section = section->next)
        for (CondMjcfNode* node = cond_mjcf_is(section, "equality") ? section->first : NULL;
             node && !cond_mjcf_ends(m); node = node->next)
            if (cond_mjcf_is(node, "joint") && is_coupling(m, node, j))
                make_coupling(m, node, j);
    for (CondMjcfNode* section = m->root->first; section; section = section->next)
        for (CondMjcfNode* node = cond_mjcf_is(section, "tendon") ? section->first : NULL;
             node && !cond_mjcf_ends(m); node = node->next)
            if (cond_mjcf_is(node, "fixed"))
                make_tendon(m, node);
}
