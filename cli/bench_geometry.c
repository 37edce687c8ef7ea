// The collision detection against the geometric audit, at poses drawn by chance: are depths and
// signs right, and how many contacts does a pair make?
#include "bench_pair.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { POSES = 100000, QUICK_POSES = 500, POSES_A_MODEL = 200 };

static const double DEPTH = 0.1;      // deepest pose, and farthest apart, in sizes
static const double TOLERANCE = 1e-6; // of a depth, in sizes
static const double SIGN = 1e-9;      // within which two things touch, in sizes

typedef struct Tally {
    PairKind kind[2];
    int poses, first, code; // how many, and the number of the first one
    int close;              // at most a tenth of the size deep or apart
    int wrong;              // wrong signs of the depth
    int turned, unseen;     // of the least gap of the contacts; overlaps without any contact
    double under, over;     // how much less and more than true a depth is said to be, in sizes
    double apart;           // the same of gaps, in sizes
    int most;               // contacts
    double contacts;        // sum
    double worst_q[2][7];   // poses of the worst under
} Tally;

static CondPose make_pose(const double position[3], const double q[4])
{
    CondPose pose = {.velocity = {0.0}};
    memcpy(pose.position, position, sizeof pose.position);
    memcpy(pose.orientation, q, sizeof pose.orientation);
    return pose;
}

// A pose at which the two are about as far apart, or as deep in each other, as drawn: any
// directions, then shifts along the normal that the audit finds.
static int draw_pose(const Pair* pair, Chance* chance, CondAuditPair* found)
{
    double position[2][3] = {{0.0}}, q[2][4], d[3];
    int special = chance_between(chance, 0.0, 1.0) < 0.2, n = pair->first ? 1 : 2;
    double share = chance_between(chance, -1.0, 1.0) * DEPTH;
    chance_direction(chance, d);
    for (int k = 0; k < 2; k++)
        chance_rotation(chance, special, q[k]);
    for (int i = 0; i < 3; i++) {
        position[0][i] = chance_between(chance, -0.05, 0.05);
        position[1][i] = position[0][i] + (special ? round(d[i]) * 0.1 : 0.1 * d[i]);
    }
    if (pair->first)
        position[0][2] = 0.1;
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < n; k++) {
            CondPose pose = make_pose(position[k], q[k]);
            if (cond_state_set_pose(pair->model, pair->state, k, &pose))
                return 0;
        }
        if (!pair_audit(pair, INFINITY, found))
            return 0;
        double shift = found->depth + share * found->size;
        for (int i = 0; i < 3 && round < 2; i++)
            position[n - 1][i] += shift * found->normal[i];
    }
    return 1;
}

// 1 where a gap says that two things are apart that overlap, or the other way round.
static int is_wrong(double gap, const CondAuditPair* found)
{
    double small = SIGN * found->size;
    return (found->depth > small && !(gap < 0.0)) || (found->depth < -small && gap < 0.0);
}

static void compare(const Pair* pair, const CondAuditPair* found, const PairFound* said_of,
                    Tally* tally)
{
    double size = found->size, depth = found->depth, gap = said_of->gap, said = -gap;
    tally->poses++;
    tally->most = said_of->n_contact > tally->most ? said_of->n_contact : tally->most;
    tally->contacts += said_of->n_contact;
    if (fabs(depth) > DEPTH * size)
        return;
    tally->close++;
    tally->wrong += is_wrong(gap, found);
    tally->turned += is_wrong(said_of->contact, found);
    tally->unseen += depth > SIGN * size && said_of->n_contact == 0;
    if (depth <= 0.0) {
        if (isfinite(gap))
            tally->apart = fmax(tally->apart, fabs(gap + depth) / size);
        return;
    }
    if (isinf(gap))
        said = 0.0;
    tally->over = fmax(tally->over, (said - depth) / size);
    if ((depth - said) / size <= tally->under)
        return;
    tally->under = (depth - said) / size;
    for (int k = 0; k < 2 - pair->first; k++) {
        CondPose pose = cond_state_pose(pair->model, pair->state, k);
        memcpy(tally->worst_q[k], pose.position, sizeof pose.position);
        memcpy(tally->worst_q[k] + 3, pose.orientation, sizeof pose.orientation);
    }
}

static void run_tally(int seed, int poses, Tally* tally)
{
    Chance chance = {(uint64_t)seed * 1000003u + 97u * tally->kind[0] + 7919u * tally->kind[1]};
    for (int k = 0; k < poses && !tally->code;) {
        Pair pair;
        CondStatus status =
            pair_begin(tally->kind[0], tally->kind[1], 0, 0.001, 0.03, &chance, &pair);
        for (int i = 0; i < POSES_A_MODEL && k < poses && !status; i++, k++) {
            CondAuditPair found;
            PairFound said;
            if (!draw_pose(&pair, &chance, &found))
                continue;
            status = pair_collide(&pair, &said);
            if (!status)
                compare(&pair, &found, &said, tally);
        }
        pair_end(&pair);
        tally->code = cli_exit(status);
    }
}

static json_t* make_row(const Tally* tally)
{
    char label[64];
    snprintf(label, sizeof label, "%s, %s", pair_kind_name(tally->kind[0]),
             pair_kind_name(tally->kind[1]));
    return json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:o, s:[o,o]}", "label",
                     label, "poses", tally->poses, "close", tally->close, "under",
                     json_number(tally->under), "over", json_number(tally->over), "apart",
                     json_number(tally->apart), "wrong", tally->wrong, "turned", tally->turned,
                     "unseen", tally->unseen, "most", tally->most, "contacts",
                     json_number(tally->poses ? tally->contacts / tally->poses : 0.0), "worst",
                     json_numbers(tally->worst_q[0], 7), json_numbers(tally->worst_q[1], 7));
}

static int run(const BenchOptions* options, json_t* result)
{
    int poses = options->poses > 0 ? options->poses : options->quick ? QUICK_POSES : POSES, n = 0;
    int threads = options->threads > 0 ? options->threads : omp_get_num_procs(), code = CLI_FINE;
    Tally tally[PAIR_N_KIND * PAIR_N_KIND];
    json_t* rows = json_array();
    json_object_set_new(result, "rows", rows);
    for (int a = 0; a < PAIR_N_KIND; a++)
        for (int b = PAIR_SPHERE; b < PAIR_N_KIND; b++)
            if (pair_is_wanted(options, (PairKind)a, (PairKind)b))
                tally[n++] = (Tally){.kind = {(PairKind)a, (PairKind)b}};
    int each = n > 0 ? (poses + n - 1) / n : 0;
    // Pairs share nothing, and each of them runs on one thread.
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int i = 0; i < n; i++)
        run_tally(options->seed, each, &tally[i]);
    for (int i = 0; i < n; i++) {
        json_array_append_new(rows, make_row(&tally[i]));
        int missed = tally[i].wrong > 0 || tally[i].turned > 0 || tally[i].under > TOLERANCE ||
                     tally[i].over > TOLERANCE;
        code = tally[i].code > code ? tally[i].code : code;
        code = missed && code == CLI_FINE ? CLI_TOLERANCE : code;
    }
    return code;
}

static const BenchColumn columns[] = {
    {"label", "pair", NULL, 24},     {"poses", "poses", "%.0f", 8},
    {"close", "close", "%.0f", 8},   {"under", "under", "%.1e", 10},
    {"over", "over", "%.1e", 10},    {"apart", "apart", "%.1e", 10},
    {"wrong", "wrong", "%.0f", 7},   {"turned", "turned", "%.0f", 7},
    {"unseen", "unseen", "%.0f", 7}, {"contacts", "contacts", "%.1f", 9},
    {"most", "most", "%.0f", 6},
};

const Benchmark bench_geometry = {
    "geometry",
    "collision detection against the geometric audit, at random poses",
    {{"rows", columns, sizeof columns / sizeof columns[0]}},
    run};
