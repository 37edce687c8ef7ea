// cond_problem_check and cond_solver_settings_check: each mistake is refused and named.
#include "cond/cond.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

// A small problem with one of everything: a dense and a sparse block, a coupling, two contacts.
typedef struct Small {
    double dense[9], sparse[5], b[6], coupling_J[2], gain[1], J[12];
    int row_begin[4], column[5], node[3], other[3], point[4], coupled[2];
    CondBlock block[2];
    CondCoupling coupling;
    CondContact contact[2];
    CondProblem problem;
} Small;

static void small_make(Small* s)
{
    *s = (Small){.dense = {2, 0.5, 0, 0.5, 2, 0, 0, 0, 2},
                 .sparse = {2, -1, -1, 2, 3},
                 .row_begin = {0, 2, 4, 5},
                 .column = {0, 1, 0, 1, 2},
                 .coupling_J = {1, -1},
                 .gain = {2},
                 .node = {0, 1, 2},
                 .other = {3, 4, 5},
                 .point = {0, 2, 3, 5},
                 .coupled = {0, 3},
                 .J = {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0}};
    s->block[0] = (CondBlock){COND_BLOCK_DENSE, 0, 3, s->dense, NULL, NULL, NULL};
    s->block[1] = (CondBlock){COND_BLOCK_SPARSE, 3, 3, s->sparse, s->row_begin, s->column, NULL};
    s->coupling = (CondCoupling){1, 2, s->coupled, s->coupling_J, s->gain};
    for (int c = 0; c < 2; c++)
        s->contact[c] = (CondContact){.frame = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                      .friction = {0.5, 0.2},
                                      .kv = c ? 10.0 : INFINITY};
    s->contact[0].side[0] = (CondSide){3, s->node, NULL};
    s->contact[0].side[1] = (CondSide){3, s->other, NULL};
    s->contact[1].side[0] = (CondSide){4, s->point, s->J};
    s->problem = (CondProblem){6, 2, 1, 2, s->block, &s->coupling, s->contact, s->b};
}

// One way to spoil a problem, and the words that must name it.
typedef struct Mistake {
    void (*spoil)(Small* s);
    const char* item;
    const char* words;
} Mistake;

#define SPOIL(name, statement)                                                                     \
    static void name(Small* s)                                                                     \
    {                                                                                              \
        statement;                                                                                 \
    }
SPOIL(count, s->problem.n_contact = -1)
SPOIL(gap_between_blocks, s->block[1].dof_begin = 4)
SPOIL(block_too_long, s->block[1].n_dof = 4)
SPOIL(blocks_too_short, s->problem.n_block = 1)
SPOIL(empty_block, s->block[0].n_dof = 0)
SPOIL(block_without_values, s->block[0].values = NULL)
SPOIL(block_kind, s->block[1].kind = (CondBlockKind)7)
SPOIL(dense_nan, s->dense[1] = NAN)
SPOIL(dense_diagonal, s->dense[4] = 0.0)
SPOIL(dense_asymmetric, s->dense[3] = 0.6)
SPOIL(sparse_without_pattern, s->block[1].column = NULL)
SPOIL(sparse_rows_fall, s->row_begin[2] = 1)
SPOIL(sparse_column_range, s->column[4] = 3)
SPOIL(sparse_column_order, (s->column[0] = 1, s->column[1] = 0))
SPOIL(sparse_infinite, s->sparse[1] = INFINITY)
SPOIL(sparse_diagonal, s->sparse[4] = -3.0)
SPOIL(sparse_no_diagonal, s->column[4] = 1)
SPOIL(sparse_asymmetric, s->sparse[1] = -0.9)
SPOIL(no_b, s->problem.b = NULL)
SPOIL(b_nan, s->b[4] = NAN)
SPOIL(coupling_incomplete, s->coupling.gain = NULL)
SPOIL(coupling_range, s->coupled[1] = 6)
SPOIL(coupling_twice, s->coupled[1] = 0)
SPOIL(coupling_nan, s->coupling_J[0] = NAN)
SPOIL(coupling_negative, s->gain[0] = -1.0)
SPOIL(frame_nan, s->contact[1].frame[2] = NAN)
SPOIL(phi_nan, s->contact[1].phi[0] = INFINITY)
SPOIL(frame_askew, s->contact[1].frame[1] = 0.01)
SPOIL(friction_negative, s->contact[1].friction[1] = -0.1)
SPOIL(friction_nan, s->contact[1].friction[0] = NAN)
SPOIL(friction_huge, s->contact[1].friction[0] = 1e13)
SPOIL(kv_zero, s->contact[1].kv = 0.0)
SPOIL(kv_nan, s->contact[1].kv = NAN)
SPOIL(static_side_0, s->contact[1].side[0].n_coordinate = 0)
SPOIL(side_without_coordinates, s->contact[1].side[0].coordinate = NULL)
SPOIL(node_of_four, s->contact[1].side[0].jacobian = NULL)
SPOIL(side_negative, s->contact[1].side[1].n_coordinate = -1)
SPOIL(side_range, s->point[3] = 6)
SPOIL(side_below, s->point[0] = -1)
SPOIL(side_twice, s->point[1] = 0)
SPOIL(node_scattered, (s->node[1] = 2, s->node[2] = 1))
SPOIL(side_nan, s->J[5] = NAN)
SPOIL(blocks_of_three, (s->block[0].kind = COND_BLOCK_BSR3, s->block[0].n_dof = 2))
SPOIL(idle, memset(s->J, 0, sizeof s->J))
SPOIL(no_blocks, s->problem.block = NULL)
SPOIL(no_couplings, s->problem.coupling = NULL)
SPOIL(no_contacts, s->problem.contact = NULL)
SPOIL(touches_itself, s->contact[0].side[1].coordinate = s->node)

static const Mistake mistakes[] = {
    {count, "", "negative"},
    {gap_between_blocks, "block 1", "expected to start at 3"},
    {block_too_long, "block 1", "end by 6"},
    {blocks_too_short, "blocks", "cover 3 of 6"},
    {empty_block, "block 0", "covers"},
    {block_without_values, "block 0", "no values"},
    {block_kind, "block 1", "unknown kind 7"},
    {dense_nan, "block 0", "(0, 1) is not finite"},
    {dense_diagonal, "block 0", "diagonal entry 1"},
    {dense_asymmetric, "block 0", "differ"},
    {sparse_without_pattern, "block 1", "pattern"},
    {sparse_rows_fall, "block 1", "row_begin falls"},
    {sparse_column_range, "block 1", "column 3 out of range"},
    {sparse_column_order, "block 1", "out of range or order"},
    {sparse_infinite, "block 1", "not finite"},
    {sparse_diagonal, "block 1", "diagonal entry 2"},
    {sparse_no_diagonal, "block 1", "diagonal entry 2"},
    {sparse_asymmetric, "block 1", "differ"},
    {no_b, "", "no right-hand side"},
    {b_nan, "right-hand side", "entry 4"},
    {coupling_incomplete, "coupling 0", "incomplete"},
    {coupling_range, "coupling 0", "out of range"},
    {coupling_twice, "coupling 0", "twice"},
    {coupling_nan, "coupling 0", "not finite"},
    {coupling_negative, "coupling 0", "positive"},
    {frame_nan, "contact 1", "not finite"},
    {phi_nan, "contact 1", "not finite"},
    {frame_askew, "contact 1", "orthonormal"},
    {friction_negative, "contact 1", "friction -0.1"},
    {friction_nan, "contact 1", "friction"},
    {friction_huge, "contact 1", "friction 1e+13"},
    {kv_zero, "contact 1", "kv 0"},
    {kv_nan, "contact 1", "kv"},
    {static_side_0, "contact 1", "side 0 is static"},
    {side_without_coordinates, "contact 1", "side 0"},
    {node_of_four, "contact 1", "three coordinates"},
    {side_negative, "contact 1", "side 1"},
    {side_range, "contact 1", "out of range"},
    {side_below, "contact 1", "out of range"},
    {side_twice, "contact 1", "twice"},
    {node_scattered, "contact 0", "consecutive"},
    {side_nan, "contact 1", "Jacobian is not finite"},
    {blocks_of_three, "block 0", "3x3"},
    {idle, "contact 1", "zero"},
    {no_blocks, "blocks", "NULL"},
    {no_couplings, "couplings", "NULL"},
    {no_contacts, "contacts", "NULL"},
    {touches_itself, "contact 0", "touches itself"},
};

static void every_mistake_is_named(void** state)
{
    (void)state;
    for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
        Small small;
        CondError error = {0};
        small_make(&small);
        assert_int_equal(cond_problem_check(NULL, &small.problem, &error), COND_OK);
        mistakes[k].spoil(&small);
        CondStatus status = cond_problem_check(NULL, &small.problem, &error);
        if (status != COND_BAD_ARGUMENT || error.status != COND_BAD_ARGUMENT ||
            !strstr(error.message, mistakes[k].item) || !strstr(error.message, mistakes[k].words))
            fail_msg("mistake %d: status %d, \"%s\" does not say \"%s\" and \"%s\"", (int)k, status,
                     error.message, mistakes[k].item, mistakes[k].words);
        assert_int_equal(cond_problem_check(NULL, &small.problem, NULL), COND_BAD_ARGUMENT);
    }
}

// What is unusual but right passes.
static void unusual_problems_pass(void** state)
{
    (void)state;
    CondProblem nothing = {0};
    assert_int_equal(cond_problem_check(NULL, &nothing, NULL), COND_OK);
    Small small;
    small_make(&small);
    small.contact[0].friction[0] = 0.0;
    small.contact[0].friction[1] = 1e12;
    small.contact[0].side[1].n_coordinate = 0;
    small.contact[1].side[1] = small.contact[0].side[0];
    small.gain[0] = 0.0;
    assert_int_equal(cond_problem_check(NULL, &small.problem, NULL), COND_OK);
}

typedef struct Wrong {
    size_t offset;
    int is_double;
    double value;
    const char* field;
} Wrong;
#define FIELD(name, is_double, value)                                                              \
    {                                                                                              \
        offsetof(CondSolverSettings, name), is_double, value, #name                                \
    }

static void every_wrong_setting_is_named(void** state)
{
    (void)state;
    const Wrong wrong[] = {
        FIELD(law, 0, 2),
        FIELD(omega, 1, -1.0),
        FIELD(omega, 1, NAN),
        FIELD(surrogate, 0, 6),
        FIELD(accelerator, 0, 4),
        FIELD(stop, 0, 2),
        FIELD(tolerance, 1, 0.0),
        FIELD(tolerance, 1, NAN),
        FIELD(tolerance, 1, INFINITY),
        FIELD(max_iterations, 0, 0),
        FIELD(max_outer, 0, 0),
        FIELD(kv_scale, 1, 0.0),
        FIELD(kv_scale, 1, INFINITY),
        FIELD(chebyshev_start, 0, 0),
        FIELD(under_relaxation, 1, 0.0),
        FIELD(under_relaxation, 1, 1.1),
        FIELD(anderson_depth, 0, 0),
        FIELD(reuse, 0, 0),
        FIELD(threads, 0, -1),
    };
    CondError error;
    CondSolver* solver = NULL;
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        CondSolverSettings settings = cond_solver_settings_default();
        assert_int_equal(cond_solver_settings_check(&settings, &error), COND_OK);
        char* at = (char*)&settings + wrong[k].offset;
        int whole = (int)(wrong[k].is_double ? 0.0 : wrong[k].value);
        memcpy(at, wrong[k].is_double ? (const void*)&wrong[k].value : (const void*)&whole,
               wrong[k].is_double ? sizeof(double) : sizeof(int));
        assert_int_equal(cond_solver_settings_check(&settings, &error), COND_BAD_ARGUMENT);
        if (strncmp(error.message, wrong[k].field, strlen(wrong[k].field)) != 0)
            fail_msg("%s: \"%s\"", wrong[k].field, error.message);
        assert_int_equal(cond_solver_create(NULL, "strategy", &settings, &solver, &error),
                         COND_BAD_ARGUMENT);
        assert_null(solver);
    }
    CondSolverSettings blank = {0};
    assert_int_equal(cond_solver_settings_check(&blank, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "cond_solver_settings_default"));
    // Of a program with older headers what it does not know is left alone; newer ones are refused.
    CondSolverSettings short_one = cond_solver_settings_default();
    short_one.struct_size = offsetof(CondSolverSettings, threads);
    short_one.threads = -1;
    assert_int_equal(cond_solver_settings_check(&short_one, &error), COND_OK);
    assert_int_equal(cond_solver_create(NULL, "strategy", &short_one, &solver, &error), COND_OK);
    cond_solver_destroy(solver);
    short_one.struct_size = sizeof short_one + sizeof(double);
    assert_int_equal(cond_solver_settings_check(&short_one, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "older than the headers"));
    CondSolverSettings settings = cond_solver_settings_default();
    settings.surrogate = COND_SURROGATE_BB1; // Anderson needs one map for the whole solve
    assert_int_equal(cond_solver_settings_check(&settings, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "Barzilai"));
}

static void names_and_table(void** state)
{
    (void)state;
    CondSolverSettings settings = cond_solver_settings_default();
    CondSolver* solver = NULL;
    CondError error;
    assert_int_equal(cond_solver_create(NULL, "magic", &settings, &solver, &error),
                     COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "magic"));
    assert_null(cond_solver_name(-1));
    assert_null(cond_solver_name(INT_MAX));
    int count = 0;
    for (; cond_solver_name(count); count++) {
        assert_int_equal(
            cond_solver_create(NULL, cond_solver_name(count), &settings, &solver, NULL), COND_OK);
        cond_solver_destroy(solver);
    }
    assert_true(count >= 1);
    assert_string_equal(cond_solver_name(0), "strategy");
    assert_string_equal(cond_solver_present_name("primal-dual"), "newton");
    assert_string_equal(cond_solver_present_name("magic"), "magic");
    assert_int_equal(cond_solver_create(NULL, "vfpi", &settings, &solver, &error), COND_OK);
    cond_solver_destroy(solver); // its name in 0.1
    for (int k = 0; k <= COND_SURROGATE_BLOCK; k++)
        assert_non_null(cond_surrogate_name((CondSurrogateKind)k));
    assert_null(cond_surrogate_name((CondSurrogateKind)(COND_SURROGATE_BLOCK + 1)));
    assert_string_equal(cond_accelerator_name(COND_ACCELERATOR_ANDERSON), "anderson");
    assert_string_equal(cond_accelerator_name(COND_ACCELERATOR_NEWTON), "newton");
    assert_int_equal(COND_ACCELERATOR_PRIMAL_DUAL, COND_ACCELERATOR_NEWTON);
    assert_null(cond_accelerator_name((CondAcceleratorKind)4));
    assert_string_equal(cond_stop_name(COND_STOP_STEP), "step");
    assert_null(cond_stop_name((CondStop)2));
    CondSolverSettings paper = cond_solver_settings_paper();
    assert_int_equal(cond_solver_settings_check(&paper, NULL), COND_OK);
    assert_int_equal(paper.surrogate, COND_SURROGATE_FROBENIUS);
    assert_int_equal(paper.accelerator, COND_ACCELERATOR_CHEBYSHEV);
    assert_true(paper.tolerance == 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_is_named),
        cmocka_unit_test(unusual_problems_pass),
        cmocka_unit_test(every_wrong_setting_is_named),
        cmocka_unit_test(names_and_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
