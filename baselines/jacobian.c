// Builds the contact Jacobian by rows from the problem's contacts (jacobian.h).
#include "jacobian.h"

#include "base/memory.h"

// Entries of one side: column k of sign R J.
static void add_side(CondJacobian* Jc, int at, const CondSide* side, const double* R, double sign)
{
    int n = side->n_coordinate;
    for (int k = 0; k < n; k++) {
        Jc->coordinate[at + k] = side->coordinate[k];
        for (int r = 0; r < 3; r++) {
            double sum = 0.0;
            if (side->jacobian)
                for (int i = 0; i < 3; i++)
                    sum += R[3 * r + i] * side->jacobian[i * n + k];
            else
                sum = R[3 * r + k];
            Jc->value[3 * (at + k) + r] = sign * sum;
        }
    }
}

CondStatus cond_jacobian_build(CondJacobian* Jc, const CondProblem* problem)
{
    const CondContext* m = &Jc->context;
    int n_contact = problem->n_contact, n_entry = 0;
    if (cond_reserve(m, &Jc->begin, &Jc->cap_begin, n_contact + 1, sizeof *Jc->begin))
        return COND_OUT_OF_MEMORY;
    for (int c = 0; c < n_contact; c++) {
        Jc->begin[c] = n_entry;
        for (int s = 0; s < 2; s++)
            n_entry += problem->contact[c].side[s].n_coordinate;
    }
    Jc->begin[n_contact] = n_entry;
    Jc->n_contact = n_contact;
    if (cond_reserve(m, &Jc->coordinate, &Jc->cap_coordinate, n_entry, sizeof *Jc->coordinate) ||
        cond_reserve(m, &Jc->value, &Jc->cap_value, 3 * n_entry, sizeof *Jc->value))
        return COND_OUT_OF_MEMORY;
    for (int c = 0; c < n_contact; c++) {
        const CondContact* contact = &problem->contact[c];
        int at = Jc->begin[c];
        add_side(Jc, at, &contact->side[0], contact->frame, 1.0);
        add_side(Jc, at + contact->side[0].n_coordinate, &contact->side[1], contact->frame, -1.0);
    }
    return COND_OK;
}

void cond_jacobian_destroy(CondJacobian* Jc)
{
    cond_release(&Jc->context, Jc->begin);
    cond_release(&Jc->context, Jc->coordinate);
    cond_release(&Jc->context, Jc->value);
}

void cond_jacobian_multiply(const CondJacobian* Jc, const double* v, double* u)
{
    for (int c = 0; c < Jc->n_contact; c++) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int k = Jc->begin[c]; k < Jc->begin[c + 1]; k++)
            for (int r = 0; r < 3; r++)
                sum[r] += Jc->value[3 * k + r] * v[Jc->coordinate[k]];
        for (int r = 0; r < 3; r++)
            u[3 * c + r] = sum[r];
    }
}

void cond_jacobian_add_transposed(const CondJacobian* Jc, const double* lambda, double* f)
{
    for (int c = 0; c < Jc->n_contact; c++)
        for (int k = Jc->begin[c]; k < Jc->begin[c + 1]; k++)
            for (int r = 0; r < 3; r++)
                f[Jc->coordinate[k]] += Jc->value[3 * k + r] * lambda[3 * c + r];
}
