// A contact problem in which soft bodies and rods move rigidly, without deformation: v = B r, where
// B holds the six rigid motions of each of them and the identity for all others.
#ifndef COND_CORRECT_RIGID_MOTION_H
#define COND_CORRECT_RIGID_MOTION_H

#include "assemble/assemble.h"
#include "base/arena.h"

typedef struct CondRigidMotion {
    CondArena arena;
    CondProblem problem; // in r
    int* dof_begin;      // first coordinate of a body in r                 (n_body + 1)
    int* body_of;        // of a coordinate in v                            (n_dof of v)
    double* centre;      // of mass, of soft bodies and rods [m]               (n_body x 3)
    double* basis;       // B, rows of these bodies                            (n_dof of v x 6)
    double* column;      // scratch                                            (2 n_dof of v)
    CondBlock* block;    //                                                 (n_body)
    double* values;      // of the blocks of these                       (n_body x 36)
    double* b;           // B' b                                            (n_dof of v)
    CondCoupling* coupling;
    CondContact* contact;
    int* coordinate; // pools of contacts and couplings
    double* jacobian;
    int n_coordinate, n_jacobian; // used of the pools
    int n_reduced;                // soft bodies and rods
} CondRigidMotion;

// Makes problem = B' P B of a finished assembly's problem P.
CondStatus cond_rigid_motion_reduce(const CondKinematics* kinematics, const CondAssembly* assembly,
                                    CondRigidMotion* motion);

// v = B r, and q advanced by it for a time t: soft bodies and rods rotate without strain.
void cond_rigid_motion_expand(const CondKinematics* kinematics, const CondRigidMotion* motion,
                              const double* r, double* v);
void cond_rigid_motion_advance(const CondModel* model, const CondRigidMotion* motion,
                               const double* r, double t, double* q);

void cond_rigid_motion_destroy(CondRigidMotion* motion);

#endif
