// Indices and names of the items of a model: one look-up by name, and one set of messages for an
// index or a name that does not exist (cond_last_error).
#ifndef COND_MODEL_INDEX_H
#define COND_MODEL_INDEX_H

#include "model/model.h"

// The name of item `index`.
typedef const char* CondNameAt(const CondModel* model, int body, int index);

// The index of a name among n; -1 if there is none, with a message that lists similar names, else
// the first ones. what: "body", "joint", ..; body: the body that the items belong to, -1: the
// model.
int cond_index_find(const CondModel* model, int body, const char* what, const char* name, int n,
                    CondNameAt* at);

// COND_BAD_ARGUMENT, with a message, for an index that is not one of n.
CondStatus cond_index_check(const char* what, int index, int n);
CondStatus cond_model_check_body(const CondModel* model, int body);
// The same for a body that is not of the given kind.
CondStatus cond_model_check_kind(const CondModel* model, int body, CondBodyKind kind);
// The same for a link of a robot or a rod; 0 for other bodies.
CondStatus cond_model_check_link(const CondModel* model, int body, int link);

#endif
