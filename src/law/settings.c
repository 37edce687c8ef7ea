#include "law/settings.h"

#include "base/definition.h"
#include "base/error.h"

#include <math.h>
#include <stddef.h>

// Names in the order of the enums in cond/solver.h and cond/law.h.
static const char* const law_names[] = {"strict", "proximal"};
static const char* const surrogate_names[] = {"frobenius",      "bb1",      "bb2",
                                              "bb-alternating", "spectrum", "block"};
static const char* const accelerator_names[] = {"none", "chebyshev", "anderson", "primal-dual"};
static const char* const multilevel_names[] = {"auto", "on", "off"};
static const char* const storage_names[] = {"auto", "double", "float"};
static const char* const stop_names[] = {"certificate", "step"};

#define COUNT(names) ((int)(sizeof(names) / sizeof(names)[0]))

static const char* name_at(const char* const* names, int count, int index)
{
    return index >= 0 && index < count ? names[index] : NULL;
}

const char* cond_law_name(CondLaw law)
{
    return name_at(law_names, COUNT(law_names), (int)law);
}

const char* cond_surrogate_name(CondSurrogateKind kind)
{
    return name_at(surrogate_names, COUNT(surrogate_names), (int)kind);
}

const char* cond_accelerator_name(CondAcceleratorKind kind)
{
    return name_at(accelerator_names, COUNT(accelerator_names), (int)kind);
}

const char* cond_stop_name(CondStop stop)
{
    return name_at(stop_names, COUNT(stop_names), (int)stop);
}

const char* cond_multilevel_name(CondMultilevelUse use)
{
    return name_at(multilevel_names, COUNT(multilevel_names), (int)use);
}

const char* cond_storage_name(CondStorage storage)
{
    return name_at(storage_names, COUNT(storage_names), (int)storage);
}

const char* cond_solved_by_name(CondSolvedBy by)
{
    static const char* const names[COND_N_SOLVED_BY] = {[COND_BY_OTHER] = "other",
                                                        [COND_BY_START] = "start",
                                                        [COND_BY_VFPI] = "V-FPI",
                                                        [COND_BY_NEWTON] = "Newton",
                                                        [COND_BY_FACTORED_NEWTON] =
                                                            "factored Newton",
                                                        [COND_BY_INTERIOR_POINT] = "interior point",
                                                        [COND_BY_FRICTION_PATH] = "friction path",
                                                        [COND_BY_SUBSTEPS] = "substeps",
                                                        [COND_BY_RELAXED_LAW] = "relaxed law",
                                                        [COND_BY_NONE] = "none"};
    return name_at(names, COUNT(names), (int)by);
}

static CondSolverSettings defaults(void)
{
    CondSolverSettings settings = {
        .law = COND_LAW_STRICT,
        .omega = 0.0,
        .surrogate = COND_SURROGATE_BLOCK,
        .accelerator = COND_ACCELERATOR_PRIMAL_DUAL,
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

static CondSolverSettings paper(void)
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
    fill(made, size, paper());
}

int cond_accelerator_mixes(CondAcceleratorKind kind)
{
    return kind == COND_ACCELERATOR_ANDERSON || kind == COND_ACCELERATOR_PRIMAL_DUAL;
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
        wrong = "accelerator: anderson and primal-dual need a surrogate that stays the same during "
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
