// Forces and stiffness: gravity, constant forces, springs. Each kind adds its generalized force at
// q to f and has an energy; springs also couple bodies.
#ifndef COND_POTENTIAL_POTENTIAL_H
#define COND_POTENTIAL_POTENTIAL_H

#include "step/state.h"

// f += m g, and the potential energy -m g . x.
void cond_gravity_add(const CondModel* model, double* f);
double cond_gravity_energy(const CondModel* model, const CondState* state);

// f += the constant forces that act at the state's time.
void cond_force_add(const CondModel* model, const CondState* state, double* f);

// The linearised spring over one step: a force, and gain K (3 x 3) between its two points such that
// A gets J' K J with J = [J0, -J1].
typedef struct CondSpringLink {
    int n_coordinate;    // 3 or 6 per side that is not the world
    int coordinate[12];  //
    double jacobian[36]; // J (3 x n_coordinate), row-major
    double gain[9];      // th t (k dd' + max(tension, 0)/length (I - dd')) + c dd'
} CondSpringLink;

// Fills the link and adds the elastic force -J' k (length - rest) d to f.
void cond_spring_link(const CondModel* model, const CondState* state, const CondSpring* spring,
                      CondSpringLink* link, double* f);
// The explicit damping force -J' c d d' J v, for integrators without A.
void cond_spring_add_damping(const CondModel* model, const CondState* state,
                             const CondSpring* spring, double* f);
double cond_spring_energy(const CondModel* model, const CondState* state, const CondSpring* spring);

#endif
