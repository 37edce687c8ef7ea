// Stress in soft bodies and rods, as a state has it.
#include "model/fem.h"
#include "model/index.h"
#include "model/rod.h"
#include "model/shell.h"
#include "model/state.h"

#include <string.h>

CondStatus cond_state_rod_stress(const CondModel* model, const CondState* state, int body,
                                 int joint, double stress[6], double* at)
{
    CondStatus status = cond_model_check_kind(model, body, COND_BODY_ROD);
    if (!status)
        status = cond_index_check("joint", joint, cond_model_n_rod_joint(model, body));
    if (status)
        return status;
    const CondRod* rod = model->body[body].rod;
    if (stress)
        cond_rod_stress(rod, state->q + model->body[body].q_begin, joint, stress);
    if (at)
        *at = rod->arc[joint + 1];
    return COND_OK;
}

int cond_model_n_rod_joint(const CondModel* model, int body)
{
    int rod = body >= 0 && cond_model_body_kind(model, body) == COND_BODY_ROD;
    return rod ? cond_rod_n_joint(model->body[body].rod) : 0;
}

CondStatus cond_state_rod_stresses(const CondModel* model, const CondState* state, int body,
                                   double* stress, double* strain)
{
    CondStatus status = cond_model_check_kind(model, body, COND_BODY_ROD);
    if (status)
        return status;
    int n = cond_model_n_rod_joint(model, body);
    const CondRod* rod = model->body[body].rod;
    const double* q = state->q + model->body[body].q_begin;
    for (int i = 0; i < n; i++) {
        if (stress)
            cond_rod_stress(rod, q, i, stress + 6 * (size_t)i);
        if (strain)
            cond_rod_strain(rod, q, i, strain + 6 * (size_t)i);
    }
    return COND_OK;
}

int cond_model_n_stress(const CondModel* model, int body)
{
    if (cond_model_check_kind(model, body, COND_BODY_SOFT))
        return 0;
    const CondBody* soft = &model->body[body];
    return soft->shell ? 2 * soft->fem->n_element : soft->fem->n_tet;
}

CondStatus cond_state_stress(const CondModel* model, const CondState* state, int body,
                             double* stress, double* von_mises)
{
    CondStatus status = cond_model_check_kind(model, body, COND_BODY_SOFT);
    if (status)
        return status;
    const CondBody* soft = &model->body[body];
    if (soft->shell) {
        cond_shell_stress(soft->fem, state->q + soft->q_begin, stress, von_mises);
        return COND_OK;
    }
    cond_fem_stress(soft->fem, state->q + soft->q_begin, stress, von_mises,
                    model->settings.solver.threads);
    return COND_OK;
}
