// CondProblemFile: blocks and contacts from plain sparse matrices.
#include "fclib/fclib_problem.h"
#include "base/tuning.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "fclib/tuning.h"

// Coordinates that share nothing in A are gathered up to this number, which is that of a rigid
// body: its mass matrix is often diagonal, yet its contacts move all six coordinates together.
enum GatherSize { GATHER_MAX = 6 };

// The end of the smallest range begin .. end - 1 whose rows have no entry beyond it.
static int piece_end(const CondCsr* A, int begin)
{
    int end = begin + 1;
    for (int i = begin; i < end; i++) {
        int last = A->row_begin[i + 1] - 1;
        if (last >= A->row_begin[i] && A->column[last] >= end)
            end = A->column[last] + 1;
    }
    return end;
}

static int block_end(const CondCsr* A, int begin, int split)
{
    if (!split)
        return A->n_row;
    int end = piece_end(A, begin);
    while (end < A->n_row) {
        int next = piece_end(A, end);
        if (next - begin > GATHER_MAX)
            break;
        end = next;
    }
    return end;
}

static CondStatus allocate_blocks(CondProblemFile* file, const CondCsr* A, int split)
{
    size_t n_value = 0;
    size_t n_row = 0;
    size_t n_column = 0;
    int n_block = 0;
    for (int begin = 0, end = 0; begin < A->n_row; begin = end, n_block++) {
        end = block_end(A, begin, split);
        size_t n = (size_t)(end - begin);
        size_t n_entry = (size_t)(A->row_begin[end] - A->row_begin[begin]);
        if (split && n <= COND_DENSE_MOST) {
            n_value += n * n;
        } else {
            n_value += n_entry;
            n_column += n_entry;
            n_row += n + 1;
        }
    }
    file->block = cond_allocate(&file->context, (size_t)n_block, sizeof *file->block);
    file->block_value = cond_allocate(&file->context, n_value, sizeof *file->block_value);
    file->block_row_begin = cond_allocate(&file->context, n_row, sizeof *file->block_row_begin);
    file->block_column = cond_allocate(&file->context, n_column, sizeof *file->block_column);
    if (!file->block || !file->block_value || !file->block_row_begin || !file->block_column)
        return COND_OUT_OF_MEMORY;
    file->problem.block = file->block;
    file->problem.n_block = n_block;
    return COND_OK;
}

static void fill_blocks(CondProblemFile* file, const CondCsr* A, int split)
{
    double* value = file->block_value;
    int* row_begin = file->block_row_begin;
    int* column = file->block_column;
    CondBlock* block = file->block;
    for (int begin = 0, end = 0; begin < A->n_row; begin = end, block++) {
        end = block_end(A, begin, split);
        int n = end - begin;
        int first = A->row_begin[begin];
        int n_entry = A->row_begin[end] - first;
        *block = (CondBlock){.dof_begin = begin, .n_dof = n, .values = value};
        if (split && n <= COND_DENSE_MOST) {
            block->kind = COND_BLOCK_DENSE;
            for (int i = 0; i < n; i++)
                for (int k = A->row_begin[begin + i]; k < A->row_begin[begin + i + 1]; k++)
                    value[i * n + A->column[k] - begin] = A->value[k];
            value += n * n;
            continue;
        }
        block->kind = COND_BLOCK_SPARSE;
        block->row_begin = row_begin;
        block->column = column;
        for (int i = 0; i <= n; i++)
            *row_begin++ = A->row_begin[begin + i] - first;
        for (int k = first; k < first + n_entry; k++) {
            *column++ = A->column[k] - begin;
            *value++ = A->value[k];
        }
    }
}

// Gathers the coordinates that rows 3 c .. 3 c + 2 of Jc touch, ascending, and the 3 x k matrix of
// their entries, row-major, into coordinate and J. Returns k.
static int gather_contact(const CondCsr* Jc, int c, int* coordinate, double* J)
{
    int n = 0;
    for (int pass = 0; pass < 2; pass++) { // the first counts, as J needs k for its row length
        int place[3] = {Jc->row_begin[3 * c], Jc->row_begin[3 * c + 1], Jc->row_begin[3 * c + 2]};
        int k = 0;
        for (;;) {
            int next = Jc->n_col;
            for (int r = 0; r < 3; r++)
                if (place[r] < Jc->row_begin[3 * c + r + 1] && Jc->column[place[r]] < next)
                    next = Jc->column[place[r]];
            if (next == Jc->n_col)
                break;
            double entry[3] = {0.0, 0.0, 0.0};
            for (int r = 0; r < 3; r++)
                if (place[r] < Jc->row_begin[3 * c + r + 1] && Jc->column[place[r]] == next)
                    entry[r] = Jc->value[place[r]++];
            if (entry[0] == 0.0 && entry[1] == 0.0 && entry[2] == 0.0)
                continue; // stored zeros: the contact does not move this coordinate
            if (pass == 1) {
                coordinate[k] = next;
                for (int r = 0; r < 3; r++)
                    J[r * n + k] = entry[r];
            }
            k++;
        }
        n = k;
    }
    return n;
}

static int is_triple(const int* coordinate)
{
    return coordinate[1] == coordinate[0] + 1 && coordinate[2] == coordinate[0] + 2;
}

// The first three columns of a 3 x k matrix J as R; 1 when R R' = I.
static int read_rotation(const double* J, int k, double* R)
{
    for (int r = 0; r < 3; r++)
        memcpy(R + 3 * r, J + r * k, 3 * sizeof *R);
    for (int r = 0; r < 3; r++) {
        for (int s = r; s < 3; s++) {
            double dot =
                R[3 * r] * R[3 * s] + R[3 * r + 1] * R[3 * s + 1] + R[3 * r + 2] * R[3 * s + 2];
            if (fabs(dot - (r == s)) > COND_ROUNDING)
                return 0;
        }
    }
    return 1;
}

static double determinant(const double* R)
{
    return R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
           R[2] * (R[3] * R[7] - R[4] * R[6]);
}

// J = [R] on three consecutive coordinates is a node, J = [R, -R] on two such triples is one node
// against another. Recognising them saves virtual nodes. Returns 1 when it made the sides so.
static int make_node_sides(CondContact* contact, int k, const int* coordinate, const double* J)
{
    double R[9];
    if ((k != 3 && k != 6) || !is_triple(coordinate) || !read_rotation(J, k, R))
        return 0;
    int turn = 0;
    if (k == 6) {
        if (!is_triple(coordinate + 3))
            return 0;
        for (int r = 0; r < 3; r++)
            for (int s = 0; s < 3; s++)
                if (J[6 * r + 3 + s] != -R[3 * r + s])
                    return 0;
        turn = determinant(R) < 0.0; // seen from the other node, -R is right-handed
    }
    for (int e = 0; e < 9; e++)
        contact->frame[e] = turn ? -R[e] : R[e];
    contact->side[turn] = (CondSide){3, coordinate, NULL};
    if (k == 6)
        contact->side[1 - turn] = (CondSide){3, coordinate + 3, NULL};
    return 1;
}

static CondStatus make_contacts(CondProblemFile* file, const CondProblemParts* parts,
                                int* idle_contact)
{
    const CondCsr* Jc = parts->Jc;
    int n_contact = Jc->n_row / 3;
    size_t n_entry = (size_t)Jc->row_begin[Jc->n_row]; // a coordinate has one entry at least
    file->contact = cond_allocate(&file->context, (size_t)n_contact, sizeof *file->contact);
    file->coordinate = cond_allocate(&file->context, n_entry, sizeof *file->coordinate);
    file->jacobian = cond_allocate(&file->context, 3 * n_entry, sizeof *file->jacobian);
    if (!file->contact || !file->coordinate || !file->jacobian)
        return COND_OUT_OF_MEMORY;
    file->problem.contact = file->contact;
    file->problem.n_contact = n_contact;

    int* coordinate = file->coordinate;
    double* jacobian = file->jacobian;
    for (int c = 0; c < n_contact; c++) {
        CondContact* contact = &file->contact[c];
        int k = gather_contact(Jc, c, coordinate, jacobian);
        if (k == 0) {
            *idle_contact = c;
            return COND_BAD_INPUT;
        }
        contact->friction[0] = contact->friction[1] = parts->mu[c];
        contact->kv = parts->kv ? parts->kv[c] : INFINITY;
        contact->key = (uint64_t)c + 1;
        memcpy(contact->phi, parts->phi + 3 * (size_t)c, sizeof contact->phi);
        // A finite kv is the compliance of a virtual node, and a node of its own would lose it.
        if (isfinite(contact->kv) || !make_node_sides(contact, k, coordinate, jacobian)) {
            contact->side[0] = (CondSide){k, coordinate, jacobian};
            contact->frame[0] = contact->frame[4] = contact->frame[8] = 1.0;
            jacobian += 3 * (size_t)k;
        }
        coordinate += k;
    }
    if (parts->intervals)
        cond_fclib_intervals_set(parts->intervals, file->contact);
    return COND_OK;
}

CondStatus cond_problem_file_create(const CondContext* context, const CondProblemParts* parts,
                                    CondProblemFile** result, int* idle_contact)
{
    *result = NULL;
    CondContext own = cond_context_or_default(context);
    CondProblemFile* file = cond_allocate(&own, 1, sizeof *file);
    if (!file)
        return COND_OUT_OF_MEMORY;
    file->context = own;
    int n_dof = parts->A->n_row;
    file->problem.n_dof = n_dof;
    CondStatus status = allocate_blocks(file, parts->A, parts->split);
    if (status == COND_OK) {
        fill_blocks(file, parts->A, parts->split);
        status = make_contacts(file, parts, idle_contact);
    }
    if (status == COND_OK) {
        file->b = cond_allocate(&own, (size_t)n_dof, sizeof *file->b);
        if (!file->b)
            status = COND_OUT_OF_MEMORY;
    }
    if (status < 0) {
        cond_problem_file_destroy(file);
        return status;
    }
    memcpy(file->b, parts->b, (size_t)n_dof * sizeof *file->b);
    file->problem.b = file->b;
    *result = file;
    return COND_OK;
}

const CondProblem* cond_problem_file_problem(const CondProblemFile* file)
{
    return &file->problem;
}

int cond_problem_file_local(const CondProblemFile* file)
{
    return file->local;
}

const char* cond_problem_file_title(const CondProblemFile* file)
{
    return file->title ? file->title : "";
}

const char* cond_problem_file_description(const CondProblemFile* file)
{
    return file->description ? file->description : "";
}

void cond_problem_file_destroy(CondProblemFile* file)
{
    if (!file)
        return;
    CondContext context = file->context;
    void* arrays[] = {file->title,           file->description,
                      file->block,           file->block_value,
                      file->block_row_begin, file->block_column,
                      file->contact,         file->coordinate,
                      file->jacobian,        file->b};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        cond_release(&context, arrays[k]);
    cond_release(&context, file);
}
