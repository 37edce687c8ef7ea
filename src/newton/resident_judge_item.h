// The certificate of a pair by items (law/certificate.c), for C and for CUDA.
#ifndef COND_NEWTON_RESIDENT_JUDGE_ITEM_H
#define COND_NEWTON_RESIDENT_JUDGE_ITEM_H

#include "law/tuning.h"
#include "newton/resident_item.h"

// The dynamics at a point: squares over the diagonal of A v, Jc' lambda, b and what is left, and
// the change D^-1 Jc' lambda.
COND_DEVICE void cond_resident_judge_item(const CondResidentView* a, int point)
{
    double Av[3], f[3] = {0.0, 0.0, 0.0}, norm[4] = {0.0, 0.0, 0.0, 0.0};
    cond_resident_add_forces(a, point, a->asked_lambda, f);
    if (!a->asked_r)
        cond_resident_row(a, point, a->asked_v, Av);
    for (int k = 0; k < 3; k++) {
        int i = 3 * point + k;
        double b = a->b[i], d = a->diagonal[i];
        double left = a->asked_r ? a->asked_r[i] : Av[k] - b - f[k];
        if (a->asked_r)
            Av[k] = left + b + f[k];
        else
            a->measured_r[i] = left;
        norm[0] += Av[k] * Av[k] / d;
        norm[1] += f[k] * f[k] / d;
        norm[2] += b * b / d;
        norm[3] += left * left / d;
        a->change[i] = f[k] / d;
    }
    for (int k = 0; k < 4; k++)
        a->norm[(ptrdiff_t)k * a->n_point + point] = norm[k];
}

COND_DEVICE double cond_resident_add_term(const CondResidentView* a, int i)
{
    return a->from[i];
}

// Velocity at play in the row of an interval: what counts of its forces in any case, where nothing
// moves; as interval_share of certificate.c.
COND_DEVICE double cond_resident_interval_speed(const CondResidentView* a, int c, double u,
                                                double w, double force)
{
    const CondContact* contact = &a->contact[c];
    double width = contact->bound[1] - contact->bound[0];
    double share =
        contact->compliance > 0.0 || width == INFINITY ? 0.0 : 0.5 * COND_CERTIFICATE_WIDTH * width;
    share = fmax(share, COND_INPUT_ROUNDING * force);
    return fmax(fmax(fabs(u), fabs(w)), share * a->delassus[c]);
}

// Velocity at play, error and penetration of a contact; cones and intervals are judged apart.
COND_DEVICE void cond_resident_judge_contact_item(const CondResidentView* a, int c)
{
    const CondContact* contact = &a->contact[c];
    const double* l = a->asked_lambda + (ptrdiff_t)3 * c;
    double *u = a->now.u + (ptrdiff_t)3 * c, at[3], w[3], speed = 0.0, changed = 0.0;
    double slip = cond_resident_slip(a, c), delassus = a->delassus[c];
    double force = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
    int cone = cond_resident_is_cone(a, c);
    CondLawError error;
    cond_resident_velocity(a, c, a->asked_v, contact->phi, u);
    cond_resident_velocity(a, c, a->change, NULL, w);
    for (int i = 0; i < 3; i++) {
        at[i] = u[i] + slip * l[i];
        speed += (u[i] - contact->phi[i]) * (u[i] - contact->phi[i]);
        changed += w[i] * w[i];
    }
    if (cone) {
        const double* mu = contact->friction;
        speed = sqrt(scalar_max(speed, changed));
        speed =
            scalar_max(speed, scalar_max(slip, COND_INPUT_ROUNDING * (delassus + slip)) * force);
        error = cond_law_essential(cond_resident_law(a, c), mu, delassus + slip, at, l,
                                   scalar_length(mu[0] * at[1], mu[1] * at[2]));
    } else {
        speed = cond_resident_interval_speed(a, c, u[0] - contact->phi[0], w[0], force);
        error = cond_law_interval(contact->bound, slip, delassus, at, l);
    }
    double wrong = scalar_max(error.natural, error.penetration), root = sqrt(delassus);
    a->speed[c] = cone ? speed : 0.0;
    a->error[c] = cone ? wrong : -1.0;
    a->penetration[c] = error.penetration;
    if (a->bounded) {
        a->power[c] = speed / root;
        a->error_bounded[c] = cone ? -1.0 : wrong / root;
    }
}

// Slip of virtual nodes that belong to the problem.
COND_DEVICE double cond_resident_coupling_term(const CondResidentView* a, int c)
{
    const double* l = a->asked_lambda + (ptrdiff_t)3 * c;
    double force = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
    return a->carried[c] ? 0.0 : a->compliance[c] * force;
}

// |u| of the contacts, in the rows in which they act; over the roots of their scales.
COND_DEVICE double cond_resident_any_speed(const CondResidentView* a, int c)
{
    const double* u = a->now.u + (ptrdiff_t)3 * c;
    return cond_resident_is_cone(a, c) ? sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) : fabs(u[0]);
}

COND_DEVICE double cond_resident_speed_term(const CondResidentView* a, int c)
{
    return cond_resident_is_cone(a, c) ? cond_resident_any_speed(a, c) : 0.0;
}

COND_DEVICE double cond_resident_power_term(const CondResidentView* a, int c)
{
    return cond_resident_any_speed(a, c) / sqrt(a->delassus[c]);
}

// Minus the number of the contact with the largest error, of `from`.
COND_DEVICE double cond_resident_worst_term(const CondResidentView* a, int c)
{
    return a->from[c] == a->worst ? -(double)c : -INFINITY;
}

// sum_k |J_k| |v_k| of that contact: what cancels there.
COND_DEVICE double cond_resident_motion_term(const CondResidentView* a, int c)
{
    const CondTermsView* t = &a->of_contact;
    double sum = 0.0, square[3], normal[3];
    for (int k = t->entry_begin[c]; k < t->entry_begin[c + 1] && a->from[c] == a->worst; k++) {
        cond_resident_squares(a, &t->entry[k], square, normal);
        for (int i = 0; i < 3; i++)
            sum += sqrt(square[i]) * fabs(a->asked_v[3 * t->entry[k].point + i]);
    }
    return sum;
}

COND_KERNEL(cond_resident_judges, CondResidentView, cond_resident_judge_item)
COND_SUM_KERNEL(cond_resident_adds, CondResidentView, cond_resident_add_term)
COND_MOST_KERNEL(cond_resident_largest, CondResidentView, cond_resident_add_term)
COND_KERNEL(cond_resident_judges_contacts, CondResidentView, cond_resident_judge_contact_item)
COND_MOST_KERNEL(cond_resident_couplings, CondResidentView, cond_resident_coupling_term)
COND_MOST_KERNEL(cond_resident_speeds, CondResidentView, cond_resident_speed_term)
COND_MOST_KERNEL(cond_resident_powers, CondResidentView, cond_resident_power_term)
COND_MOST_KERNEL(cond_resident_worst, CondResidentView, cond_resident_worst_term)
COND_MOST_KERNEL(cond_resident_motions, CondResidentView, cond_resident_motion_term)

#endif
