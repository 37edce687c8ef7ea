// cond bench scaling: the stages of a step with 1, 2, 4 .. threads: times, what is outside of loops
// and how evenly these are shared out, and from that what 8 and 16 processors would gain.
#include "bench.h"

#include "env_run.h"
#include "interrupt.h"
#include "memory.h"
#include "roofline.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_WORK = 48,
    MOST_LOOPS = 256,
    MOST_COUNT = 8,
    N_PREDICTED = 3,
    MOST_REPEATS = 9,
    ACCOUNTS = 5,     // repetitions that are measured,
    LONG_SECONDS = 3, // [s] after which no more are made
    WORST = 10        // loops that are shown
};

// Threads whose loops are measured on the processors that there are; the first is the reference.
static const int predicted[N_PREDICTED] = {1, 8, 16};

// What each thread adds to the time of a meeting [s]: a barrier of p of them takes p times that on
// one socket of 16 cores (docs/bench.md).
static const double MEETING_SECONDS = 0.2e-6;

typedef struct Case {
    const char *name, *scene;
    const char* set[2]; // overrides, or NULL
    int first, steps;   // steps before those that are measured, and how many these are
    int envs;           // > 0: environments side by side
} Case;

static const Case cases[] = {
    {"mat 4k", "mat", {"bodies.mat.mesh=mat:27,27,2:0.4,0.4,0.008"}, 5, 3, 0},
    {"mat 15k", "mat", {"bodies.mat.mesh=mat:50,50,2:0.4,0.4,0.008"}, 3, 2, 0},
    {"mat 150k", "mat", {"bodies.mat.mesh=mat:158,158,2:0.4,0.4,0.008"}, 2, 1, 0},
    {"mat 1M", "mat", {"bodies.mat.mesh=mat:409,409,2:0.4,0.4,0.008"}, 1, 1, 0},
    {"mat", "mat", {NULL}, 10, 3, 0},
    {"gripper", "gripper", {NULL}, 20, 2, 0},
    {"cable", "cable", {NULL}, 20, 5, 0},
    {"bin", "bin", {NULL}, 60, 4, 0},
    {"bin1000", "bin1000", {NULL}, 40, 2, 0},
    {"wall", "wall", {NULL}, 10, 3, 0},
    {"64 environments", "pusher", {NULL}, 0, 40, 64},
};
enum { N_CASE = sizeof cases / sizeof cases[0] };

static const Case small[] = {{"mat", "mat", {"bodies.mat.mesh=mat:9,9,2:0.4,0.4,0.008"}, 1, 1, 0},
                             {"4 environments", "pusher", {NULL}, 0, 3, 4}};
enum { N_SMALL = sizeof small / sizeof small[0] };

static int load(const Case* c, const BenchOptions* options, int threads, CondModel** model)
{
    char path[4096], number[32], tolerance[64];
    const char* set[4] = {number, tolerance};
    int n = 2;
    CondScene* scene = NULL;
    CondError error;
    cli_scene_path(c->scene, path, sizeof path);
    snprintf(number, sizeof number, "solver.threads=%d", threads);
    snprintf(tolerance, sizeof tolerance, "solver.tolerance=%.17g", options->tolerance);
    for (int k = 0; k < 2 && c->set[k]; k++)
        set[n++] = c->set[k];
    CondStatus status = cond_scene_read(memory_context(), path, n, set, &scene, &error);
    if (!status)
        status = cond_scene_compile(scene, model, &error);
    cond_scene_destroy(scene);
    if (status)
        cli_complain("%s", error.message);
    return cli_exit(status);
}

// ---- steps

typedef struct Steps {
    int dof, contacts;
    double seconds[COND_N_STAGE + 1]; // of a step, by stage and in all
} Steps;

// What the account of one thread count says, over several repetitions: the least of each number,
// since other programs and interrupts only add to them.
typedef struct Account {
    int n_work, n_loop;
    CondThreadsWork work[MOST_WORK], loop[MOST_LOOPS];
    const char* stage[MOST_LOOPS]; // of the loops
} Account;

static void keep_least(CondThreadsWork* to, const CondThreadsWork* now)
{
    to->outside = fmin(to->outside, now->outside);
    to->within = fmin(to->within, now->within);
    to->longest = fmin(to->longest, now->longest);
}

static void read_account(Account* account)
{
    CondThreadsWork work;
    const char* stage;
    for (int k = 0, i; cond_account_read(k, &work); k++) {
        for (i = 0; i < account->n_work && strcmp(account->work[i].name, work.name) != 0; i++)
            ;
        if (i < account->n_work)
            keep_least(&account->work[i], &work);
        else if (i < MOST_WORK)
            account->work[account->n_work++] = work;
    }
    for (int k = 0, i; cond_account_read_loop(k, &stage, &work); k++) {
        for (i = 0; i < account->n_loop && (strcmp(account->loop[i].name, work.name) != 0 ||
                                            strcmp(account->stage[i], stage) != 0);
             i++)
            ;
        if (i < account->n_loop) {
            keep_least(&account->loop[i], &work);
        } else if (i < MOST_LOOPS) {
            account->stage[i] = stage;
            account->loop[account->n_loop++] = work;
        }
    }
}

// Makes the steps after the state in `from`, several times; the shortest of each. threads > 0:
// measures all but the first for so many.
static CondStatus repeat(const CondModel* model, const CondState* from, int steps, int repeats,
                         int threads, Account* account, Steps* out)
{
    CondSim* sim = NULL;
    CondState* state = NULL;
    CondError error;
    CondStatus status = cond_sim_create(model, &sim, &error);
    if (!status)
        status = cond_state_create(model, &state, &error);
    for (int i = 0; i <= COND_N_STAGE; i++)
        out->seconds[i] = INFINITY;
    for (int r = 0; r < repeats && status >= 0; r++) {
        double sum[COND_N_STAGE + 1] = {0.0};
        status = cond_state_copy(state, from);
        if (r > 0 && threads > 0)
            cond_account_begin(threads);
        for (int k = 0; k < steps && status >= 0; k++) {
            CondStepInfo info;
            double start = roofline_clock();
            status = cond_sim_step(sim, state, &info);
            sum[COND_N_STAGE] += (roofline_clock() - start) / steps;
            for (int i = 0; i < COND_N_STAGE; i++)
                sum[i] += info.seconds[i] / steps;
            out->contacts = info.n_contact;
        }
        for (int i = 0; i <= COND_N_STAGE; i++)
            out->seconds[i] = fmin(out->seconds[i], sum[i]);
        if (r > 0 && threads > 0 && status >= 0)
            read_account(account);
        cond_account_begin(0);
        if (r * steps * sum[COND_N_STAGE] > LONG_SECONDS)
            break;
    }
    out->dof = cond_model_n_dof(model);
    cond_state_destroy(state);
    cond_sim_destroy(sim);
    return status;
}

static CondStatus advance(const CondModel* model, int steps, CondState* state)
{
    CondSim* sim = NULL;
    CondError error;
    CondStatus status = cond_sim_create(model, &sim, &error);
    for (int k = 0; k < steps && status >= 0; k++)
        status = cond_sim_step(sim, state, NULL);
    cond_sim_destroy(sim);
    return status;
}

static int run_envs(const Case* c, const BenchOptions* options, int threads, double* seconds)
{
    EnvRun what = {.scene = c->scene,
                   .envs = c->envs,
                   .steps = options->steps > 0 ? options->steps : c->steps,
                   .threads = threads,
                   .resets = 1};
    EnvTally tally;
    int code = env_run(&what, &tally);
    if (code == CLI_FINE)
        *seconds = tally.seconds / what.steps;
    return code;
}

// ---- rows

// What was measured of a case: the times by thread count, and the account by that of `predicted`.
typedef struct Scaling {
    const Case* what;
    int n_count;
    Steps steps[MOST_COUNT]; // with 1, 2, 4 .. threads
    Account account[N_PREDICTED];
} Scaling;

static void add_times(const Scaling* s, json_t* rows)
{
    for (int i = COND_N_STAGE; i >= 0; i--) {
        double one = s->steps[0].seconds[i];
        for (int k = 0; k < s->n_count && one > 0.0; k++) {
            double now = s->steps[k].seconds[i];
            json_array_append_new(
                rows,
                json_pack("{s:s, s:i, s:i, s:s, s:i, s:o, s:o, s:o}", "scene", s->what->name, "dof",
                          s->steps[0].dof, "contacts", s->steps[0].contacts, "stage",
                          i < COND_N_STAGE ? cond_stage_name((CondStage)i) : "step", "threads",
                          1 << k, "ms", json_number(1e3 * now), "times", json_number(one / now),
                          "efficiency", json_number(one / now / (1 << k))));
        }
    }
}

// The entry of a name; zeros where there is none.
static CondThreadsWork find(int n, const CondThreadsWork* work, const char* name)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(work[i].name, name))
            return work[i];
    return (CondThreadsWork){.name = name};
}

static CondThreadsWork total(int n, const CondThreadsWork* work)
{
    CondThreadsWork sum = {.name = "all"};
    for (int i = 0; i < n; i++) {
        sum.outside += work[i].outside;
        sum.within += work[i].within;
        sum.longest += work[i].longest;
        sum.loops += work[i].loops;
        sum.barriers += work[i].barriers;
        sum.met += work[i].met;
    }
    return sum;
}

// Seconds with the threads of an account: what is outside of loops, the longest share of each, and
// the meetings: a loop begins and ends with one.
static double predict(const CondThreadsWork* work)
{
    return work->outside + work->longest + MEETING_SECONDS * work->met;
}

// A row of the table of work, with the most threads of `predicted`.
static void add_work(const Scaling* s, const CondThreadsWork work[N_PREDICTED], json_t* rows)
{
    const CondThreadsWork* most = &work[N_PREDICTED - 1];
    double one = work[0].outside + work[0].within;
    int steps = s->what->steps;
    json_t* row = json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "scene", s->what->name, "work", most->name,
        "ms", json_number(1e3 * one / steps), "outside_ms",
        json_number(1e3 * most->outside / steps), "serial", json_number(most->outside / one),
        "loops", json_number((double)most->loops / steps), "barriers",
        json_number((double)most->barriers / steps), "imbalance",
        json_number(most->within > 0.0 ? predicted[N_PREDICTED - 1] * most->longest / most->within
                                       : NAN));
    for (int k = 1; k < N_PREDICTED; k++) {
        char key[32];
        snprintf(key, sizeof key, "times%d", predicted[k]);
        json_object_set_new(row, key, json_number(one / predict(&work[k])));
    }
    json_array_append_new(rows, row);
}

static void add_all_work(const Scaling* s, json_t* rows)
{
    const int last = N_PREDICTED - 1;
    CondThreadsWork work[N_PREDICTED];
    for (int i = -1; i < s->account[last].n_work; i++) {
        for (int k = 0; k < N_PREDICTED; k++)
            work[k] = i < 0 ? total(s->account[k].n_work, s->account[k].work)
                            : find(s->account[k].n_work, s->account[k].work,
                                   s->account[last].work[i].name);
        add_work(s, work, rows);
    }
}

// Time that the loops of a name and what is before them lose with so many threads.
static double lost(const CondThreadsWork* work, int threads)
{
    return predict(work) - work->within / threads;
}

// The loops of a step that lose most with the most threads of `predicted`.
static void add_worst(const Scaling* s, json_t* rows)
{
    const int threads = predicted[N_PREDICTED - 1], steps = s->what->steps;
    const Account* account = &s->account[N_PREDICTED - 1];
    int used[MOST_LOOPS] = {0};
    for (int row = 0; row < WORST; row++) {
        int worst = -1;
        for (int i = 0; i < account->n_loop; i++)
            if (!used[i] && (worst < 0 || lost(&account->loop[i], threads) >
                                              lost(&account->loop[worst], threads)))
                worst = i;
        if (worst < 0)
            return;
        const CondThreadsWork* loop = &account->loop[worst];
        used[worst] = 1;
        json_array_append_new(
            rows, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "scene", s->what->name,
                            "work", account->stage[worst], "loop", loop->name, "lost_ms",
                            json_number(1e3 * lost(loop, threads) / steps), "before_ms",
                            json_number(1e3 * loop->outside / steps), "within_ms",
                            json_number(1e3 * loop->within / steps), "longest_ms",
                            json_number(1e3 * loop->longest / steps), "loops",
                            json_number((double)loop->loops / steps), "barriers",
                            json_number((double)loop->barriers / steps)));
    }
}

// ---- cases

// The account of the steps for one of `predicted`.
static int take_account(Scaling* s, const BenchOptions* options, const CondState* from, int k)
{
    CondModel* model = NULL;
    CondStatus status = COND_OK;
    Steps steps;
    double seconds;
    int code = s->what->envs > 0 ? CLI_FINE : load(s->what, options, predicted[k], &model);
    if (code == CLI_FINE && !s->what->envs)
        status =
            repeat(model, from, s->what->steps, 1 + ACCOUNTS, predicted[k], &s->account[k], &steps);
    if (s->what->envs) {
        cond_account_begin(predicted[k]);
        code = run_envs(s->what, options, predicted[k], &seconds);
    }
    if (code == CLI_FINE && s->what->envs)
        read_account(&s->account[k]);
    cond_account_begin(0);
    cond_model_destroy(model);
    return code != CLI_FINE ? code : status < 0 ? cli_exit(status) : CLI_FINE;
}

static int run_case(const Case* c, const BenchOptions* options, int most, json_t* rows,
                    json_t* work, json_t* worst)
{
    Scaling* s = calloc(1, sizeof *s);
    CondModel* first = NULL;
    CondState* from = NULL;
    CondError error;
    CondStatus status = COND_OK;
    int code = s ? CLI_FINE : CLI_INPUT, repeats = c->steps < MOST_REPEATS ? 3 : 2;
    if (code == CLI_FINE && !c->envs)
        code = load(c, options, most, &first);
    if (code == CLI_FINE && !c->envs)
        status = cond_state_create(first, &from, &error);
    if (code == CLI_FINE && !c->envs && status >= 0)
        status = advance(first, options->steps > 0 ? options->steps : c->first, from);
    if (s)
        s->what = c;
    for (int k = 0; k < MOST_COUNT && 1 << k <= most && code == CLI_FINE && status >= 0; k++) {
        CondModel* model = NULL;
        s->n_count = k + 1;
        if (c->envs) {
            for (int i = 0; i < COND_N_STAGE; i++)
                s->steps[k].seconds[i] = 0.0;
            code = run_envs(c, options, 1 << k, &s->steps[k].seconds[COND_N_STAGE]);
            continue;
        }
        code = load(c, options, 1 << k, &model);
        if (code == CLI_FINE)
            status = repeat(model, from, c->steps, repeats, 0, NULL, &s->steps[k]);
        cond_model_destroy(model);
    }
    for (int k = 0; k < N_PREDICTED && code == CLI_FINE && status >= 0; k++)
        code = take_account(s, options, from, k);
    if (code == CLI_FINE && status >= 0) {
        add_times(s, rows);
        add_all_work(s, work);
        add_worst(s, worst);
        fprintf(stderr, "%-16s %9.2f ms with 1 thread, %9.2f with %d\n", c->name,
                1e3 * s->steps[0].seconds[COND_N_STAGE],
                1e3 * s->steps[s->n_count - 1].seconds[COND_N_STAGE], 1 << (s->n_count - 1));
    } else if (code == CLI_FINE) {
        cli_complain("bench: %s: %s", c->name, cond_status_name(status));
        code = cli_exit(status);
    }
    cond_state_destroy(from);
    cond_model_destroy(first);
    free(s);
    return code;
}

static int run(const BenchOptions* options, json_t* result)
{
    json_t *rows = json_array(), *work = json_array(), *worst = json_array();
    const Case* list = options->quick ? small : cases;
    int n = options->quick ? N_SMALL : N_CASE, code = CLI_FINE;
    int most = options->threads > 0 ? options->threads : omp_get_num_procs();
    json_object_set_new(result, "rows", rows);
    json_object_set_new(result, "work", work);
    json_object_set_new(result, "worst", worst);
    for (int i = 0; i < n && code == CLI_FINE && !interrupt_signal(); i++)
        if (bench_asks(options->scenes, list[i].name))
            code = run_case(&list[i], options, most, rows, work, worst);
    return code;
}

static const BenchColumn times[] = {
    {"scene", "scene", NULL, 18},           {"dof", "dof", "%.0f", 9},
    {"contacts", "contacts", "%-10.0f", 9}, {"stage", "stage", NULL, 12},
    {"threads", "threads", "%.0f", 8},      {"ms", "ms", "%.3f", 12},
    {"times", "times", "%.2f", 8},          {"efficiency", "efficiency", "%.2f", 11},
};
static const BenchColumn account[] = {
    {"scene", "scene", NULL, 18},
    {"work", "work", NULL, 20},
    {"ms", "ms", "%.3f", 12},
    {"outside_ms", "outside ms", "%.3f", 12},
    {"serial", "serial", "%.4f", 9},
    {"loops", "loops", "%.0f", 8},
    {"barriers", "barriers", "%.0f", 9},
    {"imbalance", "imbalance", "%.2f", 10},
    {"times8", "8 cores", "%.2f", 8},
    {"times16", "16 cores", "%.2f", 9},
};
static const BenchColumn worst_loops[] = {
    {"scene", "scene", NULL, 18},
    {"work", "work", NULL, 20},
    {"loop", "loop", NULL, 26},
    {"lost_ms", "lost ms", "%.3f", 9},
    {"before_ms", "before ms", "%.3f", 10},
    {"within_ms", "within ms", "%.3f", 10},
    {"longest_ms", "longest ms", "%.3f", 11},
    {"loops", "loops", "%.0f", 7},
    {"barriers", "barriers", "%.0f", 9},
};

const Benchmark bench_scaling = {
    "scaling",
    "stages of a step by the number of threads, and what more of them "
    "would gain",
    {{"rows", times, sizeof times / sizeof times[0]},
     {"work", account, sizeof account / sizeof account[0]},
     {"worst", worst_loops, sizeof worst_loops / sizeof worst_loops[0]}},
    run};
