// An elastic body of tetrahedra: three coordinates per node, and every node a contact node. Its
// block of A is a sparse matrix of 3x3 blocks on the pattern of the mesh.
#include "base/parallel.h"
#include "body/body.h"
#include "body/soft_matrix.h"
#include "body/spectral.h"
#include "math/quat.h"
#include "model/fem.h"

#include <math.h>
#include <string.h>

static CondFemWork* work_of(const CondBody* body, const CondKinematics* kinematics)
{
    return &kinematics->fem[body->index];
}

static int threads_of(const CondKinematics* kinematics)
{
    return kinematics->model->settings.solver.threads;
}

// f = mass g of nodes
typedef struct WeightLoop {
    const double *mass, *gravity;
    double* f;
} WeightLoop;

static void weigh_nodes(const void* loop, int first, int last)
{
    const WeightLoop* l = loop;
    for (int i = first; i < last; i++)
        for (int k = 0; k < 3; k++)
            l->f[3 * i + k] = l->mass[i] * l->gravity[k];
}

// f += elastic
typedef struct SumLoop {
    const double* elastic;
    double* f;
} SumLoop;

static void add_elastic(const void* loop, int first, int last)
{
    const SumLoop* l = loop;
    for (int i = first; i < last; i++)
        l->f[i] += l->elastic[i];
}

static void bias(const CondBody* body, const CondKinematics* kinematics, const double* v, double t,
                 const double gravity[3], double* f)
{
    WeightLoop loop = {body->fem->mass, gravity, f};
    int n = body->fem->n_node;
    (void)v;
    (void)t;
    cond_parallel(n, cond_threads(3 * (size_t)n, threads_of(kinematics)), weigh_nodes, &loop);
}

// The linear step takes E as the material asks. For Newton's method E is a means only, which the
// answer does not feel: there the closest positive matrix that is cheap serves best. In the middle
// of a step inertia outweighs what of the geometric stiffness is negative, and the Hessian itself
// leads to the answer in fewer iterates; a step too long for that is one too long for its middle.
static CondFemPolicy geometric(const CondBody* body, const CondKinematics* kinematics)
{
    static const CondFemGeometric policy[] = {
        [COND_GEOMETRIC_NONE] = COND_FEM_GEOMETRIC_NONE,
        [COND_GEOMETRIC_BOUND] = COND_FEM_GEOMETRIC_BOUND,
        [COND_GEOMETRIC_CONSTANT] = COND_FEM_GEOMETRIC_CONSTANT,
        [COND_GEOMETRIC_CLAMPED] = COND_FEM_GEOMETRIC_CLAMPED,
        [COND_GEOMETRIC_PROJECTED] = COND_FEM_GEOMETRIC_PROJECTED,
    };
    if (cond_kinematics_spans(kinematics, body->index))
        return (CondFemPolicy){COND_FEM_GEOMETRIC_EXACT, 0.0};
    if (kinematics->model->settings.integrator != COND_INTEGRATOR_THETA)
        return (CondFemPolicy){COND_FEM_GEOMETRIC_CLAMPED, 0.0};
    // A shell is linear in its strains, not in its positions: without the stiffness of its tension
    // a linear step overshoots.
    if (body->shell && body->geometric == COND_GEOMETRIC_NONE)
        return (CondFemPolicy){COND_FEM_GEOMETRIC_CLAMPED, 0.0};
    return (CondFemPolicy){policy[body->geometric], body->geometric_stiffness};
}

CondSoftMatrix cond_soft_matrix(const CondBody* body, const CondKinematics* kinematics, double step)
{
    double d = cond_kinematics_damped(kinematics, body->index);
    return (CondSoftMatrix){cond_spectral_mass(d) / step, cond_spectral_stiffness(d) * step,
                            geometric(body, kinematics)};
}

CondBlock cond_soft_block(const CondBody* body, const CondKinematics* kinematics,
                          const double* values)
{
    return (CondBlock){.kind = COND_BLOCK_BSR3,
                       .dof_begin = body->dof_begin,
                       .n_dof = body->n_dof,
                       .values = values,
                       .row_begin = body->fem->pattern.row_begin,
                       .column = body->fem->pattern.column,
                       .position = kinematics->q + body->q_begin};
}

void cond_soft_add_elastic(const CondBody* body, const CondKinematics* kinematics,
                           const double* elastic, double* f)
{
    SumLoop sum = {elastic, f};
    cond_parallel(body->n_dof, cond_threads(4 * (size_t)body->n_dof, threads_of(kinematics)),
                  add_elastic, &sum);
}

static void block(const CondBody* body, const CondKinematics* kinematics, double step,
                  double* values, CondBlock* out, double* f)
{
    CondBsr3 A = {&body->fem->pattern, values};
    CondSoftMatrix matrix = cond_soft_matrix(body, kinematics, step);
    cond_fem_assemble(body->fem, kinematics->q + body->q_begin, matrix.mass_scale,
                      matrix.stiffness_scale, NULL, &matrix.policy, work_of(body, kinematics), &A,
                      kinematics->elastic, threads_of(kinematics));
    cond_soft_add_elastic(body, kinematics, kinematics->elastic, f);
    *out = cond_soft_block(body, kinematics, values);
}

// Masses of the nodes, and where they go.
typedef struct MassLoop {
    const double* mass;
    double* values;
} MassLoop;

static void fill_masses(const void* loop, int first, int last)
{
    const MassLoop* l = loop;
    memset(l->values + 9 * (size_t)first, 0, 9 * (size_t)(last - first) * sizeof *l->values);
    for (size_t i = (size_t)first; i < (size_t)last; i++)
        l->values[9 * i] = l->values[9 * i + 4] = l->values[9 * i + 8] = l->mass[i];
}

// A diagonal, as 3x3 blocks.
static void mass(const CondBody* body, const CondKinematics* kinematics, double* values,
                 CondBlock* out)
{
    MassLoop loop = {body->fem->mass, values};
    int n = body->fem->n_node;
    cond_parallel(n, cond_threads(9 * (size_t)n, threads_of(kinematics)), fill_masses, &loop);
    *out = (CondBlock){.kind = COND_BLOCK_BSR3,
                       .n_dof = body->n_dof,
                       .values = values,
                       .row_begin = body->diagonal_begin,
                       .column = body->diagonal_begin}; // 0, 1, 2 ... serves for both
}

// Rayleigh's alpha M + beta K at the kinematics.
static void damping(const CondBody* body, const CondKinematics* kinematics, double* values,
                    CondBlock* out)
{
    const CondFem* fem = body->fem;
    CondBsr3 D = {&fem->pattern, values};
    CondFemPolicy policy = {COND_FEM_GEOMETRIC_NONE, 0.0};
    cond_fem_assemble(fem, kinematics->q + body->q_begin, 0.0, 0.0, NULL, &policy,
                      work_of(body, kinematics), &D, NULL, threads_of(kinematics));
    *out = (CondBlock){.kind = COND_BLOCK_BSR3,
                       .n_dof = body->n_dof,
                       .values = values,
                       .row_begin = fem->pattern.row_begin,
                       .column = fem->pattern.column};
}

static void accelerate(const CondBody* body, const CondKinematics* kinematics, const double* f,
                       double* a)
{
    (void)kinematics;
    for (int i = 0; i < body->n_dof; i++)
        a[i] = f[i] / body->fem->mass[i / 3];
}

static void advance(const CondBody* body, const double* v, double t, double* q)
{
    for (int i = 0; i < body->n_dof; i++)
        q[i] += t * v[i];
}

// x = sum of weight times node.
static int point(const CondBody* body, const CondKinematics* kinematics, const CondPoint* at,
                 double* world, int* coordinate, double* J)
{
    const double* x = kinematics->q + body->q_begin;
    int n = 3 * at->n_node;
    for (int i = 0; i < 3; i++) {
        world[i] = 0.0;
        for (int k = 0; k < at->n_node; k++)
            world[i] += at->local[k] * x[3 * at->node[k] + i];
        for (int k = 0; k < n && J; k++)
            J[i * n + k] = k % 3 == i ? at->local[k / 3] : 0.0;
    }
    for (int k = 0; k < n && coordinate; k++)
        coordinate[k] = body->dof_begin + 3 * at->node[k / 3] + k % 3;
    return n;
}

static double speed(const CondBody* body, const CondKinematics* kinematics, const double* v)
{
    double fastest = 0.0;
    (void)kinematics;
    for (int i = 0; i < body->fem->n_node; i++) {
        double square = vec3_dot(v + 3 * i, v + 3 * i);
        fastest = square > fastest ? square : fastest;
    }
    return sqrt(fastest);
}

static double potential(const CondBody* body, const CondKinematics* kinematics,
                        const double gravity[3])
{
    const double* x = kinematics->q + body->q_begin;
    double energy = 0.0;
    cond_fem_forces(body->fem, x, work_of(body, kinematics), NULL, &energy, threads_of(kinematics));
    for (int i = 0; i < body->fem->n_node; i++)
        energy -= body->fem->mass[i] * vec3_dot(gravity, x + 3 * i);
    return energy;
}

// Mean of positions or velocities by mass.
static void centre(const CondFem* fem, const double* x, double c[3])
{
    c[0] = c[1] = c[2] = 0.0;
    for (int i = 0; i < fem->n_node; i++) {
        double share = fem->mass[i] / fem->total_mass;
        for (int k = 0; k < 3; k++)
            c[k] += share * x[3 * i + k];
    }
}

// Centre of mass and its velocity; a soft body has no orientation of its own.
static CondPose pose(const CondBody* body, const double* q, const double* v)
{
    CondPose out = {.orientation = {1.0, 0.0, 0.0, 0.0}};
    centre(body->fem, q, out.position);
    centre(body->fem, v, out.velocity);
    return out;
}

// The undeformed body without creases, turned as at the start and then by the pose.
static int set_pose(const CondBody* body, const CondPose* in, double* q, double* v)
{
    double R[9], c[3], unit[4];
    memcpy(unit, in->orientation, sizeof unit);
    quat_normalize(unit);
    quat_matrix(unit, R);
    centre(body->fem, body->start, c);
    for (int i = 0; i < body->fem->n_node; i++) {
        double r[3], turned[3], w[3];
        for (int k = 0; k < 3; k++)
            r[k] = body->start[3 * i + k] - c[k];
        mat3_multiply(R, r, turned);
        vec3_cross(in->angular_velocity, turned, w);
        for (int k = 0; k < 3; k++) {
            q[3 * i + k] = in->position[k] + turned[k];
            v[3 * i + k] = in->velocity[k] + w[k];
        }
    }
    for (int i = body->n_dof; i < body->n_q; i++)
        q[i] = 0.0;
    return 0;
}

static void drift(const CondBody* body, const double* q, const double twist[6],
                  const double about[3], double* v)
{
    for (int i = 0; i < body->n_dof; i += 3) {
        double r[3] = {q[i] - about[0], q[i + 1] - about[1], q[i + 2] - about[2]};
        vec3_cross(twist + 3, r, v + i);
        for (int k = 0; k < 3; k++)
            v[i + k] += twist[k];
    }
}

const CondBodyOps cond_body_soft = {COND_BODY_SOFT, bias,    block,   mass,  damping,
                                    accelerate,     advance, point,   speed, potential,
                                    drift,          pose,    set_pose};
