// Shape functions of linear and quadratic tetrahedra, and one element at a deformation.
//
// With barycentric coordinates L_i, a quadratic tetrahedron has
//   N_i = L_i (2 L_i - 1) at its corners,   N_ij = 4 L_i L_j at the middles of its edges,
// and x = sum N_a x_a at rest too, so that edges may be curved. Four points at L = (a, b, b, b) and
// its permutations, each with a quarter of the volume, integrate polynomials of degree two exactly.
//
// A nearly incompressible material asks for no change of volume at four points of every element,
// which is about as much as the element has freedoms: it locks. Asked on average alone (mean
// dilatation), an element that is bent is too soft by up to an eighth. So lambda is parted: up to
// that of Poisson's ratio 1/3 it acts at the points, what is above on the mean of theta,
//   U = sum_p V_p lambda_point/2 theta_p^2 + V (lambda - lambda_point)/2 (sum_p V_p theta_p/V)^2.
#include "model/fem_element.h"
#include "base/tuning.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/vec3.h"
#include "model/shell.h"
#include "model/tuning.h"

const int cond_fem_edge[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

// The tetrahedra of a quadratic element but for the octahedron in its middle.
static const int CORNER_TET[4][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}};
// The octahedron around each of its diagonals: the ends, and the other four in a ring.
static const int DIAGONAL[3][2] = {{4, 9}, {5, 7}, {6, 8}};
static const int RING[3][4] = {{5, 6, 7, 8}, {4, 6, 9, 8}, {4, 5, 9, 7}};

void cond_fem_mass_shares(CondFemElementKind kind, double* share)
{
    if (kind == COND_FEM_LINEAR)
        for (int a = 0; a < 4; a++)
            share[a] = 0.25;
    else if (kind == COND_FEM_SMOOTHED) // half a domain to each end of its edge
        for (int a = 0; a < COND_STRAIN_NODES; a++)
            share[a] = a < 2 ? 0.5 : 0.0;
    else if (kind == COND_FEM_SHELL)
        for (int a = 0; a < COND_STRAIN_NODES; a++)
            share[a] = a < 3 ? 1.0 / 3.0 : 0.0;
    else
        for (int a = 0; a < 10; a++) // int N^2 is 6 V/420 of a corner, 32 V/420 of an edge
            share[a] = a < 4 ? 1.0 / 36.0 : 4.0 / 27.0;
}

CondFemModuli cond_fem_moduli(CondFemElementKind kind, const CondFemMaterial* material)
{
    const CondStrainOps* ops = cond_strain_ops(material->kind);
    CondFemModuli moduli = ops->moduli(material);
    moduli.lambda_point = moduli.lambda;
    if (kind == COND_FEM_QUADRATIC && material->poisson_ratio > COND_POINT_POISSON) {
        CondFemMaterial point = *material; // of the same shear modulus
        point.poisson_ratio = COND_POINT_POISSON;
        point.youngs_modulus *= (1.0 + COND_POINT_POISSON) / (1.0 + material->poisson_ratio);
        moduli.lambda_point = ops->moduli(&point).lambda;
    }
    return moduli;
}

static double volume6(const double* node, const int tet[4])
{
    double d[3][3], n[3];
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++)
            d[a][k] = node[3 * (size_t)tet[a + 1] + k] - node[3 * (size_t)tet[0] + k];
    vec3_cross(d[0], d[1], n);
    return vec3_dot(n, d[2]);
}

void cond_fem_cut_quadratic(const double* node, const int* element, int* tet)
{
    int best = 0;
    double shortest = INFINITY;
    for (int k = 0; k < 3; k++) {
        double square = 0.0;
        for (int i = 0; i < 3; i++) {
            double d = node[3 * (size_t)element[DIAGONAL[k][0]] + i] -
                       node[3 * (size_t)element[DIAGONAL[k][1]] + i];
            square += d * d;
        }
        if (square < shortest) {
            best = k;
            shortest = square;
        }
    }
    for (int t = 0; t < 4; t++)
        for (int a = 0; a < 4; a++)
            tet[4 * t + a] = element[CORNER_TET[t][a]];
    for (int t = 0; t < 4; t++) {
        int* out = tet + 16 + 4 * t;
        out[0] = element[DIAGONAL[best][0]];
        out[1] = element[DIAGONAL[best][1]];
        out[2] = element[RING[best][t]];
        out[3] = element[RING[best][(t + 1) % 4]];
        if (volume6(node, out) < 0.0) {
            int swap = out[2];
            out[2] = out[3];
            out[3] = swap;
        }
    }
}

// Derivatives of the shape functions by L_1, L_2, L_3, with L_0 = 1 - L_1 - L_2 - L_3, at L.
static void derive(CondFemElementKind kind, const double L[4], double d[][3])
{
    static const double of_L[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++) {
        for (int a = 0; a < 4; a++)
            d[a][k] = kind == COND_FEM_LINEAR ? of_L[a][k] : (4.0 * L[a] - 1.0) * of_L[a][k];
        for (int e = 0; e < 6 && kind == COND_FEM_QUADRATIC; e++) {
            int i = cond_fem_edge[e][0], j = cond_fem_edge[e][1];
            d[4 + e][k] = 4.0 * (L[i] * of_L[j][k] + L[j] * of_L[i][k]);
        }
    }
}

// Gradients of nodes 1 .. by the position at rest, at L; returns det dX/dL, six times the volume
// for a linear element. The rows of the inverse of [c1 c2 c3] are cross products of the columns
// over the determinant.
static double gradients_at(const CondFem* fem, int i, const double L[4], double* gradient)
{
    const int* corner = fem->element + (size_t)fem->n_corner * i;
    const double* x0 = fem->rest + 3 * (size_t)corner[0];
    double d[COND_STRAIN_NODES][3], c[3][3] = {{0.0}}, inverse[9];
    derive(fem->kind, L, d);
    for (int a = 1; a < fem->n_corner; a++)
        for (int m = 0; m < 3; m++)
            for (int k = 0; k < 3; k++)
                c[m][k] += d[a][m] * (fem->rest[3 * (size_t)corner[a] + k] - x0[k]);
    for (int a = 0; a < 3; a++)
        vec3_cross(c[(a + 1) % 3], c[(a + 2) % 3], inverse + 3 * a);
    double det = vec3_dot(c[0], inverse);
    for (int a = 1; a < fem->n_corner; a++)
        for (int k = 0; k < 3; k++)
            gradient[3 * (a - 1) + k] =
                (d[a][0] * inverse[k] + d[a][1] * inverse[3 + k] + d[a][2] * inverse[6 + k]) / det;
    return det;
}

static double longest_edge(const CondFem* fem, const int* corner)
{
    double longest2 = 0.0;
    for (int e = 0; e < 6; e++) {
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = fem->rest[3 * (size_t)corner[cond_fem_edge[e][1]] + k] -
                   fem->rest[3 * (size_t)corner[cond_fem_edge[e][0]] + k];
        longest2 = fmax(longest2, vec3_dot(d, d));
    }
    return sqrt(longest2);
}

// COND_BAD_ARGUMENT for a volume that is none.
static CondStatus check_volume(int tet, double volume, double longest, CondError* error)
{
    if (!(fabs(volume) > COND_INPUT_ROUNDING * longest * longest * longest))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "tetrahedron %d is flat: volume %g m3, longest edge %g m", tet,
                              volume, longest);
    if (volume < 0.0)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "tetrahedron %d is inverted: volume %g m3 (swap two corners)", tet,
                              volume);
    return COND_OK;
}

CondStatus cond_fem_measure_tet(const CondFem* fem, int tet, double* gradient, double* volume,
                                CondError* error)
{
    const int* corner = fem->tet + 4 * (size_t)tet;
    double d[3][3], rows[9];
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++)
            d[a][k] =
                fem->rest[3 * (size_t)corner[a + 1] + k] - fem->rest[3 * (size_t)corner[0] + k];
    for (int a = 0; a < 3; a++)
        vec3_cross(d[(a + 1) % 3], d[(a + 2) % 3], rows + 3 * a);
    double det = vec3_dot(d[0], rows);
    for (int k = 0; k < 9; k++)
        gradient[k] = rows[k] / det;
    *volume = det / 6.0;
    return check_volume(tet, *volume, longest_edge(fem, corner), error);
}

CondStatus cond_fem_measure_element(CondFem* fem, int i, double* volume, CondError* error)
{
    const double a = (5.0 + 3.0 * sqrt(5.0)) / 20.0, b = (5.0 - sqrt(5.0)) / 20.0;
    if (fem->kind == COND_FEM_SHELL || fem->kind == COND_FEM_SMOOTHED) {
        CondStatus status =
            fem->kind == COND_FEM_SHELL ? cond_shell_measure(fem, i, error) : COND_OK;
        *volume = fem->volume[i];
        return status;
    }
    double longest = longest_edge(fem, fem->element + (size_t)fem->n_corner * i);
    *volume = 0.0;
    for (int k = 0; k < fem->n_point; k++) {
        double L[4] = {b, b, b, b};
        L[k] = a;
        size_t at = (size_t)fem->n_point * i + k;
        double* g = fem->gradient + 3 * (size_t)(fem->n_corner - 1) * at;
        double whole = gradients_at(fem, i, L, g) / 6.0; // of an element as here
        CondStatus status = check_volume(i, whole, longest, error);
        if (status < 0)
            return status;
        fem->volume[at] = whole / fem->n_point;
        *volume += fem->volume[at];
    }
    return COND_OK;
}

void cond_fem_add_dilatation(const CondFem* fem, int i, const double* slope, double volume,
                             double scale, double* S)
{
    double h[COND_STRAIN_NODES][3] = {{0.0}}, hp[COND_STRAIN_NODES][3];
    int n = fem->n_corner;
    for (int p = 0; p < fem->n_point; p++) {
        double share = fem->volume[(size_t)fem->n_point * i + p] / volume;
        cond_strain_gradients(n, cond_fem_gradient(fem, i, p), slope + 9 * p, hp);
        for (int a = 0; a < n; a++)
            for (int c = 0; c < 3; c++)
                h[a][c] += share * hp[a][c];
    }
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++, S += 9)
            for (int c = 0; c < 9; c++)
                S[c] += scale * (h[a][c / 3] * h[b][c % 3]);
}

void cond_fem_evaluate_element(const CondFem* fem, int i, const double* x,
                               CondFemGeometric geometric, double k, double g, double* energy,
                               double* f, double* S)
{
    if (fem->kind == COND_FEM_SHELL) {
        cond_shell_evaluate(fem, i, x, geometric, k, g, energy, f, S);
        return;
    }
    int n = fem->n_corner, n_point = fem->n_point, material = fem->material_of_element[i];
    const int* corner = fem->element + (size_t)n * i;
    const double* volume = fem->volume + (size_t)n_point * i;
    const CondStrainOps* ops = cond_strain_ops(fem->material[material].kind);
    const CondFemModuli* moduli = fem->moduli + material;
    double whole = 0.0, theta = 0.0, lambda = moduli->lambda_point,
           shared = moduli->lambda - lambda;
    double free = ops->theta_free(moduli), rest = ops->theta_rest, slope[9 * COND_FEM_POINTS];
    double of_point[COND_STRAIN_MOST];
    CondStrainPoint point[COND_FEM_POINTS];
    size_t size = (size_t)cond_strain_block(n, n, n) * sizeof *S;
    for (int p = 0; p < n_point; p++) {
        cond_strain_deformation(n, corner, cond_fem_gradient(fem, i, p), x, point[p].F);
        ops->measure(&point[p]);
        whole += volume[p];
        theta += volume[p] * point[p].theta;
    }
    theta /= whole;
    *energy = shared > 0.0 ? whole * cond_fem_volume_energy(shared, theta, rest, free) : 0.0;
    memset(f, 0, 3 * (size_t)n * sizeof *f);
    if (S)
        memset(S, 0, size);
    for (int p = 0; p < n_point; p++) {
        const double *gradient = cond_fem_gradient(fem, i, p), own = point[p].theta;
        point[p].pressure = lambda * (own - free);
        if (shared > 0.0)
            point[p].pressure += shared * (theta - free);
        ops->evaluate(moduli, &point[p]);
        *energy += volume[p] * (point[p].energy + cond_fem_volume_energy(lambda, own, rest, free));
        cond_strain_add_forces(n, gradient, volume[p], point[p].P, f);
        memcpy(slope + 9 * p, point[p].slope, sizeof point[p].slope);
        if (!S)
            continue;
        double* out = n_point > 1 ? memset(of_point, 0, size) : S;
        ops->stiffen(moduli, &point[p], volume[p], n, gradient, lambda, geometric, k, g, out);
        for (size_t c = 0; c < size / sizeof *S && n_point > 1; c++)
            S[c] += of_point[c];
    }
    if (S && shared > 0.0)
        cond_fem_add_dilatation(fem, i, slope, whole, k * whole * shared, S);
}

// The centres of the eight tetrahedra of a quadratic element are means of its nodes, which lie at
// the corners or in the middle between two.
static void centre_of(const CondFem* fem, int i_tet, double L[4])
{
    const int* corner = fem->element + 10 * (size_t)(i_tet / 8);
    memset(L, 0, 4 * sizeof *L);
    for (int k = 0; k < 4; k++) {
        int a = 0;
        while (corner[a] != fem->tet[4 * (size_t)i_tet + k])
            a++;
        L[a < 4 ? a : cond_fem_edge[a - 4][0]] += 0.125;
        L[a < 4 ? a : cond_fem_edge[a - 4][1]] += 0.125;
    }
}

void cond_fem_deformation(const CondFem* fem, int i_tet, const double* x, double F[9])
{
    double L[4], gradient[3 * (COND_STRAIN_NODES - 1)];
    int i = i_tet / cond_fem_tets(fem->kind);
    const int* corner = fem->element + (size_t)fem->n_corner * i;
    if (fem->kind == COND_FEM_SMOOTHED) {
        double volume;
        cond_fem_measure_tet(fem, i_tet, gradient, &volume, NULL);
        cond_strain_deformation(4, fem->tet + 4 * (size_t)i_tet, gradient, x, F);
        return;
    }
    if (fem->kind == COND_FEM_LINEAR) {
        cond_strain_deformation(4, corner, cond_fem_gradient(fem, i, 0), x, F);
        return;
    }
    centre_of(fem, i_tet, L);
    gradients_at(fem, i, L, gradient);
    cond_strain_deformation(fem->n_corner, corner, gradient, x, F);
}
