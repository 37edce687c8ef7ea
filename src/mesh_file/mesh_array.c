// Decodes the arrays of .vtu files (mesh_array.h).
#include "mesh_file/mesh_array.h"

#include "base/memory.h"
#include "base/tuning.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef enum Kind { SIGNED, UNSIGNED, REAL } Kind;

typedef struct Type {
    const char* name;
    Kind kind;
    size_t size;
} Type;

static const Type types[] = {
    {"Float64", REAL, 8},   {"Float32", REAL, 4},    {"Int64", SIGNED, 8},    {"Int32", SIGNED, 4},
    {"UInt8", UNSIGNED, 1}, {"UInt32", UNSIGNED, 4}, {"UInt64", UNSIGNED, 8}, {"Int8", SIGNED, 1},
    {"Int16", SIGNED, 2},   {"UInt16", UNSIGNED, 2},
};

static const Type* find_type(const char* name)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

// The bytes behind an array. Base64 is decoded group by group, so that it does not matter whether
// the numbers in front of the data were encoded apart from it (padded) or together with it.
typedef struct Source {
    const CondMeshArray* array;
    size_t at;
    unsigned char held[3]; // bytes of a group not yet handed out
    int n_held;
} Source;

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Decodes the next four characters; 0 at the end or at a character that is not base64.
static int decode_group(Source* source)
{
    int digit[4], n = 0, padding = 0;
    while (n < 4 && source->at < source->array->size) {
        char c = source->array->data[source->at++];
        if (c == ' ' || (c >= '\t' && c <= '\r'))
            continue;
        digit[n] = c == '=' ? 0 : digit_of(c);
        padding += c == '=';
        if (digit[n] < 0 || (padding && c != '='))
            return 0;
        n++;
    }
    if (n < 4 || padding > 2)
        return 0;
    unsigned group = (unsigned)(digit[0] << 18 | digit[1] << 12 | digit[2] << 6 | digit[3]);
    source->n_held = 3 - padding;
    for (int k = 0; k < source->n_held; k++) // the last byte first, to be taken from the end
        source->held[source->n_held - 1 - k] = (unsigned char)(group >> (16 - 8 * k));
    return 1;
}

// The next n bytes; 0 when there are not so many.
static int take(Source* source, void* out, size_t n)
{
    unsigned char* put = out;
    if (source->array->form == COND_ARRAY_RAW) {
        if (n > source->array->size - source->at)
            return 0;
        memcpy(out, source->array->data + source->at, n);
        source->at += n;
        return 1;
    }
    while (n > 0) {
        if (source->n_held == 0 && !decode_group(source))
            return 0;
        *put++ = source->held[--source->n_held];
        n--;
    }
    return 1;
}

// One of the numbers in front of the data.
static int take_header(Source* source, uint64_t* value)
{
    uint32_t narrow = 0;
    void* target = source->array->wide_header ? (void*)value : (void*)&narrow;
    size_t size = source->array->wide_header ? sizeof *value : sizeof narrow;
    if (!take(source, target, size))
        return 0;
    if (source->array->swap)
        cond_bytes_swap(target, 1, size);
    if (!source->array->wide_header)
        *value = narrow;
    return 1;
}

static CondStatus refuse_end(CondMeshFile* file, const CondMeshArray* array)
{
    return cond_mesh_file_refuse(file, array->at, "the data of '%s' end too early or are damaged",
                                 array->name);
}

static CondStatus refuse_size(CondMeshFile* file, const CondMeshArray* array, uint64_t found,
                              uint64_t wanted)
{
    return cond_mesh_file_refuse(file, array->at, "'%s' has %llu bytes, not %llu", array->name,
                                 (unsigned long long)found, (unsigned long long)wanted);
}

// One compressed block of `packed` bytes into exactly `size` bytes.
static CondStatus inflate_block(CondMeshFile* file, Source* source, uint64_t packed, void* out,
                                uint64_t size)
{
    if (packed > source->array->size)
        return refuse_end(file, source->array);
    void* block = cond_allocate(&file->context, (size_t)packed, 1);
    if (!block)
        return cond_mesh_file_no_memory(file);
    uLongf made = (uLongf)size;
    CondStatus status = COND_OK;
    if (!take(source, block, (size_t)packed)) {
        status = refuse_end(file, source->array);
    } else {
        int code = uncompress(out, &made, block, (uLong)packed);
        if (code == Z_MEM_ERROR)
            status = cond_mesh_file_no_memory(file);
        else if (code != Z_OK || made != size)
            status =
                cond_mesh_file_refuse(file, source->array->at,
                                      "a compressed block of '%s' is damaged", source->array->name);
    }
    cond_release(&file->context, block);
    return status;
}

// Compressed data: number of blocks, size of a block, size of the last one where it is smaller (or
// 0), compressed size of each; then the blocks.
static CondStatus take_compressed(CondMeshFile* file, Source* source, char* out, uint64_t size)
{
    uint64_t n_block, full, last;
    size_t header = source->array->wide_header ? 8 : 4;
    if (!take_header(source, &n_block) || !take_header(source, &full) ||
        !take_header(source, &last) || n_block > source->array->size / header)
        return refuse_end(file, source->array);
    if (n_block == 0 || full == 0 || last > full)
        return refuse_size(file, source->array, full, size);
    // The last block may be the only one and smaller than a full one, so a full one may be larger
    // than all the data.
    uint64_t total = (n_block - 1) * full + (last ? last : full);
    if (n_block - 1 > size / full || total != size)
        return refuse_size(file, source->array, total, size);
    uint64_t* packed = cond_allocate(&file->context, (size_t)n_block, sizeof *packed);
    if (!packed)
        return cond_mesh_file_no_memory(file);
    CondStatus status = COND_OK;
    for (uint64_t i = 0; i < n_block && status == COND_OK; i++)
        if (!take_header(source, &packed[i]))
            status = refuse_end(file, source->array);
    for (uint64_t i = 0; i < n_block && status == COND_OK; i++) {
        uint64_t this_size = i + 1 < n_block || !last ? full : last;
        status = inflate_block(file, source, packed[i], out, this_size);
        out += this_size;
    }
    cond_release(&file->context, packed);
    return status;
}

static CondStatus take_plain(CondMeshFile* file, Source* source, char* out, uint64_t size)
{
    uint64_t found;
    if (!take_header(source, &found))
        return refuse_end(file, source->array);
    if (found != size)
        return refuse_size(file, source->array, found, size);
    return take(source, out, (size_t)size) ? COND_OK : refuse_end(file, source->array);
}

// A value of the given type at p, in this machine's byte order; integers go through 64 bits.
static void convert(const Type* type, const char* p, double* real, int64_t* integer)
{
    union {
        float f;
        double d;
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
    } value = {0};
    int64_t whole = 0;
    memcpy(&value, p, type->size);
    if (type->kind == REAL) {
        double number = type->size == 8 ? value.d : (double)value.f;
        if (real)
            *real = number;
        return; // integers are never asked of such an array
    }
    switch (type->size) {
    case 1:
        whole = type->kind == SIGNED ? value.i8 : value.u8;
        break;
    case 2:
        whole = type->kind == SIGNED ? value.i16 : value.u16;
        break;
    case 4:
        whole = type->kind == SIGNED ? value.i32 : (int64_t)value.u32;
        break;
    default:
        whole = value.i64; // above 2^63 it turns negative, which is refused as an index
    }
    if (real)
        *real = (double)whole;
    else
        *integer = whole;
}

static CondStatus read_text(CondMeshFile* file, const CondMeshArray* array, int64_t n, double* real,
                            int64_t* integer)
{
    char* p = (char*)array->data; // strtod wants to hand out a pointer; nothing is written
    for (int64_t i = 0; i < n; i++) {
        char* end;
        errno = 0;
        if (real)
            real[i] = strtod(p, &end);
        else
            integer[i] = strtoll(p, &end, 10);
        if (end == p || (*end && !strchr(" \t\n\v\f\r", *end)) || (integer && errno))
            return cond_mesh_file_refuse(file, array->at, "'%s' has %lld numbers, not %lld%s",
                                         array->name, (long long)i, (long long)n,
                                         *end ? "; the next is no number" : "");
        p = end;
    }
    p += strspn(p, " \t\n\v\f\r");
    if (*p)
        return cond_mesh_file_refuse(file, array->at, "'%s' has more than %lld numbers",
                                     array->name, (long long)n);
    return COND_OK;
}

static CondStatus read_bytes(CondMeshFile* file, const CondMeshArray* array, const Type* type,
                             int64_t n, double* real, int64_t* integer)
{
    Source source = {.array = array};
    size_t size = (size_t)n * type->size;
    char* bytes = cond_allocate(&file->context, size, 1);
    if (!bytes)
        return cond_mesh_file_no_memory(file);
    CondStatus status = array->compressed ? take_compressed(file, &source, bytes, size)
                                          : take_plain(file, &source, bytes, size);
    if (status == COND_OK && array->swap)
        cond_bytes_swap(bytes, (size_t)n, type->size);
    for (int64_t i = 0; i < n && status == COND_OK; i++)
        convert(type, bytes + (size_t)i * type->size, real ? real + i : NULL,
                integer ? integer + i : NULL);
    cond_release(&file->context, bytes);
    return status;
}

CondStatus cond_mesh_array_read(CondMeshFile* file, const CondMeshArray* array, int64_t n,
                                double** real, int64_t** integer)
{
    const Type* type = find_type(array->type);
    if (!type || (integer && type->kind == REAL))
        return cond_mesh_file_refuse(file, array->at, "'%s' has numbers of type '%.40s'",
                                     array->name, array->type);
    // Text takes two characters per number, the last one apart.
    int binary = array->form != COND_ARRAY_TEXT;
    size_t most = array->size;
    if (!binary)
        most = (most + 1) / 2;
    else if (array->compressed)
        most = most <= SIZE_MAX / COND_DEFLATE_GROWTH ? most * COND_DEFLATE_GROWTH : SIZE_MAX;
    if (n < 0 || (uint64_t)n > most / (binary ? type->size : 1))
        return cond_mesh_file_refuse(file, array->at,
                                     "%lld numbers of '%s' do not fit in %zu bytes", (long long)n,
                                     array->name, array->size);
    if (real)
        *real = cond_allocate(&file->context, (size_t)n, sizeof **real);
    else
        *integer = cond_allocate(&file->context, (size_t)n, sizeof **integer);
    if (real ? !*real : !*integer)
        return cond_mesh_file_no_memory(file);
    if (n == 0)
        return COND_OK;
    double* to_real = real ? *real : NULL;
    int64_t* to_integer = integer ? *integer : NULL;
    return binary ? read_bytes(file, array, type, n, to_real, to_integer)
                  : read_text(file, array, n, to_real, to_integer);
}
