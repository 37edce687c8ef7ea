// Random contact problems of every kind the library takes, from a seed: the same on all machines.
#ifndef COND_TEST_RANDOM_PROBLEM_H
#define COND_TEST_RANDOM_PROBLEM_H

#include "cond/problem.h"

// A linear congruential generator of our own, so that seeds mean the same everywhere.
typedef struct Random {
    uint64_t state;
} Random;

Random random_start(uint64_t seed);
double random_uniform(Random* random, double low, double high);
int random_int(Random* random, int n); // 0 .. n - 1
// A random rotation: orthonormal rows, determinant 1.
void random_rotation(Random* random, double R[9]);
// L L' + floor I with a random L, times scale.                               A (n x n)
void random_spd(Random* random, int n, double scale, double floor, double* A);

typedef struct RandomOptions {
    uint64_t seed;
    int n_particle;     // dense blocks of three coordinates: a node each
    int n_rigid;        // dense blocks of six coordinates
    int n_cloth;        // sparse blocks: chains of nodes joined by springs
    int bsr3;           // 1: they are stored in 3x3 blocks
    int cloth_nodes;    // nodes of each
    int n_chain;        // block tridiagonal blocks
    int chain_links;    // blocks of six coordinates of each
    int n_coupling;     //
    int n_contact;      //
    int general;        // 1: some sides are points with a Jacobian, 0: nodes only
    int second;         // 1: a node may be in several contacts
    double friction;    // largest mu
    int anisotropic;    // 1: mu1 and mu2 differ
    double finite_kv;   // share of the contacts with a finite kv, 0 .. 1
    double kv_strength; // of finite ones, over the rough inverse Delassus scale; 0: 10
    int n_robot;        // dense blocks of six coordinates in units of their own each
    double spread;      // units of a robot: factors 10^-spread .. 10^spread of velocities
    int n_interval;     // intervals of forces, of every kind in turn, on coordinates of robots
} RandomOptions;

// A problem of middling size that has some of everything.
RandomOptions random_options_default(uint64_t seed);

typedef struct RandomProblem {
    CondProblem problem;
    double* unit;      // of velocity of the coordinates                            (n_dof)
    void* memory[512]; // all that the problem points to
    int n_memory;
} RandomProblem;

// Solvable under both laws: phi is such that some motion opens every contact without slip, and
// keeps within what intervals of forces demand.
void random_problem_make(const RandomOptions* options, RandomProblem* out);
void random_problem_free(RandomProblem* made);

#endif
