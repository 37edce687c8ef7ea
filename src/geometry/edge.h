// Two crossing edges: their nearest points, normal and distance.
#ifndef COND_GEOMETRY_EDGE_H
#define COND_GEOMETRY_EDGE_H

// A convex edge between two faces, or the axis of something round.
typedef struct CondEdge {
    double end[2][3];  // [m]
    double side[2][3]; // unit, across the edge, into its two faces; unused if round
    double out[3];     // unit, outward between the faces' normals
    double radius;     // of the surface around the edge [m]
    int round;         // 1: the axis of a capsule or cylinder
    int soft;          // 1: of a soft surface, whose ends are not corners
} CondEdge;

typedef struct CondEdgePair {
    double gap;         // [m], negative: they have passed through each other
    double normal[3];   // from b towards a
    double point[2][3]; // on edge a and on edge b, without their radii [m]
    double along[2];    // parameters on the edges, 0 .. 1
} CondEdgePair;

// 1 if the edges cross within reach: their nearest points lie between their ends, and the common
// normal leaves both bodies. A normal that nearly does is rotated to the nearest one that does.
// Parallel edges do not cross.
int cond_edges_cross(const CondEdge* a, const CondEdge* b, double reach, CondEdgePair* out);

// world = R edge + position.
void cond_edge_place(const CondEdge* edge, const double R[9], const double position[3],
                     CondEdge* world);

#endif
