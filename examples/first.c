// The first program: a cube pushed across the floor, its contact force and certificate.
#include <cond/cond.h>
#include <stdio.h>

int main(int argc, char** argv)
{
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error;
    CondStepInfo info = {0};
    if (cond_scene_read(NULL, argc > 1 ? argv[1] : "scenes/push.yaml", 0, NULL, &scene, &error) ||
        cond_scene_compile(scene, &model, &error) || cond_state_create(model, &state, &error) ||
        cond_sim_create(model, &sim, &error))
        return fprintf(stderr, "%s\n", error.message), 1;
    for (int k = 0; k < 100 && cond_sim_step(sim, state, &info) >= 0; k++) {
        double force[3], torque[3];
        CondPose box = cond_state_pose(model, state, 0);
        cond_sim_body_force(sim, 0, force, torque);
        printf("t %.2f s  y %.4f m  friction %.3f N  normal %.3f N  certificate %.1e\n",
               cond_state_time(state), box.position[1], force[1], force[2],
               cond_certificate_residual(&info.solve.certificate));
    }
    cond_sim_destroy(sim), cond_state_destroy(state);
    cond_model_destroy(model), cond_scene_destroy(scene);
    return info.status < 0;
}
