// Counts bytes and flops of the stages of a step from the data of its problem (bench_count.h).
#include "bench_count.h"

enum {
    NUMBER = 8,                            // bytes of a double
    TET = 4 * 4 + 9 * NUMBER + 2 * NUMBER, // corners, inverse rest shape, volume and material
    NODE = 3 * 3 * NUMBER,                 // position, velocity, force
    LINK = (7 + 6 + 6) * NUMBER,           // the same of a rod's link
    BLOCK = 9 * NUMBER + 4,                // of A and its column
    TET_FLOPS = 16 * (2 * 2 * 27 + 9),     // sixteen blocks R K R', added
    VECTORS = 6,                           // that a product of an iteration goes with
};

static double block_entries(const CondBlock* block)
{
    double n = block->n_dof;
    switch (block->kind) {
    case COND_BLOCK_DENSE:
        return n * n;
    case COND_BLOCK_SPARSE:
        return block->row_begin[block->n_dof];
    case COND_BLOCK_BSR3:
        return 9.0 * block->row_begin[block->n_dof / 3];
    case COND_BLOCK_TRIDIAGONAL:
        break;
    }
    return n * COND_TRIDIAGONAL_ROW;
}

static double block_bytes(const CondBlock* block)
{
    double entries = block_entries(block);
    if (block->kind == COND_BLOCK_BSR3)
        return entries / 9.0 * BLOCK;
    return entries * (block->kind == COND_BLOCK_SPARSE ? NUMBER + 4 : NUMBER);
}

BenchCount bench_count_matrix(const CondProblem* problem)
{
    BenchCount count = {.passes = 1.0};
    for (int b = 0; b < problem->n_block; b++) {
        count.bytes += block_bytes(&problem->block[b]);
        count.flops += 2.0 * block_entries(&problem->block[b]);
    }
    for (int i = 0; i < problem->n_coupling; i++) {
        double row = problem->coupling[i].n_row, n = problem->coupling[i].n_coordinate;
        count.bytes += NUMBER * (row * n + row * row) + 4.0 * n;
        count.flops += 4.0 * row * n + 2.0 * row * row;
    }
    count.set = count.bytes;
    return count;
}

// What a model has of everything.
typedef struct Sizes {
    double nodes, tets, links, coordinates;
} Sizes;

static Sizes sizes_of(const CondModel* model)
{
    Sizes sizes = {.coordinates = cond_model_n_dof(model)};
    for (int b = 0; b < cond_model_n_body(model); b++) {
        sizes.nodes += cond_model_n_node(model, b);
        sizes.tets += cond_model_n_tet(model, b);
        if (cond_model_body_kind(model, b) == COND_BODY_ROD)
            sizes.links += cond_model_n_link(model, b);
    }
    return sizes;
}

BenchCount bench_count_stage(CondStage stage, const CondModel* model, const CondProblem* problem,
                             int products)
{
    Sizes sizes = sizes_of(model);
    BenchCount A = bench_count_matrix(problem), count = {.passes = 1.0};
    double contacts = (double)sizeof(CondContact) * problem->n_contact;
    double vector = NUMBER * sizes.coordinates;
    switch (stage) {
    case COND_STAGE_FORCES: // read v and q, write f
        count.set = 3.0 * vector;
        break;
    case COND_STAGE_MATRIX: // read the elements, write their forces and the blocks of A
        count.set = TET * sizes.tets + NODE * sizes.nodes + LINK * sizes.links + A.bytes;
        count.flops = TET_FLOPS * sizes.tets;
        break;
    case COND_STAGE_COLLIDE: // read the places, write the contacts
        count.set = 3 * NUMBER * sizes.nodes + 7 * NUMBER * sizes.links + contacts;
        break;
    case COND_STAGE_ASSEMBLE: // write b and the contacts of the problem
        count.set = 3.0 * vector + contacts;
        break;
    case COND_STAGE_NODALIZE: // read the contacts and the diagonal of A, write their terms
        count.set = vector + 2.0 * contacts;
        break;
    case COND_STAGE_SOLVE: // each product with the vectors of an iteration
        count.set = A.bytes + VECTORS * vector + contacts;
        count.passes = products > 0 ? products : 1.0;
        count.flops = (A.flops + 2.0 * VECTORS * sizes.coordinates) * count.passes;
        break;
    case COND_STAGE_INTEGRATE: // read v, q and v_hat, write q and v
        count.set = 5.0 * vector;
        break;
    case COND_STAGE_COMMIT: // read A and v for the energies, copy the state
        count.set = A.bytes + 6.0 * vector;
        break;
    case COND_STAGE_IMPACT:
    case COND_STAGE_CORRECT: // problems on the masses alone
        count.set = 3.0 * vector + contacts;
        break;
    case COND_N_STAGE:
        break;
    }
    count.bytes = count.set * count.passes;
    return count;
}
