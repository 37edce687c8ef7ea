// The contacts of a step as points with data, for a separate file.
#ifndef COND_RECORD_CONTACT_CLOUD_H
#define COND_RECORD_CONTACT_CLOUD_H

#include "base/arena.h"
#include "cond/sim.h"

typedef struct CondContactCloud {
    CondArena arena;
    int n;            //
    double* position; // world [m]                                            (n x 3)
    double* force;    // on side 0, mean over the step, world axes [N]        (n x 3)
    double* normal;   // towards side 0, world axes                           (n x 3)
    double* frame;    // rows normal, tangent 1, tangent 2                    (n x 9)
    double* friction; // along the tangents                                   (n x 2)
    double* error;    // of the contact law [m/s]                             (n)
    double* gap;      // at the start of the step [m]                         (n)
    int* body;        // of side 0                                            (n)
    int* other;       // of side 1; -1: static                                (n)
    int* corner;      // 0, 1, 2 ...: each contact is a cell of one point     (n)
    int* corner_end;  // 1, 2, 3 ...                                          (n)
    uint8_t* type;    //                                                      (n)
} CondContactCloud;

// Takes the contacts of the last step of sim; NULL has none.
CondStatus cond_contact_cloud_fill(CondContactCloud* cloud, const CondSim* sim,
                                   const CondSceneSettings* settings);
void cond_contact_cloud_destroy(CondContactCloud* cloud);

#endif
