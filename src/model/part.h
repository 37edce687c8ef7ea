// A sub-model: some bodies of a model with all planes and obstacles. A step works on it while
// the other bodies sleep (sleep/sleep.h). Bodies, shapes and points keep their numbers, so that
// a contact has the same key in the sub-model and in the whole model.
#ifndef COND_MODEL_PART_H
#define COND_MODEL_PART_H

#include "model/model.h"

typedef struct CondModelPart {
    CondModel* model; // shares the data of bodies with the whole, which must outlive it
    int* body;        // of the whole, by body of the part                     (model->n_body)
    int* place;       // of the part, by body of the whole; -1: left out       (whole n_body)
    int* sensor;      // of the whole, by sensor of the part                   (model->n_sensor)
} CondModelPart;

// kept: 1 for the bodies to keep. Every body that a spring, attachment or trajectory holds must be
// kept; soft bodies and rods are not allowed.                            kept (whole n_body)
CondStatus cond_model_part_create(const CondModel* whole, const int* kept, CondModelPart* part);
void cond_model_part_destroy(CondModelPart* part);

// A point, frame or attachment of the whole as one of the part, and back.
void cond_part_enter(const CondModelPart* part, CondPoint* point);
void cond_part_leave(const CondModelPart* part, CondPoint* point);

#endif
