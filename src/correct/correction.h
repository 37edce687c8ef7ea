// The correction stage: penetration that is left at the end of the step is removed by moving the
// configuration and leaving the velocity alone, no faster than step.correction_rate says.
#ifndef COND_CORRECT_CORRECTION_H
#define COND_CORRECT_CORRECTION_H

#include "correct/rigid_motion.h"
#include "sim/contact_stage.h"

typedef struct CondCorrection {
    CondContactStage stage; // soft bodies by their masses; its contacts are those in reach
    CondContactStage whole; // the same contacts with the stiffness of soft bodies
    CondRigidMotion rigid;  // the same contacts with soft bodies that move as rigid ones
    double* limit;          // how far the points of a body may move [m]             (n_body)
    double* share;          // of its motion that the limits of an island allow      (n_body)
    CondComponents bodies;  // that contacts and ties, then contacts and couplings join
    double* v;              // the motion, as velocities over the time step          (n_dof)
    unsigned char* held;    // rigid motions that are not made                       (n_dof)
    int restore;            // 1: attachments pull back what rounds have stretched
} CondCorrection;

void cond_correction_destroy(CondCorrection* correction);

// Moves the configuration of sim->next and the kinematics sim->at_end out of penetration, and no
// point of a body by more than `share` of its size; leaves the velocity alone. *moved is the
// longest way of any point [m], moved_of, unless NULL, grows by that of each body (n_body).
CondStatus cond_sim_correct(CondSim* sim, double deepest, double share, CondSolveInfo* info,
                            double* moved, double* moved_of);

#endif
