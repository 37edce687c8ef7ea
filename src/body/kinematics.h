// Positions of all bodies at one configuration q, with cached quantities: poses and mass matrices
// of robots.
#ifndef COND_BODY_KINEMATICS_H
#define COND_BODY_KINEMATICS_H

#include "model/articulation.h"
#include "model/fem.h"
#include "model/model.h"

typedef struct CondArmPosture {
    CondArticulationWork* work; //
    double* M;                  // mass matrix, by cond_kinematics_mass       (n_dof x n_dof)
    double* L;                  // its factor, by cond_kinematics_mass_factor (n_dof x n_dof)
    double* q;                  // the configuration of these data                       (n_q)
    int has_mass, has_factor;   // 1: M and L are known
    int known;                  // 1: the data are valid for q
} CondArmPosture;

typedef struct CondKinematics {
    CondContext context;
    const CondModel* model;
    const double* q;       // the configuration; borrowed                                (n_q)
    CondArmPosture* arm;   // of the robots, zero for other bodies              (n_body)
    CondFemWork* fem;      // of the soft bodies, zero for others                  (n_body)
    double* elastic;       // scratch: forces of one soft body                      (largest n_dof)
    int* list;             // scratch of relative                               (2 max_point_dof)
    double* columns;       // scratch of relative                               (6 max_point_dof)
    int* frame_list;       // scratch of attachments                            (3 max_point_dof)
    double* frame_columns; // scratch of attachments                          (12 max_point_dof)
    CondIkTarget* guide;   // frames in space, of trajectories without a body (n_trajectory)
    // In the middle of a step: the kinematics at its ends, and the bodies on which potentials act
    // with their mean force over the step, whose work is the change of the potential energy.
    const struct CondKinematics *begin, *end; // NULL: not the middle of a step
    const int* spans;                         // 1: such a body                    (n_body)
    const double* damped; // spectral damping of these (body/spectral.h)            (n_body)
} CondKinematics;

CondStatus cond_kinematics_create(const CondModel* model, CondKinematics* kinematics);
void cond_kinematics_destroy(CondKinematics* kinematics);

// 1 if the forces on a body are means over the step.
int cond_kinematics_spans(const CondKinematics* kinematics, int body);
// The spectral damping of a body in the middle of a step; else 0.
double cond_kinematics_damped(const CondKinematics* kinematics, int body);

// Sets q, which must not change while the kinematics is used.
void cond_kinematics_set(CondKinematics* kinematics, const double* q);
// The same; the data of robots that have the configuration q in another kinematics are swapped with
// it.
void cond_kinematics_set_from(CondKinematics* kinematics, CondKinematics* other, const double* q);
// The same; data of robots that are valid for q are kept, or copied from another kinematics, unless
// it is NULL. The model must not have changed since these were computed.
void cond_kinematics_set_like(CondKinematics* kinematics, const CondKinematics* other,
                              const double* q);
// Discards cached data after values of the model have changed.
void cond_kinematics_forget(CondKinematics* kinematics);

// Mass matrix of a robot, and its Cholesky factor; computed on the first call. Not thread-safe.
//                                                                             (n_dof x n_dof)
const double* cond_kinematics_mass(const CondKinematics* kinematics, int body);
const double* cond_kinematics_mass_factor(const CondKinematics* kinematics, int body);

// World position of a point and its velocity J v: returns the number of coordinates k it depends
// on, listed in coordinate (k), with J (3 x k) row-major. coordinate and J may be NULL. Returns 0
// for the world.
int cond_kinematics_point(const CondKinematics* kinematics, const CondPoint* point, double world[3],
                          int* coordinate, double* J);

// Only the number k.
int cond_kinematics_count(const CondKinematics* kinematics, const CondPoint* point);

// Position and axes (R, world = R frame) of a frame, and J (6 x k) of its velocity and angular
// velocity in world axes; returns k. Particles and the world have the world's axes; the poses of
// frames in space are those of kinematics->guide. coordinate and J may both be NULL.
int cond_kinematics_frame(const CondKinematics* kinematics, const CondFrame* frame,
                          double position[3], double R[9], int* coordinate, double* J);

// Prescribed velocity (0 .. 2) [m/s] and angular velocity (3 .. 5) [rad/s] of a frame: those of a
// guide, zero for all others.
void cond_kinematics_frame_rate(const CondKinematics* kinematics, const CondFrame* frame,
                                double rate[6]);

// Origin and axes (R, world = R part) of a rigid body, a robot's link or a rod's link.
void cond_kinematics_axes(const CondKinematics* kinematics, int body, int part, double origin[3],
                          double R[9]);

// 1 when J of the point is the identity on three neighbouring coordinates: a node.
int cond_kinematics_is_node(const CondModel* model, const CondPoint* point);

// The velocity of end 0 relative to end 1: J = [J0, -J1] (3 x k) over the coordinates of both, each
// listed once. Returns k <= 2 max_point_dof; world positions in p.
int cond_kinematics_relative(const CondKinematics* kinematics, const CondPoint end[2],
                             double p[2][3], int* coordinate, double* J);

#endif
