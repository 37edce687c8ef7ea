// FCLib files: what is written is what is read, whatever the layout.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cond/fclib.h"
#include "dense.h"
#include "failing_allocator.h"
#include "fclib_edit.h"
#include "gfc.h"
#include "random_problem.h"

static const char* const LMGC[] = {"LMGC_GFC3D-i00001-1-00000", "LMGC_GFC3D-i00501-4-00000"};
static const CondFclibLayout LAYOUTS[] = {COND_FCLIB_TRIPLET, COND_FCLIB_COLUMNS, COND_FCLIB_ROWS};

// The tests run in a folder of their own, removed at the end with the files named here.
static char folder[] = "fclib_XXXXXX";
static const char* const FILES[] = {"a.hdf5", "b.hdf5", "c.hdf5"};

static int enter_folder(void** state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void** state)
{
    (void)state;
    for (size_t k = 0; k < sizeof FILES / sizeof *FILES; k++)
        remove(FILES[k]);
    // Fails when a file was left behind or is still open.
    return chdir("..") == 0 && rmdir(folder) == 0 && H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0
               ? 0
               : -1;
}

static const char* data_path(const char* name, const char* ending)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/fclib/%s.%s", COND_TEST_DATA, name, ending);
    return path;
}

static CondProblemFile* read_fine(const char* path)
{
    CondProblemFile* file = NULL;
    CondError error = {0};
    CondStatus status = cond_fclib_read(NULL, path, &file, &error);
    if (status != COND_OK)
        fail_msg("%s", error.message);
    if (cond_problem_check(NULL, cond_problem_file_problem(file), &error) != COND_OK)
        fail_msg("%s", error.message);
    return file;
}

static void write_fine(const char* path, const CondProblem* problem, CondFclibLayout layout)
{
    CondError error = {0};
    if (cond_fclib_write(NULL, path, problem, layout, "a title", NULL, NULL, &error) != COND_OK)
        fail_msg("%s", error.message);
}

// Numbers in [-1, 1] that are the same on every machine.
static void fill_random(uint64_t seed, int n, double* x)
{
    for (int k = 0; k < n; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[k] = (double)(int64_t)(seed >> 11) / 4503599627370496.0 - 1.0;
    }
}

static void assert_near(int n, const double* x, const double* y, double tolerance)
{
    double scale = 0.0;
    for (int k = 0; k < n; k++)
        scale = fmax(scale, fmax(fabs(x[k]), fabs(y[k])));
    for (int k = 0; k < n; k++)
        if (!(fabs(x[k] - y[k]) <= tolerance * scale))
            fail_msg("entry %d: %.17g and %.17g", k, x[k], y[k]);
}

// Both problems give the same A v, b, u and Jc' lambda.
static void assert_same_problem(const CondProblem* P, const CondProblem* Q)
{
    int n = P->n_dof;
    assert_int_equal(n, Q->n_dof);
    assert_int_equal(P->n_contact, Q->n_contact);
    double* memory = calloc(5 * (size_t)n, sizeof *memory);
    double *v = memory, *p = v + n, *q = p + n, *fp = q + n, *fq = fp + n;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        fill_random(seed, n, v);
        cond_problem_multiply(P, v, p);
        cond_problem_multiply(Q, v, q);
        assert_near(n, p, q, 1e-13);
    }
    assert_memory_equal(P->b, Q->b, (size_t)n * sizeof(double));
    for (int c = 0; c < P->n_contact; c++) {
        double up[3], uq[3], lambda[3];
        assert_true(P->contact[c].friction[0] == Q->contact[c].friction[0]);
        assert_true(P->contact[c].friction[1] == Q->contact[c].friction[1]);
        assert_memory_equal(P->contact[c].phi, Q->contact[c].phi, sizeof up);
        cond_contact_velocity(&P->contact[c], v, up);
        cond_contact_velocity(&Q->contact[c], v, uq);
        assert_near(3, up, uq, 1e-13);
        fill_random((uint64_t)c + 9, 3, lambda);
        cond_contact_add_force(&P->contact[c], 1.0, lambda, fp);
        cond_contact_add_force(&Q->contact[c], 1.0, lambda, fq);
    }
    assert_near(n, fp, fq, 1e-13);
    free(memory);
}

// A rigid body (dense), three nodes (sparse), a coupling between them and contacts of every kind.
enum { N_DOF = 15, N_CONTACT = 5, N_SPARSE = 9 };
typedef struct Sample {
    CondProblem problem;
    CondBlock block[2];
    CondCoupling coupling;
    CondContact contact[N_CONTACT];
    double dense[36], sparse[3 * N_SPARSE], b[N_DOF], J[4], K[4], body[18];
    int row_begin[N_SPARSE + 1], column[3 * N_SPARSE], tied[2], coordinate[N_DOF];
} Sample;

static void fill_matrices(Sample* s)
{
    double random[36];
    fill_random(11, 36, random);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            s->dense[6 * i + j] = (i == j ? 8.0 : 0.0) + random[6 * i + j] + random[6 * j + i];
    int n = 0; // a chain: every node is tied to the next, coordinate by coordinate
    for (int i = 0; i < N_SPARSE; i++) {
        for (int j = i - 3; j <= i + 3; j += 3) {
            if (j >= 0 && j < N_SPARSE) {
                s->column[n] = j;
                s->sparse[n++] = i == j ? 5.0 : -2.0;
            }
        }
        s->row_begin[i + 1] = n;
    }
    s->block[0] = (CondBlock){COND_BLOCK_DENSE, 0, 6, s->dense, NULL, NULL, NULL};
    s->block[1] =
        (CondBlock){COND_BLOCK_SPARSE, 6, N_SPARSE, s->sparse, s->row_begin, s->column, NULL};
    memcpy(s->J, (double[]){1.0, -1.0, 0.5, 0.25}, sizeof s->J);
    memcpy(s->K, (double[]){3.0, 0.5, 0.5, 2.0}, sizeof s->K);
    memcpy(s->tied, (int[]){7, 2}, sizeof s->tied);
    s->coupling = (CondCoupling){2, 2, s->tied, s->J, s->K};
}

static Sample* make_sample(void)
{
    static const double FRAME[9] = {0.6, 0.0, 0.8, 0.0, 1.0, 0.0, -0.8, 0.0, 0.6};
    Sample* s = calloc(1, sizeof *s);
    fill_matrices(s);
    fill_random(12, N_DOF, s->b);
    fill_random(13, 18, s->body);
    for (int i = 0; i < N_DOF; i++)
        s->coordinate[i] = i;
    CondSide body = {6, s->coordinate, s->body};
    CondSide node[3];
    for (int k = 0; k < 3; k++)
        node[k] = (CondSide){3, s->coordinate + 6 + 3 * k, NULL};
    const CondSide side[N_CONTACT][2] = {
        {node[0], {0}}, {body, {0}}, {node[1], node[2]}, {body, node[0]}, {node[2], {0}}};
    const double kv[N_CONTACT] = {INFINITY, 1e4, INFINITY, 500.0, 7.0};
    for (int c = 0; c < N_CONTACT; c++) {
        CondContact* contact = &s->contact[c];
        memcpy(contact->side, side[c], sizeof contact->side);
        memcpy(contact->frame, FRAME, sizeof FRAME);
        contact->friction[0] = contact->friction[1] = 0.1 * c;
        fill_random(20 + (uint64_t)c, 3, contact->phi);
        contact->kv = kv[c];
    }
    s->problem = (CondProblem){N_DOF, 2, 1, N_CONTACT, s->block, &s->coupling, s->contact, s->b};
    return s;
}

static void test_round_trip_sample(void** state)
{
    (void)state;
    Sample* sample = make_sample();
    for (int k = 0; k < 3; k++) {
        write_fine("a.hdf5", &sample->problem, LAYOUTS[k]);
        CondProblemFile* file = read_fine("a.hdf5");
        const CondProblem* problem = cond_problem_file_problem(file);
        assert_same_problem(&sample->problem, problem);
        assert_int_equal(cond_problem_file_local(file), 0);
        assert_string_equal(cond_problem_file_title(file), "a title");
        assert_non_null(strstr(cond_problem_file_description(file), "COND"));

        const CondContact* contact = problem->contact;
        assert_null(contact[0].side[0].jacobian); // nodes are found again, with their frame
        assert_int_equal(contact[0].side[1].n_coordinate, 0);
        assert_memory_equal(contact[0].frame, sample->contact[0].frame, sizeof contact[0].frame);
        assert_null(contact[2].side[0].jacobian);
        assert_null(contact[2].side[1].jacobian);
        assert_int_equal(contact[2].side[1].coordinate[0], 12);
        const double kv[N_CONTACT] = {INFINITY, 1e4, INFINITY, 250.0, 7.0}; // two sides, half of kv
        for (int c = 0; c < N_CONTACT; c++) {
            assert_true(contact[c].kv == kv[c]);
            assert_int_equal(contact[c].key, c + 1);
            assert_true(isinf(kv[c]) || contact[c].side[0].jacobian);
        }
        cond_problem_file_destroy(file);
    }
    free(sample);
}

// The text and the HDF5 file of a problem agree, and so does every layout it is written in.
static void test_stored_problems(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        Gfc gfc;
        assert_true(gfc_read(data_path(LMGC[k], "gfc"), &gfc));
        CondProblemFile* file = read_fine(data_path(LMGC[k], "hdf5"));
        const CondProblem* problem = cond_problem_file_problem(file);
        assert_int_equal(problem->n_dof, gfc.n_dof);
        assert_int_equal(problem->n_contact, gfc.n_contact);
        assert_string_equal(cond_problem_file_title(file), "LMGC dump in hdf5");
        assert_near(gfc.n_dof, problem->b, gfc.f, 1e-15);

        double *v = calloc(3 * (size_t)gfc.n_dof, sizeof *v), *y = v + gfc.n_dof,
               *z = y + gfc.n_dof;
        double* u = calloc(3 * (size_t)gfc.n_contact, sizeof *u);
        for (uint64_t seed = 1; seed <= 5; seed++) {
            fill_random(seed, gfc.n_dof, v);
            cond_problem_multiply(problem, v, y);
            gfc_multiply(&gfc.M, v, z);
            assert_near(gfc.n_dof, y, z, 1e-13);
            gfc_multiply_transposed(&gfc.H, v, u);
            for (int c = 0; c < gfc.n_contact; c++) {
                double uc[3];
                for (int r = 0; r < 3; r++)
                    u[3 * c + r] += gfc.w[3 * c + r];
                cond_contact_velocity(&problem->contact[c], v, uc);
                assert_near(3, uc, u + 3 * c, 1e-13);
                assert_true(problem->contact[c].friction[0] == gfc.mu[c]);
            }
        }
        free(v);
        free(u);

        CondProblemFile* text = gfc_problem(&gfc);
        assert_non_null(text);
        assert_same_problem(problem, cond_problem_file_problem(text));
        cond_problem_file_destroy(text);
        for (int layout = 0; layout < 3; layout++) {
            write_fine("a.hdf5", problem, LAYOUTS[layout]);
            CondProblemFile* again = read_fine("a.hdf5");
            assert_same_problem(problem, cond_problem_file_problem(again));
            assert_int_equal(problem->n_block, cond_problem_file_problem(again)->n_block);
            cond_problem_file_destroy(again);
        }
        cond_problem_file_destroy(file);
        gfc_free(&gfc);
    }
}

// The three-dof example: a unit mass on the ground, whose contact is a node.
static void test_text_example(void** state)
{
    (void)state;
    Gfc gfc;
    assert_true(gfc_read(data_path("GFC3D_Example00", "gfc"), &gfc));
    CondProblemFile* file = gfc_problem(&gfc);
    assert_non_null(file);
    const CondProblem* problem = cond_problem_file_problem(file);
    assert_int_equal(cond_problem_check(NULL, problem, NULL), COND_OK);
    assert_int_equal(problem->n_block, 1);
    assert_int_equal(problem->block[0].kind, COND_BLOCK_DENSE);
    assert_null(problem->contact[0].side[0].jacobian);
    double u[3];
    cond_contact_velocity(&problem->contact[0], gfc.v_ref, u);
    assert_near(3, u, gfc.u_ref, 1e-15);
    cond_problem_file_destroy(file);
    gfc_free(&gfc);
}

// The bodies of the larger problem are seen in the pattern of M.
static void test_blocks(void** state)
{
    (void)state;
    CondProblemFile* file = read_fine(data_path(LMGC[1], "hdf5"));
    const CondProblem* problem = cond_problem_file_problem(file);
    assert_int_equal(problem->n_block, 2);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(problem->block[k].kind, COND_BLOCK_SPARSE);
        assert_int_equal(problem->block[k].n_dof, 81);
    }
    cond_problem_file_destroy(file);
}

static void test_one_triangle(void** state)
{
    (void)state;
    Sample* sample = make_sample();
    write_fine("a.hdf5", &sample->problem, COND_FCLIB_TRIPLET);
    double M[N_DOF * N_DOF], x[N_DOF] = {0}, y[N_DOF];
    for (int j = 0; j < N_DOF; j++) {
        x[j] = 1.0;
        cond_problem_multiply(&sample->problem, x, y);
        x[j] = 0.0;
        for (int i = 0; i < N_DOF; i++)
            M[i * N_DOF + j] = y[i];
    }
    fclib_edit_put_matrix("a.hdf5", "/fclib_global/M", N_DOF, M, 1);
    CondProblemFile* file = read_fine("a.hdf5");
    assert_same_problem(&sample->problem, cond_problem_file_problem(file));
    cond_problem_file_destroy(file);
    for (int i = 0; i < N_DOF; i++) // the lower triangle alone
        for (int j = i + 1; j < N_DOF; j++)
            M[i * N_DOF + j] = 0.0;
    fclib_edit_put_matrix("a.hdf5", "/fclib_global/M", N_DOF, M, 0);
    file = read_fine("a.hdf5");
    assert_same_problem(&sample->problem, cond_problem_file_problem(file));
    cond_problem_file_destroy(file);
    free(sample);
}

// W = B B' of rank `rank`, and what the file makes of it: Jc Jc' = W, phi = q, A = I, b = 0.
static void check_local(int n, int rank)
{
    double *B = calloc((size_t)(n * rank), sizeof *B), *W = calloc((size_t)(n * n), sizeof *W);
    double *q = calloc((size_t)n, sizeof *q), *v = calloc((size_t)n, sizeof *v);
    double *r = calloc((size_t)n, sizeof *r), *u = calloc((size_t)n, sizeof *u);
    double* expected = calloc((size_t)n, sizeof *expected);
    fill_random(31, n * rank, B);
    fill_random(32, n, q);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < rank; k++)
                W[i * n + j] += B[i * rank + k] * B[j * rank + k];
    fclib_edit_create("a.hdf5");
    fclib_edit_put_local("a.hdf5", n, W, q, 0.4);
    fclib_edit_put_text("a.hdf5", "/fclib_local/info/title", "made by hand");
    CondProblemFile* file = read_fine("a.hdf5");
    const CondProblem* problem = cond_problem_file_problem(file);
    assert_int_equal(cond_problem_file_local(file), 1);
    assert_string_equal(cond_problem_file_title(file), "made by hand");
    assert_string_equal(cond_problem_file_description(file), "");
    assert_int_equal(problem->n_dof, rank);
    assert_int_equal(problem->n_contact, n / 3);

    fill_random(33, n, r);
    for (int c = 0; c < n / 3; c++) // v = Jc' r, as A = I and b = 0
        cond_contact_add_force(&problem->contact[c], 1.0, r + 3 * c, v);
    for (int c = 0; c < n / 3; c++)
        cond_contact_velocity(&problem->contact[c], v, u + 3 * c);
    for (int i = 0; i < n; i++) {
        expected[i] = q[i];
        for (int j = 0; j < n; j++)
            expected[i] += W[i * n + j] * r[j];
    }
    assert_near(n, u, expected, 1e-12);
    cond_problem_multiply(problem, v, u);
    assert_near(rank, u, v, 0.0);
    for (int i = 0; i < rank; i++)
        assert_true(problem->b[i] == 0.0);
    cond_problem_file_destroy(file);
    free(B);
    free(W);
    free(q);
    free(v);
    free(r);
    free(u);
    free(expected);
}

static void test_local(void** state)
{
    (void)state;
    check_local(3, 3);
    check_local(12, 12);
    check_local(12, 5); // singular: redundant contacts
    check_local(150, 60);
}

static void test_solution_group(void** state)
{
    (void)state;
    Sample* sample = make_sample();
    double v[N_DOF], lambda[3 * N_CONTACT], x[3 * N_CONTACT], u[3];
    fill_random(41, N_DOF, v);
    fill_random(42, 3 * N_CONTACT, lambda);
    CondError error;
    assert_int_equal(cond_fclib_write(NULL, "a.hdf5", &sample->problem, COND_FCLIB_COLUMNS, NULL, v,
                                      lambda, &error),
                     COND_OK);
    fclib_edit_get_doubles("a.hdf5", "/solution/v", N_DOF, x);
    assert_memory_equal(x, v, sizeof v);
    fclib_edit_get_doubles("a.hdf5", "/solution/r", 3 * N_CONTACT, x);
    assert_memory_equal(x, lambda, sizeof lambda);
    fclib_edit_get_doubles("a.hdf5", "/solution/u", 3 * N_CONTACT, x);
    for (int c = 0; c < N_CONTACT; c++) {
        cond_contact_velocity(&sample->contact[c], v, u);
        assert_memory_equal(x + 3 * c, u, sizeof u);
    }
    CondProblemFile* file = read_fine("a.hdf5");
    assert_string_equal(cond_problem_file_title(file), "");
    cond_problem_file_destroy(file);
    write_fine("a.hdf5", &sample->problem, COND_FCLIB_ROWS);
    assert_false(fclib_edit_exists("a.hdf5", "/solution"));
    free(sample);
}

static void assert_same_bytes(const char* one, const char* other)
{
    FILE *a = fopen(one, "rb"), *b = fopen(other, "rb");
    assert_non_null(a);
    assert_non_null(b);
    int c;
    do {
        c = fgetc(a);
        assert_int_equal(fgetc(b), c);
    } while (c != EOF);
    fclose(a);
    fclose(b);
}

// Every allocation of a read fails in turn: the status says so and nothing is lost.
static void check_read_out_of_memory(const char* path)
{
    for (long fail_at = 1;; fail_at++) {
        FailingAllocator allocator = {0, fail_at, 0};
        CondContext context = failing_allocator_context(&allocator);
        CondProblemFile* file = NULL;
        CondError error = {0};
        CondStatus status = cond_fclib_read(&context, path, &file, &error);
        if (status == COND_OK) {
            cond_problem_file_destroy(file);
            assert_int_equal(allocator.live, 0);
            assert_true(fail_at > 20);
            return;
        }
        assert_int_equal(status, COND_OUT_OF_MEMORY);
        assert_int_equal(error.status, COND_OUT_OF_MEMORY);
        assert_null(file);
        assert_int_equal(allocator.live, 0);
    }
}

// The same of a write over b.hdf5, which stays as it is.
static void check_write_out_of_memory(const CondProblem* problem, CondFclibLayout layout,
                                      const double* v, const double* lambda)
{
    for (long fail_at = 1;; fail_at++) {
        FailingAllocator allocator = {0, fail_at, 0};
        CondContext context = failing_allocator_context(&allocator);
        CondError error = {0};
        fclib_edit_copy("b.hdf5", "c.hdf5", -1);
        CondStatus status =
            cond_fclib_write(&context, "c.hdf5", problem, layout, "", v, lambda, &error);
        assert_int_equal(allocator.live, 0);
        if (status == COND_OK) {
            assert_true(fail_at > 15);
            return;
        }
        assert_int_equal(status, COND_OUT_OF_MEMORY);
        assert_int_equal(error.status, COND_OUT_OF_MEMORY);
        assert_same_bytes("b.hdf5", "c.hdf5");
    }
}

// Intervals among cones come back in their places, and the rest of the file does not know them.
static void test_intervals(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        RandomOptions options = random_options_default(seed);
        options.anisotropic = 0;
        options.n_robot = 1;
        options.n_interval = 9;
        options.n_contact = seed == 6 ? 0 : 7; // at last intervals alone
        RandomProblem made;
        random_problem_make(&options, &made);
        CondProblem P = made.problem;
        CondContact* contact = (CondContact*)P.contact; // two of them go before the cones
        CondContact kept[2] = {contact[0], contact[1]};
        contact[0] = contact[P.n_contact - 1], contact[P.n_contact - 1] = kept[0];
        contact[1] = contact[P.n_contact - 3], contact[P.n_contact - 3] = kept[1];
        contact[0].kv = seed % 2 ? 30.0 : INFINITY;
        double *v = dense_zeros((size_t)P.n_dof), *lambda = dense_zeros(3 * (size_t)P.n_contact);
        CondProblemFile* file = NULL;
        CondError error = {0};
        assert_int_equal(cond_fclib_write(NULL, "a.hdf5", &P, (CondFclibLayout)(seed % 3),
                                          "intervals", v, lambda, &error),
                         COND_OK);
        assert_int_equal(cond_fclib_read(NULL, "a.hdf5", &file, &error), COND_OK);
        const CondProblem* Q = cond_problem_file_problem(file);
        assert_int_equal(cond_problem_check(NULL, Q, &error), COND_OK);
        assert_int_equal(Q->n_contact, P.n_contact);
        for (int c = 0; c < P.n_contact; c++) {
            const CondContact *a = &P.contact[c], *b = &Q->contact[c];
            double *J = dense_zeros(3 * (size_t)P.n_dof), *K = dense_zeros(3 * (size_t)P.n_dof);
            assert_int_equal(a->set, b->set);
            assert_true(a->friction[0] == b->friction[0] && a->phi[0] == b->phi[0]);
            dense_contact_jacobian(a, P.n_dof, J);
            dense_contact_jacobian(b, P.n_dof, K);
            int rows = a->set == COND_FORCE_INTERVAL ? 1 : 3;
            assert_true(dense_distance(rows * P.n_dof, J, K) <= 1e-14 * dense_norm(P.n_dof, J));
            if (a->set == COND_FORCE_INTERVAL) {
                assert_memory_equal(a->bound, b->bound, sizeof a->bound);
                assert_true(a->compliance == b->compliance);
                assert_true(a->kv == b->kv);
            }
            free(J), free(K);
        }
        cond_problem_file_destroy(file);
        if (seed < 3) {
            fclib_edit_copy("a.hdf5", "b.hdf5", -1);
            check_read_out_of_memory("b.hdf5");
            check_write_out_of_memory(&P, COND_FCLIB_COLUMNS, v, lambda);
        }
        free(v), free(lambda);
        random_problem_free(&made);
    }
}

// No contacts at all is a problem like any other.
static void test_no_contacts(void** state)
{
    (void)state;
    Sample* sample = make_sample();
    sample->problem.n_contact = 0;
    for (int k = 0; k < 3; k++) {
        write_fine("a.hdf5", &sample->problem, LAYOUTS[k]);
        CondProblemFile* file = read_fine("a.hdf5");
        assert_same_problem(&sample->problem, cond_problem_file_problem(file));
        cond_problem_file_destroy(file);
    }
    free(sample);
}

// A write that fails says why, leaves no rubbish and does not touch the older file.
static void test_write_faults(void** state)
{
    (void)state;
    Sample* sample = make_sample();
    const CondProblem* problem = &sample->problem;
    CondError error = {0};
    write_fine("a.hdf5", problem, COND_FCLIB_ROWS);
    write_fine("b.hdf5", problem, COND_FCLIB_ROWS);
    assert_same_bytes("a.hdf5", "b.hdf5"); // the same problem always gives the same file

    sample->contact[3].friction[1] = 0.9;
    assert_int_equal(
        cond_fclib_write(NULL, "a.hdf5", problem, COND_FCLIB_ROWS, "", NULL, NULL, &error),
        COND_NOT_SUPPORTED);
    assert_non_null(strstr(error.message, "a.hdf5: contact 3 has anisotropic friction"));
    sample->contact[3].friction[1] = sample->contact[3].friction[0];

    sample->b[2] = NAN;
    assert_int_equal(
        cond_fclib_write(NULL, "a.hdf5", problem, COND_FCLIB_ROWS, "", NULL, NULL, &error),
        COND_BAD_ARGUMENT);
    sample->b[2] = 1.0;

    assert_int_equal(
        cond_fclib_write(NULL, "a.hdf5", problem, (CondFclibLayout)9, "", NULL, NULL, &error),
        COND_BAD_ARGUMENT);
    assert_int_equal(cond_fclib_write(NULL, NULL, problem, COND_FCLIB_ROWS, "", NULL, NULL, &error),
                     COND_BAD_ARGUMENT);
    assert_int_equal(cond_fclib_write(NULL, "a.hdf5", NULL, COND_FCLIB_ROWS, "", NULL, NULL, NULL),
                     COND_BAD_ARGUMENT);
    assert_same_bytes("a.hdf5", "b.hdf5");

    assert_int_equal(
        cond_fclib_write(NULL, "none/x.hdf5", problem, COND_FCLIB_ROWS, "", NULL, NULL, &error),
        COND_NO_FILE);
    assert_non_null(strstr(error.message, "none/x.hdf5"));
    assert_int_equal( // a folder in the way
        cond_fclib_write(NULL, "../", problem, COND_FCLIB_ROWS, "", NULL, NULL, &error),
        COND_NO_FILE);
    free(sample);
}

static void test_out_of_memory(void** state)
{
    (void)state;
    Sample* sample = make_sample();
    double W[36] = {0}, q[6] = {0}, v[N_DOF] = {0}, lambda[3 * N_CONTACT] = {0};
    write_fine("b.hdf5", &sample->problem, COND_FCLIB_ROWS);
    for (int k = 0; k < 3; k++) {
        write_fine("a.hdf5", &sample->problem, LAYOUTS[k]);
        check_read_out_of_memory("a.hdf5");
    }
    for (int i = 0; i < 6; i++)
        W[7 * i] = 1.0 + i;
    fclib_edit_create("a.hdf5");
    fclib_edit_put_local("a.hdf5", 6, W, q, 0.1);
    fclib_edit_put_text("a.hdf5", "/fclib_local/info/title", "any");
    check_read_out_of_memory("a.hdf5");

    for (int k = 0; k < 3; k++)
        check_write_out_of_memory(&sample->problem, LAYOUTS[k], v, lambda);
    free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip_sample), cmocka_unit_test(test_stored_problems),
        cmocka_unit_test(test_text_example),      cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_one_triangle),      cmocka_unit_test(test_local),
        cmocka_unit_test(test_solution_group),    cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_no_contacts),       cmocka_unit_test(test_write_faults),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
