// Rods for physics tests: a beam that is clamped at one end, and what can be read off it.
#ifndef COND_TEST_ROD_MAKE_H
#define COND_TEST_ROD_MAKE_H

#include "kinds_make.h"

// Properties of a rod of circular section.
typedef struct Beam {
    double length, radius, youngs, poisson, density;
    int links;
    double EI, GJ, EA, weight; // derived; weight: mass per length [kg/m]
} Beam;

// 1 m long and 1 cm in radius, 100 MPa.
Beam beam_make(int links);
// A body called "rod" of material "rubber" along the direction of `orientation`'s z axis.
CondBodyDef beam_body(const Beam* beam);
CondMaterialDef beam_material(const Beam* beam);
// Clamps the begin to the world. Half a link lies between the clamp and the first link's centre:
// its compliance is that of the clamp.
void beam_clamp(CondScene* scene, const Beam* beam, double bending);
// A scene with gravity 0, time step t and the beam, lying along x, clamped at the origin.
CondScene* beam_scene(const Beam* beam, double t);
// World position of the end of the rod.
void beam_end(const Trial* trial, double p[3]);

#endif
