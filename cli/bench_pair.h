// Two bodies of any kinds, alone in space or over a floor, at poses drawn by chance.
#ifndef COND_CLI_BENCH_PAIR_H
#define COND_CLI_BENCH_PAIR_H

#include "bench.h"

typedef enum PairKind {
    PAIR_PLANE,
    PAIR_SPHERE,
    PAIR_CAPSULE,
    PAIR_BOX,
    PAIR_CYLINDER,
    PAIR_CONVEX,
    PAIR_MESH,
    PAIR_SOFT_BALL,
    PAIR_SOFT_BOX,
    PAIR_ROD,
    PAIR_N_KIND,
} PairKind;
const char* pair_kind_name(PairKind kind);
// 1 for what consists of convex pieces: all but meshes and soft bodies.
int pair_kind_is_convex(PairKind kind);

// 1 when the options ask for pairs of these kinds.
int pair_is_wanted(const BenchOptions* options, PairKind a, PairKind b);

// Numbers drawn by chance: the same on every machine.
typedef struct Chance {
    uint64_t state;
} Chance;
double chance_between(Chance* chance, double low, double high);
// Any rotation; where `special`, one by multiples of 45 degrees about an axis.
void chance_rotation(Chance* chance, int special, double q[4]);
void chance_direction(Chance* chance, double d[3]);

typedef struct Pair {
    PairKind kind[2];
    CondModel* model;
    CondState* state;
    CondSim* sim;
    CondAudit* audit;
    int first; // 0: both are bodies; 1: kind[0] is a plane, and body 0 is kind[1]
} Pair;

// Sizes are drawn. floor: 1 adds a plane below everything at z = 0. margin: NAN as the step says.
// COND_OK, or a status after a message.
CondStatus pair_begin(PairKind a, PairKind b, int floor, double time_step, double margin,
                      Chance* chance, Pair* pair);
void pair_end(Pair* pair);

// What the audit says of the two: 0 where they are too far apart.
int pair_audit(const Pair* pair, double reach, CondAuditPair* found);

// What the collision detection says of them.
typedef struct PairFound {
    double gap;     // signed distance; INFINITY: too far apart [m]
    double contact; // least gap of a contact; INFINITY: none [m]
    int n_contact;
} PairFound;
CondStatus pair_collide(const Pair* pair, PairFound* found);

#endif
