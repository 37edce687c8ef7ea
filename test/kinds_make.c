// Soft bodies, robots and attachments for physics tests, and what is conserved about them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "math/quat.h"
#include "model/articulation.h"
#include "model/fem.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void expect_ok(CondStatus status, const CondError* error)
{
    if (status)
        fail_msg("%s", error->message);
}

CondMaterialDef make_material(const char* name, double youngs_modulus, double stiffness_damping)
{
    CondMaterialDef def = cond_material_def_default();
    snprintf(def.name, sizeof def.name, "%s", name);
    def.youngs_modulus = youngs_modulus;
    def.poisson_ratio = 0.3;
    def.density = 1000.0;
    def.stiffness_damping = stiffness_damping;
    return def;
}

void add_material(CondScene* scene, const CondMaterialDef* def)
{
    CondError error;
    expect_ok(cond_scene_add_material(scene, def, &error), &error);
}

CondBodyDef make_soft(const char* name, const char* mesh, const char* material, double x, double y,
                      double z)
{
    CondBodyDef def = cond_body_def_default();
    double position[3] = {x, y, z};
    def.kind = COND_BODY_SOFT;
    snprintf(def.name, sizeof def.name, "%s", name);
    snprintf(def.mesh, sizeof def.mesh, "%s", mesh);
    snprintf(def.material, sizeof def.material, "%s", material);
    memcpy(def.position, position, sizeof position);
    def.self_contact = 0;
    return def;
}

CondBodyDef make_robot(const char* name, const char* urdf)
{
    CondBodyDef def = cond_body_def_default();
    def.kind = COND_BODY_ROBOT;
    snprintf(def.name, sizeof def.name, "%s", name);
    snprintf(def.urdf, sizeof def.urdf, "%s", urdf);
    return def;
}

CondObstacleDef make_obstacle(CondShapeKind shape, double a, double b, double c, double x, double y,
                              double z)
{
    CondObstacleDef def = cond_obstacle_def_default();
    double size[3] = {a, b, c}, position[3] = {x, y, z};
    def.shape = shape;
    memcpy(def.size, size, sizeof size);
    memcpy(def.position, position, sizeof position);
    return def;
}

void add_obstacle(CondScene* scene, const CondObstacleDef* def)
{
    CondError error;
    expect_ok(cond_scene_add_obstacle(scene, def, &error), &error);
}

void add_patch(CondScene* scene, const char* name, const char* body, const double low[3],
               const double high[3])
{
    CondError error;
    CondPatchDef def = cond_patch_def_default();
    snprintf(def.name, sizeof def.name, "%s", name);
    snprintf(def.body, sizeof def.body, "%s", body);
    memcpy(def.low, low, sizeof def.low);
    memcpy(def.high, high, sizeof def.high);
    expect_ok(cond_scene_add_patch(scene, &def, &error), &error);
}

CondAttachmentDef make_attachment(const char* name, const char* body0, const char* body1, int turns)
{
    CondAttachmentDef def = cond_attachment_def_default();
    snprintf(def.name, sizeof def.name, "%s", name);
    snprintf(def.end[0].body, sizeof def.end[0].body, "%s", body0);
    snprintf(def.end[1].body, sizeof def.end[1].body, "%s", body1);
    def.turns = turns;
    return def;
}

void add_attachment(CondScene* scene, const CondAttachmentDef* def)
{
    CondError error;
    expect_ok(cond_scene_add_attachment(scene, def, &error), &error);
}

// An <inertial> element with diagonal inertia.
static void write_inertial(FILE* file, double z, double mass, double xx, double yy, double zz)
{
    fprintf(file,
            "    <inertial>\n      <origin xyz=\"0 0 %.17g\"/>\n      <mass value=\"%.17g\"/>\n"
            "      <inertia ixx=\"%.17g\" ixy=\"0\" ixz=\"0\" iyy=\"%.17g\" iyz=\"0\" "
            "izz=\"%.17g\"/>\n    </inertial>\n",
            z, mass, xx, yy, zz);
}

void write_chain(const char* path, int n, double mass, double length, double damping, double base)
{
    FILE* file = fopen(path, "w");
    double across = mass * length * length / 12.0, along = 1e-6 * mass * length * length;
    char parent[16] = "base";
    assert_non_null(file);
    fprintf(file, "<?xml version=\"1.0\"?>\n<robot name=\"chain\">\n  <link name=\"base\">\n");
    if (base > 0.0)
        write_inertial(file, 0.0, base, 0.004 * base, 0.004 * base, 0.004 * base);
    fprintf(file, "  </link>\n");
    for (int i = 0; i < n; i++) {
        fprintf(file, "  <link name=\"rod%d\">\n", i);
        write_inertial(file, -0.5 * length, mass, across, across, along);
        fprintf(file,
                "  </link>\n  <joint name=\"hinge%d\" type=\"continuous\">\n"
                "    <parent link=\"%s\"/>\n    <child link=\"rod%d\"/>\n"
                "    <origin xyz=\"0 0 %.17g\"/>\n    <axis xyz=\"0 1 0\"/>\n"
                "    <dynamics damping=\"%.17g\"/>\n  </joint>\n",
                i, parent, i, i > 0 ? -length : 0.0, damping);
        snprintf(parent, sizeof parent, "rod%d", i);
    }
    fprintf(file, "</robot>\n");
    assert_int_equal(fclose(file), 0);
}

void write_slider(const char* path, double mass, double radius)
{
    FILE* file = fopen(path, "w");
    double inertia = 0.4 * mass * radius * radius;
    assert_non_null(file);
    fprintf(file, "<?xml version=\"1.0\"?>\n<robot name=\"slider\">\n  <link name=\"base\"/>\n"
                  "  <link name=\"foot\">\n");
    write_inertial(file, 0.0, mass, inertia, inertia, inertia);
    fprintf(file,
            "    <collision>\n      <geometry><sphere radius=\"%.17g\"/></geometry>\n"
            "    </collision>\n  </link>\n  <joint name=\"slide\" type=\"prismatic\">\n"
            "    <parent link=\"base\"/>\n    <child link=\"foot\"/>\n    <axis xyz=\"0 0 1\"/>\n"
            "    <limit lower=\"-1\" upper=\"1\" velocity=\"10\" effort=\"1000\"/>\n"
            "  </joint>\n</robot>\n",
            radius);
    assert_int_equal(fclose(file), 0);
}

static void add_point_momentum(double mass, const double x[3], const double v[3], double p[6])
{
    double moment[3];
    vec3_cross(x, v, moment);
    for (int i = 0; i < 3; i++) {
        p[i] += mass * v[i];
        p[3 + i] += mass * moment[i];
    }
}

// A rigid body's own part of the angular momentum: R I w.
static void add_spin(const CondBody* body, const double* q, const double* v, double p[6])
{
    double R[9], L[3], world[3];
    quat_matrix(q + 3, R);
    mat3_multiply(body->inertia, v + 3, L);
    mat3_multiply(R, L, world);
    for (int i = 0; i < 3; i++)
        p[3 + i] += world[i];
}

void trial_momentum(const Trial* trial, double momentum[6])
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    memset(momentum, 0, 6 * sizeof *momentum);
    cond_kinematics_set(&trial->sim->at_end, trial->state->q);
    for (int b = 0; b < trial->model->n_body; b++) {
        const CondBody* body = &trial->model->body[b];
        const double* q = trial->state->q + body->q_begin;
        const double* v = trial->state->v + body->dof_begin;
        if (body->kind == COND_BODY_SOFT) {
            for (int i = 0; i < body->fem->n_node; i++)
                add_point_momentum(body->fem->mass[i], q + 3 * i, v + 3 * i, momentum);
        } else if (body->kind == COND_BODY_ROBOT) {
            double own[6];
            cond_articulation_momentum(body->arm, trial->sim->at_end.arm[b].work, v, origin, own);
            for (int i = 0; i < 6; i++)
                momentum[i] += own[i];
        } else {
            add_point_momentum(body->mass, q, v, momentum);
            if (body->kind == COND_BODY_RIGID)
                add_spin(body, q, v, momentum);
        }
    }
}

double trial_energy(const Trial* trial)
{
    return trial->info.kinetic_after + trial->info.potential_after;
}

double trial_mass(const Trial* trial, int body)
{
    return trial->model->body[body].mass;
}

double trial_speed(const Trial* trial)
{
    double fastest = 0.0;
    for (int i = 0; i < trial->model->n_dof; i++)
        fastest = fmax(fastest, fabs(trial->state->v[i]));
    return fastest;
}
