// Reads XML attributes as numbers and names, with messages (urdf_xml.h).
#include "robot_file/urdf_xml.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "math/quat.h"

#include <libxml/parser.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char* cond_urdf_tail(const char* path)
{
    size_t length = strlen(path);
    return length > COND_URDF_PATH ? path + length - COND_URDF_PATH : path;
}

const char* cond_urdf_cut(const char* path)
{
    return cond_urdf_tail(path) == path ? "" : "...";
}

// Adds a line to the message: the first fault gives the status, the last line counts what does not
// fit. Where memory is short that alone is said.
static CondStatus add_fault(const CondUrdfFile* file, CondStatus status, const char* text)
{
    static const char more[] = "\n... and %d more";
    CondError* error = file->error;
    int n = ++*file->n_fault;
    if (!error)
        return status;
    if (n == 1 || cond_urdf_ends(status))
        return cond_error_set(error, status, "%s", text);
    size_t length = strlen(error->message), room = sizeof error->message - sizeof more - 10;
    char* last = strrchr(error->message, '\n');
    int known = 0, full = last && sscanf(last, more, &known) == 1;
    if (full)
        snprintf(last, sizeof more + 10, more, known + 1);
    else if (length + 1 + strlen(text) < room)
        snprintf(error->message + length, sizeof error->message - length, "\n%s", text);
    else
        snprintf(error->message + length, sizeof error->message - length, more, 1);
    return status;
}

CondStatus cond_urdf_refuse_at(const CondUrdfFile* file, const char* path, long at,
                               CondStatus status, const char* text)
{
    char line[COND_URDF_PATH + 1200];
    if (at > 0)
        snprintf(line, sizeof line, "%s%s:%ld: %s", cond_urdf_cut(path), cond_urdf_tail(path), at,
                 text);
    else
        snprintf(line, sizeof line, "%s%s: %s", cond_urdf_cut(path), cond_urdf_tail(path), text);
    return add_fault(file, status, line);
}

CondStatus cond_urdf_refuse(const CondUrdfFile* file, const xmlNode* node, CondStatus status,
                            const char* format, ...)
{
    char text[1100];
    if (file->quiet)
        return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return cond_urdf_refuse_at(file, file->path, node ? xmlGetLineNo(node) : 0, status, text);
}

CondStatus cond_urdf_warn(const CondUrdfFile* file, const xmlNode* node, const char* format, ...)
{
    char text[COND_WARNING_SIZE];
    if (file->quiet)
        return COND_OK;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    CondStatus status =
        cond_articulation_warn(file->articulation, "%s%s:%ld: %s", cond_urdf_cut(file->path),
                               cond_urdf_tail(file->path), xmlGetLineNo(node), text);
    return status ? cond_urdf_refuse(file, NULL, status, "no memory for a warning") : COND_OK;
}

// The whole file in memory.
static CondStatus load(const CondUrdfFile* file, char** text, int* length)
{
    FILE* stream = fopen(file->path, "rb");
    if (!stream)
        return cond_urdf_refuse(file, NULL, COND_NO_FILE, "the file cannot be opened");
    int capacity = 0, n = 0;
    size_t got = 1;
    CondStatus status = COND_OK;
    while (!status && got > 0) {
        status = cond_reserve(&file->context, text, &capacity, n + 4096, 1);
        if (status) {
            cond_urdf_refuse(file, NULL, status, "no memory to read the file");
            break;
        }
        got = fread(*text + n, 1, (size_t)(capacity - n), stream);
        n += (int)got;
        if ((unsigned)n > COND_URDF_LARGEST)
            status = cond_urdf_refuse(file, NULL, COND_BAD_INPUT, "the file is larger than %u MiB",
                                      COND_URDF_LARGEST >> 20);
    }
    if (!status && ferror(stream))
        status = cond_urdf_refuse(file, NULL, COND_NO_FILE, "the file cannot be read");
    fclose(stream);
    *length = n;
    return status;
}

// Blanks for what is between two places; lines stay.
static void blank_out(char* from, const char* to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

// The place behind the next `end` at or after `from`; NULL where there is none.
static char* behind(char* from, const char* to, const char* end)
{
    size_t n = strlen(end);
    for (; from + n <= to; from++)
        if (memcmp(from, end, n) == 0)
            return from + n;
    return NULL;
}

// <?xml version="..."?> with a version that is none becomes one of version 1.
static void mend_version(char* from, const char* to)
{
    char* at = behind(from, to, "version");
    while (at && at < to && strchr(" =\t\"'", *at))
        at++;
    if (at && at < to && *at != '1')
        *at = '1';
}

// What other readers of URDF overlook and an XML parser must not: two hyphens in a comment,
// comments or blanks before <?xml ... ?>, and a version in it that is none. All comments become
// blanks, as does a declaration that is not the first thing.
static void clean(char* text, int length)
{
    char *end = text + length, *at = text, *close;
    while ((at = behind(at, end, "<!--")) && (close = behind(at, end, "-->"))) {
        blank_out(at - 4, close);
        at = close;
    }
    for (at = text; at < end && strchr(" \t\r\n", *at);)
        at++;
    if (at == text && length > 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3; // a mark of the byte order may stand before it
    if (end - at < 5 || memcmp(at, "<?xml", 5) != 0 || !(close = behind(at, end, "?>")))
        return;
    if (at > text + 3 || (at > text && *text != '\xef'))
        blank_out(at, close);
    else
        mend_version(at, close);
}

// The first element that a macro processor would replace, or with an attribute that it would.
static const xmlNode* find_macro(const xmlNode* node)
{
    static const char prefix[] = "xacro";
    for (; node; node = node->next) {
        if (node->type != XML_ELEMENT_NODE)
            continue;
        const char* space = node->ns ? (const char*)node->ns->prefix : NULL;
        if ((space && strcmp(space, prefix) == 0) ||
            strncmp((const char*)node->name, "xacro:", 6) == 0)
            return node;
        for (const xmlAttr* attribute = node->properties; attribute; attribute = attribute->next) {
            const xmlNode* value = attribute->children;
            if (value && value->content && strstr((const char*)value->content, "${"))
                return node;
        }
        const xmlNode* inside = find_macro(node->children);
        if (inside)
            return inside;
    }
    return NULL;
}

static CondStatus refuse_macros(const CondUrdfFile* file)
{
    const xmlNode* robot = xmlDocGetRootElement(file->document);
    const xmlNode* macro = find_macro(robot);
    if (!macro)
        return COND_OK;
    return cond_urdf_refuse(file, macro, COND_NOT_SUPPORTED,
                            "<%.40s> is a xacro macro: make a URDF of the file first, by 'xacro "
                            "FILE -o robot.urdf'",
                            (const char*)macro->name);
}

// What the parser's callbacks leave behind.
typedef struct Reading {
    int document_type; // 1: the file has one
    int code;          // of the first error, 0: none
    int line;
    char message[200];
} Reading;

// Called where the parser meets <!DOCTYPE: that is where entities come from, and no robot needs
// any. The parser stops before it has looked at one.
static void refuse_document_type(void* context, const xmlChar* name, const xmlChar* id,
                                 const xmlChar* system)
{
    (void)name, (void)id, (void)system;
    xmlParserCtxtPtr parser = context;
    ((Reading*)parser->_private)->document_type = 1;
    xmlStopParser(parser);
}

#if LIBXML_VERSION >= 21200
typedef const xmlError* XmlFault;
#else
typedef xmlErrorPtr XmlFault;
#endif

// Of a series of errors the first says most.
static void keep_first_error(void* context, XmlFault fault)
{
    Reading* reading = ((xmlParserCtxtPtr)context)->_private;
    if (reading->code || fault->level < XML_ERR_ERROR)
        return;
    const char* message = fault->message ? fault->message : "this is not XML";
    reading->code = fault->code;
    reading->line = fault->line;
    // The parser's messages end with a line break.
    snprintf(reading->message, sizeof reading->message, "%.*s", (int)strcspn(message, "\r\n"),
             message);
}

static CondStatus refuse_syntax(const CondUrdfFile* file, const Reading* reading)
{
    if (reading->document_type)
        return cond_urdf_refuse(file, NULL, COND_BAD_INPUT,
                                "document types (<!DOCTYPE ...>) are not accepted");
    if (reading->code == XML_ERR_NO_MEMORY)
        return cond_urdf_refuse(file, NULL, COND_OUT_OF_MEMORY, "no memory to read the file");
    if (!reading->code)
        return cond_urdf_refuse(file, NULL, COND_BAD_INPUT, "this is not XML");
    char line[COND_URDF_PATH + 1200];
    snprintf(line, sizeof line, "%s%s:%d: %s", cond_urdf_cut(file->path),
             cond_urdf_tail(file->path), reading->line, reading->message);
    return add_fault(file, COND_BAD_INPUT, line);
}

CondStatus cond_urdf_xml_read(CondUrdfFile* file)
{
    char* text = NULL;
    int length = 0;
    Reading reading = {0};
    CondStatus status = load(file, &text, &length);
    xmlParserCtxtPtr parser = NULL;
    if (!status) {
        parser = xmlNewParserCtxt();
        if (!parser)
            status = cond_urdf_refuse(file, NULL, COND_OUT_OF_MEMORY, "no memory to read XML");
    }
    if (!status) {
        clean(text, length);
        parser->_private = &reading;
        parser->sax->internalSubset = refuse_document_type;
        parser->sax->serror = keep_first_error;
        // Without XML_PARSE_HUGE the parser also bounds the depth of nesting and the lengths of
        // names and attributes; without XML_PARSE_NOENT and _DTDLOAD it replaces and loads nothing.
        file->document = xmlCtxtReadMemory(parser, text, length, NULL, NULL,
                                           XML_PARSE_NONET | XML_PARSE_NOERROR |
                                               XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES);
        if (reading.document_type || !file->document)
            status = refuse_syntax(file, &reading);
    }
    if (!status)
        status = refuse_macros(file);
    if (parser)
        xmlFreeParserCtxt(parser);
    cond_release(&file->context, text);
    return status;
}

CondStatus cond_urdf_find_robot(const CondContext* context, const char* path,
                                char name[COND_NAME_SIZE], int* found)
{
    int n_fault = 0;
    CondUrdfFile file = {
        .context = cond_context_or_default(context), .path = path, .n_fault = &n_fault, .quiet = 1};
    CondStatus status = cond_urdf_xml_read(&file);
    const xmlNode* root = file.document ? xmlDocGetRootElement(file.document) : NULL;
    *found = root && cond_urdf_is(root, "robot");
    const char* own = *found ? cond_urdf_text(root, "name") : NULL;
    snprintf(name, COND_NAME_SIZE, "%.63s", own && *own ? own : "robot");
    if (file.document)
        xmlFreeDoc(file.document);
    return status == COND_OUT_OF_MEMORY ? status : COND_OK;
}

void cond_urdf_ignore(const CondUrdfFile* file, const xmlNode* node)
{
    CondUrdfIgnored* ignored = file->ignored;
    int most = (int)(sizeof ignored->kind / sizeof ignored->kind[0]), i = 0;
    char name[sizeof ignored->kind[0].name];
    snprintf(name, sizeof name, "%.31s", (const char*)node->name);
    while (i < ignored->n && strcmp(ignored->kind[i].name, name) != 0)
        i++;
    if (i == most) {
        ignored->n_other++;
        return;
    }
    memcpy(ignored->kind[i].name, name, sizeof name);
    ignored->kind[i].count++;
    ignored->n = i == ignored->n ? i + 1 : ignored->n;
}

CondStatus cond_urdf_warn_ignored(const CondUrdfFile* file, const xmlNode* robot)
{
    const CondUrdfIgnored* ignored = file->ignored;
    char list[COND_WARNING_SIZE] = "";
    size_t length = 0;
    for (int i = 0; i < ignored->n && length < sizeof list - 80; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%d <%s>", i ? ", " : "",
                                   ignored->kind[i].count, ignored->kind[i].name);
    if (ignored->n_other > 0)
        snprintf(list + length, sizeof list - length, ", %d others", ignored->n_other);
    return ignored->n > 0 ? cond_urdf_warn(file, robot, "ignored: %s", list) : COND_OK;
}

int cond_urdf_is(const xmlNode* node, const char* name)
{
    return strcmp((const char*)node->name, name) == 0;
}

xmlNode* cond_urdf_element(xmlNode* node)
{
    while (node && node->type != XML_ELEMENT_NODE)
        node = node->next;
    return node;
}

CondStatus cond_urdf_child(const CondUrdfFile* file, const xmlNode* parent, const char* name,
                           xmlNode** child)
{
    *child = NULL;
    for (xmlNode* node = cond_urdf_element(parent->children); node;
         node = cond_urdf_element(node->next)) {
        if (!cond_urdf_is(node, name))
            continue;
        if (*child)
            return cond_urdf_warn(file, node, "<%s> has two <%s>: only the first is used",
                                  (const char*)parent->name, name);
        *child = node;
    }
    return COND_OK;
}

const char* cond_urdf_text(const xmlNode* node, const char* name)
{
    for (const xmlAttr* attribute = node->properties; attribute; attribute = attribute->next)
        // Without document types the value is one text node, or none when it is empty.
        if (strcmp((const char*)attribute->name, name) == 0)
            return attribute->children ? (const char*)attribute->children->content : "";
    return NULL;
}

CondStatus cond_urdf_name(const CondUrdfFile* file, const xmlNode* node, const char* attribute,
                          const char** name)
{
    const char* element = (const char*)node->name;
    *name = cond_urdf_text(node, attribute);
    if (!*name || !**name)
        return cond_urdf_refuse(file, node, COND_BAD_INPUT, "<%s> without %s", element, attribute);
    return COND_OK;
}

static CondStatus read_numbers(const CondUrdfFile* file, const xmlNode* node, const char* name,
                               int n, int required, int infinite, double* value)
{
    static const char blank[] = " \t\r\n";
    const char *text = cond_urdf_text(node, name), *element = (const char*)node->name;
    if ((!text || !text[strspn(text, blank)]) && !required)
        return COND_OK;
    if (!text)
        return cond_urdf_refuse(file, node, COND_BAD_INPUT, "<%s> without %s", element, name);
    int found = 0, good = 1;
    for (const char* at = text + strspn(text, blank); *at && good; found++) {
        char word[128];
        double number;
        size_t length = strcspn(at, blank);
        good = found < n && length < sizeof word;
        if (good) {
            memcpy(word, at, length);
            word[length] = 0;
            good = cond_number_parse(word, &number) && (infinite || isfinite(number));
        }
        if (good)
            value[found] = number;
        at += length;
        at += strspn(at, blank);
    }
    if (good && found == n)
        return COND_OK;
    return cond_urdf_refuse(file, node, COND_BAD_INPUT,
                            "%s='%.60s' of <%s>: expected %d number%s%s", name, text, element, n,
                            n == 1 ? "" : "s",
                            strchr(text, ',') ? " with decimal points and blanks, not commas" : "");
}

CondStatus cond_urdf_numbers(const CondUrdfFile* file, const xmlNode* node, const char* name, int n,
                             int required, double* value)
{
    return read_numbers(file, node, name, n, required, 0, value);
}

CondStatus cond_urdf_bound(const CondUrdfFile* file, const xmlNode* node, const char* name,
                           double* value)
{
    return read_numbers(file, node, name, 1, 0, 1, value);
}

CondStatus cond_urdf_origin(const CondUrdfFile* file, const xmlNode* parent, double position[3],
                            double orientation[4])
{
    xmlNode* origin;
    double rpy[3] = {0.0, 0.0, 0.0};
    memset(position, 0, 3 * sizeof *position);
    CondStatus status = cond_urdf_child(file, parent, "origin", &origin);
    if (!status && origin)
        status = cond_urdf_numbers(file, origin, "xyz", 3, 0, position);
    if (!status && origin)
        status = cond_urdf_numbers(file, origin, "rpy", 3, 0, rpy);
    double x[4] = {cos(0.5 * rpy[0]), sin(0.5 * rpy[0]), 0.0, 0.0};
    double y[4] = {cos(0.5 * rpy[1]), 0.0, sin(0.5 * rpy[1]), 0.0};
    double z[4] = {cos(0.5 * rpy[2]), 0.0, 0.0, sin(0.5 * rpy[2])}, zy[4];
    quat_product(z, y, zy);
    quat_product(zy, x, orientation);
    return status;
}
