// Meshes by assimp.
#include "mesh_file/mesh_import.h"
#include "base/tuning.h"
#include "mesh_file/tuning.h"

#include "base/error.h"
#include "base/memory.h"
#include "mesh_file/mesh_coloured.h"
#include "mesh_file/mesh_weld.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <string.h>

// Who gets the triangles: first how many there may be, then corners in metres and the material.
typedef struct Sink {
    CondStatus (*begin)(void* owner, size_t n_triangle);
    CondStatus (*take)(void* owner, const double corner[9], const struct aiMaterial* material);
    void* owner;
} Sink;

// Faces of all meshes that hang on a node and on those below it.
static size_t count(const struct aiScene* scene, const struct aiNode* node, int depth)
{
    size_t n = 0;
    for (unsigned m = 0; m < node->mNumMeshes; m++)
        n += scene->mMeshes[node->mMeshes[m]]->mNumFaces;
    for (unsigned c = 0;
         c < node->mNumChildren && depth < COND_NESTING && n <= COND_IMPORT_TRIANGLES; c++)
        n += count(scene, node->mChildren[c], depth + 1);
    return n;
}

static CondStatus walk(const struct aiScene* scene, const struct aiNode* node,
                       const struct aiMatrix4x4* above, int depth, const Sink* sink)
{
    struct aiMatrix4x4 T = *above;
    aiMultiplyMatrix4(&T, &node->mTransformation);
    CondStatus status = COND_OK;
    for (unsigned m = 0; m < node->mNumMeshes && !status; m++) {
        const struct aiMesh* mesh = scene->mMeshes[node->mMeshes[m]];
        const struct aiMaterial* material = mesh->mMaterialIndex < scene->mNumMaterials
                                                ? scene->mMaterials[mesh->mMaterialIndex]
                                                : NULL;
        for (unsigned f = 0; f < mesh->mNumFaces && !status; f++) {
            const struct aiFace* face = &mesh->mFaces[f];
            double corner[9];
            if (face->mNumIndices != 3) // points and lines
                continue;
            for (int k = 0; k < 3; k++) {
                struct aiVector3D p = mesh->mVertices[face->mIndices[k]];
                aiTransformVecByMatrix4(&p, &T);
                corner[3 * k] = (double)p.x;
                corner[3 * k + 1] = (double)p.y;
                corner[3 * k + 2] = (double)p.z;
            }
            status = sink->take(sink->owner, corner, material);
        }
    }
    for (unsigned c = 0; c < node->mNumChildren && depth < COND_NESTING && !status; c++)
        status = walk(scene, node->mChildren[c], &T, depth + 1, sink);
    return status;
}

// Gives all triangles of the file to the sink. The unit of a COLLADA file is in the transform of
// its root, where assimp puts it; its up axis is left alone. assimp takes its memory from malloc
// and prints nothing.
static CondStatus import(const CondMeshFile* file, const Sink* sink)
{
    struct aiPropertyStore* settings = aiCreatePropertyStore();
    if (!settings)
        return cond_mesh_file_no_memory(file);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_PP_SBP_REMOVE,
                               aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    const struct aiScene* scene = aiImportFileExWithProperties(
        file->path, aiProcess_Triangulate | aiProcess_SortByPType, NULL, settings);
    aiReleasePropertyStore(settings);
    if (!scene || !scene->mRootNode) {
        const char* why = aiGetErrorString();
        int length = (int)strcspn(why, "\r\n");
        CondStatus status =
            cond_error_set(file->error, COND_BAD_INPUT, "%.1000s: %.*s", file->path,
                           length < COND_TEXT_SHOWN ? length : COND_TEXT_SHOWN, why);
        aiReleaseImport(scene);
        return status;
    }
    struct aiMatrix4x4 identity;
    aiIdentityMatrix4(&identity);
    size_t n = count(scene, scene->mRootNode, 0);
    CondStatus status = n > COND_IMPORT_TRIANGLES
                            ? cond_mesh_file_refuse(file, 0, "too many triangles")
                            : sink->begin(sink->owner, n);
    if (!status)
        status = walk(scene, scene->mRootNode, &identity, 0, sink);
    aiReleaseImport(scene);
    return status;
}

typedef struct Welding {
    CondMeshFile* file;
    CondMeshWeld weld;
} Welding;

static CondStatus begin_welded(void* owner, size_t n_triangle)
{
    Welding* welding = owner;
    return cond_mesh_weld_create(welding->file, &welding->weld, 3 * n_triangle);
}

// A triangle whose corners are not three different nodes encloses nothing and is passed over.
static CondStatus take_welded(void* owner, const double corner[9],
                              const struct aiMaterial* material)
{
    Welding* welding = owner;
    CondMeshFile* file = welding->file;
    int64_t index[3];
    CondStatus status = COND_OK;
    (void)material;
    for (int k = 0; k < 3 && !status; k++)
        status = cond_mesh_weld_node(file, &welding->weld, 0, corner + 3 * k, &index[k]);
    if (status || index[0] == index[1] || index[1] == index[2] || index[0] == index[2])
        return status;
    return cond_mesh_file_add_element(file, 0, file->n_triangle + 1, 3, index);
}

int cond_mesh_import_available(void)
{
    return 1;
}

CondStatus cond_mesh_read_import(CondMeshFile* file)
{
    Welding welding = {.file = file};
    const Sink sink = {begin_welded, take_welded, &welding};
    file->binary = 1;
    CondStatus status = import(file, &sink);
    cond_release(&file->context, welding.weld.slot);
    return status;
}

static CondStatus begin_coloured(void* owner, size_t n_triangle)
{
    CondColouredMesh* mesh = owner;
    mesh->node = cond_allocate(&mesh->context, 9 * n_triangle, sizeof *mesh->node);
    mesh->triangle = cond_allocate(&mesh->context, 3 * n_triangle, sizeof *mesh->triangle);
    mesh->colour = cond_allocate(&mesh->context, 4 * n_triangle, sizeof *mesh->colour);
    return mesh->node && mesh->triangle && mesh->colour ? COND_OK : COND_OUT_OF_MEMORY;
}

// The base colour of physically based materials, or the diffuse one.
static void material_colour(const struct aiMaterial* material, float colour[4])
{
    struct aiColor4D c;
    struct aiString name = {0};
    float opacity;
    colour[0] = colour[1] = colour[2] = colour[3] = -1.0f;
    if (material && aiGetMaterialString(material, AI_MATKEY_NAME, &name) == aiReturn_SUCCESS &&
        strcmp(name.data, AI_DEFAULT_MATERIAL_NAME) == 0) // the file has none
        return;
    if (!material ||
        (aiGetMaterialColor(material, AI_MATKEY_BASE_COLOR, &c) != aiReturn_SUCCESS &&
         aiGetMaterialColor(material, AI_MATKEY_COLOR_DIFFUSE, &c) != aiReturn_SUCCESS))
        return;
    unsigned int one = 1; // the function for a single number is inline, which C does not link
    if (aiGetMaterialFloatArray(material, AI_MATKEY_OPACITY, &opacity, &one) != aiReturn_SUCCESS ||
        !(opacity > 0.0f)) // exporters write 0 for what is not clear at all
        opacity = 1.0f;
    colour[0] = c.r;
    colour[1] = c.g;
    colour[2] = c.b;
    colour[3] = opacity;
    for (int k = 0; k < 4; k++)
        colour[k] = colour[k] > 0.0f ? (colour[k] < 1.0f ? colour[k] : 1.0f) : 0.0f;
}

static CondStatus take_coloured(void* owner, const double corner[9],
                                const struct aiMaterial* material)
{
    CondColouredMesh* mesh = owner;
    int n = mesh->n_triangle;
    memcpy(mesh->node + 3 * (size_t)mesh->n_node, corner, 9 * sizeof *corner);
    for (int k = 0; k < 3; k++)
        mesh->triangle[3 * (size_t)n + (size_t)k] = mesh->n_node + k;
    material_colour(material, mesh->colour + 4 * (size_t)n);
    mesh->n_node += 3;
    mesh->n_triangle++;
    return COND_OK;
}

CondStatus cond_coloured_mesh_import(CondMeshFile* file, CondColouredMesh* mesh)
{
    const Sink sink = {begin_coloured, take_coloured, mesh};
    return import(file, &sink);
}
