// A contact as collision detection finds it.
#ifndef COND_COLLIDE_CANDIDATE_H
#define COND_COLLIDE_CANDIDATE_H

#include "base/arena.h"
#include "body/kinematics.h"
#include "model/key.h"

// Kinds of keys: points against planes from 1, then points against solids, vertices against soft
// bodies, rigid shapes against each other, rods, rigid shapes against planes, edges of rigid shapes
// against edges of soft surfaces, corners and balls against soft surfaces, rods against edges of
// soft surfaces, edges of soft surfaces against each other, links of rods against solids and
// planes, points against rods, and the deepest points of soft surfaces in rigid shapes where none
// of these contacts has that depth.
#define COND_KEY_SOLID ((uint64_t)1 << 60)
#define COND_KEY_SOFT ((uint64_t)2 << 60)
#define COND_KEY_PAIR ((uint64_t)3 << 60)
#define COND_KEY_ROD ((uint64_t)4 << 60)
#define COND_KEY_GROUND ((uint64_t)5 << 60)
#define COND_KEY_EDGE_ON_SOFT ((uint64_t)6 << 60)
#define COND_KEY_POINT_ON_SOFT ((uint64_t)7 << 60)
#define COND_KEY_BALL ((uint64_t)8 << 60)
#define COND_KEY_THREAD ((uint64_t)9 << 60)
#define COND_KEY_SOFT_CROSSING ((uint64_t)10 << 60)
#define COND_KEY_LINK ((uint64_t)11 << 60)
#define COND_KEY_BEAD ((uint64_t)12 << 60)
#define COND_KEY_DEEP_ON_SOFT ((uint64_t)13 << 60)
// Rows of the step's problem that bound a joint (sim/joint_rows.h); they follow all contacts.
#define COND_KEY_JOINT ((uint64_t)14 << 60)
// Marks the key of a further contact between the same features, with another normal or position;
// COND_KEY_BESIDE is the largest number of these.
#define COND_KEY_SECOND ((uint64_t)1 << 59)
enum CondKeyBeside { COND_KEY_BESIDE = 4 };

// The key of the k-th contact between the same features, from 0 to COND_KEY_BESIDE.
static inline CondContactKey cond_key_beside(CondContactKey key, int k)
{
    key.pair |= k > 0 ? COND_KEY_SECOND | (uint64_t)(k - 1) << 57 : 0;
    return key;
}

typedef struct CondCandidate {
    CondPoint point[2];      // side 0 and side 1; side 1 of a static thing has body -1
    int plane;               // index of the static plane it is on, else -1
    int triangle;            // of the other soft body, else -1
    int solid[2];            // of a pair of rigid shapes; of a shape on a plane, [1] is -1
    CondContactKey key;      // identifies the pair of features in every step
    double position[3];      // world [m]
    double frame[9];         // rows normal (towards side 0), tangent 1, tangent 2
    double gap;              // [m], negative inside
    double bias;             // gap at the end of the step less the gap of the linear motion [m]
    double end_gap;          // gap at the end of the step, if `late` [m]
    int late;                // 1: found at the end of the step, and not in its problem before
    int taken;               // 1: used in some round of the step
    int moved;               // 1: geometry where the step leads to, not where it begins
    double friction[2];      //
    double restitution;      //
    const CondSkin* skin[2]; // surfaces of a two-sided shell and its partner; else NULL
} CondCandidate;

typedef struct CondCandidateList {
    CondArena arena;
    int n;
    CondCandidate* candidate;         // by ascending key                                     (n)
    struct CondCandidateOrder* order; // scratch of the sort                          (2 n)
} CondCandidateList;

void cond_candidates_begin(const CondContext* context, CondCandidateList* list);
void cond_candidates_end(CondCandidateList* list);
// Reserves memory for n candidates in total.
CondStatus cond_candidates_reserve(CondCandidateList* list, int n);

// By ascending key.
CondStatus cond_candidates_sort(CondCandidateList* list);

// Index of the candidate with this key in the ascending list; the second function ignores the role
// and returns the first of the pair; -1: none.
int cond_candidates_find(const CondCandidateList* list, CondContactKey key);
int cond_candidates_find_pair(const CondCandidateList* list, CondContactKey key);

CondStatus cond_candidate_add(CondCandidateList* list, const CondCandidate* candidate);

// Friction and restitution of a pair of surfaces: a value that only one side gives is used; two
// frictions combine by their rule, and of two restitutions the larger counts.
void cond_candidate_surfaces(const CondSkin* a, const CondSkin* b, CondCandidate* candidate);

// Key of feature i_feature that touches solid i_solid.
static inline CondContactKey cond_key_solid(const CondModel* model, int i_feature, int i_solid)
{
    const CondSolid* solid = i_solid < model->n_obstacle
                                 ? &model->obstacle[i_solid]
                                 : &model->solid[i_solid - model->n_obstacle];
    uint64_t first = (uint64_t)model->feature[i_feature].number * (uint64_t)model->n_numbered[1];
    return (CondContactKey){.pair = COND_KEY_SOLID + first + (uint64_t)solid->number};
}

// Key of a vertex of body a that touches body b: the vertex's first coordinate, the other body, and
// a number that tells several contacts of one vertex apart.
static inline CondContactKey cond_key_soft(const CondModel* model, const CondBody* a, int vertex,
                                           int other, int number)
{
    uint64_t node = (uint64_t)(a->dof_begin / 3 + vertex);
    return (CondContactKey){.pair =
                                COND_KEY_SOFT + node * (uint64_t)model->n_body + (uint64_t)other,
                            .role = (uint64_t)number};
}

#endif
