// Rods for physics tests: a beam that is clamped at one end, and what can be read off it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rod_make.h"

#include "model/rod.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

Beam beam_make(int links)
{
    Beam beam = {.length = 1.0,
                 .radius = 0.01,
                 .youngs = 1e8,
                 .poisson = 0.3,
                 .density = 1000.0,
                 .links = links};
    double area = acos(-1.0) * beam.radius * beam.radius,
           I = 0.25 * area * beam.radius * beam.radius;
    beam.EI = beam.youngs * I;
    beam.GJ = beam.youngs / (1.0 + beam.poisson) * I; // G 2 I
    beam.EA = beam.youngs * area;
    beam.weight = beam.density * area;
    return beam;
}

CondMaterialDef beam_material(const Beam* beam)
{
    CondMaterialDef def = make_material("rubber", beam->youngs, 0.0);
    def.poisson_ratio = beam->poisson;
    def.density = beam->density;
    def.geometric = COND_GEOMETRIC_BOUND;
    return def;
}

CondBodyDef beam_body(const Beam* beam)
{
    CondBodyDef def = cond_body_def_default();
    def.kind = COND_BODY_ROD;
    snprintf(def.name, sizeof def.name, "rod");
    snprintf(def.material, sizeof def.material, "rubber");
    def.rod.links = beam->links;
    def.rod.length = beam->length;
    def.rod.circle = beam->radius;
    def.self_contact = 0;
    make_turn(0.0, 1.0, 0.0, 0.5 * acos(-1.0), def.orientation); // z to x
    return def;
}

void beam_clamp(CondScene* scene, const Beam* beam, double bending)
{
    CondAttachmentDef clamp = make_attachment("clamp", "rod", "", 1);
    clamp.end[0].at = 0.0;
    clamp.stiffness = 100.0 * beam->EA * beam->links / beam->length;
    clamp.damping = 0.0;
    clamp.rotation_stiffness = bending * 2.0 * beam->links / beam->length;
    clamp.rotation_damping = 0.0;
    add_attachment(scene, &clamp);
}

CondScene* beam_scene(const Beam* beam, double t)
{
    CondScene* scene = make_scene();
    CondMaterialDef material = beam_material(beam);
    CondBodyDef body = beam_body(beam);
    cond_scene_settings(scene)->gravity[2] = 0.0;
    cond_scene_settings(scene)->time_step = t;
    cond_scene_settings(scene)->theta = 1.0; // implicit Euler ends in equilibrium
    add_material(scene, &material);
    add_body(scene, &body);
    return scene;
}

void beam_end(const Trial* trial, double p[3])
{
    CondRod* rod = trial->model->body[0].rod;
    CondKinematics* kinematics = &trial->sim->at_end;
    CondPoint point = {.body = 0, .link = rod->n_link - 1};
    point.local[2] = 0.5 * rod->length[rod->n_link - 1];
    cond_kinematics_set(kinematics, trial->state->q);
    cond_kinematics_point(kinematics, &point, p, NULL, NULL);
}
