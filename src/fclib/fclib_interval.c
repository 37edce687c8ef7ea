// Force intervals of scalar contacts in FCLib files (fclib_interval.h).
#include "fclib/fclib_interval.h"

#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define GROUP "/cond_intervals"

void cond_fclib_intervals_destroy(const CondContext* context, CondFclibIntervals* intervals)
{
    cond_fclib_matrix_destroy(context, &intervals->H);
    void* arrays[] = {intervals->contact, intervals->w,          intervals->low,
                      intervals->high,    intervals->compliance, intervals->kv};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        cond_release(context, arrays[k]);
    memset(intervals, 0, sizeof *intervals);
}

// ---- writing

static int is_interval(const CondContact* contact)
{
    return contact->set == COND_FORCE_INTERVAL;
}

// Appends the entries of the first row of +-R J of one side, as column k of H.
static void add_row(const CondContact* contact, int s, int k, CondFclibMatrix* H)
{
    const CondSide* side = &contact->side[s];
    const double* R = contact->frame;
    int n = side->n_coordinate;
    for (int j = 0; j < n; j++) {
        double sum = side->jacobian ? 0.0 : R[j];
        for (int r = 0; r < 3 && side->jacobian; r++)
            sum += R[r] * side->jacobian[r * n + j];
        if (sum == 0.0)
            continue;
        H->row[H->n_entry] = side->coordinate[j];
        H->column[H->n_entry] = k;
        H->value[H->n_entry++] = s == 0 ? sum : -sum;
    }
}

// u and r of each along its row.
typedef struct Solution {
    double *u, *r; //                                                  (n)
} Solution;

static CondStatus allocate(const CondDataFile* file, int n, size_t entries, CondFclibIntervals* out)
{
    const CondContext* m = file->context;
    size_t count = (size_t)n;
    out->n = n;
    out->contact = cond_allocate(m, count, sizeof *out->contact);
    out->w = cond_allocate(m, count, sizeof *out->w);
    out->low = cond_allocate(m, count, sizeof *out->low);
    out->high = cond_allocate(m, count, sizeof *out->high);
    out->compliance = cond_allocate(m, count, sizeof *out->compliance);
    out->H.row = cond_allocate(m, entries, sizeof *out->H.row);
    out->H.column = cond_allocate(m, entries, sizeof *out->H.column);
    out->H.value = cond_allocate(m, entries, sizeof *out->H.value);
    int failed = !out->contact || !out->w || !out->low || !out->high || !out->compliance ||
                 !out->H.row || !out->H.column || !out->H.value;
    return failed ? cond_data_out_of_memory(file) : COND_OK;
}

static CondStatus gather(const CondDataFile* file, const CondProblem* problem, const double* v,
                         const double* lambda, CondFclibIntervals* out, Solution* solution)
{
    size_t entries = 0;
    int n = 0;
    for (int c = 0; c < problem->n_contact; c++)
        if (is_interval(&problem->contact[c])) {
            n++;
            for (int s = 0; s < 2; s++)
                entries += (size_t)problem->contact[c].side[s].n_coordinate;
        }
    CondStatus status = n > 0 ? allocate(file, n, entries, out) : COND_OK;
    if (n == 0 || status)
        return status;
    solution->u = cond_allocate(file->context, (size_t)n, sizeof *solution->u);
    solution->r = cond_allocate(file->context, (size_t)n, sizeof *solution->r);
    if (!solution->u || !solution->r)
        return cond_data_out_of_memory(file);
    for (int c = 0, k = 0; c < problem->n_contact; c++) {
        const CondContact* contact = &problem->contact[c];
        double u[3];
        if (!is_interval(contact))
            continue;
        out->contact[k] = c;
        out->w[k] = contact->phi[0];
        out->low[k] = contact->bound[0];
        out->high[k] = contact->bound[1];
        out->compliance[k] = contact->compliance;
        add_row(contact, 0, k, &out->H);
        add_row(contact, 1, k, &out->H);
        if (v)
            cond_contact_velocity(contact, v, u);
        solution->u[k] = v ? u[0] : 0.0;
        solution->r[k] = lambda ? lambda[3 * (ptrdiff_t)c] : 0.0;
        k++;
    }
    return COND_OK;
}

static CondStatus write_content(const CondDataFile* file, const CondFclibIntervals* from,
                                const CondCsr* H, CondFclibLayout layout, const double* u,
                                const double* r)
{
    const struct {
        const char* location;
        const double* values; // NULL: not there
    } vectors[] = {{GROUP "/w", from->w},
                   {GROUP "/low", from->low},
                   {GROUP "/high", from->high},
                   {GROUP "/compliance", from->compliance},
                   {GROUP "/kv", from->kv},
                   {GROUP "/u", u},
                   {GROUP "/r", r}};
    CondStatus status = cond_data_write_group(file, GROUP);
    if (!status)
        status = cond_data_write_ints(file, GROUP "/contact", from->n, from->contact);
    if (!status)
        status = cond_fclib_matrix_write(file, GROUP "/H", H, layout);
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0] && !status; k++)
        if (vectors[k].values)
            status = cond_data_write_doubles(file, vectors[k].location, from->n, vectors[k].values);
    return status;
}

CondStatus cond_fclib_intervals_write(const CondDataFile* file, const CondProblem* problem,
                                      const double* kv, CondFclibLayout layout, const double* v,
                                      const double* lambda)
{
    const CondContext* m = file->context;
    CondFclibIntervals all = {0};
    Solution solution = {NULL, NULL};
    CondCsr H = {0};
    CondStatus status = gather(file, problem, v, lambda, &all, &solution);
    if (!status && all.n > 0 &&
        cond_csr_create(m, problem->n_dof, all.n, all.H.n_entry, all.H.row, all.H.column,
                        all.H.value, &H) < 0)
        status = cond_data_out_of_memory(file);
    if (!status && all.n > 0) {
        CondFclibIntervals shown = all;
        shown.kv = (double*)kv; // only read
        status = write_content(file, &shown, &H, layout, v ? solution.u : NULL,
                               lambda ? solution.r : NULL);
    }
    cond_csr_destroy(m, &H);
    cond_release(m, solution.u);
    cond_release(m, solution.r);
    cond_fclib_intervals_destroy(m, &all);
    return status;
}

// ---- reading

static CondStatus check_places(const CondDataFile* file, const CondFclibIntervals* in, int n_cone)
{
    for (int k = 0; k < in->n; k++)
        if (in->contact[k] < (k > 0 ? in->contact[k - 1] + 1 : 0) ||
            in->contact[k] >= n_cone + in->n)
            return cond_data_fail(file, COND_BAD_INPUT, GROUP "/contact",
                                  "entry %d is %d, expected ascending places among %d contacts", k,
                                  in->contact[k], n_cone + in->n);
    return COND_OK;
}

static CondStatus check_numbers(const CondDataFile* file, const CondFclibIntervals* in)
{
    for (int k = 0; k < in->n; k++) {
        if (!isfinite(in->w[k]))
            return cond_data_fail(file, COND_BAD_INPUT, GROUP "/w",
                                  "entry %d is not a finite number", k);
        if (!(in->low[k] <= in->high[k]) || in->low[k] == INFINITY || in->high[k] == -INFINITY)
            return cond_data_fail(file, COND_BAD_INPUT, GROUP "/low",
                                  "entry %d is %g and that of high %g: no force lies between", k,
                                  in->low[k], in->high[k]);
        if (!(in->compliance[k] >= 0.0) || !isfinite(in->compliance[k]))
            return cond_data_fail(file, COND_BAD_INPUT, GROUP "/compliance",
                                  "entry %d is %g, must be finite and not negative", k,
                                  in->compliance[k]);
        if (in->kv && !(in->kv[k] > 0.0))
            return cond_data_fail(file, COND_BAD_INPUT, GROUP "/kv",
                                  "entry %d is %g, expected a positive number", k, in->kv[k]);
    }
    return COND_OK;
}

CondStatus cond_fclib_intervals_read(const CondDataFile* file, int n_dof, int n_cone,
                                     CondFclibIntervals* in)
{
    memset(in, 0, sizeof *in);
    if (!cond_data_exists(file, GROUP))
        return COND_OK;
    CondStatus status =
        cond_data_read_ints(file, GROUP "/contact", 0, INT_MAX / 3 - n_cone, &in->contact, &in->n);
    if (!status)
        status = cond_fclib_matrix_read(file, GROUP "/H", &in->H);
    if (!status && (in->H.m != n_dof || in->H.n != in->n))
        status = cond_data_fail(file, COND_BAD_INPUT, GROUP "/H", "is %d x %d, expected %d x %d",
                                in->H.m, in->H.n, n_dof, in->n);
    const struct {
        const char* location;
        double** values;
        int optional;
    } vectors[] = {{GROUP "/w", &in->w, 0},
                   {GROUP "/low", &in->low, 0},
                   {GROUP "/high", &in->high, 0},
                   {GROUP "/compliance", &in->compliance, 0},
                   {GROUP "/kv", &in->kv, 1}};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0] && !status; k++)
        if (!vectors[k].optional || cond_data_exists(file, vectors[k].location))
            status = cond_data_read_doubles(file, vectors[k].location, in->n, in->n,
                                            vectors[k].values, NULL);
    if (!status)
        status = check_places(file, in, n_cone);
    if (!status)
        status = check_numbers(file, in);
    return status;
}

// Moves `width` numbers of each cone from *x to their places among all contacts; the rest is 0.
static CondStatus spread(const CondDataFile* file, const CondFclibIntervals* in, int n_cone,
                         int width, double** x)
{
    size_t all = (size_t)(n_cone + in->n) * (size_t)width;
    double* wide = cond_allocate(file->context, all, sizeof *wide);
    if (!wide)
        return cond_data_out_of_memory(file);
    for (int c = 0, k = 0, cone = 0; c < n_cone + in->n; c++) {
        if (k < in->n && in->contact[k] == c)
            k++;
        else
            memcpy(wide + (ptrdiff_t)c * width, *x + (ptrdiff_t)cone++ * width,
                   (size_t)width * sizeof *wide);
    }
    cond_release(file->context, *x);
    *x = wide;
    return COND_OK;
}

// Column of each cone's contact among all.
static CondStatus join_columns(const CondDataFile* file, const CondFclibIntervals* in, int n_cone,
                               CondFclibMatrix* H)
{
    const CondContext* m = file->context;
    int n = H->n_entry, more = in->H.n_entry;
    int* place = cond_allocate(m, (size_t)n_cone, sizeof *place);
    CondFclibMatrix all = {.m = H->m, .n = 3 * (n_cone + in->n)};
    CondStatus status = n > INT_MAX - more ? COND_OUT_OF_MEMORY : COND_OK;
    size_t count = status ? 0 : (size_t)(n + more);
    all.row = cond_allocate(m, count, sizeof *all.row);
    all.column = cond_allocate(m, count, sizeof *all.column);
    all.value = cond_allocate(m, count, sizeof *all.value);
    if (status || !place || !all.row || !all.column || !all.value) {
        cond_release(m, place);
        cond_fclib_matrix_destroy(m, &all);
        return cond_data_out_of_memory(file);
    }
    for (int c = 0, k = 0, cone = 0; c < n_cone + in->n; c++) {
        if (k < in->n && in->contact[k] == c)
            k++;
        else
            place[cone++] = c;
    }
    for (int e = 0; e < n + more; e++) {
        const CondFclibMatrix* from = e < n ? H : &in->H;
        int at = e < n ? e : e - n, column = from->column[at];
        all.row[e] = from->row[at];
        all.value[e] = from->value[at];
        all.column[e] = e < n ? 3 * place[column / 3] + column % 3 : 3 * in->contact[column];
    }
    all.n_entry = n + more;
    cond_release(m, place);
    cond_fclib_matrix_destroy(m, H);
    *H = all;
    return COND_OK;
}

CondStatus cond_fclib_intervals_join(const CondDataFile* file, const CondFclibIntervals* in,
                                     CondFclibMatrix* H, double** w, double** mu, double** kv)
{
    int n_cone = H->n / 3;
    if (in->n == 0)
        return COND_OK;
    if (!*kv && in->kv) { // cones without gains among intervals with some
        *kv = cond_allocate(file->context, (size_t)n_cone, sizeof **kv);
        if (!*kv)
            return cond_data_out_of_memory(file);
        for (int c = 0; c < n_cone; c++)
            (*kv)[c] = INFINITY;
    }
    CondStatus status = join_columns(file, in, n_cone, H);
    if (!status)
        status = spread(file, in, n_cone, 3, w);
    if (!status)
        status = spread(file, in, n_cone, 1, mu);
    if (!status && *kv)
        status = spread(file, in, n_cone, 1, kv);
    for (int k = 0; k < in->n && !status; k++) {
        (*w)[3 * (ptrdiff_t)in->contact[k]] = in->w[k];
        if (*kv)
            (*kv)[in->contact[k]] = in->kv ? in->kv[k] : INFINITY;
    }
    return status;
}

void cond_fclib_intervals_set(const CondFclibIntervals* in, CondContact* contact)
{
    for (int k = 0; k < in->n; k++) {
        CondContact* c = &contact[in->contact[k]];
        c->set = COND_FORCE_INTERVAL;
        c->bound[0] = in->low[k];
        c->bound[1] = in->high[k];
        c->compliance = in->compliance[k];
    }
}
