// What every kind of body can do. Coordinates of a body are its velocities; its configuration is a
// position and, for rigid bodies, an orientation.
#ifndef COND_BODY_BODY_H
#define COND_BODY_BODY_H

#include "scene/model.h"

typedef struct CondBodyOps {
    CondBodyKind kind;
    int n_dof;
    // M (n_dof x n_dof), row-major.
    void (*mass)(const CondBody* body, double* M);
    // f = -C v, taken at the middle of a force-free step of length t from v.
    void (*bias)(const CondBody* body, const double* v, double t, double* f);
    // v = M^-1 f
    void (*accelerate)(const CondBody* body, const double* f, double* v);
    // q <- update(q, v, t)
    void (*advance)(const double* v, double t, double* position, double* orientation);
    // World position of a point given in body axes, and J (3 x n_dof) of its velocity.
    void (*point)(const double* position, const double* orientation, const double* local,
                  double* world, double* jacobian);
    // f += the generalized force of a torque in world axes.
    void (*add_torque)(const double* orientation, const double* torque, double* f);
} CondBodyOps;

extern const CondBodyOps cond_body_particle;
extern const CondBodyOps cond_body_rigid;

const CondBodyOps* cond_body_ops(CondBodyKind kind);

// f += J' force at a point of the body. jacobian is scratch (3 x 6).
void cond_body_add_force(const CondBody* body, const double* position, const double* orientation,
                         const double* local, const double* force, double* f);

// 1/2 v' M v
double cond_body_kinetic(const CondBody* body, const double* v);

#endif
