// A point mass: three coordinates, the velocity of the point.
#include "body/body.h"

static void mass(const CondBody* body, double* M)
{
    for (int i = 0; i < 9; i++)
        M[i] = i % 4 == 0 ? body->mass : 0.0;
}

static void bias(const CondBody* body, const double* v, double t, double* f)
{
    (void)body;
    (void)v;
    (void)t;
    f[0] = f[1] = f[2] = 0.0;
}

static void accelerate(const CondBody* body, const double* f, double* v)
{
    for (int i = 0; i < 3; i++)
        v[i] = f[i] / body->mass;
}

static void advance(const double* v, double t, double* position, double* orientation)
{
    (void)orientation;
    for (int i = 0; i < 3; i++)
        position[i] += t * v[i];
}

// A particle has no extent and no axes: every point of it is the point.
static void point(const double* position, const double* orientation, const double* local,
                  double* world, double* jacobian)
{
    (void)orientation;
    (void)local;
    for (int i = 0; i < 3; i++)
        world[i] = position[i];
    for (int i = 0; i < 9; i++)
        jacobian[i] = i % 4 == 0 ? 1.0 : 0.0;
}

static void add_torque(const double* orientation, const double* torque, double* f)
{
    (void)orientation;
    (void)torque;
    (void)f;
}

const CondBodyOps cond_body_particle = {COND_BODY_PARTICLE, 3,       mass,  bias,
                                        accelerate,         advance, point, add_torque};
