// Datasets of an FCLib file: opening, reading and writing with HDF5.
#define _POSIX_C_SOURCE 200809L
#include "hdf5/data_file.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "hdf5/hdf_read.h"

CondStatus cond_data_fail(const CondDataFile* file, CondStatus status, const char* location,
                          const char* format, ...)
{
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);

    const char* shown = cond_path_tail(file->path);
    return cond_error_set(file->error, status, "%s%s: %s%s%s", shown == file->path ? "" : "...",
                          shown, location, location[0] ? ": " : "", message);
}

CondStatus cond_data_out_of_memory(const CondDataFile* file)
{
    return cond_data_fail(file, COND_OUT_OF_MEMORY, "", "out of memory");
}

CondStatus cond_data_open(CondDataFile* file)
{
    // HDF5 gives one and the same answer to "no such file" and "not an HDF5 file", so the file
    // system is asked first.
    struct stat info;
    if (stat(file->path, &info) != 0)
        return cond_data_fail(file, COND_NO_FILE, "", "%s", strerror(errno));
    if (S_ISDIR(info.st_mode))
        return cond_data_fail(file, COND_NO_FILE, "", "is a directory");
    if (!S_ISREG(info.st_mode))
        return cond_data_fail(file, COND_NO_FILE, "", "is not a regular file");
    FILE* stream = fopen(file->path, "rb");
    if (!stream)
        return cond_data_fail(file, COND_NO_FILE, "", "%s", strerror(errno));
    fclose(stream);

    htri_t is_hdf5 = H5Fis_hdf5(file->path);
    file->id = H5Fopen(file->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file->id >= 0)
        return COND_OK;
    return cond_data_fail(file, COND_BAD_INPUT, "",
                          is_hdf5 > 0 ? "is a damaged or truncated HDF5 file"
                                      : "is not an HDF5 file");
}

void cond_data_join(const char* group, const char* name, char* location)
{
    snprintf(location, COND_DATA_LOCATION, "%s/%s", group, name);
}

int cond_data_exists(const CondDataFile* file, const char* location)
{
    // HDF5 only answers for the last link of a location, so every link on the way is asked for.
    char part[COND_DATA_LOCATION];
    size_t length = strlen(location);
    for (size_t k = 1; k <= length && k < sizeof part; k++) {
        if (location[k] != '/' && location[k] != '\0')
            continue;
        memcpy(part, location, k);
        part[k] = '\0';
        // A link into another file is none: what a file names elsewhere is not read.
        H5L_info_t link;
        if (H5Lexists(file->id, part, H5P_DEFAULT) <= 0 ||
            H5Lget_info(file->id, part, &link, H5P_DEFAULT) < 0 ||
            (link.type != H5L_TYPE_HARD && link.type != H5L_TYPE_SOFT) ||
            H5Oexists_by_name(file->id, part, H5P_DEFAULT) <= 0)
            return 0;
    }
    return 1;
}

// Opens an array of numbers; the caller closes *data.
static CondStatus open_numbers(const CondDataFile* file, const char* location, int integers,
                               CondHdfData* data)
{
    CondStatus status = cond_hdf_data_open(file, location, data);
    if (status < 0)
        return status;
    if (!cond_hdf_data_is_number(data) || (integers && H5Tget_class(data->type) != H5T_INTEGER))
        status = cond_data_fail(file, COND_BAD_INPUT, location, "does not hold %s",
                                integers ? "integers" : "numbers");
    else if (data->rank > 1)
        status = cond_data_fail(file, COND_BAD_INPUT, location, "is not a plain array");
    else if (data->n > INT_MAX)
        status =
            cond_data_fail(file, COND_NOT_SUPPORTED, location,
                           "%lld entries, more than this program can index", (long long)data->n);
    if (status < 0)
        cond_hdf_data_close(data);
    return status;
}

// Reads at_least to at_most numbers of the given native type.
static CondStatus read_numbers(const CondDataFile* file, const char* location, int at_least,
                               int at_most, hid_t type, size_t size, void** values, int* count)
{
    CondHdfData data;
    *values = NULL;
    CondStatus status = open_numbers(file, location, type == H5T_NATIVE_INT, &data);
    if (status < 0)
        return status;
    int n = (int)data.n;
    if (n < at_least || n > at_most) {
        status = at_least == at_most
                     ? cond_data_fail(file, COND_BAD_INPUT, location, "%d entries, expected %d", n,
                                      at_least)
                     : cond_data_fail(file, COND_BAD_INPUT, location,
                                      "%d entries, expected %d to %d", n, at_least, at_most);
    } else if (!(*values = cond_allocate(file->context, (size_t)n, size))) {
        status = cond_data_out_of_memory(file);
    } else if (n > 0 && H5Dread(data.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) < 0) {
        cond_release(file->context, *values);
        *values = NULL;
        status = cond_data_fail(file, COND_BAD_INPUT, location, "cannot be read");
    }
    cond_hdf_data_close(&data);
    if (status == COND_OK && count)
        *count = n;
    return status;
}

CondStatus cond_data_read_ints(const CondDataFile* file, const char* location, int at_least,
                               int at_most, int** values, int* count)
{
    void* memory;
    CondStatus status = read_numbers(file, location, at_least, at_most, H5T_NATIVE_INT, sizeof(int),
                                     &memory, count);
    *values = memory;
    return status;
}

CondStatus cond_data_read_doubles(const CondDataFile* file, const char* location, int at_least,
                                  int at_most, double** values, int* count)
{
    void* memory;
    CondStatus status = read_numbers(file, location, at_least, at_most, H5T_NATIVE_DOUBLE,
                                     sizeof(double), &memory, count);
    *values = memory;
    return status;
}

CondStatus cond_data_read_int(const CondDataFile* file, const char* location, int* value)
{
    int* values;
    CondStatus status = cond_data_read_ints(file, location, 1, 1, &values, NULL);
    if (status == COND_OK)
        *value = values[0];
    cond_release(file->context, values);
    return status;
}

// Texts of fixed length are FCLib's own; texts of variable length come from Python writers.
static CondStatus read_text_dataset(const CondDataFile* file, hid_t dataset, hid_t type,
                                    char** text)
{
    hid_t memory_type = H5Tcopy(H5T_C_S1);
    H5Tset_cset(memory_type, H5Tget_cset(type));
    herr_t outcome = -1;
    if (H5Tis_variable_str(type) > 0) {
        char* stored = NULL;
        H5Tset_size(memory_type, H5T_VARIABLE);
        outcome = H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &stored);
        size_t length = outcome >= 0 && stored ? strlen(stored) : 0;
        *text = cond_allocate(file->context, length + 1, 1);
        if (*text && length > 0)
            memcpy(*text, stored, length);
        H5free_memory(stored);
    } else {
        size_t length = H5Tget_size(type);
        H5Tset_size(memory_type, length + 1); // room for the terminator, whatever the padding
        *text = cond_allocate(file->context, length + 1, 1);
        if (*text)
            outcome = H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text);
    }
    H5Tclose(memory_type);
    if (!*text)
        return cond_data_out_of_memory(file);
    if (outcome < 0)
        (*text)[0] = '\0'; // a remark that cannot be read is no reason to refuse the problem
    return COND_OK;
}

CondStatus cond_data_read_text(const CondDataFile* file, const char* location, char** text)
{
    CondStatus status = COND_OK;
    CondHdfData data;
    const CondDataFile silent = {file->context, file->path, file->id, NULL};
    *text = NULL;
    if (cond_hdf_data_open(&silent, location, &data) == COND_OK) {
        if (H5Tget_class(data.type) == H5T_STRING && data.n == 1)
            status = read_text_dataset(file, data.id, data.type, text);
        cond_hdf_data_close(&data);
    }
    if (status == COND_OK && !*text) {
        *text = cond_allocate(file->context, 1, 1);
        if (!*text)
            status = cond_data_out_of_memory(file);
    }
    return status;
}

CondStatus cond_data_write_group(const CondDataFile* file, const char* location)
{
    hid_t group = H5Gcreate2(file->id, location, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0 || H5Gclose(group) < 0)
        return cond_data_fail(file, COND_NO_FILE, location, "cannot be written");
    return COND_OK;
}

static CondStatus write_dataset(const CondDataFile* file, const char* location, hid_t type,
                                hid_t space, const void* values)
{
    // Without time stamps the same problem always gives the same bytes.
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(plist, 0);
    hid_t dataset = H5Dcreate2(file->id, location, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    int fine =
        dataset >= 0 && (H5Sget_simple_extent_npoints(space) == 0 ||
                         H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    if (dataset >= 0 && H5Dclose(dataset) < 0)
        fine = 0;
    H5Pclose(plist);
    if (!fine)
        return cond_data_fail(file, COND_NO_FILE, location, "cannot be written");
    return COND_OK;
}

static CondStatus write_array(const CondDataFile* file, const char* location, int count, hid_t type,
                              const void* values)
{
    hsize_t size = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &size, NULL);
    CondStatus status = write_dataset(file, location, type, space, values);
    H5Sclose(space);
    return status;
}

CondStatus cond_data_write_ints(const CondDataFile* file, const char* location, int count,
                                const int* values)
{
    return write_array(file, location, count, H5T_NATIVE_INT, values);
}

CondStatus cond_data_write_doubles(const CondDataFile* file, const char* location, int count,
                                   const double* values)
{
    return write_array(file, location, count, H5T_NATIVE_DOUBLE, values);
}

CondStatus cond_data_write_text(const CondDataFile* file, const char* location, const char* text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    CondStatus status = write_dataset(file, location, type, space, text);
    H5Sclose(space);
    H5Tclose(type);
    return status;
}
