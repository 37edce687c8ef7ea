// Soft bodies, robots and attachments for physics tests, and what is conserved about them. Built on
// scene_make.h; everything that can fail is asserted.
#ifndef COND_TEST_KINDS_MAKE_H
#define COND_TEST_KINDS_MAKE_H

#include "scene_make.h"

// A material with density 1000 kg/m3 and Poisson's ratio 0.3.
CondMaterialDef make_material(const char* name, double youngs_modulus, double stiffness_damping);
void add_material(CondScene* scene, const CondMaterialDef* def);
// A soft body from a mesh recipe, its origin at (x, y, z); it does not touch itself.
CondBodyDef make_soft(const char* name, const char* mesh, const char* material, double x, double y,
                      double z);
// A robot from a URDF file.
CondBodyDef make_robot(const char* name, const char* urdf);

CondObstacleDef make_obstacle(CondShapeKind shape, double a, double b, double c, double x, double y,
                              double z);
void add_obstacle(CondScene* scene, const CondObstacleDef* def);
void add_patch(CondScene* scene, const char* name, const char* body, const double low[3],
               const double high[3]);
// An attachment between two bodies ("" is the world); `turns` holds orientation as well.
CondAttachmentDef make_attachment(const char* name, const char* body0, const char* body1,
                                  int turns);
void add_attachment(CondScene* scene, const CondAttachmentDef* def);

// A URDF file in the working directory: a chain of n rods, each of the given mass and length,
// hanging along -z and turning about y. The rods are thin: inertia m l^2/12 across, 1e-6 m l^2
// along. The base is a ball of mass `base` and radius 0.1 m, or nothing (0).
void write_chain(const char* path, int n, double mass, double length, double damping, double base);
// A ball of the given mass and radius on a slider along z, joint "slide" of link "foot".
void write_slider(const char* path, double mass, double radius);

// Linear (0 .. 2) and angular momentum about the world's origin (3 .. 5) of all bodies.
void trial_momentum(const Trial* trial, double momentum[6]);
// Kinetic and potential energy after the last step.
double trial_energy(const Trial* trial);
double trial_mass(const Trial* trial, int body);
// Largest speed of any coordinate.
double trial_speed(const Trial* trial);

#endif
