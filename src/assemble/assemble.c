// Assembly of a CondProblem from the blocks of bodies, the couplings of potentials, and contacts.
#include "assemble/assemble.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "body/body.h"
#include "problem/block.h"

#include <string.h>

// 1 where a body has room for its masses only.
static int has_masses(CondAssemblyContent content, const CondBody* body)
{
    return content == COND_ASSEMBLY_MASSES ||
           (content == COND_ASSEMBLY_SOFT_MASSES && body->kind == COND_BODY_SOFT);
}

CondStatus cond_assembly_create(const CondModel* model, CondAssemblyContent content,
                                CondAssembly* assembly)
{
    CondArena* m = &assembly->arena;
    size_t size = 0;
    cond_arena_begin(&model->arena.context, m);
    assembly->content = content;
    assembly->block = cond_arena_allocate(m, (size_t)model->n_body, sizeof *assembly->block);
    assembly->block_begin = cond_arena_allocate(m, (size_t)model->n_body, sizeof(size_t));
    assembly->b = cond_arena_allocate(m, (size_t)model->n_dof, sizeof(double));
    if (!assembly->block || !assembly->block_begin || !assembly->b)
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < model->n_body; b++) {
        assembly->block_begin[b] = size;
        size += has_masses(content, &model->body[b]) ? cond_body_mass_size(&model->body[b])
                                                     : cond_body_block_size(&model->body[b]);
    }
    assembly->block_values = cond_arena_allocate(m, size, sizeof(double));
    assembly->problem = (CondProblem){.n_dof = model->n_dof,
                                      .n_block = model->n_body,
                                      .block = assembly->block,
                                      .b = assembly->b};
    return assembly->block_values ? COND_OK : COND_OUT_OF_MEMORY;
}

void cond_assembly_destroy(CondAssembly* assembly)
{
    cond_arena_release(&assembly->arena);
}

static void empty(CondAssembly* assembly)
{
    assembly->n_coupling = 0;
    assembly->n_coupling_coordinate = assembly->n_coupling_jacobian = assembly->n_coupling_gain = 0;
    assembly->problem.n_coupling = assembly->problem.n_contact = 0;
}

// values = M/step
static void divide_masses(const CondBody* body, double step, double* values)
{
    size_t n = cond_body_mass_size(body);
    for (size_t i = 0; i < n; i++)
        values[i] /= step;
}

void cond_assembly_begin(CondAssembly* assembly, const CondKinematics* kinematics,
                         const double* step, double* f)
{
    const CondModel* model = kinematics->model;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        double* values = assembly->block_values + assembly->block_begin[b];
        int masses = !step || has_masses(assembly->content, body);
        if (!masses)
            cond_body_ops(body->kind)
                ->block(body, kinematics, step[b], values, &assembly->block[b],
                        f + body->dof_begin);
        else
            cond_body_ops(body->kind)->mass(body, kinematics, values, &assembly->block[b]);
        if (masses && step)
            divide_masses(body, step[b], values);
        assembly->block[b].dof_begin = body->dof_begin;
    }
    assembly->has_steps = step != NULL;
    empty(assembly);
}

void cond_assembly_begin_damping(CondAssembly* assembly, const CondKinematics* kinematics)
{
    const CondModel* model = kinematics->model;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        double* values = assembly->block_values + assembly->block_begin[b];
        cond_body_ops(body->kind)->damping(body, kinematics, values, &assembly->block[b]);
        assembly->block[b].dof_begin = body->dof_begin;
    }
    assembly->has_steps = 0;
    empty(assembly);
}

CondStatus cond_assembly_room(CondAssembly* assembly, const CondModel* model, int n_row,
                              CondCouplingRoom* room)
{
    CondArena* m = &assembly->arena;
    int most = n_row > 2 * model->max_point_dof ? n_row : 2 * model->max_point_dof;
    if (COND_RESERVE(m, assembly->coupling, assembly->n_coupling + 1) ||
        COND_RESERVE(m, assembly->place, assembly->n_coupling + 1) ||
        COND_RESERVE(m, assembly->coupling_coordinate, assembly->n_coupling_coordinate + most) ||
        COND_RESERVE(m, assembly->coupling_jacobian,
                     assembly->n_coupling_jacobian + n_row * most) ||
        COND_RESERVE(m, assembly->coupling_gain, assembly->n_coupling_gain + n_row * n_row))
        return COND_OUT_OF_MEMORY;
    room->n_row = n_row;
    room->n_coordinate = 0;
    room->coordinate = assembly->coupling_coordinate + assembly->n_coupling_coordinate;
    room->jacobian = assembly->coupling_jacobian + assembly->n_coupling_jacobian;
    room->gain = assembly->coupling_gain + assembly->n_coupling_gain;
    return COND_OK;
}

void cond_assembly_keep(CondAssembly* assembly, const CondCouplingRoom* room)
{
    if (room->n_coordinate == 0)
        return;
    assembly->place[assembly->n_coupling++] =
        (CondCouplingPlace){.n_row = room->n_row,
                            .n_coordinate = room->n_coordinate,
                            .coordinate = assembly->n_coupling_coordinate,
                            .jacobian = assembly->n_coupling_jacobian,
                            .gain = assembly->n_coupling_gain};
    assembly->n_coupling_coordinate += room->n_coordinate;
    assembly->n_coupling_jacobian += room->n_row * room->n_coordinate;
    assembly->n_coupling_gain += room->n_row * room->n_row;
}

void cond_assembly_turn(CondAssembly* assembly, int body, int link, double scale, const double H[9])
{
    const CondBlock* block = &assembly->block[body];
    double* values = assembly->block_values + assembly->block_begin[body];
    int rod = block->kind == COND_BLOCK_TRIDIAGONAL,
        row = rod ? COND_TRIDIAGONAL_ROW : block->n_dof;
    values += rod ? (size_t)(6 * link + 3) * COND_TRIDIAGONAL_ROW + 9 : (size_t)(3 * row + 3);
    for (int i = 0; i < 3 && assembly->has_steps; i++)
        for (int j = 0; j < 3; j++)
            values[i * row + j] += scale * H[3 * i + j];
}

void cond_assembly_add_diagonal(CondAssembly* assembly, const CondBody* body, int i, double value)
{
    double* values = assembly->block_values + assembly->block_begin[body->index];
    values[(size_t)i * (size_t)(body->n_dof + 1)] += value;
}

// The contacts of a list, in three steps: what is known without the Jacobians, with the number of
// coordinates of each side; then places in the pools, one after the other; then coordinates and
// Jacobians.
typedef struct ContactLoop {
    CondAssembly* assembly;
    const CondKinematics* kinematics[2]; // of the touches, and of those that have moved
    const CondCandidateList* list;
    double kv;
} ContactLoop;

static void begin_contacts(const void* loop, int first, int last)
{
    const ContactLoop* l = loop;
    for (int c = first; c < last; c++) {
        const CondCandidate* candidate = &l->list->candidate[c];
        CondContact* contact = &l->assembly->contact[c];
        *contact = (CondContact){.kv = l->kv, .key = cond_key_mix(candidate->key)};
        for (int s = 0; s < 2; s++)
            contact->side[s].n_coordinate =
                cond_kinematics_count(l->kinematics[candidate->moved], &candidate->point[s]);
        memcpy(contact->frame, candidate->frame, sizeof contact->frame);
        memcpy(contact->friction, candidate->friction, sizeof contact->friction);
    }
}

// Shares of the contacts, one after the other, and how much of the pools each takes; then where it
// begins there.
typedef struct PlaceLoop {
    const ContactLoop* contacts;
    int parts;
    int *coordinates, *numbers; //                                          (COND_LOOP_PARTS)
} PlaceLoop;

// The numbers of a side's Jacobian: a node has none.
static int side_numbers(const ContactLoop* l, int side)
{
    const CondPoint* point = &l->list->candidate[side / 2].point[side % 2];
    return cond_kinematics_is_node(l->kinematics[0]->model, point)
               ? 0
               : 3 * l->assembly->contact[side / 2].side[side % 2].n_coordinate;
}

static void count_places(const void* loop, int begin, int end)
{
    const PlaceLoop* p = loop;
    const ContactLoop* l = p->contacts;
    for (int part = begin; part < end; part++) {
        p->coordinates[part] = p->numbers[part] = 0;
        for (int c = 2 * cond_team_first(l->list->n, part, p->parts);
             c < 2 * cond_team_first(l->list->n, part + 1, p->parts); c++) {
            p->coordinates[part] += l->assembly->contact[c / 2].side[c % 2].n_coordinate;
            p->numbers[part] += side_numbers(l, c);
        }
    }
}

static void take_places(const void* loop, int begin, int end)
{
    const PlaceLoop* p = loop;
    const ContactLoop* l = p->contacts;
    const CondModel* model = l->kinematics[0]->model;
    for (int part = begin; part < end; part++) {
        int coordinates = p->coordinates[part], numbers = p->numbers[part];
        for (int c = 2 * cond_team_first(l->list->n, part, p->parts);
             c < 2 * cond_team_first(l->list->n, part + 1, p->parts); c++) {
            CondSide* side = &l->assembly->contact[c / 2].side[c % 2];
            int is_node = cond_kinematics_is_node(model, &l->list->candidate[c / 2].point[c % 2]);
            side->coordinate = l->assembly->coordinate + coordinates;
            side->jacobian = is_node ? NULL : l->assembly->jacobian + numbers;
            coordinates += side->n_coordinate;
            numbers += is_node ? 0 : 3 * side->n_coordinate;
        }
    }
}

static CondStatus place_contacts(const ContactLoop* l, int threads)
{
    CondAssembly* assembly = l->assembly;
    int coordinates = 0, numbers = 0, parts = cond_loop_parts((size_t)l->list->n);
    int coordinates_of[COND_LOOP_PARTS], numbers_of[COND_LOOP_PARTS];
    PlaceLoop loop = {l, parts, coordinates_of, numbers_of};
    cond_parallel(parts, threads, count_places, &loop);
    for (int part = 0; part < parts; part++) {
        int own[2] = {coordinates_of[part], numbers_of[part]};
        coordinates_of[part] = coordinates;
        numbers_of[part] = numbers;
        coordinates += own[0];
        numbers += own[1];
    }
    if (COND_RESERVE(&assembly->arena, assembly->coordinate, coordinates) ||
        COND_RESERVE(&assembly->arena, assembly->jacobian, numbers))
        return COND_OUT_OF_MEMORY;
    cond_parallel(parts, threads, take_places, &loop);
    return COND_OK;
}

// Where both points are of one robot, the same coordinates move both. Such a contact has one side,
// which moves by the difference u = (J0 - J1) v, and the other one is at rest.
static void join_sides(const CondModel* model, const CondCandidate* candidate,
                       const CondAssembly* assembly, CondContact* contact)
{
    int b = candidate->point[0].body;
    if (b < 0 || b != candidate->point[1].body || model->body[b].kind != COND_BODY_ROBOT)
        return;
    double* J0 = assembly->jacobian + (contact->side[0].jacobian - assembly->jacobian);
    for (int k = 0; k < 3 * contact->side[0].n_coordinate; k++)
        J0[k] -= contact->side[1].jacobian[k];
    contact->side[1] = (CondSide){.n_coordinate = 0};
}

// Leaves out the coordinates of a robot that do not move the point: those of joints beyond it and
// of other limbs. What is left keeps its order, so that sums over it are the same.
static void drop_still(const CondAssembly* assembly, CondSide* side)
{
    int n = side->n_coordinate, kept = 0;
    if (n == 0)
        return;
    int* coordinate = assembly->coordinate + (side->coordinate - assembly->coordinate);
    double* J = assembly->jacobian + (side->jacobian - assembly->jacobian);
    for (int k = 0; k < n; k++) {
        if (J[k] == 0.0 && J[n + k] == 0.0 && J[2 * n + k] == 0.0)
            continue;
        coordinate[kept] = coordinate[k];
        for (int r = 0; r < 3; r++) // behind what is still to be read
            J[r * n + kept] = J[r * n + k];
        kept++;
    }
    if (kept == 0) // the first side of a contact is never at rest, and so has coordinates
        return;
    for (int r = 1; r < 3; r++)
        memmove(J + (ptrdiff_t)r * kept, J + (ptrdiff_t)r * n, (size_t)kept * sizeof *J);
    side->n_coordinate = kept;
}

static int is_of_robot(const CondModel* model, const CondCandidate* candidate, int side)
{
    int b = candidate->point[side].body;
    return b >= 0 && model->body[b].kind == COND_BODY_ROBOT;
}

static void fill_contacts(const void* loop, int first, int last)
{
    const ContactLoop* l = loop;
    CondAssembly* assembly = l->assembly;
    for (int c = 2 * first; c < 2 * last; c++) {
        const CondSide* side = &assembly->contact[c / 2].side[c % 2];
        const CondCandidate* candidate = &l->list->candidate[c / 2];
        double world[3];
        cond_kinematics_point(
            l->kinematics[candidate->moved], &candidate->point[c % 2], world,
            assembly->coordinate + (side->coordinate - assembly->coordinate),
            side->jacobian ? assembly->jacobian + (side->jacobian - assembly->jacobian) : NULL);
        if (c % 2 == 0)
            continue;
        CondContact* contact = &assembly->contact[c / 2];
        join_sides(l->kinematics[0]->model, candidate, assembly, contact);
        for (int s = 0; s < 2; s++)
            if (is_of_robot(l->kinematics[0]->model, candidate, s))
                drop_still(assembly, &contact->side[s]);
    }
}

CondStatus cond_assembly_finish(CondAssembly* assembly, const CondKinematics* kinematics,
                                const CondKinematics* moved, const CondCandidateList* list,
                                double kv)
{
    ContactLoop loop = {assembly, {kinematics, moved}, list, kv};
    int threads = cond_threads(COND_CONTACT_WORK * (size_t)list->n,
                               kinematics->model->settings.solver.threads);
    if (COND_RESERVE(&assembly->arena, assembly->contact, list->n))
        return COND_OUT_OF_MEMORY;
    cond_parallel(list->n, threads, begin_contacts, &loop);
    CondStatus status = place_contacts(&loop, threads);
    if (status)
        return status;
    cond_parallel(list->n, threads, fill_contacts, &loop);
    for (int i = 0; i < assembly->n_coupling; i++) {
        const CondCouplingPlace* place = &assembly->place[i];
        assembly->coupling[i] =
            (CondCoupling){.n_row = place->n_row,
                           .n_coordinate = place->n_coordinate,
                           .coordinate = assembly->coupling_coordinate + place->coordinate,
                           .jacobian = assembly->coupling_jacobian + place->jacobian,
                           .gain = assembly->coupling_gain + place->gain};
    }
    assembly->problem.coupling = assembly->coupling;
    assembly->problem.n_coupling = assembly->n_coupling;
    assembly->problem.contact = assembly->contact;
    assembly->problem.n_contact = list->n;
    return COND_OK;
}

CondStatus cond_assembly_add_contacts(CondAssembly* assembly, int n, CondContact** contact)
{
    int before = assembly->problem.n_contact;
    if (COND_RESERVE(&assembly->arena, assembly->contact, before + n))
        return COND_OUT_OF_MEMORY;
    *contact = assembly->contact + before;
    assembly->problem.contact = assembly->contact;
    assembly->problem.n_contact = before + n;
    return COND_OK;
}

void cond_assembly_multiply(const CondAssembly* assembly, const double* x, double* y, int threads)
{
    cond_problem_multiply_blocks(&assembly->problem, x, NULL, y, threads);
}

// Of a rigid body, without its block; in the order of a product with that.
static void multiply_rigid(const CondBody* body, const double* x, double* y)
{
    const double* I = body->inertia;
    for (int i = 0; i < 3; i++) {
        y[i] = 0.0 + body->mass * x[i];
        y[3 + i] = 0.0 + I[3 * i] * x[3] + I[3 * i + 1] * x[4] + I[3 * i + 2] * x[5];
    }
}

void cond_assembly_multiply_masses(CondAssembly* assembly, const CondKinematics* kinematics,
                                   const double* x, double* y, int threads)
{
    const CondModel* model = kinematics->model;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        int at = body->dof_begin;
        if (body->kind == COND_BODY_RIGID) {
            multiply_rigid(body, x + at, y + at);
            continue;
        }
        if (body->kind == COND_BODY_ROBOT) {
            CondBlock block = {.kind = COND_BLOCK_DENSE, .n_dof = body->n_dof};
            block.values = (double*)cond_kinematics_mass(kinematics, b); // is read alone
            cond_block_multiply(&block, x + at, NULL, y + at, threads);
            continue;
        }
        double* values = assembly->block_values + assembly->block_begin[b];
        cond_body_ops(body->kind)->mass(body, kinematics, values, &assembly->block[b]);
        assembly->block[b].dof_begin = at;
        cond_block_multiply(&assembly->block[b], x + at, NULL, y + at, threads);
    }
    assembly->has_steps = 0;
    empty(assembly);
}
