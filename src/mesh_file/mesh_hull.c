// The convex hull of a mesh, by qhull.
#include "base/error.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "cond/mesh.h"

#include <libqhull_r/qhull_ra.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// A run of qhull. It takes its memory from malloc and would print what it finds.
typedef struct Run {
    qhT qh;
    FILE* silence;
} Run;

static int run_begin(Run* run, const CondMesh* mesh, char* options)
{
    run->silence = fopen("/dev/null", "w");
    if (!run->silence)
        return -1;
    qh_zero(&run->qh, run->silence);
    return qh_new_qhull(&run->qh, 3, mesh->n_node, mesh->node, False, options, run->silence,
                        run->silence);
}

static void run_end(Run* run)
{
    int kept, total;
    if (!run->silence)
        return;
    qh_freeqhull(&run->qh, !qh_ALL);
    qh_memfreeshort(&run->qh, &kept, &total);
    fclose(run->silence);
}

// The corners of a triangular facet, counter-clockwise seen from outside.
static void corners(qhT* qh, const facetT* facet, int corner[3])
{
    vertexT *vertex, **vertexp;
    int n = 0;
    FOREACHvertex_(facet->vertices)
    {
        if (n < 3)
            corner[n++] = qh_pointid(qh, vertex->point);
    }
    if (!facet->toporient == !qh_ORIENTclock)
        return;
    int last = corner[2];
    corner[2] = corner[1];
    corner[1] = last;
}

static double area(const CondMesh* mesh, const int corner[3])
{
    const double *a = mesh->node + 3 * (size_t)corner[0], *b = mesh->node + 3 * (size_t)corner[1],
                 *c = mesh->node + 3 * (size_t)corner[2];
    double u[3], v[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
    }
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    return 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

// The hull with the nodes of the mesh, all of them; *thin: 1 where a triangle has no area.
static CondStatus take_facets(Run* run, const CondMesh* mesh, CondMesh** hull, int* thin,
                              CondError* error)
{
    qhT* qh = &run->qh;
    CondStatus status =
        cond_mesh_create(&mesh->context, mesh->n_node, 0, qh->num_facets, hull, error);
    if (status)
        return status;
    double size = qh->MAXwidth;
    int n = 0;
    facetT* facet;
    *thin = 0;
    memcpy((*hull)->node, mesh->node, 3 * (size_t)mesh->n_node * sizeof *mesh->node);
    FORALLfacets
    {
        int* corner = (*hull)->triangle + 3 * (size_t)n++;
        corners(qh, facet, corner);
        *thin |= !(area(mesh, corner) > COND_INPUT_ROUNDING * size * size);
    }
    return COND_OK;
}

// One try; COND_BAD_ARGUMENT where qhull finds no volume.
static CondStatus make_hull(const CondMesh* mesh, const char* options, CondMesh** hull, int* thin,
                            CondError* error)
{
    Run run = {.silence = NULL};
    char text[32];
    snprintf(text, sizeof text, "%s", options);
    int fault = run_begin(&run, mesh, text);
    CondStatus status = COND_OK;
    if (fault)
        status = cond_error_set(error, fault == qh_ERRmem ? COND_OUT_OF_MEMORY : COND_BAD_ARGUMENT,
                                "the nodes of the mesh have no convex hull with a volume");
    if (!status)
        status = take_facets(&run, mesh, hull, thin, error);
    run_end(&run);
    return status;
}

static double edge_length(const CondMesh* mesh, int a, int b)
{
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
        double d = mesh->node[3 * (size_t)a + (size_t)i] - mesh->node[3 * (size_t)b + (size_t)i];
        square += d * d;
    }
    return sqrt(square);
}

static double mesh_size(const CondMesh* mesh)
{
    double size = 0.0;
    for (int k = 1; k < mesh->n_node; k++)
        size = fmax(size, edge_length(mesh, 0, k));
    return size;
}

// Leaves out, of every triangle that is hardly higher than a line, the corner that lies on the line
// between the two others: its plane would lean by more than the hull is exact. Returns how many.
static int drop_slivers(const CondMesh* hull, double size, int* dropped)
{
    int n = 0;
    memset(dropped, 0, (size_t)hull->n_node * sizeof *dropped);
    for (int f = 0; f < hull->n_triangle; f++) {
        const int* c = hull->triangle + 3 * (size_t)f;
        double longest = 0.0;
        int apex = 0;
        for (int k = 0; k < 3; k++) {
            double length = edge_length(hull, c[(k + 1) % 3], c[(k + 2) % 3]);
            if (length > longest) {
                longest = length;
                apex = k;
            }
        }
        int touched = dropped[c[0]] || dropped[c[1]] || dropped[c[2]];
        if (touched || 2.0 * area(hull, c) > COND_SINGLE_PRECISION * size * longest)
            continue;
        dropped[c[apex]] = 1;
        n++;
    }
    return n;
}

// The nodes that stay, as a mesh without triangles.
static CondStatus keep_nodes(const CondMesh* hull, const int* dropped, int n_dropped,
                             CondMesh** kept, CondError* error)
{
    int n = 0;
    CondStatus status =
        cond_mesh_create(&hull->context, hull->n_node - n_dropped, 0, 0, kept, error);
    for (int k = 0; k < hull->n_node && !status; k++)
        if (!dropped[k])
            memcpy((*kept)->node + 3 * (size_t)n++, hull->node + 3 * (size_t)k,
                   3 * sizeof *hull->node);
    return status;
}

// A hull without slivers, within COND_SINGLE_PRECISION of the size of the true one for every round
// it takes.
static CondStatus make_clean(const CondMesh* mesh, CondMesh** hull, int* thin, CondError* error)
{
    CondMesh* nodes = NULL;
    double size = mesh_size(mesh);
    CondStatus status = COND_OK;
    *thin = 1;
    for (int round = 0; round < COND_SEARCH_STEPS && *thin && !status; round++) {
        int flat;
        cond_mesh_destroy(*hull);
        *hull = NULL;
        status = make_hull(nodes ? nodes : mesh, "qhull Qt", hull, &flat, error);
        if (!status)
            status = cond_mesh_compact(*hull, error);
        cond_mesh_destroy(nodes);
        nodes = NULL;
        int* dropped =
            status ? NULL : cond_allocate(&mesh->context, (size_t)(*hull)->n_node, sizeof *dropped);
        if (!status && !dropped)
            status = cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for a hull");
        int n = status ? 0 : drop_slivers(*hull, size, dropped);
        *thin = n > 0;
        if (n > 0)
            status = keep_nodes(*hull, dropped, n, &nodes, error);
        cond_release(&mesh->context, dropped);
    }
    cond_mesh_destroy(nodes);
    return status;
}

CondStatus cond_mesh_hull(const CondMesh* mesh, CondMesh** hull, CondError* error)
{
    int thin = 1;
    *hull = NULL;
    if (mesh->n_node < 4)
        return cond_error_set(error, COND_BAD_ARGUMENT, "a hull needs four nodes, not %d",
                              mesh->n_node);
    CondStatus status = make_clean(mesh, hull, &thin, error);
    if (!status && thin) { // the nodes are moved a little for the order of the hull alone
        cond_mesh_destroy(*hull);
        *hull = NULL;
        status = make_hull(mesh, "qhull QJ Pp", hull, &thin, error);
        if (!status)
            status = cond_mesh_compact(*hull, error);
    }
    if (!status)
        return COND_OK;
    cond_mesh_destroy(*hull);
    *hull = NULL;
    return status;
}
