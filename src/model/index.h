// Indices and names of what a model holds: one look-up by name, and one set of messages for an
// index or a name that does not exist (cond_last_error).
#ifndef COND_MODEL_INDEX_H
#define COND_MODEL_INDEX_H

#include "model/model.h"

// The name of the thing with an index, among those that are looked through.
typedef const char* CondNameAt(const CondModel* model, int body, int index);

// The index of a name among n; -1, with a message that lists near names (else the first ones),
// where there is none. what: "body", "joint", ..; body: whose things they are, -1: the model's.
int cond_index_find(const CondModel* model, int body, const char* what, const char* name, int n,
                    CondNameAt* at);

// COND_BAD_ARGUMENT, with a message, for an index that is not one of n.
CondStatus cond_index_check(const char* what, int index, int n);
CondStatus cond_model_check_body(const CondModel* model, int body);
// The same for a body of another kind than the one asked for.
CondStatus cond_model_check_kind(const CondModel* model, int body, CondBodyKind kind);
// Of robots and rods a link, of other bodies 0.
CondStatus cond_model_check_link(const CondModel* model, int body, int link);

#endif
