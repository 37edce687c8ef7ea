// Steps of a scene file with the device cuda, against those of the CPU at a tolerance of 1e-8, and
// twice for the same bits.
//     cond_cuda_scene SCENE STEPS [KEY=VALUE ..]
#include "cond/scene.h"
#include "cond/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Run {
    double* v;
    int n, newton, iterations;
    uint64_t hash;
} Run;

static CondStatus make_run(const char* path, int n_override, const char* const* override,
                           CondDeviceKind kind, int steps, Run* run)
{
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error = {.message = ""};
    memset(run, 0, sizeof *run);
    CondStatus status = cond_scene_read(NULL, path, n_override, override, &scene, &error);
    if (!status) {
        cond_scene_settings(scene)->solver.tolerance = 1e-8;
        cond_scene_settings(scene)->solver.device = kind;
        status = cond_scene_compile(scene, &model, &error);
    }
    if (!status && !(status = cond_state_create(model, &state, &error)))
        status = cond_sim_create(model, &sim, &error);
    for (int k = 0; k < steps && status == COND_OK; k++) {
        CondStepInfo info;
        status = cond_sim_step(sim, state, &info);
        run->newton += info.solve.passes;
        run->iterations += info.solve.cg_iterations;
    }
    if (status)
        printf("%s: %d: %s%s\n", path, (int)status, error.message, cond_last_error()->message);
    if (status >= 0 && state) {
        run->n = cond_model_n_dof(model);
        run->v = malloc((size_t)run->n * sizeof *run->v);
        memcpy(run->v, cond_state_velocity(state), (size_t)run->n * sizeof *run->v);
        run->hash = cond_state_hash(state);
    }
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    cond_model_destroy(model);
    cond_scene_destroy(scene);
    return status;
}

int main(int argc, char** argv)
{
    if (argc < 3) {
        printf("usage: cond_cuda_scene SCENE STEPS [KEY=VALUE ..]\n");
        return 1;
    }
    Run cpu, cuda, again;
    double most = 0.0, scale = 0.0;
    const char* const* override = (const char* const*)argv + 3;
    int steps = atoi(argv[2]), n = argc - 3, right = 1;
    right = make_run(argv[1], n, override, COND_DEVICE_CPU, steps, &cpu) == COND_OK && right;
    right = make_run(argv[1], n, override, COND_DEVICE_CUDA, steps, &cuda) == COND_OK && right;
    right = make_run(argv[1], n, override, COND_DEVICE_CUDA, steps, &again) == COND_OK && right;
    for (int i = 0; i < cpu.n && right; i++) {
        most = fmax(most, fabs(cpu.v[i] - cuda.v[i]));
        scale = fmax(scale, fabs(cpu.v[i]));
    }
    printf("%s: %d coordinates, Newton %d / %d, iterations %d / %d, velocities apart %.1e of "
           "%.1e, hash %016llx\n",
           argv[1], cpu.n, cpu.newton, cuda.newton, cpu.iterations, cuda.iterations, most, scale,
           (unsigned long long)cuda.hash);
    int near = right && most <= 1e-5 * scale;
    int same = right && cuda.hash == again.hash && cuda.newton == again.newton &&
               cuda.iterations == again.iterations;
    printf("as by the cpu: %s; the same bits twice: %s\n", near ? "yes" : "NO",
           same ? "yes" : "NO");
    free(cpu.v), free(cuda.v), free(again.v);
    return !near || !same;
}
