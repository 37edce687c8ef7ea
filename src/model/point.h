// A material point of a body, and a frame: the ends of contacts, springs and attachments.
#ifndef COND_MODEL_POINT_H
#define COND_MODEL_POINT_H

typedef struct CondPoint {
    int body; // -1: the world; local is then a world position
    union {
        int link;   // robot, rod: index of the link; rigid body, particle: 0
        int n_node; // soft body: number of nodes the point depends on (1 .. 4)
    };
    int node[4];     // soft body: those nodes
    double local[4]; // body or link axes [m]; soft body: weights of the nodes
} CondPoint;

// A frame: a point with the axes of its body, a patch of a soft body, whose frame is fitted to its
// nodes, or a frame in space that moves along a trajectory.
typedef struct CondFrame {
    CondPoint point;
    int patch; // index into CondModel.patch; -1: the point's own body
    int guide; // 1 + index into CondModel.trajectory; 0: none
} CondFrame;

#endif
