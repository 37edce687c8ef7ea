// The geometric audit: the true depth of penetration of any two bodies, links, planes or obstacles
// of a scene. It is slow and simple, and shares no code with the collision detection that it
// checks.
#ifndef COND_AUDIT_H
#define COND_AUDIT_H

#include "cond/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CondAudit CondAudit;

// Two things that may touch: bodies or links of robots, and on side 1 also planes and obstacles, or
// the same soft body or rod once more.
typedef struct CondAuditPair {
    char name[2][2 * COND_NAME_SIZE]; // "box"; "arm/hand" for a link
    int body[2];                      // -1: static
    int link[2];                      // of a robot; -1: none
    int plane;                        // on side 1; -1: none
    int obstacle;                     // on side 1; -1: none
    double depth;                     // [m]; negative: how far they are apart
    double size;                      // of the smaller one: its diagonal at rest [m]
    double normal[3];                 // the way in which side 0 leaves side 1, world axes
    double point[2][3];               // where they are deepest, or nearest, on either side [m]
} CondAuditPair;

COND_API CondStatus cond_audit_create(const CondModel* model, CondAudit** audit, CondError* error);
COND_API void cond_audit_destroy(CondAudit* audit);

// Looks at every pair that may touch in this state and comes within `reach` [m]; INFINITY: at all
// of them. Pairs that are nearer than zero are always listed.
COND_API CondStatus cond_audit_run(CondAudit* audit, const CondState* state, double reach);

// Pairs found by the last run; cond_audit_deepest is -1 if there is none.
COND_API int cond_audit_n_pair(const CondAudit* audit);
COND_API void cond_audit_pair_sized(const CondAudit* audit, int pair, CondAuditPair* made,
                                    size_t size);
static inline CondAuditPair cond_audit_pair(const CondAudit* audit, int pair)
{
    CondAuditPair made;
    cond_audit_pair_sized(audit, pair, &made, sizeof made);
    return made;
}
COND_API int cond_audit_deepest(const CondAudit* audit);

#ifdef __cplusplus
}
#endif
#endif
