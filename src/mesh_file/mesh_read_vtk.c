// VTK's legacy format: unstructured grids as text and binary, which is always big-endian. Files
// before version 5 list each cell as its size and its corners; later ones list offsets and corners
// apart.
#include "base/memory.h"
#include "mesh_file/mesh_cells.h"

#include <ctype.h>
#include <string.h>

typedef enum Kind { KIND_INTEGER, KIND_UNSIGNED, KIND_REAL } Kind;

typedef struct Type {
    const char* name;
    Kind kind;
    size_t size;
} Type;

static const Type types[] = {
    {"float", KIND_REAL, 4},
    {"double", KIND_REAL, 8},
    {"int", KIND_INTEGER, 4},
    {"vtktypeint64", KIND_INTEGER, 8},
    {"long", KIND_INTEGER, 8},
    {"vtkIdType", KIND_INTEGER, 8},
    {"unsigned_int", KIND_UNSIGNED, 4},
    {"unsigned_long", KIND_INTEGER, 8},
    {"short", KIND_INTEGER, 2},
    {"unsigned_short", KIND_UNSIGNED, 2},
    {"char", KIND_INTEGER, 1},
    {"unsigned_char", KIND_UNSIGNED, 1},
};

typedef struct Grid {
    CondMeshFile* file;
    int64_t n_cell;         // -1 until CELLS is read
    int64_t n_connectivity; //
    int64_t* offset;        // (n_cell + 1)
    int64_t* connectivity;  // (n_connectivity)
    int64_t* type;          // (n_cell); NULL until CELL_TYPES is read
    size_t cells_at;
    int have_points;
} Grid;

static CondStatus read_type(CondMeshFile* file, const Type** type)
{
    size_t length;
    const char* word = cond_mesh_file_word(file, &length);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strlen(types[i].name) == length && memcmp(types[i].name, word, length) == 0) {
            *type = &types[i];
            return COND_OK;
        }
    }
    return cond_mesh_file_refuse(file, (size_t)(word - file->data), "unknown number type '%.*s'",
                                 (int)(length < 40 ? length : 40), word);
}

static CondStatus read_integer(CondMeshFile* file, const Type* type, const char* what,
                               int64_t* value)
{
    if (!file->binary)
        return cond_mesh_file_integer(file, what, value);
    int32_t narrow = 0;
    if (type->size == 8)
        return cond_mesh_file_int64(file, what, value);
    CondStatus status = cond_mesh_file_int32(file, what, &narrow);
    *value = type->kind == KIND_UNSIGNED ? (int64_t)(uint32_t)narrow : narrow;
    return status;
}

static CondStatus read_real(CondMeshFile* file, const Type* type, const char* what, double* value)
{
    if (!file->binary)
        return cond_mesh_file_number(file, what, value);
    if (type->size == 8)
        return cond_mesh_file_double(file, what, value);
    float narrow = 0.0f;
    int32_t bits = 0;
    CondStatus status = cond_mesh_file_int32(file, what, &bits);
    memcpy(&narrow, &bits, sizeof narrow);
    *value = (double)narrow;
    return status;
}

// An array of n integers, checked against the size of the file before memory is taken.
static CondStatus read_integers(CondMeshFile* file, size_t at, const Type* type, const char* what,
                                int64_t n, int64_t** out)
{
    CondStatus status = cond_mesh_file_count(file, at, what, n, file->binary ? type->size : 2);
    if (status != COND_OK)
        return status;
    cond_release(&file->context, *out);
    *out = cond_allocate(&file->context, (size_t)n, sizeof **out);
    if (!*out)
        return cond_mesh_file_no_memory(file);
    for (int64_t i = 0; i < n && status == COND_OK; i++)
        status = read_integer(file, type, what, &(*out)[i]);
    return status;
}

static CondStatus read_points(Grid* grid)
{
    CondMeshFile* file = grid->file;
    size_t at = file->at;
    int64_t n;
    const Type* type;
    CondStatus status;
    if (grid->have_points)
        return cond_mesh_file_refuse(file, at, "a second list of POINTS");
    grid->have_points = 1;
    if ((status = cond_mesh_file_integer(file, "the number of points", &n)) != COND_OK ||
        (status = read_type(file, &type)) != COND_OK)
        return status;
    if (type->kind != KIND_REAL)
        return cond_mesh_file_refuse(file, at, "points of type %s; float and double can be read",
                                     type->name);
    cond_mesh_file_skip_line(file);
    status = cond_mesh_file_count(file, at, "points", n, file->binary ? 3 * type->size : 6);
    if (status == COND_OK)
        status = cond_mesh_file_reserve(file, n, 0, 0);
    for (int64_t i = 0; i < n && status == COND_OK; i++) {
        double place[3];
        size_t here = file->at;
        for (int k = 0; k < 3 && status == COND_OK; k++)
            status = read_real(file, type, "a coordinate", &place[k]);
        if (status == COND_OK)
            status = cond_mesh_file_add_node(file, here, i, place);
    }
    return status;
}

// Version 5: n_cell + 1 offsets and the corners, each with the type of its numbers.
static CondStatus read_cells_new(Grid* grid, size_t at, int64_t n_offset, int64_t n_connectivity)
{
    CondMeshFile* file = grid->file;
    const Type* type;
    CondStatus status = COND_OK;
    for (int part = 0; part < 2 && status == COND_OK; part++) {
        const char* word = part == 0 ? "OFFSETS" : "CONNECTIVITY";
        if (!cond_mesh_file_word_is(file, word))
            return cond_mesh_file_refuse(file, file->at, "%s should be here", word);
        if ((status = read_type(file, &type)) != COND_OK)
            return status;
        if (type->kind == KIND_REAL || type->size < 4)
            return cond_mesh_file_refuse(file, file->at, "%s of type %s", word, type->name);
        cond_mesh_file_skip_line(file);
        if (part == 0)
            status = read_integers(file, at, type, "offsets", n_offset, &grid->offset);
        else
            status = read_integers(file, at, type, "corners", n_connectivity, &grid->connectivity);
    }
    return status;
}

// Before version 5: `size` integers, for each cell its number of corners and the corners. They are
// brought into the newer form.
static CondStatus read_cells_old(Grid* grid, size_t at, int64_t n_cell, int64_t size)
{
    static const Type integer = {"int", KIND_INTEGER, 4};
    CondMeshFile* file = grid->file;
    CondStatus status = read_integers(file, at, &integer, "corners", size, &grid->connectivity);
    if (status != COND_OK)
        return status;
    if (n_cell > size)
        return cond_mesh_file_refuse(file, at, "%lld cells in a list of %lld numbers",
                                     (long long)n_cell, (long long)size);
    grid->offset = cond_allocate(&file->context, (size_t)n_cell + 1, sizeof *grid->offset);
    if (!grid->offset)
        return cond_mesh_file_no_memory(file);
    int64_t from = 0, to = 0;
    for (int64_t i = 0; i < n_cell; i++) {
        int64_t n = from < size ? grid->connectivity[from++] : -1;
        if (n < 0 || n > size - from)
            return cond_mesh_file_refuse(file, at,
                                         "cell %lld does not fit in a list of %lld "
                                         "numbers",
                                         (long long)i, (long long)size);
        memmove(grid->connectivity + to, grid->connectivity + from, (size_t)n * sizeof(int64_t));
        from += n;
        to += n;
        grid->offset[i + 1] = to;
    }
    grid->n_connectivity = to;
    if (from != size)
        return cond_mesh_file_refuse(file, at, "the cells use %lld of %lld numbers",
                                     (long long)from, (long long)size);
    return COND_OK;
}

static CondStatus read_cells(Grid* grid)
{
    CondMeshFile* file = grid->file;
    size_t at = file->at;
    int64_t n, size;
    CondStatus status;
    if (grid->n_cell >= 0)
        return cond_mesh_file_refuse(file, at, "a second list of CELLS");
    if ((status = cond_mesh_file_integer(file, "the number of cells", &n)) != COND_OK ||
        (status = cond_mesh_file_integer(file, "the size of the list of cells", &size)) != COND_OK)
        return status;
    if (n < 0 || size < 0)
        return cond_mesh_file_refuse(file, at, "CELLS %lld %lld", (long long)n, (long long)size);
    grid->cells_at = at;
    cond_mesh_file_skip_line(file);
    size_t here = file->at;
    int newer = cond_mesh_file_word_is(file, "OFFSETS");
    file->at = here;
    if (!newer) {
        grid->n_cell = n;
        return read_cells_old(grid, at, n, size);
    }
    grid->n_cell = n > 0 ? n - 1 : 0;
    grid->n_connectivity = size;
    return n > 0 ? read_cells_new(grid, at, n, size)
                 : cond_mesh_file_refuse(file, at, "CELLS without offsets");
}

static CondStatus read_cell_types(Grid* grid)
{
    static const Type integer = {"int", KIND_INTEGER, 4};
    CondMeshFile* file = grid->file;
    size_t at = file->at;
    int64_t n;
    CondStatus status = cond_mesh_file_integer(file, "the number of cell types", &n);
    if (status != COND_OK)
        return status;
    if (n != grid->n_cell)
        return cond_mesh_file_refuse(file, at, "%lld cell types for %lld cells", (long long)n,
                                     (long long)(grid->n_cell < 0 ? 0 : grid->n_cell));
    cond_mesh_file_skip_line(file);
    return read_integers(file, at, &integer, "cell types", n, &grid->type);
}

// FIELD name n, then n arrays "name components tuples type" with their numbers: passed over.
static CondStatus skip_field(Grid* grid)
{
    CondMeshFile* file = grid->file;
    int64_t n, components, tuples;
    size_t length, at = file->at;
    cond_mesh_file_word(file, &length);
    CondStatus status = cond_mesh_file_integer(file, "the number of arrays", &n);
    if (status == COND_OK)
        status = cond_mesh_file_count(file, at, "arrays", n, 8);
    for (int64_t i = 0; i < n && status == COND_OK; i++) {
        const Type* type;
        cond_mesh_file_word(file, &length);
        if ((status = cond_mesh_file_integer(file, "components", &components)) != COND_OK ||
            (status = cond_mesh_file_integer(file, "tuples", &tuples)) != COND_OK ||
            (status = read_type(file, &type)) != COND_OK)
            return status;
        cond_mesh_file_skip_line(file);
        size_t each = file->binary ? type->size : 2;
        if ((status = cond_mesh_file_count(file, at, "components", components, 1)) != COND_OK ||
            (status = cond_mesh_file_count(file, at, "tuples", tuples,
                                           each * (size_t)(components > 0 ? components : 1))))
            return status;
        if (file->binary)
            file->at += (size_t)(components * tuples) * each <= file->size - file->at
                            ? (size_t)(components * tuples) * each
                            : file->size - file->at;
        for (int64_t k = 0; !file->binary && k < components * tuples; k++)
            cond_mesh_file_word(file, &length);
    }
    return status;
}

// METADATA ends at an empty line.
static void skip_metadata(CondMeshFile* file)
{
    cond_mesh_file_skip_line(file);
    while (file->at < file->size) {
        size_t begin = file->at;
        cond_mesh_file_skip_line(file);
        size_t end = file->at;
        while (end > begin && isspace((unsigned char)file->data[end - 1]))
            end--;
        if (end == begin)
            return;
    }
}

static CondStatus read_header(CondMeshFile* file)
{
    static const char mark[] = "# vtk DataFile Version ";
    double version;
    if (file->size < sizeof mark || memcmp(file->data, mark, sizeof mark - 1) != 0)
        return cond_mesh_file_refuse(file, 0, "the file does not begin with '%s'", mark);
    file->at = sizeof mark - 1;
    CondStatus status = cond_mesh_file_number(file, "the version", &version);
    if (status != COND_OK)
        return status;
    if (!(version >= 1.0 && version < 6.0))
        return cond_mesh_file_refuse(file, 0, "version %g; 1 to 5 can be read", version);
    cond_mesh_file_skip_line(file);
    cond_mesh_file_skip_line(file); // the title
    size_t at = file->at;
    int binary = cond_mesh_file_word_is(file, "BINARY");
    if (!binary && !cond_mesh_file_word_is(file, "ASCII"))
        return cond_mesh_file_refuse(file, at, "ASCII or BINARY should be here");
    at = file->at;
    if (!cond_mesh_file_word_is(file, "DATASET") ||
        !cond_mesh_file_word_is(file, "UNSTRUCTURED_GRID"))
        return cond_mesh_file_refuse(file, at + 1,
                                     "DATASET UNSTRUCTURED_GRID should be here; "
                                     "other data sets cannot be read");
    file->binary = binary;
    const uint16_t one = 1;
    file->swap = *(const unsigned char*)&one == 1; // this machine is little-endian
    return COND_OK;
}

static CondStatus read_grid(Grid* grid)
{
    CondMeshFile* file = grid->file;
    CondStatus status = read_header(file);
    while (status == COND_OK) {
        cond_mesh_file_skip_space(file);
        size_t length, at = file->at;
        if (at == file->size || cond_mesh_file_word_is(file, "CELL_DATA") ||
            cond_mesh_file_word_is(file, "POINT_DATA"))
            break; // the values on the mesh are of no interest here
        if (cond_mesh_file_word_is(file, "POINTS"))
            status = read_points(grid);
        else if (cond_mesh_file_word_is(file, "CELLS"))
            status = read_cells(grid);
        else if (cond_mesh_file_word_is(file, "CELL_TYPES"))
            status = read_cell_types(grid);
        else if (cond_mesh_file_word_is(file, "FIELD"))
            status = skip_field(grid);
        else if (cond_mesh_file_word_is(file, "METADATA"))
            skip_metadata(file);
        else {
            const char* word = cond_mesh_file_word(file, &length);
            status = cond_mesh_file_refuse(file, at, "unknown keyword '%.*s'",
                                           (int)(length < 40 ? length : 40), word);
        }
    }
    if (status != COND_OK)
        return status;
    if (!grid->have_points || grid->n_cell < 0 || !grid->type)
        return cond_mesh_file_refuse(file, file->at, "the file has no %s",
                                     !grid->have_points ? "POINTS"
                                     : grid->n_cell < 0 ? "CELLS"
                                                        : "CELL_TYPES");
    return cond_mesh_add_cells(file, grid->cells_at, 0, grid->n_cell, grid->offset,
                               grid->connectivity, grid->n_connectivity, grid->type);
}

CondStatus cond_mesh_read_vtk(CondMeshFile* file)
{
    Grid grid = {.file = file, .n_cell = -1};
    CondStatus status = read_grid(&grid);
    cond_release(&file->context, grid.offset);
    cond_release(&file->context, grid.connectivity);
    cond_release(&file->context, grid.type);
    return status;
}
