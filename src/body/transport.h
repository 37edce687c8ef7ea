// The quantity of a robot that an integrator keeps constant while no force acts. The mass matrix
// depends on the configuration, so that there are three ways to transport v_k from one
// configuration to another: with constant velocity v, momentum M v, or M^(1/2) v, whose squared
// norm is twice the kinetic energy.
//
// Write c = T v with T = I, M or M^(1/2). From M dv/dt = f - C v follows
//     M T^-1 dc/dt = f - C v + M T^-1 (dT/dt) v,
// the form that is evaluated here; see docs/integrators.md.
#ifndef COND_BODY_TRANSPORT_H
#define COND_BODY_TRANSPORT_H

#include "body/kinematics.h"

typedef enum CondTransportKind {
    COND_TRANSPORT_VELOCITY = 0, // T = I
    COND_TRANSPORT_MOMENTUM = 1, // T = M, the variational integrator
    COND_TRANSPORT_ROOT = 2,     // T = M^(1/2), mass_root
} CondTransportKind;

// Workspace for the robots of a model. Other bodies have a constant M and need nothing.
typedef struct CondTransport {
    CondContext context;
    CondTransportKind kind;
    const CondModel* model;
    CondArticulationWork** work; // for mass matrices at configurations nearby    (n_body)
    double* q;                   // such a configuration                         (largest n_q)
    double* rate;                // dM/dt                               (largest n_dof squared)
    double* near;                // M nearby, then scratch              (largest n_dof squared)
    double* vectors;             // eigenvectors of M                   (largest n_dof squared)
    double* vector;              // scratch                                 (4 largest n_dof)
} CondTransport;

CondStatus cond_transport_create(const CondModel* model, CondTransportKind kind,
                                 CondTransport* transport);
void cond_transport_destroy(CondTransport* transport);

// v (n_dof of the body) <- T(to)^-1 T(from) v.
void cond_transport_move(const CondTransport* transport, const CondBody* body,
                         const CondKinematics* from, const CondKinematics* to, double* v);

// f = weight - C v + M T^-1 (dT/dt) v at a kinematics, v and f being the body's own (n_dof). For
// M^(1/2) the part without weight does no work, to rounding; with t > 0 it is the mean force over
// a step of length t of the Cayley rotation that keeps |M^(1/2) v| exactly.
void cond_transport_bias(const CondTransport* transport, const CondBody* body,
                         const CondKinematics* kinematics, const double* v, double t,
                         const double gravity[3], double* f);

#endif
