// A contact problem of two soft bodies with a small dense one between them, for tests.
#include "soft_problem.h"

#include "bsr3_matrix.h"

#include "base/memory.h"
#include "dense.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void soft_problem_fill(CondBsr3* A, uint64_t* seed)
{
    const CondBsr3Pattern* p = A->pattern;
    for (int i = 0; i < p->n_row; i++)
        for (int k = p->row_begin[i]; k < p->row_begin[i + 1]; k++) {
            int j = p->column[k], mirror = cond_bsr3_pattern_find(p, j, i);
            for (int a = 0; a < 9 && j >= i; a++) {
                double value = i == j ? 0.0 : fem_random(seed);
                A->value[9 * (size_t)k + (size_t)a] = value;
                A->value[9 * (size_t)mirror + (size_t)(3 * (a % 3) + a / 3)] = value;
            }
            for (int a = 0; a < 3 && i == j; a++)
                A->value[9 * (size_t)k + (size_t)(4 * a)] = 20.0 + fem_random(seed);
        }
}

static void add_contacts(SoftProblem* made, uint64_t* seed)
{
    const CondBlock* block = made->block;
    for (int c = 0; c < N_CONTACT; c++) {
        CondContact* contact = &made->contact[c];
        int two = c % 3 == 0;
        for (int k = 0; k < 3; k++) {
            made->at[c][0][k] = block[0].dof_begin + 3 * c + k;
            made->at[c][1][k] = block[2].dof_begin + 3 * c + k;
        }
        *contact = (CondContact){.side = {{3, made->at[c][0], NULL}, {0, NULL, NULL}},
                                 .friction = {0.4, 0.4},
                                 .kv = INFINITY,
                                 .phi = {0.1 * fem_random(seed), 0.0, 0.0}};
        if (two)
            contact->side[1] = (CondSide){3, made->at[c][1], NULL};
        fem_random_rotation(seed, contact->frame);
    }
}

// Every fifth contact against the dense body, by turns with and without a stiffness of its own.
static void add_ties(SoftProblem* made, uint64_t* seed)
{
    for (int k = 0; k < ARM; k++)
        made->arm_at[k] = made->block[1].dof_begin + k;
    for (int c = 4; c < N_CONTACT; c += 5) {
        for (int k = 0; k < 3 * ARM; k++)
            made->point[c][k] = fem_random(seed);
        made->contact[c].side[1] = (CondSide){ARM, made->arm_at, made->point[c]};
        made->contact[c].kv = c % 2 ? 20.0 : INFINITY;
    }
}

// Every fourth contact becomes an interval of forces, of four kinds in turn; where it is on the
// dense body too, on one coordinate of that alone.
static void add_intervals(SoftProblem* made)
{
    static const double bound[4][2] = {
        {0.0, INFINITY}, {-0.3, 0.3}, {-0.2, 0.4}, {-INFINITY, INFINITY}};
    for (int c = 0; c < N_CONTACT; c += 4) {
        CondContact* contact = &made->contact[c];
        int kind = c / 4 % 4;
        contact->set = COND_FORCE_INTERVAL;
        contact->friction[0] = contact->friction[1] = 0.0;
        memcpy(contact->bound, bound[kind], sizeof contact->bound);
        contact->compliance = kind > 1 ? 0.5 : 0.0;
        if (contact->side[1].n_coordinate != ARM)
            continue;
        for (int k = 0; k < 3 * ARM; k++)
            made->point[c][k] = 0.0;
        for (int r = 0; r < 3; r++) // along the first row of its frame
            made->point[c][r] = contact->frame[r];
        contact->side[0] = (CondSide){1, made->arm_at + c % ARM, made->point[c]};
        contact->side[1] = (CondSide){0};
    }
}

void soft_problem_create(SoftProblem* made, int ties)
{
    uint64_t seed = 5;
    *made = (SoftProblem){.context = cond_context_or_default(NULL)};
    made->grid[0] = fem_grid_create(13, 9, 3, 1.0, 1.0, 1.0);
    made->grid[1] = fem_grid_create(5, 4, 5, 1.0, 1.0, 1.0);
    int begin = 0;
    for (int m = 0; m < N_MATRIX; m++) {
        const FemGrid* grid = &made->grid[m];
        CondBsr3Pattern* pattern = &made->pattern[m];
        // A node more than the mesh has: a row with nothing but its diagonal.
        assert_int_equal(cond_bsr3_pattern_create(&made->context, grid->n_node + 1, grid->n_tet, 4,
                                                  grid->tet, pattern),
                         COND_OK);
        assert_int_equal(bsr3_matrix_create(&made->context, pattern, &made->A[m]), COND_OK);
        soft_problem_fill(&made->A[m], &seed);
        made->block[2 * m] = (CondBlock){.kind = COND_BLOCK_BSR3,
                                         .dof_begin = begin,
                                         .n_dof = 3 * pattern->n_row,
                                         .values = made->A[m].value,
                                         .row_begin = pattern->row_begin,
                                         .column = pattern->column};
        begin += 3 * pattern->n_row;
        if (m == 0) {
            for (int i = 0; i < ARM; i++)
                made->arm[i * ARM + i] = 2.0;
            made->block[1] = (CondBlock){
                .kind = COND_BLOCK_DENSE, .dof_begin = begin, .n_dof = ARM, .values = made->arm};
            begin += ARM;
        }
    }
    made->b = dense_zeros((size_t)begin);
    for (int i = 0; i < begin; i++)
        made->b[i] = fem_random(&seed);
    for (int k = 0; k < 4; k++) {
        made->tied[k] = k < 3 ? 300 + k : made->block[1].dof_begin + ARM - 1;
        made->jacobian[k] = k < 3 ? fem_random(&seed) : -1.0;
    }
    made->gain[0] = 3.0;
    made->coupling = (CondCoupling){1, 4, made->tied, made->jacobian, made->gain};
    add_contacts(made, &seed);
    if (ties)
        add_ties(made, &seed);
    if (ties == 2)
        add_intervals(made);
    made->problem =
        (CondProblem){begin, 3, 1, N_CONTACT, made->block, &made->coupling, made->contact, made->b};
    CondError error;
    if (cond_problem_check(NULL, &made->problem, &error))
        fail_msg("%s", error.message);
}

void soft_problem_destroy(SoftProblem* made)
{
    for (int m = 0; m < N_MATRIX; m++) {
        bsr3_matrix_destroy(&made->context, &made->A[m]);
        cond_bsr3_pattern_destroy(&made->context, &made->pattern[m]);
        fem_grid_destroy(&made->grid[m]);
    }
    free(made->b);
}
