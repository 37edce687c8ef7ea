// The resident method: the linear system of a step in double precision, where single precision does
// not do, and where it is not symmetric because friction follows the normal force.
#include "newton/resident_part.h"

#include "base/tuning.h"
#include "newton/resident_vector_item.h"

#include <math.h>

#define ROOM(field, n) ((field) = cond_resident_room(r, &r->of_wide, (size_t)(n) * sizeof *(field)))

void cond_resident_multiply(CondResident* r, const double* in)
{
    CondResidentSystemView* s = &r->linear;
    s->in = in;
    cond_resident_press(r, in);
    cond_resident_loop(r, &cond_system_pushes, s->v.n_contact, COND_CONTACT_WORK, s);
}

void cond_resident_reduce(CondResident* r, const double* in)
{
    CondResidentSystemView* s = &r->linear;
    int nb = s->n_interface;
    s->in = in;
    cond_resident_loop(r, &cond_system_small_parts, s->n_chunk * nb, 96, s);
    cond_resident_loop(r, &cond_system_smalls, nb, 8, s);
}

// out = H in
static void multiply(CondResident* r, const double* in, double* out)
{
    CondResidentSystemView* s = &r->linear;
    s->out = out;
    cond_resident_multiply(r, in);
    cond_resident_loop(r, &cond_system_products, s->v.n_point, COND_CONTACT_WORK, s);
}

// out = M in: blocks, with the Schur complement of the interface.
static void precondition(CondResident* r, const double* in, double* out)
{
    CondResidentSystemView* s = &r->linear;
    s->in = in;
    s->out = out;
    cond_resident_loop(r, &cond_system_blocks, s->v.n_node, COND_COORDINATE_WORK, s);
    if (s->n_interface == 0)
        return;
    cond_resident_reduce(r, in);
    cond_resident_loop(r, &cond_system_small_solves, 3 * (s->v.n_point - s->v.n_node),
                       (size_t)s->n_interface, s);
    cond_resident_loop(r, &cond_system_spreads, s->n_attached, 3 * (size_t)s->n_interface, s);
}

static void each(CondResident* r, const CondKernel* kernel, CondVectorView view)
{
    cond_resident_loop(r, kernel, 3 * r->linear.v.n_point, 2, &view);
}

static double dot(CondResident* r, const double* a, const double* b)
{
    double sum = 0.0;
    CondVectorView view = {.a = a, .b = b};
    cond_resident_sum(r, &cond_vector_dots, 3 * r->linear.v.n_point, 1, &view, &sum);
    cond_resident_wait(r);
    return r->status ? NAN : sum;
}

// ---- conjugate gradients (linear/conjugate_gradients.h)

typedef struct Wide {
    CondResident* r;
    double *z, *p, *q;
} Wide;

static double advance(void* self, double alpha, double* norm)
{
    Wide* w = self;
    CondResidentView* v = &w->r->linear.v;
    if (alpha != 0.0)
        each(w->r, &cond_vector_moves,
             (CondVectorView){.s = alpha, .a = w->p, .b = w->q, .y = v->x, .z = v->next.r});
    precondition(w->r, v->next.r, w->z);
    *norm = dot(w->r, v->next.r, w->z);
    return *norm;
}

static void turn(void* self, double beta)
{
    Wide* w = self;
    each(w->r, &cond_vector_directs, (CondVectorView){.s = beta, .a = w->z, .z = w->p});
}

static double multiply_direction(void* self)
{
    Wide* w = self;
    multiply(w->r, w->p, w->q);
    return dot(w->r, w->p, w->q);
}

void cond_resident_solve_wide(CondResident* r, CondCg* cg)
{
    static const CondCgSteps steps = {advance, turn, multiply_direction};
    Wide wide = {.r = r};
    size_t n = 3 * (size_t)r->linear.v.n_point;
    r->of_wide.next = 0;
    ROOM(wide.z, n);
    ROOM(wide.p, n);
    ROOM(wide.q, n);
    if (!r->status)
        cond_cg_iterate(&steps, &wide, 0, cg);
}

// ---- stabilised biconjugate gradients: the recurrences of cond_bicgstab_solve

typedef struct General {
    double *shadow, *p, *q, *s, *t, *y, *z;
    double rho, alpha, omega;
} General;

static void make_room(CondResident* r, General* g)
{
    size_t n = 3 * (size_t)r->linear.v.n_point;
    r->of_wide.next = 0;
    ROOM(g->z, n);
    ROOM(g->y, n);
    ROOM(g->q, n);
    ROOM(g->p, n);
    ROOM(g->shadow, n);
    ROOM(g->s, n);
    ROOM(g->t, n);
}

// The products made; fewer than two: no further this way.
static int iterate(CondResident* r, General* g)
{
    CondResidentView* v = &r->linear.v;
    double* left = v->next.r;
    double next = dot(r, g->shadow, left), beta = next / g->rho * (g->alpha / g->omega);
    if (next == 0.0 || !isfinite(beta))
        return 0;
    each(r, &cond_vector_directs_again,
         (CondVectorView){.s = beta, .t = g->omega, .a = left, .y = g->q, .z = g->p});
    precondition(r, g->p, g->y);
    multiply(r, g->y, g->q);
    g->rho = next;
    g->alpha = next / dot(r, g->shadow, g->q);
    if (!isfinite(g->alpha))
        return 1;
    each(r, &cond_vector_subtracts,
         (CondVectorView){.s = g->alpha, .a = left, .b = g->q, .y = g->s});
    precondition(r, g->s, g->z);
    multiply(r, g->z, g->t);
    double tt = dot(r, g->t, g->t);
    g->omega = tt > 0.0 ? dot(r, g->t, g->s) / tt : 0.0;
    each(r, &cond_vector_adds,
         (CondVectorView){.s = g->alpha, .t = g->omega, .a = g->y, .b = g->z, .z = v->x});
    each(r, &cond_vector_subtracts,
         (CondVectorView){.s = g->omega, .a = g->s, .b = g->t, .y = left});
    return 2;
}

int cond_resident_solve_general(CondResident* r, const CondContext* context, double reduction,
                                int max_products)
{
    CondResidentView* v = &r->linear.v;
    General g = {.rho = 1.0, .alpha = 1.0, .omega = 1.0};
    double first = INFINITY;
    int products = 0, made = 2;
    make_room(r, &g);
    each(r, &cond_vector_starts, (CondVectorView){.a = v->next.r, .y = g.shadow, .z = g.p});
    each(r, &cond_vector_starts, (CondVectorView){.a = v->next.r, .y = g.t, .z = g.q});
    for (int k = 0; made == 2 && products + 2 <= max_products && !cond_cancelled(context); k++) {
        precondition(r, v->next.r, g.z);
        double rz = fabs(dot(r, v->next.r, g.z));
        if (k <= 1) // the reduction counts from what the first step leaves
            first = fmin(rz, first);
        if (r->status || !isfinite(rz))
            return r->status ? (int)r->status : COND_DIVERGED;
        if (k > 0 && (rz <= reduction * reduction * first || g.omega == 0.0))
            break;
        made = iterate(r, &g);
        products += made;
    }
    return r->status ? (int)r->status : products;
}
