// <asset><mesh>: files, scales and frames; volume and moments where a mass is to come from them.
#include "base/error.h"
#include "cond/mesh.h"
#include "math/quat.h"
#include "robot_file/mjcf_model.h"

#include <stdio.h>
#include <string.h>

int cond_mjcf_is_readable(const char* path)
{
    FILE* stream = fopen(path, "rb");
    if (stream)
        fclose(stream);
    return stream != NULL;
}

// folder of `beside`, then `folder` and `name`; 0 where that is too long.
static int join(const char* beside, const char* folder, const char* name, char* path)
{
    const char* slash = folder && *folder == '/' ? NULL : strrchr(beside, '/');
    int length =
        *name == '/'
            ? snprintf(path, COND_PATH_SIZE, "%s", name)
            : snprintf(path, COND_PATH_SIZE, "%.*s%s%s%s", slash ? (int)(slash - beside) + 1 : 0,
                       beside, folder ? folder : "",
                       folder && *folder && folder[strlen(folder) - 1] != '/' ? "/" : "", name);
    return length < COND_PATH_SIZE;
}

void cond_mjcf_find_file(CondMjcf* m, const CondMjcfNode* node, const char* name, char* path)
{
    const CondMjcfSettings* settings = cond_mjcf_settings(m, node);
    const char* slash = settings->strip_path ? strrchr(name, '/') : NULL;
    name = slash ? slash + 1 : name;
    int fits = join(settings->path, settings->mesh_folder, name, path);
    if (fits && !cond_mjcf_is_readable(path)) { // beside an included file
        char other[COND_PATH_SIZE];
        if (join(node->file, settings->mesh_folder, name, other) && cond_mjcf_is_readable(other))
            memcpy(path, other, sizeof other);
    }
    if (!fits)
        cond_mjcf_refuse(m, node, "the path of %.1000s is longer than %d bytes", name,
                         COND_PATH_SIZE - 1);
}

const char* cond_mjcf_asset_name(CondMjcf* m, const CondMjcfNode* node, const char* file)
{
    const char* own = cond_mjcf_own(node, "name");
    if (own || !file)
        return own;
    const char* slash = strrchr(file, '/');
    const char* begin = slash ? slash + 1 : file;
    const char* dot = strrchr(begin, '.');
    size_t length = dot ? (size_t)(dot - begin) : strlen(begin);
    char* name = cond_arena_allocate(&m->arena, length + 1, 1);
    if (name)
        memcpy(name, begin, length);
    else
        cond_mjcf_no_memory(m);
    return name;
}

static void read_mesh(CondMjcf* m, CondMjcfNode* node)
{
    if (COND_RESERVE(&m->arena, m->mesh, m->n_mesh + 1)) {
        cond_mjcf_no_memory(m);
        return;
    }
    CondMjcfMesh* mesh = &m->mesh[m->n_mesh++];
    *mesh = (CondMjcfMesh){.node = node, .scale = {1.0, 1.0, 1.0}, .ref = cond_mjcf_unit()};
    cond_mjcf_visit(m, node);
    const char* file = cond_mjcf_text(m, node, "file");
    mesh->name = cond_mjcf_asset_name(m, node, file);
    cond_mjcf_numbers(m, node, "scale", 3, 3, mesh->scale);
    cond_mjcf_numbers(m, node, "refpos", 3, 3, mesh->ref.p);
    if (cond_mjcf_numbers(m, node, "refquat", 4, 4, mesh->ref.q))
        quat_normalize(mesh->ref.q);
    mesh->inertia = cond_mjcf_text(m, node, "inertia");
    // How it looks, and how finely its hull is cut, which is exact here.
    static const char* const unused[] = {"smoothnormal", "content_type", "normal",
                                         "texcoord",     "maxhullvert",  "material"};
    for (size_t k = 0; k < sizeof unused / sizeof *unused; k++)
        cond_mjcf_text(m, node, unused[k]);
    for (int i = 0; i < 3; i++)
        if (mesh->scale[i] == 0.0)
            cond_mjcf_refuse(m, node, "a scale of <mesh> is 0");
    if (file)
        cond_mjcf_find_file(m, node, file, mesh->file);
}

void cond_mjcf_read_meshes(CondMjcf* m)
{
    for (CondMjcfNode* asset = m->root->first; asset; asset = asset->next) {
        if (!cond_mjcf_is(asset, "asset"))
            continue;
        asset->used = 1;
        for (CondMjcfNode* node = asset->first; node && !cond_mjcf_ends(m); node = node->next)
            if (cond_mjcf_is(node, "mesh"))
                read_mesh(m, node);
    }
}

// Sums over pieces of a solid or a surface: weight, weight x, and second moments P of x x'.
typedef struct Sum {
    double weight, first[3], second[9];
    double centre[3]; // that the second moments are to be taken about
} Sum;

// A tetrahedron or triangle with corners v: the integral of x x' over it is
//     weight / (n (n + 1)) (sum of v v' + s s'),  s the sum of v, n corners.
static void add_piece(Sum* sum, double weight, int n, const double v[][3])
{
    double s[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 3; i++)
            s[i] += v[k][i];
    sum->weight += weight;
    for (int i = 0; i < 3; i++) {
        sum->first[i] += weight * s[i] / n;
        for (int j = 0; j < 3; j++) {
            double products = s[i] * s[j];
            for (int k = 0; k < n; k++)
                products += v[k][i] * v[k][j];
            sum->second[3 * i + j] += weight * products / (n * (n + 1));
        }
    }
}

static double face_area(const double a[3], const double b[3], const double c[3], double normal[3])
{
    double u[3], w[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        w[i] = c[i] - a[i];
    }
    vec3_cross(u, w, normal);
    return 0.5 * vec3_norm(normal);
}

// Faces, or tetrahedra between the faces and an apex, counted as positive or with their sign.
static Sum integrate(const CondMesh* mesh, const double* apex, int positive)
{
    Sum sum = {0};
    double n[3], corner[4][3];
    for (int f = 0; f < mesh->n_triangle; f++) {
        for (int k = 0; k < 3; k++)
            memcpy(corner[k], mesh->node + 3 * (size_t)mesh->triangle[3 * f + k], sizeof corner[k]);
        double area = face_area(corner[0], corner[1], corner[2], n), volume = 0.0;
        for (int i = 0; i < 3 && apex; i++) {
            corner[3][i] = apex[i];
            volume += n[i] * (corner[0][i] - apex[i]) / 6.0;
        }
        if (apex)
            add_piece(&sum, positive ? fabs(volume) : volume, 4, (const double(*)[3])corner);
        else
            add_piece(&sum, area, 3, (const double(*)[3])corner);
    }
    return sum;
}

static void middle(const Sum* sum, double centre[3])
{
    for (int i = 0; i < 3; i++)
        centre[i] = sum->weight != 0.0 ? sum->first[i] / sum->weight : 0.0;
}

// The way of MuJoCo: tetrahedra with the middle of the faces give the centre of mass, those with
// that centre volume and moments. They are counted as positive where the mesh is not vouched to be
// oriented, so that for a mesh that is not convex the two differ.
static Sum integrate_solid(const CondMesh* mesh, int positive)
{
    double apex[3], centre[3];
    Sum faces = integrate(mesh, NULL, 0);
    middle(&faces, apex);
    Sum first = integrate(mesh, apex, positive);
    middle(&first, centre);
    Sum solid = integrate(mesh, centre, positive);
    memcpy(solid.centre, centre, sizeof centre);
    return solid;
}

static CondStatus sum_mesh(CondMjcf* m, const CondMjcfMesh* mesh, Sum* sum, CondError* error)
{
    CondMesh *read = NULL, *hull = NULL;
    const char* way = mesh->inertia ? mesh->inertia : "legacy";
    CondStatus status = cond_mesh_read(&m->file.context, mesh->file, &read, NULL, error);
    for (int k = 0; !status && k < 3 * read->n_node; k++)
        read->node[k] *= mesh->scale[k % 3];
    if (!status && strcmp(way, "convex") == 0)
        status = cond_mesh_hull(read, &hull, error);
    if (!status && strcmp(way, "shell") == 0) {
        *sum = integrate(read, NULL, 0);
        middle(sum, sum->centre);
    } else if (!status) {
        *sum = integrate_solid(hull ? hull : read, strcmp(way, "exact") != 0);
    }
    if (!status && sum->weight < 0.0) { // turned inside out
        sum->weight = -sum->weight;
        for (int i = 0; i < 9; i++)
            sum->second[i] = -sum->second[i];
        for (int i = 0; i < 3; i++)
            sum->first[i] = -sum->first[i];
    }
    cond_mesh_destroy(hull);
    cond_mesh_destroy(read);
    return status;
}

int cond_mjcf_mesh_moments(CondMjcf* m, const CondMjcfNode* geom, CondMjcfMesh* mesh)
{
    Sum sum = {0};
    CondError error = {0};
    if (mesh->known || !mesh->file[0])
        return mesh->known;
    CondStatus status = sum_mesh(m, mesh, &sum, &error);
    if (status == COND_OUT_OF_MEMORY)
        cond_mjcf_no_memory(m);
    if (status)
        cond_mjcf_refuse(m, geom, "its mass cannot be computed: %.1000s", error.message);
    else if (!(sum.weight > 0.0))
        cond_mjcf_refuse(m, geom, "its mass cannot be computed: mesh '%.60s' has no volume",
                         mesh->name ? mesh->name : "");
    if (status || !(sum.weight > 0.0))
        return 0;
    mesh->volume = sum.weight;
    double trace = 0.0, second[9];
    memcpy(mesh->centre, sum.centre, sizeof sum.centre);
    // P about c: P - f c' - c f' + w c c', which is P - w c c' where c is the middle.
    for (int i = 0; i < 9; i++)
        second[i] = sum.second[i] - sum.first[i / 3] * sum.centre[i % 3] -
                    sum.centre[i / 3] * sum.first[i % 3] +
                    sum.weight * sum.centre[i / 3] * sum.centre[i % 3];
    trace = second[0] + second[4] + second[8];
    for (int i = 0; i < 9; i++)
        mesh->moment[i] = (i % 4 == 0 ? trace : 0.0) - second[i];
    return mesh->known = 1;
}
