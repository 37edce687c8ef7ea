// Creates, fills and reopens HDF5 files that others read meanwhile (hdf_file.h).
#define _POSIX_C_SOURCE 200809L
#include "hdf5/hdf_file.h"

#include "base/memory.h"
#include "hdf5/tuning.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The first bytes of a file of HDF5's version 3: signature, version, sizes, mark, addresses, and a
// checksum over all before it.
enum { VERSION_AT = 8, MARK_AT = 11, END_AT = 28, CHECKSUM_AT = 44, SUPERBLOCK = 48 };

static uint32_t checksum_in(const unsigned char block[SUPERBLOCK])
{
    uint32_t sum = 0;
    for (int k = 0; k < 4; k++)
        sum |= (uint32_t)block[CHECKSUM_AT + k] << 8 * k;
    return sum;
}

static int read_superblock(int descriptor, unsigned char block[SUPERBLOCK])
{
    return pread(descriptor, block, SUPERBLOCK, 0) != SUPERBLOCK || block[VERSION_AT] != 3;
}

static int64_t end_in(const unsigned char block[SUPERBLOCK])
{
    uint64_t end = 0;
    for (int k = 0; k < 8; k++)
        end |= (uint64_t)block[END_AT + k] << 8 * k;
    return (int64_t)end;
}

// Takes the mark away and tells where the file ends for HDF5.
static int unmark(int descriptor, int64_t* end)
{
    unsigned char block[SUPERBLOCK];
    if (read_superblock(descriptor, block))
        return 1;
    *end = end_in(block);
    if (block[MARK_AT] == 0)
        return 0;
    block[MARK_AT] = 0;
    uint32_t sum = cond_hdf_checksum(block, CHECKSUM_AT);
    for (int k = 0; k < 4; k++)
        block[CHECKSUM_AT + k] = (unsigned char)(sum >> 8 * k);
    return pwrite(descriptor, block, sizeof block, 0) != (ssize_t)sizeof block;
}

// 1 when the file is being written or its writer was killed, by a superblock that is whole: it is
// marked, or longer than it says. A commit writes the indices before the superblock, so that until
// then they point beyond its end, where HDF5 reads in the mode for such files alone.
static int is_unfinished(const char* path)
{
    unsigned char block[SUPERBLOCK];
    struct stat about;
    int descriptor = open(path, O_RDONLY);
    int unfinished =
        descriptor >= 0 && !read_superblock(descriptor, block) &&
        cond_hdf_checksum(block, CHECKSUM_AT) == checksum_in(block) &&
        (block[MARK_AT] != 0 || (fstat(descriptor, &about) == 0 && about.st_size > end_in(block)));
    if (descriptor >= 0)
        close(descriptor);
    return unfinished;
}

int cond_hdf_create(CondHdfFile* file)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = cond_hdf_plist(H5P_FILE_CREATE);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    // Every piece gets its place for itself: pools would be given back by each flush, and the file
    // would tell when it was committed.
    H5Pset_meta_block_size(access, 0);
    H5Pset_small_data_block_size(access, 0);
    file->descriptor = file->id = -1;
    if (!cond_hdf_journal_use(access, &file->journal))
        file->id = H5Fcreate(file->path, H5F_ACC_TRUNC, create, access);
    H5Pclose(access);
    H5Pclose(create);
    if (file->id >= 0)
        file->descriptor = open(file->path, O_RDWR);
    file->used = file->reserved = 0;
    return file->descriptor < 0;
}

int cond_hdf_reserve(CondHdfFile* file, int64_t bytes, int64_t room)
{
    int64_t needed = file->used + file->promised + bytes + room;
    if (needed > file->reserved) {
        if (posix_fallocate(file->descriptor, 0, (off_t)(needed + bytes + room)) != 0)
            return 1;
        file->reserved = needed + bytes + room;
    }
    file->promised += bytes;
    return 0;
}

void cond_hdf_close(CondHdfFile* file)
{
    int closed = file->id >= 0 && H5Fclose(file->id) >= 0;
    if (file->descriptor >= 0) {
        if (closed)
            cond_hdf_journal_clear(&file->journal, file->descriptor);
        // Room that was taken and not used goes back.
        if (unmark(file->descriptor, &file->used) == 0 && file->used < file->reserved &&
            ftruncate(file->descriptor, (off_t)file->used) != 0)
            file->reserved = 0; // the file is whole all the same
        close(file->descriptor);
    }
    file->id = file->descriptor = -1;
    cond_hdf_journal_end(&file->journal);
}

int cond_hdf_add_group(const CondHdfFile* file, const char* location, int ordered)
{
    hid_t plist = cond_hdf_plist(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(plist, ordered ? H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED : 0);
    hid_t group = H5Gcreate2(file->id, location, H5P_DEFAULT, plist, H5P_DEFAULT);
    H5Pclose(plist);
    return group < 0 || H5Gclose(group) < 0;
}

int cond_hdf_add_link(const CondHdfFile* file, const char* target, const char* location)
{
    return H5Lcreate_soft(target, file->id, location, H5P_DEFAULT, H5P_DEFAULT) < 0;
}

static int set_attribute(const CondHdfFile* file, const char* location, const char* name,
                         hid_t file_type, hid_t memory_type, hid_t space, const void* value)
{
    hid_t at = H5Acreate_by_name(file->id, location, name, file_type, space, H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT);
    int failed = at < 0 || H5Awrite(at, memory_type, value) < 0;
    if (at >= 0)
        failed |= H5Aclose(at) < 0;
    return failed;
}

int cond_hdf_set_ints(const CondHdfFile* file, const char* location, const char* name, int n,
                      const int* values)
{
    hsize_t size = (hsize_t)n;
    hid_t space = n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
    int failed = set_attribute(file, location, name, H5T_STD_I64LE, H5T_NATIVE_INT, space, values);
    H5Sclose(space);
    return failed;
}

int cond_hdf_set_number(const CondHdfFile* file, const char* location, const char* name,
                        double value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    int failed =
        set_attribute(file, location, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space, &value);
    H5Sclose(space);
    return failed;
}

int cond_hdf_set_text(const CondHdfFile* file, const char* location, const char* name,
                      const char* text)
{
    // VTK asks for ASCII of a fixed length without an ending zero.
    hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
    size_t length = strlen(text);
    H5Tset_size(type, length > 0 ? length : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    int failed = set_attribute(file, location, name, type, type, space, text);
    H5Tclose(type);
    H5Sclose(space);
    return failed;
}

static int add_dataset(const CondHdfFile* file, const char* location, hid_t file_type,
                       hid_t memory_type, hid_t space, const void* values)
{
    hid_t plist = cond_hdf_plist(H5P_DATASET_CREATE);
    hid_t set = H5Dcreate2(file->id, location, file_type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    int failed = set < 0;
    H5Pclose(plist);
    if (!failed && H5Sget_simple_extent_npoints(space) > 0)
        failed = H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
    if (set >= 0)
        failed |= H5Dclose(set) < 0;
    return failed;
}

int cond_hdf_add_array(const CondHdfFile* file, const char* location, hid_t file_type,
                       hid_t memory_type, int n, const void* values)
{
    hsize_t size = (hsize_t)n;
    hid_t space = H5Screate_simple(1, &size, NULL);
    int failed = add_dataset(file, location, file_type, memory_type, space, values);
    H5Sclose(space);
    return failed;
}

int cond_hdf_add_texts(const CondHdfFile* file, const char* location, int n, size_t size,
                       const char* texts)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    int failed = cond_hdf_add_array(file, location, type, type, n, texts);
    H5Tclose(type);
    return failed;
}

int cond_hdf_add_series(CondHdfFile* file, const char* location, hid_t file_type, hid_t memory_type,
                        int rank, const hsize_t tail[2], int block, int compression,
                        CondHdfSeries* series)
{
    enum { SHARED = 1024, SMALL = 4096, LARGE = 1 << 20 }; // bytes of a chunk
    hsize_t now[3] = {0, tail[0], tail[1]}, most[3] = {H5S_UNLIMITED, tail[0], tail[1]};
    hsize_t chunk[3] = {(hsize_t)(block > 0 ? block : 1), tail[0], tail[1]};
    hsize_t row = H5Tget_size(file_type);
    for (int k = 1; k < rank; k++)
        row *= tail[k - 1];
    // A chunk is one frame where that is worth it. Small rows share a chunk, which is written again
    // with every commit and therefore not compressed: compressed ones would move each time.
    int small = chunk[0] * row < SMALL;
    if (small && chunk[0] * row < SHARED)
        chunk[0] = (SHARED + row - 1) / row;
    else if (chunk[0] * row > LARGE)
        chunk[0] = row < LARGE ? LARGE / row : 1;
    hid_t plist = cond_hdf_plist(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, rank, chunk);
    series->compressed = !small && compression > 0;
    if (series->compressed) {
        H5Pset_shuffle(plist);
        H5Pset_deflate(plist, (unsigned)compression);
    } else {
        H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY);
        H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER);
    }
    hid_t space = H5Screate_simple(rank, now, most);
    series->id = H5Dcreate2(file->id, location, file_type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    series->memory_type = memory_type;
    series->rank = rank;
    series->chunk = (int64_t)chunk[0];
    series->row = H5Tget_size(memory_type);
    for (int k = 1; k < rank; k++)
        series->row *= tail[k - 1];
    memcpy(series->tail, tail, sizeof series->tail);
    CondHdfSeries** end = &file->first;
    while (*end)
        end = &(*end)->next;
    *end = series;
    series->file = file;
    H5Sclose(space);
    H5Pclose(plist);
    if (series->id < 0)
        series->id = 0;
    return series->id == 0;
}

int cond_hdf_add_columns(CondHdfFile* file, const char* group, const char* name, hid_t file_type,
                         hid_t memory_type, int columns, int block, int compression,
                         CondHdfSeries* series)
{
    char location[128];
    const hsize_t tail[2] = {(hsize_t)columns, 0};
    snprintf(location, sizeof location, "%.60s/%.60s", group, name);
    return cond_hdf_add_series(file, location, file_type, memory_type, columns > 1 ? 2 : 1, tail,
                               block, compression, series);
}

void cond_hdf_close_series(CondHdfSeries* series, int n)
{
    for (int k = 0; k < n; k++) {
        if (series[k].id > 0)
            H5Dclose(series[k].id);
        if (series[k].wait)
            cond_release(&series[k].file->context, series[k].wait);
    }
}

int cond_hdf_start(CondHdfFile* file)
{
    return cond_hdf_journal_add(&file->journal, file->id) || H5Fstart_swmr_write(file->id) < 0;
}

static hsize_t chunks_of(const CondHdfSeries* series, int64_t rows)
{
    return (hsize_t)((rows + series->chunk - 1) / series->chunk);
}

static int set_extent(CondHdfSeries* series, int64_t rows)
{
    hsize_t size[3] = {(hsize_t)rows, series->tail[0], series->tail[1]};
    if (rows == series->extent)
        return 0;
    if (H5Dset_extent(series->id, size) < 0)
        return 1;
    series->extent = rows;
    return 0;
}

int cond_hdf_put(CondHdfSeries* series, int64_t first, int64_t n, const void* values)
{
    if (series->n == 0 || first <= series->begin) {
        series->begin = first;
        series->n = 0;
    }
    int64_t before = first - series->begin;
    if (before > series->n || before + n > INT32_MAX)
        return 1;
    series->file->no_memory = cond_reserve(&series->file->context, &series->wait, &series->capacity,
                                           (int)(before + n), series->row) != COND_OK;
    if (series->file->no_memory)
        return 1;
    if (n > 0)
        memcpy(series->wait + (size_t)before * series->row, values, (size_t)n * series->row);
    series->n = before + n;
    if (series->compressed) {
        series->file->hasty |= n > 0;
        return 0;
    }
    return chunks_of(series, first + n) > chunks_of(series, series->extent) &&
           set_extent(series, first + n);
}

// Brings the rows that wait to the file; they wait on, in case that something else fails.
static int write_rows(CondHdfSeries* series)
{
    hsize_t begin[3] = {(hsize_t)series->begin, 0, 0};
    hsize_t count[3] = {(hsize_t)series->n, series->tail[0], series->tail[1]};
    if (series->n == 0)
        return 0;
    if (set_extent(series, series->begin + series->n))
        return 1;
    hid_t space = H5Dget_space(series->id);
    hid_t memory = H5Screate_simple(series->rank, count, NULL);
    int failed =
        H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, NULL, count, NULL) < 0 ||
        H5Dwrite(series->id, series->memory_type, memory, space, H5P_DEFAULT, series->wait) < 0;
    H5Sclose(memory);
    H5Sclose(space);
    return failed;
}

int cond_hdf_change_int(const CondHdfFile* file, const char* location, const char* name, int value)
{
    // HDF5 1.10 does not find an attribute again that was opened by the name of its object.
    hid_t object = H5Oopen(file->id, location, H5P_DEFAULT);
    hid_t at = H5Aopen(object, name, H5P_DEFAULT);
    int failed = at < 0 || H5Awrite(at, H5T_NATIVE_INT, &value) < 0;
    if (at >= 0)
        failed |= H5Aclose(at) < 0;
    if (object >= 0)
        failed |= H5Oclose(object) < 0;
    return failed;
}

static int flush(CondHdfFile* file)
{
    return H5Fflush(file->id, H5F_SCOPE_GLOBAL) < 0 || unmark(file->descriptor, &file->used);
}

int cond_hdf_commit(CondHdfFile* file)
{
    for (CondHdfSeries* s = file->first; s; s = s->next)
        if (write_rows(s))
            return 1;
    if (flush(file))
        return 1;
    for (CondHdfSeries* s = file->first; s; s = s->next)
        s->n = 0;
    file->promised = 0;
    file->hasty = 0;
    return 0;
}
// Opens a file, through the journal where one is given, in the mode of H5Fopen or in that for files
// being written.
static hid_t open_through(const char* path, CondHdfJournal* journal, int unfinished)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), id = -1;
    if ((!unfinished || H5Pset_metadata_read_attempts(access, COND_READ_ATTEMPTS) >= 0) &&
        (!journal || !cond_hdf_journal_use(access, journal)))
        id = H5Fopen(path, H5F_ACC_RDONLY | (unfinished ? H5F_ACC_SWMR_READ : 0), access);
    H5Pclose(access);
    return id;
}

hid_t cond_hdf_open(const char* path, CondHdfJournal* journal)
{
    int unfinished = is_unfinished(path);
    hid_t id = open_through(path, NULL, unfinished);
    if (id >= 0 && cond_hdf_journal_read(journal, id, path)) {
        H5Fclose(id);
        id = open_through(path, journal, unfinished);
    }
    return id;
}
