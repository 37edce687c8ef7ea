// A saved state as a file.
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "mesh_file/mesh_file.h"
#include "model/state.h"

CondStatus cond_state_write(const CondModel* model, const CondState* state, const char* path,
                            CondError* error)
{
    const CondContext* m = &model->arena.context;
    CondFilePart whole = {NULL, 0};
    CondStatus status = cond_state_save(model, state, NULL, 0, &whole.size);
    void* bytes = status ? NULL : cond_allocate(m, whole.size, 1);
    whole.data = bytes;
    int body = status ? -1 : cond_state_not_finite(model, state);
    if (status) {
        cond_error_set(error, status, "the state is not one of this model");
    } else if (body >= 0) {
        status = cond_error_set(error, COND_DIVERGED,
                                "%.1000s: not written: body %s has numbers that are not finite",
                                path, cond_model_body_name(model, body));
    } else if (!bytes) {
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "no memory to write %.1000s", path);
    } else {
        cond_state_save(model, state, bytes, whole.size, &whole.size);
        status = cond_file_replace(m, path, 1, &whole, error);
    }
    cond_release(m, bytes);
    return status;
}

CondStatus cond_state_read(const CondModel* model, CondState* state, const char* path,
                           CondError* error)
{
    CondMeshFile file;
    CondError why;
    CondStatus status = cond_mesh_file_open(&file, &model->arena.context, path, error);
    if (!status && (status = cond_state_load(model, state, file.data, file.size, &why)))
        cond_error_set(error, status, "%.1000s: %.900s", path, why.message);
    cond_mesh_file_close(&file);
    return status;
}
