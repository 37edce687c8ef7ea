// The stop tests of V-FPI. Certified: the pair that is judged is always (v**, lambda) of a plain
// iteration. It obeys the contact law at the nodes by construction, so its certificate measures the
// dynamics and what the virtual nodes still slip. Judging costs about a product; it is done when
// the fixed-point residual |v** - v| predicts success, because the two shrink in proportion. By
// step length, the paper's: |v^{l+1} - v^l| < tolerance.
#include "base/parallel.h"
#include "device/sum.h"
#include "law/settings.h"
#include "vfpi/tuning.h"
#include "vfpi/vfpi.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

CondCertificateData cond_vfpi_certificate_data(const CondVfpi* s)
{
    return (CondCertificateData){.problem = s->nodal.problem,
                                 .law = s->settings.law,
                                 .omega = s->settings.omega,
                                 .diagonal = s->nodal.diagonal,
                                 .delassus = s->nodal.delassus,
                                 .bounded = s->nodal.bounded,
                                 .compliance = s->nodal.compliance,
                                 .carried = s->nodal.carried,
                                 .threads = cond_threads(SIZE_MAX, s->settings.threads)};
}

CondCertificate cond_vfpi_certify(CondVfpi* s, const double* v, const double* lambda,
                                  const double* carry, CondSolveInfo* info)
{
    CondCertificateData data = cond_vfpi_certificate_data(s);
    data.carry = carry;
    info->products++;
    return cond_certificate_compute(&data, v, lambda, s->work);
}

// 1 / diagonal of W, the weights of the W^-1 norm.
static void weigh(CondVfpi* s)
{
    for (int i = 0; i < s->nodal.n; i++)
        s->metric[i] = 1.0 / s->W.w[i];
}

void cond_vfpi_stop_begin(CondVfpi* s)
{
    s->trigger = INFINITY;
    s->passed = s->judged = 0;
    weigh(s);
}

// Keeps the length of the step from v^l to v^{l+1}.
static void record_length(CondVfpi* s, double length, CondSolveInfo* info)
{
    info->step_length = length;
    cond_history_add(&s->history, length);
}

// |x - y| in the norm of the metric.
static double measure(const CondVfpi* s, const double* x, const double* y)
{
    return sqrt(cond_distance2_scaled(s->nodal.n, s->metric, x, y, s->settings.threads));
}

// Judges (v**, lambda), and keeps it when it is the best so far: how the pass ends, or -1 and the
// fixed-point residual below which the next pair is judged.
static int judge(CondVfpi* s, CondSolveInfo* info)
{
    double tolerance = s->settings.tolerance;
    CondCertificate certificate = cond_vfpi_certify(s, s->plain, s->lambda, NULL, info);
    double value = cond_certificate_residual(&certificate);
    if (value < s->best->residual)
        cond_answer_set(s->nodal.problem, s->plain, s->lambda, &certificate, s->best);
    if (value <= tolerance)
        return COND_VFPI_DONE;
    if (s->nodal.any_carried) {
        certificate = cond_vfpi_certify(s, s->plain, s->lambda, s->carry, info);
        value = cond_certificate_residual(&certificate);
        if (value <= s->inner_tolerance)
            return COND_VFPI_CARRY;
        tolerance = s->inner_tolerance;
    }
    double ratio = COND_AIM * tolerance / value;
    s->trigger = s->residual * (isfinite(ratio) ? ratio : COND_INNER_REDUCTION);
    s->judged = s->passed;
    return -1;
}

// The certified test of (v**, lambda): with it a pass ends with the plain iterate.
static int test_plain(CondVfpi* s, CondSolveInfo* info)
{
    int exact = 0; // no change left but rounding
    if (s->residual == 0.0 || s->passed % COND_VFPI_ROUNDING == 0)
        exact = s->residual <=
                0.5 * DBL_EPSILON *
                    sqrt(cond_dot_scaled(s->nodal.n, s->metric, s->v, s->v, s->settings.threads));
    if (s->residual > s->trigger && !exact && s->passed - s->judged < COND_VFPI_JUDGE)
        return -1;
    int end = judge(s, info);
    if (end < 0 && exact)
        end = s->nodal.any_carried ? COND_VFPI_CARRY : COND_VFPI_LIMIT;
    return end;
}

int cond_vfpi_stop_plain(CondVfpi* s, CondSolveInfo* info)
{
    int certified = s->settings.stop == COND_STOP_CERTIFICATE, end = -1;
    s->passed++;
    s->residual = 0.0;
    if (!certified && !cond_accelerator_mixes(s->settings.accelerator))
        return end;
    if (s->W.ops->update)
        weigh(s);
    s->residual = measure(s, s->plain, s->v);
    if (!isfinite(s->residual))
        end = COND_VFPI_DIVERGED;
    else if (certified)
        end = test_plain(s, info);
    if (end >= 0)
        record_length(s, sqrt(cond_distance2(s->nodal.n, s->plain, s->v, s->settings.threads)),
                      info);
    return end;
}

int cond_vfpi_stop_step(CondVfpi* s, double length, CondSolveInfo* info)
{
    record_length(s, length, info);
    if (!isfinite(length))
        return COND_VFPI_DIVERGED;
    return s->settings.stop == COND_STOP_STEP && length < s->settings.tolerance ? COND_VFPI_CARRY
                                                                                : -1;
}
