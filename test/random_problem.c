// Random contact problems of every kind the library takes, from a seed: the same on all machines.
#include "random_problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

Random random_start(uint64_t seed)
{
    Random random = {seed * 2862933555777941757u + 3037000493u};
    for (int i = 0; i < 8; i++)
        random_uniform(&random, 0.0, 1.0);
    return random;
}

double random_uniform(Random* random, double low, double high)
{
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(random->state >> 11) / 9007199254740992.0);
}

int random_int(Random* random, int n)
{
    int i = (int)random_uniform(random, 0.0, (double)n);
    return i < n ? i : n - 1;
}

void random_rotation(Random* random, double R[9])
{
    double q[4], norm = 0.0; // a unit quaternion
    for (int i = 0; i < 4; i++) {
        q[i] = random_uniform(random, -1.0, 1.0);
        norm += q[i] * q[i];
    }
    norm = sqrt(norm);
    for (int i = 0; i < 4; i++)
        q[i] /= norm;
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double made[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                      2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                      2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, made, sizeof made);
}

void random_spd(Random* random, int n, double scale, double floor, double* A)
{
    double L[36];
    assert_true(n <= 6);
    for (int i = 0; i < n * n; i++)
        L[i] = random_uniform(random, -1.0, 1.0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i == j ? floor : 0.0;
            for (int k = 0; k < n; k++)
                sum += L[i * n + k] * L[j * n + k];
            A[i * n + j] = scale * sum;
        }
}

RandomOptions random_options_default(uint64_t seed)
{
    RandomOptions options = {.seed = seed,
                             .n_particle = 3,
                             .n_rigid = 3,
                             .n_cloth = 1,
                             .bsr3 = (int)(seed % 2),
                             .cloth_nodes = 5,
                             .n_coupling = 3,
                             .n_contact = 9,
                             .general = 1,
                             .second = 1,
                             .friction = 0.6,
                             .anisotropic = 1,
                             .finite_kv = 0.3,
                             .kv_strength = 0.0};
    return options;
}

static void* keep(RandomProblem* out, size_t count, size_t size)
{
    void* memory = calloc(count + 1, size);
    assert_non_null(memory);
    assert_true(out->n_memory < (int)(sizeof out->memory / sizeof out->memory[0]));
    out->memory[out->n_memory++] = memory;
    return memory;
}

// A chain of nodes: masses and springs along random directions, three coordinates a node.
static void make_cloth(RandomProblem* out, Random* random, int nodes, int bsr3, CondBlock* block)
{
    int n = 3 * nodes, count = 0;
    double* dense = calloc((size_t)n * n, sizeof *dense);
    assert_non_null(dense);
    for (int a = 0; a < nodes; a++) {
        double m = random_uniform(random, 0.5, 2.0);
        for (int i = 0; i < 3; i++)
            dense[(3 * a + i) * n + 3 * a + i] += m;
        if (a == 0)
            continue;
        double K[9];
        random_spd(random, 3, 1.5, 0.05, K);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int s = 0; s < 4; s++) // + + on the diagonal blocks, - - beside it
                    dense[(3 * (a - s / 2) + i) * n + 3 * (a - s % 2) + j] +=
                        (s == 0 || s == 3 ? 1.0 : -1.0) * K[3 * i + j];
    }
    int size = bsr3 ? 3 : 1; // of the entries of the pattern
    int* row_begin = keep(out, (size_t)n + 1, sizeof *row_begin);
    int* column = keep(out, (size_t)n * 9, sizeof *column);
    double* values = keep(out, (size_t)n * 9 + 9, sizeof *values);
    for (int i = 0; i < n / size; i++) {
        for (int j = 0; j < n / size; j++) {
            int present = 0;
            for (int e = 0; e < size * size; e++) {
                double a = dense[(size * i + e / size) * n + size * j + e % size];
                values[size * size * count + e] = a;
                present |= a != 0.0;
            }
            if (present)
                column[count++] = j;
        }
        row_begin[i + 1] = count;
    }
    free(dense);
    *block = (CondBlock){
        bsr3 ? COND_BLOCK_BSR3 : COND_BLOCK_SPARSE, 0, n, values, row_begin, column, NULL};
}

// A chain of links of six coordinates, neighbours joined by J' K J with a random J.
static void make_chain(RandomProblem* out, Random* random, int links, CondBlock* block)
{
    int n = 6 * links;
    double* values = keep(out, 18 * (size_t)n, sizeof *values);
    for (int i = 0; i < links; i++) {
        double mass[36];
        random_spd(random, 6, random_uniform(random, 0.3, 3.0), 0.7, mass);
        for (int e = 0; e < 36; e++)
            values[18 * (6 * i + e / 6) + 6 + e % 6] += mass[e];
    }
    for (int i = 0; i + 1 < links; i++) {
        double J[6][12];
        for (int e = 0; e < 72; e++)
            J[e / 12][e % 12] = random_uniform(random, -1.0, 1.0);
        for (int a = 0; a < 12; a++)
            for (int b = 0; b < 12; b++)
                for (int r = 0; r < 6; r++)
                    values[18 * (6 * i + a) + b + (a < 6 ? 6 : 0)] += 3.0 * J[r][a] * J[r][b];
    }
    *block = (CondBlock){COND_BLOCK_TRIDIAGONAL, 0, n, values, NULL, NULL, NULL};
}

// A robot: a dense block whose coordinates have units of their own, in out->unit.
static void make_robot(RandomProblem* out, Random* random, double spread, CondBlock* block)
{
    double* values = keep(out, 36, sizeof *values);
    double* unit = out->unit + out->problem.n_dof;
    random_spd(random, 6, random_uniform(random, 0.3, 3.0), 0.7, values);
    for (int i = 0; i < 6; i++)
        unit[i] = pow(10.0, random_uniform(random, -spread, spread));
    for (int e = 0; e < 36; e++)
        values[e] /= unit[e / 6] * unit[e % 6];
    *block = (CondBlock){COND_BLOCK_DENSE, 0, 6, values, NULL, NULL, NULL};
}

static void make_blocks(const RandomOptions* options, Random* random, RandomProblem* out)
{
    int others = options->n_particle + options->n_rigid + options->n_cloth;
    int chains = others + options->n_chain, count = chains + options->n_robot;
    CondBlock* block = keep(out, (size_t)count, sizeof *block);
    CondProblem* problem = &out->problem;
    int most =
        3 * options->n_cloth * options->cloth_nodes + 6 * options->n_chain * options->chain_links;
    most += 6 * (options->n_particle + options->n_rigid + options->n_robot);
    out->unit = keep(out, (size_t)most, sizeof *out->unit);
    for (int i = 0; i < most; i++)
        out->unit[i] = 1.0;
    for (int b = 0; b < count; b++) {
        if (b >= chains) {
            make_robot(out, random, options->spread, &block[b]);
        } else if (b >= others) {
            make_chain(out, random, options->chain_links, &block[b]);
        } else if (b < options->n_cloth) { // sparse first, so that dense ones start at odd places
            make_cloth(out, random, options->cloth_nodes, options->bsr3, &block[b]);
        } else {
            int n = b < options->n_cloth + options->n_particle ? 3 : 6;
            double* values = keep(out, (size_t)n * n, sizeof *values);
            random_spd(random, n, random_uniform(random, 0.3, 3.0), 0.7, values);
            block[b] = (CondBlock){COND_BLOCK_DENSE, 0, n, values, NULL, NULL, NULL};
        }
        block[b].dof_begin = problem->n_dof;
        problem->n_dof += block[b].n_dof;
    }
    problem->block = block;
    problem->n_block = count;
}

// A few coordinates of one block, each once.
static int pick(Random* random, const CondBlock* block, int most, int* coordinate)
{
    int n = block->n_dof < most ? block->n_dof : most, count = 0;
    int first = random_int(random, block->n_dof - n + 1);
    for (int k = 0; k < n; k++)
        coordinate[count++] = block->dof_begin + first + k;
    return count;
}

static void make_couplings(const RandomOptions* options, Random* random, RandomProblem* out)
{
    CondProblem* problem = &out->problem;
    if (problem->n_block < 2)
        return;
    CondCoupling* coupling = keep(out, (size_t)options->n_coupling, sizeof *coupling);
    for (int i = 0; i < options->n_coupling; i++) {
        int n_row = 1 + random_int(random, 3), a = random_int(random, problem->n_block);
        int b = (a + 1 + random_int(random, problem->n_block - 1)) % problem->n_block;
        int* coordinate = keep(out, 8, sizeof *coordinate);
        int n = pick(random, &problem->block[a], 2 + random_int(random, 3), coordinate);
        n += pick(random, &problem->block[b], 2 + random_int(random, 3), coordinate + n);
        double* jacobian = keep(out, (size_t)n_row * n, sizeof *jacobian);
        double* gain = keep(out, (size_t)n_row * n_row, sizeof *gain);
        for (int k = 0; k < n_row * n; k++)
            jacobian[k] = random_uniform(random, -1.0, 1.0);
        random_spd(random, n_row, 0.5, i % 2 ? 0.0 : 0.3, gain);
        coupling[i] = (CondCoupling){n_row, n, coordinate, jacobian, gain};
    }
    problem->coupling = coupling;
    problem->n_coupling = options->n_coupling;
}

// A node that is not in `used`, or any node when `second` allows it; -1 when there is none.
static int find_node(const RandomOptions* options, Random* random, const CondProblem* problem,
                     const int* used)
{
    for (int attempt = 0; attempt < 200; attempt++) {
        int b = random_int(random, options->n_cloth + options->n_particle);
        const CondBlock* block = &problem->block[b];
        int node = block->dof_begin + 3 * random_int(random, block->n_dof / 3);
        if (!used[node] || (options->second && attempt % 4 == 3))
            return node;
    }
    return -1;
}

// A node, or a point whose velocity depends on several coordinates of one body.
static int make_side(const RandomOptions* options, Random* random, RandomProblem* out, int* used,
                     int avoid, CondSide* side)
{
    const CondProblem* problem = &out->problem;
    int nodes = options->n_cloth + options->n_particle;
    int general = nodes == 0 || (options->general && random_uniform(random, 0.0, 1.0) < 0.6);
    if (!general) {
        int node = find_node(options, random, problem, used);
        if (node < 0 || node == avoid)
            return 0;
        int* coordinate = keep(out, 3, sizeof *coordinate);
        for (int k = 0; k < 3; k++)
            coordinate[k] = node + k;
        used[node] = 1;
        *side = (CondSide){3, coordinate, NULL};
        return 1;
    }
    const CondBlock* block = &problem->block[random_int(random, problem->n_block)];
    int* coordinate = keep(out, 6, sizeof *coordinate);
    int n = pick(random, block, 6, coordinate);
    double* jacobian = keep(out, 3 * (size_t)n, sizeof *jacobian);
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < n; k++)
            jacobian[r * n + k] = (r == k % 3 && k < 3 ? 1.0 : 0.0) +
                                  random_uniform(random, -0.5, 0.5) * (k >= 3 || n == 3);
    *side = (CondSide){n, coordinate, jacobian};
    return 1;
}

// phi = -Jc v0 + (s, 0, 0): at v0 every contact opens straight away from the other side.
static void open_at(CondContact* contact, const double* v0, double s)
{
    double p[3] = {0.0, 0.0, 0.0};
    for (int side = 0; side < 2; side++) {
        const CondSide* at = &contact->side[side];
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < at->n_coordinate; k++) {
                double entry = at->jacobian ? at->jacobian[i * at->n_coordinate + k] : (i == k);
                p[i] += (side == 0 ? 1.0 : -1.0) * entry * v0[at->coordinate[k]];
            }
    }
    for (int r = 0; r < 3; r++) {
        contact->phi[r] = r == 0 ? s : 0.0;
        for (int i = 0; i < 3; i++)
            contact->phi[r] -= contact->frame[3 * r + i] * p[i];
    }
}

static void make_contacts(const RandomOptions* options, Random* random, const double* v0,
                          RandomProblem* out)
{
    CondProblem* problem = &out->problem;
    CondContact* contact = keep(out, (size_t)options->n_contact, sizeof *contact);
    int* used = keep(out, (size_t)problem->n_dof, sizeof *used);
    int count = 0;
    for (int i = 0; i < 10 * options->n_contact && count < options->n_contact; i++) {
        CondContact* c = &contact[count];
        memset(c, 0, sizeof *c);
        if (!make_side(options, random, out, used, -1, &c->side[0]))
            continue;
        int node = c->side[0].jacobian ? -1 : c->side[0].coordinate[0];
        if (random_uniform(random, 0.0, 1.0) < 0.5 &&
            !make_side(options, random, out, used, node, &c->side[1]))
            continue;
        random_rotation(random, c->frame);
        c->friction[0] = random_uniform(random, 0.0, options->friction);
        c->friction[1] = options->anisotropic && random_uniform(random, 0.0, 1.0) < 0.5
                             ? random_uniform(random, 0.0, options->friction)
                             : c->friction[0];
        double strength = options->kv_strength > 0.0 ? options->kv_strength : 10.0;
        int touched = c->side[0].n_coordinate + c->side[1].n_coordinate;
        c->kv = random_uniform(random, 0.0, 1.0) < options->finite_kv ? 3.0 * strength / touched
                                                                      : INFINITY;
        c->key = (uint64_t)count + 1;
        open_at(c, v0, random_uniform(random, 0.02, 0.3));
        count++;
    }
    problem->contact = contact;
    problem->n_contact = count;
}

enum { N_INTERVAL = 8 }; // kinds

// Interval i on side 0 alone, or for the last kind between two coordinates.
static void make_interval(Random* random, RandomProblem* out, int first_robot, int i,
                          const double* v0, CondContact* c)
{
    CondProblem* problem = &out->problem;
    int kind = i % N_INTERVAL, n = kind == N_INTERVAL - 1 ? 2 : 1;
    int* coordinate = keep(out, 2, sizeof *coordinate);
    double *jacobian = keep(out, 6, sizeof *jacobian), row[2];
    coordinate[0] = first_robot + random_int(random, problem->n_dof - first_robot);
    coordinate[1] = coordinate[0] > first_robot ? coordinate[0] - 1 : coordinate[0] + 1;
    *c = (CondContact){.kv = INFINITY, .key = 1000 + (uint64_t)i, .set = COND_FORCE_INTERVAL};
    c->side[0] = (CondSide){n, coordinate, jacobian};
    random_rotation(random, c->frame);
    double unit = out->unit[coordinate[0]], force = 1.0 / unit, Jv = 0.0;
    for (int k = 0; k < n; k++) {
        row[k] = (kind == 1 ? -1.0 : 1.0) * unit / out->unit[coordinate[k]];
        Jv += row[k] * v0[coordinate[k]];
        for (int r = 0; r < 3; r++) // the other two rows of the frame see nothing, or something
            jacobian[r * n + k] =
                row[k] * (c->frame[r] + (i % 3 ? 0.0 : 0.4 * c->frame[3 + r] - c->frame[6 + r]));
    }
    double range = force * random_uniform(random, 0.05, 2.0);
    double target = unit * random_uniform(random, -1.0, 1.0);
    double soft = unit / force * pow(10.0, random_uniform(random, -4.0, 3.0));
    double slack = i % 2 ? 0.0 : unit * random_uniform(random, 0.0, 0.3);
    switch (kind) {
    case 2: // dry friction
        c->bound[0] = -range, c->bound[1] = range;
        break;
    case 3: // a motor that saturates
        c->bound[0] = -range, c->bound[1] = range, c->compliance = soft, c->phi[0] = target;
        break;
    case 4: // an equality
        c->bound[0] = -INFINITY, c->bound[1] = INFINITY, c->phi[0] = -Jv;
        break;
    case 5: // a given force
        c->bound[0] = c->bound[1] = range;
        break;
    case 6: // a motor without limits
        c->bound[0] = -INFINITY, c->bound[1] = INFINITY, c->compliance = soft, c->phi[0] = target;
        break;
    default: // limits of joints, below and above, and of a difference of two
        c->bound[1] = INFINITY, c->phi[0] = slack - Jv;
    }
}

// Behind the contacts.
static void make_intervals(const RandomOptions* options, Random* random, const double* v0,
                           RandomProblem* out)
{
    CondProblem* problem = &out->problem;
    int n = problem->n_contact, all = n + options->n_interval;
    CondContact* contact = keep(out, (size_t)all, sizeof *contact);
    memcpy(contact, problem->contact, (size_t)n * sizeof *contact);
    for (int i = 0; i < options->n_interval; i++)
        make_interval(random, out, problem->n_dof - 6 * options->n_robot, i, v0, &contact[n + i]);
    problem->contact = contact;
    problem->n_contact = all;
}

void random_problem_make(const RandomOptions* options, RandomProblem* out)
{
    memset(out, 0, sizeof *out);
    Random random = random_start(options->seed);
    make_blocks(options, &random, out);
    make_couplings(options, &random, out);
    double* b = keep(out, (size_t)out->problem.n_dof, sizeof *b);
    double* v0 = keep(out, (size_t)out->problem.n_dof, sizeof *v0);
    for (int i = 0; i < out->problem.n_dof; i++) {
        b[i] = random_uniform(&random, -2.0, 2.0) / out->unit[i];
        v0[i] = random_uniform(&random, -0.5, 0.5) * out->unit[i];
    }
    out->problem.b = b;
    make_contacts(options, &random, v0, out);
    if (options->n_interval > 0)
        make_intervals(options, &random, v0, out);
}

void random_problem_free(RandomProblem* made)
{
    for (int i = 0; i < made->n_memory; i++)
        free(made->memory[i]);
    memset(made, 0, sizeof *made);
}
