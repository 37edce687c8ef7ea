// Iterations saved by Chebyshev acceleration (paper Sec. V-E), scene by scene.
#include "paper_windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const PaperColumn columns[] = {
    {"label", "scene", NULL},
    {"without", "without", "%.2f"},
    {"with", "with", "%.2f"},
    {"residual", "certificate", "%.1e"},
};

static int run_scene(const PaperScene* scene, const PaperOptions* options, PaperResult* result)
{
    static const PaperVariant variants[] = {
        {.label = "with", .solver = "strategy", .accelerator = COND_ACCELERATOR_CHEBYSHEV},
        {.label = "without", .solver = "strategy", .accelerator = COND_ACCELERATOR_NONE},
        {.label = "lead", .solver = "strategy", .certificate = 1e-6, .own = 1},
    };
    // A run of the cable that the paper's W leads is not one of the cable: nothing in it converges.
    int rod = scene->wrench > 0;
    PaperWindows windows = {.scene = scene,
                            .variant = variants,
                            .n_variant = rod ? 3 : 2,
                            .lead = rod ? 2 : 0,
                            .trials = 1,
                            .blind = 1};
    if (!paper_asked(options, scene->name))
        return CLI_FINE;
    PaperOptions all = *options;
    all.rows = NULL;
    int code = paper_windows_run(&windows, &all, result);
    free(paper_trace_csv(&windows.trace));
    double n[2];
    for (int i = 0; i < 2; i++)
        n[i] = windows.tally[i].steps ? windows.tally[i].steps : 1;
    json_array_append_new(result->rows,
                          json_pack("{s:s, s:o, s:o, s:o, s:o}", "label", scene->name, "with",
                                    json_number(windows.tally[0].iterations / n[0]), "without",
                                    json_number(windows.tally[1].iterations / n[1]), "residual",
                                    json_number(windows.tally[0].residual), "stop",
                                    json_number(scene->stop)));
    return code;
}

// A line per scene: iterations without and with, ours and the paper's.
static char* make_csv(const PaperResult* result)
{
    static const char* const keys[] = {"without", "with"};
    Text text = {0};
    text_add(&text, "scene,without,with,paper: without,paper: with\n");
    for (size_t i = 0; i < json_array_size(result->rows); i++) {
        const json_t* row = json_array_get(result->rows, i);
        const char* label = json_string_value(json_object_get(row, "label"));
        text_add(&text, "%s", label);
        for (int k = 0; k < 2; k++)
            text_add(&text, ",%.9g", json_number_value(json_object_get(row, keys[k])));
        for (size_t p = 0; p < json_array_size(result->paper); p++) {
            const json_t* theirs = json_array_get(result->paper, p);
            if (strcmp(json_string_value(json_object_get(theirs, "label")), label) == 0)
                for (int k = 0; k < 2; k++)
                    text_add(&text, ",%.9g",
                             result->whole ? NAN
                                           : json_number_value(json_object_get(theirs, keys[k])));
        }
        text_add(&text, "\n");
    }
    return text.data;
}

static const PaperPlot plots[] = {
    {"chebyshev", "Iterations to the paper's stop test, without and with Chebyshev",
     "set style data histogram\nset style histogram clustered gap 1\nset style fill solid 0.9\n"
     "set ylabel 'iterations a step'\nset logscale y\nset yrange [5:*]\nset key below\n"
     "plot for [i=2:5] data using i:xtic(1) lc rgb word('#c0c8d0 #1f6feb #e6d5c4 #e8894a', i-1) "
     "title columnheader(i)"},
};

static int run(const PaperOptions* options, PaperResult* result)
{
    static const PaperScene* const scenes[] = {&paper_scene_mat, &paper_scene_ball,
                                               &paper_scene_cable, &paper_scene_gripper};
    int code = CLI_FINE;
    result->rows = json_array();
    result->paper = paper_quote("[{'label':'mat','without':167.4,'with':39.72},"
                                "{'label':'ball','without':138.8,'with':37.51},"
                                "{'label':'cable','without':40.14,'with':18.28},"
                                "{'label':'gripper','without':155.7,'with':30.88}]");
    result->remarks =
        "Mean iterations to the paper's stop test (1e-4 m/s on mat and cable, 1e-5 on the ball, "
        "1e-6\n"
        "on the gripper), with and without Chebyshev acceleration, on the same windows of the "
        "same\n"
        "run, at most 2000 a step. `certificate` is the worst of the accelerated steps. The "
        "run\n"
        "of the cable is simulated by COND to a certificate of 1e-6.";
    result->column = columns;
    result->n_column = sizeof columns / sizeof columns[0];
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0] && code == CLI_FINE; i++)
        code = run_scene(scenes[i], options, result);
    result->csv = make_csv(result);
    result->plot = plots;
    result->n_plot = sizeof plots / sizeof *plots;
    return code;
}

const Experiment paper_chebyshev = {"chebyshev", "Effect of Chebyshev acceleration", run};
