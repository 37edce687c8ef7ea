// Which values the entries of a sweep have.
#include "scene_file/study.h"

#include "base/random.h"
#include "scene_file/scene_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A generator of its own for every variable, so that one more leaves the others as they are.
static CondRandom generator_of(const CondStudy* study, int variable)
{
    CondRandom seeds = {(uint64_t)study->seed};
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

CondStatus cond_study_draw(CondStudy* study)
{
    int n = study->n_point, stride = study->n_variable;
    study->u = cond_arena_allocate(&study->arena, (size_t)n * (size_t)stride, sizeof *study->u);
    if (!study->u)
        return COND_OUT_OF_MEMORY;
    for (int v = 0; v < stride; v++) {
        CondRandom random = generator_of(study, v);
        if (study->method == COND_STUDY_LATIN)
            draw_latin(&random, n, stride, study->u + v);
        else
            for (int i = 0; i < n; i++)
                study->u[(size_t)i * (size_t)stride + (size_t)v] = cond_random_uniform(&random);
    }
    return COND_OK;
}

int cond_study_n_choice(const CondStudyVariable* variable)
{
    return variable->n_value > 0 ? variable->n_value : variable->count;
}

// A point of a grid is what people would write: 0.15, not the sum of two products beside it.
static double round_to_15(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", value);
    return strtod(text, NULL);
}

// Both ends are met exactly.
static double value_at(const CondVariationDef* def, double u)
{
    if (u == 0.0 || u == 1.0)
        return u == 0.0 ? def->low : def->high;
    if (def->scale == COND_SCALE_LOG)
        return exp((1.0 - u) * log(def->low) + u * log(def->high));
    return (1.0 - u) * def->low + u * def->high;
}

// Which of its values a variable has at a point of a grid or a list.
static int choice_at(const CondStudy* study, int point, int variable)
{
    if (study->method == COND_STUDY_LIST)
        return point;
    for (int v = study->n_variable - 1; v > variable; v--)
        point /= cond_study_n_choice(&study->variable[v]);
    return point % cond_study_n_choice(&study->variable[variable]);
}

void cond_study_value(const CondStudy* study, int entry, int variable,
                      char text[COND_STUDY_VALUE_SIZE])
{
    text[0] = '\0';
    if (entry < 0 || entry >= cond_study_n_entry(study) || variable < 0 ||
        variable >= study->n_variable)
        return;
    const CondStudyVariable* v = &study->variable[variable];
    int point = entry / (study->trials > 0 ? study->trials : 1), n = cond_study_n_choice(v);
    double u = 0.0;
    int choice = 0;
    if (study->u) {
        u = study->u[(size_t)point * (size_t)study->n_variable + (size_t)variable];
        choice = (int)(u * v->n_value);
    } else {
        choice = choice_at(study, point, variable);
        u = n > 1 ? (double)choice / (n - 1) : 0.0;
    }
    if (v->n_value > 0)
        snprintf(text, COND_STUDY_VALUE_SIZE, "%s", v->value[choice]);
    else
        cond_number_write(study->u ? value_at(&v->def, u) : round_to_15(value_at(&v->def, u)),
                          text);
}

int cond_study_override(const CondStudy* study, int entry, int override,
                        char text[COND_STUDY_OVERRIDE_SIZE])
{
    char value[COND_STUDY_VALUE_SIZE];
    if (override >= 0 && override < study->n_set) {
        snprintf(text, COND_STUDY_OVERRIDE_SIZE, "%s", study->set[override]);
        return 1;
    }
    override -= study->n_set;
    for (int v = 0; override >= 0 && v < study->n_variable; v++)
        for (const char* at = study->variable[v].def.path; *at;) {
            at += strspn(at, ", ");
            int length = (int)strcspn(at, ", ");
            if (length > 0 && override-- == 0) {
                cond_study_value(study, entry, v, value);
                snprintf(text, COND_STUDY_OVERRIDE_SIZE, "%.*s=%s", length, at, value);
                return 1;
            }
            at += length;
        }
    return 0;
}

int cond_study_seed(const CondStudy* study, int entry)
{
    return study->trials > 0 ? study->first_trial + entry % study->trials : -1;
}

int cond_study_n_entry(const CondStudy* study)
{
    return study->n_point * (study->trials > 0 ? study->trials : 1);
}

const char* cond_study_scene(const CondStudy* study)
{
    return study->scene;
}

const CondStudyRun* cond_study_run(const CondStudy* study)
{
    return &study->run;
}

int cond_study_n_variable(const CondStudy* study)
{
    return study->n_variable;
}

const char* cond_study_variable(const CondStudy* study, int variable)
{
    return variable >= 0 && variable < study->n_variable ? study->variable[variable].def.name
                                                         : NULL;
}

int cond_study_is_log(const CondStudy* study, int variable)
{
    return variable >= 0 && variable < study->n_variable &&
           study->variable[variable].n_value == 0 &&
           study->variable[variable].def.scale == COND_SCALE_LOG;
}

const char* cond_study_column(const CondStudy* study, int column, const char** path)
{
    if (column < 0 || column >= study->n_column)
        return NULL;
    if (path)
        *path = study->column[column].path;
    return study->column[column].name;
}

void cond_study_destroy(CondStudy* study)
{
    if (!study)
        return;
    CondContext context = study->arena.context;
    cond_arena_release(&study->arena);
    cond_release(&context, study);
}
