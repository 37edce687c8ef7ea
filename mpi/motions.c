// Gives the rigid motions of meshes to GAMG as its near null space (motions.h).
#include "motions.h"

#include "petsc_check.h"

#include <string.h>

// Times a node's own stiffness: a gain from which it counts as held.
static const double HELD = 10.0;

// T of the contacts at each own node, in world axes: of all of a term's blocks the one of the
// node.
static void add_gains(CondMpiSystem* system)
{
    const CondMpiShare* share = system->share;
    memset(system->gain, 0, 9 * (size_t)share->n_node * sizeof *system->gain);
    for (int c = 0; c < share->problem.n_contact; c++) {
        double gain[9];
        if (cond_linear_law_kind(&system->law[c]) == COND_CONTACT_OPEN)
            continue;
        CondTerm term = cond_mpi_system_contact(system, c, gain);
        for (int k = 0; k < term.n_entry; k++)
            for (int l = 0; l < term.n_entry; l++) {
                int i = term.coordinate[k], j = term.coordinate[l];
                if (i < system->n_soft && i / 3 == j / 3)
                    system->gain[3 * i + j % 3] += cond_term_entry(&term, k, l);
            }
    }
}

// B = (I + (T/tau)^2)^-2, by two solves with the symmetric I + (T/tau)^2.
static void find_cut(const double* T, double tau, double B[9])
{
    double S[9], adj[9], det = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            S[3 * i + j] = i == j;
            for (int k = 0; k < 3; k++)
                S[3 * i + j] += T[3 * i + k] * T[3 * k + j] / (tau * tau);
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            adj[3 * j + i] = S[3 * a + c] * S[3 * b + d] - S[3 * a + d] * S[3 * b + c];
        }
    for (int k = 0; k < 3; k++)
        det += S[k] * adj[3 * k];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            B[3 * i + j] = 0.0;
            for (int k = 0; k < 3; k++)
                B[3 * i + j] += adj[3 * i + k] * adj[3 * k + j] / (det * det);
        }
}

// The motions of the nodes, cut where contacts hold them: what these hold is no long wave, and
// would make the coarse matrix stiff. The middle of all nodes is a point about which to turn.
static void make_modes(CondMpiSystem* system)
{
    const CondMpiShare* share = system->share;
    size_t n = (size_t)system->n_soft;
    add_gains(system);
    for (int i = 0; i < share->n_node; i++) {
        double none[3] = {0.0, 0.0, 0.0}, B[9];
        const double* x = share->position[i] ? share->position[i] : none;
        const double* d = share->diagonal + 3 * (size_t)i;
        double turn[3][3] = {{0.0, -x[2], x[1]}, {x[2], 0.0, -x[0]}, {-x[1], x[0], 0.0}};
        find_cut(system->gain + 9 * (size_t)i, HELD * (d[0] + d[1] + d[2]) / 3.0, B);
        for (int r = 0; r < 3; r++)
            for (int m = 0; m < 3; m++) {
                double sum = 0.0;
                for (int k = 0; k < 3; k++)
                    sum += B[3 * r + k] * turn[m][k];
                system->mode[(size_t)m * n + 3 * (size_t)i + (size_t)r] = B[3 * r + m];
                system->mode[(size_t)(3 + m) * n + 3 * (size_t)i + (size_t)r] = sum;
            }
    }
}

CondStatus cond_mpi_motions_tell(CondMpiSystem* system)
{
    MPI_Comm comm = system->share->world->comm;
    int placed = 1, all = 1, n_mode;
    Vec mode[6];
    MatNullSpace motions;
    for (int i = 0; i < system->share->n_node; i++)
        placed &= system->share->position[i] != NULL;
    MPI_Allreduce(&placed, &all, 1, MPI_INT, MPI_MIN, comm);
    n_mode = all ? 6 : 3;
    make_modes(system);
    for (int m = 0; m < n_mode; m++)
        CHECK(VecCreateMPIWithArray(comm, 3, system->n_soft, system->all_soft,
                                    system->mode + (size_t)m * (size_t)system->n_soft, &mode[m]));
    CHECK(MatNullSpaceCreate(comm, PETSC_FALSE, n_mode, mode, &motions));
    CHECK(MatSetNearNullSpace(system->K, motions));
    CHECK(MatNullSpaceDestroy(&motions));
    for (int m = 0; m < n_mode; m++)
        CHECK(VecDestroy(&mode[m]));
    return COND_OK;
}
