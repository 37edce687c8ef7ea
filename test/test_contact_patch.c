// Patches of contacts: which of them slip together, against sums made one by one; and that fine
// meshes need about as many passes as coarse ones.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cond/solver.h"
#include "dense.h"
#include "failing_allocator.h"
#include "scene_make.h"
#include "soft/contact_patch.h"

// A mat that lies on the floor, its problem at the first step.
static Trial make_mat(const char* mesh)
{
    const char* override[] = {mesh, "solver.threads=1", "solver.tolerance=1e-6",
                              "solver.multilevel=on"};
    return trial_read("mat.yaml", 4, override);
}

static const CondProblem* assemble(Trial* trial)
{
    cond_sim_forces(trial->sim, trial->state);
    cond_sim_matrix(trial->sim);
    cond_sim_collide(trial->sim, trial->state);
    cond_sim_assemble(trial->sim, trial->state);
    return cond_sim_problem(trial->sim);
}

// All contacts carry the normal force 1 and none in the tangent plane, but those of the row of
// nodes with the least x, which pull with `load`.
static double* make_row(const CondProblem* problem, double load)
{
    double* x = dense_zeros(3 * (size_t)problem->n_contact);
    double least = INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (int c = 0; c < problem->n_contact; c++) {
            const CondSide* side = problem->contact[c].side;
            const double* place =
                problem->block[0].position + (side[0].coordinate[0] - problem->block[0].dof_begin);
            if (pass == 0)
                least = fmin(least, place[0]);
            x[3 * c] = 1.0;
            x[3 * c + 1] = pass == 1 && place[0] < least + 1e-6 ? load : 0.0;
        }
    return x;
}

// The rule, contact by contact: 1 where a patch that c belongs to carries more than it can hold.
static int reference(const CondContactPatches* patches, const CondProblem* problem,
                     const int* sticks, const double* x, int c)
{
    int slips = 0;
    for (int l = 0; l < patches->n_level; l++) {
        double sum[2] = {0.0, 0.0}, held = 0.0;
        int patch = -1;
        for (int d = -1; d < problem->n_contact; d++) {
            int at = patches->node[d < 0 ? c : d];
            for (int k = 0; k <= l; k++)
                at = patches->level[k].group[at];
            if (d < 0)
                patch = at;
            else if (at == patch && sticks[d]) { // the floor's frames are all the same
                sum[0] += x[3 * d + 1];
                sum[1] += x[3 * d + 2];
                held += problem->contact[d].friction[0] * x[3 * d];
            }
        }
        slips |= hypot(sum[0], sum[1]) > held;
    }
    return slips;
}

static void a_patch_slips_that_cannot_hold_its_load(void** state)
{
    (void)state;
    Trial trial = make_mat("bodies.mat.mesh=mat:20,20,2:0.4,0.4,0.008");
    const CondProblem* problem = assemble(&trial);
    int nc = problem->n_contact, last = -1;
    CondContext context = cond_context_or_default(NULL);
    CondSoftSystem system = {.arena.context = context};
    CondContactPatches patches = {.arena.context = context};
    int fits, *sticks = calloc((size_t)nc, sizeof *sticks);
    assert_non_null(sticks);
    for (int c = 0; c < nc; c++)
        sticks[c] = c % 7 != 0;
    assert_int_equal(cond_soft_system_plan(&system, problem, 1, &fits), COND_OK);
    assert_int_equal(cond_contact_patches_plan(&patches, &system), COND_OK);
    assert_true(patches.n_level >= 1);
    double mu = problem->contact[0].friction[0];
    for (double load = 0.9 * mu; load < 8.0 * mu; load += 1.7 * mu) {
        double *x = make_row(problem, load), *old = make_row(problem, load);
        int count = cond_contact_patches_slip(&patches, problem, sticks, x), moved = 0;
        for (int c = 0; c < nc; c++) {
            int alone = hypot(old[3 * c + 1], old[3 * c + 2]) > mu * old[3 * c];
            int slips = sticks[c] && !alone && reference(&patches, problem, sticks, old, c);
            int changed = memcmp(x + 3 * c, old + 3 * c, 3 * sizeof *x) != 0;
            assert_int_equal(changed, slips);
            if (changed) { // it slips, along the load
                assert_true(x[3 * c + 1] > mu * x[3 * c] && x[3 * c + 2] == 0.0);
                moved++;
            }
        }
        assert_int_equal(count, moved);
        assert_true(count >= last); // the heavier the load the more of them
        if (!cond_contact_patches_any(problem, 0, problem->n_contact, sticks, old))
            assert_int_equal(count, 0);
        last = count;
        free(x);
        free(old);
    }
    assert_true(last > 0);
    free(sticks);
    cond_contact_patches_destroy(&patches);
    cond_soft_system_destroy(&system);
    trial_end(&trial);
}

static void memory_runs_out(void** state)
{
    (void)state;
    Trial trial = make_mat("bodies.mat.mesh=mat:20,20,2:0.4,0.4,0.008");
    const CondProblem* problem = assemble(&trial);
    CondSoftSystem system = {.arena.context = cond_context_or_default(NULL)};
    int fits, failures = 0;
    assert_int_equal(cond_soft_system_plan(&system, problem, 1, &fits), COND_OK);
    for (int call = 1; call < 1000; call++) {
        FailingAllocator allocator = {.fail_at = call};
        CondContactPatches patches = {.arena.context = failing_allocator_context(&allocator)};
        CondStatus status = cond_contact_patches_plan(&patches, &system);
        cond_contact_patches_destroy(&patches);
        assert_int_equal(allocator.live, 0);
        if (status != COND_OUT_OF_MEMORY) {
            assert_int_equal(status, COND_OK);
            break;
        }
        failures++;
    }
    assert_in_range(failures, 8, 500);
    cond_soft_system_destroy(&system);
    trial_end(&trial);
}

// The grip pulls at the mat and slip spreads from it, over twice as many rows in the finer mesh.
static void fine_meshes_need_no_more_passes(void** state)
{
    (void)state;
    const char* mesh[2] = {"bodies.mat.mesh=mat:20,20,2:0.4,0.4,0.008",
                           "bodies.mat.mesh=mat:60,60,2:0.4,0.4,0.008"};
    int passes[2], products[2];
    for (int m = 0; m < 2; m++) {
        Trial trial = make_mat(mesh[m]);
        CondStepInfo info;
        assert_int_equal(cond_sim_step(trial.sim, trial.state, &info), COND_OK);
        assert_true(info.solve.certificate.dynamics <= 1e-6);
        assert_true(info.solve.certificate.contact <= 1e-6);
        passes[m] = info.solve.passes;
        products[m] = info.solve.products;
        trial_end(&trial);
    }
    assert_true(passes[1] <= 1.5 * passes[0]);
    assert_true(products[1] <= 2.0 * products[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_patch_slips_that_cannot_hold_its_load),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(fine_meshes_need_no_more_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
