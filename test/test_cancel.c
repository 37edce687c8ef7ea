// A context may say in the middle of a step that the work is not wanted any more: the step ends
// with COND_CANCELLED and leaves its state as it was, bit for bit, and the same workspace makes the
// same step afterwards as if nothing had been.
#include <cond/cond.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>

// Counts how often it is asked, and says from a number on that nothing is wanted any more.
typedef struct Asked {
    _Atomic int n;
    int from;
} Asked;

static int cancelled(void* user)
{
    Asked* asked = user;
    return ++asked->n >= asked->from;
}

typedef struct Bench {
    Asked asked;
    CondModel* model;
    CondState *state, *start;
    CondSim* sim;
} Bench;

static void bench_make(Bench* b, const char* scene, const char* const* set, int steps)
{
    char path[512];
    int n = 0;
    CondScene* read = NULL;
    CondError error = {0};
    CondContext context = {.user = &b->asked, .cancelled = cancelled};
    snprintf(path, sizeof path, "%s/%s.yaml", COND_SCENES, scene);
    while (set[n])
        n++;
    b->asked.from = INT_MAX;
    if (cond_scene_read(&context, path, n, set, &read, &error) ||
        cond_scene_compile(read, &b->model, &error) ||
        cond_state_create(b->model, &b->state, &error) ||
        cond_state_create(b->model, &b->start, &error) ||
        cond_sim_create(b->model, &b->sim, &error))
        fail_msg("%s: %s", scene, error.message);
    cond_scene_destroy(read);
    for (int k = 0; k < steps; k++)
        assert_true(cond_sim_step(b->sim, b->state, NULL) >= 0);
    assert_int_equal(cond_state_copy(b->start, b->state), COND_OK);
}

static void bench_free(Bench* b)
{
    cond_sim_destroy(b->sim);
    cond_state_destroy(b->state);
    cond_state_destroy(b->start);
    cond_model_destroy(b->model);
}

// One step from the start that is cancelled at the `from`-th question.
static CondStatus step_until(Bench* b, int from)
{
    assert_int_equal(cond_state_copy(b->state, b->start), COND_OK);
    b->asked.n = 0;
    b->asked.from = from;
    return cond_sim_step(b->sim, b->state, NULL);
}

static void try_scene(const char* scene, const char* const* set, int steps, int at_least)
{
    Bench b = {0};
    bench_make(&b, scene, set, steps);
    uint64_t before = cond_state_hash(b.start);
    CondStatus usual = step_until(&b, INT_MAX);
    int questions = b.asked.n, stopped = 0;
    uint64_t after = cond_state_hash(b.state);
    assert_true(usual >= 0);
    assert_int_not_equal(before, after);
    if (questions < at_least)
        fail_msg("%s: only %d questions in a step", scene, questions);
    // Early, in the middle, and late; the last questions may come when the answer is there.
    const int tries[] = {1, 2, questions / 2 + 1, questions - 1};
    for (size_t k = 0; k < sizeof tries / sizeof *tries; k++) {
        CondStatus status = step_until(&b, tries[k] < 1 ? 1 : tries[k]);
        uint64_t hash = cond_state_hash(b.state);
        if (status == COND_CANCELLED ? hash != before : status != usual || hash != after)
            fail_msg("%s: %s at question %d of %d changes the step", scene,
                     cond_status_name(status), tries[k], questions);
        stopped += status == COND_CANCELLED;
        assert_true(tries[k] > questions / 2 + 1 || status == COND_CANCELLED);
    }
    assert_true(stopped > 0);
    assert_int_equal(step_until(&b, INT_MAX), usual);
    assert_int_equal(cond_state_hash(b.state), after);
    bench_free(&b);
}

#define TRY(scene, steps, at_least, ...)                                                           \
    try_scene(scene, (const char* const[]){__VA_ARGS__, NULL}, steps, at_least)

static void test_rigid(void** state)
{
    (void)state;
    TRY("box", 3, 8, "solver.threads=1");
    TRY("drop", 100, 4, "step.theta=0.5");
    TRY("springs", 5, 4, "step.integrator=variational");
}

// Passes by conjugate gradients, in single and in double precision, V-FPI, flights of a team.
static void test_soft(void** state)
{
    (void)state;
    TRY("mat", 1, 20, "solver.threads=2");
    TRY("mat", 1, 20, "solver.multilevel=on", "solver.storage=double");
    TRY("mat", 1, 8, "solver.preset=paper", "solver.threads=2");
    TRY("mat", 1, 8, "solver.preset=paper", "solver.accelerator=anderson");
}

static void test_rods(void** state)
{
    (void)state;
    TRY("cable", 3, 4, "solver.threads=1");
}

static void test_methods(void** state)
{
    (void)state;
    TRY("drop", 5, 8, "step.method=pbd");
    // Nothing reaches the tolerance: all stages are run, and the step is tried in parts.
    TRY("kitchen", 2, 100, "solver.tolerance=1e-99", "solver.max_iterations=3000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rigid),
        cmocka_unit_test(test_soft),
        cmocka_unit_test(test_rods),
        cmocka_unit_test(test_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
