// A saved state as a file.
#include "base/error.h"
#include "base/memory.h"
#include "record/vtu_file.h"
#include "scene/mesh_file.h"
#include "step/state.h"

#include <stdio.h>
#include <string.h>

CondStatus cond_state_write(const CondModel* model, const CondState* state, const char* path,
                            CondError* error)
{
    const CondContext* m = &model->context;
    size_t length = strlen(path) + sizeof ".part";
    char* temporary = cond_allocate(m, length, 1);
    CondMeshText text = {.context = *m};
    const CondMeshText* const texts[] = {&text};
    CondStatus status = cond_state_save(model, state, NULL, 0, &text.size);
    if (status) {
        cond_error_set(error, status, "the state is not one of this model");
    } else if (!temporary || !(text.data = cond_allocate(m, text.size, 1))) {
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "no memory to write %.200s", path);
    } else {
        snprintf(temporary, length, "%s.part", path);
        cond_state_save(model, state, text.data, text.size, &text.size);
        status = cond_file_replace(path, temporary, 1, texts, error);
    }
    cond_release(m, text.data);
    cond_release(m, temporary);
    return status;
}

CondStatus cond_state_read(const CondModel* model, CondState* state, const char* path,
                           CondError* error)
{
    CondMeshFile file;
    CondError why;
    CondStatus status = cond_mesh_file_open(&file, &model->context, path, error);
    if (!status && (status = cond_state_load(model, state, file.data, file.size, &why)))
        cond_error_set(error, status, "%.200s: %.250s", path, why.message);
    cond_mesh_file_close(&file);
    return status;
}
