// Points, segments and triangles that move, and the contact of two of them that met on the way.
#ifndef COND_COLLIDE_SWEPT_PART_H
#define COND_COLLIDE_SWEPT_PART_H

#include "collide/meeting.h"
#include "collide/sweep.h"

// One side of a meeting: corners that move, and what they belong to.
typedef struct CondSweptPart {
    int body;          // -1: static
    int part;          // link of a robot or rod
    int n;             // corners: 1 point, 2 segment, 3 triangle
    int node[3];       // of a soft body; -1: the corners are points in space
    double from[3][3]; //
    double to[3][3];   //
    double half;       // of a shell, by which its middle keeps off [m]
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

// The box around its way.
void cond_swept_box(const CondSweptPart* swept, double box[6]);

// 1 where the two have met: a point and a triangle in this order, or two segments.
int cond_swept_meet(const CondSweptPart* a, const CondSweptPart* b, CondMeeting* met);

// Adds the contact of a meeting. turned: it has b as its side 0.
CondStatus cond_swept_add(CondSweepPass* pass, const CondSweptPart* a, const CondSweptPart* b,
                          const CondMeeting* met, CondContactKey key, int triangle, int turned);

#endif
