// cond run --audit and cond check --audit: the geometric audit beside the collision detection.
#ifndef COND_CLI_AUDIT_H
#define COND_CLI_AUDIT_H

#include "cli.h"
#include "json.h"

// What the audits of a run have found; empty where there is none.
typedef struct AuditSum {
    CondAudit* audit;
    int every; // steps from one to the next; 0: none
    int runs;
    double seconds;         // that they took
    CondAuditPair worst;    // the deepest pair of all runs
    CondAuditPair too_deep; // of the last run: the deepest beyond contact.penetration_limit
    CondAuditPair* before;  // pairs of the run before that, released by audit_end (n_before)
    int n_before;
    int worst_step; // after which it was so; -1: no pair was ever closer than zero
    double found;   // what the collision detection said in that step [m]
} AuditSum;

// Makes one that runs every so many steps (0: never), and looks at the state at the start.
CondStatus audit_begin(const CondModel* model, const CondState* state, int every, AuditSum* sum,
                       CondError* error);
void audit_end(AuditSum* sum);

// After step k, which reported this penetration. COND_TOO_DEEP where the audit ran and a pair is
// beyond contact.penetration_limit and deeper than in the run before.
CondStatus audit_step(AuditSum* sum, const CondModel* model, const CondState* state, int k,
                      double penetration);

void audit_print(FILE* out, const AuditSum* sum);
json_t* audit_json(const AuditSum* sum); // null where there was none

// The pairs that overlap in a state, deepest first, at most `most` lines.
void audit_print_pairs(FILE* out, const CondAudit* audit, int most);
json_t* audit_pairs_json(const CondAudit* audit);

#endif
