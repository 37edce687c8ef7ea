// VTK's XML format for unstructured grids. libxml2 reads the tags; the numbers are read by
// cond_mesh_array_read. Raw appended data are no XML, so they are cut off first.
#include "base/memory.h"
#include "mesh_file/mesh_array.h"
#include "mesh_file/mesh_cells.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    CondMeshFile* file;
    int compressed, wide_header, swap;
    const char* appended; // behind the underscore; NULL where there are none
    size_t n_appended;
    CondArrayForm appended_form;
} Reader;

static const char* find_text(const char* data, size_t size, const char* text)
{
    size_t n = strlen(text);
    for (const char* p = data; size >= n && p <= data + size - n; p++) {
        p = memchr(p, text[0], (size_t)(data + size - n - p) + 1);
        if (!p)
            return NULL;
        if (memcmp(p, text, n) == 0)
            return p;
    }
    return NULL;
}

// The place in the file where a line begins.
static size_t place_of_line(const CondMeshFile* file, long line)
{
    const char* p = file->data;
    for (long i = 1; i < line && p; i++) {
        p = memchr(p, '\n', file->size - (size_t)(p - file->data));
        p = p ? p + 1 : NULL;
    }
    return p ? (size_t)(p - file->data) : file->size;
}

static size_t place_of(const Reader* reader, const xmlNode* node)
{
    return place_of_line(reader->file, xmlGetLineNo(node));
}

// The value of an attribute, or `other` where it is not there. Values with entities in them are
// not expected and read as far as the entity.
static const char* attribute(const xmlNode* node, const char* name, const char* other)
{
    const xmlAttr* found = xmlHasProp((xmlNode*)node, (const xmlChar*)name);
    if (!found || !found->children || !found->children->content)
        return other;
    return (const char*)found->children->content;
}

static xmlNode* child(const xmlNode* node, const char* name, const xmlNode* after)
{
    for (xmlNode* c = after ? after->next : node->children; c; c = c->next)
        if (c->type == XML_ELEMENT_NODE && strcmp((const char*)c->name, name) == 0)
            return c;
    return NULL;
}

static CondStatus read_count(const Reader* reader, const xmlNode* node, const char* name,
                             int64_t* value)
{
    const char* text = attribute(node, name, "");
    char* end;
    *value = strtoll(text, &end, 10);
    if (end == text || *end || *value < 0 || *value > INT_MAX / 4)
        return cond_mesh_file_refuse(reader->file, place_of(reader, node),
                                     "%s=\"%.40s\" of <%s> is no count", name, text, node->name);
    return COND_OK;
}

// Fills in where the numbers of a DataArray stand. Inline text is held by *text, which the caller
// releases with xmlFree.
static CondStatus locate(const Reader* reader, const xmlNode* node, CondMeshArray* array,
                         xmlChar** text)
{
    CondMeshFile* file = reader->file;
    const char* format = attribute(node, "format", "ascii");
    *array = (CondMeshArray){.type = attribute(node, "type", ""),
                             .name = attribute(node, "Name", "Points"),
                             .at = place_of(reader, node),
                             .compressed = reader->compressed,
                             .wide_header = reader->wide_header,
                             .swap = reader->swap};
    if (strcmp(format, "appended") == 0) {
        char* end;
        const char* given = attribute(node, "offset", "");
        unsigned long long offset = strtoull(given, &end, 10);
        if (end == given || *end || *given == '-' || !reader->appended ||
            offset > reader->n_appended)
            return cond_mesh_file_refuse(file, array->at,
                                         "'%s' is at offset \"%.40s\" of %zu appended bytes",
                                         array->name, given, reader->n_appended);
        array->form = reader->appended_form;
        array->data = reader->appended + offset;
        array->size = reader->n_appended - (size_t)offset;
        if (array->form == COND_ARRAY_RAW) { // the byte says more than the line
            file->binary = 1;
            array->at = (size_t)(array->data - file->data);
        }
        return COND_OK;
    }
    if (strcmp(format, "ascii") != 0 && strcmp(format, "binary") != 0)
        return cond_mesh_file_refuse(file, array->at, "'%s' has the unknown format \"%.40s\"",
                                     array->name, format);
    array->form = *format == 'a' ? COND_ARRAY_TEXT : COND_ARRAY_BASE64;
    *text = xmlNodeGetContent(node);
    if (!*text)
        return cond_mesh_file_no_memory(file);
    array->data = (const char*)*text;
    array->size = strlen(array->data);
    return COND_OK;
}

static CondStatus read_array(const Reader* reader, const xmlNode* node, int64_t n, double** real,
                             int64_t** integer)
{
    CondMeshArray array;
    xmlChar* text = NULL;
    CondStatus status = locate(reader, node, &array, &text);
    if (status == COND_OK)
        status = cond_mesh_array_read(reader->file, &array, n, real, integer);
    if (text)
        xmlFree(text);
    reader->file->binary = 0;
    return status;
}

static CondStatus read_points(const Reader* reader, const xmlNode* piece, int64_t n)
{
    CondMeshFile* file = reader->file;
    const xmlNode* points = child(piece, "Points", NULL);
    const xmlNode* data = points ? child(points, "DataArray", NULL) : NULL;
    if (!data)
        return cond_mesh_file_refuse(file, place_of(reader, piece), "the piece has no Points");
    if (strcmp(attribute(data, "NumberOfComponents", "3"), "3") != 0)
        return cond_mesh_file_refuse(file, place_of(reader, data),
                                     "points have 3 components, not %.40s",
                                     attribute(data, "NumberOfComponents", ""));
    double* place = NULL;
    CondStatus status = read_array(reader, data, 3 * n, &place, NULL);
    if (status == COND_OK)
        status = cond_mesh_file_reserve(file, n, 0, 0);
    size_t at = place_of(reader, data);
    for (int64_t i = 0; i < n && status == COND_OK; i++)
        status = cond_mesh_file_add_node(file, at, i, place + 3 * i);
    cond_release(&file->context, place);
    return status;
}

static CondStatus read_cell_array(const Reader* reader, const xmlNode* cells, const char* name,
                                  int64_t n, int64_t** out)
{
    for (const xmlNode* c = NULL; (c = child(cells, "DataArray", c));)
        if (strcmp(attribute(c, "Name", ""), name) == 0)
            return read_array(reader, c, n, NULL, out);
    return cond_mesh_file_refuse(reader->file, place_of(reader, cells), "the cells have no '%s'",
                                 name);
}

static CondStatus read_cells(const Reader* reader, const xmlNode* piece, int64_t base, int64_t n)
{
    CondMeshFile* file = reader->file;
    const CondContext* context = &file->context;
    const xmlNode* cells = child(piece, "Cells", NULL);
    if (!cells)
        return cond_mesh_file_refuse(file, place_of(reader, piece), "the piece has no Cells");
    int64_t *end = NULL, *type = NULL, *connectivity = NULL, *offset = NULL;
    CondStatus status = read_cell_array(reader, cells, "offsets", n, &end);
    if (status == COND_OK)
        status = read_cell_array(reader, cells, "types", n, &type);
    int64_t n_corner = status == COND_OK && n > 0 ? end[n - 1] : 0;
    if (status == COND_OK)
        status = read_cell_array(reader, cells, "connectivity", n_corner, &connectivity);
    if (status == COND_OK) { // the file gives where each cell ends; the first begins at 0
        offset = cond_allocate(context, (size_t)n + 1, sizeof *offset);
        if (offset)
            memcpy(offset + 1, end, (size_t)n * sizeof *offset);
        status = offset ? cond_mesh_add_cells(file, place_of(reader, cells), base, n, offset,
                                              connectivity, n_corner, type)
                        : cond_mesh_file_no_memory(file);
    }
    cond_release(context, end);
    cond_release(context, type);
    cond_release(context, connectivity);
    cond_release(context, offset);
    return status;
}

// What the attributes of <VTKFile> say about all arrays.
static CondStatus read_header(Reader* reader, const xmlNode* root)
{
    CondMeshFile* file = reader->file;
    size_t at = root ? place_of(reader, root) : 0;
    if (!root || strcmp((const char*)root->name, "VTKFile") != 0)
        return cond_mesh_file_refuse(file, at, "the file is not a VTKFile");
    if (strcmp(attribute(root, "type", ""), "UnstructuredGrid") != 0)
        return cond_mesh_file_refuse(file, at, "the file holds '%.40s', not an UnstructuredGrid",
                                     attribute(root, "type", ""));
    const char* compressor = attribute(root, "compressor", "");
    if (*compressor && strcmp(compressor, "vtkZLibDataCompressor") != 0)
        return cond_mesh_file_refuse(file, at,
                                     "the compressor %.60s is not known; "
                                     "vtkZLibDataCompressor is",
                                     compressor);
    reader->compressed = *compressor != 0;
    const char* header = attribute(root, "header_type", "UInt32");
    reader->wide_header = strcmp(header, "UInt64") == 0;
    if (!reader->wide_header && strcmp(header, "UInt32") != 0)
        return cond_mesh_file_refuse(file, at, "header_type is '%.40s', not UInt32 or UInt64",
                                     header);
    const uint16_t one = 1;
    int little = *(const unsigned char*)&one == 1;
    const char* order = attribute(root, "byte_order", "LittleEndian");
    if (strcmp(order, "LittleEndian") != 0 && strcmp(order, "BigEndian") != 0)
        return cond_mesh_file_refuse(file, at, "byte_order is '%.40s'", order);
    reader->swap = (strcmp(order, "LittleEndian") == 0) != little;
    const xmlNode* appended = child(root, "AppendedData", NULL);
    reader->appended_form =
        appended && strcmp(attribute(appended, "encoding", "raw"), "base64") == 0
            ? COND_ARRAY_BASE64
            : COND_ARRAY_RAW;
    return COND_OK;
}

static CondStatus read_grid(Reader* reader, const xmlNode* root)
{
    CondStatus status = read_header(reader, root);
    if (status != COND_OK)
        return status;
    const xmlNode* grid = child(root, "UnstructuredGrid", NULL);
    if (!grid || !child(grid, "Piece", NULL))
        return cond_mesh_file_refuse(reader->file, place_of(reader, root), "no %s in the file",
                                     grid ? "Piece" : "UnstructuredGrid");
    for (const xmlNode* piece = NULL; status == COND_OK && (piece = child(grid, "Piece", piece));) {
        int64_t n_point, n_cell, base = reader->file->n_node;
        if ((status = read_count(reader, piece, "NumberOfPoints", &n_point)) == COND_OK &&
            (status = read_count(reader, piece, "NumberOfCells", &n_cell)) == COND_OK &&
            (status = read_points(reader, piece, n_point)) == COND_OK)
            status = read_cells(reader, piece, base, n_cell);
    }
    return status;
}

// Finds the appended data. The XML in front of them, with the tags closed again, comes back as
// *xml of *size bytes from the context; where there are none it is the file itself.
static CondStatus cut_appended(Reader* reader, char** xml, size_t* size)
{
    static const char closing[] = "</AppendedData></VTKFile>";
    CondMeshFile* file = reader->file;
    const char* data_end = file->data + file->size;
    const char* tag = find_text(file->data, file->size, "<AppendedData");
    const char* begin = tag ? memchr(tag, '>', (size_t)(data_end - tag)) : NULL;
    *xml = file->data;
    *size = file->size;
    if (!begin || begin[-1] == '/')
        return COND_OK;
    const char* last = NULL; // raw bytes may hold anything: the last closing tag is the real one
    for (const char* p = data_end; p > begin && !last; p--)
        if (*p == '<' && (size_t)(data_end - p) >= 15 && memcmp(p, closing, 15) == 0)
            last = p;
    if (!last)
        return cond_mesh_file_refuse(file, (size_t)(tag - file->data),
                                     "the appended data have no end");
    const char* mark = memchr(begin, '_', (size_t)(last - begin));
    if (!mark)
        return cond_mesh_file_refuse(file, (size_t)(tag - file->data),
                                     "the appended data do not begin with an underscore");
    reader->appended = mark + 1;
    reader->n_appended = (size_t)(last - mark - 1);
    size_t head = (size_t)(begin - file->data) + 1;
    *size = head + sizeof closing - 1;
    *xml = cond_allocate(&file->context, *size, 1);
    if (!*xml)
        return cond_mesh_file_no_memory(file);
    memcpy(*xml, file->data, head);
    memcpy(*xml + head, closing, sizeof closing - 1);
    return COND_OK;
}

static CondStatus parse(Reader* reader, const char* xml, size_t size, xmlDoc** document)
{
    CondMeshFile* file = reader->file;
    const char* type = find_text(xml, size, "<!DOCTYPE");
    if (type) // a mesh needs none, and entities in it could grow without bound
        return cond_mesh_file_refuse(file, (size_t)(type - xml), "a DOCTYPE is not allowed here");
    if (size > INT_MAX)
        return cond_mesh_file_refuse(file, 0, "more than 2 GiB of XML");
    xmlParserCtxt* parser = xmlNewParserCtxt();
    if (!parser)
        return cond_mesh_file_no_memory(file);
    // The encoding is given: libxml2 reports a failed conversion on standard error, past all flags.
    *document = xmlCtxtReadMemory(parser, xml, (int)size, NULL, "UTF-8",
                                  XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                      XML_PARSE_HUGE | XML_PARSE_BIG_LINES | XML_PARSE_IGNORE_ENC);
    CondStatus status = COND_OK;
    if (!*document && parser->lastError.code == XML_ERR_NO_MEMORY) {
        status = cond_mesh_file_no_memory(file);
    } else if (!*document) {
        const char* message = parser->lastError.message ? parser->lastError.message : "no XML";
        status =
            cond_mesh_file_refuse(file, place_of_line(file, parser->lastError.line),
                                  "not well-formed: %.*s", (int)strcspn(message, "\n"), message);
    }
    xmlFreeParserCtxt(parser);
    return status;
}

CondStatus cond_mesh_read_vtu(CondMeshFile* file)
{
    Reader reader = {.file = file};
    char* xml = file->data;
    size_t size = 0;
    xmlDoc* document = NULL;
    CondStatus status = cut_appended(&reader, &xml, &size);
    if (status == COND_OK)
        status = parse(&reader, xml, size, &document);
    if (status == COND_OK)
        status = read_grid(&reader, xmlDocGetRootElement(document));
    if (document)
        xmlFreeDoc(document);
    if (xml != file->data)
        cond_release(&file->context, xml);
    return status;
}
