// A simulation's own copy of a model, of which it may change values: masses, surfaces, materials,
// gravity. It shares with its source what no change can reach: meshes, shapes, topology. The source
// never changes through it, so that any number of simulations share one model.
#ifndef COND_MODEL_MODEL_COPY_H
#define COND_MODEL_MODEL_COPY_H

#include "model/model.h"

typedef struct CondModelCopy {
    CondModel model;         // to read and to change
    const CondModel* source; // must outlive the copy
    CondArena arena;         // of the arrays that the copy does not share
    unsigned char* own;      // 1: arm, fem and rod of the body are the copy's (source n_body)
    uint64_t values;         // cond_model_values(&model)
} CondModelCopy;

CondStatus cond_model_copy_create(const CondModel* source, CondModelCopy** copy);
void cond_model_copy_destroy(CondModelCopy* copy); // NULL is fine
// Takes all values of the source again, which was changed in place, with as many of everything.
void cond_model_copy_renew(CondModelCopy* copy);

// Makes what a body points to (arm, fem or rod) the copy's own, so that it may be changed.
CondStatus cond_model_copy_own(CondModelCopy* copy, int body);

// A number that is the same for models that are equal in all values that may change.
uint64_t cond_model_values(const CondModel* model);

#endif
