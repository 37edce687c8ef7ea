// Moving points, segments and triangles, and the contact of two of them that met during the step.
#ifndef COND_COLLIDE_SWEPT_PART_H
#define COND_COLLIDE_SWEPT_PART_H

#include "collide/meeting.h"
#include "collide/sweep.h"

// One side of a meeting: moving corners, and their body.
typedef struct CondSweptPart {
    int body;          // -1: static
    int part;          // link of a robot or rod
    int n;             // corners: 1 point, 2 segment, 3 triangle
    int node[3];       // of a soft body; -1: the corners are points in space
    double from[3][3]; //
    double to[3][3];   //
    double half;       // half the thickness of a shell [m]
    double radius;     // [m]
    double travel;     // of the fastest corner of its body [m]
    const CondSkin* surface;
} CondSweptPart;

// n nodes of soft body b; a point or ball of a body or obstacle; an edge of a solid, whose axes
// were R; a link of a rod.
void cond_swept_nodes(const CondSweepPass* pass, int b, int n, const int* node,
                      CondSweptPart* swept);
void cond_swept_feature(const CondSweepPass* pass, int i_feature, CondSweptPart* swept);
void cond_swept_edge(const CondSweepPass* pass, int i_solid, const double R[9], int i_edge,
                     CondSweptPart* swept);
void cond_swept_link(const CondSweepPass* pass, int b, int link, CondSweptPart* swept);

// The box around its motion.
void cond_swept_box(const CondSweptPart* swept, double box[6]);

// 1 if the two have met: a point and a triangle in this order, or two segments.
int cond_swept_meet(const CondSweptPart* a, const CondSweptPart* b, CondMeeting* met);

// Adds the contact of a meeting. turned: b is side 0.
CondStatus cond_swept_add(CondSweepPass* pass, const CondSweptPart* a, const CondSweptPart* b,
                          const CondMeeting* met, CondContactKey key, int triangle, int turned);

#endif
