// The table of baselines, and the names of the enumerations of cond/baselines.h.
#include "cond/baselines.h"

#include "base/enum_name.h"
#include "baselines.h"

#include <string.h>

COND_ENUM_TABLE(CondSiconosWay, cond_siconos_way, {COND_SICONOS_GIVEN, "given"},
                {COND_SICONOS_NORM, "norm"}, {COND_SICONOS_BALANCED, "balanced"})

static const CondSolverOps* const table[] = {
    &cond_baseline_pgs,  &cond_baseline_pgs_simplicial,  &cond_baseline_pgs_paper,
    &cond_baseline_apgd, &cond_baseline_apgd_simplicial, &cond_baseline_ccs,
};
enum { N_BASELINE = sizeof table / sizeof table[0] };

const char* cond_baseline_name(int index)
{
    return index >= 0 && index < N_BASELINE ? table[index]->name : NULL;
}

const CondSolverOps* cond_baseline(const char* name)
{
    for (int i = 0; i < N_BASELINE; i++)
        if (strcmp(name, table[i]->name) == 0)
            return table[i];
    return NULL;
}
