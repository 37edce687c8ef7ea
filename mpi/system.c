// The Newton system by PETSc's Krylov methods and multigrid (system.h).
#include "system.h"

#include "motions.h"
#include "petsc_check.h"
#include "problem/side.h"
#include "problem/term.h"

#include <math.h>
#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&system->arena, system->array, count)

enum { WIDE = 300 }; // coordinates of a coupling up to which the blocks between its nodes join K
static const double ROUNDING = 1e-13; // of the first residual: no more is to be won

// ---- the product

// y += J' D J x of the contacts, on own coordinates.
static void add_contacts(const CondMpiSystem* system, const double* x, double* y)
{
    const CondMpiShare* share = system->share;
    for (int c = 0; c < share->problem.n_contact; c++) {
        const CondContact* contact = &share->contact[c];
        const double *R = contact->frame, *D = system->law[c].D;
        double p[3] = {0.0}, u[3], lambda[3], world[3];
        if (cond_linear_law_kind(&system->law[c]) == COND_CONTACT_OPEN)
            continue;
        cond_side_add_velocity(&contact->side[0], 1.0, x, p);
        cond_side_add_velocity(&contact->side[1], -1.0, x, p);
        for (int i = 0; i < 3; i++)
            u[i] = R[3 * i] * p[0] + R[3 * i + 1] * p[1] + R[3 * i + 2] * p[2];
        for (int i = 0; i < 3; i++)
            lambda[i] = D[3 * i] * u[0] + D[3 * i + 1] * u[1] + D[3 * i + 2] * u[2];
        cond_contact_turn_force(contact->frame, 1.0, lambda, world);
        cond_side_add_force_within(&contact->side[0], 1.0, world, 0, share->n_own, y);
        cond_side_add_force_within(&contact->side[1], -1.0, world, 0, share->n_own, y);
    }
}

// q = H p, p with copies.
static void multiply(CondMpiSystem* system)
{
    CondMpiShare* share = system->share;
    cond_mpi_halo_exchange(&share->halo, system->p);
    share->ranks.multiply(share, system->p, system->q);
    add_contacts(system, system->p, system->q);
    system->products++;
}

static PetscErrorCode shell_multiply(Mat H, Vec x, Vec y)
{
    CondMpiSystem* system;
    const PetscScalar* from;
    PetscScalar* to;
    PASS(MatShellGetContext(H, &system));
    PASS(VecGetArrayRead(x, &from));
    for (int i = 0; i < system->share->n_own; i++)
        system->p[i] = system->scale[i] * from[i];
    PASS(VecRestoreArrayRead(x, &from));
    multiply(system);
    PASS(VecGetArrayWrite(y, &to));
    for (int i = 0; i < system->share->n_own; i++)
        to[i] = system->scale[i] * system->q[i];
    return VecRestoreArrayWrite(y, &to);
}

// ---- the preconditioner

// Nodes by a cycle of multigrid, others by their factorisation.
static PetscErrorCode precondition(PC pc, Vec r, Vec z)
{
    CondMpiSystem* system;
    const PetscScalar* from;
    PetscScalar* to;
    PC part[2];
    PASS(PCShellGetContext(pc, &system));
    part[0] = system->soft;
    part[1] = system->other;
    PASS(VecGetArrayRead(r, &from));
    PASS(VecGetArrayWrite(z, &to));
    for (int i = 0; i < system->share->n_own; i++)
        system->z[i] = from[i] / system->scale[i];
    for (int k = 0, at = 0; k < 2; k++) {
        if (k == 0 ? system->all_soft == 0 : system->all_other == 0)
            continue;
        PASS(VecPlaceArray(system->part[2 * k], system->z + at));
        PASS(VecPlaceArray(system->part[2 * k + 1], to + at));
        PASS(PCApply(part[k], system->part[2 * k], system->part[2 * k + 1]));
        PASS(VecResetArray(system->part[2 * k]));
        PASS(VecResetArray(system->part[2 * k + 1]));
        at += system->n_soft;
    }
    for (int i = 0; i < system->share->n_own; i++)
        to[i] /= system->scale[i];
    PASS(VecRestoreArrayWrite(z, &to));
    return VecRestoreArrayRead(r, &from);
}

// ---- entries of K and C

// A gain of a contact as the preconditioner sees it: friction that follows the normal force is left
// out, so that it stays symmetric.
static void symmetric_gain(const double* D, double out[9])
{
    memcpy(out, D, 9 * sizeof *out);
    for (int i = 1; i < 3; i++)
        if (D[i] != D[3 * i])
            out[i] = out[3 * i] = 0.0;
}

// Adds the rows of own coordinates of a term. Of a wide one K gets the blocks on the diagonal.
static CondStatus add_term(CondMpiSystem* system, const CondTerm* term)
{
    int n_own = system->share->n_own, wide = term->n_entry > WIDE;
    for (int k = 0; k < term->n_entry; k++) {
        int i = term->coordinate[k];
        PetscInt row = system->index[i];
        if (i >= n_own)
            continue;
        for (int l = 0; l < term->n_entry; l++) {
            PetscInt column = system->index[term->coordinate[l]];
            PetscInt at[2] = {row >= 0 ? row : -1 - row, column >= 0 ? column : -1 - column};
            if ((row >= 0) != (column >= 0) || (row >= 0 && wide && row / 3 != column / 3))
                continue;
            PetscScalar value = cond_term_entry(term, k, l);
            CHECK(MatSetValues(row >= 0 ? system->K : system->C, 1, &at[0], 1, &at[1], &value,
                               ADD_VALUES));
        }
    }
    return COND_OK;
}

static CondStatus add_blocked(CondMpiSystem* system)
{
    const CondMpiShare* share = system->share;
    for (int i = 0; i < share->n_blocked; i++) {
        PetscInt row = system->index[3 * i] / 3;
        for (int k = share->row_begin[i]; k < share->row_begin[i + 1]; k++) {
            PetscInt column = system->index[share->column[k]] / 3;
            CHECK(MatSetValuesBlocked(system->K, 1, &row, 1, &column,
                                      share->value[i] + 9 * (k - share->row_begin[i]), ADD_VALUES));
        }
    }
    return COND_OK;
}

static CondStatus add_rows(CondMpiSystem* system)
{
    const CondMpiShare* share = system->share;
    for (int i = 3 * share->n_blocked, r = 0; i < share->n_own; i++, r++) {
        PetscInt row = system->index[i], at = row >= 0 ? row : -1 - row;
        for (int k = share->rows.begin[r]; k < share->rows.begin[r + 1]; k++) {
            PetscInt column = system->index[share->rows.column[k]];
            if ((row >= 0) != (column >= 0))
                continue;
            column = column >= 0 ? column : -1 - column;
            CHECK(MatSetValues(row >= 0 ? system->K : system->C, 1, &at, 1, &column,
                               &share->rows.value[k], ADD_VALUES));
        }
    }
    return COND_OK;
}

static CondStatus assemble(Mat matrix)
{
    CHECK(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    CHECK(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    return COND_OK;
}

CondTerm cond_mpi_system_contact(CondMpiSystem* system, int c, double gain[9])
{
    symmetric_gain(system->law[c].D, gain);
    CondTerm term =
        cond_term_contact(&system->share->contact[c], 1, gain, system->list, system->entry);
    cond_term_keep(&term, system->entry + 3 * (size_t)term.n_entry);
    return term;
}

// K and C with the gains of the contacts.
static CondStatus fill(CondMpiSystem* system)
{
    const CondMpiShare* share = system->share;
    CondStatus status = COND_OK;
    CHECK(MatZeroEntries(system->K));
    CHECK(MatZeroEntries(system->C));
    if ((status = add_blocked(system)) || (status = add_rows(system)))
        return status;
    for (int i = 0; i < share->problem.n_coupling && !status; i++) {
        CondTerm term = cond_term_coupling(&share->coupling[i]);
        status = add_term(system, &term);
    }
    for (int c = 0; c < share->problem.n_contact && !status; c++) {
        double gain[9];
        if (cond_linear_law_kind(&system->law[c]) == COND_CONTACT_OPEN)
            continue;
        CondTerm term = cond_mpi_system_contact(system, c, gain);
        status = add_term(system, &term);
    }
    if (!status)
        status = assemble(system->K);
    return status ? status : assemble(system->C);
}

// ---- what PETSc sends

typedef struct Sent {
    double messages, bytes, reductions;
} Sent;

static Sent sent_so_far(void)
{
    return (Sent){petsc_isend_ct + petsc_send_ct, petsc_isend_len + petsc_send_len,
                  petsc_allreduce_ct};
}

static void count_setup(CondMpiCount* count, Sent before)
{
    Sent now = sent_so_far();
    count->setup_messages += now.messages - before.messages;
    count->setup_bytes += now.bytes - before.bytes;
    count->setup_reductions += now.reductions - before.reductions;
}

static void count_cycles(CondMpiCount* count, Sent before)
{
    Sent now = sent_so_far();
    count->cycle_messages += now.messages - before.messages;
    count->cycle_bytes += now.bytes - before.bytes;
    count->cycle_reductions += now.reductions - before.reductions;
}

// ---- the end of the iterations

// At a share of what the first iteration leaves: that takes what contacts hold, which is most of
// the norm and says nothing of the bodies' motion.
static PetscErrorCode is_enough(KSP ksp, PetscInt count, PetscReal norm, KSPConvergedReason* reason,
                                void* data)
{
    CondMpiSystem* system = data;
    (void)ksp;
    *reason = KSP_CONVERGED_ITERATING;
    if (!isfinite(norm))
        *reason = KSP_DIVERGED_NANORINF;
    else if (count == 0)
        system->norm[0] = norm;
    else if (count == 1)
        system->norm[1] = norm;
    else if (norm <= system->reduction * system->norm[1])
        *reason = KSP_CONVERGED_RTOL;
    if (norm <= ROUNDING * system->norm[0])
        *reason = KSP_CONVERGED_ATOL;
    return 0;
}

// ---- laying out

// Numbers of the own coordinates among those of all ranks, and of the copies.
static CondStatus number(CondMpiSystem* system)
{
    CondMpiShare* share = system->share;
    MPI_Comm comm = share->world->comm;
    PetscInt own[2] = {system->n_soft, system->n_other}, end[2], all[2];
    MPI_Scan(own, end, 2, MPIU_INT, MPI_SUM, comm);
    MPI_Allreduce(own, all, 2, MPIU_INT, MPI_SUM, comm);
    system->first_soft = end[0] - own[0];
    system->first_other = end[1] - own[1];
    system->all_soft = all[0];
    system->all_other = all[1];
    for (int i = 0; i < share->n_own; i++)
        system->p[i] = i < system->n_soft
                           ? (double)(system->first_soft + i)
                           : -1.0 - (double)(system->first_other + i - system->n_soft);
    cond_mpi_halo_exchange(&share->halo, system->p);
    for (int i = 0; i < share->problem.n_dof; i++)
        system->index[i] = (PetscInt)system->p[i];
    return COND_OK;
}

// How many entries a row of K may have: those of A, and of the terms that touch it.
static void count_entries(CondMpiSystem* system)
{
    const CondMpiShare* share = system->share;
    PetscInt *near = system->own_size, *far = system->other_size;
    int n_own = share->n_own;
    for (int i = 0; i < n_own; i++)
        near[i] = far[i] = 0;
    for (int i = 0; i < share->n_blocked; i++)
        for (int k = share->row_begin[i]; k < share->row_begin[i + 1]; k++)
            for (int r = 0; r < 3; r++)
                (share->column[k] < n_own ? near : far)[3 * i + r] += 3;
    for (int i = 3 * share->n_blocked, r = 0; i < n_own; i++, r++)
        for (int k = share->rows.begin[r]; k < share->rows.begin[r + 1]; k++)
            (share->rows.column[k] < n_own ? near : far)[i]++;
}

static void count_term(CondMpiSystem* system, const CondTerm* term)
{
    int n_own = system->share->n_own;
    for (int k = 0; k < term->n_entry; k++)
        for (int l = 0; l < term->n_entry && term->coordinate[k] < n_own; l++) {
            int column = term->coordinate[l];
            int near = term->n_entry > WIDE && system->index[column] >= 0
                           ? column / 3 == term->coordinate[k] / 3
                           : column < n_own;
            if (near)
                system->own_size[term->coordinate[k]]++;
            else if (!(term->n_entry > WIDE && system->index[column] >= 0))
                system->other_size[term->coordinate[k]]++;
        }
}

static CondStatus make_matrix(MPI_Comm comm, PetscInt n, PetscInt all, PetscInt block,
                              PetscInt* near, PetscInt* far, Mat* matrix)
{
    CHECK(MatCreate(comm, matrix));
    CHECK(MatSetSizes(*matrix, n, n, all, all));
    CHECK(MatSetBlockSize(*matrix, block));
    CHECK(MatSetType(*matrix, MATAIJ));
    for (PetscInt i = 0; i < n; i++) { // terms may name an entry twice
        near[i] = near[i] < n ? near[i] : n;
        far[i] = far[i] < all - n ? far[i] : all - n;
    }
    CHECK(MatSeqAIJSetPreallocation(*matrix, 0, near));
    CHECK(MatMPIAIJSetPreallocation(*matrix, 0, near, 0, far));
    CHECK(MatSetOption(*matrix, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    CHECK(MatSetOption(*matrix, MAT_SYMMETRIC, PETSC_TRUE));
    CHECK(MatSetOption(*matrix, MAT_SPD, PETSC_TRUE));
    return COND_OK;
}

static CondStatus make_matrices(CondMpiSystem* system)
{
    CondMpiShare* share = system->share;
    MPI_Comm comm = share->world->comm;
    count_entries(system);
    for (int i = 0; i < share->problem.n_coupling; i++) {
        CondTerm term = cond_term_coupling(&share->coupling[i]);
        count_term(system, &term);
    }
    for (int c = 0; c < share->problem.n_contact; c++) {
        CondTerm term = cond_term_contact(&share->contact[c], 1, NULL, system->list, system->entry);
        count_term(system, &term);
    }
    CondStatus status = make_matrix(comm, system->n_soft, system->all_soft, 3, system->own_size,
                                    system->other_size, &system->K);
    if (!status)
        status = make_matrix(comm, system->n_other, system->all_other, 1,
                             system->own_size + system->n_soft, system->other_size + system->n_soft,
                             &system->C);
    if (status)
        return status;
    CHECK(MatCreateShell(comm, share->n_own, share->n_own, PETSC_DETERMINE, PETSC_DETERMINE, system,
                         &system->H));
    CHECK(MatShellSetOperation(system->H, MATOP_MULT, (void (*)(void))shell_multiply));
    return COND_OK;
}

// An option of PETSc that stands unless the user has set it.
static CondStatus prefer(const char* name, const char* value)
{
    PetscBool set;
    CHECK(PetscOptionsHasName(NULL, NULL, name, &set));
    if (!set)
        CHECK(PetscOptionsSetValue(NULL, name, value));
    return COND_OK;
}

static CondStatus make_preconditioner(CondMpiSystem* system)
{
    MPI_Comm comm = system->share->world->comm;
    PC shell;
    CHECK(PCCreate(comm, &system->soft));
    CHECK(PCSetOptionsPrefix(system->soft, "cond_soft_"));
    CHECK(PCSetType(system->soft, PCGAMG));
    // Groups of nodes that move as rigid ones, as on one machine: smoothed ones take ten times as
    // long to set up, and where masses count few iterations less.
    CHECK(PCGAMGSetNSmooths(system->soft, 0));
    if (prefer("-cond_soft_mg_levels_pc_type", "jacobi") ||
        prefer("-cond_soft_mg_levels_ksp_max_it", "2"))
        return COND_DIVERGED;
    CHECK(PCSetFromOptions(system->soft));
    CHECK(PCCreate(comm, &system->other));
    CHECK(PCSetOptionsPrefix(system->other, "cond_other_"));
    CHECK(PCSetType(system->other, PCREDUNDANT));
    CHECK(PCSetFromOptions(system->other));
    CHECK(KSPCreate(comm, &system->ksp));
    CHECK(KSPSetNormType(system->ksp, KSP_NORM_UNPRECONDITIONED));
    CHECK(KSPSetOptionsPrefix(system->ksp, "cond_"));
    CHECK(KSPGetPC(system->ksp, &shell));
    CHECK(PCSetType(shell, PCSHELL));
    CHECK(PCShellSetContext(shell, system));
    CHECK(PCShellSetApply(shell, precondition));
    return COND_OK;
}

static CondStatus make_vectors(CondMpiSystem* system)
{
    MPI_Comm comm = system->share->world->comm;
    for (int k = 0; k < 4; k++)
        CHECK(VecCreateMPIWithArray(comm, k < 2 ? 3 : 1, k < 2 ? system->n_soft : system->n_other,
                                    k < 2 ? system->all_soft : system->all_other, NULL,
                                    &system->part[k]));
    CHECK(VecCreateMPIWithArray(comm, 1, system->share->n_own, PETSC_DETERMINE, NULL, &system->f));
    CHECK(VecCreateMPIWithArray(comm, 1, system->share->n_own, PETSC_DETERMINE, NULL, &system->x));
    return COND_OK;
}

// The most coordinates that a contact or coupling has.
static int widest(const CondProblem* problem)
{
    int most = 1;
    for (int c = 0; c < problem->n_contact; c++) {
        const CondSide* side = problem->contact[c].side;
        int n = side[0].n_coordinate + side[1].n_coordinate;
        most = n > most ? n : most;
    }
    return most;
}

CondStatus cond_mpi_system_plan(CondMpiSystem* system, CondMpiShare* share)
{
    int n = share->problem.n_dof, most = widest(&share->problem);
    cond_mpi_system_clear(system);
    system->share = share;
    system->n_soft = 3 * share->n_node;
    system->n_other = share->n_own - system->n_soft;
    system->products = system->iterations = 0;
    if (RESERVE(scale, n + 1) || RESERVE(z, n + 1) || RESERVE(b, n + 1) || RESERVE(index, n + 1) ||
        RESERVE(p, n + 1) || RESERVE(q, n + 1) || RESERVE(gain, 9 * share->n_node + 1) ||
        RESERVE(mode, 6 * system->n_soft + 1) || RESERVE(list, most) || RESERVE(entry, 6 * most) ||
        RESERVE(own_size, share->n_own + 1) || RESERVE(other_size, share->n_own + 1))
        return COND_OUT_OF_MEMORY;
    system->planned = 1;
    for (int i = 0; i < share->n_own; i++)
        system->scale[i] = 1.0 / sqrt(share->diagonal[i]);
    CondStatus status = number(system);
    if (!status)
        status = make_matrices(system);
    if (!status)
        status = make_vectors(system);
    return status ? status : make_preconditioner(system);
}

CondStatus cond_mpi_system_build(CondMpiSystem* system, const CondLinearLaw* law, int general)
{
    Sent before = sent_so_far();
    system->law = law;
    system->general = general;
    CondStatus status = fill(system);
    if (!status && system->all_soft > 0)
        status = cond_mpi_motions_tell(system);
    if (status)
        return status;
    if (system->all_soft > 0) {
        CHECK(PCSetOperators(system->soft, system->K, system->K));
        CHECK(PCSetUp(system->soft));
    }
    if (system->all_other > 0) {
        CHECK(PCSetOperators(system->other, system->C, system->C));
        CHECK(PCSetUp(system->other));
    }
    CHECK(KSPSetOperators(system->ksp, system->H, system->H));
    CHECK(KSPSetType(system->ksp, general ? KSPBCGS : KSPCG));
    CHECK(KSPSetPCSide(system->ksp, general ? PC_RIGHT : PC_LEFT)); // both give that norm
    count_setup(&system->share->world->count, before);
    return COND_OK;
}

int cond_mpi_system_solve(CondMpiSystem* system, double* f, double* x, double reduction,
                          int max_products)
{
    CondMpiShare* share = system->share;
    int before = system->products;
    PetscInt most = system->general ? (max_products + 1) / 2 : max_products, count = 0;
    system->reduction = reduction;
    CHECK(KSPSetTolerances(system->ksp, reduction, 0.0, PETSC_DEFAULT, most > 0 ? most : 1));
    CHECK(KSPSetConvergenceTest(system->ksp, is_enough, system, NULL));
    CHECK(KSPSetFromOptions(system->ksp));
    for (int i = 0; i < share->n_own; i++)
        system->b[i] = system->scale[i] * f[i];
    CHECK(VecPlaceArray(system->f, system->b));
    CHECK(VecPlaceArray(system->x, x));
    Sent sent = sent_so_far();
    CHECK(KSPSolve(system->ksp, system->f, system->x));
    count_cycles(&share->world->count, sent);
    CHECK(KSPGetIterationNumber(system->ksp, &count));
    CHECK(VecResetArray(system->f));
    CHECK(VecResetArray(system->x));
    for (int i = 0; i < share->n_own; i++)
        x[i] *= system->scale[i];
    cond_mpi_halo_exchange(&share->halo, x);
    memcpy(system->p, x, (size_t)share->problem.n_dof * sizeof *x);
    multiply(system);
    for (int i = 0; i < share->n_own; i++)
        f[i] -= system->q[i];
    system->iterations += (int)count;
    return system->products - before;
}

void cond_mpi_system_clear(CondMpiSystem* system)
{
    if (!system->planned)
        return;
    for (int k = 0; k < 4; k++)
        VecDestroy(&system->part[k]);
    VecDestroy(&system->f);
    VecDestroy(&system->x);
    KSPDestroy(&system->ksp);
    PCDestroy(&system->soft);
    PCDestroy(&system->other);
    MatDestroy(&system->H);
    MatDestroy(&system->K);
    MatDestroy(&system->C);
    system->planned = 0;
}

void cond_mpi_system_destroy(CondMpiSystem* system)
{
    cond_mpi_system_clear(system);
    cond_arena_release(&system->arena);
}
