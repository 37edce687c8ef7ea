// The correction stage: removes penetration at the end of the step by a displacement that does not
// change the velocity, limited by step.correction_rate.
#ifndef COND_CORRECT_CORRECTION_H
#define COND_CORRECT_CORRECTION_H

#include "base/components.h"
#include "correct/rigid_motion.h"
#include "sim/contact_stage.h"

// Coordinates and matrix of the displacement.
typedef enum CondCorrectionMethod {
    COND_CORRECT_MASSES,    // all coordinates, soft bodies with their mass matrix
    COND_CORRECT_RIGID,     // soft bodies and rods move rigidly
    COND_CORRECT_APART,     // the same; deep contacts push along the line of two centres
    COND_CORRECT_STIFFNESS, // all coordinates, with the stiffness of soft bodies
} CondCorrectionMethod;

typedef struct CondCorrection {
    CondContactStage stage; // soft bodies with their masses; contacts within reach
    CondContactStage whole; // the same contacts with the stiffness of soft bodies
    CondRigidMotion rigid;  // the same contacts with soft bodies that move rigidly
    CondComponents bodies;  // islands of these contacts, springs and attachments
    double* share;          // fraction of the displacement that the limits of an island allow
                            //                                                      (bodies.n)
    double* v;              // the displacement, as velocities over the time step      (n_dof)
    unsigned char* held;    // 1: the rigid motion is fixed                            (n_dof)
    int restore;            // 1: attachments pull back what earlier rounds have stretched
    // of the attempt
    double limit; // largest displacement of a point of a body, in sizes of the body
    int deep;     // 1: a contact is deeper than its limit
    int indented; // 1: a contact is deeper than the surface of a soft body or rod can yield
    CondCorrectionMethod method;
    int yields; // 1: all contacts are slightly compliant
    // its verdict
    CondStatus status; // of the solve
    int helps;         // 1: the displacement removes enough of the depth
    CondSolveInfo* info;
} CondCorrection;

void cond_correction_destroy(CondCorrection* correction);

// Creates its missing parts, in particular its stage.
CondStatus cond_correction_prepare(const CondModel* model, CondCorrection* correction);

// Moves the configuration of sim->next and the kinematics sim->at_end out of penetration, no point
// of a body by more than `limit` of its size; does not change the velocity. *moved is the longest
// displacement of any point [m]; moved_of, unless NULL, is increased by that of each body (n_body).
// info counts the work of all attempts.
CondStatus cond_sim_correct(CondSim* sim, double deepest, double limit, CondSolveInfo* info,
                            double* moved, double* moved_of);

#endif
