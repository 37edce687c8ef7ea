// The depth of a point x in a body is the least of its distances d_f(x) to the parts f of the
// boundary. It is sought where it is largest on the surface of another body, which is taken apart
// into pieces. On a piece
//     max_x min_f d_f(x)  <=  min_f max_x d_f(x),
// where one part says what is left to gain, and the depth of any point what has been reached. A
// piece from which less than a billionth of the size can be gained is done; others are cut. A
// single part has its largest distance at a corner of a piece that lies over it, as linear and
// convex functions have, so nothing is left to gain once pieces are cut where the nearest part
// changes: along the walls over the edges of a triangle, and where two parts are equally near,
// which for planes is a plane. Halving alone would have to follow such lines with ever smaller
// pieces.
#include "geometry/depth.h"
#include "base/tuning.h"

#include "geometry/separation.h"
#include "geometry/triangle.h"
#include "geometry/tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Normals of a mean way out, and entries of a stack of tree nodes: two a level.
enum { MOST_NORMALS = 8, STACK = 80 };

void cond_depth_begin(const CondContext* context, CondDepthWork* work)
{
    *work = (CondDepthWork){.looked = 0};
    cond_arena_begin(context, &work->arena);
    cond_tree_hits_begin(context, &work->hits);
}

void cond_depth_end(CondDepthWork* work)
{
    cond_arena_release(&work->arena);
    cond_tree_hits_end(&work->hits);
}

// The deepest point of one surface in another body.
typedef struct Search {
    CondDepthWork* work;
    const CondBoundary* body; // that it is sought in
    double small;             // what counts as nothing [m]
    double best;              // depth of the deepest point found so far [m]
    int part;                 // nearest to it; -1: none is inside
    double deepest[3];        // [m]
    long left;                // pieces that may still be looked at
} Search;

static double ask(Search* s, const double x[3], int hint, int* part)
{
    double depth = cond_boundary_depth(s->body, x, hint, part);
    if (depth > s->best) {
        s->best = depth;
        s->part = *part;
        memcpy(s->deepest, x, sizeof s->deepest);
    }
    return depth;
}

static void know(CondCell* cell, int part)
{
    for (int k = 0; k < COND_CELL_PARTS; k++)
        if (cell->known[k] == part)
            return;
    for (int k = COND_CELL_PARTS - 1; k > 0; k--)
        cell->known[k] = cell->known[k - 1];
    cell->known[0] = part;
}

typedef struct Bound {
    double most; // that the depth can be on a piece [m]
    int part;    // that says so
    double x[3]; // where its distance is that, or nearly
} Bound;

static void offer_bound(const Search* s, const CondCell* cell, int part, Bound* bound)
{
    Bound here = {.part = part};
    here.most = cond_cell_most(cell, s->body, part, here.x);
    if (here.most < bound->most)
        *bound = here;
}

// The best of the bounds by known parts; of a convex body by all.
static Bound bound_of(const Search* s, const CondCell* cell)
{
    Bound bound = {.most = INFINITY, .part = -1};
    for (int k = 0; k < COND_CELL_PARTS && s->body->hollow; k++)
        if (cell->known[k] >= 0)
            offer_bound(s, cell, cell->known[k], &bound);
    for (int f = 0; f < s->body->n_plane + s->body->side && !s->body->hollow; f++)
        offer_bound(s, cell, f, &bound);
    return bound;
}

// What two of the known parts say, where pieces cannot be cut between them.
static double bound_of_two(const Search* s, const CondCell* cell)
{
    double most = INFINITY;
    for (int j = 0; j < COND_CELL_PARTS; j++)
        for (int k = 0; k < j; k++)
            if (cell->known[j] >= 0 && cell->known[k] >= 0)
                most = fmin(most,
                            cond_cell_most_of_two(cell, s->body, cell->known[j], cell->known[k]));
    return most;
}

// A triangle that goes through the polygon, or the hull of a patch; -1: none, -2: no memory.
static int find_crossing(Search* s, const CondCell* cell)
{
    const CondBoundary* b = s->body;
    double box[6];
    for (int i = 0; i < 3; i++) {
        box[i] = INFINITY;
        box[3 + i] = -INFINITY;
        for (int k = 0; k < cell->n; k++) {
            box[i] = fmin(box[i], cell->corner[k][i]);
            box[3 + i] = fmax(box[3 + i], cell->corner[k][i]);
        }
    }
    if (cond_tree_query(&b->tree, box, &s->work->hits))
        return -2;
    for (int h = 0; h < s->work->hits.n; h++) {
        int t = s->work->hits.primitive[h];
        double corner[3][3];
        for (int k = 0; k < 3; k++)
            memcpy(corner[k], b->vertex + 3 * (size_t)b->triangle[3 * (size_t)t + k],
                   sizeof corner[k]);
        if (cond_cell_is_crossed(cell, corner, b->normal + 3 * (size_t)t, s->small))
            return t;
    }
    return -1;
}

static int cut_by_triangle(const Search* s, const CondCell* cell, int t, CondCell half[2])
{
    const CondBoundary* b = s->body;
    return cond_cell_cut(cell, b->vertex + 3 * (size_t)b->triangle[3 * (size_t)t],
                         b->normal + 3 * (size_t)t, half);
}

// By the wall over an edge of the triangle that x is farthest beyond.
static int cut_by_wall(const Search* s, const CondCell* cell, int t, const double x[3],
                       CondCell half[2])
{
    double n[3], inward[3], least = 0.0;
    int wall = -1;
    for (int k = 0; k < 3; k++) {
        double here = cond_boundary_wall(s->body, t, k, x, inward);
        if (!(here < least))
            continue;
        least = here;
        wall = k;
        memcpy(n, inward, sizeof n);
    }
    return wall >= 0 && least < -COND_NEARLY * s->small &&
           cond_cell_cut(cell,
                         s->body->vertex + 3 * (size_t)s->body->triangle[3 * (size_t)t + wall], n,
                         half);
}

// Where two parts are equally near: between x, where `one` is farther than the other, and y.
static int cut_between(const Search* s, const CondCell* cell, int one, int two, const double x[3],
                       const double y[3], CondCell half[2])
{
    double low = 0.0, high = 1.0, z[3], g[3], h[3];
    if (cond_boundary_part(s->body, one, y, g) > cond_boundary_part(s->body, two, y, h))
        return 0;
    for (int pass = 0; pass < DBL_MANT_DIG; pass++) {
        double middle = 0.5 * (low + high);
        for (int i = 0; i < 3; i++)
            z[i] = x[i] + middle * (y[i] - x[i]);
        if (cond_boundary_part(s->body, one, z, g) > cond_boundary_part(s->body, two, z, h))
            low = middle;
        else
            high = middle;
    }
    for (int i = 0; i < 3; i++)
        g[i] -= h[i];
    return vec3_norm(g) > COND_INPUT_ROUNDING && cond_cell_cut(cell, z, g, half);
}

// Asks for the point of a patch, on the way from where one part is farthest to where another is, at
// which they are equally near: the deepest points lie where two parts are.
static void ask_between(Search* s, const CondCell* cell, int one, int two)
{
    double x[3], y[3], z[3], g[3], low = 0.0, high = 1.0;
    int part;
    cond_cell_most(cell, s->body, one, x);
    cond_cell_most(cell, s->body, two, y);
    for (int pass = 0; pass < DBL_MANT_DIG; pass++) {
        double middle = 0.5 * (low + high);
        cond_cell_between(cell, x, y, middle, z);
        if (cond_boundary_part(s->body, one, z, g) > cond_boundary_part(s->body, two, z, g))
            low = middle;
        else
            high = middle;
    }
    ask(s, z, one, &part);
}

static void cut(const Search* s, const CondCell* cell, const Bound* bound, int crossing, int part,
                double depth, CondCell half[2])
{
    if (cell->level % 3 < 2) {
        if (crossing >= 0 && cut_by_triangle(s, cell, crossing, half))
            return;
        if (s->body->hollow && depth < 0.0 && cut_by_triangle(s, cell, part, half))
            return;
        if (s->body->hollow && cut_by_wall(s, cell, bound->part, bound->x, half))
            return;
        if (part != bound->part &&
            cut_between(s, cell, bound->part, part, bound->x, cell->middle, half))
            return;
    }
    cond_cell_halve(cell, half);
}

// 1 where one part of a convex body says that nothing is to be gained: most often the one that said
// so of the piece before.
static int is_shallow(Search* s, const CondCell* cell, double may)
{
    int n = s->body->n_plane + s->body->side;
    double x[3];
    for (int k = 0; k < n; k++) {
        int part = (s->work->hint + k) % n;
        if (cond_cell_most(cell, s->body, part, x) > s->best + may)
            continue;
        s->work->hint = part;
        return 1;
    }
    return 0;
}

// Looks at a piece; 1 and its halves where it is not done.
static int look(Search* s, CondCell* cell, CondCell half[2])
{
    double may = (cell->core ? COND_TOUCHING / COND_INPUT_ROUNDING : 1.0) * s->small;
    int part = -1, crossing = -1, round = cell->core && !cell->cap;
    s->work->looked++;
    if (cell->n_hull == 0)
        return 0;
    if (!s->body->hollow && is_shallow(s, cell, may))
        return 0;
    double depth = ask(s, cell->middle, cell->known[0], &part);
    if (!(depth + cell->radius > s->best + may)) // depth changes no faster than place
        return 0;
    if (s->body->hollow && depth <= 0.0) {
        if (-depth >= cell->radius)
            return 0;
        crossing = round ? -2 : find_crossing(s, cell);
        if (crossing == -1)
            return 0;
    }
    if (s->body->hollow)
        know(cell, part);
    Bound bound = bound_of(s, cell);
    if (!(bound.most > s->best + may) || cell->level >= COND_DEPTH_CUTS)
        return 0;
    depth = ask(s, bound.x, bound.part, &part);
    if (s->body->hollow)
        know(cell, part);
    if (round && part != bound.part)
        ask_between(s, cell, bound.part, part);
    if (!(bound.most > s->best + may) || (round && !(bound_of_two(s, cell) > s->best + may)))
        return 0;
    cut(s, cell, &bound, crossing, part, depth, half);
    return 1;
}

static void search_cell(Search* s, const CondCell* cell)
{
    CondCell* stack = s->work->stack;
    int n = 1;
    stack[0] = *cell;
    while (n > 0 && s->left-- > 0) {
        CondCell here = stack[--n], half[2];
        if (!look(s, &here, half))
            continue;
        stack[n++] = half[0];
        stack[n++] = half[1];
    }
}

static void search_cylinder(Search* s, const CondBoundary* surface)
{
    const CondCore* core = &surface->core;
    const double turn = 2.0 * acos(-1.0) / COND_SECTORS;
    const double u[2] = {-core->half[2], core->half[2]}, outer = core->disc / cos(0.5 * turn);
    for (int k = 0; k < COND_SECTORS; k++) {
        const double angle[2] = {k * turn, (k + 1) * turn};
        CondCell cell;
        cond_cell_patch(core, u, angle, &cell);
        search_cell(s, &cell);
        for (int cap = -1; cap <= 1; cap += 2) {
            double x[3][3];
            const double* corner[3] = {x[0], x[1], x[2]};
            for (int c = 0; c < 3; c++) {
                const double rho = c > 0 ? outer : 0.0, phi = (k + 0.5 + (c - 1.5)) * turn;
                const double local[3] = {rho * cos(phi), rho * sin(phi), cap * core->half[2]};
                cond_core_place(core, local, x[c]);
            }
            cond_cell_polygon(3, corner, core, &cell);
            search_cell(s, &cell);
        }
    }
}

static void search_triangle(Search* s, const CondBoundary* surface, int t)
{
    const double* corner[3];
    CondCell cell;
    if (!cond_tree_overlap(surface->box_of + 6 * (size_t)t, s->body->box))
        return;
    for (int k = 0; k < 3; k++)
        corner[k] = surface->vertex + 3 * (size_t)surface->triangle[3 * (size_t)t + k];
    cond_cell_polygon(3, corner, NULL, &cell);
    search_cell(s, &cell);
}

// No point of what a node holds is deeper than the middle of its box and the distance from there to
// a corner together; -INFINITY where the node is not near the body.
static double most_in(const Search* s, const CondBoundary* surface, int i)
{
    const double* box = surface->tree.node[i].box;
    double middle[3], half[3];
    int part;
    if (!cond_tree_overlap(box, s->body->box))
        return -INFINITY;
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.5 * (box[k] + box[3 + k]);
        half[k] = 0.5 * (box[3 + k] - box[k]);
    }
    return cond_boundary_depth(s->body, middle, -1, &part) + vec3_norm(half);
}

// The triangles of a surface by its tree, those that may be deepest first.
static void search_tree(Search* s, const CondBoundary* surface)
{
    const CondTreeNode* node = surface->tree.node;
    struct {
        int at;
        double most;
    } stack[STACK];
    int n = 1;
    stack[0].at = 0;
    stack[0].most = INFINITY;
    while (n > 0) {
        int i = stack[--n].at;
        if (!(stack[n].most > s->best))
            continue;
        if (node[i].primitive >= 0) {
            search_triangle(s, surface, node[i].primitive);
            continue;
        }
        int child[2] = {i + 1, node[i + 1].next};
        double most[2] = {most_in(s, surface, child[0]), most_in(s, surface, child[1])};
        int first = most[1] > most[0]; // which is looked at last is laid down first
        for (int k = 0; k < 2; k++) {
            int c = k ? first : 1 - first;
            stack[n].at = child[c];
            stack[n++].most = most[c];
        }
    }
}

static void search_surface(Search* s, const CondBoundary* surface)
{
    const double* corner[3];
    CondCell cell;
    if (surface->hollow) {
        search_tree(s, surface);
        return;
    }
    for (int v = 0; v < surface->n_vertex; v++) {
        const double* x = surface->vertex + 3 * (size_t)v;
        const double box[6] = {x[0], x[1], x[2], x[0], x[1], x[2]};
        int part;
        if (cond_tree_overlap(box, s->body->box))
            ask(s, x, -1, &part);
    }
    if (surface->side)
        search_cylinder(s, surface);
    for (int k = 0; k < 2 && surface->n_triangle == 0 && surface->n_vertex == 2; k++)
        corner[k] = surface->vertex + 3 * (size_t)k;
    if (surface->n_triangle == 0 && surface->n_vertex == 2) {
        cond_cell_polygon(2, corner, NULL, &cell);
        search_cell(s, &cell);
    }
    for (int t = 0; t < surface->n_triangle; t++)
        search_triangle(s, surface, t);
}

// Searches the surface of `one` in the body `two`; 1 where it finds something that is deeper than
// out says: out is then that, with `one` as its first body or, with `flip`, as its second.
static int search_in(CondDepthWork* work, const CondBoundary* one, const CondBoundary* two,
                     int flip, double small, CondDepth* out)
{
    Search s = {.work = work, .body = two, .small = small, .best = -out->gap, .part = -1};
    double g[3];
    s.left = COND_DEPTH_CELLS;
    work->hint = 0;
    if (!two->hollow && two->n_plane == 0)
        return 0; // nothing is inside a segment
    search_surface(&s, one);
    if (s.part < 0)
        return 0;
    cond_boundary_part(two, s.part, s.deepest, g);
    out->gap = -s.best;
    out->owner = flip;
    for (int i = 0; i < 3; i++) {
        out->normal[i] = flip ? g[i] : -g[i];
        out->point[flip][i] = s.deepest[i];
        out->point[1 - flip][i] = s.deepest[i] - s.best * g[i];
    }
    return 1;
}

static CondStatus make_room(CondDepthWork* work)
{
    return COND_RESERVE(&work->arena, work->stack, 2 * COND_DEPTH_CUTS + 2);
}

int cond_boundaries_deeper(CondDepthWork* work, const CondBoundary* a, const CondBoundary* b,
                           double known, CondDepth* out)
{
    // A point has no size.
    double small = COND_INPUT_ROUNDING *
                   fmin(a->size > 0.0 ? a->size : INFINITY, b->size > 0.0 ? b->size : INFINITY);
    *out = (CondDepth){.gap = -known, .normal = {0.0, 0.0, 1.0}};
    if (!cond_tree_overlap(a->box, b->box) || make_room(work))
        return 0;
    int one = search_in(work, a, b, 0, small, out);
    return search_in(work, b, a, 1, small, out) || one;
}

CondStatus cond_boundaries_depth(CondDepthWork* work, const CondBoundary* a, const CondBoundary* b,
                                 double far, CondDepth* out)
{
    if (make_room(work))
        return COND_OUT_OF_MEMORY;
    if (!cond_boundaries_deeper(work, a, b, 0.0, out) && !cond_boundaries_apart(a, b, far, out))
        out->gap = INFINITY;
    return COND_OK;
}

int cond_triangle_deepest(CondDepthWork* work, const CondBoundary* body,
                          const double* const corner[3], double small, CondDeepest* deepest)
{
    Search s = {.work = work, .body = body, .small = small, .best = deepest->depth, .part = -1};
    CondCell cell;
    if (!body->hollow && !body->side && body->n_plane > 0)
        return cond_triangle_deepest_flat(body, corner, small, deepest);
    s.left = COND_DEPTH_CELLS;
    if (make_room(work))
        return 0;
    cond_cell_polygon(3, corner, NULL, &cell);
    search_cell(&s, &cell);
    if (s.part < 0)
        return 0;
    deepest->depth = s.best;
    deepest->part = s.part;
    memcpy(deepest->x, s.deepest, sizeof deepest->x);
    return 1;
}

double cond_boundary_way_out(const CondBoundary* body, const double x[3], double depth,
                             double out[3])
{
    double sum[3] = {0.0, 0.0, 0.0}, last[MOST_NORMALS][3], steepest = 0.0;
    int n_part = body->hollow ? body->n_triangle : body->n_plane + body->side, n = 0;
    for (int f = 0; f < n_part && n < MOST_NORMALS; f++) {
        double g[3];
        int known = cond_boundary_part(body, f, x, g) > (1.0 + COND_NEARLY) * depth;
        for (int k = 0; k < n && !known; k++)
            known = vec3_dot(g, last[k]) > 1.0 - COND_NEARLY;
        for (int i = 0; i < 3 && !known; i++) {
            last[n][i] = g[i];
            sum[i] -= g[i];
        }
        n += !known;
    }
    double length = vec3_norm(sum);
    for (int k = 0; k < n && length > 0.0; k++)
        steepest = fmax(steepest, -vec3_dot(sum, last[k]) / length);
    if (!(steepest > COND_STEEP)) { // between faces that look away from each other
        for (int i = 0; i < 3; i++)
            out[i] = n > 0 ? -last[0][i] : i == 2;
        return depth;
    }
    for (int i = 0; i < 3; i++)
        out[i] = sum[i] / length;
    return depth / steepest;
}
