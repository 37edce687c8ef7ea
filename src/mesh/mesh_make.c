// Meshes from a line of text, such as mat:27,27,2:0.3,0.3,0.01: a name and two groups of numbers.
#include "base/error.h"
#include "base/memory.h"
#include "cond/mesh.h"
#include "mesh/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The groups must be all counts or all lengths.
typedef struct Recipe {
    const char* name;
    const char* form;
    char group[2]; // 'n' counts, 'x' lengths
    int least[2];  // how many numbers a group has at least
    int most[2];   // and at most
    CondStatus (*make)(const CondContext* context, double value[2][4], int n_count, CondMesh** mesh,
                       CondError* error);
} Recipe;

static CondStatus make_box(const CondContext* context, double value[2][4], int n_count,
                           CondMesh** mesh, CondError* error)
{
    int n[3] = {(int)value[0][0], (int)value[0][1], (int)value[0][2]};
    int per_cell = n_count > 3 ? (int)value[0][3] : 5;
    if (per_cell != 5 && per_cell != 6)
        return cond_error_set(error, COND_BAD_ARGUMENT, "box: a cell is cut in 5 or 6, not %d",
                              per_cell);
    return cond_mesh_box(context, n, value[1], per_cell == 5 ? COND_MESH_FIVE : COND_MESH_SIX, mesh,
                         error);
}

static CondStatus make_mat(const CondContext* context, double value[2][4], int n_count,
                           CondMesh** mesh, CondError* error)
{
    (void)n_count;
    return cond_mesh_mat(context, (int)value[0][0], (int)value[0][1], (int)value[0][2], value[1],
                         mesh, error);
}

static CondStatus make_sheet(const CondContext* context, double value[2][4], int n_count,
                             CondMesh** mesh, CondError* error)
{
    (void)n_count;
    return cond_mesh_sheet(context, (int)value[0][0], (int)value[0][1], value[1], mesh, error);
}

static CondStatus make_disc(const CondContext* context, double value[2][4], int n_count,
                            CondMesh** mesh, CondError* error)
{
    (void)n_count;
    return cond_mesh_disc(context, value[0][0], (int)value[1][0], mesh, error);
}

static CondStatus make_ball(const CondContext* context, double value[2][4], int n_count,
                            CondMesh** mesh, CondError* error)
{
    return cond_mesh_ball(context, value[0][0], (int)value[1][0],
                          n_count > 1 ? (int)value[1][1] : 0, mesh, error);
}

static CondStatus make_cylinder(const CondContext* context, double value[2][4], int n_count,
                                CondMesh** mesh, CondError* error)
{
    (void)n_count;
    return cond_mesh_cylinder(context, value[0][0], value[0][1], (int)value[1][0], (int)value[1][1],
                              mesh, error);
}

static const Recipe recipes[] = {
    {"box", "box:NX,NY,NZ[,5|6]:X,Y,Z", {'n', 'x'}, {3, 3}, {4, 3}, make_box},
    {"mat", "mat:NX,NY,LAYERS:X,Y,Z", {'n', 'x'}, {3, 3}, {3, 3}, make_mat},
    {"sheet", "sheet:NX,NY:X,Y", {'n', 'x'}, {2, 2}, {2, 2}, make_sheet},
    {"disc", "disc:RADIUS:RINGS", {'x', 'n'}, {1, 1}, {1, 1}, make_disc},
    {"ball", "ball:RADIUS:SHELLS[,EXTRA]", {'x', 'n'}, {1, 1}, {1, 2}, make_ball},
    {"cylinder", "cylinder:RADIUS,HEIGHT:RINGS,LAYERS", {'x', 'n'}, {2, 2}, {2, 2}, make_cylinder},
};
enum { N_RECIPE = sizeof recipes / sizeof recipes[0] };

static const Recipe* find_recipe(const char* text)
{
    for (int i = 0; i < N_RECIPE; i++) {
        size_t n = strlen(recipes[i].name);
        if (strncmp(text, recipes[i].name, n) == 0 && text[n] == ':')
            return &recipes[i];
    }
    return NULL;
}

int cond_mesh_is_recipe(const char* text)
{
    return find_recipe(text) != NULL;
}

const char* cond_mesh_recipe(int index)
{
    return index >= 0 && index < N_RECIPE ? recipes[index].form : NULL;
}

// The numbers of one group; returns how many, or -1 when the text is wrong.
static int read_group(const char** text, char kind, int most, double value[4])
{
    for (int n = 0; n < most;) {
        char* end;
        value[n] = strtod(*text, &end);
        if (end == *text || !isfinite(value[n]) || fabs(value[n]) > COND_MESH_NUMBER ||
            (kind == 'n' && value[n] != floor(value[n])))
            return -1;
        n++;
        *text = end;
        if (**text != ',')
            return n;
        ++*text;
    }
    return -1;
}

CondStatus cond_mesh_make(const CondContext* context, const char* text, CondMesh** mesh,
                          CondError* error)
{
    *mesh = NULL;
    const Recipe* recipe = find_recipe(text);
    if (!recipe)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "'%.100s': not a shape that can be made (box, mat, ball, cylinder)",
                              text);
    double value[2][4] = {{0}};
    int n[2] = {0, 0}, wrong = 0;
    const char* at = text + strlen(recipe->name);
    for (int g = 0; g < 2 && !wrong; g++) {
        n[g] =
            *at == ':' ? (at++, read_group(&at, recipe->group[g], recipe->most[g], value[g])) : -1;
        wrong = n[g] < recipe->least[g];
    }
    if (wrong || *at)
        return cond_error_set(error, COND_BAD_ARGUMENT, "'%.100s': expected %s", text,
                              recipe->form);
    // Only the counts have parts that may be left out.
    return recipe->make(context, value, n[recipe->group[0] == 'n' ? 0 : 1], mesh, error);
}
