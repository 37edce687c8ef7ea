// A step that knows its error: with step.accuracy it is made in pieces whose lengths follow an
// estimate of the error.
//
// A pair of pieces is made twice: in one go, and as its two halves, which stand. What the two
// differ by at the end says what the halves are wrong by (integrate/pair_error.h). Where it is
// more, the pair is given up and its first half, which is there already, is the one go of the next
// try. Every half is a step as any other: certified, with its retries and substeps.
// docs/stepping.md has the formulas.
#include "base/tuning.h"
#include "integrate/pair_error.h"
#include "integrate/resolved.h"
#include "sense/event.h"
#include "sim/sim.h"
#include "step/stages.h"
#include "step/tally.h"
#include "step/tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

void cond_pieces_destroy(CondSim* sim)
{
    CondState* const states[] = {sim->pieces.begin, sim->pieces.whole, sim->pieces.first,
                                 sim->pieces.second};
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        cond_state_destroy(states[i]);
}

static CondStatus create(CondSim* sim)
{
    CondPieces* pieces = &sim->pieces;
    CondState** const states[] = {&pieces->begin, &pieces->whole, &pieces->first, &pieces->second};
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        if (!*states[i] && cond_state_create(sim->model, states[i], NULL))
            return COND_OUT_OF_MEMORY;
    size_t n = (size_t)sim->model->n_dof, bodies = (size_t)sim->model->n_body;
    for (int i = 0; i < COND_N_DIFFERENCE; i++)
        if (!pieces->x[i] && !(pieces->x[i] = cond_arena_allocate(&sim->arena, n, sizeof(double))))
            return COND_OUT_OF_MEMORY;
    if (!pieces->p)
        pieces->p = cond_arena_allocate(&sim->arena, n, sizeof(double));
    if (!pieces->square)
        pieces->square =
            cond_arena_allocate(&sim->arena, bodies * COND_N_DIFFERENCE, sizeof(double));
    return pieces->p && pieces->square ? cond_resolved_create(sim) : COND_OUT_OF_MEMORY;
}

// ---- pairs

// Joint targets that move during the step have moved in proportion at this share of it.
static void share_commands(const CondState* state, double done, CondState* at)
{
    for (int i = 0; i < state->n_target; i++)
        at->command[i] = done < 1.0
                             ? state->target[i] + done * (state->command[i] - state->target[i])
                             : state->command[i];
}

// A piece from `begun` on, `share` of the step long. What misses its tolerance is too long.
static CondStatus make(CondSim* sim, const CondState* state, double begun, double share,
                       CondState* from, CondState* to, CondStepInfo* info)
{
    CondAttempt* attempt = &sim->attempt;
    double end = begun + share;
    share_commands(state, end, from);
    cond_watch_begin(sim);
    attempt->share_begun = begun;
    attempt->share = share;
    attempt->ends = !(end < 1.0);
    *info = (CondStepInfo){.substeps = 1};
    CondStatus status = cond_step_make(sim, from, to, info);
    attempt->share_begun = 0.0;
    attempt->share = 1.0;
    attempt->ends = 1;
    attempt->time_step = sim->model->settings.time_step;
    return status;
}

static CondStatus add(CondSim* sim, const CondStepInfo* info, double share)
{
    cond_sim_add_attempt(info, &sim->pieces.pair);
    return cond_tally_add(sim, &sim->pieces.sums, info, share,
                          info->substeps > 1 ? &sim->substeps.tally : NULL);
}

static int ends(CondStatus status)
{
    return status == COND_OUT_OF_MEMORY || status == COND_CANCELLED;
}

// The pair in one go, unless that is there, and its halves; *error: what they are wrong by,
// infinite where one of them misses. The worst status of the halves.
static CondStatus try_pair(CondSim* sim, const CondState* state, double begun, double share,
                           int* whole, double* error)
{
    CondPieces* pieces = &sim->pieces;
    CondStepInfo info;
    CondStatus made = COND_OK, status;
    *error = INFINITY;
    pieces->pair = (CondStepInfo){.attempts = 0};
    if (!*whole) {
        made = make(sim, state, begun, share, pieces->begin, pieces->whole, &info);
        cond_sim_add_attempt(&info, &pieces->vain);
        if (ends(made))
            return made;
    }
    *whole = 0;
    double half = 0.5 * share, last = begun + share < 1.0 ? half : 1.0 - (begun + half);
    CondStatus first = make(sim, state, begun, half, pieces->begin, pieces->first, &info);
    if (first < 0) {
        cond_sim_add_attempt(&info, &pieces->vain);
        return first;
    }
    *whole = first == COND_OK;
    if ((status = add(sim, &info, half)))
        return status;
    CondStatus second = make(sim, state, begun + half, last, pieces->first, pieces->second, &info);
    if (second < 0) {
        cond_sim_add_attempt(&info, &pieces->vain);
        return second;
    }
    if ((status = add(sim, &info, last)))
        return status;
    status = cond_status_worst(first, second);
    if (made != COND_OK || status != COND_OK)
        return status;
    return cond_pair_error(sim, share * sim->model->settings.time_step, error);
}

// A piece that is like the last pair, begun at `begun`, stands as it is: *stands. Else it is the
// pair in one go.
static CondStatus try_alone(CondSim* sim, const CondState* state, double begun, double share,
                            const CondPace* pace, int* stands)
{
    CondPieces* pieces = &sim->pieces;
    const CondSceneSettings* settings = &sim->model->settings;
    CondStepInfo info;
    *stands = 0;
    CondStatus status = make(sim, state, begun, share, pieces->begin, pieces->whole, &info);
    double level = INFINITY;
    if (status == COND_OK)
        status = cond_piece_unsteadiness(sim, pieces->begin, pieces->whole,
                                         share * settings->time_step, &level);
    *stands = level <= fmax(settings->accuracy, sqrt(2.0) * pace->level);
    if (!*stands) {
        cond_sim_add_attempt(&info, &pieces->vain);
        return status;
    }
    CondState* second = pieces->second;
    pieces->second = pieces->whole;
    pieces->whole = second;
    status = cond_tally_copy(sim, &pieces->sums, &pieces->kept);
    pieces->pair = (CondStepInfo){.attempts = 0};
    return status ? status : add(sim, &info, share);
}

// After a pair of length `share` that stands: how many pieces like it may follow it alone.
static CondStatus trust(CondSim* sim, double share, double wish, double error, CondPace* pace)
{
    CondPieces* pieces = &sim->pieces;
    const CondSceneSettings* settings = &sim->model->settings;
    int whole = 4.0 * error <= COND_SAFETY * COND_SAFETY * settings->accuracy;
    double length = (whole ? share : 0.5 * share) * settings->time_step;
    pace->trust = 0;
    if (error > settings->accuracy || wish >= 2.0 * share)
        return COND_OK;
    CondStatus status = cond_piece_unsteadiness(
        sim, pieces->begin, whole ? pieces->whole : pieces->first, length, &pace->level);
    cond_kinematics_set(&sim->at_end, pieces->second->q); // where the pair ends
    pace->alone = length;
    pace->error = whole ? 4.0 * error : error;
    pace->trust = sqrt(8.0) * pace->level < 1.0 ? COND_PIECE_TRUST : 0;
    return status;
}

// The pair is given up: its work counts, nothing of it stands, and its first half is the one go of
// the next.
static CondStatus give_up(CondSim* sim)
{
    CondPieces* pieces = &sim->pieces;
    CondState* first = pieces->first;
    pieces->first = pieces->whole;
    pieces->whole = first;
    cond_sim_add_attempt(&pieces->pair, &pieces->vain);
    pieces->rejected++;
    return cond_tally_copy(sim, &pieces->kept, &pieces->sums);
}

// Goes on from `begun` by one pair, which is shortened until it holds; *share: its length; *error:
// of it. The status of what stands.
static CondStatus go_on(CondSim* sim, const CondState* state, double begun, double* share,
                        int whole, double* error)
{
    CondPieces* pieces = &sim->pieces;
    for (;;) {
        CondStatus status = cond_tally_copy(sim, &pieces->sums, &pieces->kept);
        *error = INFINITY;
        if (!status)
            status = try_pair(sim, state, begun, *share, &whole, error);
        int shortest = *share <= COND_PIECE_SHORTEST || pieces->kept.n_piece >= COND_PIECES_MOST;
        if (ends(status) || *error <= sim->model->settings.accuracy || shortest)
            return status;
        if ((status = give_up(sim)))
            return status;
        *share *= 0.5;
    }
}

// The length of the next pair, of what is left of the step.
static double fit(double wish, double left)
{
    return wish >= left * (1.0 - COND_INPUT_ROUNDING) ? left
           : wish > 0.5 * left                        ? 0.5 * left
                                                      : wish;
}

// What to try after a pair of length share that was wrong by `error`. One that was shorter than
// wished for, at the end of a step or where something was struck, says nothing of the next; two in
// a row that had to be shortened do.
static double grow(double wish, double share, double error, double accuracy, const CondPace* pace)
{
    double factor = COND_SAFETY * sqrt(accuracy / fmax(error, DBL_MIN));
    double next = share * fmin(fmax(factor, 0.5), 2.0);
    next = factor >= 1.0 && share < wish && pace->cut < 2 ? fmax(next, wish) : next;
    return fmin(fmax(next, COND_PIECE_SHORTEST), 1.0);
}

static CondStatus conclude(CondSim* sim, CondState* state, CondPace pace, double error,
                           CondStepInfo* info)
{
    CondPieces* pieces = &sim->pieces;
    CondStatus status = cond_tally_spread(sim, &pieces->sums);
    if (!status)
        status = cond_events_reserve(sim);
    if (!status)
        status = cond_state_copy(state, pieces->begin);
    if (status)
        return status;
    pace.last = state->pace.last;
    state->pace = pace;
    *info = pieces->sums.info;
    info->pieces = pieces->sums.n_piece;
    info->rejected = pieces->rejected;
    info->error = error;
    return COND_OK;
}

CondStatus cond_pieces_step(CondSim* sim, CondState* state, CondStepInfo* info)
{
    CondPieces* pieces = &sim->pieces;
    double length = sim->model->settings.time_step, accuracy = sim->model->settings.accuracy;
    CondPace pace = state->pace;
    double wish = pace.piece > 0.0 ? fmin(pace.piece / length, 1.0) : 1.0;
    double begun = 0.0, worst = 0.0;
    CondStatus status = create(sim), all = COND_OK;
    if (!status)
        status = cond_state_copy(pieces->begin, state);
    cond_tally_begin(&pieces->sums);
    pieces->vain = (CondStepInfo){.attempts = 0};
    pieces->rejected = 0;
    while (!status && begun < 1.0) {
        int too_many = pieces->sums.n_piece >= COND_PIECES_MOST; // the rest is made as it comes
        double share = fit(too_many ? 1.0 : wish, 1.0 - begun), asked = share, error;
        int alone = pace.trust > 0 && !too_many, whole = 0;
        CondStatus made = COND_OK;
        if (alone) {
            asked = share = fit(fmin(pace.alone / length, 1.0), 1.0 - begun);
            made = try_alone(sim, state, begun, share, &pace, &alone);
            whole = made == COND_OK && !alone;
            pace.trust = alone ? pace.trust - 1 : 0;
            error = pace.error;
        }
        if (!alone && !ends(made)) {
            double tried = share;
            made = go_on(sim, state, begun, &share, whole, &error);
            pace.cut = share < tried ? pace.cut + 1 : 0;
            wish = grow(fmax(wish, share), share, error, accuracy, &pace);
            if (made == COND_OK)
                made = trust(sim, share, wish, error, &pace);
        }
        int last = share == asked && !(begun + share < 1.0);
        all = cond_status_worst(all, made);
        if (made < 0)
            status = made;
        if (!status)
            status = cond_state_copy(pieces->begin, pieces->second);
        worst = fmax(worst, error);
        begun = last ? 1.0 : begun + share;
    }
    pace.piece = wish * length;
    if (!status)
        status = conclude(sim, state, pace, worst, info);
    cond_sim_add_attempt(&pieces->vain, info);
    if (status < 0)
        return status;
    int most = pieces->sums.n_piece > COND_PIECES_MOST && worst > accuracy;
    return cond_status_worst(all, most ? COND_NOT_CONVERGED : COND_OK);
}
