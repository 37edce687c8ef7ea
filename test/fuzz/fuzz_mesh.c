// Meshes, in every format that is read.
#include "fuzz.h"

#include "cond/mesh.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY = 64 << 20 };

uint8_t* fuzz_seed(size_t* size)
{
    *size = 0;
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const char* const names[] = {"input.msh", "input.vtk", "input.vtu", "input.obj",
                                        "input.stl"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        FuzzPurse purse = {.limit = MEMORY};
        CondContext context = fuzz_purse_context(&purse);
        CondMesh* mesh = NULL;
        CondMeshReport report;
        CondError error;
        fuzz_put(names[k], data, size);
        CondStatus status = cond_mesh_read(&context, names[k], &mesh, &report, &error);
        if (status && !strstr(error.message, names[k]) && status != COND_OUT_OF_MEMORY)
            abort(); // the message names the file
        cond_mesh_destroy(mesh);
        fuzz_purse_check(&purse);
    }
    return 0;
}
