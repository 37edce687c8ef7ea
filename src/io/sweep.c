// Which values the entries of a sweep have.
#include "io/sweep.h"

#include "base/random.h"
#include "io/scene_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A generator of its own for every variable, so that one more leaves the others as they are.
static CondRandom generator_of(const CondSweep* sweep, int variable)
{
    CondRandom seeds = {(uint64_t)sweep->seed};
    uint64_t state = cond_random_bits(&seeds);
    for (int v = 0; v < variable; v++)
        state = cond_random_bits(&seeds);
    return (CondRandom){state};
}

// A number from 0 to n - 1; the bias of n / 2^53 is nothing to variety.
static int draw_below(CondRandom* random, int n)
{
    int k = (int)(cond_random_uniform(random) * n);
    return k < n ? k : n - 1;
}

// A permutation of the n parts of a range, each of them as likely (Fisher and Yates), and a place
// in each part: u[i] = (part[i] + r) / n.
static void draw_latin(CondRandom* random, int n, int stride, double* u)
{
    for (int i = 0; i < n; i++)
        u[(size_t)i * (size_t)stride] = i;
    for (int i = n - 1; i > 0; i--) {
        double *a = u + (size_t)i * (size_t)stride,
               *b = u + (size_t)draw_below(random, i + 1) * (size_t)stride, swap = *a;
        *a = *b;
        *b = swap;
    }
    for (int i = 0; i < n; i++) {
        double* at = u + (size_t)i * (size_t)stride;
        *at = fmin((*at + cond_random_uniform(random)) / n, nextafter(1.0, 0.0));
    }
}

CondStatus cond_sweep_draw(CondSweep* sweep)
{
    int n = sweep->n_point, stride = sweep->n_variable;
    sweep->u = cond_arena_allocate(&sweep->arena, (size_t)n * (size_t)stride, sizeof *sweep->u);
    if (!sweep->u)
        return COND_OUT_OF_MEMORY;
    for (int v = 0; v < stride; v++) {
        CondRandom random = generator_of(sweep, v);
        if (sweep->method == COND_SWEEP_LATIN)
            draw_latin(&random, n, stride, sweep->u + v);
        else
            for (int i = 0; i < n; i++)
                sweep->u[(size_t)i * (size_t)stride + (size_t)v] = cond_random_uniform(&random);
    }
    return COND_OK;
}

int cond_sweep_n_choice(const CondSweepVariable* variable)
{
    return variable->n_value > 0 ? variable->n_value : variable->count;
}

static double value_at(const CondVariationDef* def, double u)
{
    if (def->scale == COND_SCALE_LOG)
        return exp(log(def->low) + (log(def->high) - log(def->low)) * u);
    return def->low + (def->high - def->low) * u;
}

// Which of its values a variable has at a point of a grid or a list.
static int choice_at(const CondSweep* sweep, int point, int variable)
{
    if (sweep->method == COND_SWEEP_LIST)
        return point;
    for (int v = sweep->n_variable - 1; v > variable; v--)
        point /= cond_sweep_n_choice(&sweep->variable[v]);
    return point % cond_sweep_n_choice(&sweep->variable[variable]);
}

void cond_sweep_value(const CondSweep* sweep, int entry, int variable,
                      char text[COND_SWEEP_VALUE_SIZE])
{
    text[0] = '\0';
    if (entry < 0 || entry >= cond_sweep_n_entry(sweep) || variable < 0 ||
        variable >= sweep->n_variable)
        return;
    const CondSweepVariable* v = &sweep->variable[variable];
    int point = entry / (sweep->trials > 0 ? sweep->trials : 1), n = cond_sweep_n_choice(v);
    double u = 0.0;
    int choice = 0;
    if (sweep->u) {
        u = sweep->u[(size_t)point * (size_t)sweep->n_variable + (size_t)variable];
        choice = (int)(u * v->n_value);
    } else {
        choice = choice_at(sweep, point, variable);
        u = n > 1 ? (double)choice / (n - 1) : 0.0;
    }
    if (v->n_value > 0)
        snprintf(text, COND_SWEEP_VALUE_SIZE, "%s", v->value[choice]);
    else
        cond_number_write(value_at(&v->def, u), text);
}

int cond_sweep_override(const CondSweep* sweep, int entry, int override,
                        char text[COND_SWEEP_OVERRIDE_SIZE])
{
    char value[COND_SWEEP_VALUE_SIZE];
    if (override >= 0 && override < sweep->n_set) {
        snprintf(text, COND_SWEEP_OVERRIDE_SIZE, "%s", sweep->set[override]);
        return 1;
    }
    override -= sweep->n_set;
    for (int v = 0; override >= 0 && v < sweep->n_variable; v++)
        for (const char* at = sweep->variable[v].def.path; *at;) {
            at += strspn(at, ", ");
            int length = (int)strcspn(at, ", ");
            if (length > 0 && override-- == 0) {
                cond_sweep_value(sweep, entry, v, value);
                snprintf(text, COND_SWEEP_OVERRIDE_SIZE, "%.*s=%s", length, at, value);
                return 1;
            }
            at += length;
        }
    return 0;
}

int cond_sweep_seed(const CondSweep* sweep, int entry)
{
    return sweep->trials > 0 ? sweep->first_trial + entry % sweep->trials : -1;
}

int cond_sweep_n_entry(const CondSweep* sweep)
{
    return sweep->n_point * (sweep->trials > 0 ? sweep->trials : 1);
}

const char* cond_sweep_scene(const CondSweep* sweep)
{
    return sweep->scene;
}

const CondSweepRun* cond_sweep_run(const CondSweep* sweep)
{
    return &sweep->run;
}

int cond_sweep_n_variable(const CondSweep* sweep)
{
    return sweep->n_variable;
}

const char* cond_sweep_variable(const CondSweep* sweep, int variable)
{
    return variable >= 0 && variable < sweep->n_variable ? sweep->variable[variable].def.name
                                                         : NULL;
}

int cond_sweep_is_log(const CondSweep* sweep, int variable)
{
    return variable >= 0 && variable < sweep->n_variable &&
           sweep->variable[variable].n_value == 0 &&
           sweep->variable[variable].def.scale == COND_SCALE_LOG;
}

const char* cond_sweep_column(const CondSweep* sweep, int column, const char** path)
{
    if (column < 0 || column >= sweep->n_column)
        return NULL;
    if (path)
        *path = sweep->column[column].path;
    return sweep->column[column].name;
}

void cond_sweep_destroy(CondSweep* sweep)
{
    if (!sweep)
        return;
    CondContext context = sweep->arena.context;
    cond_arena_release(&sweep->arena);
    cond_release(&context, sweep);
}
