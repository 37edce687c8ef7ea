// Assembly of a CondProblem from the blocks of bodies, the couplings of potentials, and contacts.
#include "assemble/assemble.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "body/body.h"
#include "body/each.h"
#include "problem/block.h"
#include "problem/side.h"

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

typedef struct BlockLoop {
    CondAssembly* assembly;
    const CondKinematics* kinematics;
    const double *step, *x; //
    double* y;              // forces, or M x
} BlockLoop;

static void make_block(const void* loop, int b)
{
    const BlockLoop* l = loop;
    CondAssembly* assembly = l->assembly;
    const CondBody* body = &l->kinematics->model->body[b];
    double* values = assembly->block_values + assembly->block_begin[b];
    int masses = !l->step || has_masses(assembly->content, body);
    if (!masses)
        cond_body_ops(body->kind)
            ->block(body, l->kinematics, l->step[b], values, &assembly->block[b],
                    l->y + body->dof_begin);
    else
        cond_body_ops(body->kind)->mass(body, l->kinematics, values, &assembly->block[b]);
    if (masses && l->step)
        divide_masses(body, l->step[b], values);
    assembly->block[b].dof_begin = body->dof_begin;
}

void cond_assembly_begin(CondAssembly* assembly, const CondKinematics* kinematics,
                         const double* step, double* f)
{
    BlockLoop loop = {assembly, kinematics, step, NULL, f};
    cond_each_body(kinematics->model, COND_COORDINATE_WORK, make_block, &loop);
    assembly->has_steps = step != NULL;
    empty(assembly);
}

void cond_assembly_begin_made(CondAssembly* assembly)
{
    assembly->has_steps = 1;
    empty(assembly);
}

// Rigid bodies and particles have none.
static int is_damped(const CondBody* body)
{
    return body->kind != COND_BODY_RIGID && body->kind != COND_BODY_PARTICLE;
}

static void make_damping(const void* loop, int b)
{
    const BlockLoop* l = loop;
    const CondBody* body = &l->kinematics->model->body[b];
    CondBlock* block = &l->assembly->block[b];
    if (!is_damped(body))
        return;
    cond_body_ops(body->kind)
        ->damping(body, l->kinematics, l->assembly->block_values + l->assembly->block_begin[b],
                  block);
    block->dof_begin = body->dof_begin;
}

void cond_assembly_begin_damping(CondAssembly* assembly, const CondKinematics* kinematics)
{
    const CondModel* model = kinematics->model;
    BlockLoop loop = {assembly, kinematics, NULL, NULL, NULL};
    if (model->n_kind[COND_BODY_RIGID] + model->n_kind[COND_BODY_PARTICLE] < model->n_body)
        cond_each_body(model, COND_COORDINATE_WORK, make_damping, &loop);
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
        for (int s = 0; s < 2; s++) {
            const CondPoint* point = &candidate->point[s];
            int n = cond_kinematics_count(l->kinematics[candidate->moved], point);
            int is_node = cond_kinematics_is_node(l->kinematics[0]->model, point); // has no J
            contact->side[s].n_coordinate = n;
            l->assembly->side[2 * c + s] = (CondSidePlace){point->body, n, is_node ? 0 : 3 * n};
        }
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

static void count_places(const void* loop, int begin, int end)
{
    const PlaceLoop* p = loop;
    const ContactLoop* l = p->contacts;
    for (int part = begin; part < end; part++) {
        p->coordinates[part] = p->numbers[part] = 0;
        for (int k = 2 * cond_team_first(l->list->n, part, p->parts);
             k < 2 * cond_team_first(l->list->n, part + 1, p->parts); k++) {
            p->coordinates[part] += l->assembly->side[k].coordinate;
            p->numbers[part] += l->assembly->side[k].jacobian;
        }
    }
}

// Counts become places.
static void take_places(const void* loop, int begin, int end)
{
    const PlaceLoop* p = loop;
    const ContactLoop* l = p->contacts;
    for (int part = begin; part < end; part++) {
        int coordinates = p->coordinates[part], numbers = p->numbers[part];
        for (int k = 2 * cond_team_first(l->list->n, part, p->parts);
             k < 2 * cond_team_first(l->list->n, part + 1, p->parts); k++) {
            CondSidePlace* side = &l->assembly->side[k];
            int n = side->coordinate, n_number = side->jacobian;
            side->coordinate = coordinates;
            side->jacobian = n_number > 0 ? numbers : -1;
            coordinates += n;
            numbers += n_number;
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
        CondSide* side = &assembly->contact[c / 2].side[c % 2];
        const CondCandidate* candidate = &l->list->candidate[c / 2];
        int* coordinate = assembly->coordinate + assembly->side[c].coordinate;
        int at = assembly->side[c].jacobian;
        double world[3], *J = at < 0 ? NULL : assembly->jacobian + at;
        cond_kinematics_point(l->kinematics[candidate->moved], &candidate->point[c % 2], world,
                              coordinate, J);
        side->coordinate = coordinate;
        side->jacobian = J;
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
    if (COND_RESERVE(&assembly->arena, assembly->contact, list->n) ||
        COND_RESERVE(&assembly->arena, assembly->side, 2 * list->n))
        return COND_OUT_OF_MEMORY;
    assembly->n_touch = list->n;
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

// Coordinates in parts, each with the contacts of its bodies.
typedef struct ForceLoop {
    const CondAssembly* assembly;
    const CondModel* model;
    int n_touch;
    double scale;
    const double* lambda;
    double* f;
} ForceLoop;

static void add_forces(const void* loop, int first, int last)
{
    const ForceLoop* l = loop;
    const CondAssembly* assembly = l->assembly;
    int begin = cond_each_first(l->model, first), end = cond_each_first(l->model, last);
    for (int k = 0; k < 2 * l->n_touch && begin < end; k++) {
        int body = assembly->side[k].body, side = k % 2;
        if (body < begin || body >= end)
            continue;
        const CondContact* contact = &assembly->contact[k / 2];
        double world[3];
        cond_contact_turn_force(contact->frame, l->scale, l->lambda + 3 * (ptrdiff_t)(k / 2),
                                world);
        cond_side_add_force(&contact->side[side], side == 0 ? 1.0 : -1.0, world, l->f);
    }
}

void cond_assembly_add_forces(const CondAssembly* assembly, const CondModel* model, int n,
                              double scale, const double* lambda, double* f)
{
    int n_touch = n < assembly->n_touch ? n : assembly->n_touch;
    n_touch = model->n_body > 1 ? n_touch : 0;
    ForceLoop loop = {assembly, model, n_touch, scale, lambda, f};
    int n_thread =
        cond_threads(COND_CONTACT_WORK * (size_t)n_touch, model->settings.solver.threads);
    if (n_thread > 1)
        cond_parallel(model->n_dof, n_thread, add_forces, &loop);
    for (int c = n_thread > 1 ? n_touch : 0; c < n; c++)
        cond_contact_add_force(&assembly->contact[c], scale, lambda + 3 * (ptrdiff_t)c, f);
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

void cond_assembly_multiply_mass(CondAssembly* assembly, const CondKinematics* kinematics, int b,
                                 const double* x, double* y)
{
    const CondModel* model = kinematics->model;
    const CondBody* body = &model->body[b];
    CondBlock* block = &assembly->block[b];
    int at = body->dof_begin;
    if (body->kind == COND_BODY_RIGID) {
        multiply_rigid(body, x + at, y + at);
        return;
    }
    if (body->kind == COND_BODY_ROBOT) {
        CondBlock kept = {.kind = COND_BLOCK_DENSE, .n_dof = body->n_dof};
        kept.values = (double*)cond_kinematics_mass(kinematics, b); // is read alone
        cond_block_multiply(&kept, x + at, NULL, y + at, model->settings.solver.threads);
        return;
    }
    cond_body_ops(body->kind)
        ->mass(body, kinematics, assembly->block_values + assembly->block_begin[b], block);
    block->dof_begin = at;
    cond_block_multiply(block, x + at, NULL, y + at, model->settings.solver.threads);
}

static void multiply_mass(const void* loop, int b)
{
    const BlockLoop* l = loop;
    cond_assembly_multiply_mass(l->assembly, l->kinematics, b, l->x, l->y);
}

static void multiply_damping(const void* loop, int b)
{
    const BlockLoop* l = loop;
    const CondModel* model = l->kinematics->model;
    const CondBody* body = &model->body[b];
    int at = body->dof_begin;
    if (!is_damped(body)) {
        for (int i = at; i < at + body->n_dof; i++)
            l->y[i] = 0.0;
        return;
    }
    cond_block_multiply(&l->assembly->block[b], l->x + at, NULL, l->y + at,
                        model->settings.solver.threads);
}

void cond_assembly_multiply_damping(CondAssembly* assembly, const CondKinematics* kinematics,
                                    const double* x, double* y)
{
    BlockLoop loop = {assembly, kinematics, NULL, x, y};
    cond_each_body(kinematics->model, 1, multiply_damping, &loop);
    cond_problem_add_couplings(&assembly->problem, x, y);
}

void cond_assembly_multiply_masses(CondAssembly* assembly, const CondKinematics* kinematics,
                                   const double* x, double* y)
{
    BlockLoop loop = {assembly, kinematics, NULL, x, y};
    cond_each_body(kinematics->model, COND_COORDINATE_WORK, multiply_mass, &loop);
    assembly->has_steps = 0;
    empty(assembly);
}
