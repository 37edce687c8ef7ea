// Makes pairs of bodies at random poses (bench_pair.h).
#include "bench_pair.h"

#include "text.h"

#include <math.h>
#include <string.h>

const char* pair_kind_name(PairKind kind)
{
    static const char* const names[] = {"plane",  "sphere", "capsule",   "box",      "cylinder",
                                        "convex", "mesh",   "soft ball", "soft box", "rod"};
    return names[kind];
}

int pair_kind_is_convex(PairKind kind)
{
    return kind <= PAIR_CONVEX || kind == PAIR_ROD;
}

int pair_is_wanted(const BenchOptions* options, PairKind a, PairKind b)
{
    return !options->kinds || (text_lists(options->kinds, pair_kind_name(a)) &&
                               text_lists(options->kinds, pair_kind_name(b)));
}

// SplitMix64.
double chance_between(Chance* chance, double low, double high)
{
    uint64_t z = chance->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return low + (high - low) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

void chance_direction(Chance* chance, double d[3])
{
    double z = chance_between(chance, -1.0, 1.0), rho = sqrt(1.0 - z * z);
    double angle = chance_between(chance, 0.0, 2.0 * acos(-1.0));
    d[0] = rho * cos(angle);
    d[1] = rho * sin(angle);
    d[2] = z;
}

void chance_rotation(Chance* chance, int special, double q[4])
{
    double axis[3], angle = chance_between(chance, 0.0, 2.0 * acos(-1.0)), sum = 0.0;
    chance_direction(chance, axis);
    if (special) { // about one of the three axes
        int k = (int)chance_between(chance, 0.0, 2.9999);
        memset(axis, 0, sizeof axis);
        axis[k] = 1.0;
        angle = acos(0.0) / 2.0 * floor(chance_between(chance, 0.0, 7.9999));
        q[0] = cos(0.5 * angle);
        for (int i = 0; i < 3; i++)
            q[1 + i] = axis[i] * sin(0.5 * angle);
        return;
    }
    // Four numbers in the unit ball make all rotations as likely.
    do {
        sum = 0.0;
        for (int i = 0; i < 4; i++) {
            q[i] = chance_between(chance, -1.0, 1.0);
            sum += q[i] * q[i];
        }
    } while (sum > 1.0 || sum < 0.01);
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(sum);
}

static void make_soft(PairKind kind, Chance* chance, CondBodyDef* def)
{
    double a = chance_between(chance, 0.08, 0.16), b = chance_between(chance, 0.08, 0.16);
    def->kind = COND_BODY_SOFT;
    def->mass = 0.0;
    def->thickness = 0.0;
    snprintf(def->material, sizeof def->material, "rubber");
    if (kind == PAIR_SOFT_BALL)
        snprintf(def->mesh, sizeof def->mesh, "ball:%.6f:2", 0.5 * a);
    else
        snprintf(def->mesh, sizeof def->mesh, "box:2,2,2:%.6f,%.6f,%.6f", a, b, 0.1);
}

static void make_rod(Chance* chance, CondBodyDef* def)
{
    def->kind = COND_BODY_ROD;
    def->mass = 0.0;
    snprintf(def->material, sizeof def->material, "rubber");
    def->rod.shape = COND_ROD_ARC;
    def->rod.links = 10;
    def->rod.length = chance_between(chance, 0.15, 0.3);
    def->rod.bend_radius = chance_between(chance, 0.1, 0.3);
    def->rod.circle = chance_between(chance, 0.008, 0.02);
}

static CondBodyDef make_body(PairKind kind, const char* name, Chance* chance)
{
    CondBodyDef def = cond_body_def_default();
    double a = chance_between(chance, 0.06, 0.16), b = chance_between(chance, 0.06, 0.16);
    snprintf(def.name, sizeof def.name, "%s", name);
    def.kind = COND_BODY_RIGID;
    def.mass = 1.0;
    def.size[0] = 0.5 * a;
    def.size[1] = b;
    if (kind == PAIR_SPHERE)
        def.shape = COND_SHAPE_SPHERE;
    if (kind == PAIR_CAPSULE)
        def.shape = COND_SHAPE_CAPSULE;
    if (kind == PAIR_CYLINDER)
        def.shape = COND_SHAPE_CYLINDER;
    if (kind == PAIR_BOX) {
        def.shape = COND_SHAPE_BOX;
        def.size[0] = a;
        def.size[2] = chance_between(chance, 0.06, 0.16);
    }
    if (kind == PAIR_CONVEX) {
        def.shape = COND_SHAPE_CONVEX;
        snprintf(def.mesh, sizeof def.mesh, "ball:%.6f:1", 0.5 * a);
    }
    if (kind == PAIR_MESH) {
        def.shape = COND_SHAPE_MESH;
        cli_share_path("scenes/ell.obj", def.mesh, sizeof def.mesh);
        def.mesh_scale = 0.5 * a;
    }
    if (kind == PAIR_SOFT_BALL || kind == PAIR_SOFT_BOX)
        make_soft(kind, chance, &def);
    if (kind == PAIR_ROD)
        make_rod(chance, &def);
    return def;
}

static CondStatus make_scene(CondScene* scene, PairKind a, PairKind b, int floor, Chance* chance,
                             CondError* error)
{
    CondMaterialDef rubber = cond_material_def_default();
    snprintf(rubber.name, sizeof rubber.name, "rubber");
    rubber.youngs_modulus = 2e5;
    rubber.poisson_ratio = 0.3;
    rubber.density = 1000.0;
    CondPlaneDef plane = cond_plane_def_default();
    plane.surface.friction[0] = plane.surface.friction[1] = 0.5;
    CondStatus status = cond_scene_add_material(scene, &rubber, error);
    if (!status && (floor || a == PAIR_PLANE))
        status = cond_scene_add_plane(scene, &plane, error);
    const PairKind kinds[2] = {a, b};
    for (int k = 0; k < 2 && !status; k++) {
        CondBodyDef def = make_body(kinds[k], k ? "second" : "first", chance);
        if (kinds[k] != PAIR_PLANE)
            status = cond_scene_add_body(scene, &def, error);
    }
    return status;
}

CondStatus pair_begin(PairKind a, PairKind b, int floor, double time_step, double margin,
                      Chance* chance, Pair* pair)
{
    CondScene* scene = NULL;
    CondError error = {COND_OK, "out of memory"};
    *pair = (Pair){.kind = {a, b}, .first = a == PAIR_PLANE};
    CondStatus status = cond_scene_create(NULL, &scene, &error);
    if (!status) {
        cond_scene_set_files(scene, cond_scene_files());
        CondSceneSettings* settings = cond_scene_settings(scene);
        settings->time_step = time_step;
        settings->margin = margin;
        settings->solver.threads = 1;
        status = make_scene(scene, a, b, floor, chance, &error);
    }
    if (!status)
        status = cond_scene_compile(scene, &pair->model, &error);
    if (!status)
        status = cond_state_create(pair->model, &pair->state, &error);
    if (!status)
        status = cond_sim_create(pair->model, &pair->sim, &error);
    if (!status)
        status = cond_audit_create(pair->model, &pair->audit, &error);
    cond_scene_destroy(scene);
    if (status)
        cli_complain("%s on %s: %s", pair_kind_name(a), pair_kind_name(b), error.message);
    return status;
}

void pair_end(Pair* pair)
{
    cond_audit_destroy(pair->audit);
    cond_sim_destroy(pair->sim);
    cond_state_destroy(pair->state);
    cond_model_destroy(pair->model);
}

int pair_audit(const Pair* pair, double reach, CondAuditPair* found)
{
    if (cond_audit_run(pair->audit, pair->state, reach))
        return 0;
    for (int i = 0; i < cond_audit_n_pair(pair->audit); i++) {
        *found = cond_audit_pair(pair->audit, i);
        int other = pair->first ? found->plane >= 0 : found->body[0] == 1 && found->body[1] == 0;
        if (other)
            return 1;
    }
    return 0;
}

CondStatus pair_collide(const Pair* pair, PairFound* found)
{
    CondStatus status = COND_OK;
    *found = (PairFound){.gap = INFINITY, .contact = INFINITY};
    if (!pair->first) {
        status = cond_sim_gap(pair->sim, pair->state, 1, 0, &found->gap, NULL);
    } else {
        status = cond_sim_forces(pair->sim, pair->state);
        if (!status)
            status = cond_sim_collide(pair->sim, pair->state);
    }
    for (int c = 0; c < cond_sim_n_contact(pair->sim) && !status; c++) {
        CondContactInfo info = cond_sim_contact(pair->sim, c);
        int other = pair->first ? info.plane >= 0 : info.other >= 0 && info.other != info.body;
        if (!other)
            continue;
        found->contact = fmin(found->contact, info.gap);
        found->n_contact++;
    }
    found->gap = pair->first ? found->contact : found->gap;
    return status;
}
