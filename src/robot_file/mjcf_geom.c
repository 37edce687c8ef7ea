// <geom>: shapes and their poses; masses and moments of inertia of their bodies.
#include "base/tuning.h"
#include "math/quat.h"
#include "robot_file/inertia_mend.h"
#include "robot_file/mjcf_model.h"
#include "scene/shape_kind.h"

#include <stdio.h>
#include <string.h>

static const char* const kinds[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                    "cylinder", "box",    "mesh",   NULL};

static int find_mesh(const CondMjcf* m, const char* name)
{
    for (int i = m->n_mesh - 1; name && i >= 0; i--)
        if (m->mesh[i].name && strcmp(m->mesh[i].name, name) == 0)
            return i;
    return -1;
}

// A geom between two points lies along z from the second to the first. Returns its half length.
static double read_ends(CondMjcf* m, const CondMjcfNode* node, CondMjcfPose* pose)
{
    double end[6], along[3];
    if (!cond_mjcf_numbers(m, node, "fromto", 6, 6, end))
        return 0.0;
    for (int i = 0; i < 3; i++) {
        pose->p[i] = 0.5 * (end[i] + end[3 + i]);
        along[i] = end[i] - end[3 + i];
    }
    double length = vec3_norm(along);
    if (length > COND_INPUT_ROUNDING)
        cond_mjcf_from_z(along, pose->q);
    else
        cond_mjcf_refuse(m, node, "fromto of <geom>: the two points are the same");
    return 0.5 * length;
}

static void read_size(CondMjcf* m, const CondMjcfNode* node, CondMjcfGeom* geom)
{
    static const int needs[] = {0, 0, 1, 2, 3, 2, 3, 0};
    double half = 0.0, size[3] = {0.0, 0.0, 0.0};
    int n = cond_mjcf_numbers(m, node, "size", 1, 3, size);
    memcpy(geom->size, size, sizeof size);
    if (needs[geom->kind] < 2 || !cond_mjcf_text(m, node, "fromto")) {
        if (n < needs[geom->kind] && geom->mesh < 0)
            cond_mjcf_refuse(m, node, "<geom> of type %s needs %d size%s, not %d",
                             kinds[geom->kind], needs[geom->kind],
                             needs[geom->kind] == 1 ? "" : "s", n);
    } else {
        half = read_ends(m, node, &geom->pose);
        int wide = geom->kind == COND_MJCF_BOX || geom->kind == COND_MJCF_ELLIPSOID;
        if (wide) // as wide both ways, even where more sizes are given
            geom->size[1] = geom->size[0];
        geom->size[wide ? 2 : 1] = half;
    }
    for (int k = 0; k < needs[geom->kind] && geom->mesh < 0; k++)
        if (!(geom->size[k] > 0.0) && (n >= needs[geom->kind] || half > 0.0))
            cond_mjcf_refuse(m, node, "<geom> of type %s: size %g is not above 0",
                             kinds[geom->kind], geom->size[k]);
}

// The colour of a material; 0 where there is none of that name, or it has none.
static int material_colour(CondMjcf* m, const char* name, double colour[4])
{
    for (CondMjcfNode* asset = m->root->first; asset; asset = asset->next)
        for (CondMjcfNode* node = cond_mjcf_is(asset, "asset") ? asset->first : NULL; node;
             node = node->next) {
            const char* own = cond_mjcf_is(node, "material") ? cond_mjcf_own(node, "name") : NULL;
            if (own && strcmp(own, name) == 0)
                return cond_mjcf_numbers(m, node, "rgba", 4, 4, colour) == 4;
        }
    return 0;
}

// How a geom looks: its own colour, or that of its material. MuJoCo draws the first three groups.
static void read_looks(CondMjcf* m, const CondMjcfNode* node, CondMjcfGeom* geom)
{
    const char* material = cond_mjcf_text(m, node, "material");
    double colour[4] = {NAN, NAN, NAN, NAN};
    if (cond_mjcf_numbers(m, node, "rgba", 4, 4, colour) != 4 && material)
        material_colour(m, material, colour);
    geom->seen = geom->group < 3 && !(colour[3] <= 0.0);
    for (int k = 0; k < 4; k++)
        geom->colour[k] = isnan(colour[k]) ? NAN : fmin(fmax(colour[k], 0.0), 1.0);
}

static void read_surface(CondMjcf* m, const CondMjcfNode* node, CondMjcfGeom* geom)
{
    double friction[3] = {1.0, 0.005, 0.0001};
    geom->contype = cond_mjcf_whole(m, node, "contype", 1);
    geom->conaffinity = cond_mjcf_whole(m, node, "conaffinity", 1);
    if (m->contactless)
        geom->contype = geom->conaffinity = 0;
    geom->group = cond_mjcf_whole(m, node, "group", 0);
    geom->condim = cond_mjcf_whole(m, node, "condim", 3);
    geom->priority = cond_mjcf_whole(m, node, "priority", 0);
    cond_mjcf_numbers(m, node, "friction", 1, 3, friction);
    geom->friction = friction[0];
    read_looks(m, node, geom);
    geom->density = cond_mjcf_number(m, node, "density", 1000.0);
    geom->mass = cond_mjcf_number(m, node, "mass", NAN);
    if (geom->mass < 0.0 || geom->density < 0.0)
        cond_mjcf_refuse(m, node, "mass or density of <geom> is negative");
    if (geom->friction < 0.0)
        cond_mjcf_refuse(m, node, "friction of <geom> is negative");
}

void cond_mjcf_read_geom(CondMjcf* m, CondMjcfNode* node, int body, const CondMjcfPose* frame)
{
    if (COND_RESERVE(&m->arena, m->geom, m->n_geom + 1)) {
        cond_mjcf_no_memory(m);
        return;
    }
    CondMjcfGeom* geom = &m->geom[m->n_geom];
    *geom = (CondMjcfGeom){.node = node, .body = body, .mesh = -1};
    cond_mjcf_visit(m, node);
    cond_mjcf_name(m, node, "geom", m->n_geom, geom->name);
    geom->kind = (CondMjcfGeomKind)cond_mjcf_word(m, node, "type", kinds, COND_MJCF_SPHERE);
    const char* mesh = cond_mjcf_text(m, node, "mesh");
    geom->mesh = find_mesh(m, mesh);
    if (mesh && geom->mesh < 0)
        cond_mjcf_refuse(m, node, "there is no mesh '%.60s'", mesh);
    if (!mesh && geom->kind == COND_MJCF_MESH)
        cond_mjcf_refuse(m, node, "<geom> of type mesh without mesh");
    geom->pose = cond_mjcf_pose(m, node);
    read_surface(m, node, geom);
    read_size(m, node, geom);
    geom->pose = cond_mjcf_times(frame, &geom->pose);
    if (mesh && geom->kind != COND_MJCF_MESH) {
        cond_mjcf_warn(m, node, "geom '%s': the hull of mesh '%.60s' stands for the %s around it",
                       geom->name, mesh, kinds[geom->kind]);
        geom->kind = COND_MJCF_MESH;
    }
    if (m->body[body].moves && m->body[body].parent >= 0 &&
        (geom->kind == COND_MJCF_PLANE || geom->kind == COND_MJCF_HFIELD))
        cond_mjcf_warn(m, node, "geom '%s': a %s cannot move and is left out", geom->name,
                       kinds[geom->kind]);
    m->n_geom++;
}

// Mass, centre and moments of a geom in its own axes; 0 where it has none.
static int geom_inertia(CondMjcf* m, const CondMjcfGeom* geom, double* mass, double centre[3],
                        double I[9])
{
    static const CondShapeKind shapes[] = {
        [COND_MJCF_SPHERE] = COND_SHAPE_SPHERE,     [COND_MJCF_CAPSULE] = COND_SHAPE_CAPSULE,
        [COND_MJCF_CYLINDER] = COND_SHAPE_CYLINDER, [COND_MJCF_BOX] = COND_SHAPE_BOX,
        [COND_MJCF_MESH] = COND_SHAPE_NONE,
    };
    double volume, moment[6] = {0.0}, full[3];
    memset(centre, 0, 3 * sizeof *centre);
    memset(I, 0, 9 * sizeof *I);
    if (geom->kind == COND_MJCF_PLANE || geom->kind == COND_MJCF_HFIELD ||
        (geom->kind == COND_MJCF_MESH && geom->mesh < 0))
        return 0;
    if (geom->mass == 0.0 || (isnan(geom->mass) && geom->density == 0.0))
        return 0;
    if (geom->kind == COND_MJCF_MESH) {
        CondMjcfMesh* mesh = &m->mesh[geom->mesh];
        if (!cond_mjcf_mesh_moments(m, geom->node, mesh))
            return 0;
        *mass = isnan(geom->mass) ? geom->density * mesh->volume : geom->mass;
        memcpy(centre, mesh->centre, sizeof mesh->centre);
        for (int i = 0; i < 9; i++)
            I[i] = mesh->moment[i] * *mass / mesh->volume;
        return 1;
    }
    if (geom->kind == COND_MJCF_ELLIPSOID) { // I_xx = m (b^2 + c^2) / 5
        const double* s = geom->size;
        volume = 4.0 / 3.0 * 3.14159265358979323846 * s[0] * s[1] * s[2];
        *mass = isnan(geom->mass) ? geom->density * volume : geom->mass;
        for (int i = 0; i < 3; i++)
            I[4 * i] =
                *mass / 5.0 * (s[(i + 1) % 3] * s[(i + 1) % 3] + s[(i + 2) % 3] * s[(i + 2) % 3]);
        return 1;
    }
    const CondShapeRow* row = cond_shape_row(shapes[geom->kind]);
    for (int i = 0; i < 3; i++) // full lengths; the first of round ones is their radius
        full[i] = (geom->kind == COND_MJCF_BOX || i > 0 ? 2.0 : 1.0) * geom->size[i];
    volume = row->volume(full);
    *mass = isnan(geom->mass) ? geom->density * volume : geom->mass;
    row->inertia(*mass, full, moment);
    for (int i = 0; i < 3; i++)
        I[4 * i] = moment[i];
    return 1;
}

// The pose of what a geom's numbers refer to: of a mesh the axes of its file.
CondMjcfPose cond_mjcf_geom_frame(const CondMjcf* m, const CondMjcfGeom* geom)
{
    if (geom->kind != COND_MJCF_MESH || geom->mesh < 0) // the latter was refused
        return geom->pose;
    CondMjcfPose back = cond_mjcf_inverse(&m->mesh[geom->mesh].ref);
    return cond_mjcf_times(&geom->pose, &back);
}

// I <- R I R', and the part of Steiner: m (|d|^2 1 - d d').
static void add_moved(const double R[9], const double I[9], double mass, const double d[3],
                      double sum[9])
{
    double RI[9], square = vec3_dot(d, d);
    mat3_product(R, I, RI);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            double turned = vec3_dot(RI + 3 * i, R + 3 * j);
            double moved = turned + mass * ((i == j ? square : 0.0) - d[i] * d[j]);
            sum[3 * i + j] += moved;
            if (i != j)
                sum[3 * j + i] += moved;
        }
}

static int counts(const CondMjcf* m, const CondMjcfGeom* geom, int body)
{
    const int* range = cond_mjcf_settings(m, geom->node)->group_range;
    return geom->body == body && geom->group >= range[0] && geom->group <= range[1];
}

// Two passes: the centre of mass of the body, then the moments about it.
static void from_geoms(CondMjcf* m, int b)
{
    CondMjcfBody* body = &m->body[b];
    double first[3] = {0.0, 0.0, 0.0}, mass, centre[3], I[9], at[3], R[9];
    body->mass = 0.0;
    memset(body->com, 0, sizeof body->com);
    memset(body->inertia, 0, sizeof body->inertia);
    for (int pass = 0; pass < 2; pass++)
        for (int g = 0; g < m->n_geom; g++) {
            const CondMjcfGeom* geom = &m->geom[g];
            if (!counts(m, geom, b) || !geom_inertia(m, geom, &mass, centre, I))
                continue;
            CondMjcfPose frame = cond_mjcf_geom_frame(m, geom);
            cond_mjcf_place(&frame, centre, at);
            if (pass == 0) {
                body->mass += mass;
                for (int i = 0; i < 3; i++) {
                    first[i] += mass * at[i];
                    body->com[i] = body->mass > 0.0 ? first[i] / body->mass : 0.0;
                }
                continue;
            }
            double d[3] = {at[0] - body->com[0], at[1] - body->com[1], at[2] - body->com[2]};
            quat_matrix(frame.q, R);
            add_moved(R, I, mass, d, body->inertia);
        }
}

// The compiler's bounds and the balance of moments, on principal moments I = Q diag(w) Q'.
static void adjust(CondMjcf* m, CondMjcfBody* body)
{
    const CondMjcfSettings* settings = cond_mjcf_settings(m, body->node);
    body->mass = fmax(body->mass, settings->bound_mass);
    CondLink link = cond_link_default();
    double w[3], Q[9];
    memcpy(link.name, body->name, sizeof link.name);
    memcpy(link.inertia, body->inertia, sizeof link.inertia);
    link.mass = body->mass;
    if (body->mass > 0.0 && (settings->bound_inertia > 0.0 || settings->balance)) {
        cond_inertia_moments(link.inertia, w, Q);
        for (int i = 0; i < 3; i++)
            w[i] = fmax(w[i], settings->bound_inertia);
        double sum = w[0] + w[1] + w[2], largest = fmax(w[0], fmax(w[1], w[2]));
        for (int i = 0; i < 3 && settings->balance && 2.0 * largest > sum; i++)
            w[i] = sum / 3.0;
        cond_inertia_put(w, Q, link.inertia);
    }
    char text[COND_WARNING_SIZE];
    if (cond_inertia_mend(&link, text, sizeof text))
        cond_mjcf_warn(m, body->node, "%s", text);
    memcpy(body->inertia, link.inertia, sizeof link.inertia);
}

// 1 where the body moves on its own, or is part of one that does.
static int is_moved(const CondMjcf* m, int b)
{
    while (b > 0 && m->body[b].n_joint == 0)
        b = m->body[b].parent;
    return b > 0;
}

void cond_mjcf_inertias(CondMjcf* m)
{
    double total = 0.0, wanted = m->model[0].total_mass;
    for (int b = 1; b < m->n_body && !cond_mjcf_ends(m); b++) {
        CondMjcfBody* body = &m->body[b];
        int from = cond_mjcf_settings(m, body->node)->inertia_from_geom;
        int geoms = from == 1 || (from == 2 && !body->inertial);
        if (is_moved(m, b) && geoms)
            from_geoms(m, b);
        if (!is_moved(m, b)) // what never moves has no mass that counts
            body->mass = 0.0, memset(body->inertia, 0, sizeof body->inertia);
        else
            adjust(m, body);
        total += body->mass;
    }
    for (int b = 1; b < m->n_body && wanted > 0.0 && total > 0.0; b++) {
        m->body[b].mass *= wanted / total;
        for (int i = 0; i < 9; i++)
            m->body[b].inertia[i] *= wanted / total;
    }
}

double cond_mjcf_joint_inertia(const CondMjcf* m, const CondMjcfJoint* joint)
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
