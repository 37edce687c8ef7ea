// Plans and makes the exchange of copied coordinates (halo.h). Collective over all ranks.
#include "halo.h"

#include <string.h>

enum { TAG_LIST = 71, TAG_COPY = 72 };

// The ranks with a number above zero, and where theirs begin; how many there are.
static int list_ranks(int size, const int* number, int* rank, int* begin)
{
    int n = 0;
    begin[0] = 0;
    for (int r = 0; r < size; r++)
        if (number[r] > 0) {
            rank[n] = r;
            begin[n + 1] = begin[n] + number[r];
            n++;
        }
    return n;
}

#define RESERVE(array, count) COND_RESERVE(&halo->arena, halo->array, count)

CondStatus cond_mpi_halo_plan(CondMpiHalo* halo, CondMpiWorld* world, int n_own, int n_copy,
                              const int* copy, const int* owner, const int* local)
{
    int size = world->size;
    halo->world = world;
    halo->n_own = n_own;
    if (RESERVE(wanted, size) || RESERVE(given, size) || RESERVE(in, size) ||
        RESERVE(in_begin, size + 1) || RESERVE(out, size) || RESERVE(out_begin, size + 1) ||
        RESERVE(request, 2 * size))
        return COND_OUT_OF_MEMORY;
    memset(halo->wanted, 0, (size_t)size * sizeof *halo->wanted);
    for (int k = 0; k < n_copy; k++)
        halo->wanted[owner[k]]++;
    MPI_Alltoall(halo->wanted, 1, MPI_INT, halo->given, 1, MPI_INT, world->comm);
    halo->n_in = list_ranks(size, halo->wanted, halo->in, halo->in_begin);
    halo->n_out = list_ranks(size, halo->given, halo->out, halo->out_begin);
    int n_out = halo->out_begin[halo->n_out];
    if (RESERVE(list, n_out + 1) || RESERVE(buffer, n_out + 1))
        return COND_OUT_OF_MEMORY;
    MPI_Request* request = halo->request;
    for (int k = 0; k < halo->n_out; k++)
        MPI_Irecv(halo->list + halo->out_begin[k], halo->out_begin[k + 1] - halo->out_begin[k],
                  MPI_INT, halo->out[k], TAG_LIST, world->comm, request++);
    for (int k = 0; k < halo->n_in; k++)
        MPI_Isend(copy + halo->in_begin[k], halo->in_begin[k + 1] - halo->in_begin[k], MPI_INT,
                  halo->in[k], TAG_LIST, world->comm, request++);
    MPI_Waitall(halo->n_in + halo->n_out, halo->request, MPI_STATUSES_IGNORE);
    for (int k = 0; k < n_out; k++)
        halo->list[k] = local[halo->list[k]];
    return COND_OK;
}

void cond_mpi_halo_exchange(CondMpiHalo* halo, double* x)
{
    CondMpiCount* count = &halo->world->count;
    MPI_Request* request = halo->request;
    for (int k = 0; k < halo->n_in; k++)
        MPI_Irecv(x + halo->n_own + halo->in_begin[k], halo->in_begin[k + 1] - halo->in_begin[k],
                  MPI_DOUBLE, halo->in[k], TAG_COPY, halo->world->comm, request++);
    for (int k = 0; k < halo->out_begin[halo->n_out]; k++)
        halo->buffer[k] = x[halo->list[k]];
    for (int k = 0; k < halo->n_out; k++)
        MPI_Isend(halo->buffer + halo->out_begin[k], halo->out_begin[k + 1] - halo->out_begin[k],
                  MPI_DOUBLE, halo->out[k], TAG_COPY, halo->world->comm, request++);
    MPI_Waitall(halo->n_in + halo->n_out, halo->request, MPI_STATUSES_IGNORE);
    count->exchanges += 1.0;
    count->messages += halo->n_out;
    count->bytes += (double)sizeof(double) * halo->out_begin[halo->n_out];
}

void cond_mpi_halo_destroy(CondMpiHalo* halo)
{
    cond_arena_release(&halo->arena);
}
