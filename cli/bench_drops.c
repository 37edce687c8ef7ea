// Pairs of bodies dropped on each other and on the floor, with the geometric audit after every
// step.
#include "bench_pair.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 2000, QUICK_PAIRS = 4, STEPS = 400 };

static const double TOLERANCE = 1e-5; // of a true penetration, in sizes

typedef struct Drop {
    PairKind kind[2];
    int number, code;
    int steps, missed; // made, beyond the tolerance of the solver
    double depth;      // deepest by the audit, in sizes
    double found;      // deepest that the steps said, in sizes
    int worst_step;
    char worst[4 * COND_NAME_SIZE + 4];
} Drop;

static CondStatus lay_out(const Pair* pair, Chance* chance)
{
    CondStatus status = COND_OK;
    for (int k = 0; k < 2 && !status; k++) {
        CondPose pose = {.velocity = {0.0}};
        chance_rotation(chance, chance_between(chance, 0.0, 1.0) < 0.2, pose.orientation);
        for (int i = 0; i < 2; i++)
            pose.position[i] = chance_between(chance, -0.02, 0.02);
        pose.position[2] = k ? 0.45 : 0.16; // nothing reaches farther than 0.15 from its centre
        for (int i = 0; i < 3; i++)
            pose.angular_velocity[i] = chance_between(chance, -3.0, 3.0);
        pose.velocity[2] = k ? -1.5 : 0.0;
        status = cond_state_set_pose(pair->model, pair->state, k, &pose);
    }
    return status;
}

static void run_drop(int seed, int steps, Drop* drop)
{
    Chance chance = {(uint64_t)seed * 1000003u + 7907u * (unsigned)drop->number};
    Pair pair;
    CondStatus status = pair_begin(drop->kind[0], drop->kind[1], 1, 0.001, NAN, &chance, &pair);
    if (!status)
        status = lay_out(&pair, &chance);
    for (int k = 0; k < steps && status >= 0; k++) {
        CondStepInfo info;
        status = cond_sim_step(pair.sim, pair.state, &info);
        if (status < 0 || cond_audit_run(pair.audit, pair.state, 0.0))
            break;
        drop->steps++;
        drop->missed += info.status > 0;
        int deepest = cond_audit_deepest(pair.audit);
        CondAuditPair found = {.depth = 0.0, .size = 1.0};
        if (deepest >= 0)
            found = cond_audit_pair(pair.audit, deepest);
        drop->found = fmax(drop->found, info.penetration / found.size);
        if (found.depth / found.size > drop->depth) {
            drop->depth = found.depth / found.size;
            drop->worst_step = k;
            snprintf(drop->worst, sizeof drop->worst, "  %s, %s", found.name[0], found.name[1]);
        }
    }
    drop->code = status < 0 ? cli_exit(status) : CLI_FINE;
    pair_end(&pair);
}

// What is worst over the drops of each pair of kinds, in whichever order they lie.
static void add_rows(const Drop* drop, int n, json_t* rows)
{
    for (int a = PAIR_SPHERE; a < PAIR_N_KIND; a++)
        for (int b = PAIR_SPHERE; b < PAIR_N_KIND; b++) {
            int drops = 0, beyond = 0, missed = 0, steps = 0;
            const Drop* worst = NULL;
            double found = 0.0;
            char label[64];
            for (int i = 0; i < n; i++) {
                if (drop[i].kind[0] != (PairKind)a || drop[i].kind[1] != (PairKind)b)
                    continue;
                drops++;
                beyond += drop[i].depth > TOLERANCE;
                missed += drop[i].missed;
                steps += drop[i].steps;
                found = fmax(found, drop[i].found);
                worst = !worst || drop[i].depth > worst->depth ? &drop[i] : worst;
            }
            if (!worst)
                continue;
            snprintf(label, sizeof label, "%s, %s", pair_kind_name((PairKind)a),
                     pair_kind_name((PairKind)b));
            json_array_append_new(
                rows,
                json_pack("{s:s, s:i, s:i, s:i, s:i, s:o, s:o, s:i, s:i, s:s}", "label", label,
                          "drops", drops, "steps", steps, "missed", missed, "beyond", beyond,
                          "depth", json_number(worst->depth), "found", json_number(found), "drop",
                          worst->number, "step", worst->worst_step, "worst", worst->worst));
        }
}

// All ordered pairs of the wanted kinds in turn, from the first one asked for; returns how many
// drops there are.
static int draw_kinds(const BenchOptions* options, int n, Drop* drop)
{
    int made = 0, number = 0, before = -1;
    while (made < n && number > before) {
        before = number;
        for (int a = PAIR_SPHERE; a < PAIR_N_KIND; a++)
            for (int b = PAIR_SPHERE; b < PAIR_N_KIND && made < n; b++)
                if (pair_is_wanted(options, (PairKind)a, (PairKind)b)) {
                    if (number >= options->first)
                        drop[made++] = (Drop){.kind = {(PairKind)a, (PairKind)b}, .number = number};
                    number++;
                }
    }
    return made;
}

static int run(const BenchOptions* options, json_t* result)
{
    int n = options->pairs > 0 ? options->pairs : options->quick ? QUICK_PAIRS : PAIRS;
    int steps = options->steps > 0 ? options->steps : STEPS, code = CLI_FINE, beyond = 0;
    int threads = options->threads > 0 ? options->threads : omp_get_num_procs();
    json_t* rows = json_array();
    json_object_set_new(result, "rows", rows);
    Drop* drop = calloc((size_t)n, sizeof *drop);
    if (!drop) {
        cli_complain("out of memory");
        return CLI_INPUT;
    }
    n = draw_kinds(options, n, drop);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int i = 0; i < n; i++)
        run_drop(options->seed, steps, &drop[i]);
    add_rows(drop, n, rows);
    for (int i = 0; i < n; i++) {
        code = drop[i].code > code ? drop[i].code : code;
        beyond += drop[i].depth > TOLERANCE;
    }
    free(drop);
    return code == CLI_FINE && beyond > 0 ? CLI_TOLERANCE : code;
}

static const BenchColumn columns[] = {
    {"label", "pair", NULL, 24},     {"drops", "drops", "%.0f", 7},
    {"steps", "steps", "%.0f", 8},   {"missed", "missed", "%.0f", 8},
    {"beyond", "beyond", "%.0f", 8}, {"depth", "true depth", "%.1e", 12},
    {"found", "found", "%.1e", 10},  {"drop", "drop", "%.0f", 7},
    {"step", "step", "%.0f", 6},     {"worst", "  between", NULL, 20},
};

const Benchmark bench_drops = {"drops",
                               "pairs dropped on each other, audited after every step",
                               {{"rows", columns, sizeof columns / sizeof columns[0]}},
                               run};
