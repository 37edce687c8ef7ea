// Gmsh's own format, versions 2.2 and 4.1, as text and binary. A file is a list of sections
// $Name ... $EndName; the nodes and elements are read, every other section is passed over.
#include "base/memory.h"
#include "mesh_file/mesh_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIANGLE = 2, TETRAHEDRON = 4, QUADRATIC = 11, MOST_CORNERS = 125 };

// Nodes of each element type; 0 where gmsh knows none.
static int corners_of(int64_t type)
{
    static const unsigned char n[] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                      8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};
    if (type == 92)
        return 64;
    if (type == 93)
        return 125;
    return type >= 0 && type < (int64_t)sizeof n ? n[type] : 0;
}

// Gmsh numbers its nodes as it likes: the tags in rising order, each with its place in the mesh.
typedef struct Tag {
    int64_t tag;
    int index;
} Tag;

typedef struct Reader {
    CondMeshFile* file;
    int version; // 22 or 41
    Tag* tag;    // (n_node)
    int n_tag, tag_capacity;
    int have_elements;
} Reader;

static int compare_tag(const void* left, const void* right)
{
    const Tag *a = left, *b = right;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

// An integer of the file: a word in text, in binary 4 bytes or 8 as the field has it.
static CondStatus get(Reader* reader, const char* what, int wide, int64_t* value)
{
    if (!reader->file->binary)
        return cond_mesh_file_integer(reader->file, what, value);
    if (wide)
        return cond_mesh_file_int64(reader->file, what, value);
    int32_t narrow = 0;
    CondStatus status = cond_mesh_file_int32(reader->file, what, &narrow);
    *value = narrow;
    return status;
}

static CondStatus get_number(Reader* reader, const char* what, double* value)
{
    return reader->file->binary ? cond_mesh_file_double(reader->file, what, value)
                                : cond_mesh_file_number(reader->file, what, value);
}

static CondStatus get_place(Reader* reader, double place[3])
{
    CondStatus status = COND_OK;
    for (int k = 0; k < 3 && status == COND_OK; k++)
        status = get_number(reader, "a coordinate", &place[k]);
    return status;
}

static CondStatus expect(Reader* reader, const char* word)
{
    size_t length;
    if (cond_mesh_file_word_is(reader->file, word))
        return COND_OK;
    cond_mesh_file_skip_space(reader->file);
    size_t at = reader->file->at;
    const char* found = cond_mesh_file_word(reader->file, &length);
    if (length == 0)
        return cond_mesh_file_refuse(reader->file, at, "the file ends where %s should be", word);
    return cond_mesh_file_refuse(reader->file, at, "%s should be here, not '%.*s'", word,
                                 (int)(length < 40 ? length : 40), found);
}

// $MeshFormat: version, text or binary, size of a number; then, in binary, the integer 1, which
// tells the byte order.
static CondStatus read_format(Reader* reader)
{
    CondMeshFile* file = reader->file;
    double version;
    int64_t binary, size;
    CondStatus status = expect(reader, "$MeshFormat");
    size_t at = file->at;
    if (status != COND_OK ||
        (status = cond_mesh_file_number(file, "the version", &version)) != COND_OK ||
        (status = cond_mesh_file_integer(file, "the kind of file", &binary)) != COND_OK ||
        (status = cond_mesh_file_integer(file, "the size of a number", &size)) != COND_OK)
        return status;
    if (version != 2.2 && version != 4.1)
        return cond_mesh_file_refuse(file, at + 1, "gmsh version %g; 2.2 and 4.1 can be read",
                                     version);
    if (binary != 0 && binary != 1)
        return cond_mesh_file_refuse(file, at + 1, "the kind of file is %lld, not 0 or 1",
                                     (long long)binary);
    if (size != 8)
        return cond_mesh_file_refuse(file, at + 1, "numbers of %lld bytes; only 8 can be read",
                                     (long long)size);
    reader->version = version == 2.2 ? 22 : 41;
    if (binary) {
        int32_t one = 0;
        cond_mesh_file_skip_line(file);
        file->binary = 1;
        if ((status = cond_mesh_file_int32(file, "the mark of the byte order", &one)) != COND_OK)
            return status;
        if (one != 1) {
            cond_bytes_swap(&one, 1, sizeof one);
            file->swap = 1;
        }
        if (one != 1)
            return cond_mesh_file_refuse(file, file->at - 4, "the mark of the byte order is not 1");
    }
    return expect(reader, "$EndMeshFormat");
}

static CondStatus add_tag(Reader* reader, int64_t tag)
{
    CondMeshFile* file = reader->file;
    if (cond_reserve(&file->context, &reader->tag, &reader->tag_capacity, reader->n_tag + 1,
                     sizeof *reader->tag) != COND_OK)
        return cond_mesh_file_no_memory(file);
    Tag* put = &reader->tag[reader->n_tag];
    put->tag = tag;
    put->index = reader->n_tag++;
    return COND_OK;
}

static CondStatus reserve_nodes(Reader* reader, size_t at, int64_t count, size_t smallest)
{
    CondMeshFile* file = reader->file;
    CondStatus status = cond_mesh_file_count(file, at, "nodes", count, smallest);
    if (status == COND_OK)
        status = cond_mesh_file_reserve(file, count, 0, 0);
    if (status == COND_OK && cond_reserve(&file->context, &reader->tag, &reader->tag_capacity,
                                          reader->n_tag + (int)count, sizeof *reader->tag))
        status = cond_mesh_file_no_memory(file);
    return status;
}

// Version 2.2: the count, then tag x y z for each.
static CondStatus read_nodes_22(Reader* reader)
{
    CondMeshFile* file = reader->file;
    int64_t count, tag;
    size_t at = file->at;
    CondStatus status = cond_mesh_file_integer(file, "the number of nodes", &count);
    if (status == COND_OK && file->binary)
        cond_mesh_file_skip_line(file);
    if (status == COND_OK)
        status = reserve_nodes(reader, at, count, file->binary ? 28 : 8);
    for (int64_t i = 0; i < count && status == COND_OK; i++) {
        double place[3];
        at = file->at;
        if ((status = get(reader, "the number of a node", 0, &tag)) == COND_OK &&
            (status = get_place(reader, place)) == COND_OK &&
            (status = add_tag(reader, tag)) == COND_OK)
            status = cond_mesh_file_add_node(file, at, tag, place);
    }
    return status;
}

// One block of version 4.1: all tags, then all places; a parametric node has as many further
// numbers as its entity has dimensions.
static CondStatus read_node_block(Reader* reader)
{
    CondMeshFile* file = reader->file;
    int64_t dimension, entity, parametric, count, tag;
    size_t at = file->at;
    CondStatus status;
    if ((status = get(reader, "the dimension of a block", 0, &dimension)) != COND_OK ||
        (status = get(reader, "the entity of a block", 0, &entity)) != COND_OK ||
        (status = get(reader, "the parametric mark", 0, &parametric)) != COND_OK ||
        (status = get(reader, "the number of nodes", 1, &count)) != COND_OK)
        return status;
    if (dimension < 0 || dimension > 3)
        return cond_mesh_file_refuse(file, at, "a block of dimension %lld", (long long)dimension);
    int first = reader->n_tag;
    int more = parametric ? (int)dimension : 0;
    status = reserve_nodes(reader, at, count, file->binary ? 32 : 8);
    for (int64_t i = 0; i < count && status == COND_OK; i++)
        if ((status = get(reader, "the number of a node", 1, &tag)) == COND_OK)
            status = add_tag(reader, tag);
    for (int64_t i = 0; i < count && status == COND_OK; i++) {
        double place[3], ignored;
        at = file->at;
        status = get_place(reader, place);
        for (int k = 0; k < more && status == COND_OK; k++)
            status = get_number(reader, "a parameter of a node", &ignored);
        if (status == COND_OK)
            status = cond_mesh_file_add_node(file, at, reader->tag[first + i].tag, place);
    }
    return status;
}

// The line of four counts before the blocks of version 4.1: blocks, items, smallest and largest
// tag.
static CondStatus read_counts_41(Reader* reader, int64_t* blocks, int64_t* items)
{
    int64_t ignored;
    CondStatus status = get(reader, "the number of blocks", 1, blocks);
    if (status == COND_OK)
        status = get(reader, "the number of items", 1, items);
    for (int k = 0; k < 2 && status == COND_OK; k++)
        status = get(reader, "the range of numbers", 1, &ignored);
    return status;
}

static CondStatus read_nodes_41(Reader* reader)
{
    CondMeshFile* file = reader->file;
    int64_t blocks = 0, items = 0;
    size_t at = file->at;
    CondStatus status = read_counts_41(reader, &blocks, &items);
    if (status == COND_OK)
        status = cond_mesh_file_count(file, at, "blocks", blocks, 8);
    if (status == COND_OK)
        status = reserve_nodes(reader, at, items, file->binary ? 32 : 8);
    for (int64_t i = 0; i < blocks && status == COND_OK; i++)
        status = read_node_block(reader);
    if (status == COND_OK && file->n_node != items)
        status = cond_mesh_file_refuse(file, at + 1, "%lld nodes are announced, the file has %d",
                                       (long long)items, file->n_node);
    return status;
}

static CondStatus read_nodes(Reader* reader)
{
    CondMeshFile* file = reader->file;
    size_t at = file->at;
    if (reader->tag)
        return cond_mesh_file_refuse(file, at, "a second section of nodes");
    if (file->binary)
        cond_mesh_file_skip_line(file);
    CondStatus status = reader->version == 22 ? read_nodes_22(reader) : read_nodes_41(reader);
    if (status != COND_OK)
        return status;
    qsort(reader->tag, (size_t)reader->n_tag, sizeof *reader->tag, compare_tag);
    for (int i = 1; i < reader->n_tag; i++)
        if (reader->tag[i].tag == reader->tag[i - 1].tag)
            return cond_mesh_file_refuse(file, at, "two nodes have the number %lld",
                                         (long long)reader->tag[i].tag);
    return expect(reader, "$EndNodes");
}

// The nodes of one element; those of triangles and tetrahedra are looked up and kept.
static CondStatus read_corners(Reader* reader, size_t at, int64_t number, int64_t type, int wide)
{
    CondMeshFile* file = reader->file;
    int64_t corner[MOST_CORNERS];
    int n = corners_of(type);
    for (int k = 0; k < n; k++) {
        CondStatus status = get(reader, "the node of an element", wide, &corner[k]);
        if (status != COND_OK)
            return status;
    }
    if (type != TRIANGLE && type != TETRAHEDRON && type != QUADRATIC) {
        file->n_ignored++;
        return COND_OK;
    }
    for (int k = 0; k < n; k++) {
        Tag key = {corner[k], 0};
        // Most files number their nodes 1, 2, 3 ...: then no search is needed.
        const Tag* found = NULL;
        if (key.tag >= 1 && key.tag <= reader->n_tag && reader->tag[key.tag - 1].tag == key.tag)
            found = &reader->tag[key.tag - 1];
        for (int low = 0, high = reader->n_tag; !found && low < high;) {
            int middle = low + (high - low) / 2;
            if (reader->tag[middle].tag == key.tag)
                found = &reader->tag[middle];
            else if (reader->tag[middle].tag < key.tag)
                low = middle + 1;
            else
                high = middle;
        }
        if (!found)
            return cond_mesh_file_refuse(file, at,
                                         "element %lld names node %lld, which is not "
                                         "there",
                                         (long long)number, (long long)key.tag);
        corner[k] = found->index;
    }
    if (type != QUADRATIC)
        return cond_mesh_file_add_element(file, at, number, n, corner);
    int64_t kept = corner[8]; // gmsh has the edge 23 before 13
    corner[8] = corner[9];
    corner[9] = kept;
    return cond_mesh_file_add_quadratic(file, at, number, corner);
}

static CondStatus check_type(const Reader* reader, size_t at, int64_t type)
{
    if (corners_of(type) > 0)
        return COND_OK;
    return cond_mesh_file_refuse(reader->file, at, "unknown element type %lld", (long long)type);
}

// `count` elements of one type with n_tag tags each, as version 2.2 has them: number, tags, nodes.
// In text the type and the number of tags stand between and are read by the caller.
static CondStatus read_element_22(Reader* reader, size_t at, int64_t number, int64_t type,
                                  int64_t n_tag)
{
    int64_t ignored;
    CondStatus status = cond_mesh_file_count(reader->file, at, "tags", n_tag, 2);
    for (int64_t k = 0; k < n_tag && status == COND_OK; k++)
        status = get(reader, "the tag of an element", 0, &ignored);
    return status == COND_OK ? read_corners(reader, at, number, type, 0) : status;
}

static CondStatus read_elements_22(Reader* reader)
{
    CondMeshFile* file = reader->file;
    int64_t count, number = 0, type = 0, n_tag = 0, follow = 1;
    size_t at = file->at;
    CondStatus status = cond_mesh_file_integer(file, "the number of elements", &count);
    if (status != COND_OK)
        return status;
    if (file->binary)
        cond_mesh_file_skip_line(file);
    status = cond_mesh_file_count(file, at, "elements", count, 8);
    for (int64_t i = 0; i < count && status == COND_OK;) {
        at = file->at;
        if (!file->binary)
            cond_mesh_file_skip_space(file);
        at = file->at;
        if (!file->binary)
            status = get(reader, "the number of an element", 0, &number);
        if (status == COND_OK)
            status = get(reader, "the type of an element", 0, &type);
        if (status == COND_OK && file->binary)
            status = get(reader, "the number of elements of a block", 0, &follow);
        if (status == COND_OK)
            status = get(reader, "the number of tags", 0, &n_tag);
        if (status == COND_OK)
            status = check_type(reader, at, type);
        if (status == COND_OK && (follow < 1 || follow > count - i))
            status = cond_mesh_file_refuse(file, at, "a block of %lld elements where %lld remain",
                                           (long long)follow, (long long)(count - i));
        for (int64_t k = 0; k < follow && status == COND_OK; k++, i++) {
            if (file->binary)
                status = get(reader, "the number of an element", 0, &number);
            if (status == COND_OK)
                status =
                    read_element_22(reader, file->binary ? file->at - 4 : at, number, type, n_tag);
        }
    }
    return status;
}

static CondStatus read_element_block(Reader* reader, int64_t* n_read)
{
    CondMeshFile* file = reader->file;
    int64_t dimension, entity, type, count, number;
    size_t at = file->at;
    CondStatus status;
    if ((status = get(reader, "the dimension of a block", 0, &dimension)) != COND_OK ||
        (status = get(reader, "the entity of a block", 0, &entity)) != COND_OK ||
        (status = get(reader, "the type of elements", 0, &type)) != COND_OK ||
        (status = get(reader, "the number of elements", 1, &count)) != COND_OK ||
        (status = check_type(reader, at + !file->binary, type)) != COND_OK)
        return status;
    size_t words = (size_t)corners_of(type) + 1;
    status = cond_mesh_file_count(file, at, "elements", count, words * (file->binary ? 8 : 2));
    if (status == COND_OK)
        status =
            cond_mesh_file_reserve(file, 0, type == TETRAHEDRON || type == QUADRATIC ? count : 0,
                                   type == TRIANGLE ? count : 0);
    for (int64_t i = 0; i < count && status == COND_OK; i++) {
        if (!file->binary)
            cond_mesh_file_skip_space(file);
        at = file->at;
        status = get(reader, "the number of an element", 1, &number);
        if (status == COND_OK)
            status = read_corners(reader, at, number, type, 1);
    }
    *n_read += count;
    return status;
}

static CondStatus read_elements_41(Reader* reader)
{
    CondMeshFile* file = reader->file;
    int64_t blocks = 0, items = 0, n_read = 0;
    size_t at = file->at;
    CondStatus status = read_counts_41(reader, &blocks, &items);
    if (status == COND_OK)
        status = cond_mesh_file_count(file, at, "blocks", blocks, 8);
    for (int64_t i = 0; i < blocks && status == COND_OK; i++)
        status = read_element_block(reader, &n_read);
    if (status == COND_OK && n_read != items)
        status =
            cond_mesh_file_refuse(file, at + 1, "%lld elements are announced, the file has %lld",
                                  (long long)items, (long long)n_read);
    return status;
}

static CondStatus read_elements(Reader* reader)
{
    CondMeshFile* file = reader->file;
    if (!reader->tag)
        return cond_mesh_file_refuse(file, file->at, "elements before any nodes");
    if (reader->have_elements)
        return cond_mesh_file_refuse(file, file->at, "a second section of elements");
    reader->have_elements = 1;
    if (file->binary)
        cond_mesh_file_skip_line(file);
    CondStatus status = reader->version == 22 ? read_elements_22(reader) : read_elements_41(reader);
    return status == COND_OK ? expect(reader, "$EndElements") : status;
}

// Passes over a section: its end is a line of its own, $End and the name.
static CondStatus skip_section(Reader* reader, size_t at, const char* name, size_t length)
{
    CondMeshFile* file = reader->file;
    char end[64];
    int n = snprintf(end, sizeof end, "\n$End%.*s", (int)(length - 1), name + 1);
    for (; n < (int)sizeof end && file->at + (size_t)n <= file->size; file->at++) {
        if (memcmp(file->data + file->at, end, (size_t)n) == 0) {
            file->at += (size_t)n;
            return COND_OK;
        }
    }
    return cond_mesh_file_refuse(file, at, "the section %.*s has no end",
                                 (int)(length < 40 ? length : 40), name);
}

static CondStatus read_sections(Reader* reader)
{
    CondMeshFile* file = reader->file;
    CondStatus status = read_format(reader);
    while (status == COND_OK) {
        size_t length;
        const char* word = cond_mesh_file_word(file, &length);
        size_t at = (size_t)(word - file->data);
        if (length == 0)
            break;
        if (word[0] != '$' || length < 2)
            status = cond_mesh_file_refuse(file, at, "a section should begin here, not '%.*s'",
                                           (int)(length < 40 ? length : 40), word);
        else if (length == 6 && memcmp(word, "$Nodes", length) == 0)
            status = read_nodes(reader);
        else if (length == 9 && memcmp(word, "$Elements", length) == 0)
            status = read_elements(reader);
        else
            status = skip_section(reader, at, word, length);
    }
    if (status == COND_OK && !reader->have_elements)
        status = cond_mesh_file_refuse(file, file->size, "the file has no section $%s",
                                       reader->tag ? "Elements" : "Nodes");
    return status;
}

CondStatus cond_mesh_read_gmsh(CondMeshFile* file)
{
    if (cond_mesh_is_mujoco(file))
        return cond_mesh_read_mujoco(file);
    Reader reader = {.file = file};
    CondStatus status = read_sections(&reader);
    cond_release(&file->context, reader.tag);
    return status;
}
