// Assembles a CondProblem from bodies, potentials and contacts. An assembly owns the arrays that
// its problem points to.
#ifndef COND_ASSEMBLE_ASSEMBLE_H
#define COND_ASSEMBLE_ASSEMBLE_H

#include "base/arena.h"
#include "collide/candidate.h"

// Offsets of a coupling in the pools; its pointers are set when the problem is finished, because
// the pools may move while they grow.
typedef struct CondCouplingPlace {
    int n_row, n_coordinate;
    int coordinate, jacobian, gain; // offsets into the pools
} CondCouplingPlace;

// A side of a detected contact (touch): its body and the offsets of its coordinates and its
// Jacobian; -1: none.
typedef struct CondSidePlace {
    int body, coordinate, jacobian;
} CondSidePlace;

// Memory for one new coupling.
typedef struct CondCouplingRoom {
    int n_row;
    int n_coordinate; // set by the caller, at most 2 max_point_dof or n_row
    int* coordinate;  //
    double* jacobian; // (n_row x n_coordinate)
    double* gain;     // (n_row x n_row)
} CondCouplingRoom;

// The possible contents of the blocks of an assembly.
typedef enum CondAssemblyContent {
    COND_ASSEMBLY_ALL = 0,         // A, damping or masses of each body
    COND_ASSEMBLY_MASSES = 1,      // masses
    COND_ASSEMBLY_SOFT_MASSES = 2, // A, but only M/(th t) for soft bodies; or masses
} CondAssemblyContent;

typedef struct CondAssembly {
    CondArena arena;
    CondAssemblyContent content;
    int has_steps; // 1: the blocks are those of A, 0: only masses or damping; by begin
    CondProblem problem;
    CondBlock* block;         //                                               (n_body)
    double* block_values;     // of all blocks
    size_t* block_begin;      // into block_values                             (n_body)
    double* b;                //                                               (n_dof)
    CondCoupling* coupling;   //                                               (n_coupling)
    CondCouplingPlace* place; //                                              (n_coupling)
    int n_coupling;           //
    int* coupling_coordinate; // pools of the couplings
    double* coupling_jacobian;
    double* coupling_gain;
    int n_coupling_coordinate, n_coupling_jacobian, n_coupling_gain;
    CondContact* contact; //                                               (n_contact)
    int* coordinate;      // of the contacts' sides, one after the other
    double* jacobian;     // of those sides that are not nodes
    CondSidePlace* side;  // of the touches, two of each                       (n_touch x 2)
    int n_touch;          // contacts, the first ones, that are touches
} CondAssembly;

CondStatus cond_assembly_create(const CondModel* model, CondAssemblyContent content,
                                CondAssembly* assembly);
void cond_assembly_destroy(CondAssembly* assembly);

// Empties couplings and contacts. Blocks = A of each body for its step = th t (n_body), elastic
// forces added to f; or, with step NULL, the masses alone (f may be NULL).
void cond_assembly_begin(CondAssembly* assembly, const CondKinematics* kinematics,
                         const double* step, double* f);

// The same where the caller makes the blocks of A, in block and block_values.
void cond_assembly_begin_made(CondAssembly* assembly);

// The same with blocks = D, the damping of each body; the blocks of rigid bodies and particles,
// which have none, are unchanged.
void cond_assembly_begin_damping(CondAssembly* assembly, const CondKinematics* kinematics);

// room provides memory for a coupling with n_row rows; keep adds the filled coupling.
CondStatus cond_assembly_room(CondAssembly* assembly, const CondModel* model, int n_row,
                              CondCouplingRoom* room);
void cond_assembly_keep(CondAssembly* assembly, const CondCouplingRoom* room);

// Adds scale H to the rotational coordinates of a rigid body or of a link of a rod, if the blocks
// are those of A.                                                                   H (3 x 3)
void cond_assembly_turn(CondAssembly* assembly, int body, int link, double scale,
                        const double H[9]);

// Adds to the diagonal of a dense block, at coordinate i of the body.
void cond_assembly_add_diagonal(CondAssembly* assembly, const CondBody* body, int i, double value);

// One contact per touch, with phi = 0 and the given kv; then the problem is complete. Touches with
// `moved` set are at the kinematics `moved`; NULL if there are none.
CondStatus cond_assembly_finish(CondAssembly* assembly, const CondKinematics* kinematics,
                                const CondKinematics* moved, const CondCandidateList* list,
                                double kv);

// f += scale times the forces of its first n contacts, each in the order of the contacts.
//                                                             lambda (n x 3), f (n_dof)
void cond_assembly_add_forces(const CondAssembly* assembly, const CondModel* model, int n,
                              double scale, const double* lambda, double* f);

// Appends n contacts to a complete problem, which the caller fills.
CondStatus cond_assembly_add_contacts(CondAssembly* assembly, int n, CondContact** contact);

// y = blocks x, couplings left out.                                         x, y (n_dof)
void cond_assembly_multiply(const CondAssembly* assembly, const double* x, double* y, int threads);

// y = D x of bodies and couplings, for a complete assembly begun with begin_damping.   x, y (n_dof)
void cond_assembly_multiply_damping(CondAssembly* assembly, const CondKinematics* kinematics,
                                    const double* x, double* y);
// y = M x of body b; whole vectors. Its block is scratch.                    x, y (n_dof)
void cond_assembly_multiply_mass(CondAssembly* assembly, const CondKinematics* kinematics, int b,
                                 const double* x, double* y);
// y = M x of all bodies. The blocks are scratch.                             x, y (n_dof)
void cond_assembly_multiply_masses(CondAssembly* assembly, const CondKinematics* kinematics,
                                   const double* x, double* y);

#endif
