// What a GPU machine checks: every function of the table of the device cuda against the device of
// the processors, and steps of soft scenes by both. Prints a line a check, and how many failed.
//     cond_cuda_test [verbs|elements|steps|deep|times|memory] [N]        N: nodes along a side of
//     the mats
// `deep` makes one step of a mat with three levels or more; `memory` is for a device that has too
// little for the mat. `times` takes apart one solve of a large mat: kernels, copies, iterations.
#include "base/memory.h"
#include "cond/scene.h"
#include "cond/sim.h"
#include "cuda/device_cuda.h"
#include "cuda/soft_cg.h"
#include "model/fem_item.h"
#include "model/model.h"
#include "problem/device_matrix.h"
#include "strategy/strategy.h"
#include "verbs_item.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int failures = 0;

static void report(const char* name, int n, int right)
{
    printf("%-34s %9d  %s\n", name, n, right ? "ok" : "FAILED");
    failures += !right;
}

static uint64_t next_number(uint64_t* seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 11;
}

static void* put(CondDevice* device, const void* from, size_t bytes)
{
    void* to = device->ops->take(device, bytes);
    if (!to || device->ops->write(device, to, from, bytes))
        printf("no memory for %zu bytes: %s\n", bytes, cond_device_cuda_failure(device));
    return to;
}

typedef struct Sums {
    double dot, most;
} Sums;

static Sums find_sums(CondDevice* device, int n, const double* x, const double* y)
{
    Sums sums = {NAN, NAN};
    CondSumArgs args = {NULL, x, y};
    if (device->ops->sum(device, &test_dot, n, 1, &args, &sums.dot) ||
        device->ops->most(device, &test_most, n, 1, &args, &sums.most) || device->ops->wait(device))
        printf("sums: %s\n", cond_device_cuda_failure(device));
    return sums;
}

static void check_loops(CondDevice* device, int n, const double* x)
{
    size_t size = (size_t)n * sizeof *x;
    double *on = put(device, x, size), *y = device->ops->take(device, size + 8),
           *z = device->ops->take(device, size + 8), *back = calloc((size_t)n + 1, sizeof *back);
    ScaleArgs first = {n, 3.0, on, y}, second = {n, 0.0, y, z};
    CondDevicePhase phase[] = {{&test_scale, &first, n, 1, 0}, {&test_reverse, &second, n, 1, 1}};
    int right = !device->ops->phases(device, 2, phase) && !device->ops->read(device, back, z, size);
    for (int i = 0; i < n; i++)
        right = right && back[i] == 3.0 * x[n - 1 - i];
    report("loops and phases, copies", n, right);
    CondDevice threads = cond_device_threads(NULL, 1);
    Sums a = find_sums(device, n, on, on), again = find_sums(device, n, on, on),
         b = find_sums(&threads, n, x, x);
    report("sum, as by threads to rounding", n, fabs(a.dot - b.dot) <= 1e-12 * b.dot);
    report("sum, the same bits twice", n, a.dot == again.dot);
    report("most", n, a.most == b.most && again.most == b.most);
    device->ops->give(device, on, size);
    device->ops->give(device, y, size + 8);
    device->ops->give(device, z, size + 8);
    free(back);
}

static void check_scan(CondDevice* device, int n)
{
    uint64_t seed = 3;
    size_t size = ((size_t)n + 1) * sizeof(int);
    int *plain = malloc(size), *back = malloc(size);
    for (int i = 0; i < n; i++)
        plain[i] = (int)(next_number(&seed) % 7);
    plain[n] = 77; // what is there does not matter
    int* on = put(device, plain, size);
    int right = !device->ops->scan(device, n, on) && !device->ops->read(device, back, on, size);
    CondDevice threads = cond_device_threads(NULL, 1);
    threads.ops->scan(&threads, n, plain);
    report("scan", n, right && memcmp(plain, back, size) == 0);
    device->ops->give(device, on, size);
    free(plain);
    free(back);
}

// Few long segments and many short ones.
static void check_segments(CondDevice* device, int n, const double* x, int n_segment)
{
    size_t size = (size_t)n * sizeof *x, of_totals = (size_t)n_segment * sizeof(double);
    int* begin = calloc((size_t)n_segment + 1, sizeof *begin);
    for (int s = 0; s <= n_segment; s++) // the first half is shorter
        begin[s] = (int)((double)n * ((double)s / n_segment) * ((double)s / n_segment));
    double *on = put(device, x, size), *total = device->ops->take(device, 2 * of_totals),
           *back = calloc(2 * (size_t)n_segment, sizeof *back),
           *own = calloc(2 * (size_t)n_segment, sizeof *own);
    int* on_begin = put(device, begin, ((size_t)n_segment + 1) * sizeof *begin);
    CondSumArgs args = {NULL, on, on}, of_host = {NULL, x, x};
    CondDevice threads = cond_device_threads(NULL, 1);
    int right = !device->ops->sums(device, &test_dot, n_segment, on_begin, n, 1, &args, total) &&
                !device->ops->mosts(device, &test_most, n_segment, on_begin, n, 1, &args,
                                    total + n_segment) &&
                !device->ops->read(device, back, total, 2 * of_totals);
    threads.ops->sums(&threads, &test_dot, n_segment, begin, n, 1, &of_host, own);
    threads.ops->mosts(&threads, &test_most, n_segment, begin, n, 1, &of_host, own + n_segment);
    for (int s = 0; s < n_segment; s++)
        right = right && fabs(back[s] - own[s]) <= 1e-12 * own[s] &&
                back[n_segment + s] == own[n_segment + s];
    report("sums and maxima of segments", n_segment, right);
    device->ops->give(device, on, size);
    device->ops->give(device, on_begin, ((size_t)n_segment + 1) * sizeof *begin);
    device->ops->give(device, total, 2 * of_totals);
    free(begin);
    free(back);
    free(own);
}

static void check_sort(CondDevice* device, int n, uint64_t most)
{
    uint64_t seed = 5, *key = malloc(((size_t)n + 1) * sizeof *key),
             *key_back = malloc(((size_t)n + 1) * sizeof *key),
             *spare = malloc(((size_t)n + 1) * sizeof *key);
    size_t size = ((size_t)n + 1) * sizeof *key, items = ((size_t)n + 1) * sizeof(int);
    int *item = malloc(items), *item_back = malloc(items), *spare_item = malloc(items);
    for (int i = 0; i < n; i++) {
        key[i] = next_number(&seed) * next_number(&seed) % most;
        item[i] = i;
    }
    key[n] = 0;
    item[n] = 0;
    uint64_t *on = put(device, key, size), *on_spare = device->ops->take(device, size);
    int *on_item = put(device, item, items), *on_spare_item = device->ops->take(device, items);
    int right = !device->ops->sort(device, n, on, on_item, on_spare, on_spare_item) &&
                !device->ops->read(device, key_back, on, size) &&
                !device->ops->read(device, item_back, on_item, items);
    CondDevice threads = cond_device_threads(NULL, 1);
    threads.ops->sort(&threads, n, key, item, spare, spare_item);
    report("sort", n,
           right && memcmp(key, key_back, (size_t)n * sizeof *key) == 0 &&
               memcmp(item, item_back, (size_t)n * sizeof *item) == 0);
    device->ops->give(device, on, size);
    device->ops->give(device, on_spare, size);
    device->ops->give(device, on_item, items);
    device->ops->give(device, on_spare_item, items);
    free(key), free(key_back), free(spare), free(item), free(item_back), free(spare_item);
}

static void check_verbs(int largest)
{
    static const int sizes[] = {0, 1, 31, 32, 33, 255, 256, 257, 2047, 2048, 2049, 100003, 3000017};
    CondDevice device;
    CondError error;
    if (cond_device_cuda_create(NULL, 0, &device, &error)) {
        printf("no device: %s\n", error.message);
        failures++;
        return;
    }
    double* x = malloc((size_t)sizes[12] * sizeof *x);
    uint64_t seed = 1;
    for (int i = 0; i < sizes[12]; i++)
        x[i] = (double)next_number(&seed) / (double)(UINT64_MAX >> 11) - 0.5;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        if (largest > 0 && sizes[k] > largest)
            continue;
        check_loops(&device, sizes[k], x);
        check_scan(&device, sizes[k]);
        check_segments(&device, sizes[k], x, 3);
        check_segments(&device, sizes[k], x, 5000);
        check_sort(&device, sizes[k], UINT64_MAX);
        check_sort(&device, sizes[k], 5);
    }
    free(x);
    cond_device_cuda_destroy(&device);
}

// ---- steps of a mat of n x n x 2 nodes that slides on a floor, and of one that is tilted

static CondStatus make_mat(int n, double tilt, int levels, CondDeviceKind kind, CondModel** model,
                           CondError* error)
{
    CondScene* scene = NULL;
    CondMaterialDef material = cond_material_def_default();
    CondPlaneDef floor = cond_plane_def_default();
    CondBodyDef mat = cond_body_def_default();
    double side = 0.4 / 26.0 * (n - 1);
    CondStatus status = cond_scene_create(NULL, &scene, error);
    if (status)
        return status;
    snprintf(material.name, sizeof material.name, "mat");
    material.youngs_modulus = 75e3;
    material.poisson_ratio = 0.35;
    material.density = 1070.0;
    material.stiffness_damping = 0.005;
    floor.surface.friction[0] = floor.surface.friction[1] = 0.3;
    floor.normal[0] = tilt;
    mat.kind = COND_BODY_SOFT;
    snprintf(mat.name, sizeof mat.name, "mat");
    snprintf(mat.mesh, sizeof mat.mesh, "mat:%d,%d,2:%.9g,%.9g,0.008", n, n, side, side);
    snprintf(mat.material, sizeof mat.material, "mat");
    mat.position[2] = 0.004 + 0.5 * tilt * side;
    mat.velocity[0] = 0.3;
    mat.velocity[1] = 0.1;
    mat.surface.friction[0] = mat.surface.friction[1] = 0.3;
    if (!(status = cond_scene_add_material(scene, &material, error)) &&
        !(status = cond_scene_add_plane(scene, &floor, error)))
        status = cond_scene_add_body(scene, &mat, error);
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->time_step = 0.01;
    settings->integrator = COND_INTEGRATOR_THETA;
    settings->theta = 1.0;
    settings->solver.tolerance = 1e-8;
    settings->solver.device = kind;
    settings->solver.multilevel = levels ? COND_MULTILEVEL_ON : COND_MULTILEVEL_AUTO;
    if (!status)
        status = cond_scene_compile(scene, model, error);
    cond_scene_destroy(scene);
    return status;
}

typedef struct Steps {
    double* v;
    int n, newton, iterations;
    int made, fetched; // matrices: on the device; copied from there
    uint64_t hash;
    double residual;
} Steps;

static CondStatus make_steps(int n, double tilt, int levels, CondDeviceKind kind, int count,
                             Steps* steps)
{
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error = {.message = ""};
    memset(steps, 0, sizeof *steps);
    CondStatus status = make_mat(n, tilt, levels, kind, &model, &error);
    if (!status && !(status = cond_state_create(model, &state, &error)))
        status = cond_sim_create(model, &sim, &error);
    for (int k = 0; k < count && !status; k++) {
        CondStepInfo info;
        status = cond_sim_step(sim, state, &info);
        steps->newton += info.solve.passes;
        steps->iterations += info.solve.cg_iterations;
        steps->residual = fmax(steps->residual, cond_certificate_residual(&info.solve.certificate));
    }
    if (status)
        printf("steps: %d: %s%s\n", (int)status, error.message,
               status < 0 ? cond_last_error()->message : "");
    if (sim) {
        steps->made = cond_sim_device_matrix(sim)->n_made;
        steps->fetched = cond_sim_device_matrix(sim)->n_fetched;
    }
    if (status >= 0 && state) {
        steps->n = cond_model_n_dof(model);
        steps->v = malloc((size_t)steps->n * sizeof *steps->v);
        memcpy(steps->v, cond_state_velocity(state), (size_t)steps->n * sizeof *steps->v);
        steps->hash = cond_state_hash(state);
    }
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    cond_model_destroy(model);
    return status;
}

// A step on a device without room for it: an error that says how many bytes, and the state as it
// was.
static void check_memory(int n)
{
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error = {.message = ""};
    CondStatus status = make_mat(n, 0.0, 1, COND_DEVICE_CUDA, &model, &error);
    if (!status && !(status = cond_state_create(model, &state, &error)))
        status = cond_sim_create(model, &sim, &error);
    uint64_t before = status ? 0 : cond_state_hash(state);
    status = status ? status : cond_sim_step(sim, state, NULL);
    printf("  %d: %s\n", (int)status, cond_last_error()->message);
    report("no memory: the bytes", n,
           status == COND_OUT_OF_MEMORY && strstr(cond_last_error()->message, "bytes"));
    report("no memory: the state as it was", n, state && cond_state_hash(state) == before);
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    cond_model_destroy(model);
}

// alone: 1 where the device must complete its solves, and the host fetches no matrix.
static void check_steps(int n, double tilt, int levels, int count, int alone)
{
    Steps cpu, cuda, again;
    double most = 0.0, scale = 0.0;
    int right = make_steps(n, tilt, levels, COND_DEVICE_CPU, count, &cpu) == COND_OK;
    right = make_steps(n, tilt, levels, COND_DEVICE_CUDA, count, &cuda) == COND_OK && right;
    right = make_steps(n, tilt, levels, COND_DEVICE_CUDA, count, &again) == COND_OK && right;
    for (int i = 0; i < cpu.n && right; i++) {
        most = fmax(most, fabs(cpu.v[i] - cuda.v[i]));
        scale = fmax(scale, fabs(cpu.v[i]));
    }
    printf("  tilt %g levels %d: Newton %d / %d, iterations %d / %d, certificates %.1e / %.1e, "
           "velocities apart %.1e of %.1e, hash %016llx\n",
           tilt, levels, cpu.newton, cuda.newton, cpu.iterations, cuda.iterations, cpu.residual,
           cuda.residual, most, scale, (unsigned long long)cuda.hash);
    printf("  matrices made on the device %d, fetched %d\n", cuda.made, cuda.fetched);
    report("steps, velocities as by the cpu", cpu.n, right && most <= 1e-5 * scale);
    report("matrices on the device", cuda.made, cuda.made > 0);
    // a solve that the device spoils the host completes: the bits alone do not show it
    report("steps, the same bits twice", cpu.n, right && cuda.hash == again.hash);
    report("steps, the same counts twice", cuda.iterations,
           cuda.newton == again.newton && cuda.iterations == again.iterations &&
               cuda.fetched == again.fetched);
    if (alone)
        report("steps, without the host", cpu.n, cuda.fetched == 0);
    free(cpu.v), free(cuda.v), free(again.v);
}

// ---- elements of a mat that is bent, both materials

// The view of a body with its arrays on a device, and A, forces and energies to be made there.
static CondFemView put_fem(CondDevice* device, const CondFem* fem, const double* x, int* begin,
                           const int* of)
{
    CondFemView v = cond_fem_view(fem);
    size_t nn = (size_t)fem->n_node, ne = (size_t)fem->n_element;
#define PUT(field, n) v.field = put(device, v.field, (n) * sizeof *v.field)
    v.x = x;
    v.corner_begin = begin;
    v.corner_of = of;
    PUT(x, 3 * nn);
    PUT(corner_begin, nn + 1);
    PUT(corner_of, 4 * ne);
    PUT(element, 4 * ne);
    PUT(material, ne);
    PUT(gradient, 9 * ne);
    PUT(volume, ne);
    PUT(place, 16 * ne);
    PUT(of_material, (size_t)fem->n_material);
    PUT(moduli, (size_t)fem->n_material);
    PUT(mass, nn);
    PUT(mass_damping, nn);
    PUT(row_begin, nn + 1);
    PUT(diagonal, nn);
#undef PUT
    v.mass_scale = 100.0;
    v.stiffness_scale = 0.01;
    v.A = device->ops->take(device, 9 * (size_t)fem->pattern.row_begin[nn] * sizeof *v.A);
    v.f = device->ops->take(device, 3 * nn * sizeof *v.f);
    v.energy = device->ops->take(device, ne * sizeof *v.energy);
    return v;
}

static double largest_difference(size_t n, const double* a, const double* b)
{
    double most = 0.0, scale = 0.0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        scale = fmax(scale, fabs(b[i]));
    }
    return scale > 0.0 ? most / scale : most;
}

static void compare_elements(CondDevice* device, const CondFem* fem, const double* x)
{
    size_t nA = 9 * (size_t)fem->pattern.row_begin[fem->n_node], nf = 3 * (size_t)fem->n_node,
           ne = (size_t)fem->n_element, all = nA + nf + ne;
    double *plain = malloc(all * sizeof *plain), *made = malloc(all * sizeof *made),
           *again = malloc(all * sizeof *again);
    int *begin = malloc(((size_t)fem->n_node + 2) * sizeof *begin),
        *of = malloc(4 * ne * sizeof *of), right = 1;
    CondFemPolicy policy = {COND_FEM_GEOMETRIC_NONE, 0.0};
    CondFemWork work = {.energy = plain + nA + nf};
    CondBsr3 matrix = {&fem->pattern, plain};
    cond_fem_assemble(fem, x, 100.0, 0.01, NULL, &policy, &work, &matrix, plain + nA, 0);
    cond_fem_list_corners(fem, begin, of);
    CondFemView view = put_fem(device, fem, x, begin, of);
    for (int k = 0; k < 2 && right; k++) {
        double* to = k ? again : made;
        cond_device_cuda_measure(device, k);
        right = !device->ops->loop(device, &cond_fem_rows, view.n_node, 4096, &view) &&
                !device->ops->read(device, to, view.A, nA * sizeof *to) &&
                !device->ops->read(device, to + nA, view.f, nf * sizeof *to) &&
                !device->ops->read(device, to + nA + nf, view.energy, ne * sizeof *to) &&
                !device->ops->wait(device);
    }
    double off[3] = {largest_difference(nA, made, plain),
                     largest_difference(nf, made + nA, plain + nA),
                     largest_difference(ne, made + nA + nf, plain + nA + nf)};
    printf("  %d nodes, %d elements: A apart %.1e, forces %.1e, energies %.1e\n", fem->n_node,
           fem->n_element, off[0], off[1], off[2]);
    report("elements, as by the processors", fem->n_element,
           right && off[0] <= 1e-11 && off[1] <= 1e-9 && off[2] <= 1e-9);
    report("elements, the same bits twice", fem->n_element,
           right && memcmp(made, again, all * sizeof *made) == 0);
    free(plain), free(made), free(again), free(begin), free(of);
}

static void print_row(void* data, const char* name, int calls, double ms, double bytes);

static void check_elements(int n, int kind)
{
    CondModel* model = NULL;
    CondDevice device;
    CondError error = {.message = ""};
    if (make_mat(n, 0.0, 1, COND_DEVICE_CPU, &model, &error) ||
        cond_device_cuda_create(NULL, 0, &device, &error)) {
        printf("elements: %s\n", error.message);
        failures++;
        cond_model_destroy(model);
        return;
    }
    CondFem* fem = model->body[0].fem;
    CondFemMaterial material = fem->material[0];
    material.kind = (CondFemMaterialKind)kind;
    double *x = malloc(3 * (size_t)fem->n_node * sizeof *x), total = 0.0;
    for (int i = 0; i < fem->n_node; i++) { // bent and stretched
        const double* X = fem->rest + 3 * (size_t)i;
        x[3 * i] = 1.1 * X[0] + 0.05 * X[1];
        x[3 * i + 1] = X[1] - 0.1 * X[2];
        x[3 * i + 2] = X[2] + 0.02 * sin(20.0 * X[0]) + 0.01 * cos(31.0 * X[1]);
    }
    if (cond_fem_set_material(fem, &material, &error)) {
        printf("elements: %s\n", error.message);
        failures++;
    } else {
        compare_elements(&device, fem, x);
        cond_device_cuda_rows(&device, print_row, &total);
    }
    free(x);
    cond_device_cuda_destroy(&device);
    cond_model_destroy(model);
}

// ---- what a solve is made of

static double now_ms(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void print_row(void* data, const char* name, int calls, double ms, double bytes)
{
    double* total = data;
    printf("  %-34s %6d calls %10.3f ms %9.1f us each", name, calls, ms, 1e3 * ms / calls);
    if (bytes > 0.0)
        printf(" %8.1f MB %6.1f GB/s", 1e-6 * bytes, 1e-6 * bytes / ms);
    printf("\n");
    *total += ms;
}

static void time_solves(int n)
{
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error = {.message = ""};
    CondContext context = cond_context_or_default(NULL);
    CondSolverSettings settings = cond_solver_settings_default();
    if (make_mat(n, 0.0, 1, COND_DEVICE_CPU, &model, &error) ||
        cond_state_create(model, &state, &error) || cond_sim_create(model, &sim, &error)) {
        printf("times: %s\n", error.message);
        failures++;
        return;
    }
    cond_sim_forces(sim, state);
    cond_sim_matrix(sim);
    cond_sim_collide(sim, state);
    cond_sim_assemble(sim, state);
    const CondProblem* problem = cond_sim_problem(sim);
    double *v = calloc((size_t)problem->n_dof, sizeof *v),
           *lambda = calloc(3 * (size_t)problem->n_contact + 1, sizeof *lambda);
    settings.tolerance = 1e-6;
    settings.multilevel = COND_MULTILEVEL_ON;
    for (int device = 0; device < 2; device++) {
        settings.device = device ? COND_DEVICE_CUDA : COND_DEVICE_CPU;
        CondStrategy* work = cond_solver_strategy.create(&context, &settings);
        for (int k = 0; k < (device ? 4 : 3); k++) {
            CondSolveInfo info;
            memset(&info, 0, sizeof info);
            memset(v, 0, (size_t)problem->n_dof * sizeof *v);
            memset(lambda, 0, 3 * (size_t)problem->n_contact * sizeof *lambda);
            if (k == 3)
                cond_device_cuda_measure(&work->newton.soft.cuda, 1);
            double before[2] = {0.0, 0.0}, after[2] = {0.0, 0.0}, start = now_ms();
            if (device && k > 0)
                cond_cuda_soft_time(work->newton.soft.system.packed.device, &before[0], &before[1]);
            CondStatus status = cond_solver_strategy.solve(work, problem, v, lambda, &info);
            double ms = now_ms() - start;
            if (device)
                cond_cuda_soft_time(work->newton.soft.system.packed.device, &after[0], &after[1]);
            printf("%s solve %d: %d coordinates, %d contacts, status %d, %.2f ms, Newton %d, "
                   "iterations %d, certificate %.1e; iterations on the device %.2f ms, %g "
                   "products\n",
                   device ? "cuda" : "cpu ", k, problem->n_dof, problem->n_contact, (int)status, ms,
                   info.passes, info.cg_iterations, cond_certificate_residual(&info.certificate),
                   after[0] - before[0], after[1] - before[1]);
        }
        double total = 0.0;
        if (device) {
            cond_device_cuda_rows(&work->newton.soft.cuda, print_row, &total);
            printf("  all of these %.3f ms; held by the table %.1f MB\n", total,
                   1e-6 * (double)cond_device_cuda_held(&work->newton.soft.cuda));
        }
        cond_solver_strategy.destroy(work);
    }
    free(v), free(lambda);
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    cond_model_destroy(model);
}

int main(int argc, char** argv)
{
    const char* what = argc > 1 ? argv[1] : "";
    int n = argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(what, "times") == 0) {
        time_solves(n > 0 ? n : 408);
        return failures > 0;
    }
    int all = what[0] == 0;
    if (strcmp(what, "deep") == 0) {
        check_steps(n > 0 ? n : 46, 0.0, 1, 1, 1);
        return failures > 0;
    }
    if (strcmp(what, "memory") == 0) {
        check_memory(n > 0 ? n : 18);
        return failures > 0;
    }
    if (all || strcmp(what, "verbs") == 0)
        check_verbs(n);
    for (int kind = 0; kind < 2 && (all || strcmp(what, "elements") == 0); kind++)
        check_elements(n > 0 ? n : 158, kind ? COND_FEM_NEOHOOKEAN : COND_FEM_COROTATIONAL);
    if (all || strcmp(what, "steps") == 0) {
        int side = n > 0 ? n : 30;
        check_steps(side, 0.0, 1, 4, 0);
        check_steps(side, 0.2, 1, 4, 0);
        check_steps(side, 0.0, 0, 3, 0);
    }
    printf("%d failures\n", failures);
    return failures > 0;
}
