// Measures grips: force, whether the object is held, creep (paper_grip.h).
#include "paper_grip.h"

#include <math.h>
#include <string.h>

PaperGrip paper_grip_begin(const PaperScene* scene, const CondModel* model)
{
    PaperGrip grip = {.scene = scene,
                      .model = model,
                      .half = 0.5 * cond_model_settings(model)->time_step,
                      .held = -1,
                      .holder = -1,
                      .grip = NAN,
                      .first = NAN,
                      .seen = NAN,
                      .lift = INFINITY,
                      .ground = NAN};
    if (!scene->held)
        return grip;
    const double* g = cond_model_settings(model)->gravity;
    grip.held = cond_model_find_body(model, scene->held);
    grip.holder = cond_model_find_body(model, scene->holder);
    grip.weight = cond_model_mass(model, grip.held) * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    return grip;
}

double paper_grip_force(const PaperGrip* grip, const CondSim* sim)
{
    double sum = 0.0;
    for (int c = 0; c < cond_sim_n_contact(sim); c++) {
        CondContactInfo contact = cond_sim_contact(sim, c);
        if ((contact.body == grip->held && contact.other >= 0) || contact.other == grip->held)
            sum += contact.force[0];
    }
    return 0.5 * sum;
}

// Where the held body is, in the axes of the gripper's base: q' (p - p0) q.
static void place(const PaperGrip* grip, const CondState* state, double local[3])
{
    CondPose body = cond_state_pose(grip->model, state, grip->held);
    CondPose base = cond_state_pose(grip->model, state, grip->holder);
    const double* q = base.orientation;
    double d[3], t[3];
    for (int i = 0; i < 3; i++)
        d[i] = body.position[i] - base.position[i];
    for (int i = 0; i < 3; i++) { // t = 2 d x (x, y, z) of q, local = d + w t + t x (x, y, z)
        int j = (i + 1) % 3, k = (i + 2) % 3;
        t[i] = 2.0 * (d[j] * q[1 + k] - d[k] * q[1 + j]);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        local[i] = d[i] + q[0] * t[i] + t[j] * q[1 + k] - t[k] * q[1 + j];
    }
}

void paper_grip_see(PaperGrip* grip, const CondSim* sim, const CondState* state)
{
    const PaperScene* scene = grip->scene;
    double time = cond_state_time(state), half = grip->half;
    if (grip->held < 0)
        return;
    double height = cond_state_pose(grip->model, state, grip->held).position[2];
    if (fabs(time - scene->grip_time) < half) {
        grip->grip = paper_grip_force(grip, sim);
        grip->ground = height;
    }
    if (time < scene->weld_begin - half || time > scene->weld_end + half)
        return;
    place(grip, state, grip->last);
    if (isnan(grip->first)) {
        memcpy(grip->start, grip->last, sizeof grip->start);
        grip->first = time;
    }
    grip->seen = time;
    grip->lift = fmin(grip->lift, height - grip->ground);
}

static double distance(const PaperGrip* grip)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += (grip->last[i] - grip->start[i]) * (grip->last[i] - grip->start[i]);
    return sqrt(sum);
}

int paper_grip_holds(const PaperGrip* grip)
{
    return grip->seen > grip->scene->weld_end - grip->half && grip->lift > 0.02 &&
           distance(grip) < 5e-3;
}

int paper_grip_allowed(const PaperGrip* grip, double friction)
{
    return 2.0 * friction * grip->grip >= grip->weight;
}

double paper_grip_creep(const PaperGrip* grip)
{
    return grip->seen > grip->first ? 1e6 * distance(grip) / (grip->seen - grip->first) : NAN;
}
