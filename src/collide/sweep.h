// Continuous detection: features that met within a step and have passed each other at its end.
#ifndef COND_COLLIDE_SWEEP_H
#define COND_COLLIDE_SWEEP_H

#include "collide/collide.h"

// The motion from one kinematics to another, and the list of contacts found on it.
typedef struct CondSweepPass {
    CondCollider* collider; // placed at the second
    const CondModel* model;
    const CondKinematics *before, *after;
    CondCandidateList* list;
} CondSweepPass;

CondStatus cond_sweep_create(const CondModel* model, CondSweep* sweep);
// Computes the least extents of the solids.
void cond_sweep_measure(const CondModel* model, CondSweep* sweep);
void cond_sweep_destroy(const CondContext* context, CondSweep* sweep);

// Appends the features that met between two kinematics and are beyond each other at the second one:
// points and solids, corners and soft triangles, edges and edges of soft surfaces, also of one
// body, and rods. The normal is that of the first meeting, the gap that at the end. The whole
// collider must be placed at the second kinematics. Motions that are short relative to the
// thickness of the obstacle are skipped.
CondStatus cond_collide_sweep(CondCollider* collider, const CondKinematics* before,
                              const CondKinematics* after, CondCandidateList* list);

// Computes, if not yet known, the previous positions of the features of body b, the box that they
// have swept, and the longest motion.
void cond_sweep_body(const CondSweepPass* pass, int b);

// Appends a contact of two surfaces.
CondStatus cond_sweep_add(CondSweepPass* pass, CondCandidate* candidate, const CondSkin* a,
                          const CondSkin* b);

#endif
