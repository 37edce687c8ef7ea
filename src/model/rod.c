// Strains, energy, forces and stiffness of elastic rods (rod.h). Reads and writes its arguments
// alone.
#include "model/rod.h"

#include "base/memory.h"
#include "math/quat.h"
#include "math/so3.h"
#include "model/tuning.h"

#include <string.h>

// Second moments of the section about its two axes, area and torsion constant.
typedef struct Moments {
    double area, I1, I2, J;
} Moments;

// Of a rectangle with sides a >= b the torsion constant is a b^3 times a series in b/a, here its
// usual short form, right to half a percent.
static Moments moments_of(const CondRodSection* section)
{
    static const double pi = 3.14159265358979323846;
    double w = section->size[0], h = section->size[1];
    if (section->round) {
        double I = 0.25 * pi * w * w * w * w;
        return (Moments){pi * w * w, I, I, 2.0 * I};
    }
    double a = w > h ? w : h, b = w > h ? h : w, ratio = b / a;
    double J = a * b * b * b *
               (1.0 / 3.0 - COND_TORSION * ratio * (1.0 - ratio * ratio * ratio * ratio / 12.0));
    return (Moments){w * h, w * h * h * h / 12.0, h * w * w * w / 12.0, J};
}

void cond_rod_set_material(CondRod* rod, const CondRodMaterial* material)
{
    Moments m = moments_of(&rod->section);
    double E = material->youngs_modulus, G = 0.5 * E / (1.0 + material->poisson_ratio);
    double shear = rod->section.shear_factor * G * m.area;
    double stiffness[6] = {shear, shear, E * m.area, E * m.I1, E * m.I2, G * m.J};
    memcpy(rod->stiffness, stiffness, sizeof stiffness);
    rod->material = *material;
    rod->mass_damping = material->mass_damping;
    rod->stiffness_damping = material->stiffness_damping;
    for (int i = 0; i < rod->n_link; i++) {
        double l = rod->length[i], mass = material->density * m.area * l;
        rod->mass[i] = mass;
        rod->inertia[3 * i] = mass * (m.I1 / m.area + l * l / 12.0);
        rod->inertia[3 * i + 1] = mass * (m.I2 / m.area + l * l / 12.0);
        rod->inertia[3 * i + 2] = mass * (m.I1 + m.I2) / m.area;
    }
}

CondStatus cond_rod_create(const CondContext* context, int n_link, const double* length,
                           const CondRodSection* section, const CondMaterialDef* material,
                           CondRod* rod)
{
    size_t n = (size_t)n_link;
    memset(rod, 0, sizeof *rod);
    cond_arena_begin(context, &rod->arena);
    rod->n_link = n_link;
    rod->section = *section;
    rod->round = section->round;
    rod->half[0] = section->round ? section->size[0] : 0.5 * section->size[0];
    rod->half[1] = section->round ? section->size[0] : 0.5 * section->size[1];
    rod->radius = rod->half[0] < rod->half[1] ? rod->half[0] : rod->half[1];
    rod->length = cond_arena_allocate(&rod->arena, n, sizeof(double));
    rod->arc = cond_arena_allocate(&rod->arena, n + 1, sizeof(double));
    rod->mass = cond_arena_allocate(&rod->arena, n, sizeof(double));
    rod->inertia = cond_arena_allocate(&rod->arena, 3 * n, sizeof(double));
    rod->rest = cond_arena_allocate(&rod->arena, 6 * n, sizeof(double));
    if (!rod->length || !rod->arc || !rod->mass || !rod->inertia || !rod->rest)
        return COND_OUT_OF_MEMORY;
    for (size_t i = 0; i < n; i++) {
        rod->length[i] = length[i];
        rod->arc[i + 1] = rod->arc[i] + length[i];
    }
    CondRodMaterial own = {material->youngs_modulus, material->poisson_ratio, material->density,
                           material->mass_damping, material->stiffness_damping};
    cond_rod_set_material(rod, &own);
    return COND_OK;
}

void cond_rod_destroy(CondRod* rod)
{
    cond_arena_release(&rod->arena);
}

int cond_rod_n_joint(const CondRod* rod)
{
    return rod->closed ? rod->n_link : rod->n_link - 1;
}

double cond_rod_between(const CondRod* rod, int i, int j)
{
    int low = i < j ? i : j, high = i < j ? j : i;
    double way = rod->arc[high] - rod->arc[low + 1];
    double back = rod->arc[rod->n_link] - rod->arc[high + 1] + rod->arc[low];
    return rod->closed && back < way ? back : way;
}

// What a joint needs more than once.
typedef struct Joint {
    double theta[3]; //
    double Rm[9];    // the axes in the middle
    double H[9];     // exp(theta/2)
    double g[3];     // gap between the ends that meet, in the middle axes
    double r[2];     // half lengths of the links
} Joint;

// theta = log Q, or, where it is nearer to the rest shape, the other rotation vector of Q: the
// strain is then continuous until a joint is bent by half a turn away from its rest shape.
static void relative_turn(const double qi[4], const double qj[4], const double rest[3],
                          double theta[3])
{
    double inverse[4] = {qi[0], -qi[1], -qi[2], -qi[3]}, Q[4], other[3];
    quat_product(inverse, qj, Q);
    so3_log(Q, theta);
    double angle = vec3_norm(theta), nearer = 0.0, farther = 0.0;
    if (!(angle > 0.0))
        return;
    for (int k = 0; k < 3; k++) {
        other[k] = theta[k] * (1.0 - 2.0 * SO3_PI / angle);
        nearer += (theta[k] - rest[k]) * (theta[k] - rest[k]);
        farther += (other[k] - rest[k]) * (other[k] - rest[k]);
    }
    if (farther < nearer)
        memcpy(theta, other, sizeof other);
}

static void make_joint(const CondRod* rod, const double* q, int i, Joint* joint)
{
    int j = (i + 1) % rod->n_link;
    const double *qi = q + 7 * (size_t)i, *qj = q + 7 * (size_t)j;
    double half[3], h[4], m[4], Ri[9], Rj[9], d[3];
    joint->r[0] = 0.5 * rod->length[i];
    joint->r[1] = 0.5 * rod->length[j];
    relative_turn(qi + 3, qj + 3, rod->rest + 6 * (size_t)i + 3, joint->theta);
    for (int k = 0; k < 3; k++)
        half[k] = 0.5 * joint->theta[k];
    quat_exp(half, h);
    quat_matrix(h, joint->H);
    quat_product(qi + 3, h, m);
    quat_matrix(m, joint->Rm);
    quat_matrix(qi + 3, Ri);
    quat_matrix(qj + 3, Rj);
    for (int k = 0; k < 3; k++)
        d[k] = qj[k] - joint->r[1] * Rj[3 * k + 2] - qi[k] - joint->r[0] * Ri[3 * k + 2];
    mat3_multiply_transposed(joint->Rm, d, joint->g);
}

static void strain_of(const CondRod* rod, int i, const Joint* joint, double e[6])
{
    const double* rest = rod->rest + 6 * (size_t)i;
    for (int k = 0; k < 3; k++) {
        e[k] = joint->g[k] - rest[k];
        e[3 + k] = joint->theta[k] - rest[3 + k];
    }
}

void cond_rod_strain(const CondRod* rod, const double* q, int i, double e[6])
{
    Joint joint;
    make_joint(rod, q, i, &joint);
    strain_of(rod, i, &joint, e);
}

void cond_rod_set_rest(CondRod* rod, const double* q)
{
    memset(rod->rest, 0, 6 * (size_t)rod->n_link * sizeof *rod->rest);
    for (int i = 0; i < cond_rod_n_joint(rod); i++) {
        double e[6];
        cond_rod_strain(rod, q, i, e);
        memcpy(rod->rest + 6 * (size_t)i, e, sizeof e);
    }
}

// [r e3]x times a matrix from the left is cheap, but clear is better: C = A [r]x.
static void times_cross(const double A[9], const double r[3], double C[9])
{
    double S[9];
    mat3_cross(r, S);
    mat3_product(A, S, C);
}

static void transpose(const double A[9], double B[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            B[3 * i + j] = A[3 * j + i];
}

// With d the gap in world axes and w the angular velocities in link axes,
//     d' = v_j - v_i + R_j [r_j]x w_j + R_i [r_i]x w_i,
//     theta' = T w_j - T' w_i,            T = the inverse right Jacobian of SO(3) at theta,
//     w_m = H' w_i + Jr(theta/2) theta'/2,
//     g' = R_m' d' + [g]x w_m,            R_m' R_i = H',  R_m' R_j = H.
static void jacobian_of(const Joint* joint, double J[72])
{
    double T[9], Tt[9], Jr[9], G[9], P[9], Ht[9], A[9], B[9], C[9], half[3];
    double ri[3] = {0.0, 0.0, joint->r[0]}, rj[3] = {0.0, 0.0, joint->r[1]};
    so3_right_inverse(joint->theta, T);
    transpose(T, Tt);
    for (int k = 0; k < 3; k++)
        half[k] = 0.5 * joint->theta[k];
    so3_right(half, Jr);
    mat3_cross(joint->g, G);
    mat3_product(G, Jr, P); // [g]x Jr, halved below
    transpose(joint->H, Ht);
    memset(J, 0, 72 * sizeof *J);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            J[12 * i + j] = -joint->Rm[3 * j + i];
            J[12 * i + 6 + j] = joint->Rm[3 * j + i];
            J[12 * (3 + i) + 3 + j] = -Tt[3 * i + j];
            J[12 * (3 + i) + 9 + j] = T[3 * i + j];
        }
    times_cross(Ht, ri, A);
    mat3_product(G, Ht, B);
    mat3_product(P, Tt, C);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[12 * i + 3 + j] = A[3 * i + j] + B[3 * i + j] - 0.5 * C[3 * i + j];
    times_cross(joint->H, rj, A);
    mat3_product(P, T, C);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[12 * i + 9 + j] = A[3 * i + j] + 0.5 * C[3 * i + j];
}

void cond_rod_strain_jacobian(const CondRod* rod, const double* q, int i, double e[6], double* J)
{
    Joint joint;
    make_joint(rod, q, i, &joint);
    strain_of(rod, i, &joint, e);
    jacobian_of(&joint, J);
}

// K of a joint: the stiffnesses over the distance of the link centres.
void cond_rod_gains(const CondRod* rod, int i, double k[6])
{
    double L = 0.5 * (rod->length[i] + rod->length[(i + 1) % rod->n_link]);
    for (int r = 0; r < 6; r++)
        k[r] = rod->stiffness[r] / L;
}

void cond_rod_stress(const CondRod* rod, const double* q, int i, double s[6])
{
    double e[6], k[6];
    cond_rod_strain(rod, q, i, e);
    cond_rod_gains(rod, i, k);
    for (int r = 0; r < 6; r++)
        s[r] = k[r] * e[r];
}

void cond_rod_forces(const CondRod* rod, const double* q, double* f)
{
    memset(f, 0, 6 * (size_t)rod->n_link * sizeof *f);
    for (int i = 0; i + 1 < rod->n_link; i++) {
        double e[6], J[72], k[6];
        cond_rod_strain_jacobian(rod, q, i, e, J);
        cond_rod_gains(rod, i, k);
        for (int a = 0; a < 12; a++)
            for (int r = 0; r < 6; r++)
                f[6 * i + a] -= J[12 * r + a] * k[r] * e[r];
    }
}

double cond_rod_energy(const CondRod* rod, const double* q)
{
    double energy = 0.0;
    for (int i = 0; i < cond_rod_n_joint(rod); i++) {
        double e[6], k[6];
        cond_rod_strain(rod, q, i, e);
        cond_rod_gains(rod, i, k);
        for (int r = 0; r < 6; r++)
            energy += 0.5 * k[r] * e[r] * e[r];
    }
    return energy;
}

// Geometric stiffness of the force n between two links at an end r of one of them: when the link
// turns by w, the end moves by w x (w x r)/2 to second order, which costs w' G w / 2 with
//     G = (n.r) I - (n r' + r n')/2,
// n in link axes and such that a pull has n.r > 0. That is what makes a taut rod stiff against
// sideways motion; the terms of the moments are smaller by the strain of a joint.
//
// Across the plane of n and r its eigenvalue is T r, T the pull; in that plane, with the shear s,
// the eigenvalues are r (T +- sqrt(T^2 + s^2))/2.
static void add_geometric(CondRodGeometric kind, const double n[3], double r, double scale,
                          double* corner)
{
    double s = hypot(n[0], n[1]), T = n[2], high = 0.5 * (T + hypot(T, s));
    double u[2] = {s > 0.0 ? n[0] / s : 1.0, s > 0.0 ? n[1] / s : 0.0};
    if (kind == COND_ROD_GEOMETRIC_BOUND) {
        double column[3] = {fabs(T) + 0.5 * fabs(n[0]), fabs(T) + 0.5 * fabs(n[1]),
                            0.5 * (fabs(n[0]) + fabs(n[1]))};
        for (int j = 0; j < 3; j++)
            corner[(3 + j) * 18 + 3 + j] += scale * r * column[j];
        return;
    }
    double size = hypot(high, 0.5 * s), across = fmax(T, 0.0);
    if (!(size > 0.0))
        return;
    double v[3] = {high / size * u[0], high / size * u[1], -0.5 * s / size};
    double w[3] = {-u[1], u[0], 0.0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            corner[(3 + i) * 18 + 3 + j] += scale * r * (high * v[i] * v[j] + across * w[i] * w[j]);
}

// The diagonal 6x6 block of link i inside its rows of 18.
static double* corner_of(double* values, int i)
{
    return values + (size_t)i * 108 + 6;
}

static void add_joint(const CondRod* rod, const double* q, int i, double scale, double geometric,
                      CondRodGeometric kind, double* values, double* f)
{
    Joint joint;
    double e[6], J[72], k[6], s[6], n[3];
    make_joint(rod, q, i, &joint);
    strain_of(rod, i, &joint, e);
    jacobian_of(&joint, J);
    cond_rod_gains(rod, i, k);
    for (int r = 0; r < 6; r++)
        s[r] = k[r] * e[r];
    for (int a = 0; a < 12; a++) {
        double* row = values + (size_t)(6 * i + a) * 18 + (a < 6 ? 6 : 0);
        double left[6], force = 0.0;
        for (int r = 0; r < 6; r++) {
            left[r] = scale * J[12 * r + a] * k[r];
            force += J[12 * r + a] * s[r];
        }
        for (int b = 0; b < 12; b++)
            row[b] += left[0] * J[b] + left[1] * J[12 + b] + left[2] * J[24 + b] +
                      left[3] * J[36 + b] + left[4] * J[48 + b] + left[5] * J[60 + b];
        if (f)
            f[6 * i + a] -= force;
    }
    if (kind == COND_ROD_GEOMETRIC_NONE || geometric == 0.0)
        return;
    mat3_multiply(joint.H, s, n); // R_i' R_m = H
    add_geometric(kind, n, joint.r[0], geometric, corner_of(values, i));
    mat3_multiply_transposed(joint.H, s, n);
    add_geometric(kind, n, joint.r[1], geometric, corner_of(values, i + 1));
}

void cond_rod_assemble(const CondRod* rod, const double* q, double mass_scale,
                       double stiffness_scale, double damping_scale, CondRodGeometric geometric,
                       double* values, double* f)
{
    double mass = mass_scale + damping_scale * rod->mass_damping;
    double stiff = stiffness_scale + damping_scale * rod->stiffness_damping;
    memset(values, 0, (size_t)rod->n_link * 108 * sizeof *values);
    for (int i = 0; i < rod->n_link; i++)
        for (int k = 0; k < 6; k++)
            corner_of(values, i)[18 * k + k] =
                mass * (k < 3 ? rod->mass[i] : rod->inertia[3 * i + k - 3]);
    for (int i = 0; i + 1 < rod->n_link && (stiff > 0.0 || f); i++)
        add_joint(rod, q, i, stiff, stiffness_scale, geometric, values, f);
}

int cond_rod_link_at(const CondRod* rod, double s, double* along)
{
    int low = 0, high = rod->n_link - 1;
    double end = rod->arc[rod->n_link];
    s = s < 0.0 ? 0.0 : s > end ? end : s;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (rod->arc[middle] <= s)
            low = middle;
        else
            high = middle - 1;
    }
    *along = s - rod->arc[low] - 0.5 * rod->length[low];
    return low;
}
