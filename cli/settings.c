// Solver settings as JSON (settings.h).
#include "settings.h"

json_t* settings_json(const CondSolverSettings* settings)
{
    json_t* out = json_object();
    json_object_set_new(out, "law", json_string(cond_law_name(settings->law)));
    json_object_set_new(out, "omega", json_number(settings->omega));
    json_object_set_new(out, "surrogate", json_string(cond_surrogate_name(settings->surrogate)));
    json_object_set_new(out, "accelerator",
                        json_string(cond_accelerator_name(settings->accelerator)));
    json_object_set_new(out, "multilevel", json_string(cond_multilevel_name(settings->multilevel)));
    json_object_set_new(out, "device", json_string(cond_device_name(settings->device)));
    json_object_set_new(out, "storage", json_string(cond_storage_name(settings->storage)));
    json_object_set_new(out, "stop", json_string(cond_stop_name(settings->stop)));
    json_object_set_new(out, "tolerance", json_number(settings->tolerance));
    json_object_set_new(out, "max_iterations", json_integer(settings->max_iterations));
    json_object_set_new(out, "max_outer", json_integer(settings->max_outer));
    json_object_set_new(out, "kv_scale", json_number(settings->kv_scale));
    json_object_set_new(out, "chebyshev_start", json_integer(settings->chebyshev_start));
    json_object_set_new(out, "under_relaxation", json_number(settings->under_relaxation));
    json_object_set_new(out, "anderson_depth", json_integer(settings->anderson_depth));
    json_object_set_new(out, "reuse", json_integer(settings->reuse));
    json_object_set_new(out, "fallback", json_boolean(settings->fallback));
    json_object_set_new(out, "relax", json_boolean(settings->relax));
    json_object_set_new(out, "pair_weights", json_boolean(settings->pair_weights));
    json_object_set_new(out, "threads", json_integer(settings->threads));
    return out;
}
