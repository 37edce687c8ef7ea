// Sums up the steps of a run, and prints the sum as text and JSON (run_summary.h).
#include "run_summary.h"

#include "cli.h"
#include "interrupt.h"

#include <math.h>

double run_residual(const CondStepInfo* info)
{
    double worst = cond_certificate_residual(&info->solve.certificate);
    worst = fmax(worst, cond_certificate_residual(&info->impact.certificate));
    return fmax(worst, cond_certificate_residual(&info->correction.certificate));
}

void run_summary_add(RunSummary* s, const CondStepInfo* info)
{
    if (s->steps == 0)
        s->energy_start = info->kinetic_before + info->potential_before;
    int unsolved = info->solve.status > 0 || info->impact.status > 0 || info->correction.status > 0;
    s->missed += info->status > 0;
    if (unsolved && s->unsolved++ == 0)
        s->first_unsolved = s->steps;
    s->steps++;
    s->status = info->status > s->status ? info->status : s->status;
    s->residual = fmax(s->residual, run_residual(info));
    s->penetration = fmax(s->penetration, info->penetration);
    s->iterations += info->solve.iterations;
    s->contacts += info->n_contact;
    if (info->solve.iterations > s->max_iterations)
        s->max_iterations = info->solve.iterations;
    s->solved_by[info->solve.solved_by]++;
    s->rounds += info->rounds;
    s->asleep += info->asleep;
    s->last_asleep = info->asleep;
    s->added += info->added;
    s->rechecked += info->rounds > 0;
    if (info->solve.relaxed > s->max_relaxed)
        s->max_relaxed = info->solve.relaxed;
    s->passes += info->solve.passes;
    s->max_passes = info->solve.passes > s->max_passes ? info->solve.passes : s->max_passes;
    for (int k = 0; k < COND_N_STAGE; k++)
        s->seconds[k] += info->seconds[k];
    s->energy_end = info->kinetic_after + info->potential_after;
    s->work_friction += info->work_friction;
    s->work_impact += info->work_impact;
    s->work_given += info->work_given;
    s->work_damping += info->work_damping;
    s->work_numerical += info->work_numerical;
    s->work_correction += info->work_correction;
    s->work_other += info->work_other;
    s->pieces += info->pieces;
}

void run_summary_judge_depth(const CondModel* model, int k, CondStatus audited, CondStepInfo* info,
                             RunSummary* summary)
{
    const CondPenetration* d = &info->deepest;
    const CondAuditPair* pair = &summary->audit.too_deep;
    if (info->status != COND_TOO_DEEP && audited != COND_TOO_DEEP)
        return;
    if (summary->too_deep++ == 0 && info->status == COND_TOO_DEEP) {
        const char* other = d->other >= 0      ? cond_model_body_name(model, d->other)
                            : d->plane >= 0    ? cond_model_plane_name(model, d->plane)
                            : d->obstacle >= 0 ? cond_model_obstacle_name(model, d->obstacle)
                                               : "something fixed";
        cli_complain("step %d: %s and %s overlap by %.3g m, more than contact.penetration_limit: "
                     "%.3g m",
                     k, cond_model_body_name(model, d->body), other, d->depth, d->limit);
    } else if (summary->too_deep == 1) {
        cli_complain(
            "step %d: %s and %s overlap by %.3g m, as the audit says, more than "
            "contact.penetration_limit: %.3g m; the step found %.3g m",
            k, pair->name[0], pair->name[1], pair->depth,
            cond_model_penetration_limit(model, pair->body[0], pair->body[1], pair->obstacle),
            info->penetration);
    }
    info->status = COND_TOO_DEEP;
}

static void print_stages(const RunSummary* s)
{
    fprintf(stderr, "  answers by   ");
    for (int k = 0, first = 1; k < COND_N_SOLVED_BY; k++)
        if (s->solved_by[k] > 0) {
            fprintf(stderr, "%s %s %d", first ? "" : ",", cond_solved_by_name((CondSolvedBy)k),
                    s->solved_by[k]);
            first = 0;
        }
    fputc('\n', stderr);
}

static json_t* stages_json(const RunSummary* s)
{
    json_t* stages = json_object();
    for (int k = 0; k < COND_N_SOLVED_BY; k++)
        if (s->solved_by[k] > 0)
            json_object_set_new(stages, cond_solved_by_name((CondSolvedBy)k),
                                json_integer(s->solved_by[k]));
    return stages;
}

void run_summary_print(const CondModel* model, const CondState* state, const RunSummary* s)
{
    double total = 0.0;
    int n = s->steps > 0 ? s->steps : 1;
    for (int k = 0; k < COND_N_STAGE; k++)
        total += s->seconds[k];
    fprintf(stderr, "%s: %d steps to t = %g s, %d bodies, %d dof\n",
            cond_model_settings(model)->name, s->steps, cond_state_time(state),
            cond_model_n_body(model), cond_model_n_dof(model));
    fprintf(stderr, "  contacts      %.1f a step\n", s->contacts / n);
    fprintf(stderr, "  iterations    %.1f a step, at most %d\n", s->iterations / n,
            s->max_iterations);
    if (s->max_passes > 0)
        fprintf(stderr, "  Newton steps  %.1f a step, at most %d\n", s->passes / n, s->max_passes);
    if (s->steps > s->solved_by[COND_BY_OTHER])
        print_stages(s);
    if (s->rounds > 0)
        fprintf(stderr, "  rounds        %d more solves in %d steps, %d contacts found late\n",
                s->rounds, s->rechecked, s->added);
    if (s->asleep > 0.0)
        fprintf(stderr, "  asleep        %.1f bodies a step, %d in the last one\n", s->asleep / n,
                s->last_asleep);
    if (s->max_relaxed > 0)
        fprintf(stderr,
                "  relaxed       %d contacts at most held to the proximal law, in %d steps\n",
                s->max_relaxed, s->solved_by[COND_BY_RELAXED_LAW]);
    fprintf(stderr, "  certificate   %.1e at worst", s->residual);
    if (s->unsolved > 0)
        fprintf(stderr, "; %d steps missed the tolerance %.1e, the first is step %d", s->unsolved,
                cond_model_settings(model)->solver.tolerance, s->first_unsolved);
    fprintf(stderr, "\n  penetration   %.3g m at most", s->penetration);
    if (s->too_deep > 0)
        fprintf(stderr, "; %d steps went beyond contact.penetration_limit", s->too_deep);
    fputc('\n', stderr);
    audit_print(stderr, &s->audit);
    fprintf(stderr, "  energy        %.6g J to %.6g J\n", s->energy_start, s->energy_end);
    forces_print(stderr, model, s->sensor);
    joints_print(stderr, model, s->joint);
    fprintf(stderr, "  time a step   %.3g ms:", 1e3 * total / n);
    for (int k = 0; k < COND_N_STAGE; k++)
        fprintf(stderr, " %s %.3g", cond_stage_name((CondStage)k), 1e3 * s->seconds[k] / n);
    fputc('\n', stderr);
}

// How the run ended, for the summary.
static const char* end_name(CondStatus status)
{
    return interrupt_signal()         ? "signal"
           : status == COND_CANCELLED ? "step limit"
           : status < 0               ? "failed"
                                      : "finished";
}

json_t* run_summary_json(const char* path, const CondModel* model, const CondSim* sim,
                         const CondState* state, const RunSummary* s, CondStatus status)
{
    const CondSceneSettings* settings = cond_model_settings(model);
    int n = s->steps > 0 ? s->steps : 1;
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)cond_state_hash(state));
    json_t* stages = json_object();
    for (int k = 0; k < COND_N_STAGE; k++)
        json_object_set_new(stages, cond_stage_name((CondStage)k),
                            json_number(1e3 * s->seconds[k] / n));
    json_t* bodies = json_array();
    for (int b = 0; b < cond_model_n_body(model); b++) {
        CondPose p = cond_state_pose(model, state, b);
        json_array_append_new(bodies, json_pack("{s:s, s:o, s:o, s:o, s:o}", "name",
                                                cond_model_body_name(model, b), "position",
                                                json_numbers(p.position, 3), "orientation",
                                                json_numbers(p.orientation, 4), "velocity",
                                                json_numbers(p.velocity, 3), "angular_velocity",
                                                json_numbers(p.angular_velocity, 3)));
    }
    return json_pack(
        "{s:o, s:s, s:s, s:i, s:o, s:i, s:o, s:o, s:i, s:o, s:i, s:o, s:i, s:o, s:i, s:o, s:o, "
        "s:o, "
        "s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:o, s:i, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o, s:o, s:o}",
        "scene", json_text(path), "name", settings->name, "status", cond_status_name(status),
        "steps", s->steps, "time", json_number(cond_state_time(state)), "missed", s->missed,
        "residual", json_number(s->residual), "iterations", json_number(s->iterations / n),
        "max_iterations", s->max_iterations, "passes", json_number(s->passes / n), "max_passes",
        s->max_passes, "answers", stages_json(s), "max_relaxed", s->max_relaxed, "contacts",
        json_number(s->contacts / n), "dof", cond_model_n_dof(model), "penetration",
        json_number(s->penetration), "energy_start", json_number(s->energy_start), "energy_end",
        json_number(s->energy_end), "hash", hash, "end", end_name(status), "stage_ms", stages,
        "bodies", bodies, "pairs", forces_pairs_json(model, sim), "sensors",
        forces_sensors_json(model, s->sensor), "audit", audit_json(&s->audit), "machine",
        json_machine(settings->solver.threads), "rounds", s->rounds, "rechecked", s->rechecked,
        "added", s->added, "too_deep", s->too_deep, "asleep", json_number(s->asleep / n),
        "last_asleep", s->last_asleep, "joints", joints_json(model, s->joint), "work_friction",
        json_number(s->work_friction), "work_impact", json_number(s->work_impact), "work_given",
        json_number(s->work_given), "work_damping", json_number(s->work_damping), "work_numerical",
        json_number(s->work_numerical), "work_correction", json_number(s->work_correction),
        "work_other", json_number(s->work_other), "pieces", json_integer(s->pieces));
}
