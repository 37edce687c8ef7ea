// Whether every motion of an articulated body moves some mass.
#include "base/error.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "linear/cholesky.h"
#include "model/articulation.h"

static int is_massless(const CondArticulation* arm)
{
    for (int i = arm->floating ? 0 : 1; i < arm->n_link; i++)
        if (arm->link[i].part == i && arm->link[i].part_mass == 0.0)
            return 1;
    return 0;
}

// Links without mass between two joints are fine as long as every motion moves some mass: M is
// positive definite at a posture where no two axes happen to be parallel.
CondStatus cond_articulation_check_mass(const CondArticulation* arm, CondError* error)
{
    if (!is_massless(arm))
        return COND_OK;
    const CondContext* context = &arm->arena.context;
    CondArticulationWork* work = NULL;
    CondStatus status = cond_articulation_work_create(context, arm, &work, error);
    int n = arm->n_dof;
    double* M = cond_allocate(context, (size_t)n * (size_t)n + (size_t)arm->n_q, sizeof *M);
    if (!status && !M)
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    if (!status) {
        double* q = M + (size_t)n * (size_t)n;
        cond_articulation_rest(arm, q);
        for (int j = 0; j < arm->n_joint; j++)
            q[arm->n_q - arm->n_joint + j] =
                (3 + (5 * j) % 7) / 10.0; // a posture in general position
        cond_articulation_kinematics(arm, q, work);
        cond_articulation_mass(arm, work, M);
        for (int i = 0; i < n; i++)
            M[(size_t)i * (size_t)(n + 1)] *= 1.0 - COND_ROUNDING;
        if (cond_cholesky_factor(n, M))
            status = cond_error_set(error, COND_BAD_INPUT,
                                    "links without mass: some joints can move without moving any "
                                    "mass");
    }
    cond_release(context, M);
    cond_articulation_work_destroy(work);
    return status;
}
