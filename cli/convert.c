// cond convert: reads or generates a mesh, prints its quality, and writes it in another format;
// or writes a scene.
#include "cli.h"
#include "convert_scene.h"
#include "json.h"
#include "memory.h"

#include <cond/mesh.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// 0 when made, else the exit code after a message.
static int make_shape(const char* text, CondMesh** mesh, CondMeshReport* report)
{
    CondError error = {0};
    CondStatus status = cond_mesh_make(memory_context(), text, mesh, &error);
    if (status == COND_OK)
        status = cond_mesh_check(memory_context(), *mesh, report, &error);
    if (status != COND_OK) {
        cli_complain("convert: %s", error.message);
        return status == COND_BAD_ARGUMENT ? CLI_USAGE : cli_exit(status);
    }
    return CLI_FINE;
}

static void print_faults(FILE* out, const CondMesh* mesh, const CondMeshReport* report)
{
    if (report->n_inverted)
        fprintf(out, "  turned    %d inverted tetrahedra\n", report->n_inverted);
    if (report->n_ignored)
        fprintf(out, "  left out  %d elements of other kinds\n", report->n_ignored);
    if (report->n_degenerate)
        fprintf(out, "  faults    %d %s without %s, the first is number %d\n", report->n_degenerate,
                mesh->n_tet ? "tetrahedra" : "triangles", mesh->n_tet ? "volume" : "area",
                report->first_degenerate);
    if (report->n_loose)
        fprintf(out, "  faults    %d loose nodes, the first is number %d\n", report->n_loose,
                report->first_loose);
    if (report->n_duplicate)
        fprintf(out, "  faults    %d nodes at the place of another\n", report->n_duplicate);
    if (report->n_nonmanifold)
        fprintf(out, "  faults    %d edges or faces shared by too many\n", report->n_nonmanifold);
    if (report->n_open)
        fprintf(out, "  faults    %d open edges: the surface is not closed\n", report->n_open);
    if (*report->warning)
        fprintf(out, "  warning   %s\n", report->warning);
}

// Low and high corner of the box around all nodes.
static void box_of(const CondMesh* mesh, double box[6])
{
    for (int k = 0; k < 6; k++)
        box[k] = k < 3 ? INFINITY : -INFINITY;
    for (int k = 0; k < 3 * mesh->n_node; k++) {
        box[k % 3] = fmin(box[k % 3], mesh->node[k]);
        box[3 + k % 3] = fmax(box[3 + k % 3], mesh->node[k]);
    }
}

static void print_report(FILE* out, const char* name, const CondMesh* mesh,
                         const CondMeshReport* report)
{
    fprintf(out, "%s\n", name);
    fprintf(out, "  mesh      %d nodes, %d tetrahedra, %d triangles\n", mesh->n_node, mesh->n_tet,
            mesh->n_triangle);
    fprintf(out, "  size      %g x %g x %g m, volume %g m3\n", report->extent[0], report->extent[1],
            report->extent[2], report->volume);
    double box[6];
    box_of(mesh, box);
    fprintf(out, "  box       from (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g) m\n", box[0], box[1],
            box[2], box[3], box[4], box[5]);
    if (mesh->n_tet)
        fprintf(out,
                "  quality   dihedral angles from %.1f degrees (mean of the smallest %.1f), "
                "radius ratio from %.3f, edge ratio to %.2f; worst is tetrahedron %d\n",
                report->min_dihedral, report->mean_dihedral, report->min_radius_ratio,
                report->max_edge_ratio, report->worst);
    else
        fprintf(out, "  quality   edge ratio to %.2f\n", report->max_edge_ratio);
    print_faults(out, mesh, report);
}

static json_t* report_json(const char* input, const char* output, const CondMesh* mesh,
                           const CondMeshReport* report)
{
    int solid = cond_mesh_check_solid(memory_context(), mesh, NULL) == COND_OK;
    json_t* json = json_pack(
        "{s:o, s:o, s:i, s:i, s:i, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "input", json_text(input),
        "output", json_text(output), "nodes", mesh->n_node, "tets", mesh->n_tet, "triangles",
        mesh->n_triangle, "solid", solid, "volume", json_number(report->volume), "extent",
        json_numbers(report->extent, 3), "min_dihedral", json_number(report->min_dihedral),
        "mean_dihedral", json_number(report->mean_dihedral), "min_radius_ratio",
        json_number(report->min_radius_ratio), "max_edge_ratio",
        json_number(report->max_edge_ratio));
    json_t* counts = json_pack(
        "{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:s}", "worst", report->worst,
        "inverted", report->n_inverted, "degenerate", report->n_degenerate, "first_degenerate",
        report->first_degenerate, "loose", report->n_loose, "first_loose", report->first_loose,
        "duplicate", report->n_duplicate, "nonmanifold", report->n_nonmanifold, "open",
        report->n_open, "ignored", report->n_ignored, "warning", report->warning);
    double box[6];
    box_of(mesh, box);
    if (json) {
        json_object_set_new(json, "low", json_numbers(box, 3));
        json_object_set_new(json, "high", json_numbers(box + 3, 3));
    }
    if (json && counts)
        json_object_update(json, counts);
    json_decref(counts);
    return json;
}

typedef struct Wish {
    double scale;
    const char* format;
    const char* version;
    const char* json;
    int compress, surface, compact;
    CondMeshWriteSettings settings;
} Wish;

// Fills in the settings of the writer; 1 after a message.
static int read_wish(Wish* wish)
{
    static const char* const encodings[] = {"binary", "ascii", "base64"};
    wish->settings = cond_mesh_write_settings_default();
    wish->settings.compress = wish->compress;
    int found = wish->format == NULL;
    for (int i = 0; wish->format && i < 3; i++) {
        if (strcmp(wish->format, encodings[i]) == 0) {
            wish->settings.encoding = (CondMeshEncoding)i;
            found = 1;
        }
    }
    if (!found) {
        cli_complain("convert: --format %s: not one of ascii, binary, base64", wish->format);
        return 1;
    }
    if (wish->version && strcmp(wish->version, "2.2") == 0)
        wish->settings.gmsh_version = 22;
    else if (wish->version && strcmp(wish->version, "4.1") != 0) {
        cli_complain("convert: --version %s: not one of 2.2, 4.1", wish->version);
        return 1;
    }
    if (!(wish->scale > 0.0) || isinf(wish->scale)) {
        cli_complain("convert: --scale %g: expected a positive number", wish->scale);
        return 1;
    }
    return 0;
}

// Scales, compacts and reduces the mesh as wished and looks at it again; what reading found out
// about the file stays in the report.
static CondStatus alter(const Wish* wish, CondMesh** mesh, CondMeshReport* report, CondError* error)
{
    CondStatus status = COND_OK;
    int inverted = report->n_inverted, ignored = report->n_ignored;
    if (wish->scale != 1.0)
        status = cond_mesh_transform(*mesh, wish->scale, NULL, NULL, error);
    if (status == COND_OK && wish->surface) {
        CondMesh* boundary;
        status = cond_mesh_boundary(memory_context(), *mesh, &boundary, error);
        if (status == COND_OK) {
            cond_mesh_destroy(*mesh);
            *mesh = boundary;
        }
    }
    if (status == COND_OK && wish->compact)
        status = cond_mesh_compact(*mesh, error);
    if (status == COND_OK)
        status = cond_mesh_check(memory_context(), *mesh, report, error);
    report->n_inverted = inverted;
    report->n_ignored = ignored;
    return status;
}

static int convert(const char* input, const char* output, const Wish* wish)
{
    CondMesh* mesh = NULL;
    CondMeshReport report;
    CondError error = {0};
    int shape = cond_mesh_is_recipe(input);
    int code = CLI_FINE;
    CondStatus status = COND_OK;
    if (shape)
        code = make_shape(input, &mesh, &report);
    else
        status = cond_mesh_read(memory_context(), input, &mesh, &report, &error);
    if (code == CLI_FINE && status == COND_OK)
        status = alter(wish, &mesh, &report, &error);
    if (code == CLI_FINE && status == COND_OK) {
        int taken = wish->json && strcmp(wish->json, "-") == 0; // standard output is the JSON's
        print_report(taken ? stderr : stdout, input, mesh, &report);
        if (output)
            status = cond_mesh_write(memory_context(), output, mesh, &wish->settings, &error);
        if (status == COND_OK && wish->json &&
            json_put(report_json(input, output, mesh, &report), wish->json))
            code = CLI_INPUT;
    }
    if (status != COND_OK) {
        cli_complain("%s", error.message);
        code = cli_exit(status);
    }
    cond_mesh_destroy(mesh);
    return code;
}

static int run(int argc, char** argv)
{
    const char* path[2] = {NULL, NULL};
    const char* keyframe = NULL;
    int n_path = 0, shapes_only = 0;
    TextList set = {0};
    Wish wish = {.scale = 1.0};
    const Option option[] = {
        {"--scale", OPTION_POSITIVE(&wish.scale), "X", "scale all lengths; 0.001 for files in mm"},
        {"--format", OPTION_TEXT(&wish.format), "NAME", "ascii, binary (default) or base64 (.vtu)"},
        {"--version", OPTION_TEXT(&wish.version), "V", "of .msh: 2.2 or 4.1 (default)"},
        {"--compress", OPTION_FLAG(&wish.compress), NULL, "compress a binary .vtu"},
        {"--surface", OPTION_FLAG(&wish.surface), NULL, "keep the surface only"},
        {"--compact", OPTION_FLAG(&wish.compact), NULL, "remove nodes that no element uses"},
        {"--shapes", OPTION_FLAG(&shapes_only), NULL, "list the shapes that can replace IN"},
        {"--json", OPTION_TEXT(&wish.json), "FILE", "write the report as JSON; -: standard output"},
        {"--keyframe", OPTION_TEXT(&keyframe), "NAME",
         "keyframe of an MJCF file that the scene starts at"},
        {"--set", OPTION_LIST(&set), "PATH=VALUE", "set a value of the scene; may be repeated"},
    };
    if (options_read(&cli_convert, option, sizeof option / sizeof option[0], argc, argv, path, 2,
                     &n_path))
        return n_path < 0 ? CLI_FINE : CLI_USAGE;
    if (shapes_only && n_path == 0) {
        for (int i = 0; cond_mesh_recipe(i); i++)
            printf("%s\n", cond_mesh_recipe(i));
        return CLI_FINE;
    }
    if (n_path == 0) {
        cli_complain("convert: no mesh given; usage: cond %s", cli_convert.usage);
        return CLI_USAGE;
    }
    if (convert_is_scene(path[1])) {
        int code = convert_scene(path[0], path[1], keyframe, &set);
        free(set.item);
        return code;
    }
    free(set.item);
    if (keyframe || set.n) {
        cli_complain("convert: --keyframe and --set are for scenes: OUT must end in .yaml");
        return CLI_USAGE;
    }
    if (read_wish(&wish))
        return CLI_USAGE;
    return convert(path[0], path[1], &wish);
}

const Command cli_convert = {
    "convert",
    "convert IN [OUT] [options]",
    "Checks, generates and converts meshes; writes MJCF files as scene files.",
    run,
};
