// Randomised trials of the ball and the gripper: is the object held whenever friction can hold it,
// and how fast does it creep?
#include "paper_grip.h"
#include "progress.h"

#include <math.h>

static const char TOLERANCE[] = "solver.tolerance=1e-5";

typedef struct WeldSum {
    int held, allowed, lost; // lost: allowed and not held
    double creep;            // the worst of those held [um/s]
    double residual;
    double contacts, iterations;
    int steps;
} WeldSum;

static void add_trial(const PaperScene* scene, const PaperOptions* options, int trial,
                      const PaperGrip* grip, double residual, WeldSum* sum, PaperResult* result)
{
    double friction = paper_scene_value(scene, options, trial, scene->friction);
    int held = paper_grip_holds(grip), allowed = paper_grip_allowed(grip, friction);
    char label[64];
    snprintf(label, sizeof label, "%s trial %d", scene->name, trial);
    json_array_append_new(
        result->rows,
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:o, s:o}", "label", label,
                  "youngs_modulus", json_number(paper_scene_value(scene, options, trial, 0)),
                  "poisson_ratio", json_number(paper_scene_value(scene, options, trial, 1)),
                  "friction", json_number(friction), "grip_N", json_number(grip->grip), "weight_N",
                  json_number(grip->weight), "held", held, "allowed", allowed, "creep_um_s",
                  json_number(paper_grip_creep(grip)), "residual", json_number(residual)));
    sum->held += held;
    sum->allowed += allowed;
    sum->lost += allowed && !held;
    sum->residual = fmax(sum->residual, residual);
    if (held)
        sum->creep = fmax(sum->creep, paper_grip_creep(grip));
}

static int run_trial(const PaperScene* scene, const PaperOptions* options, int trial, WeldSum* sum,
                     PaperResult* result)
{
    const char* extra[] = {TOLERANCE};
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error;
    double residual = 0.0;
    int steps = options->steps, code = paper_scene_load(scene, options, trial, 1, extra, &model);
    if (code == CLI_FINE &&
        (cond_state_create(model, &state, &error) || cond_sim_create(model, &sim, &error))) {
        cli_complain("%s", error.message);
        code = CLI_INPUT;
    }
    PaperGrip grip = {0};
    if (code == CLI_FINE)
        grip = paper_grip_begin(scene, model);
    if (code == CLI_FINE && steps <= 0)
        steps = (int)lround(scene->weld_end / cond_model_settings(model)->time_step);
    Progress progress = progress_start(scene->name);
    for (int k = 0; k < steps && code == CLI_FINE; k++) {
        CondStepInfo info;
        CondStatus status = cond_sim_step(sim, state, &info);
        result->status = paper_worst(result->status, status);
        if (status < 0) {
            cli_complain("%s: trial %d: step %d: %s", scene->name, trial, k,
                         cond_status_name(status));
            code = cli_exit(status);
            break;
        }
        paper_grip_see(&grip, sim, state);
        residual = fmax(residual, cond_certificate_residual(&info.solve.certificate));
        sum->contacts += info.n_contact;
        sum->iterations += info.solve.iterations;
        sum->steps++;
        progress_update(&progress, k + 1, steps);
    }
    progress_end(&progress);
    if (code == CLI_FINE) {
        add_trial(scene, options, trial, &grip, residual, sum, result);
        fprintf(stderr, "%s trial %d: grip %.3f N, weight %.3f N, %s\n", scene->name, trial,
                grip.grip, grip.weight, paper_grip_holds(&grip) ? "held" : "not held");
        if (!result->settings)
            result->settings = paper_scene_settings(
                options, model, steps, options->trials > 0 ? options->trials : 20,
                sum->contacts / (sum->steps ? sum->steps : 1), "default");
    }
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    cond_model_destroy(model);
    return code;
}

static int run_scene(const PaperScene* scene, const PaperOptions* options, PaperResult* result)
{
    int trials = options->trials > 0 ? options->trials : 20, code = CLI_FINE;
    WeldSum sum = {0};
    if (!paper_asked(options, scene->name))
        return CLI_FINE;
    for (int trial = 0; trial < trials && code == CLI_FINE; trial++)
        code = run_trial(scene, options, trial, &sum, result);
    double n = sum.steps ? sum.steps : 1;
    json_array_append_new(
        result->rows,
        json_pack("{s:s, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o}", "label", scene->name, "trials",
                  trials, "held", sum.held, "allowed", sum.allowed, "lost", sum.lost, "creep_um_s",
                  json_number(sum.held ? sum.creep : NAN), "residual", json_number(sum.residual),
                  "contacts", json_number(sum.contacts / n), "iterations",
                  json_number(sum.iterations / n)));
    return code;
}

static int run(const PaperOptions* options, PaperResult* result)
{
    static const PaperColumn columns[] = {
        {"label", "scene", NULL},
        {"friction", "mu", "%.3f"},
        {"grip_N", "grip N", "%.3f"},
        {"weight_N", "weight N", "%.3f"},
        {"trials", "trials", "%.0f"},
        {"allowed", "allowed", "%.0f"},
        {"held", "held", "%.0f"},
        {"lost", "lost", "%.0f"},
        {"creep_um_s", "creep um/s", "%.3f"},
        {"iterations", "iterations", "%.1f"},
        {"residual", "certificate", "%.1e"},
    };
    result->rows = json_array();
    result->paper = json_array();
    result->remarks =
        "Trials with the paper's ranges of modulus, Poisson's ratio and friction (trial 0: the\n"
        "scene's own), solved to a certificate of 1e-5. `grip` is the force of one side on the\n"
        "closed grip before lifting, half the sum of the normal forces; friction allows to hold\n"
        "the object when 2 mu N >= m g. Held: in the air to the end, within 5 mm of its place in\n"
        "the gripper. `creep` is its speed against the gripper while that is at rest, for half a\n"
        "second or more after the shaking; in the last row of a scene the worst of all held.\n"
        "`lost` counts trials that friction allows and that do not hold.";
    result->column = columns;
    result->n_column = sizeof columns / sizeof columns[0];
    int code = run_scene(&paper_scene_ball, options, result);
    if (code == CLI_FINE)
        code = run_scene(&paper_scene_gripper, options, result);
    return code;
}

const Experiment paper_hold = {"hold", "Trials of ball and gripper: held, and how well", run};
