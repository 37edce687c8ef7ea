// A and the forces of elements made on a device (sim/device_load.h), on the device of the
// processors: those of the assembly, once more after a material has changed; Newton's method on the
// device reads A where it is, and the host gets it where it reads it, once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dense.h"
#include "newton/resident_part.h"
#include "scene_make.h"
#include "sim/device_load.h"
#include "sim/sim.h"
#include "strategy/strategy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char settings_text[] =
    "step: {time_step: 0.01, duration: 1, theta: 1, integrator: theta}\n"
    "materials:\n"
    "  - {name: rubber, youngs_modulus: 75e3, poisson_ratio: 0.35, density: 1070,\n"
    "     stiffness_damping: 0.005, mass_damping: 0.2, geometric: constant,\n"
    "     geometric_stiffness: 20}\n"
    "  - {name: foam, youngs_modulus: 50e3, poisson_ratio: 0.3, density: 700,\n"
    "     elasticity: neohookean}\n";

static const char mats[] =
    "planes:\n"
    "  - {name: floor, normal: [0, 0, 1], friction: 0.3}\n"
    "bodies:\n"
    "  - {name: mat, kind: soft, mesh: \"mat:24,24,2:0.36,0.36,0.008\", material: rubber,\n"
    "     position: [0, 0, 0.004], velocity: [0.3, 0.1, 0], friction: 0.3}\n";

static const char two[] =
    "planes:\n"
    "  - {name: floor, normal: [0, 0, 1], friction: 0.3}\n"
    "bodies:\n"
    "  - {name: mat, kind: soft, mesh: \"mat:9,8,2:0.13,0.12,0.008\", material: rubber,\n"
    "     position: [0, 0, 0.004], velocity: [0.3, 0.1, 0], friction: 0.3}\n"
    "  - {name: ball, kind: soft, mesh: \"ball:0.05:4,2\", material: foam,\n"
    "     position: [1, 0, 0.0501], velocity: [0.5, 0.1, -0.3], friction: 0.5}\n";

static void pose(Trial* trial)
{
    assert_int_equal(cond_sim_forces(trial->sim, trial->state), COND_OK);
    assert_int_equal(cond_sim_matrix(trial->sim), COND_OK);
    assert_int_equal(cond_sim_collide(trial->sim, trial->state), COND_OK);
    assert_int_equal(cond_sim_assemble(trial->sim, trial->state), COND_OK);
}

static double apart(size_t n, const double* a, const double* b)
{
    double most = 0.0, scale = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(a[i]))
            return INFINITY;
        most = fmax(most, fabs(a[i] - b[i]));
        scale = fmax(scale, fabs(b[i]));
    }
    return scale > 0.0 ? most / scale : most;
}

// Of an assembly of its own, against that of the host; `away`: as if the memory were another one.
static void compare(const Trial* trial, CondDeviceLoad* load, CondAssembly* made, int away)
{
    CondSim* sim = trial->sim;
    const CondModel* model = sim->model;
    CondAssembly host;
    size_t n = (size_t)model->n_dof;
    double *f = dense_zeros(n), *f_made = dense_zeros(n), *d = dense_zeros(n),
           *d_made = dense_zeros(n);
    assert_int_equal(cond_assembly_create(model, COND_ASSEMBLY_ALL, &host), COND_OK);
    cond_assembly_begin(&host, &sim->at_start, sim->length, f);
    assert_int_equal(cond_device_load_make(load, made, &sim->at_start, sim->length, f_made),
                     COND_OK);
    assert_true(apart(n, f_made, f) <= 1e-12);
    cond_problem_diagonal(&host.problem, d);
    cond_problem_diagonal(&made->problem, d_made);
    assert_true(apart(n, d_made, d) <= 1e-12);
    assert_true(cond_device_matrix_is_of(&load->matrix, &made->problem));
    assert_false(cond_device_matrix_is_of(&load->matrix, &host.problem));
    assert_int_equal(load->matrix.there, !away);
    int before = load->matrix.n_fetched;
    if (away)
        assert_true(isnan(made->block_values[1]));
    assert_int_equal(cond_device_matrix_fetch(&load->matrix, &host.problem), COND_OK);
    assert_int_equal(load->matrix.n_fetched, before);
    for (int k = 0; k < 2; k++)
        assert_int_equal(cond_device_matrix_fetch(&load->matrix, &made->problem), COND_OK);
    assert_int_equal(load->matrix.n_fetched, before + away);
    assert_true(apart(load->matrix.size, made->block_values, host.block_values) <= 1e-12);
    for (int b = 0; b < model->n_body; b++) {
        assert_int_equal(made->block[b].kind, host.block[b].kind);
        assert_int_equal(made->block[b].dof_begin, host.block[b].dof_begin);
        assert_ptr_equal(made->block[b].row_begin, host.block[b].row_begin);
        assert_ptr_equal(made->block[b].position, host.block[b].position);
    }
    cond_assembly_destroy(&host);
    free(f), free(f_made), free(d), free(d_made);
}

static void it_is_that_of_the_assembly(void** state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        int away = k / 2;
        Trial trial = trial_text(settings_text, two);
        trial_try(&trial, 3);
        pose(&trial);
        CondDevice device = cond_device_threads(NULL, k % 2 ? 3 : 1);
        CondDeviceLoad load = {.context = cond_context_or_default(NULL), .device = &device};
        CondAssembly made;
        load.apart = away;
        assert_true(cond_device_load_serves(trial.sim->model, &trial.sim->at_start));
        assert_int_equal(cond_assembly_create(trial.sim->model, COND_ASSEMBLY_ALL, &made), COND_OK);
        compare(&trial, &load, &made, away);
        CondFem* fem = trial.sim->model->body[1].fem;
        CondFemMaterial material = fem->material[0];
        material.youngs_modulus *= 2.0;
        material.density *= 1.5;
        assert_int_equal(cond_fem_set_material(fem, &material, NULL), COND_OK);
        compare(&trial, &load, &made, away);
        assert_int_equal(load.matrix.n_made, 2);
        cond_device_load_destroy(&load);
        cond_assembly_destroy(&made);
        trial_end(&trial);
    }
}

static void robots_and_other_integrators_have_none(void** state)
{
    (void)state;
    Trial trial = trial_read("mat.yaml", 0, NULL);
    pose(&trial);
    assert_false(cond_device_load_serves(trial.sim->model, &trial.sim->at_start));
    trial_end(&trial);
    trial =
        trial_text("step: {time_step: 0.01, duration: 1, integrator: variational}\n"
                   "materials:\n"
                   "  - {name: rubber, youngs_modulus: 75e3, poisson_ratio: 0.35, density: 1070}\n",
                   mats);
    pose(&trial);
    assert_false(cond_device_load_serves(trial.sim->model, &trial.sim->at_start));
    trial_end(&trial);
}

typedef struct Solved {
    double *v, residual;
    int resident;
} Solved;

static Solved solve(const CondProblem* problem, CondDeviceMatrix* matrix, CondDevice* device)
{
    CondSolverSettings settings = cond_solver_settings_default();
    CondContext context = cond_context_or_default(NULL);
    settings.tolerance = 1e-8;
    settings.multilevel = COND_MULTILEVEL_ON;
    CondStrategy* strategy = cond_solver_strategy.create(&context, &settings);
    assert_non_null(strategy);
    strategy->newton.soft.device = device;
    cond_strategy_set_matrix(strategy, matrix);
    CondSolveInfo info;
    memset(&info, 0, sizeof info);
    Solved out = {.v = dense_zeros((size_t)problem->n_dof)};
    double* lambda = dense_zeros(3 * (size_t)problem->n_contact);
    assert_int_equal(cond_solver_strategy.solve(strategy, problem, out.v, lambda, &info), COND_OK);
    out.residual = cond_certificate_residual(&info.certificate);
    out.resident = strategy->newton.residence && strategy->newton.residence->n_made > 0;
    cond_solver_strategy.destroy(strategy);
    free(lambda);
    return out;
}

static void solves_read_it_where_it_is(void** state)
{
    (void)state;
    Trial trial = trial_text(settings_text, mats);
    CondDevice device = cond_device_threads(NULL, 2);
    trial_try(&trial, 2);
    pose(&trial);
    const CondProblem* problem = cond_sim_problem(trial.sim);
    CondAssembly* assembly = &trial.sim->attempt.assembly;
    size_t n = (size_t)problem->n_dof;
    double* f = dense_zeros(n);
    Solved plain = solve(problem, NULL, NULL);
    assert_true(problem->n_contact > 0);
    for (int away = 0; away < 2; away++) {
        CondDeviceLoad load = {
            .context = cond_context_or_default(NULL), .device = &device, .apart = away};
        assembly->problem.n_coupling = 0;
        int nc = assembly->problem.n_contact;
        assert_int_equal(
            cond_device_load_make(&load, assembly, &trial.sim->at_start, trial.sim->length, f),
            COND_OK);
        assembly->problem.n_contact = nc;
        // the host alone fetches; the method on the device does not
        Solved one = solve(problem, &load.matrix, away ? NULL : &device);
        assert_int_equal(one.resident, !away);
        assert_int_equal(load.matrix.wanted, !away);
        assert_int_equal(load.matrix.n_fetched, away);
        assert_true(one.residual <= 1e-8);
        assert_true(apart(n, one.v, plain.v) <= 1e-5);
        free(one.v);
        cond_device_load_destroy(&load);
    }
    free(plain.v);
    free(f);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_that_of_the_assembly),
        cmocka_unit_test(robots_and_other_integrators_have_none),
        cmocka_unit_test(solves_read_it_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
