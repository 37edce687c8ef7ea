// <composite type="cable">: a chain of capsules with elastic joints becomes a rod.
#include "base/tuning.h"
#include "robot_file/mjcf_make.h"
#include "robot_file/tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The value of one word of `curve` at s in 0 .. 1; 0 where it is not understood.
static int curve_at(const char* word, const double size[3], double s, double* value)
{
    double angle = 3.14159265358979323846 * s * size[2];
    if (strcmp(word, "s") == 0)
        *value = s * size[0];
    else if (strcmp(word, "0") == 0)
        *value = 0.0;
    else if (strcmp(word, "cos(s)") == 0)
        *value = size[1] * cos(angle);
    else if (strcmp(word, "sin(s)") == 0)
        *value = size[1] * sin(angle);
    else
        return 0;
    return 1;
}

// The ends of the links, by a curve; returns how many, 0 where it is not understood.
static int read_curve(CondMjcf* m, const CondMjcfNode* node, double** point)
{
    double count[3] = {0.0, 1.0, 1.0}, size[3] = {1.0, 0.0, 0.0};
    char word[3][16] = {"0", "0", "0"};
    const char* curve = cond_mjcf_own(node, "curve");
    cond_mjcf_numbers(m, node, "count", 1, 3, count);
    cond_mjcf_numbers(m, node, "size", 1, 3, size);
    if (!curve || count[0] < 3.0 || count[0] > COND_FILE_ITEMS || count[1] != 1.0 ||
        sscanf(curve, "%15s %15s %15s", word[0], word[1], word[2]) < 1)
        return 0;
    int n = (int)count[0];
    if (COND_RESERVE(&m->arena, *point, 3 * n)) {
        cond_mjcf_no_memory(m);
        return 0;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            if (!curve_at(word[k], size, (double)i / (n - 1), &(*point)[3 * i + k]))
                return 0;
    return n;
}

// The section and what it is made of: bend is Young's modulus, twist the shear modulus.
static int read_section(CondMjcf* m, CondMjcfNode* node, CondMjcfGeom* geom, double modulus[2])
{
    for (CondMjcfNode* child = node->first; child; child = child->next) {
        if (cond_mjcf_is(child, "geom")) {
            double size[3] = {0.0, 0.0, 0.0};
            cond_mjcf_visit(m, child);
            cond_mjcf_numbers(m, child, "size", 1, 3, size);
            geom->size[0] = size[0];
            geom->density = cond_mjcf_number(m, child, "density", 1000.0);
            double friction[3] = {1.0, 0.0, 0.0};
            cond_mjcf_numbers(m, child, "friction", 1, 3, friction);
            geom->friction = friction[0];
            cond_mjcf_own(child, "type");
        }
        for (CondMjcfNode* config = cond_mjcf_is(child, "plugin") ? child->first : NULL; config;
             config = config->next) {
            const char* key = cond_mjcf_own(config, "key");
            child->used = config->used = 1;
            cond_mjcf_own(child, "plugin");
            if (key && (strcmp(key, "bend") == 0 || strcmp(key, "twist") == 0))
                modulus[key[0] == 't'] = cond_mjcf_number(m, config, "value", 0.0);
        }
    }
    return geom->size[0] > 0.0 && modulus[0] > 0.0 && modulus[1] > 0.0;
}

static void put_material(CondMjcf* m, const CondMjcfNode* node, const char* name, double density,
                         const double modulus[2])
{
    CondMaterialDef def = cond_material_def_default();
    CondSceneIssue issue;
    snprintf(def.name, sizeof def.name, "%s", name);
    def.density = density;
    def.youngs_modulus = modulus[0];
    // G = E / (2 (1 + nu)), as far as a material can have it.
    double poisson = modulus[0] / (2.0 * modulus[1]) - 1.0;
    def.poisson_ratio = fmin(fmax(poisson, -1.0 + COND_POISSON_MARGIN), 0.5 - COND_POISSON_MARGIN);
    if (def.poisson_ratio != poisson)
        cond_mjcf_warn(m, node, "twist %g of the cable is taken as %g", modulus[1],
                       modulus[0] / (2.0 * (1.0 + def.poisson_ratio)));
    CondStatus status = cond_scene_put_def(m->scene, COND_SCENE_MATERIAL, &def, &issue);
    if (status == COND_OUT_OF_MEMORY)
        cond_mjcf_no_memory(m);
    else if (status)
        cond_mjcf_refuse(m, node, "%s: %.1000s", issue.field, issue.text);
}

// Its first link is held by the body it stands in, or as a ball joint, or not at all.
static void put_hold(CondMjcf* m, CondMjcfNode* node, const CondMjcfCable* cable, const char* name)
{
    static const char* const words[] = {"none", "free", "ball", NULL};
    CondAttachmentDef def = cond_attachment_def_default();
    CondSceneIssue issue;
    int initial = cond_mjcf_word(m, node, "initial", words, 0);
    if (initial == 1)
        return;
    memcpy(def.end[0].body, name, sizeof def.end[0].body);
    def.end[0].at = 0.0;
    memcpy(def.end[1].point, cable->pose.p, sizeof def.end[1].point);
    def.turns = initial == 0;
    def.stiffness = INFINITY;
    CondStatus status = cond_scene_put_def(m->scene, COND_SCENE_ATTACHMENT, &def, &issue);
    if (status == COND_OUT_OF_MEMORY)
        cond_mjcf_no_memory(m);
    else if (status)
        cond_mjcf_refuse(m, node, "%s: %.1000s", issue.field, issue.text);
}

static void make_cable(CondMjcf* m, CondMjcfCable* cable, int number)
{
    CondMjcfNode* node = cable->node;
    CondMjcfGeom section = {.density = 1000.0, .friction = 1.0};
    CondBodyDef def = cond_body_def_default();
    double modulus[2] = {0.0, 0.0}, *point = NULL, offset[3] = {0.0, 0.0, 0.0};
    const char* prefix = cond_mjcf_own(node, "prefix");
    char own[COND_NAME_SIZE];
    cond_mjcf_visit(m, node);
    cond_mjcf_own(node, "type");
    int n = read_curve(m, node, &point);
    if (n == 0 || !read_section(m, node, &section, modulus) || m->body[cable->body].moves) {
        cond_mjcf_warn(m, node,
                       "<composite> is left out: a cable needs a curve of s, 0, cos(s) and sin(s), "
                       "a round section, bend and twist, and a body that stands still");
        return;
    }
    cond_mjcf_numbers(m, node, "offset", 3, 3, offset);
    CondMjcfPose moved = {{offset[0], offset[1], offset[2]}, {1.0, 0.0, 0.0, 0.0}};
    cable->pose = cond_mjcf_times(&m->body[cable->body].world, &cable->pose);
    cable->pose = cond_mjcf_times(&cable->pose, &moved);
    double first[3] = {point[0], point[1], point[2]};
    for (int i = 0; i < 3 * n; i++) // from its begin
        point[i] -= first[i % 3];
    CondMjcfPose start = {{first[0], first[1], first[2]}, {1.0, 0.0, 0.0, 0.0}};
    cable->pose = cond_mjcf_times(&cable->pose, &start);
    snprintf(own, sizeof own, "%.40scable%d", prefix ? prefix : "", number);
    cond_mjcf_scene_name(m, node, own, def.name);
    put_material(m, node, def.name, section.density, modulus);
    def.kind = COND_BODY_ROD;
    def.inertia_from_shape = 0;
    memcpy(def.material, def.name, sizeof def.material);
    memcpy(def.position, cable->pose.p, sizeof def.position);
    memcpy(def.orientation, cable->pose.q, sizeof def.orientation);
    def.surface.friction[0] = def.surface.friction[1] = section.friction;
    def.rod.shape = COND_ROD_POINTS;
    def.rod.circle = section.size[0];
    def.n_point = n;
    def.point = point;
    cond_mjcf_put_body(m, node, &def);
    if (!m->status)
        put_hold(m, node, cable, def.name);
}

void cond_mjcf_make_cables(CondMjcf* m)
{
    for (int i = 0; i < m->n_cable && !m->status; i++)
        make_cable(m, &m->cable[i], i);
}

int cond_mjcf_is_of_cable(const CondMjcf* m, const char* name)
{
    for (int i = 0; i < m->n_cable && name; i++) {
        const char* prefix = cond_mjcf_own(m->cable[i].node, "prefix");
        size_t length = prefix ? strlen(prefix) : 0;
        const char* rest = length && strncmp(name, prefix, length) != 0 ? "" : name + length;
        size_t digits = strncmp(rest, "B_", 2) == 0 ? strspn(rest + 2, "0123456789") : 0;
        if (strcmp(rest, "B_first") == 0 || strcmp(rest, "B_last") == 0 ||
            (digits > 0 && rest[2 + digits] == 0))
            return 1;
    }
    return 0;
}
