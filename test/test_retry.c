// The table of retries, and the stages one by one in every documented order.
#include "scene_make.h"

#include "step/stages.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// The cell with this number of a row of a table in Markdown, without the blanks around it.
static void cell(const char* line, int number, char* text, size_t size)
{
    const char* at = line;
    for (int k = 0; k <= number && at; k++)
        at = strchr(at + (k > 0), '|');
    text[0] = '\0';
    if (!at)
        return;
    at += 1 + strspn(at + 1, " ");
    size_t n = strcspn(at, "|\n");
    while (n > 0 && at[n - 1] == ' ')
        n--;
    snprintf(text, size, "%.*s", (int)n, at);
}

// docs/pipeline.md has the rows of the source, in their order.
static void the_page_has_the_table(void** state)
{
    (void)state;
    int n = 0, row = -2, inside = 0;
    const CondRetry* retry = cond_retries(&n);
    char line[1024], text[256];
    FILE* page = fopen(COND_SCENES "/../docs/pipeline.md", "r");
    assert_non_null(page);
    while (fgets(line, sizeof line, page)) {
        inside |= strncmp(line, "| row | after |", 15) == 0;
        if (!inside)
            continue;
        if (line[0] != '|')
            break;
        if (++row <= 0)
            continue;
        assert_in_range(row, 1, n);
        cell(line, 0, text, sizeof text);
        assert_string_equal(text, retry[row - 1].name);
        cell(line, 5, text, sizeof text);
        assert_string_equal(text, retry[row - 1].limit);
        cell(line, 6, text, sizeof text);
        assert_string_equal(text, retry[row - 1].counted);
    }
    fclose(page);
    assert_int_equal(row, n);
}

// Every row asks after some stage and takes back the result of that stage, or of an earlier one.
static void rows_go_back(void** state)
{
    (void)state;
    int n = 0;
    const CondRetry* retry = cond_retries(&n);
    for (int r = 0; r < n; r++) {
        assert_true(retry[r].after != 0 && retry[r].again != 0);
        unsigned first = retry[r].again & (~retry[r].again + 1u);
        assert_true(first <= (retry[r].after & (~retry[r].after + 1u)) || r == 0 ||
                    retry[r].after == COND_ALL_RESULTS);
    }
}

// ---- orders

enum { FORCES, MATRIX, COLLIDE, ASSEMBLE, NODALIZE, SOLVE, RECHECK, INTEGRATE, END };

// Documented orders: the matrix before or after the contacts, nodalize left to the solve or not, a
// stage made twice, distances asked between.
static const int ORDERS[][14] = {
    {FORCES, MATRIX, COLLIDE, ASSEMBLE, SOLVE, RECHECK, INTEGRATE, END},
    {FORCES, MATRIX, COLLIDE, ASSEMBLE, NODALIZE, SOLVE, RECHECK, INTEGRATE, END},
    {FORCES, FORCES, MATRIX, MATRIX, COLLIDE, COLLIDE, ASSEMBLE, ASSEMBLE, NODALIZE, NODALIZE,
     SOLVE, RECHECK, INTEGRATE, END},
    {FORCES, MATRIX, COLLIDE, ASSEMBLE, SOLVE, ASSEMBLE, SOLVE, RECHECK, INTEGRATE, END},
    {FORCES, MATRIX, COLLIDE, ASSEMBLE, SOLVE, SOLVE, RECHECK, INTEGRATE, END},
    {FORCES, MATRIX, COLLIDE, ASSEMBLE, SOLVE, FORCES, MATRIX, COLLIDE, ASSEMBLE, SOLVE, RECHECK,
     INTEGRATE, END},
    {FORCES, MATRIX, COLLIDE, ASSEMBLE, SOLVE, RECHECK, FORCES, MATRIX, COLLIDE, ASSEMBLE, SOLVE,
     RECHECK, INTEGRATE, END},
};
enum { N_ORDER = sizeof ORDERS / sizeof ORDERS[0] };

static CondStatus call(Trial* trial, int stage, CondStepInfo* info)
{
    CondSim* sim = trial->sim;
    CondState* at = trial->state;
    switch (stage) {
    case FORCES:
        memset(info, 0, sizeof *info);
        return cond_sim_forces(sim, at);
    case MATRIX:
        return cond_sim_matrix(sim);
    case COLLIDE:
        return cond_sim_collide(sim, at);
    case ASSEMBLE:
        return cond_sim_assemble(sim, at);
    case NODALIZE:
        return cond_sim_nodalize(sim);
    case SOLVE:
        return cond_sim_solve(sim, at, &info->solve);
    case RECHECK:
        return cond_sim_recheck(sim, at, info);
    default:
        return cond_sim_integrate(sim, at, info);
    }
}

static CondStatus in_order(Trial* trial, const int* order, CondStepInfo* info)
{
    CondStatus worst = COND_OK;
    for (int k = 0; order[k] != END && worst >= 0; k++) {
        CondStatus status = call(trial, order[k], info);
        worst = status < 0 || status > worst ? status : worst;
    }
    return worst;
}

// Boxes that fall into each other, with each integrator; the steps have the bits of cond_sim_step.
static const char BOXES[] = "planes: [{name: floor, friction: 0.6}]\n"
                            "bodies:\n"
                            "  - {name: a, mass: 1, shape: {box: [0.2, 0.2, 0.2]},\n"
                            "     position: [0, 0, 0.101], velocity: [1, 0.3, -1]}\n"
                            "  - {name: b, mass: 2, shape: {box: [0.2, 0.2, 0.2]},\n"
                            "     position: [0.03, 0.02, 0.31], angular_velocity: [3, 2, 9]}\n";

static Trial boxes(const char* integrator, const char* more)
{
    char settings[256];
    snprintf(settings, sizeof settings,
             "step: {time_step: 0.01, integrator: %s, substeps: 1}\nsolver: {threads: 1%s}\n",
             integrator, more);
    return trial_text(settings, BOXES);
}

static const char* const INTEGRATORS[] = {"auto", "theta", "euler", "midpoint"};

static void every_order_has_the_bits_of_a_step(void** state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int o = 0; o < N_ORDER; o++) {
            Trial whole = boxes(INTEGRATORS[i], ""), parts = boxes(INTEGRATORS[i], "");
            for (int k = 0; k < 12; k++) {
                CondStepInfo info;
                CondStatus status = cond_sim_step(whole.sim, whole.state, &whole.info);
                CondStatus other = in_order(&parts, ORDERS[o], &info);
                assert_true(status >= 0 && other >= 0);
                if (cond_state_hash(whole.state) != cond_state_hash(parts.state))
                    fail_msg("%s, order %d, step %d", INTEGRATORS[i], o, k);
            }
            trial_end(&whole);
            trial_end(&parts);
        }
}

// A step that ends early, at any stage and whatever ended it, leaves nothing behind.
static void orders_begin_anew(void** state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int left = 1; left < 7; left++) {
            Trial whole = boxes(INTEGRATORS[i], ""), parts = boxes(INTEGRATORS[i], "");
            for (int k = 0; k < 8; k++) {
                CondStepInfo info;
                for (int s = 0; s < left; s++)
                    assert_true(call(&parts, ORDERS[0][s], &info) >= 0);
                assert_true(cond_sim_step(whole.sim, whole.state, &whole.info) >= 0);
                CondStatus status = k % 2 ? cond_sim_step(parts.sim, parts.state, &info)
                                          : in_order(&parts, ORDERS[0], &info);
                assert_true(status >= 0);
                assert_true(cond_state_hash(whole.state) == cond_state_hash(parts.state));
            }
            trial_end(&whole);
            trial_end(&parts);
        }
}

// Steps that miss their tolerance have the bits of a step too, and those after them.
static void missed_steps_have_the_bits_of_a_step(void** state)
{
    (void)state;
    static const char missed[] = ", tolerance: 1.0e-18, max_iterations: 60";
    for (int i = 0; i < 3; i++) {
        Trial whole = boxes(INTEGRATORS[i], missed), parts = boxes(INTEGRATORS[i], missed);
        int n = 0;
        for (int k = 0; k < 8; k++) {
            CondStepInfo info;
            n += cond_sim_step(whole.sim, whole.state, &whole.info) == COND_NOT_CONVERGED;
            assert_true(in_order(&parts, ORDERS[k % 2], &info) >= 0);
            assert_true(cond_state_hash(whole.state) == cond_state_hash(parts.state));
        }
        assert_true(n > 0);
        trial_end(&whole);
        trial_end(&parts);
    }
}

// Results that are missing are asked for.
static void stages_need_those_above(void** state)
{
    (void)state;
    Trial trial = boxes("auto", "");
    CondStepInfo info = {0};
    for (int s = MATRIX; s <= INTEGRATE; s++)
        assert_int_equal(call(&trial, s, &info), COND_BAD_ARGUMENT);
    assert_int_equal(call(&trial, FORCES, &info), COND_OK);
    assert_int_equal(call(&trial, COLLIDE, &info), COND_OK);
    for (int s = ASSEMBLE; s <= INTEGRATE; s++)
        assert_int_equal(call(&trial, s, &info), COND_BAD_ARGUMENT);
    assert_true(in_order(&trial, ORDERS[0], &info) >= 0);
    assert_int_equal(call(&trial, INTEGRATE, &info), COND_BAD_ARGUMENT); // of what step
    trial_end(&trial);
}

// ---- cancelled and diverged

// A program's force, and how often the step may still ask whether it is cancelled.
typedef struct Disturbance {
    double force; // [N]
    long left;
} Disturbance;

static int is_cancelled(void* user)
{
    Disturbance* disturbance = user;
    return --disturbance->left < 0;
}

static void push(void* user, const CondModel* model, double time, const double* q,
                 CondForceSink* sink)
{
    const Disturbance* disturbance = user;
    int coordinate = 0;
    (void)model, (void)time, (void)q;
    CondStatus status = cond_force_sink_add(sink, 1, &coordinate, &disturbance->force, NULL, NULL);
    assert_int_equal(status, isfinite(disturbance->force) ? COND_OK : COND_BAD_ARGUMENT);
}

static Trial disturbed(Disturbance* disturbance)
{
    CondContext context = {.user = disturbance, .cancelled = is_cancelled};
    CondHooks hooks = cond_hooks_default();
    CondScene* scene = NULL;
    FILE* file = fopen("disturbed.yaml", "w");
    assert_non_null(file);
    fprintf(file, "step: {time_step: 0.01, substeps: 1}\nsolver: {threads: 1}\n%s", BOXES);
    fclose(file);
    assert_int_equal(cond_scene_read(&context, "disturbed.yaml", 0, NULL, &scene, NULL), COND_OK);
    Trial trial = trial_begin(scene);
    hooks.user = disturbance;
    hooks.force = push;
    assert_int_equal(cond_sim_set_hooks(trial.sim, &hooks), COND_OK);
    return trial;
}

// After steps that were cancelled at any question, after one that diverged in flight, and after
// those whose forces were refused, the state is as it was, and the stages make the bits of a step
// that nothing disturbed.
static void disturbed_steps_leave_nothing(void** state)
{
    (void)state;
    enum { MANY = 1000000 };
    Disturbance none = {.left = MANY}, some = {.left = MANY};
    Trial whole = disturbed(&none), parts = disturbed(&some);
    for (int k = 0; k < 12; k++) {
        CondStepInfo info;
        uint64_t before = cond_state_hash(parts.state);
        int fails = k % 3 == 2, flies = k == 2;
        some =
            fails ? (Disturbance){flies ? 1e300 : INFINITY, MANY} : (Disturbance){0.0, 1 + 2 * k};
        CondStatus expected = flies ? COND_DIVERGED : fails ? COND_BAD_ARGUMENT : COND_CANCELLED;
        CondStatus status = k % 2 ? cond_sim_step(parts.sim, parts.state, &info)
                                  : in_order(&parts, ORDERS[0], &info);
        assert_int_equal(status, expected);
        assert_true(cond_state_hash(parts.state) == before);
        some = (Disturbance){.left = MANY};
        none.left = MANY;
        assert_true(cond_sim_step(whole.sim, whole.state, &info) >= 0);
        assert_true(in_order(&parts, ORDERS[k % N_ORDER], &info) >= 0);
        assert_true(cond_state_hash(whole.state) == cond_state_hash(parts.state));
    }
    trial_end(&whole);
    trial_end(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_the_table),
        cmocka_unit_test(rows_go_back),
        cmocka_unit_test(every_order_has_the_bits_of_a_step),
        cmocka_unit_test(orders_begin_anew),
        cmocka_unit_test(missed_steps_have_the_bits_of_a_step),
        cmocka_unit_test(stages_need_those_above),
        cmocka_unit_test(disturbed_steps_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
