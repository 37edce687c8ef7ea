// Sums of contact forces: of a body, of a pair of bodies, of what a sensor is placed on.
//
// Every force is the impulse of the step over its length, and acts where the side's own point was
// when the contact was found: that is what moved the body.
#include "base/definition.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "math/vec3.h"
#include "model/index.h"
#include "sim/sim.h"
#include "sleep/sleep.h"

#include <math.h>
#include <string.h>

static void place_range(const void* loop, int first, int last)
{
    const CondSim* sim = loop;
    for (int c = 2 * first; c < 2 * last; c++)
        cond_kinematics_point(&sim->at_start,
                              &sim->attempt.candidates.candidate[c / 2].point[c % 2],
                              sim->readings.place + (ptrdiff_t)3 * c, NULL, NULL);
}

CondStatus cond_sim_place_contacts(CondSim* sim, const CondState* state)
{
    if (COND_RESERVE(&sim->arena, sim->readings.place, 6 * sim->attempt.candidates.n))
        return COND_OUT_OF_MEMORY;
    cond_parallel(sim->attempt.candidates.n,
                  cond_threads(COND_CONTACT_WORK * (size_t)sim->attempt.candidates.n,
                               sim->model->settings.solver.threads),
                  place_range, sim);
    for (int b = 0; b < sim->model->n_body; b++) {
        CondPose pose = cond_state_pose(sim->model, state, b);
        memcpy(sim->readings.centre + 3 * b, pose.position, sizeof pose.position);
    }
    return COND_OK;
}

// m += a x f
static void add_moment(const double a[3], const double f[3], double m[3])
{
    double moment[3];
    vec3_cross(a, f, moment);
    for (int i = 0; i < 3; i++)
        m[i] += moment[i];
}

// With m the moment of the normal forces about x, c = x + n x m / |N| has the moment n (n . m):
// m - (c - x) x N = m - (n x m) x n = n (n . m). Moments come in about the point `about`.
static void find_centre(const double about[3], const double mean[3], const double m_about[3],
                        CondResultant* sum)
{
    double size = vec3_norm(sum->normal), n[3], m[3], arm[3], across[3];
    memcpy(sum->free_torque, sum->torque, sizeof sum->torque);
    for (int i = 0; i < 3; i++)
        sum->centre[i] = NAN;
    if (!(size > COND_CANCELS * sum->pressure))
        return;
    for (int i = 0; i < 3; i++) {
        n[i] = sum->normal[i] / size;
        arm[i] = about[i] - mean[i];
        m[i] = m_about[i];
    }
    add_moment(arm, sum->normal, m);
    vec3_cross(n, m, across);
    for (int i = 0; i < 3; i++) {
        sum->centre[i] = mean[i] + across[i] / size;
        arm[i] = about[i] - sum->centre[i];
    }
    add_moment(arm, sum->force, sum->free_torque);
}

CondResultant cond_sim_sum_contacts(const CondSim* sim, int n, const int* list,
                                    const double about[3], CondShare* share, const void* what)
{
    CondResultant sum = {.n_contact = 0};
    double t = sim->attempt.time_step, mean[3] = {0.0}, m[3] = {0.0};
    for (int k = 0; k < n; k++) {
        int c = list ? list[k] : k;
        const CondCandidate* candidate = &sim->attempt.candidates.candidate[c];
        const double* impulse = sim->attempt.impulse + 3 * c;
        for (int s = 0; s < 2; s++) {
            double part = share(sim->model, what, candidate, s) * (s == 0 ? 1.0 : -1.0) / t;
            double force[3], normal[3], arm[3], size = fabs(part) * impulse[0];
            if (part == 0.0 || (impulse[0] == 0.0 && impulse[1] == 0.0 && impulse[2] == 0.0))
                continue;
            mat3_multiply_transposed(candidate->frame, impulse, force);
            for (int i = 0; i < 3; i++) {
                force[i] *= part;
                normal[i] = part * impulse[0] * candidate->frame[i];
                arm[i] = sim->readings.place[6 * c + 3 * s + i] - about[i];
                sum.force[i] += force[i];
                sum.normal[i] += normal[i];
                mean[i] += size * arm[i];
            }
            add_moment(arm, force, sum.torque);
            add_moment(arm, normal, m);
            sum.pressure += size;
            sum.n_contact++;
        }
    }
    for (int i = 0; i < 3; i++)
        mean[i] = about[i] + (sum.pressure > 0.0 ? mean[i] / sum.pressure : 0.0);
    find_centre(about, mean, m, &sum);
    return sum;
}

// Of the body what[0], from the body what[1].
static double pair_share(const CondModel* model, const void* what, const CondCandidate* candidate,
                         int side)
{
    const int* pair = what;
    (void)model;
    return candidate->point[side].body == pair[0] &&
                   (pair[1] == COND_ANY_BODY || candidate->point[1 - side].body == pair[1])
               ? 1.0
               : 0.0;
}

static CondResultant sum_pair(const CondSim* sim, int body, int other, int n, const int* list)
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    int pair[2] = {body, other};
    int known = !cond_model_check_body(sim->model, body);
    return cond_sim_sum_contacts(sim, known ? n : 0, list,
                                 known ? sim->readings.centre + 3 * body : origin, pair_share,
                                 pair);
}

static CondResultant sim_pair_force_whole(const CondSim* sim, int body, int other)
{
    cond_sleep_gather(sim);
    return sum_pair(sim, body, other, sim->readings.n_ready, NULL);
}

void cond_sim_pair_force_sized(const CondSim* sim, int body, int other, CondResultant* made,
                               size_t size)
{
    const CondResultant own = sim_pair_force_whole(sim, body, other);
    cond_struct_give(made, size, &own, sizeof own);
}

static CondResultant sim_listed_force_whole(const CondSim* sim, int body, int other, int n,
                                            const int* contact)
{
    int sound = cond_sleep_gather(sim) == COND_OK;
    for (int k = 0; k < n; k++)
        sound &= contact[k] >= 0 && contact[k] < sim->readings.n_ready;
    return sum_pair(sim, body, other, sound ? n : 0, contact);
}

void cond_sim_listed_force_sized(const CondSim* sim, int body, int other, int n, const int* contact,
                                 CondResultant* made, size_t size)
{
    const CondResultant own = sim_listed_force_whole(sim, body, other, n, contact);
    cond_struct_give(made, size, &own, sizeof own);
}

void cond_sim_body_force(const CondSim* sim, int body, double force[3], double torque[3])
{
    CondResultant sum = cond_sim_pair_force(sim, body, COND_ANY_BODY);
    memcpy(force, sum.force, sizeof sum.force);
    memcpy(torque, sum.torque, sizeof sum.torque);
}
