// Bodies, springs and contacts -> CondProblem. An assembly owns the arrays its problem points to.
#ifndef COND_ASSEMBLE_ASSEMBLE_H
#define COND_ASSEMBLE_ASSEMBLE_H

#include "collide/plane.h"
#include "potential/potential.h"

typedef struct CondAssembly {
    CondContext context;
    CondProblem problem;
    CondBlock* block;       //                                                (n_body)
    double* block_values;   // mass matrices times a scale                    (n_body x 36)
    double* b;              //                                                (n_dof)
    CondSpringLink* link;   //                                                (n_spring)
    CondCoupling* coupling; //                                                (n_spring)
    CondContact* contact;   //                                                (n_contact)
    int* coordinate;        // of the contacts' bodies                        (n_contact x 6)
    double* jacobian;       // of the contacts' points                        (n_contact x 18)
    int cap_contact, cap_coordinate, cap_jacobian;
} CondAssembly;

CondStatus cond_assembly_create(const CondModel* model, CondAssembly* assembly);
void cond_assembly_destroy(CondAssembly* assembly);

// Blocks = scale M, no couplings, no contacts.
void cond_assembly_masses(CondAssembly* assembly, const CondModel* model, double scale);

// y = (scale M) x, the blocks alone.                                         x, y (n_dof)
void cond_assembly_multiply(const CondAssembly* assembly, const double* x, double* y);

// Adds the couplings of the springs, whose links were filled before.
void cond_assembly_springs(CondAssembly* assembly, const CondModel* model);

// One contact per touch, at the state's configuration, with phi = 0 and the given kv.
CondStatus cond_assembly_contacts(CondAssembly* assembly, const CondModel* model,
                                  const CondState* state, const CondTouchList* list, double kv);

#endif
