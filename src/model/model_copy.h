// A simulation's own copy of a model, in which it may change values: masses, surfaces, materials,
// gravity. The copy shares the data that cannot change with its source: meshes, shapes, topology.
// It never changes the source, so that any number of simulations can share one model.
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
// Copies all values again from the source, which was changed in place without changing any counts.
void cond_model_copy_renew(CondModelCopy* copy);

// Copies the arm, fem or rod that a body points to, so that it may be changed.
CondStatus cond_model_copy_own(CondModelCopy* copy, int body);

// A hash of all values that may change: equal models have the same number.
uint64_t cond_model_values(const CondModel* model);

#endif
