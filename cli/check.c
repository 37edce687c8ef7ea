// cond check: reads and compiles a scene and prints its contents.
#include "audit.h"
#include "check_keys.h"
#include "cli.h"
#include "json.h"
#include "memory.h"
#include "outline.h"
#include "overlap.h"
#include "settings.h"

#include <stdlib.h>
#include <string.h>

// How a scene starts: contacts of the first step, and what overlaps.
typedef struct Start {
    CondState* state;
    CondSim* sim;
    int n_contact, n_overlap;
    const CondOverlap* overlap; // the sim's
    double* box;                // around the bodies                          (n_body x 6)
} Start;

static CondStatus look_at_start(const CondModel* model, Start* start, CondError* error)
{
    CondStatus status = cond_state_create(model, &start->state, error);
    if (!status)
        status = cond_sim_create(model, &start->sim, error);
    if (!status)
        status = cond_sim_overlaps(start->sim, start->state, &start->overlap, &start->n_overlap);
    if (!status)
        status = cond_sim_forces(start->sim, start->state);
    if (!status)
        status = cond_sim_collide(start->sim, start->state);
    start->n_contact = status ? 0 : cond_sim_n_contact(start->sim);
    start->box = calloc(6 * (size_t)cond_model_n_body(model) + 1, sizeof *start->box);
    if (!status && !start->box)
        status = COND_OUT_OF_MEMORY;
    if (!status)
        status = outline_boxes(model, start->state, start->box, error);
    return status;
}

// The true depth of all pairs at the start.
static CondStatus audit_start(const CondModel* model, CondAudit** audit, CondError* error)
{
    CondState* state = NULL;
    CondStatus status = cond_state_create(model, &state, error);
    if (!status)
        status = cond_audit_create(model, audit, error);
    if (!status)
        status = cond_audit_run(*audit, state, 0.0);
    cond_state_destroy(state);
    return status;
}

enum { MAX_KIND = 16, MAX_OVERLAP = 10 };

// Bodies of each kind, nodes and tetrahedra.
typedef struct Counts {
    int kind[MAX_KIND];
    int nodes, tets;
} Counts;

static Counts count_bodies(const CondModel* model)
{
    Counts counts = {.nodes = 0};
    for (int b = 0; b < cond_model_n_body(model); b++) {
        counts.kind[cond_model_body_kind(model, b)]++;
        counts.nodes += cond_model_n_node(model, b);
        counts.tets += cond_model_n_tet(model, b);
    }
    return counts;
}

// The names of the bodies, cut short where there are many, and how many there are of each kind.
static void print_bodies(FILE* out, const CondModel* model)
{
    enum { MAX_NAME = 8 };
    int n = cond_model_n_body(model);
    Counts counts = count_bodies(model);
    const char* comma = "";
    fprintf(out, "  bodies    %d with %d coordinates", n, cond_model_n_dof(model));
    for (int b = 0; b < n && b < MAX_NAME; b++)
        fprintf(out, "%s%s", b ? ", " : ": ", cond_model_body_name(model, b));
    fputs(n > MAX_NAME ? ", ...\n" : "\n", out);
    fputs("  kinds     ", out);
    for (int k = 0; k < MAX_KIND && cond_body_kind_name((CondBodyKind)k); k++) {
        if (!counts.kind[k])
            continue;
        fprintf(out, "%s%d %s", comma, counts.kind[k], cond_body_kind_name((CondBodyKind)k));
        comma = ", ";
    }
    if (counts.tets > 0)
        fprintf(out, " (%d nodes, %d tetrahedra)", counts.nodes, counts.tets);
    fprintf(out, "%s\n  also      %d attachments, %d trajectories, %d sensors\n",
            *comma ? "" : "none", cond_model_n_attachment(model), cond_model_n_trajectory(model),
            cond_model_n_sensor(model));
}

// Pairs that contact detection leaves out, and why.
static void print_left_out(FILE* out, const CondModel* model)
{
    for (int i = 0; i < cond_model_n_left_out(model); i++) {
        const CondLeftOut* pair = cond_model_left_out(model, i);
        fprintf(out, "  %-9s %s, %s (%s)\n", i ? "" : "left out", pair->name[0], pair->name[1],
                cond_left_out_name(pair->reason));
    }
}

static json_t* left_out_json(const CondModel* model)
{
    json_t* pairs = json_array();
    for (int i = 0; i < cond_model_n_left_out(model); i++) {
        const CondLeftOut* pair = cond_model_left_out(model, i);
        json_t* names = json_array();
        json_array_append_new(names, json_text(pair->name[0]));
        json_array_append_new(names, json_text(pair->name[1]));
        json_t* one = json_object();
        json_object_set_new(one, "names", names);
        json_object_set_new(one, "reason", json_string(cond_left_out_name(pair->reason)));
        json_array_append_new(pairs, one);
    }
    return pairs;
}

static const char* method_name(CondStepMethod method)
{
    static const char* const names[] = {"velocity", "penalty", "pbd"};
    return names[method];
}

// "theta 0.5", or the name of an integrator that has no theta.
static void print_step(FILE* out, const CondSceneSettings* s)
{
    fprintf(out, "  step      %s, %g s, %s", method_name(s->method), s->time_step,
            cond_integrator_name(s->integrator));
    if (s->integrator == COND_INTEGRATOR_THETA)
        fprintf(out, " %g", s->theta);
    fprintf(out, "%s, for %g s\n", s->mass_root ? ", mass root" : "", s->duration);
}

static void print_scene(FILE* out, const char* path, const CondModel* model, const Start* start)
{
    const CondSceneSettings* s = cond_model_settings(model);
    const CondSolverSettings* solver = &s->solver;
    fprintf(out, "%s: fine\n", path);
    if (s->name[0])
        fprintf(out, "  name      %s\n", s->name);
    print_bodies(out, model);
    outline_print(out, model, start->box);
    fprintf(out, "  contacts  %d at the start\n", start->n_contact);
    if (start->n_overlap > 0)
        fprintf(out, "  overlaps  %d at the start (cond run --settle pushes them apart)\n",
                start->n_overlap);
    overlap_print(out, "            ", model, start->overlap, start->n_overlap);
    print_left_out(out, model);
    for (int i = 0; cond_model_warning(model, i); i++)
        fprintf(out, "  %-9s %s\n", i ? "" : "warnings", cond_model_warning(model, i));
    print_step(out, s);
    fprintf(out, "  law       %s, kv %g N s/m, omega %g m/(N s)\n", cond_law_name(solver->law),
            s->kv, solver->omega);
    fprintf(out, "  solver    %s, %s, stop by %s at %g, at most %d iterations\n",
            cond_surrogate_name(solver->surrogate), cond_accelerator_name(solver->accelerator),
            cond_stop_name(solver->stop), solver->tolerance, solver->max_iterations);
}

static json_t* scene_json(const char* path, const CondModel* model, const Start* start,
                          const CondAudit* audit)
{
    const CondSceneSettings* s = cond_model_settings(model);
    json_t* step = json_object();
    json_object_set_new(step, "method", json_string(method_name(s->method)));
    json_object_set_new(step, "time_step", json_number(s->time_step));
    json_object_set_new(step, "integrator", json_string(cond_integrator_name(s->integrator)));
    json_object_set_new(step, "theta", json_number(s->theta));
    json_object_set_new(step, "duration", json_number(s->duration));
    json_object_set_new(step, "gap", json_boolean(s->gap));
    json_object_set_new(step, "impact", json_string(cond_impact_name(s->impact)));
    json_object_set_new(step, "position_correction", json_boolean(s->position_correction));
    json_t* out = json_object();
    json_object_set_new(out, "scene", json_text(path));
    json_object_set_new(out, "name", json_string(s->name));
    json_object_set_new(out, "bodies", json_integer(cond_model_n_body(model)));
    json_t* kinds = json_object();
    Counts counts = count_bodies(model);
    for (int k = 0; k < MAX_KIND && cond_body_kind_name((CondBodyKind)k); k++)
        json_object_set_new(kinds, cond_body_kind_name((CondBodyKind)k),
                            json_integer(counts.kind[k]));
    json_object_set_new(out, "kinds", kinds);
    json_object_set_new(out, "nodes", json_integer(counts.nodes));
    json_object_set_new(out, "tets", json_integer(counts.tets));
    json_object_set_new(out, "attachments", json_integer(cond_model_n_attachment(model)));
    json_object_set_new(out, "trajectories", json_integer(cond_model_n_trajectory(model)));
    json_object_set_new(out, "sensors", json_integer(cond_model_n_sensor(model)));
    json_object_set_new(out, "dof", json_integer(cond_model_n_dof(model)));
    json_object_set_new(out, "boxes", outline_boxes_json(model, start->box));
    json_object_set_new(out, "joints", outline_joints_json(model));
    json_object_set_new(out, "contacts", json_integer(start->n_contact));
    json_object_set_new(out, "overlaps", overlap_json(model, start->overlap, start->n_overlap));
    json_t* warnings = json_array();
    for (int i = 0; cond_model_warning(model, i); i++)
        json_array_append_new(warnings, json_text(cond_model_warning(model, i)));
    json_object_set_new(out, "warnings", warnings);
    json_object_set_new(out, "left_out", left_out_json(model));
    if (audit)
        json_object_set_new(out, "audit", audit_pairs_json(audit));
    json_object_set_new(out, "kv", json_number(s->kv));
    json_object_set_new(out, "step", step);
    json_object_set_new(out, "settings", settings_json(&s->solver));
    return out;
}

static int check_scene(const char* text, const TextList* set, const char* json, int audited)
{
    char path[4096];
    cli_scene_path(text, path, sizeof path);
    CondError error = {0};
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondAudit* audit = NULL;
    Start start = {.state = NULL};
    CondStatus status = cond_scene_read(memory_context(), path, set->n, set->item, &scene, &error);
    if (!status)
        status = cond_scene_compile(scene, &model, &error);
    if (!status)
        status = look_at_start(model, &start, &error);
    if (!status && audited)
        status = audit_start(model, &audit, &error);
    int code = CLI_FINE;
    if (status) {
        const char* message = error.message[0] ? error.message : cond_status_name(status);
        // Compiling knows no file, so its messages get the name here.
        if (strncmp(message, path, strlen(path)) == 0)
            cli_complain("%s", message);
        else
            cli_complain("%s: %s", path, message);
        code = CLI_INPUT;
    } else {
        int taken = json && strcmp(json, "-") == 0; // standard output is the JSON's alone
        FILE* out = taken ? stderr : stdout;
        print_scene(out, path, model, &start);
        if (audit)
            audit_print_pairs(out, audit, MAX_OVERLAP);
        if (json && json_put(scene_json(path, model, &start, audit), json))
            code = CLI_INPUT;
    }
    cond_audit_destroy(audit);
    free(start.box);
    cond_sim_destroy(start.sim);
    cond_state_destroy(start.state);
    cond_model_destroy(model);
    cond_scene_destroy(scene);
    return code;
}

static int run(int argc, char** argv)
{
    const char* scene = NULL;
    const char* json = NULL;
    int keys = 0, audit = 0, n_positional = 0;
    TextList set = {0};
    const Option option[] = {
        {"--set", OPTION_LIST(&set), "PATH=VALUE", "set a value of the scene; may be repeated"},
        {"--audit", OPTION_FLAG(&audit), NULL, "measure the true overlaps at the start"},
        {"--keys", OPTION_FLAG(&keys), NULL, "print all keys of scene files, as Markdown"},
        {"--json", OPTION_TEXT(&json), "FILE", "write the description as JSON; -: standard output"},
    };
    int code = options_read(&cli_check, option, sizeof option / sizeof option[0], argc, argv,
                            &scene, 1, &n_positional);
    if (code != 0) {
        code = n_positional < 0 ? CLI_FINE : CLI_USAGE;
    } else if (keys && (scene || set.n || audit)) {
        cli_complain("check: --keys takes no other argument but --json");
        code = CLI_USAGE;
    } else if (keys) {
        code = check_keys(json);
    } else if (!scene) {
        cli_complain("check: no scene given; usage: cond %s", cli_check.usage);
        code = CLI_USAGE;
    } else {
        code = check_scene(scene, &set, json, audit);
    }
    free(set.item);
    return code;
}

const Command cli_check = {
    "check",
    "check SCENE [options]",
    "Reads a scene and lists its contents, or its first error.",
    run,
};
