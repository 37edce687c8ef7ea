// Assembles the Newton matrix and solves it by MUMPS through PETSc (factored.h).
#include "factored.h"

#include "petsc_check.h"
#include "problem/term.h"

#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&factored->arena, factored->array, count)

// Columns of H in one row of blocks of A, in the coordinates of the share.
static void count_row(const CondMpiFactored* factored, int row, int column, int entries)
{
    (column < factored->share->n_own ? factored->near : factored->far)[row] += entries;
}

static void count_term(const CondMpiFactored* factored, const CondTerm* term)
{
    for (int k = 0; k < term->n_entry; k++)
        for (int l = 0; l < term->n_entry && term->coordinate[k] < factored->share->n_own; l++)
            count_row(factored, term->coordinate[k], term->coordinate[l], 1);
}

static void count_entries(CondMpiFactored* factored)
{
    const CondMpiShare* share = factored->share;
    for (int i = 0; i < share->n_own; i++)
        factored->near[i] = factored->far[i] = 0;
    for (int i = 0; i < 3 * share->n_blocked; i++)
        for (int k = share->row_begin[i / 3]; k < share->row_begin[i / 3 + 1]; k++)
            count_row(factored, i, share->column[k], 3);
    for (int i = 3 * share->n_blocked, r = 0; i < share->n_own; i++, r++)
        for (int k = share->rows.begin[r]; k < share->rows.begin[r + 1]; k++)
            count_row(factored, i, share->rows.column[k], 1);
    for (int i = 0; i < share->problem.n_coupling; i++) {
        CondTerm term = cond_term_coupling(&share->coupling[i]);
        count_term(factored, &term);
    }
    for (int c = 0; c < share->problem.n_contact; c++) {
        CondTerm term =
            cond_term_contact(&share->contact[c], 1, NULL, factored->list, factored->entry);
        count_term(factored, &term);
    }
}

static CondStatus make_matrix(CondMpiFactored* factored, PetscInt all)
{
    PetscInt n = factored->share->n_own;
    CHECK(MatCreate(factored->share->world->comm, &factored->H));
    CHECK(MatSetSizes(factored->H, n, n, all, all));
    CHECK(MatSetType(factored->H, MATAIJ));
    for (PetscInt i = 0; i < n; i++) { // terms may name an entry twice
        factored->near[i] = factored->near[i] < n ? factored->near[i] : n;
        factored->far[i] = factored->far[i] < all - n ? factored->far[i] : all - n;
    }
    CHECK(MatSeqAIJSetPreallocation(factored->H, 0, factored->near));
    CHECK(MatMPIAIJSetPreallocation(factored->H, 0, factored->near, 0, factored->far));
    CHECK(MatSetOption(factored->H, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    return COND_OK;
}

static CondStatus make_solver(CondMpiFactored* factored)
{
    MPI_Comm comm = factored->share->world->comm;
    PC pc;
    CHECK(KSPCreate(comm, &factored->ksp));
    CHECK(KSPSetOptionsPrefix(factored->ksp, "cond_factored_"));
    CHECK(KSPSetType(factored->ksp, KSPPREONLY));
    CHECK(KSPGetPC(factored->ksp, &pc));
    CHECK(PCSetType(pc, PCLU));
    CHECK(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
    CHECK(KSPSetFromOptions(factored->ksp));
    CHECK(VecCreateMPIWithArray(comm, 1, factored->share->n_own, PETSC_DETERMINE, NULL,
                                &factored->f));
    CHECK(VecCreateMPIWithArray(comm, 1, factored->share->n_own, PETSC_DETERMINE, NULL,
                                &factored->x));
    return COND_OK;
}

CondStatus cond_mpi_factored_plan(CondMpiFactored* factored, CondMpiShare* share)
{
    int n = share->problem.n_dof, n_own = share->n_own, most = 1;
    PetscInt own = n_own, end = 0, all = 0;
    cond_mpi_factored_clear(factored);
    factored->share = share;
    for (int c = 0; c < share->problem.n_contact; c++) {
        const CondSide* side = share->contact[c].side;
        int size = side[0].n_coordinate + side[1].n_coordinate;
        most = size > most ? size : most;
    }
    if (RESERVE(index, n + 1) || RESERVE(p, n + 1) || RESERVE(list, most) ||
        RESERVE(entry, 6 * most) || RESERVE(near, n_own + 1) || RESERVE(far, n_own + 1))
        return COND_OUT_OF_MEMORY;
    MPI_Scan(&own, &end, 1, MPIU_INT, MPI_SUM, share->world->comm);
    MPI_Allreduce(&own, &all, 1, MPIU_INT, MPI_SUM, share->world->comm);
    for (int i = 0; i < n_own; i++)
        factored->p[i] = (double)(end - own + i);
    cond_mpi_halo_exchange(&share->halo, factored->p);
    for (int i = 0; i < n; i++)
        factored->index[i] = (PetscInt)factored->p[i];
    count_entries(factored);
    factored->planned = 1;
    CondStatus status = make_matrix(factored, all);
    return status ? status : make_solver(factored);
}

static CondStatus add_term(CondMpiFactored* factored, const CondTerm* term)
{
    for (int k = 0; k < term->n_entry; k++)
        for (int l = 0; l < term->n_entry && term->coordinate[k] < factored->share->n_own; l++)
            CHECK(MatSetValue(factored->H, factored->index[term->coordinate[k]],
                              factored->index[term->coordinate[l]], cond_term_entry(term, k, l),
                              ADD_VALUES));
    return COND_OK;
}

static CondStatus add_rows(CondMpiFactored* factored)
{
    const CondMpiShare* share = factored->share;
    for (int i = 0; i < share->n_blocked; i++)
        for (int k = share->row_begin[i]; k < share->row_begin[i + 1]; k++) {
            PetscInt row[3], column[3];
            for (int r = 0; r < 3; r++) {
                row[r] = factored->index[3 * i + r];
                column[r] = factored->index[share->column[k] + r];
            }
            CHECK(MatSetValues(factored->H, 3, row, 3, column,
                               share->value[i] + 9 * (k - share->row_begin[i]), ADD_VALUES));
        }
    for (int i = 3 * share->n_blocked, r = 0; i < share->n_own; i++, r++)
        for (int k = share->rows.begin[r]; k < share->rows.begin[r + 1]; k++)
            CHECK(MatSetValue(factored->H, factored->index[i],
                              factored->index[share->rows.column[k]], share->rows.value[k],
                              ADD_VALUES));
    return COND_OK;
}

CondStatus cond_mpi_factored_build(CondMpiFactored* factored, const CondLinearLaw* law)
{
    const CondMpiShare* share = factored->share;
    CHECK(MatZeroEntries(factored->H));
    CondStatus status = add_rows(factored);
    for (int i = 0; i < share->problem.n_coupling && !status; i++) {
        CondTerm term = cond_term_coupling(&share->coupling[i]);
        status = add_term(factored, &term);
    }
    for (int c = 0; c < share->problem.n_contact && !status; c++) {
        CondTerm term =
            cond_term_contact(&share->contact[c], 1, law[c].D, factored->list, factored->entry);
        cond_term_keep(&term, factored->entry + 3 * (size_t)term.n_entry);
        status = add_term(factored, &term); // open ones too: the pattern stays
    }
    if (status)
        return status;
    CHECK(MatAssemblyBegin(factored->H, MAT_FINAL_ASSEMBLY));
    CHECK(MatAssemblyEnd(factored->H, MAT_FINAL_ASSEMBLY));
    CHECK(KSPSetOperators(factored->ksp, factored->H, factored->H));
    CHECK(KSPSetUp(factored->ksp));
    return COND_OK;
}

int cond_mpi_factored_solve(CondMpiFactored* factored, double* f, double* x)
{
    const CondMpiShare* share = factored->share;
    CHECK(VecPlaceArray(factored->f, f));
    CHECK(VecPlaceArray(factored->x, x));
    CHECK(KSPSolve(factored->ksp, factored->f, factored->x));
    CHECK(VecResetArray(factored->f));
    CHECK(VecResetArray(factored->x));
    cond_mpi_halo_exchange(&factored->share->halo, x);
    memset(f, 0, (size_t)share->n_own * sizeof *f); // as far as rounding goes
    return 0;
}

void cond_mpi_factored_clear(CondMpiFactored* factored)
{
    if (!factored->planned)
        return;
    VecDestroy(&factored->f);
    VecDestroy(&factored->x);
    KSPDestroy(&factored->ksp);
    MatDestroy(&factored->H);
    factored->planned = 0;
}

void cond_mpi_factored_destroy(CondMpiFactored* factored)
{
    cond_mpi_factored_clear(factored);
    cond_arena_release(&factored->arena);
}
