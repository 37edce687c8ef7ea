// The names of the choices of a key in scene files, by the number in its enum.
#ifndef COND_SCENE_SCENE_CHOICES_H
#define COND_SCENE_SCENE_CHOICES_H

const char* cond_choice_method(int index);
const char* cond_choice_preset(int index);
const char* cond_choice_kind(int index);
const char* cond_choice_joint(int index);
const char* cond_choice_friction_rule(int index);
const char* cond_choice_neighbours(int index);
const char* cond_choice_integrator(int index);
const char* cond_choice_impact(int index);
const char* cond_choice_rod_shape(int index);
const char* cond_choice_rod_rest(int index);
const char* cond_choice_element(int index);
const char* cond_choice_elasticity(int index);
const char* cond_choice_geometric(int index);
const char* cond_choice_sensor(int index);
const char* cond_choice_axes(int index);
const char* cond_choice_scale(int index);
const char* cond_choice_action(int index);
const char* cond_choice_mode(int index);
const char* cond_choice_reward(int index);
const char* cond_choice_observation(int index);
const char* cond_choice_law(int index);
const char* cond_choice_surrogate(int index);
const char* cond_choice_accelerator(int index);
const char* cond_choice_multilevel(int index);
const char* cond_choice_device(int index);
const char* cond_choice_storage(int index);
const char* cond_choice_stop(int index);
const char* cond_choice_collision(int index);

// The present name of a choice that was renamed since version 0.1 (cond_solver_present_name).
const char* cond_choice_present_name(const char* name);

#endif
