// Conjugate gradients for A x = b with a symmetric, positive definite A given by its product.
#include "linear/conjugate_gradients.h"

#include "base/memory.h"
#include "device/sum.h"

#include <math.h>
#include <string.h>

void cond_cg_iterate(const CondCgSteps* steps, void* self, int rank, CondCg* cg)
{
    double alpha = 0.0, rz = 0.0, first = 0.0, goal = cg->goal;
    int products = 0, failed = 0, counts = goal < 0.0;
    for (int k = 0;; k++) {
        double norm;
        if (rank == 0) // read by all when they have met, and written again a meeting later
            cg->cancelled[k % 2] = cg->context && cond_cancelled(cg->context);
        double next = steps->advance(self, alpha, &norm), beta = k > 0 ? next / rz : 0.0;
        rz = next;
        if (k == 0)
            first = norm;
        if (k == 1 && counts) // the first step takes out what firm directions blow up
            goal = cg->reduction * cg->reduction * fmin(norm, first);
        failed = !isfinite(rz);
        if (failed || !(norm > fmax(goal, 0.0)) || products >= cg->max_products ||
            cg->cancelled[k % 2])
            break;
        steps->turn(self, beta);
        double pq = steps->multiply(self);
        products++;
        failed = !(pq > 0.0);
        if (failed)
            break;
        alpha = rz / pq;
    }
    if (rank > 0)
        return;
    cg->products = products;
    cg->failed = failed;
    cg->goal = goal;
}

// One loop over the coordinates.
typedef struct Sweep {
    const double *a, *b; // read
    double *y, *z;       // written
    double s, t;
} Sweep;

static void each(const CondCgSystem* system, CondLoopBody body, const Sweep* sweep)
{
    int n = system->A.n;
    cond_parallel(n, cond_threads((size_t)n, system->threads), body, sweep);
}

// y += s a and z -= s b
static void move(const void* data, int first, int last)
{
    const Sweep* l = data;
    for (int i = first; i < last; i++) {
        l->y[i] += l->s * l->a[i];
        l->z[i] -= l->s * l->b[i];
    }
}

// z = a + s z
static void direct(const void* data, int first, int last)
{
    const Sweep* l = data;
    for (int i = first; i < last; i++)
        l->z[i] = l->a[i] + l->s * l->z[i];
}

static double dot(const CondCgSystem* system, const double* x, const double* y)
{
    return cond_dot(system->A.n, x, y, system->threads);
}

static void precondition(const CondCgSystem* system, const double* r, double* z)
{
    system->M.apply(system->M.data, r, z);
}

static double advance(void* self, double alpha, double* norm)
{
    CondCgSystem* s = self;
    Sweep sweep = {.a = s->p, .b = s->q, .y = s->x, .z = s->r, .s = alpha};
    if (alpha != 0.0)
        each(s, move, &sweep);
    precondition(s, s->r, s->z);
    double rz = dot(s, s->r, s->z);
    *norm = s->norm ? s->norm(s->data, s->r, rz) : rz;
    return rz;
}

static void turn(void* self, double beta)
{
    CondCgSystem* s = self;
    Sweep sweep = {.a = s->z, .z = s->p, .s = beta};
    if (beta == 0.0) // p may hold anything
        cond_parallel_copy(s->A.n, s->z, s->p, s->threads);
    else
        each(s, direct, &sweep);
}

static double multiply(void* self)
{
    CondCgSystem* s = self;
    s->A.apply(s->A.data, s->p, s->q);
    return dot(s, s->p, s->q);
}

void cond_cg_solve(CondCgSystem* system, CondCg* cg)
{
    static const CondCgSteps steps = {advance, turn, multiply};
    cond_cg_iterate(&steps, system, 0, cg); // products and loops share out their own work
}

// z = a + s (z - t y)
static void direct_again(const void* data, int first, int last)
{
    const Sweep* l = data;
    for (int i = first; i < last; i++)
        l->z[i] = l->a[i] + l->s * (l->z[i] - l->t * l->y[i]);
}

// y = a - s b
static void subtract(const void* data, int first, int last)
{
    const Sweep* l = data;
    for (int i = first; i < last; i++)
        l->y[i] = l->a[i] - l->s * l->b[i];
}

// z += s a + t b
static void add(const void* data, int first, int last)
{
    const Sweep* l = data;
    for (int i = first; i < last; i++)
        l->z[i] += l->s * l->a[i] + l->t * l->b[i];
}

int cond_bicgstab_solve(CondCgSystem* system, const CondContext* context, double reduction,
                        int max_products, double* work)
{
    int n = system->A.n, products = 0;
    size_t size = (size_t)n * sizeof *work;
    double *shadow = work, *p = work + n, *q = p + n, *s = q + n, *t = s + n;
    double *r = system->r, *y = system->p, *z = system->z;
    double rho = 1.0, alpha = 1.0, omega = 1.0, first = INFINITY;
    memcpy(shadow, r, size);
    memset(p, 0, size);
    memset(q, 0, size);
    for (int k = 0; products + 2 <= max_products && !cond_cancelled(context); k++) {
        precondition(system, r, z);
        double rz = fabs(dot(system, r, z));
        if (k <= 1) // as above, the reduction counts from what the first step leaves
            first = fmin(rz, first);
        if (!isfinite(rz))
            return COND_DIVERGED;
        if (k > 0 && rz <= reduction * reduction * first)
            break;
        double next = dot(system, shadow, r), beta = next / rho * (alpha / omega);
        if (next == 0.0 || !isfinite(beta))
            break; // no further this way; what there is may do
        each(system, direct_again, &(Sweep){.a = r, .y = q, .z = p, .s = beta, .t = omega});
        precondition(system, p, y);
        system->A.apply(system->A.data, y, q);
        products++;
        rho = next;
        alpha = rho / dot(system, shadow, q);
        if (!isfinite(alpha))
            break;
        each(system, subtract, &(Sweep){.a = r, .b = q, .y = s, .s = alpha});
        precondition(system, s, z);
        system->A.apply(system->A.data, z, t);
        products++;
        double tt = dot(system, t, t);
        omega = tt > 0.0 ? dot(system, t, s) / tt : 0.0;
        each(system, add, &(Sweep){.a = y, .b = z, .z = system->x, .s = alpha, .t = omega});
        each(system, subtract, &(Sweep){.a = s, .b = t, .y = r, .s = omega});
        if (omega == 0.0 || !isfinite(omega))
            break;
    }
    return products;
}
