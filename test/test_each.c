// Loops over the bodies of a model and over their coordinates: each is met once, with any number of
// threads, whatever the bodies are and however many coordinates they have.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "assemble/assemble.h"
#include "base/parallel.h"
#include "body/each.h"
#include "problem/side.h"
#include "scene_make.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

enum { N = 600, WORK = 100000 };

static const CondBodyKind KINDS[] = {COND_BODY_RIGID, COND_BODY_PARTICLE, COND_BODY_SOFT,
                                     COND_BODY_ROD, COND_BODY_ROBOT};

typedef struct Seen {
    CondModel model;
    CondBody body[N];
    int bodies[N];
    int* coordinates; // times that each was met
    int* owner;
} Seen;

// Bodies of all kinds, with 0 to 40 coordinates; a robot may have none.
static void make_model(Seen* seen, int threads, int alone)
{
    memset(seen, 0, sizeof *seen);
    seen->model.body = seen->body;
    seen->model.settings.solver.threads = threads;
    for (int b = 0; b < N; b++) {
        CondBody* body = &seen->body[b];
        body->kind = KINDS[alone ? b % 5 : b % 2];
        body->index = b;
        body->n_dof = body->kind == COND_BODY_ROBOT   ? b % 4
                      : body->kind == COND_BODY_RIGID ? 6
                                                      : 3 + 3 * (b % 13);
        body->dof_begin = seen->model.n_dof;
        cond_model_count(&seen->model, body);
        seen->model.n_body++;
    }
    seen->coordinates = test_calloc((size_t)seen->model.n_dof, sizeof(int));
    seen->owner = test_calloc((size_t)seen->model.n_dof, sizeof(int));
}

static void meet_body(const void* loop, int b)
{
    Seen* seen = *(Seen* const*)loop;
    seen->bodies[b]++;
}

static void meet_coordinates(const void* loop, int b, int first, int last)
{
    Seen* seen = *(Seen* const*)loop;
    for (int i = first; i < last; i++) {
        seen->coordinates[i]++;
        seen->owner[i] = b;
    }
}

static void each_is_met_once(void** state)
{
    (void)state;
    static Seen all;
    Seen* seen = &all;
    for (int k = 0; k < 10; k++) {
        make_model(seen, 1 + k % 5, k >= 5);
        cond_each_body(&seen->model, WORK, meet_body, &seen);
        cond_each_coordinate(&seen->model, WORK, meet_coordinates, &seen);
        for (int b = 0; b < N; b++) {
            const CondBody* body = &seen->body[b];
            assert_int_equal(seen->bodies[b], 1);
            for (int i = body->dof_begin; i < body->dof_begin + body->n_dof; i++) {
                assert_int_equal(seen->coordinates[i], 1);
                assert_int_equal(seen->owner[i], b);
            }
        }
        test_free(seen->coordinates);
        test_free(seen->owner);
    }
}

// Forces of contacts by several threads against one after the other.
static void forces_of_contacts(void** state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        const char* set[] = {threads == 1   ? "solver.threads=1"
                             : threads == 2 ? "solver.threads=2"
                             : threads == 3 ? "solver.threads=3"
                                            : "solver.threads=4"};
        Trial trial = trial_read("bin.yaml", 1, set);
        trial_try(&trial, 60);
        const CondAssembly* assembly = &trial.sim->attempt.assembly;
        int n = assembly->problem.n_contact, n_dof = trial.model->n_dof;
        assert_true(n > 100);
        double* lambda = test_calloc(3 * (size_t)n, sizeof(double));
        double* f = test_calloc(2 * (size_t)n_dof, sizeof(double));
        for (int k = 0; k < 3 * n; k++)
            lambda[k] = sin(0.7 * k);
        cond_assembly_add_forces(assembly, trial.model, n, -1.0, lambda, f);
        for (int c = 0; c < n; c++)
            cond_contact_add_force(&assembly->contact[c], -1.0, lambda + 3 * (ptrdiff_t)c,
                                   f + n_dof);
        assert_memory_equal(f, f + n_dof, (size_t)n_dof * sizeof *f);
        test_free(lambda);
        test_free(f);
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_met_once),
        cmocka_unit_test(forces_of_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
