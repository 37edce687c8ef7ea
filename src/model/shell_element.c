// One triangle of a shell and its neighbours at a deformation.
//
// Membrane. A triangle has the Green strain E = (F'F - I)/2 in its plane, F (3 x 2). Along every
// edge the strain is the mean of those of the two triangles by area (edge-based smoothing), with
// the neighbour unfolded into the plane at rest, so that a fold changes nothing; a third of the
// triangle's area has the strain of each edge.
//
// Bending. 1/2 dtheta' H dtheta of the angles at the edges (shell.c).
#include "base/tuning.h"
#include "model/shell.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "model/strain.h"

static const int HALF[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

// Two triangles at an edge; see cond_shell_angle.
typedef struct Hinge {
    double edge[3], length; // from b to c
    double normal[2][3];    // area vectors of (a, b, c) and (o, c, b), twice
    double foot[2];         // of a and o along the edge, 0 at b and 1 at c
    double slope[2][3];     // unit normals over heights: the gradients by a and o
    double square[2];       // of the area vectors
} Hinge;

static void measure_hinge(const double* a, const double* b, const double* c, const double* o,
                          Hinge* h)
{
    double u[2][3];
    for (int i = 0; i < 3; i++) {
        h->edge[i] = c[i] - b[i];
        u[0][i] = a[i] - b[i];
        u[1][i] = o[i] - b[i];
    }
    double square = vec3_dot(h->edge, h->edge);
    h->length = sqrt(square);
    vec3_cross(h->edge, u[0], h->normal[0]);
    vec3_cross(u[1], h->edge, h->normal[1]);
    for (int s = 0; s < 2; s++) {
        h->foot[s] = vec3_dot(u[s], h->edge) / square;
        h->square[s] = vec3_dot(h->normal[s], h->normal[s]);
        for (int i = 0; i < 3; i++)
            h->slope[s][i] = h->square[s] > 0.0 ? h->length * h->normal[s][i] / h->square[s] : 0.0;
    }
}

// The change of the gradient along d (a, b, c, o).
static void bend_gradient(const Hinge* h, double u[2][3], double d[4][3], double out[12])
{
    double de[3], slope[2][3], foot[2], square = h->length * h->length;
    for (int i = 0; i < 3; i++)
        de[i] = d[2][i] - d[1][i];
    double stretch = vec3_dot(h->edge, de);
    for (int s = 0; s < 2; s++) {
        double du[3], dn[3], more[3];
        for (int i = 0; i < 3; i++)
            du[i] = d[s ? 3 : 0][i] - d[1][i];
        vec3_cross(s ? u[1] : de, s ? de : u[0], dn);
        vec3_cross(s ? du : h->edge, s ? h->edge : du, more);
        for (int i = 0; i < 3; i++)
            dn[i] += more[i];
        double turn = 2.0 * vec3_dot(h->normal[s], dn) / h->square[s];
        for (int i = 0; i < 3; i++)
            slope[s][i] =
                h->slope[s][i] * (stretch / square - turn) + h->length * dn[i] / h->square[s];
        foot[s] = (vec3_dot(du, h->edge) + vec3_dot(u[s], de)) / square -
                  2.0 * h->foot[s] * stretch / square;
    }
    for (int i = 0; i < 3; i++) {
        double along = 0.0, back = 0.0;
        for (int s = 0; s < 2; s++) {
            along += h->foot[s] * slope[s][i] + foot[s] * h->slope[s][i];
            back += (1.0 - h->foot[s]) * slope[s][i] - foot[s] * h->slope[s][i];
        }
        out[i] = slope[0][i];
        out[3 + i] = -back;
        out[6 + i] = -along;
        out[9 + i] = slope[1][i];
    }
}

double cond_shell_angle(const double a[3], const double b[3], const double c[3], const double o[3],
                        double gradient[12], double* curvature)
{
    Hinge h;
    double across[3];
    measure_hinge(a, b, c, o, &h);
    for (int i = 0; i < 3; i++) {
        gradient[i] = h.slope[0][i];
        gradient[3 + i] = -(1.0 - h.foot[0]) * h.slope[0][i] - (1.0 - h.foot[1]) * h.slope[1][i];
        gradient[6 + i] = -h.foot[0] * h.slope[0][i] - h.foot[1] * h.slope[1][i];
        gradient[9 + i] = h.slope[1][i];
    }
    double u[2][3];
    for (int i = 0; i < 3; i++) {
        u[0][i] = a[i] - b[i];
        u[1][i] = o[i] - b[i];
    }
    for (int k = 0; k < 12 && curvature; k++) {
        double d[4][3] = {{0.0}}, column[12];
        d[k / 3][k % 3] = 1.0;
        bend_gradient(&h, u, d, column);
        for (int i = 0; i < 12; i++)
            curvature[12 * i + k] = column[i];
    }
    vec3_cross(h.normal[0], h.normal[1], across);
    return atan2(-vec3_dot(across, h.edge) / h.length, vec3_dot(h.normal[0], h.normal[1]));
}

// ---- membrane

// Triangle 0 and its neighbours 1 .. 3: two tangents and their gradients.
typedef struct Sheet {
    int node[3];    // of the element; the last two have the gradients
    double g[3][2]; // of the three
    double f[2][3]; // columns of F
    double E[3];    // 11, 22, 2 12
} Sheet;

static void measure_sheet(const double* x[COND_SHELL_NODES], const double gradient[4], int n0,
                          int n1, int n2, Sheet* s)
{
    s->node[0] = n0;
    s->node[1] = n1;
    s->node[2] = n2;
    for (int k = 0; k < 2; k++) {
        s->g[1][k] = gradient[k];
        s->g[2][k] = gradient[2 + k];
        s->g[0][k] = -gradient[k] - gradient[2 + k];
        for (int i = 0; i < 3; i++)
            s->f[k][i] =
                (x[n1][i] - x[n0][i]) * gradient[k] + (x[n2][i] - x[n0][i]) * gradient[2 + k];
    }
    s->E[0] = 0.5 * (vec3_dot(s->f[0], s->f[0]) - 1.0);
    s->E[1] = 0.5 * (vec3_dot(s->f[1], s->f[1]) - 1.0);
    s->E[2] = vec3_dot(s->f[0], s->f[1]);
}

// mu/2 (tr C - 2 - log det C) + lambda/8 (log det C)^2 in N/m, C = I + 2 E.
static double stretch_neohookean(const CondShellModuli* m, const double E[3], int exact,
                                 double s[3], double D[6])
{
    double c0 = 1.0 + 2.0 * E[0], c1 = 1.0 + 2.0 * E[1], c2 = E[2];
    double det = fmax(c0 * c1 - c2 * c2, COND_ROUNDING), log_det = log(det);
    const double C[3] = {c1 / det, c0 / det, -c2 / det}; // inverse: 11, 22, 12
    double a = 2.0 * m->mu - m->lambda * log_det;
    const double one[3] = {1.0, 1.0, 0.0};
    for (int i = 0; i < 3; i++)
        s[i] = m->mu * (one[i] - C[i]) + 0.5 * m->lambda * log_det * C[i];
    if (!exact)
        a = fmax(a, 0.0);
    D[0] = (a + m->lambda) * C[0] * C[0];
    D[1] = a * C[2] * C[2] + m->lambda * C[0] * C[1];
    D[2] = (a + m->lambda) * C[0] * C[2];
    D[3] = (a + m->lambda) * C[1] * C[1];
    D[4] = (a + m->lambda) * C[1] * C[2];
    D[5] = 0.5 * a * (C[0] * C[1] + C[2] * C[2]) + m->lambda * C[2] * C[2];
    return 0.5 * m->mu * (2.0 * (E[0] + E[1]) - log_det) + 0.125 * m->lambda * log_det * log_det;
}

// Beyond the limit of the strain along warp or weft: beyond/2 (E - limit)^2.
static double add_limit(const CondShellModuli* m, const double E[3], double s[3], double D[6])
{
    double energy = 0.0;
    for (int i = 0; i < 2; i++) {
        double over = E[i] - m->limit;
        if (!(over > 0.0))
            continue;
        energy += 0.5 * m->beyond * over * over;
        s[i] += m->beyond * over;
        D[HALF[i][i]] += m->beyond;
    }
    return energy;
}

// Energy per area [N/m], its derivative by the strain and the second one.
static double stretch(const CondFem* fem, int material, const double E[3], int exact, double s[3],
                      double D[6])
{
    const CondShellModuli* m = &fem->shell_moduli[material];
    if (fem->material[material].kind == COND_FEM_NEOHOOKEAN) {
        double elastic = stretch_neohookean(m, E, exact, s, D);
        return elastic + add_limit(m, E, s, D);
    }
    double energy = 0.0;
    memcpy(D, m->stretch, 6 * sizeof *D);
    for (int i = 0; i < 3; i++) {
        s[i] = D[HALF[i][0]] * E[0] + D[HALF[i][1]] * E[1] + D[HALF[i][2]] * E[2];
        energy += 0.5 * s[i] * E[i];
    }
    return energy + add_limit(m, E, s, D);
}

// S(a, b) += block, of nodes of the element in any order.
static void add_block(int a, int b, const double B[9], double* S)
{
    if (a > b)
        return; // its transpose is added as (b, a)
    double* to = S + cond_strain_block(COND_SHELL_NODES, a, b);
    for (int k = 0; k < 9; k++)
        to[k] += B[k];
}

// Forces of a triangle with the stress s, and its geometric stiffness g S.
static void add_stress(const Sheet* sheet, const double s[3], double* f)
{
    for (int a = 0; a < 3; a++) {
        double c0 = s[0] * sheet->g[a][0] + s[2] * sheet->g[a][1];
        double c1 = s[1] * sheet->g[a][1] + s[2] * sheet->g[a][0];
        for (int i = 0; i < 3; i++)
            f[3 * sheet->node[a] + i] -= c0 * sheet->f[0][i] + c1 * sheet->f[1][i];
    }
}

static void add_geometric(const Sheet* sheet, const double s[3], double g, int exact, double* S)
{
    double t[3] = {s[0], s[1], s[2]};
    if (!exact) { // its tension alone
        double middle = 0.5 * (s[0] + s[1]), half = 0.5 * (s[0] - s[1]), r = hypot(half, s[2]);
        double high = fmax(middle + r, 0.0), low = fmax(middle - r, 0.0);
        double mean = 0.5 * (high + low), part = r > 0.0 ? 0.5 * (high - low) / r : 0.0;
        t[0] = mean + part * half;
        t[1] = mean - part * half;
        t[2] = part * s[2];
    }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            const double *p = sheet->g[a], *q = sheet->g[b];
            double scale =
                g * (t[0] * p[0] * q[0] + t[1] * p[1] * q[1] + t[2] * (p[0] * q[1] + p[1] * q[0]));
            const double B[9] = {scale, 0, 0, 0, scale, 0, 0, 0, scale};
            add_block(sheet->node[a], sheet->node[b], B, S);
        }
}

// B' D B of the strain of edge e, which is `share` own and the rest the neighbour's.
static void add_material(const Sheet* sheet, int e, double share, const double D[6], double k,
                         double* S)
{
    double B[4][3][3] = {{{0.0}}}; // of nodes 0, 1, 2 and 3 + e: row of the strain, coordinate
    for (int t = 0; t < 2; t++) {
        const Sheet* s = &sheet[t ? 1 + e : 0];
        double weight = t ? 1.0 - share : share;
        if (weight == 0.0)
            continue;
        for (int a = 0; a < 3; a++) {
            double(*row)[3] = B[s->node[a] < 3 ? s->node[a] : 3];
            for (int i = 0; i < 3; i++) {
                row[0][i] += weight * s->g[a][0] * s->f[0][i];
                row[1][i] += weight * s->g[a][1] * s->f[1][i];
                row[2][i] += weight * (s->g[a][0] * s->f[1][i] + s->g[a][1] * s->f[0][i]);
            }
        }
    }
    for (int b = 0; b < 4; b++) {
        double DB[3][3];
        for (int r = 0; r < 3; r++)
            for (int i = 0; i < 3; i++)
                DB[r][i] = k * (D[HALF[r][0]] * B[b][0][i] + D[HALF[r][1]] * B[b][1][i] +
                                D[HALF[r][2]] * B[b][2][i]);
        for (int a = 0; a <= b; a++) {
            double block[9];
            for (int i = 0; i < 9; i++)
                block[i] = B[a][0][i / 3] * DB[0][i % 3] + B[a][1][i / 3] * DB[1][i % 3] +
                           B[a][2][i / 3] * DB[2][i % 3];
            add_block(a < 3 ? a : 3 + e, b < 3 ? b : 3 + e, block, S);
        }
    }
}

static double add_membrane(const CondFem* fem, int i, const double* x[COND_SHELL_NODES],
                           int geometric, double k, double g, double* f, double* S)
{
    const CondShellPart* part = &fem->shell[i];
    int material = fem->material_of_element[i], exact = geometric == COND_FEM_GEOMETRIC_EXACT;
    double stress[4][3] = {{0.0}}, energy = 0.0, third = part->area / 3.0;
    Sheet sheet[4];
    measure_sheet(x, part->own, 0, 1, 2, &sheet[0]);
    for (int e = 0; e < 3; e++) {
        double w = part->share[e], E[3], s[3], D[6];
        if (w < 1.0)
            measure_sheet(x, part->near[e], 3 + e, (e + 1) % 3, (e + 2) % 3, &sheet[1 + e]);
        for (int c = 0; c < 3; c++)
            E[c] = w < 1.0 ? w * sheet[0].E[c] + (1.0 - w) * sheet[1 + e].E[c] : sheet[0].E[c];
        energy += third * stretch(fem, material, E, exact, s, D);
        for (int c = 0; c < 3; c++) {
            stress[0][c] += third * w * s[c];
            stress[1 + e][c] = third * (1.0 - w) * s[c];
        }
        if (S)
            add_material(sheet, e, w, D, third * k, S);
    }
    for (int t = 0; t < 4; t++) {
        if (t > 0 && !(part->share[t - 1] < 1.0))
            continue;
        add_stress(&sheet[t], stress[t], f);
        if (S && geometric != COND_FEM_GEOMETRIC_NONE && geometric != COND_FEM_GEOMETRIC_CONSTANT)
            add_geometric(&sheet[t], stress[t], g, exact, S);
    }
    return energy;
}

// ---- bending

// Changes of the angles, and their gradients unless NULL.
static void measure_angles(const CondShellPart* part, const double* x[COND_SHELL_NODES],
                           double theta[COND_SHELL_HINGES], double gradient[][12])
{
    double own[12];
    for (int h = 0; h < COND_SHELL_HINGES; h++) {
        const unsigned char* k = cond_shell_hinge[h];
        theta[h] = 0.0;
        if (part->hinges >> h & 1)
            theta[h] = cond_shell_angle(x[k[0]], x[k[1]], x[k[2]], x[k[3]],
                                        gradient ? gradient[h] : own, NULL) -
                       part->angle[h];
    }
}

// S += scale u v' of the gradients of two hinges, and its transpose where they differ.
static void add_product(int p, int q, double scale, const double* u, const double* v, double* S)
{
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            double B[9];
            int i = cond_shell_hinge[p][a], j = cond_shell_hinge[q][b];
            if (i <= j) {
                for (int c = 0; c < 9; c++)
                    B[c] = scale * u[3 * a + c / 3] * v[3 * b + c % 3];
                add_block(i, j, B, S);
            }
            if (p != q && j <= i) {
                for (int c = 0; c < 9; c++)
                    B[c] = scale * v[3 * b + c / 3] * u[3 * a + c % 3];
                add_block(j, i, B, S);
            }
        }
}

// The moments of plastic curvatures kp are taken off; returns what the energy
//   area/2 ((kappa - kp)' D (kappa - kp) + harden kp' D kp),  kappa = C theta
// is more than that of all moments by half the angles.
static double subtract_plastic(const CondFem* fem, int i, const double kp[3],
                               const double theta[COND_SHELL_HINGES],
                               double moment[COND_SHELL_HINGES])
{
    const CondShellPart* part = &fem->shell[i];
    double D[9], M[3], energy = 0.0;
    cond_shell_plate(fem, i, D);
    for (int c = 0; c < 3; c++) {
        M[c] = part->area * vec3_dot(D + 3 * c, kp);
        energy +=
            0.5 * (1.0 + fem->shell_moduli[fem->material_of_element[i]].harden) * M[c] * kp[c];
    }
    for (int h = 0; h < COND_SHELL_HINGES; h++) {
        double m = 0.0;
        for (int c = 0; c < 3; c++)
            m += part->curve[COND_SHELL_HINGES * c + h] * M[c];
        moment[h] -= m;
        energy -= 0.5 * m * theta[h];
    }
    return energy;
}

static double add_bending(const CondFem* fem, int i, const double* at[COND_SHELL_NODES],
                          const double* x, int exact, double k, double g, double* f, double* S)
{
    const CondShellPart* part = &fem->shell[i];
    double gradient[COND_SHELL_HINGES][12], theta[COND_SHELL_HINGES], energy = 0.0;
    double moment[COND_SHELL_HINGES] = {0.0}, curvature[144];
    const double *H = part->bend, *plastic = cond_shell_plastic(fem, i, x);
    measure_angles(part, at, theta, gradient);
    for (int p = 0; p < COND_SHELL_HINGES; p++)
        for (int q = p; q < COND_SHELL_HINGES; q++, H++) {
            if (!(part->hinges >> p & part->hinges >> q & 1))
                continue;
            moment[p] += *H * theta[q];
            if (q > p)
                moment[q] += *H * theta[p];
            if (S)
                add_product(p, q, k * *H, gradient[p], gradient[q], S);
        }
    if (plastic)
        energy += subtract_plastic(fem, i, plastic, theta, moment);
    for (int h = 0; h < COND_SHELL_HINGES; h++) {
        const unsigned char* node = cond_shell_hinge[h];
        if (!(part->hinges >> h & 1))
            continue;
        energy += 0.5 * moment[h] * theta[h];
        for (int c = 0; c < 12; c++)
            f[3 * node[c / 3] + c % 3] -= moment[h] * gradient[h][c];
        if (!S || !exact)
            continue;
        cond_shell_angle(at[node[0]], at[node[1]], at[node[2]], at[node[3]], gradient[h],
                         curvature);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) {
                double B[9];
                for (int c = 0; c < 9; c++)
                    B[c] = g * moment[h] * curvature[12 * (3 * a + c / 3) + 3 * b + c % 3];
                add_block(node[a], node[b], B, S);
            }
    }
    return energy;
}

void cond_shell_evaluate(const CondFem* fem, int i, const double* x, CondFemGeometric geometric,
                         double k, double g, double* energy, double* f, double* S)
{
    const int* corner = fem->element + COND_SHELL_NODES * (size_t)i;
    const double* at[COND_SHELL_NODES];
    for (int a = 0; a < COND_SHELL_NODES; a++)
        at[a] = x + 3 * (size_t)corner[a];
    memset(f, 0, 3 * COND_SHELL_NODES * sizeof *f);
    for (int a = 0, used = cond_shell_corners(corner); a < COND_SHELL_NODES && S; a++)
        for (int b = a; b < COND_SHELL_NODES; b++)
            if (used >> a & used >> b & 1)
                memset(S + cond_strain_block(COND_SHELL_NODES, a, b), 0, 9 * sizeof *S);
    *energy = add_membrane(fem, i, at, (int)geometric, k, g, f, S);
    *energy += add_bending(fem, i, at, x, geometric == COND_FEM_GEOMETRIC_EXACT, k, g, f, S);
}

void cond_shell_angles(const CondFem* fem, int i, const double* x, double* theta)
{
    const int* corner = fem->element + COND_SHELL_NODES * (size_t)i;
    const double* at[COND_SHELL_NODES];
    for (int a = 0; a < COND_SHELL_NODES; a++)
        at[a] = x + 3 * (size_t)corner[a];
    measure_angles(&fem->shell[i], at, theta, NULL);
}

void cond_shell_resultants(const CondFem* fem, int i, const double* x, double force[3],
                           double moment[3])
{
    const CondShellPart* part = &fem->shell[i];
    const int* corner = fem->element + COND_SHELL_NODES * (size_t)i;
    const CondShellModuli* m = &fem->shell_moduli[fem->material_of_element[i]];
    const double* at[COND_SHELL_NODES];
    const double* plastic = cond_shell_plastic(fem, i, x);
    double D[6], theta[COND_SHELL_HINGES], kappa[3] = {0.0};
    Sheet own;
    for (int a = 0; a < COND_SHELL_NODES; a++)
        at[a] = x + 3 * (size_t)corner[a];
    measure_sheet(at, part->own, 0, 1, 2, &own);
    stretch(fem, fem->material_of_element[i], own.E, 0, force, D);
    measure_angles(part, at, theta, NULL);
    for (int k = 0; k < 3 * COND_SHELL_HINGES; k++)
        kappa[k / COND_SHELL_HINGES] += part->curve[k] * theta[k % COND_SHELL_HINGES];
    for (int c = 0; c < 3 && plastic; c++)
        kappa[c] -= plastic[c];
    for (int c = 0; c < 3; c++)
        moment[c] = m->bend[HALF[c][0]] * kappa[0] + m->bend[HALF[c][1]] * kappa[1] +
                    m->bend[HALF[c][2]] * kappa[2];
}

// Of a surface, sign +1 for the first: s = N/h - sign 6 M/h^2 in the axes of the triangle, 11, 22
// and 12. Positive curvature bends towards the first side, which it compresses.
static void surface_stress(double h, double sign, const double force[3], const double moment[3],
                           double s[3])
{
    for (int k = 0; k < 3; k++)
        s[k] = force[k] / h - sign * 6.0 * moment[k] / (h * h);
}

static double mises(const double s[3])
{
    return sqrt(s[0] * s[0] - s[0] * s[1] + s[1] * s[1] + 3.0 * s[2] * s[2]);
}

// s_ab f_a f_b' with the columns f of F, which carry the axes along.
static void turn_stress(const Sheet* sheet, const double s[3], double out[6])
{
    static const int index[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    const double *f = sheet->f[0], *g = sheet->f[1];
    for (int k = 0; k < 6; k++) {
        int i = index[k][0], j = index[k][1];
        out[k] = s[0] * f[i] * f[j] + s[1] * g[i] * g[j] + s[2] * (f[i] * g[j] + g[i] * f[j]);
    }
}

void cond_shell_stress(const CondFem* fem, const double* x, double* stress, double* von_mises)
{
    for (int i = 0; i < fem->n_element; i++) {
        const int* corner = fem->element + COND_SHELL_NODES * (size_t)i;
        const double* at[COND_SHELL_NODES];
        double force[3], moment[3], s[3];
        Sheet own;
        for (int a = 0; a < COND_SHELL_NODES; a++)
            at[a] = x + 3 * (size_t)corner[a];
        measure_sheet(at, fem->shell[i].own, 0, 1, 2, &own);
        cond_shell_resultants(fem, i, x, force, moment);
        for (int side = 0; side < 2; side++) {
            size_t k = (size_t)i + (size_t)side * (size_t)fem->n_element;
            surface_stress(fem->thickness, side ? -1.0 : 1.0, force, moment, s);
            if (stress)
                turn_stress(&own, s, stress + 6 * k);
            if (von_mises)
                von_mises[k] = mises(s);
        }
    }
}

void cond_shell_von_mises(const CondFem* fem, const double* x, double* von_mises)
{
    for (int i = 0; i < fem->n_element; i++) {
        double force[3], moment[3], s[3];
        cond_shell_resultants(fem, i, x, force, moment);
        von_mises[i] = 0.0;
        for (int side = -1; side <= 1; side += 2) {
            surface_stress(fem->thickness, side, force, moment, s);
            von_mises[i] = fmax(von_mises[i], mises(s));
        }
    }
}
