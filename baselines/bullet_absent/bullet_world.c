// A build without Bullet.
#include "bullet_world.h"

#include <stddef.h>

int cond_bullet_world_available(void)
{
    return 0;
}

CondBulletWorld* cond_bullet_world_create(double time_step, const double gravity[3], int iterations,
                                          double scale)
{
    (void)time_step;
    (void)gravity;
    (void)iterations;
    (void)scale;
    return NULL;
}

void cond_bullet_world_destroy(CondBulletWorld* world)
{
    (void)world;
}

int cond_bullet_world_add(CondBulletWorld* world, const CondBulletBody* body)
{
    (void)world;
    (void)body;
    return 1;
}

int cond_bullet_world_join(CondBulletWorld* world, int body0, const double point0[3], int body1,
                           const double point1[3])
{
    (void)world;
    (void)body0;
    (void)point0;
    (void)body1;
    (void)point1;
    return 1;
}

void cond_bullet_world_push(CondBulletWorld* world, int body, const double force[3],
                            const double arm[3])
{
    (void)world;
    (void)body;
    (void)force;
    (void)arm;
}

void cond_bullet_world_step(CondBulletWorld* world)
{
    (void)world;
}

CondPose cond_bullet_world_pose(const CondBulletWorld* world, int body)
{
    (void)world;
    (void)body;
    return (CondPose){.orientation = {1.0, 0.0, 0.0, 0.0}};
}

int cond_bullet_world_n_contact(const CondBulletWorld* world)
{
    (void)world;
    return 0;
}

void cond_bullet_world_contacts(const CondBulletWorld* world,
                                void (*see)(void* data, const CondContactInfo* contact), void* data)
{
    (void)world;
    (void)see;
    (void)data;
}
