// Numbers of scenes and their compilation. A header of numbers alone: it includes nothing.
#ifndef COND_SCENE_TUNING_H
#define COND_SCENE_TUNING_H

// [1] least size of a number in a scene, and of masses, moments of inertia and stiffnesses made
// from such; the largest is its inverse. Products of three, as determinants are, must neither
// overflow nor vanish: its cube is above the least double.
#define COND_LEAST 1e-100
#define COND_MOST (1.0 / COND_LEAST)
// [m] size of bodies without extent, such as particles, where sizes are compared.
#define COND_POINT_SIZE 0.1
// [share] of the thinner of two shapes: links that overlap at the start by less may still touch
// (docs/collision.md, which pairs may touch); deeper ones count as one solid.
#define COND_LINK_OVERLAP (1.0 / 3.0)
// [share] of the wider extent of ground: its depth below the lowest point. Also the share of that
// depth by which the middle of its bottom is lower, so that the bottom is not coplanar with the
// sides' edges.
#define COND_GROUND_DEPTH 0.1

enum {
    COND_RIM_POINTS = 16, // [count] of contact points on each rim of a cylinder
};

#endif
