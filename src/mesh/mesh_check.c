// Quality of a mesh: faults, size and the shape of its elements.
#include "base/definition.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "mesh/mesh_build.h"
#include "mesh/tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEGREES 57.29577951308232

static void subtract(const double* a, const double* b, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double length(const double a[3])
{
    return sqrt(dot(a, a));
}

CondStatus cond_mesh_check_sound(const CondMesh* mesh, CondError* error)
{
    for (int i = 0; i < mesh->n_tet; i++)
        for (int k = 0; k < 4; k++)
            if (mesh->tet[4 * i + k] < 0 || mesh->tet[4 * i + k] >= mesh->n_node)
                return cond_error_set(error, COND_BAD_ARGUMENT,
                                      "tetrahedron %d names node %d of %d", i, mesh->tet[4 * i + k],
                                      mesh->n_node);
    for (int i = 0; i < mesh->n_triangle; i++)
        for (int k = 0; k < 3; k++)
            if (mesh->triangle[3 * i + k] < 0 || mesh->triangle[3 * i + k] >= mesh->n_node)
                return cond_error_set(error, COND_BAD_ARGUMENT, "triangle %d names node %d of %d",
                                      i, mesh->triangle[3 * i + k], mesh->n_node);
    for (int i = 0; i < mesh->n_node; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(mesh->node[3 * (size_t)i + k]))
                return cond_error_set(error, COND_BAD_ARGUMENT, "node %d is not at a finite place",
                                      i);
    return COND_OK;
}

// The smallest dihedral angle of a tetrahedron [degrees]. Two faces with outward normals m and n
// meet at the angle pi - angle(m, n); atan2 keeps small angles exact.
static double smallest_dihedral(double normal[4][3])
{
    double least = 180.0;
    for (int a = 0; a < 4; a++) {
        for (int b = a + 1; b < 4; b++) {
            double c[3];
            cross(normal[a], normal[b], c);
            least = fmin(least, DEGREES * atan2(length(c), -dot(normal[a], normal[b])));
        }
    }
    return least;
}

// 3 r_in / r_out with r_in = 3 V / S and r_out = |a2 (b x c) + b2 (c x a) + c2 (a x b)| / (12 V).
static double radius_ratio(double e[3][3], double normal[4][3], double volume6)
{
    double area2 = 0.0, sum[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 4; k++)
        area2 += length(normal[k]);
    for (int k = 0; k < 3; k++) {
        double c[3];
        cross(e[(k + 1) % 3], e[(k + 2) % 3], c);
        for (int i = 0; i < 3; i++)
            sum[i] += dot(e[k], e[k]) * c[i];
    }
    double inner = volume6 / area2, outer = length(sum) / (2.0 * volume6);
    return 3.0 * inner / outer;
}

static void measure_edge_ratio(const double* node, const int* corner, int n, CondMeshReport* report)
{
    double least = INFINITY, most = 0.0, edge[3];
    for (int a = 0; a < n; a++) {
        for (int b = a + 1; b < n; b++) {
            subtract(node + 3 * (size_t)corner[a], node + 3 * (size_t)corner[b], edge);
            least = fmin(least, length(edge));
            most = fmax(most, length(edge));
        }
    }
    double ratio = least > 0.0 ? most / least : INFINITY;
    report->max_edge_ratio = fmax(report->max_edge_ratio, ratio);
}

static void count_degenerate(CondMeshReport* report, int index)
{
    if (report->n_degenerate++ == 0)
        report->first_degenerate = index;
}

static void measure_tets(const CondMesh* mesh, CondMeshReport* report)
{
    report->min_dihedral = INFINITY;
    report->min_radius_ratio = INFINITY;
    for (int i = 0; i < mesh->n_tet; i++) {
        const int* tet = mesh->tet + 4 * i;
        double e[3][3], normal[4][3], longest;
        double volume6 = cond_tet_volume6(mesh->node, tet, &longest);
        report->volume += volume6 / 6.0;
        measure_edge_ratio(mesh->node, tet, 4, report);
        double angle = 0.0, ratio = 0.0;
        if (fabs(volume6) <= 6.0 * COND_INPUT_ROUNDING * longest * longest * longest) {
            count_degenerate(report, i);
        } else {
            report->n_inverted += volume6 < 0.0;
            for (int k = 0; k < 3; k++)
                subtract(mesh->node + 3 * (size_t)tet[k + 1], mesh->node + 3 * (size_t)tet[0],
                         e[k]);
            for (int k = 0; k < 4; k++) {
                double a[3], b[3];
                const double* p = mesh->node + 3 * (size_t)tet[cond_tet_face[k][0]];
                subtract(mesh->node + 3 * (size_t)tet[cond_tet_face[k][1]], p, a);
                subtract(mesh->node + 3 * (size_t)tet[cond_tet_face[k][2]], p, b);
                cross(a, b, normal[k]);
            }
            angle = smallest_dihedral(normal);
            ratio = radius_ratio(e, normal, fabs(volume6));
        }
        if (angle < report->min_dihedral) {
            report->min_dihedral = angle;
            report->worst = i;
        }
        report->min_radius_ratio = fmin(report->min_radius_ratio, ratio);
        report->mean_dihedral += angle / mesh->n_tet;
    }
}

// A surface of its own. The volume inside a closed one is the sum of a . (b x c) / 6, taken from
// its first node so that a surface far from the origin loses no digits.
static void measure_triangles(const CondMesh* mesh, CondMeshReport* report)
{
    report->min_dihedral = report->mean_dihedral = report->min_radius_ratio = NAN;
    for (int i = 0; i < mesh->n_triangle; i++) {
        const int* triangle = mesh->triangle + 3 * (size_t)i;
        double p[3][3], a[3], b[3], c[3];
        for (int k = 0; k < 3; k++)
            subtract(mesh->node + 3 * (size_t)triangle[k], mesh->node, p[k]);
        subtract(p[1], p[0], a);
        subtract(p[2], p[0], b);
        cross(a, b, c);
        double area2 = length(c);
        double longest2 = fmax(dot(a, a), dot(b, b));
        measure_edge_ratio(mesh->node, triangle, 3, report);
        if (area2 <= 2.0 * COND_INPUT_ROUNDING * longest2)
            count_degenerate(report, i);
        cross(p[1], p[2], c);
        report->volume += dot(p[0], c) / 6.0;
    }
}

static CondStatus count_faces(const CondContext* context, const CondMesh* mesh,
                              CondMeshReport* report)
{
    int n = 4 * mesh->n_tet;
    CondMeshKey* key = cond_mesh_faces(context, mesh);
    if (!key)
        return COND_OUT_OF_MEMORY;
    for (int i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && cond_mesh_key_same(&key[i], &key[next]);)
            next++;
        report->n_nonmanifold += next - i > 2;
    }
    cond_release(context, key);
    return COND_OK;
}

// Every edge of a closed manifold surface belongs to two triangles that run along it in opposite
// directions.
static CondStatus count_edges(const CondContext* context, const CondMesh* mesh,
                              CondMeshReport* report)
{
    int n = 3 * mesh->n_triangle;
    CondMeshKey* key = cond_allocate(context, (size_t)n, sizeof *key);
    if (!key)
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++) {
        int a = mesh->triangle[i], b = mesh->triangle[i % 3 == 2 ? i - 2 : i + 1];
        key[i].node[0] = a < b ? a : b;
        key[i].node[1] = a < b ? b : a;
        key[i].origin = a > b;
    }
    cond_mesh_key_sort(key, n);
    for (int i = 0, next; i < n; i = next) {
        int against = 0;
        for (next = i; next < n && cond_mesh_key_same(&key[i], &key[next]); next++)
            against += key[next].origin;
        report->n_open += next - i == 1;
        report->n_nonmanifold += next - i > 2 || (next - i == 2 && against != 1);
    }
    cond_release(context, key);
    return COND_OK;
}

static int compare_place(const void* left, const void* right)
{
    const double *a = left, *b = right;
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

static CondStatus count_nodes(const CondContext* context, const CondMesh* mesh,
                              CondMeshReport* report)
{
    size_t n = (size_t)mesh->n_node;
    unsigned char* used = cond_allocate(context, n, 1);
    double* place = cond_allocate(context, n, 3 * sizeof *place);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (used && place) {
        for (size_t i = 0; i < 4 * (size_t)mesh->n_tet; i++)
            used[mesh->tet[i]] = 1;
        for (size_t i = 0; i < 3 * (size_t)mesh->n_triangle; i++)
            used[mesh->triangle[i]] = 1;
        for (size_t i = 0; i < n; i++) {
            if (!used[i] && report->n_loose++ == 0)
                report->first_loose = (int)i;
            for (int k = 0; used[i] && k < 3; k++) {
                low[k] = fmin(low[k], mesh->node[3 * i + k]);
                high[k] = fmax(high[k], mesh->node[3 * i + k]);
            }
        }
        for (int k = 0; k < 3; k++)
            report->extent[k] = high[k] >= low[k] ? high[k] - low[k] : 0.0;
        memcpy(place, mesh->node, 3 * n * sizeof *place);
        qsort(place, n, 3 * sizeof *place, compare_place);
        for (size_t i = 1; i < n; i++)
            report->n_duplicate += compare_place(place + 3 * i - 3, place + 3 * i) == 0;
    }
    CondStatus status = used && place ? COND_OK : COND_OUT_OF_MEMORY;
    cond_release(context, used);
    cond_release(context, place);
    return status;
}

static void warn(const CondMesh* mesh, CondMeshReport* report)
{
    const double* extent = report->extent;
    double most = fmax(extent[0], fmax(extent[1], extent[2]));
    if (mesh->n_tet + mesh->n_triangle == 0)
        return;
    if (most > COND_WIDE_MESH)
        snprintf(report->warning, sizeof report->warning,
                 "the mesh is %g m wide, more than %g m: is the file in millimetres? "
                 "Scaled by 0.001 it is %g m",
                 most, COND_WIDE_MESH, most / 1000.0);
    else if (most < COND_TINY_MESH)
        snprintf(report->warning, sizeof report->warning,
                 "the mesh is %g m wide, less than 0.1 mm: is its unit larger than a metre?", most);
    else if (mesh->n_tet == 0 && report->n_open + report->n_nonmanifold == 0 &&
             report->volume < 0.0)
        snprintf(report->warning, sizeof report->warning,
                 "the triangles of the surface point inward");
}

static CondStatus mesh_check_whole(const CondContext* context, const CondMesh* mesh,
                                   CondMeshReport* report, CondError* error)
{
    CondContext from = cond_context_or_default(context);
    memset(report, 0, sizeof *report);
    report->first_degenerate = report->first_loose = report->worst = -1;
    CondStatus status = cond_mesh_check_sound(mesh, error);
    if (status != COND_OK)
        return status;
    if (mesh->n_tet)
        measure_tets(mesh, report);
    else
        measure_triangles(mesh, report);
    if ((status = count_faces(&from, mesh, report)) != COND_OK ||
        (status = count_edges(&from, mesh, report)) != COND_OK ||
        (status = count_nodes(&from, mesh, report)) != COND_OK)
        return cond_error_set(error, status, "no memory to check a mesh of %d nodes", mesh->n_node);
    warn(mesh, report);
    return COND_OK;
}

CondStatus cond_mesh_check_sized(const CondContext* context, const CondMesh* mesh,
                                 CondMeshReport* report, CondError* error, size_t size)
{
    COND_SIZED(CondStatus, CondMeshReport, report, size,
               mesh_check_whole(context, mesh, it, error));
}

CondStatus cond_mesh_check_shell(const CondContext* context, const CondMesh* mesh, CondError* error)
{
    CondMeshReport report;
    CondStatus status = cond_mesh_check(context, mesh, &report, error);
    if (status != COND_OK)
        return status;
    if (mesh->n_tet > 0)
        return cond_error_set(error, COND_BAD_INPUT,
                              "the mesh has tetrahedra; a shell is made of triangles");
    if (mesh->n_triangle == 0)
        return cond_error_set(error, COND_BAD_INPUT, "the mesh has no triangles");
    if (report.n_degenerate)
        return cond_error_set(error, COND_BAD_INPUT,
                              "%d triangles have no area; the first is number %d (from 0)",
                              report.n_degenerate, report.first_degenerate);
    if (report.n_loose)
        return cond_error_set(error, COND_BAD_INPUT,
                              "%d nodes belong to no triangle; the first is number %d (from 0)",
                              report.n_loose, report.first_loose);
    return COND_OK;
}

CondStatus cond_mesh_check_solid(const CondContext* context, const CondMesh* mesh, CondError* error)
{
    CondMeshReport report;
    CondStatus status = cond_mesh_check(context, mesh, &report, error);
    if (status != COND_OK)
        return status;
    if (mesh->n_tet == 0)
        return cond_error_set(error, COND_BAD_INPUT, "the mesh has no tetrahedra");
    if (report.n_degenerate)
        return cond_error_set(error, COND_BAD_INPUT,
                              "%d tetrahedra have no volume; the first is number %d (from 0)",
                              report.n_degenerate, report.first_degenerate);
    if (report.n_inverted)
        return cond_error_set(error, COND_BAD_INPUT, "%d tetrahedra are inverted",
                              report.n_inverted);
    if (report.n_loose)
        return cond_error_set(error, COND_BAD_INPUT,
                              "%d nodes belong to no tetrahedron; the first is number %d (from 0)",
                              report.n_loose, report.first_loose);
    return COND_OK;
}
