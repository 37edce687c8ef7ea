// The paper's four manipulation scenes (Sec. V-A, V-C to V-E), whole runs in which every step is
// solved to a certificate of 1e-6. With --out a picture and an interactive view of each.
#include "paper.h"
#include "progress.h"
#include "view_page.h"

#include <cond/picture.h>
#include <cond/record.h>
#include <cond/recording.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char TOLERANCE[] = "solver.tolerance=1e-6";

enum { N_FRAME = 140, WIDTH = 1280, HEIGHT = 720 };

typedef struct Variant {
    const char *scene, *title;
    double time;                     // of the picture [s]
    double azimuth, elevation, zoom; // of its camera
} Variant;

static const Variant variants[] = {
    {"mat", "A Panda folds a soft mat", 1.6, -50.0, 22.0, 1.0},
    {"ball", "A gripper lifts and shakes a soft ball", 2.0, -58.0, 24.0, 1.0},
    {"gripper", "Soft fingers lift a bar", 2.0, -58.0, 24.0, 1.0},
    {"cable", "A Panda winds a cable on a drum", 40.0, -58.0, 24.0, 1.0},
};
enum { N_VARIANT = sizeof variants / sizeof variants[0] };

typedef struct Manipulation {
    double residual;     // worst certificate
    double penetration;  // deepest [m]
    double iterations;   // products with A in conjugate gradients, of all steps
    double newton_steps; // of all steps
    double contacts;     // of all steps
    double seconds;      // of all stages
    int steps, missed;
    CondStatus status;
} Manipulation;

static void add_step(Manipulation* run, const CondStepInfo* info, CondStatus status)
{
    double residual = cond_certificate_residual(&info->solve.certificate);
    run->steps++;
    run->missed += status > 0;
    run->status = paper_worst(run->status, status);
    run->residual = fmax(run->residual, residual);
    run->penetration = fmax(run->penetration, info->penetration);
    run->iterations += info->solve.iterations;
    run->newton_steps += info->solve.passes;
    run->contacts += info->n_contact;
    for (int s = 0; s < COND_N_STAGE; s++)
        run->seconds += info->seconds[s];
}

// record may be NULL. COND_NO_FILE: a frame could not be written, after a message.
static CondStatus make_steps(const Variant* variant, CondSim* sim, CondState* state,
                             CondRecord* record, int steps, Manipulation* run)
{
    CondStatus status = COND_OK;
    CondError error;
    CondStepInfo info;
    int every = (steps + N_FRAME - 1) / N_FRAME;
    Progress progress = progress_start(variant->scene);
    for (int k = 0; k < steps && status >= 0; k++) {
        progress_update(&progress, k, steps);
        status = cond_sim_step(sim, state, &info);
        if (status < 0)
            cli_complain("%s: step %d: %s", variant->scene, k, cond_sim_message(sim));
        else
            add_step(run, &info, status);
        if (status >= 0 && record && (k + 1) % every == 0 &&
            cond_record_frame(record, sim, state, &info, &error)) {
            cli_complain("%s", error.message);
            status = COND_NO_FILE;
        }
    }
    progress_end(&progress);
    return status;
}

static int simulate(const Variant* variant, const CondModel* model, const char* path, int steps,
                    Manipulation* run)
{
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondRecord* record = NULL;
    CondError error;
    CondStatus status = cond_state_create(model, &state, &error);
    if (!status)
        status = cond_sim_create(model, &sim, &error);
    if (!status && path)
        status = cond_record_open(NULL, path, model, NULL, &record, &error);
    if (!status && record)
        status = cond_record_frame(record, NULL, state, NULL, &error);
    if (status)
        cli_complain("%s", error.message);
    else
        status = make_steps(variant, sim, state, record, steps, run);
    cond_record_close(record);
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    return status < 0 ? cli_exit(status) : CLI_FINE;
}

// The frame at the time of the picture, or the last one.
static int find_frame(const CondRecording* recording, double time)
{
    const double* at = cond_recording_numbers(recording, COND_NUMBER_TIME);
    int k = 0, n = cond_recording_n_frame(recording);
    while (k + 1 < n && at[k] < time)
        k++;
    return k;
}

static CondStatus draw(const Variant* variant, CondRecording* recording, const char* path,
                       CondError* error)
{
    CondPictureDef def = cond_picture_def_default();
    CondCamera camera = cond_camera_default();
    CondPicture* picture = NULL;
    const CondMoment* moment;
    uint8_t* rgb = malloc((size_t)3 * WIDTH * HEIGHT);
    def.width = WIDTH;
    def.height = HEIGHT;
    camera.azimuth = variant->azimuth;
    camera.elevation = variant->elevation;
    camera.zoom = variant->zoom;
    snprintf(error->message, sizeof error->message, "out of memory");
    CondStatus status = rgb ? COND_OK : COND_OUT_OF_MEMORY;
    if (!status)
        status =
            cond_recording_frame(recording, find_frame(recording, variant->time), &moment, error);
    if (!status)
        status =
            cond_picture_create(NULL, cond_recording_scenery(recording), &def, &picture, error);
    if (!status)
        status = cond_picture_look(picture, &camera, moment, error);
    if (!status)
        status = cond_picture_draw(picture, moment, rgb, error);
    if (!status)
        status = cond_png_write(NULL, path, WIDTH, HEIGHT, rgb, error);
    cond_picture_destroy(picture);
    free(rgb);
    return status;
}

// Picture and page of a recording. A picture that fails is an error; the page needs a tool that was
// built with the viewer, and is left out otherwise.
static int show(const Variant* variant, const char* directory, const char* recorded,
                PaperResult* result)
{
    char path[4200];
    CondError error;
    CondRecording* recording = NULL;
    CondStatus status = cond_recording_open(NULL, recorded, &recording, &error);
    snprintf(path, sizeof path, "%s/%s.png", directory, variant->scene);
    if (!status)
        status = draw(variant, recording, path, &error);
    cond_recording_close(recording);
    if (status) {
        cli_complain("%s", error.message);
        return cli_exit(status);
    }
    snprintf(path, sizeof path, "%s/%s.html", directory, variant->scene);
    result->view[result->n_view++] = (PaperView){.name = variant->scene,
                                                 .title = variant->title,
                                                 .interactive = view_page_write(recorded, path)};
    return CLI_FINE;
}

static json_t* make_row(const Variant* variant, const CondModel* model, const Manipulation* run)
{
    const CondSceneSettings* settings = cond_model_settings(model);
    int n = run->steps > 0 ? run->steps : 1;
    double ms = 1e3 * run->seconds / n;
    return json_pack(
        "{s:s, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "label", variant->scene, "dof",
        cond_model_n_dof(model), "steps", run->steps, "missed", run->missed, "residual",
        json_number(run->residual), "penetration_um", json_number(1e6 * run->penetration),
        "contacts", json_number(run->contacts / n), "newton_steps",
        json_number(run->newton_steps / n), "iterations", json_number(run->iterations / n),
        "step_ms", json_number(ms), "real_time", json_number(1e3 * settings->time_step / ms));
}

static int run_variant(const Variant* variant, const PaperOptions* options, PaperResult* result)
{
    const char* const override[] = {TOLERANCE, NULL};
    const char* directory = options->directory;
    CondModel* model = NULL;
    Manipulation run = {0};
    char recorded[4200];
    int code = paper_load_set(variant->scene, override, options, &model);
    if (code != CLI_FINE)
        return code;
    const CondSceneSettings* settings = cond_model_settings(model);
    int steps = paper_steps(options, (int)lround(settings->duration / settings->time_step), result);
    snprintf(recorded, sizeof recorded, "%s/%s.h5", directory ? directory : "", variant->scene);
    code = simulate(variant, model, directory ? recorded : NULL, steps, &run);
    if (code == CLI_FINE && directory)
        code = show(variant, directory, recorded, result);
    if (code == CLI_FINE) {
        if (!result->settings)
            result->settings =
                paper_settings(options, model, steps, 1, run.contacts / steps, "default");
        json_array_append_new(result->rows, make_row(variant, model, &run));
        result->status = paper_worst(result->status, run.status);
    }
    cond_model_destroy(model);
    return code;
}

static const PaperColumn columns[] = {
    {"label", "scene", NULL},
    {"dof", "coordinates", "%.0f"},
    {"steps", "steps", "%.0f"},
    {"missed", "missed", "%.0f"},
    {"residual", "worst certificate", "%.1e"},
    {"penetration_um", "deepest um", "%.2g"},
    {"contacts", "contacts", "%.0f"},
    {"newton_steps", "Newton steps", "%.1f"},
    {"iterations", "CG iterations", "%.0f"},
    {"step_ms", "ms a step", "%.2f"},
    {"real_time", "times real time", "%.2f"},
};

static int run(const PaperOptions* options, PaperResult* result)
{
    int code = CLI_FINE;
    result->rows = json_array();
    result->paper = json_array();
    result->alone = 1;
    for (int i = 0; i < N_VARIANT && code == CLI_FINE; i++)
        if (paper_asked(options, variants[i].scene))
            code = run_variant(&variants[i], options, result);
    result->remarks =
        "Whole runs of the scenes that ship, with the default method and a tolerance of 1e-6: "
        "each\n"
        "step is solved until the certificate, which is computed from the problem and the answer\n"
        "alone, is below it. A step that does not reach it counts as missed. Contacts, Newton "
        "steps\n"
        "and iterations of conjugate gradients are means over all steps, the time is that of all\n"
        "stages by the clock, and the last column is simulated seconds a second. `cond view` "
        "shows\n"
        "the recordings beside this report, `cond run SCENE --tol 1e-6` repeats a run.";
    result->column = columns;
    result->n_column = sizeof columns / sizeof columns[0];
    return code;
}

const Experiment paper_manipulation = {
    "manipulation", "Four manipulation scenes, every step certified at 1e-6", run};
