// Meshes, in every format that is read, and surfaces with the materials of their .mtl files.
#include "fuzz.h"

#include "cond/mesh.h"
#include "mesh_file/mesh_coloured.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY = 64 << 20 };

uint8_t* fuzz_seed(size_t* size)
{
    *size = 0;
    return NULL;
}

// What is looked at only.
static void read_coloured(const char* name)
{
    FuzzPurse purse = {.limit = MEMORY};
    CondContext context = fuzz_purse_context(&purse);
    CondColouredMesh mesh;
    CondError error;
    if (cond_coloured_mesh_read(&context, name, &mesh, &error) == COND_OK)
        for (int k = 0; k < 4 * mesh.n_triangle; k++)
            if (!(mesh.colour[k] >= -1.0f && mesh.colour[k] <= 1.0f))
                abort();
    cond_coloured_mesh_release(&mesh);
    fuzz_purse_check(&purse);
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
        read_coloured(names[k]);
    }
    static const char painted[] =
        "mtllib input.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n";
    fuzz_put("input.mtl", data, size);
    fuzz_put("painted.obj", (const uint8_t*)painted, sizeof painted - 1);
    read_coloured("painted.obj");
    return 0;
}
