// Reads VTK's XML files back, for tests. Everything that can fail is asserted.
#ifndef COND_TEST_VTU_READ_H
#define COND_TEST_VTU_READ_H

#include <libxml/tree.h>
#include <stddef.h>

// A file in memory and its tags.
typedef struct VtuFile {
    char* bytes;
    size_t size, data; // and where the appended data begin
    xmlDocPtr document;
} VtuFile;

// The test fails unless the tags are well-formed.
VtuFile vtu_open(const char* path);
void vtu_close(VtuFile* file);

// The first element of a tag among node, its siblings and what is inside them, and with the
// attribute Name unless that is NULL; NULL when there is none.
xmlNodePtr vtu_node(xmlNodePtr node, const char* tag, const char* name);
// The attribute `key` as a whole number.
int vtu_int(xmlNodePtr node, const char* key);

// Array `name` inside the element `section`, of items of so many bytes; n receives their number.
// A copy, since raw data need not be aligned; release with free.
void* vtu_array(const VtuFile* file, const char* section, const char* name, size_t size, int* n);
// The same with the number of items asserted.
double* vtu_doubles(const VtuFile* file, const char* section, const char* name, int expected);
int* vtu_ints(const VtuFile* file, const char* section, const char* name, int expected);
// The only number of an array of the field data.
double vtu_field(const VtuFile* file, const char* name);

#endif
