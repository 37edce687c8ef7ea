// Shells of triangles: neighbours, the shape at rest, the constants.
//
// Bending. Across each edge the surface has one slope at its middle, which both triangles share:
// the mean of theirs, plus what follows. A triangle whose slopes at the middles of its edges differ
// from its own by psi_e has the curvature (unit normals nu_e of the edges, lengths l_e)
//   kappa = 1/area sum_e l_e psi_e nu_e nu_e',
// and the energy area/2 kappa' D kappa: the element of Morley, and the method of Hellan, Herrmann
// and Johnson. As the slope is shared, psi_e = theta_e/2 + phi_e on one side and theta_e/2 - phi_e
// on the other, theta_e the angle between the triangles. The rotation phi_e is no unknown: it is a
// sum over the five edges of the two triangles, phi_e = sum c_f theta_f, with the smallest c that
// make it exact for every quadratic surface. So the curvature of quadratic surfaces is exact, and
// constant moments are in balance (patch test), on any mesh; on meshes of parallelograms c = 0.
// At a border psi_e is the one of least energy: no moment acts there.
#include "model/shell.h"
#include "base/tuning.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/sort.h"
#include "math/eigen.h"
#include "math/vec3.h"

CondShellModuli cond_shell_moduli(const CondFemMaterial* material, double thickness)
{
    double warp = material->youngs_modulus, nu = material->poisson_ratio;
    double weft = material->weft_modulus > 0.0 ? material->weft_modulus : warp;
    double shear = material->shear_modulus > 0.0 ? material->shear_modulus
                                                 : warp * weft / (warp + weft + 2.0 * nu * weft);
    double rest = 1.0 - nu * nu * weft / warp; // 1 - nu_12 nu_21
    double h = thickness, cubed = h * h * h / 12.0;
    CondShellModuli m = {
        .stretch = {h * warp / rest, h * nu * weft / rest, 0.0, h * weft / rest, 0.0, h * shear}};
    for (int i = 0; i < 6; i++)
        m.bend[i] = m.stretch[i] / h * cubed;
    if (material->bending > 0.0) {
        double b1 = material->bending;
        double b2 = material->bending_weft > 0.0 ? material->bending_weft : b1 * weft / warp;
        double mean = sqrt(b1 * b2);
        const double bend[6] = {b1, nu * mean, 0.0, b2, 0.0, 0.5 * (1.0 - nu) * mean};
        memcpy(m.bend, bend, sizeof bend);
    }
    m.mu = h * warp / (2.0 * (1.0 + nu));
    m.lambda = h * warp * nu / (1.0 - nu * nu); // of plane stress
    m.limit = material->strain_limit > 0.0 ? material->strain_limit : INFINITY;
    m.beyond = h * material->limit_modulus;
    m.yield = material->yield_curvature;
    m.harden = material->yield_hardening / (1.0 - material->yield_hardening);
    return m;
}

const unsigned char cond_shell_hinge[COND_SHELL_HINGES][4] = {
    {0, 1, 2, 3}, {1, 2, 0, 4}, {2, 0, 1, 5},  {2, 1, 3, 6}, {1, 3, 2, 7},
    {0, 2, 4, 8}, {2, 4, 0, 9}, {1, 0, 5, 10}, {0, 5, 1, 11}};

// What lies beyond edge k % 3 of triangle k / 3: the corner there, and those beyond its other
// edges.
static void look_beyond(const int* triangle, const int* beyond, int k, int* element)
{
    int e = k % 3, q = beyond[k], first = q - q % 3; // the corner beyond is triangle[q]
    element[3 + e] = triangle[q];
    for (int side = 0; side < 2; side++) {
        // Seen from the corner beyond, its triangle goes on to corner e + 2 and then to e + 1.
        int other = beyond[first + (q % 3 + 1 + side) % 3];
        if (other >= 0)
            element[6 + 2 * e + side] = triangle[other];
    }
}

CondStatus cond_shell_neighbours(const CondContext* context, int n_element, const int* triangle,
                                 int* element, CondError* error)
{
    int n = 3 * n_element;
    CondIndexKey* key = cond_allocate(context, (size_t)n, sizeof *key);
    int* beyond = cond_allocate(context, (size_t)n, sizeof *beyond);
    if (!key || !beyond) {
        cond_release(context, key);
        cond_release(context, beyond);
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    }
    for (int k = 0; k < n; k++) {
        const int* corner = triangle + k - k % 3;
        int b = corner[(k + 1) % 3], c = corner[(k + 2) % 3];
        key[k] = (CondIndexKey){{b < c ? b : c, b < c ? c : b, 0}, k};
        int* own = element + COND_SHELL_NODES * (size_t)(k / 3);
        own[k % 3] = own[3 + k % 3] = own[6 + 2 * (k % 3)] = own[7 + 2 * (k % 3)] = corner[k % 3];
        beyond[k] = -1;
    }
    cond_keys_sort(key, n);
    CondStatus status = COND_OK;
    for (int k = 0, run; k < n && !status; k += run) {
        for (run = 1; k + run < n && !cond_keys_differ(&key[k], &key[k + run]); run++)
            ;
        int p = key[k].value, q = run > 1 ? key[k + 1].value : p;
        if (run > 2)
            status = cond_error_set(error, COND_BAD_ARGUMENT, "%d triangles share the edge %d %d",
                                    run, key[k].part[0], key[k].part[1]);
        else if (run == 2 && triangle[p - p % 3 + (p + 1) % 3] == triangle[q - q % 3 + (q + 1) % 3])
            status =
                cond_error_set(error, COND_BAD_ARGUMENT,
                               "triangles %d and %d are turned against each other", p / 3, q / 3);
        if (status || run < 2)
            continue;
        beyond[p] = q;
        beyond[q] = p;
    }
    for (int k = 0; k < n && !status; k++)
        if (beyond[k] >= 0)
            look_beyond(triangle, beyond, k, element + COND_SHELL_NODES * (size_t)(k / 3));
    cond_release(context, key);
    cond_release(context, beyond);
    return status;
}

// Gradients of corners 1 and 2 of a flat triangle with sides u = x1 - x0 and v = x2 - x0; twice its
// area, with the sign of its turn.
static double flat_gradients(const double u[2], const double v[2], double g[4])
{
    double twice = u[0] * v[1] - u[1] * v[0];
    g[0] = v[1] / twice;
    g[1] = -v[0] / twice;
    g[2] = -u[1] / twice;
    g[3] = u[0] / twice;
    return twice;
}

// The axes of a triangle: the warp in its plane, and across. Where the warp stands on the plane,
// the first side.
static void axes_of(const CondFem* fem, const double n[3], const double side[3], double axis[2][3])
{
    double along = vec3_dot(fem->warp, n);
    for (int i = 0; i < 3; i++)
        axis[0][i] = fem->warp[i] - along * n[i];
    double length = vec3_norm(axis[0]);
    if (!(length > COND_SINGLE_PRECISION)) {
        memcpy(axis[0], side, sizeof axis[0]);
        length = vec3_norm(side);
    }
    for (int i = 0; i < 3; i++)
        axis[0][i] /= length;
    vec3_cross(n, axis[0], axis[1]);
}

// Where the corner o beyond the edge from b to c comes to lie in the plane when it is unfolded.
static void unfold(const double xb[3], const double xc[3], const double xo[3], const double b[2],
                   const double c[2], double o[2])
{
    double edge[3], d[3], across[3], flat[2] = {c[0] - b[0], c[1] - b[1]};
    for (int i = 0; i < 3; i++) {
        edge[i] = xc[i] - xb[i];
        d[i] = xo[i] - xb[i];
    }
    double square = vec3_dot(edge, edge), along = vec3_dot(d, edge) / square;
    vec3_cross(edge, d, across);
    double out = vec3_norm(across) / square; // in lengths of the edge; outward is (y, -x) of it
    o[0] = b[0] + along * flat[0] + out * flat[1];
    o[1] = b[1] + along * flat[1] - out * flat[0];
}

// Slopes outward of edge (b, c) of the linear function on (q, b, c) that has the heights of the
// surface of unit curvature 11, 22 and 2 12 at its corners.
static void slopes_of(const double q[2], const double b[2], const double c[2], double slope[3])
{
    const double* p[3] = {q, b, c};
    double d[2] = {c[0] - b[0], c[1] - b[1]}, length = hypot(d[0], d[1]);
    double u[2] = {b[0] - q[0], b[1] - q[1]}, v[2] = {c[0] - q[0], c[1] - q[1]}, g[4];
    flat_gradients(u, v, g);
    for (int m = 0; m < 3; m++) {
        double w[3];
        for (int k = 0; k < 3; k++)
            w[k] = 0.5 * p[k][m == 1] * p[k][m > 0];
        slope[m] = ((w[1] - w[0]) * (d[1] * g[0] - d[0] * g[1]) +
                    (w[2] - w[0]) * (d[1] * g[2] - d[0] * g[3])) /
                   length;
    }
}

// Angles at a hinge of unit curvatures.
static void angles_of(double p[COND_SHELL_NODES][2], const unsigned char hinge[4], double angle[3])
{
    double own[3], other[3];
    slopes_of(p[hinge[0]], p[hinge[1]], p[hinge[2]], own);
    slopes_of(p[hinge[3]], p[hinge[1]], p[hinge[2]], other);
    for (int m = 0; m < 3; m++)
        angle[m] = other[m] - own[m];
}

// The smallest c (n) with sum c_f row_f = want, or as near to it as they come.
static void fit(int n, double row[5][3], const double want[3], double* c)
{
    double gram[9] = {0.0}, value[3], axis[9], part[3];
    for (int f = 0; f < n; f++)
        for (int k = 0; k < 9; k++)
            gram[k] += row[f][k / 3] * row[f][k % 3];
    cond_eigen_symmetric(3, gram, value, axis);
    double most = fmax(value[0], fmax(value[1], value[2]));
    for (int f = 0; f < n; f++)
        c[f] = 0.0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            part[i] = axis[3 * i + k];
        double along = vec3_dot(part, want);
        for (int f = 0; f < n && value[k] > COND_SINGLE_PRECISION * most; f++)
            c[f] += vec3_dot(row[f], part) * along / value[k];
    }
}

// Adds to `curve` what the slope across edge e says.
static void add_edge(CondShellPart* part, double p[COND_SHELL_NODES][2], int e)
{
    const double *b = p[(e + 1) % 3], *c = p[(e + 2) % 3];
    double d[2] = {c[0] - b[0], c[1] - b[1]}, scale = 1.0 / (hypot(d[0], d[1]) * part->area);
    const double spread[3] = {scale * d[1] * d[1], scale * d[0] * d[0], -2.0 * scale * d[0] * d[1]};
    const int hinge[5] = {e, (e + 1) % 3, (e + 2) % 3, 3 + 2 * e, 4 + 2 * e};
    if (!(part->hinges >> e & 1)) {
        memcpy(part->border[e], spread, sizeof spread);
        return;
    }
    // The slope of the surface itself at the middle of the edge, less the mean of the two.
    double row[5][3], own[3], other[3], want[3], share[5];
    const double middle[2] = {0.5 * (b[0] + c[0]), 0.5 * (b[1] + c[1])}, length = hypot(d[0], d[1]);
    const double out[2] = {d[1] / length, -d[0] / length};
    slopes_of(p[e], b, c, own);
    slopes_of(p[3 + e], b, c, other);
    const double exact[3] = {out[0] * middle[0], out[1] * middle[1],
                             0.5 * (out[0] * middle[1] + out[1] * middle[0])};
    int n = 0, of[5];
    for (int m = 0; m < 3; m++)
        want[m] = exact[m] - 0.5 * (own[m] + other[m]);
    for (int h = 0; h < 5; h++)
        if (part->hinges >> hinge[h] & 1) {
            angles_of(p, cond_shell_hinge[hinge[h]], row[n]);
            of[n++] = hinge[h];
        }
    fit(n, row, want, share);
    for (int m = 0; m < 3; m++) {
        part->curve[COND_SHELL_HINGES * m + e] += 0.5 * spread[m];
        for (int f = 0; f < n; f++)
            if (fabs(share[f]) > COND_SINGLE_PRECISION)
                part->curve[COND_SHELL_HINGES * m + of[f]] += share[f] * spread[m];
    }
}

// Where the corners lie in the plane of the triangle, and which hinges there are.
static void place_corners(const double* x[COND_SHELL_NODES], const int* corner, CondShellPart* part,
                          double p[COND_SHELL_NODES][2])
{
    for (int h = 0; h < COND_SHELL_HINGES; h++) {
        const unsigned char* k = cond_shell_hinge[h];
        // A corner that is missing is the one at the same edge; beyond a border nothing is.
        int missing =
            h < 3 ? corner[3 + h] == corner[h]
                  : corner[k[3]] == corner[(h - 3) / 2] || !(part->hinges >> ((h - 3) / 2) & 1);
        if (missing)
            continue;
        unfold(x[k[1]], x[k[2]], x[k[3]], p[k[1]], p[k[2]], p[k[3]]);
        part->hinges |= 1 << h;
    }
}

CondStatus cond_shell_measure(CondFem* fem, int i, CondError* error)
{
    CondShellPart* part = &fem->shell[i];
    int* corner = fem->element + COND_SHELL_NODES * (size_t)i;
    const double* x[COND_SHELL_NODES];
    double u[3], v[3], n[3], axis[2][3], p[COND_SHELL_NODES][2] = {{0.0}}, gradient[12];
    memset(part, 0, sizeof *part);
    for (int a = 0; a < COND_SHELL_NODES; a++)
        x[a] = fem->rest + 3 * (size_t)corner[a];
    for (int k = 0; k < 3; k++) {
        u[k] = x[1][k] - x[0][k];
        v[k] = x[2][k] - x[0][k];
    }
    vec3_cross(u, v, n);
    double twice = vec3_norm(n), longest = fmax(vec3_dot(u, u), vec3_dot(v, v));
    if (!(twice > COND_INPUT_ROUNDING * longest))
        return cond_error_set(error, COND_BAD_ARGUMENT, "triangle %d has no area", i);
    for (int k = 0; k < 3; k++)
        n[k] /= twice;
    axes_of(fem, n, u, axis);
    for (int k = 0; k < 2; k++) {
        p[1][k] = vec3_dot(u, axis[k]);
        p[2][k] = vec3_dot(v, axis[k]);
    }
    part->area = 0.5 * flat_gradients(p[1], p[2], part->own);
    place_corners(x, corner, part, p);
    for (int e = 0; e < 3; e++) {
        int b = (e + 1) % 3, c = (e + 2) % 3;
        double d[2][2];
        part->share[e] = 1.0;
        if (!(part->hinges >> e & 1))
            continue;
        for (int k = 0; k < 2; k++) {
            d[0][k] = p[b][k] - p[3 + e][k];
            d[1][k] = p[c][k] - p[3 + e][k];
        }
        double other = -0.5 * flat_gradients(d[0], d[1], part->near[e]);
        part->share[e] = part->area / (part->area + other);
    }
    for (int e = 0; e < 3; e++)
        add_edge(part, p, e);
    for (int h = 0; h < COND_SHELL_HINGES; h++) {
        const unsigned char* k = cond_shell_hinge[h];
        int counts = 0;
        for (int m = 0; m < 3; m++)
            counts |= part->curve[COND_SHELL_HINGES * m + h] != 0.0;
        if (part->hinges >> h & 1 && counts)
            part->angle[h] = cond_shell_angle(x[k[0]], x[k[1]], x[k[2]], x[k[3]], gradient, NULL);
        else if (h >= 3)
            corner[k[3]] = corner[(h - 3) / 2];
        if (!counts)
            part->hinges &= ~(1 << h);
    }
    fem->volume[i] = fem->thickness * part->area;
    cond_shell_stiffen(fem, i);
    return COND_OK;
}

void cond_shell_plate(const CondFem* fem, int i, double D[9])
{
    const CondShellPart* part = &fem->shell[i];
    const double* d = fem->shell_moduli[fem->material_of_element[i]].bend;
    const double full[9] = {d[0], d[1], d[2], d[1], d[3], d[4], d[2], d[4], d[5]};
    memcpy(D, full, sizeof full);
    for (int e = 0; e < 3; e++) { // no moment across a border
        const double* b = part->border[e];
        double Db[3], pivot = 0.0;
        for (int r = 0; r < 3; r++) {
            Db[r] = D[3 * r] * b[0] + D[3 * r + 1] * b[1] + D[3 * r + 2] * b[2];
            pivot += b[r] * Db[r];
        }
        for (int k = 0; k < 9 && pivot > 0.0; k++)
            D[k] -= Db[k / 3] * Db[k % 3] / pivot;
    }
}

void cond_shell_stiffen(CondFem* fem, int i)
{
    CondShellPart* part = &fem->shell[i];
    double D[9], *bend = part->bend;
    cond_shell_plate(fem, i, D);
    for (int a = 0; a < COND_SHELL_HINGES; a++)
        for (int b = a; b < COND_SHELL_HINGES; b++, bend++) {
            *bend = 0.0;
            for (int k = 0; k < 9; k++)
                *bend += part->area * D[k] * part->curve[COND_SHELL_HINGES * (k / 3) + a] *
                         part->curve[COND_SHELL_HINGES * (k % 3) + b];
        }
}
