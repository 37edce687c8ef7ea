// Hooks of a program in the steps of a simulation: forces, changes of contacts, a call after every
// step.
#include "sim/hooks.h"
#include "base/error.h"

#include "base/definition.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// Where a program's forces go.
struct CondForceSink {
    const CondModel* model;
    const double* step;     // NULL: the damping alone
    CondAssembly* assembly; // NULL: tangents do not count
    double* f;
    CondStatus status; // the worst so far
};

void cond_hooks_default_fill(CondHooks* made, size_t size)
{
    const CondHooks defaults = {.user = NULL};
    cond_definition_fill(made, size, &defaults, sizeof defaults, offsetof(CondHooks, struct_size));
}

CondStatus cond_sim_set_hooks(CondSim* sim, const CondHooks* hooks)
{
    CondHooks own = cond_hooks_default();
    if (hooks && cond_definition_take(hooks, &own, sizeof own, offsetof(CondHooks, struct_size),
                                      "cond_hooks_default", NULL))
        return COND_BAD_ARGUMENT;
    sim->hooks = own;
    return COND_OK;
}

static int body_of(const CondModel* model, int coordinate)
{
    int b = 0;
    while (coordinate >= model->body[b].dof_begin + model->body[b].n_dof)
        b++;
    return b;
}

// Coordinates in range and each once, all numbers finite.
static int is_sound(const CondModel* model, int n, const int* coordinate, const double* f,
                    const double* K, const double* D)
{
    double finite = 0.0;
    for (int i = 0; i < n; i++) {
        if (coordinate[i] < 0 || coordinate[i] >= model->n_dof)
            return 0;
        for (int j = 0; j < i; j++)
            if (coordinate[j] == coordinate[i])
                return 0;
        finite += 0.0 * f[i];
    }
    for (int i = 0; i < n * n; i++)
        finite += 0.0 * (K ? K[i] : 0.0) + 0.0 * (D ? D[i] : 0.0);
    return finite == 0.0;
}

CondStatus cond_force_sink_add(CondForceSink* sink, int n, const int* coordinate, const double* f,
                               const double* stiffness, const double* damping)
{
    CondCouplingRoom room;
    if (n < 1 || !is_sound(sink->model, n, coordinate, f, stiffness, damping))
        return sink->status = cond_error_set(
                   NULL, COND_BAD_ARGUMENT,
                   "cond_force_sink_add: expected n >= 1 coordinates of the model, each once, with "
                   "finite f, and symmetric stiffness and damping");
    for (int i = 0; i < n; i++)
        sink->f[coordinate[i]] += f[i];
    if (!sink->assembly || (!stiffness && !damping))
        return COND_OK;
    if (cond_assembly_room(sink->assembly, sink->model, n, &room))
        return sink->status = cond_error_pass(COND_OUT_OF_MEMORY, "cond_force_sink_add");
    double step = sink->step ? sink->step[body_of(sink->model, coordinate[0])] : 0.0;
    room.n_coordinate = n;
    memcpy(room.coordinate, coordinate, (size_t)n * sizeof *coordinate);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            room.jacobian[i * n + j] = i == j;
            room.gain[i * n + j] = (stiffness ? step * stiffness[i * n + j] : 0.0) +
                                   (damping ? damping[i * n + j] : 0.0);
        }
    cond_assembly_keep(sink->assembly, &room);
    return COND_OK;
}

CondStatus cond_hooks_add_forces(CondSim* sim, const CondKinematics* kinematics, const double* step,
                                 CondAssembly* assembly, double* f)
{
    CondForceSink sink = {.model = sim->model, .step = step, .assembly = assembly, .f = f};
    if (sim->hooks.force)
        sim->hooks.force(sim->hooks.user, sim->model, sim->attempt.begun, kinematics->q, &sink);
    return sink.status;
}

void cond_hooks_filter(const CondSim* sim, CondCandidateList* list)
{
    int kept = 0;
    if (!sim->hooks.contact)
        return;
    for (int c = 0; c < list->n; c++) {
        CondCandidate* candidate = &list->candidate[c];
        CondContactInfo info = cond_candidate_info(sim->model, candidate);
        if (!sim->hooks.contact(sim->hooks.user, sim->model, &info))
            continue;
        for (int i = 0; i < 2; i++)
            candidate->friction[i] =
                isfinite(info.friction[i]) ? fmax(info.friction[i], 0.0) : candidate->friction[i];
        candidate->restitution = fmin(fmax(info.restitution, 0.0), 1.0);
        if (kept < c)
            list->candidate[kept] = *candidate;
        kept++;
    }
    list->n = kept;
}

void cond_hooks_tell(const CondSim* sim, const CondState* state, const CondStepInfo* info)
{
    if (sim->hooks.log && info->status != COND_OK)
        sim->hooks.log(sim->hooks.user, info->status, cond_sim_message(sim));
    if (sim->hooks.step)
        sim->hooks.step(sim->hooks.user, state, info);
}

int cond_hooks_wake(const CondSim* sim)
{
    return sim->hooks.force || sim->hooks.contact || sim->readings.query;
}
