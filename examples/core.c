// The core library alone: a scene made by calls, no file read. A cube is dropped on the floor, and
// the contact forces carry its weight in the end.
#include <cond/scene.h>
#include <cond/sim.h>

#include <stdio.h>

static CondStatus fill(CondScene* scene, CondError* error)
{
    CondPlaneDef floor = cond_plane_def_default();
    CondBodyDef cube = cond_body_def_default();
    floor.surface.friction[0] = floor.surface.friction[1] = 0.5;
    cube.kind = COND_BODY_RIGID;
    cube.shape = COND_SHAPE_BOX;
    cube.mass = 1.0;
    cube.inertia_from_shape = 1;
    cube.size[0] = cube.size[1] = cube.size[2] = 0.1;
    cube.position[2] = 0.06;
    CondStatus status = cond_scene_add_plane(scene, &floor, error);
    return status ? status : cond_scene_add_body(scene, &cube, error);
}

int main(void)
{
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error;
    if (cond_scene_create(NULL, &scene, &error) || fill(scene, &error) ||
        cond_scene_compile(scene, &model, &error) || cond_state_create(model, &state, &error) ||
        cond_sim_create(model, &sim, &error))
        return fprintf(stderr, "%s\n", error.message), 1;
    double force[3] = {0.0}, torque[3];
    int status = 0;
    for (int k = 0; k < 100 && status >= 0; k++)
        status = cond_sim_step(sim, state, NULL);
    cond_sim_body_force(sim, 0, force, torque);
    CondPose cube = cond_state_pose(model, state, 0);
    printf("COND %s: after %.2f s the cube rests at %.4f m on %.3f N\n", cond_version(),
           cond_state_time(state), cube.position[2], force[2]);
    cond_sim_destroy(sim), cond_state_destroy(state);
    cond_model_destroy(model), cond_scene_destroy(scene);
    return status < 0 || !(force[2] > 9.7 && force[2] < 9.9);
}
