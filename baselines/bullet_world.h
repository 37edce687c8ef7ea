// What is told to Bullet, in plain numbers: bullet.c takes it from a model, bullet/bullet_world.cpp
// gives it to the library.
#ifndef COND_BASELINES_BULLET_WORLD_H
#define COND_BASELINES_BULLET_WORLD_H

#include "cond/sim.h"
#include "geometry/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CondBulletWorld CondBulletWorld;

typedef struct CondBulletBody {
    CondShapeForm form;   // of a plane: normal and offset; -1: it touches nothing
    double radius;        // as in CondShape [m]
    double half[3];       //
    double normal[3];     // of a plane
    double offset;        // [m]
    int n_vertex;         // convex
    const double* vertex; // (n_vertex x 3)
    double mass;          // 0: static [kg]
    double inertia[3];    // about the body axes [kg m2]
    double friction;      // negative: not given
    double restitution;   //
    CondPose pose;        // of the start
} CondBulletBody;

int cond_bullet_world_available(void);

// Lengths are multiplied by `scale` inside, gravity too. NULL: memory has run out, or there is no
// Bullet.
CondBulletWorld* cond_bullet_world_create(double time_step, const double gravity[3], int iterations,
                                          double scale);
void cond_bullet_world_destroy(CondBulletWorld* world);

// Bodies are counted from 0 in the order in which they are added. 0, or not where memory has run
// out.
int cond_bullet_world_add(CondBulletWorld* world, const CondBulletBody* body);

// A ball joint between points of two bodies, in their axes; body -1: the world.
int cond_bullet_world_join(CondBulletWorld* world, int body0, const double point0[3], int body1,
                           const double point1[3]);

// A force on a body in the next step, at a point from its centre, world axes.
void cond_bullet_world_push(CondBulletWorld* world, int body, const double force[3],
                            const double arm[3]);

void cond_bullet_world_step(CondBulletWorld* world);
CondPose cond_bullet_world_pose(const CondBulletWorld* world, int body);
int cond_bullet_world_n_contact(const CondBulletWorld* world);

// Calls `see` with every contact of the last step: bodies, position, frame, friction, impulse, and
// the velocity that its solver has left at that point.
void cond_bullet_world_contacts(const CondBulletWorld* world,
                                void (*see)(void* data, const CondContactInfo* contact),
                                void* data);

#ifdef __cplusplus
}
#endif
#endif
