// Reads datasets and attributes after checking their extents against the file's size
// (hdf_read.h).
#define _POSIX_C_SOURCE 200809L
#include "hdf5/hdf_read.h"

#include "base/memory.h"
#include "base/tuning.h"

#include <limits.h>
#include <sys/stat.h>

enum { SMALL = 1 << 16, MOST_CHUNKS = 1 << 20 };

// a * b, or the largest number where that does not fit.
static uint64_t times(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

// Chunks of a dataset's extent, stored or not; 0: it has none.
static uint64_t count_chunks(const CondHdfData* data, hid_t plist)
{
    hsize_t size[COND_HDF_MAX_RANK];
    int rank =
        H5Pget_layout(plist) == H5D_CHUNKED ? H5Pget_chunk(plist, COND_HDF_MAX_RANK, size) : 0;
    uint64_t n = rank > 0;
    for (int k = 0; k < rank && k < data->rank; k++)
        n = times(n, size[k] > 0 ? (data->size[k] + size[k] - 1) / size[k] : 0);
    return n;
}

// Bytes that the file has of a dataset: as many as HDF5 says, but no more than the file is long.
// HDF5 looks at every chunk of the extent to say it, stored or not, so of very many it is not
// asked.
static uint64_t bytes_of(const CondDataFile* file, const CondHdfData* data, hid_t plist)
{
    struct stat about;
    uint64_t length = stat(file->path, &about) == 0 ? (uint64_t)about.st_size : 0;
    if (count_chunks(data, plist) > MOST_CHUNKS)
        return length;
    uint64_t stored = H5Dget_storage_size(data->id);
    return stored < length ? stored : length;
}

// 1 when the entries can come out of so many bytes. Datasets may have an extent without any
// storage, which reads as zeros: a file of a few bytes may claim billions of entries. Nothing that
// COND or FCLib writes is like that, beyond a small array that was never filled.
static int is_backed(const CondHdfData* data, hid_t plist, uint64_t bytes)
{
    uint64_t entry = H5Tget_size(data->type);
    uint64_t most = times(bytes, H5Pget_nfilters(plist) > 0 ? COND_DEFLATE_GROWTH : 1);
    uint64_t chunk = 1; // a chunk is unpacked as a whole
    hsize_t size[COND_HDF_MAX_RANK];
    if (H5Pget_layout(plist) == H5D_CHUNKED) {
        int rank = H5Pget_chunk(plist, COND_HDF_MAX_RANK, size);
        for (int k = 0; k < rank && k < COND_HDF_MAX_RANK; k++)
            chunk = times(chunk, size[k]);
    }
    most = most > SMALL ? most : SMALL;
    return times((uint64_t)data->n, entry) <= most && times(chunk, entry) <= most;
}

// A dataset may name other files to read its bytes from.
static int is_elsewhere(hid_t plist)
{
    return H5Pget_layout(plist) == H5D_VIRTUAL || H5Pget_external_count(plist) != 0;
}

static CondStatus read_shape(const CondDataFile* file, const char* location, CondHdfData* data)
{
    hid_t space = H5Dget_space(data->id);
    hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    data->rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    data->n = (int64_t)n;
    int fits = n >= 0 && data->rank >= 0 && data->rank <= COND_HDF_MAX_RANK &&
               H5Sget_simple_extent_dims(space, data->size, NULL) == data->rank;
    if (space >= 0)
        H5Sclose(space);
    return fits ? COND_OK : cond_data_fail(file, COND_BAD_INPUT, location, "is not a plain array");
}

CondStatus cond_hdf_data_open(const CondDataFile* file, const char* location, CondHdfData* data)
{
    *data = (CondHdfData){.id = -1, .type = -1, .size = {1, 1, 1}};
    if (!cond_data_exists(file, location))
        return cond_data_fail(file, COND_BAD_INPUT, location, "is missing");
    data->id = H5Dopen2(file->id, location, H5P_DEFAULT);
    if (data->id < 0)
        return cond_data_fail(file, COND_BAD_INPUT, location, "is not a dataset");
    hid_t plist = H5Dget_create_plist(data->id);
    data->type = H5Dget_type(data->id);
    CondStatus status = COND_OK;
    if (data->type < 0 || plist < 0)
        status = cond_data_fail(file, COND_BAD_INPUT, location, "cannot be read");
    else if (is_elsewhere(plist))
        status = cond_data_fail(file, COND_BAD_INPUT, location, "keeps its values in another file");
    if (!status)
        status = read_shape(file, location, data);
    uint64_t bytes = status ? 0 : bytes_of(file, data, plist);
    if (!status && !is_backed(data, plist, bytes))
        status = cond_data_fail(file, COND_BAD_INPUT, location,
                                "claims %lld entries, and the file has %llu bytes of them",
                                (long long)data->n, (unsigned long long)bytes);
    if (plist >= 0)
        H5Pclose(plist);
    if (status)
        cond_hdf_data_close(data);
    return status;
}

void cond_hdf_data_close(CondHdfData* data)
{
    if (data->type >= 0)
        H5Tclose(data->type);
    if (data->id >= 0)
        H5Dclose(data->id);
    data->id = data->type = -1;
}

int cond_hdf_data_is_number(const CondHdfData* data)
{
    H5T_class_t kind = H5Tget_class(data->type);
    return kind == H5T_INTEGER || kind == H5T_FLOAT;
}

static int rank_of(const CondHdfRows* rows)
{
    return rows->rows > 0 ? 3 : rows->columns > 1 ? 2 : 1;
}

// The further dimensions of a row.
static void tail_of(const CondHdfRows* rows, hsize_t tail[2])
{
    tail[0] = (hsize_t)(rows->rows > 0 ? rows->rows : rows->columns);
    tail[1] = (hsize_t)rows->columns;
}

static CondStatus open_rows(const CondDataFile* file, const CondHdfRows* rows, CondHdfData* data)
{
    hsize_t tail[2];
    int rank = rank_of(rows);
    CondStatus status = cond_hdf_data_open(file, rows->location, data);
    if (status)
        return status;
    tail_of(rows, tail);
    if (!cond_hdf_data_is_number(data) || data->rank != rank ||
        (rank > 1 && data->size[1] != tail[0]) || (rank > 2 && data->size[2] != tail[1])) {
        cond_hdf_data_close(data);
        return cond_data_fail(file, COND_BAD_INPUT, rows->location,
                              "has not the shape of a recording");
    }
    return COND_OK;
}

CondStatus cond_hdf_rows_count(const CondDataFile* file, const CondHdfRows* rows, int64_t* n)
{
    CondHdfData data;
    CondStatus status = open_rows(file, rows, &data);
    *n = status ? 0 : (int64_t)data.size[0];
    if (!status)
        cond_hdf_data_close(&data);
    return status;
}

static CondStatus read_rows(const CondDataFile* file, const CondHdfRows* rows,
                            const CondHdfData* data, int64_t first, int64_t n, void* out)
{
    hsize_t begin[3] = {(hsize_t)first, 0, 0}, count[3] = {(hsize_t)n, 0, 0};
    tail_of(rows, count + 1);
    hid_t space = H5Dget_space(data->id), memory = H5Screate_simple(data->rank, count, NULL);
    int failed = space < 0 || memory < 0 ||
                 H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, NULL, count, NULL) < 0 ||
                 H5Dread(data->id, rows->integer ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE, memory,
                         space, H5P_DEFAULT, out) < 0;
    if (memory >= 0)
        H5Sclose(memory);
    if (space >= 0)
        H5Sclose(space);
    return failed ? cond_data_fail(file, COND_BAD_INPUT, rows->location,
                                   "cannot be read: the file is damaged or cut")
                  : COND_OK;
}

static CondStatus check_range(const CondDataFile* file, const CondHdfRows* rows,
                              const CondHdfData* data, int64_t first, int64_t n)
{
    if (first >= 0 && n >= 0 && (uint64_t)first <= data->size[0] &&
        (uint64_t)n <= data->size[0] - (uint64_t)first)
        return COND_OK;
    return cond_data_fail(file, COND_BAD_INPUT, rows->location,
                          "has %llu rows, expected %lld from row %lld",
                          (unsigned long long)data->size[0], (long long)n, (long long)first);
}

CondStatus cond_hdf_rows_read(const CondDataFile* file, const CondHdfRows* rows, int64_t first,
                              int64_t n, void* out)
{
    CondHdfData data;
    CondStatus status = open_rows(file, rows, &data);
    if (status)
        return status;
    status = check_range(file, rows, &data, first, n);
    if (!status && n > 0)
        status = read_rows(file, rows, &data, first, n, out);
    cond_hdf_data_close(&data);
    return status;
}

CondStatus cond_hdf_rows_take(const CondDataFile* file, const CondHdfRows* rows, int64_t n,
                              void** out)
{
    CondHdfData data;
    size_t size = (size_t)rows->columns * (size_t)(rows->rows > 0 ? rows->rows : 1) *
                  (rows->integer ? sizeof(int) : sizeof(double));
    *out = NULL;
    CondStatus status = open_rows(file, rows, &data);
    if (status)
        return status;
    status = check_range(file, rows, &data, 0, n);
    if (!status && !(*out = cond_allocate(file->context, (size_t)n, size)))
        status = cond_data_out_of_memory(file);
    if (!status && n > 0)
        status = read_rows(file, rows, &data, 0, n, *out);
    cond_hdf_data_close(&data);
    if (status) {
        cond_release(file->context, *out);
        *out = NULL;
    }
    return status;
}

// 1 when the text is UTF-8: sequences of the right length, none longer than it need be.
static int is_utf8(const char* text)
{
    for (const unsigned char* at = (const unsigned char*)text; *at;) {
        int more = *at < 0x80                  ? 0
                   : *at >= 0xc2 && *at < 0xe0 ? 1
                   : *at >= 0xe0 && *at < 0xf0 ? 2
                   : *at >= 0xf0 && *at < 0xf5 ? 3
                                               : -1;
        // The second byte of these has a narrower range: no overlong forms, surrogates or numbers
        // beyond the last one.
        unsigned char low = *at == 0xe0 ? 0xa0 : *at == 0xf0 ? 0x90 : 0x80;
        unsigned char high = *at == 0xed ? 0x9f : *at == 0xf4 ? 0x8f : 0xbf;
        if (more < 0 || (more > 0 && (at[1] < low || at[1] > high)))
            return 0;
        for (int k = 2; k <= more; k++)
            if (at[k] < 0x80 || at[k] > 0xbf)
                return 0;
        at += more + 1;
    }
    return 1;
}

static CondStatus read_names(const CondDataFile* file, const char* location,
                             const CondHdfData* data, size_t size, char* names)
{
    if (data->n > 0 && H5Dread(data->id, data->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) < 0)
        return cond_data_fail(file, COND_BAD_INPUT, location, "cannot be read");
    for (int64_t k = 0; k < data->n; k++) {
        char* name = names + (size_t)k * size;
        name[size - 1] = '\0';
        if (!is_utf8(name))
            return cond_data_fail(file, COND_BAD_INPUT, location, "name %lld is not text",
                                  (long long)k);
    }
    return COND_OK;
}

CondStatus cond_hdf_names_take(const CondDataFile* file, const char* location, size_t size, int* n,
                               char** names)
{
    CondHdfData data;
    *names = NULL;
    *n = 0;
    CondStatus status = cond_hdf_data_open(file, location, &data);
    if (status)
        return status;
    if (data.rank > 1 || data.n > INT_MAX || H5Tget_class(data.type) != H5T_STRING ||
        H5Tis_variable_str(data.type) != 0 || H5Tget_size(data.type) != size)
        status = cond_data_fail(file, COND_BAD_INPUT, location, "is not a list of names");
    else if (!(*names = cond_allocate(file->context, (size_t)data.n + 1, size)))
        status = cond_data_out_of_memory(file);
    if (!status)
        status = read_names(file, location, &data, size, *names);
    *n = (int)data.n;
    cond_hdf_data_close(&data);
    if (status) {
        cond_release(file->context, *names);
        *names = NULL;
        *n = 0;
    }
    return status;
}

// An attribute that is open: its type, and -1 where it is missing or has more than one value.
static hid_t open_attribute(const CondDataFile* file, const char* location, const char* name,
                            hid_t* type)
{
    hid_t at = -1;
    *type = -1;
    if (cond_data_exists(file, location))
        at = H5Aopen_by_name(file->id, location, name, H5P_DEFAULT, H5P_DEFAULT);
    if (at < 0)
        return -1;
    hid_t space = H5Aget_space(at);
    hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    if (space >= 0)
        H5Sclose(space);
    *type = H5Aget_type(at);
    if (n == 1 && *type >= 0)
        return at;
    if (*type >= 0)
        H5Tclose(*type);
    H5Aclose(at);
    *type = -1;
    return -1;
}

CondStatus cond_hdf_attribute_int(const CondDataFile* file, const char* location, const char* name,
                                  int* value)
{
    hid_t type, at = open_attribute(file, location, name, &type);
    int failed =
        at < 0 || H5Tget_class(type) != H5T_INTEGER || H5Aread(at, H5T_NATIVE_INT, value) < 0;
    if (at >= 0) {
        H5Tclose(type);
        H5Aclose(at);
    }
    if (failed)
        return cond_data_fail(file, COND_BAD_INPUT, location,
                              "has no number %s: this is not a recording of COND", name);
    return COND_OK;
}

CondStatus cond_hdf_attribute_text(const CondDataFile* file, const char* location, const char* name,
                                   char** text)
{
    hid_t type, at = open_attribute(file, location, name, &type);
    int fixed = at >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    size_t size = fixed ? H5Tget_size(type) : 0;
    *text = cond_allocate(file->context, size + 1, 1);
    if (*text && size > 0 && (H5Aread(at, type, *text) < 0 || !is_utf8(*text)))
        (*text)[0] = '\0'; // a title that cannot be read is no reason to refuse a file
    if (at >= 0) {
        H5Tclose(type);
        H5Aclose(at);
    }
    return *text ? COND_OK : cond_data_out_of_memory(file);
}
