// The correction stage: penetration that is left at the end of the step is removed by moving the
// configuration and leaving the velocity alone, no faster than step.correction_rate says.
#ifndef COND_CORRECT_CORRECTION_H
#define COND_CORRECT_CORRECTION_H

#include "base/components.h"
#include "correct/rigid_motion.h"
#include "sim/contact_stage.h"

// In which coordinates a motion is looked for, and with which matrix.
typedef enum CondCorrectionMethod {
    COND_CORRECT_MASSES,    // all coordinates, soft bodies by their masses
    COND_CORRECT_RIGID,     // soft bodies and rods move as rigid ones
    COND_CORRECT_APART,     // the same; deep contacts push along the line between two centres
    COND_CORRECT_STIFFNESS, // all coordinates, with the stiffness of soft bodies
} CondCorrectionMethod;

typedef struct CondCorrection {
    CondContactStage stage; // soft bodies by their masses; its contacts are those in reach
    CondContactStage whole; // the same contacts with the stiffness of soft bodies
    CondRigidMotion rigid;  // the same contacts with soft bodies that move as rigid ones
    CondComponents bodies;  // islands of these contacts, springs and attachments
    double* share;          // of its motion that the limits of an island allow      (bodies.n)
    double* v;              // the motion, as velocities over the time step          (n_dof)
    unsigned char* held;    // rigid motions that are not made                       (n_dof)
    int restore;            // 1: attachments pull back what rounds have stretched
    // of the attempt
    double limit; // of its size: how far the points of a body may move
    int deep;     // 1: a contact is deeper than its limit
    int indented; // 1: a contact is deeper than a soft body's or a rod's surface gives way
    CondCorrectionMethod method;
    int yields; // 1: all contacts yield a little
    // its verdict
    CondStatus status; // of the solve
    int helps;         // 1: the motion takes away enough of the depth
    CondSolveInfo* info;
} CondCorrection;

void cond_correction_destroy(CondCorrection* correction);

// Makes what is missing of it, above all its stage.
CondStatus cond_correction_prepare(const CondModel* model, CondCorrection* correction);

// Moves the configuration of sim->next and the kinematics sim->at_end out of penetration, and no
// point of a body by more than `limit` of its size; leaves the velocity alone. *moved is the
// longest displacement of any point [m], moved_of, unless NULL, grows by that of each body
// (n_body). The work of all attempts is counted in info.
CondStatus cond_sim_correct(CondSim* sim, double deepest, double limit, CondSolveInfo* info,
                            double* moved, double* moved_of);

#endif
