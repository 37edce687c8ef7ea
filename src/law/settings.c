// Solver settings: how those of a program become the library's own.
#include "law/settings.h"

#include "base/definition.h"
#include "base/enum_name.h"
#include "base/error.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

COND_ENUM_TABLE(CondLaw, cond_law, {COND_LAW_STRICT, "strict"}, {COND_LAW_PROXIMAL, "proximal"})

COND_ENUM_TABLE(CondSurrogateKind, cond_surrogate, {COND_SURROGATE_FROBENIUS, "frobenius"},
                {COND_SURROGATE_BB1, "bb1"}, {COND_SURROGATE_BB2, "bb2"},
                {COND_SURROGATE_BB_ALTERNATING, "bb-alternating"},
                {COND_SURROGATE_SPECTRUM, "spectrum"}, {COND_SURROGATE_BLOCK, "block"})

COND_ENUM_TABLE(CondAcceleratorKind, cond_accelerator, {COND_ACCELERATOR_NONE, "none"},
                {COND_ACCELERATOR_CHEBYSHEV, "chebyshev"}, {COND_ACCELERATOR_ANDERSON, "anderson"},
                {COND_ACCELERATOR_NEWTON, "newton"}, {COND_ACCELERATOR_NEWTON, "primal-dual"})

const char* cond_solver_present_name(const char* name)
{
    static const char* const old[][2] = {{"vfpi", "strategy"}, {"primal-dual", "newton"}};
    for (size_t i = 0; i < sizeof old / sizeof old[0]; i++)
        if (strcmp(name, old[i][0]) == 0)
            return old[i][1];
    return name;
}

COND_ENUM_TABLE(CondMultilevelUse, cond_multilevel, {COND_MULTILEVEL_AUTO, "auto"},
                {COND_MULTILEVEL_ON, "on"}, {COND_MULTILEVEL_OFF, "off"})

COND_ENUM_TABLE(CondStorage, cond_storage, {COND_STORAGE_AUTO, "auto"},
                {COND_STORAGE_DOUBLE, "double"}, {COND_STORAGE_FLOAT, "float"})

COND_ENUM_TABLE(CondDeviceKind, cond_device, {COND_DEVICE_CPU, "cpu"}, {COND_DEVICE_CUDA, "cuda"},
                {COND_DEVICE_AUTO, "auto"})

COND_ENUM_TABLE(CondStop, cond_stop, {COND_STOP_CERTIFICATE, "certificate"},
                {COND_STOP_STEP, "step"})

COND_ENUM_TABLE(CondSolvedBy, cond_solved_by, {COND_BY_OTHER, "other"}, {COND_BY_START, "start"},
                {COND_BY_VFPI, "V-FPI"}, {COND_BY_NEWTON, "Newton"},
                {COND_BY_FACTORED_NEWTON, "factored Newton"},
                {COND_BY_INTERIOR_POINT, "interior point"},
                {COND_BY_FRICTION_PATH, "friction path"}, {COND_BY_SUBSTEPS, "substeps"},
                {COND_BY_RELAXED_LAW, "relaxed law"}, {COND_BY_NONE, "none"})

static CondSolverSettings defaults(void)
{
    CondSolverSettings settings = {
        .law = COND_LAW_STRICT,
        .omega = 0.0,
        .surrogate = COND_SURROGATE_BLOCK,
        .accelerator = COND_ACCELERATOR_NEWTON,
        .multilevel = COND_MULTILEVEL_AUTO,
        .storage = COND_STORAGE_AUTO,
        .stop = COND_STOP_CERTIFICATE,
        .tolerance = 1e-8,
        .max_iterations = 20000,
        .max_outer = 100,
        .kv_scale = 10.0,
        .chebyshev_start = 5,
        .under_relaxation = 0.9,
        .anderson_depth = 10,
        .reuse = 1,
        .fallback = 1,
        .relax = 1,
        .pair_weights = 1,
        .threads = 0,
    };
    return settings;
}

static CondSolverSettings paper_defaults(void)
{
    CondSolverSettings settings = defaults();
    settings.surrogate = COND_SURROGATE_FROBENIUS;
    settings.accelerator = COND_ACCELERATOR_CHEBYSHEV;
    settings.stop = COND_STOP_STEP;
    settings.tolerance = 1e-4;
    settings.fallback = 0;
    settings.under_relaxation = 0.7; // not published; at 0.9 the mat runs away
    return settings;
}

static void fill(CondSolverSettings* made, size_t size, CondSolverSettings all)
{
    cond_definition_fill(made, size, &all, sizeof all, offsetof(CondSolverSettings, struct_size));
}

void cond_solver_settings_default_fill(CondSolverSettings* made, size_t size)
{
    fill(made, size, defaults());
}

void cond_solver_settings_paper_fill(CondSolverSettings* made, size_t size)
{
    fill(made, size, paper_defaults());
}

int cond_accelerator_mixes(CondAcceleratorKind kind)
{
    return kind == COND_ACCELERATOR_ANDERSON || kind == COND_ACCELERATOR_NEWTON;
}

int cond_surrogate_varies(CondSurrogateKind kind)
{
    return kind == COND_SURROGATE_BB1 || kind == COND_SURROGATE_BB2 ||
           kind == COND_SURROGATE_BB_ALTERNATING;
}

// A message that names the field that is wrong.
static CondStatus check_values(const CondSolverSettings* s, CondError* error)
{
    const char* wrong = NULL;
    if (!cond_law_name(s->law))
        wrong = "law: no such law";
    else if (!(s->omega >= 0.0 && isfinite(s->omega)))
        wrong = "omega: must be finite and not negative";
    else if (!cond_surrogate_name(s->surrogate))
        wrong = "surrogate: no such surrogate";
    else if (!cond_accelerator_name(s->accelerator))
        wrong = "accelerator: no such accelerator";
    else if (!cond_multilevel_name(s->multilevel))
        wrong = "multilevel: no such use";
    else if (!cond_storage_name(s->storage))
        wrong = "storage: no such kind";
    else if (!cond_device_name(s->device))
        wrong = "device: no such device";
    else if (!cond_stop_name(s->stop))
        wrong = "stop: no such test";
    else if (!(s->tolerance > 0.0 && isfinite(s->tolerance)))
        wrong = "tolerance: must be finite and positive";
    else if (s->max_iterations < 1)
        wrong = "max_iterations: must be at least 1";
    else if (s->max_outer < 1)
        wrong = "max_outer: must be at least 1";
    else if (!(s->kv_scale > 0.0 && isfinite(s->kv_scale)))
        wrong = "kv_scale: must be finite and positive";
    else if (s->chebyshev_start < 1)
        wrong = "chebyshev_start: must be at least 1";
    else if (!(s->under_relaxation > 0.0 && s->under_relaxation <= 1.0))
        wrong = "under_relaxation: must be in (0, 1]";
    else if (s->anderson_depth < 1)
        wrong = "anderson_depth: must be at least 1";
    else if (s->reuse < 1)
        wrong = "reuse: must be at least 1";
    else if (s->threads < 0 || s->threads > COND_MAX_THREADS)
        wrong = "threads: must be 0 to 1024";
    else if (cond_accelerator_mixes(s->accelerator) && cond_surrogate_varies(s->surrogate))
        wrong = "accelerator: anderson and newton need a surrogate that stays the same during "
                "a solve, which the Barzilai-Borwein ones do not; use none or chebyshev";
    if (wrong)
        return cond_error_set(error, COND_BAD_ARGUMENT, "%s", wrong);
    return COND_OK;
}

CondStatus cond_solver_settings_take(const CondSolverSettings* given, CondSolverSettings* own,
                                     CondError* error)
{
    *own = defaults();
    CondStatus status =
        cond_definition_take(given, own, sizeof *own, offsetof(CondSolverSettings, struct_size),
                             "cond_solver_settings_default", error);
    return status ? status : check_values(own, error);
}

CondStatus cond_solver_settings_check(const CondSolverSettings* settings, CondError* error)
{
    CondSolverSettings own;
    return cond_solver_settings_take(settings, &own, error);
}
