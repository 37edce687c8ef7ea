// Prints the overlaps at the start of a scene as text and JSON (overlap.h).
#include "overlap.h"

#include "cli.h"
#include "json.h"

#include <stdlib.h>

enum { MAX_LINES = 8, MAX_ROUNDS = 400 };

static const char* other_name(const CondModel* model, const CondOverlap* overlap)
{
    if (overlap->other >= 0)
        return cond_model_body_name(model, overlap->other);
    return overlap->plane >= 0 ? cond_model_plane_name(model, overlap->plane)
                               : cond_model_obstacle_name(model, overlap->obstacle);
}

void overlap_print(FILE* out, const char* indent, const CondModel* model,
                   const CondOverlap* overlap, int n)
{
    for (int i = 0; i < n && i < MAX_LINES; i++)
        fprintf(out, "%s%s in %s, %.3g m deep at [%.3g, %.3g, %.3g]\n", indent,
                cond_model_body_name(model, overlap[i].body), other_name(model, &overlap[i]),
                overlap[i].depth, overlap[i].position[0], overlap[i].position[1],
                overlap[i].position[2]);
    if (n > MAX_LINES)
        fprintf(out, "%sand %d more pairs\n", indent, n - MAX_LINES);
}

json_t* overlap_json(const CondModel* model, const CondOverlap* overlap, int n)
{
    json_t* list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "body",
                                              cond_model_body_name(model, overlap[i].body), "other",
                                              other_name(model, &overlap[i]), "depth",
                                              json_number(overlap[i].depth), "position",
                                              json_numbers(overlap[i].position, 3)));
    return list;
}

// The bodies that were moved, the farthest ones first.
static void print_moved(const CondModel* model, double* moved)
{
    int lines = 0;
    for (; lines < MAX_LINES; lines++) {
        int far = 0;
        for (int b = 1; b < cond_model_n_body(model); b++)
            far = moved[b] > moved[far] ? b : far;
        if (!(moved[far] > 0.0))
            return;
        fprintf(stderr, "  %s moved by %.3g m\n", cond_model_body_name(model, far), moved[far]);
        moved[far] = 0.0;
    }
}

static CondStatus settle_state(const CondModel* model, CondSim* sim, CondState* state, int quiet)
{
    CondSettleInfo info;
    double* moved = calloc((size_t)cond_model_n_body(model) + 1, sizeof *moved);
    if (!moved)
        return COND_OUT_OF_MEMORY;
    CondStatus status = cond_sim_settle(sim, state, MAX_ROUNDS, moved, &info);
    if (status >= 0 && info.rounds > 0 && !quiet) {
        fprintf(stderr, "settled in %d rounds: penetration %.3g m before, %.3g m after\n",
                info.rounds, info.before, info.after);
        print_moved(model, moved);
    }
    free(moved);
    return status;
}

CondStatus overlap_start(const CondModel* model, CondSim* sim, CondState* state, int settle,
                         int quiet, CondError* error)
{
    const CondOverlap* overlap;
    int n;
    CondStatus status = settle ? settle_state(model, sim, state, quiet) : COND_OK;
    if (status >= 0)
        status = cond_sim_overlaps(sim, state, &overlap, &n);
    if (status < 0) {
        snprintf(error->message, sizeof error->message, "the start: %s", cond_status_name(status));
        return status;
    }
    if (n > 0 && !quiet) {
        cli_complain("%d %s at the start%s", n, n == 1 ? "pair overlaps" : "pairs overlap",
                     settle ? " even though it was settled" : "; --settle pushes them apart first");
        overlap_print(stderr, "  ", model, overlap, n);
    }
    return COND_OK;
}
