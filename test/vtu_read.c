// Reads VTK's XML files back, for tests.
#include "vtu_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

VtuFile vtu_open(const char* path)
{
    VtuFile file = {0};
    FILE* in = fopen(path, "rb");
    if (!in)
        fail_msg("%s is not there", path);
    fseek(in, 0, SEEK_END);
    file.size = (size_t)ftell(in);
    rewind(in);
    file.bytes = malloc(file.size + 1);
    assert_non_null(file.bytes);
    assert_int_equal(fread(file.bytes, 1, file.size, in), file.size);
    fclose(in);
    file.bytes[file.size] = '\0';
    // Raw data are no XML: everything in front of them and behind them is.
    static const char tag[] = "<AppendedData encoding=\"raw\">\n_", end[] = "</VTKFile>\n";
    char* found = strstr(file.bytes, tag);
    size_t head = found ? (size_t)(found - file.bytes) : file.size;
    char* text = malloc(head + sizeof end);
    assert_non_null(text);
    memcpy(text, file.bytes, head);
    strcpy(text + head, found ? end : "");
    file.data = head + sizeof tag - 1;
    file.document = xmlReadMemory(text, (int)strlen(text), path, NULL, XML_PARSE_NONET);
    free(text);
    if (!file.document)
        fail_msg("%s is not well-formed", path);
    if (found) {
        static const char tail[] = "\n</AppendedData>\n</VTKFile>\n";
        assert_string_equal(file.bytes + file.size - (sizeof tail - 1), tail);
    }
    return file;
}

void vtu_close(VtuFile* file)
{
    xmlFreeDoc(file->document);
    free(file->bytes);
}

xmlNodePtr vtu_node(xmlNodePtr node, const char* tag, const char* name)
{
    for (; node; node = node->next) {
        if (node->type == XML_ELEMENT_NODE && strcmp((const char*)node->name, tag) == 0) {
            xmlChar* has = xmlGetProp(node, BAD_CAST "Name");
            int same = !name || (has && strcmp((const char*)has, name) == 0);
            xmlFree(has);
            if (same)
                return node;
        }
        xmlNodePtr inside = vtu_node(node->children, tag, name);
        if (inside)
            return inside;
    }
    return NULL;
}

int vtu_int(xmlNodePtr node, const char* key)
{
    xmlChar* text = xmlGetProp(node, BAD_CAST key);
    assert_non_null(text);
    int value = atoi((const char*)text);
    xmlFree(text);
    return value;
}

void* vtu_array(const VtuFile* file, const char* section, const char* name, size_t size, int* n)
{
    xmlNodePtr at = vtu_node(xmlDocGetRootElement(file->document), section, NULL);
    assert_non_null(at);
    at = vtu_node(at->children, "DataArray", name);
    if (!at)
        fail_msg("no array %s in %s", name, section);
    uint64_t bytes;
    size_t offset = file->data + (size_t)vtu_int(at, "offset");
    memcpy(&bytes, file->bytes + offset, sizeof bytes);
    assert_true(offset + sizeof bytes + bytes <= file->size);
    assert_int_equal(bytes % size, 0);
    *n = (int)(bytes / size);
    void* data = malloc(bytes + 1);
    assert_non_null(data);
    memcpy(data, file->bytes + offset + sizeof bytes, bytes);
    return data;
}

double* vtu_doubles(const VtuFile* file, const char* section, const char* name, int expected)
{
    int n;
    double* data = vtu_array(file, section, name, sizeof *data, &n);
    assert_int_equal(n, expected);
    return data;
}

int* vtu_ints(const VtuFile* file, const char* section, const char* name, int expected)
{
    int n;
    int* data = vtu_array(file, section, name, sizeof *data, &n);
    assert_int_equal(n, expected);
    return data;
}

double vtu_field(const VtuFile* file, const char* name)
{
    double* data = vtu_doubles(file, "FieldData", name, 1);
    double value = data[0];
    free(data);
    return value;
}
