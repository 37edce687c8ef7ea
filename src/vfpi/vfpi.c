// V-FPI as the paper prints it: Algorithms 1 and 2, and Algorithm 3 by a table of accelerators
// (accelerate.h). It runs where the fused loop does not serve, and that is held against it
// (fused.h, test/test_fused.c).
#include "vfpi/vfpi.h"

#include "base/parallel.h"
#include "base/tuning.h"
#include "device/sum.h"
#include "law/contact_law.h"

#include <math.h>

// Alg. 2: the law at eta = Jc v* + phi against gamma = w_i + w_j (eqs. 23, 25), less what the
// multiplier loop has carried over; then v** = v* + W Jc' lambda on the nodes (eq. 24).
void cond_contact_solve(const CondContactSolve* s, int c, double* v, double* lambda)
{
    const CondContact* contact = &s->nodal->problem->contact[c];
    const double* R = contact->frame;
    int i = s->node[2 * c], j = s->node[2 * c + 1];
    double wi = s->w[i], wj = j >= 0 ? s->w[j] : 0.0, d[3], eta[3];
    for (int k = 0; k < 3; k++)
        d[k] = j >= 0 ? v[i + k] - v[j + k] : v[i + k];
    for (int r = 0; r < 3; r++) {
        eta[r] = contact->phi[r] + R[3 * r] * d[0] + R[3 * r + 1] * d[1] + R[3 * r + 2] * d[2];
        if (s->nodal->carried[c])
            eta[r] -= s->nodal->compliance[c] * s->carry[3 * c + r];
    }
    cond_contact_law_solve(s->law, contact, cond_contact_law_slip(contact, s->omega), wi + wj, eta,
                           lambda);
    for (int k = 0; k < 3; k++) {
        double f = R[k] * lambda[0] + R[3 + k] * lambda[1] + R[6 + k] * lambda[2];
        v[i + k] += wi * f;
        if (j >= 0)
            v[j + k] -= wj * f;
    }
}

// Every node is in one contact only, so contacts never meet.
static void solve_contacts(const void* loop, int first, int last)
{
    const CondVfpi* s = loop;
    for (int c = first; c < last; c++)
        cond_contact_solve(&s->contacts, c, s->plain, s->lambda + (ptrdiff_t)3 * c);
}

// Alg. 1, lines 4 to 11: v** and lambda from v^l.
void cond_vfpi_iterate(CondVfpi* s)
{
    int n = s->nodal.problem->n_contact, threads = s->settings.threads;
    cond_nodal_residual(&s->nodal, s->v, s->g, threads); // A v - b
    cond_surrogate_update(&s->W, &s->nodal, &s->settings, s->v, s->g);
    cond_surrogate_apply(&s->W, &s->nodal, s->g, s->v, s->plain, threads); // v* (eq. 20)
    cond_parallel(n, cond_threads(COND_CONTACT_WORK * (size_t)n, threads), solve_contacts, s);
}

// Alg. 1, until a stop test says how it ends: that of (v**, lambda), which obeys the law, or that
// of the step from v^l to v^{l+1}, which Alg. 3 has extrapolated.
CondVfpiEnd cond_vfpi_loop(CondVfpi* s, CondSolveInfo* info)
{
    int end = -1;
    cond_accelerator_restart(&s->accelerator);
    cond_vfpi_stop_begin(s);
    while (info->iterations < s->max_iterations && !cond_cancelled(&s->arena.context)) {
        cond_vfpi_iterate(s);
        info->iterations++, info->products++;
        end = cond_vfpi_stop_plain(s, info);
        if (end >= 0)
            return (CondVfpiEnd)end;
        double length =
            cond_accelerator_propose(&s->accelerator, s->v, s->plain, s->residual, s->next);
        double* last = s->v;
        s->v = s->next;
        s->next = last;
        end = cond_vfpi_stop_step(s, length, info);
        if (end >= 0)
            return (CondVfpiEnd)end;
    }
    return COND_VFPI_LIMIT;
}
