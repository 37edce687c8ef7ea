// The HDF5 file driver with a journal (hdf_driver.h). Passes calls on to HDF5's own driver.
#define _POSIX_C_SOURCE 200809L
#include "hdf5/hdf_driver.h"

#include "base/memory.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

// A write within a sector is there or not.
enum { SECTOR = 512, HEAD = 32, CHECKSUM_AT = 24 };

static const char journal_location[] = "/cond/journal";
static const char magic[8] = {'C', 'O', 'N', 'D', 'l', 'a', 's', 't'};

static uint32_t turn(uint32_t x, int k)
{
    return x << k | x >> (32 - k);
}

uint32_t cond_hdf_checksum(const unsigned char* bytes, size_t n)
{
    uint32_t s[3];
    s[0] = s[1] = s[2] = 0xdeadbeefu + (uint32_t)n;
    for (; n > 0;) {
        size_t part = n < 12 ? n : 12;
        for (size_t k = 0; k < part; k++)
            s[k / 4] += (uint32_t)bytes[k] << 8 * (k % 4);
        bytes += part;
        n -= part;
        uint32_t a = s[0], b = s[1], c = s[2];
        if (n > 0) {
            a -= c, a ^= turn(c, 4), c += b;
            b -= a, b ^= turn(a, 6), a += c;
            c -= b, c ^= turn(b, 8), b += a;
            a -= c, a ^= turn(c, 16), c += b;
            b -= a, b ^= turn(a, 19), a += c;
            c -= b, c ^= turn(b, 4), b += a;
        } else {
            c ^= b, c -= turn(b, 14);
            a ^= c, a -= turn(c, 11);
            b ^= a, b -= turn(a, 25);
            c ^= b, c -= turn(b, 16);
            a ^= c, a -= turn(c, 4);
            b ^= a, b -= turn(a, 14);
            c ^= b, c -= turn(b, 24);
        }
        s[0] = a, s[1] = b, s[2] = c;
    }
    return s[2];
}

static void put_number(unsigned char* to, uint64_t x)
{
    for (int k = 0; k < 8; k++)
        to[k] = (unsigned char)(x >> 8 * k);
}

static uint64_t get_number(const unsigned char* from)
{
    uint64_t x = 0;
    for (int k = 0; k < 8; k++)
        x |= (uint64_t)from[k] << 8 * k;
    return x;
}

// The journal: a mark, where the piece belongs, its bytes, a checksum of both, the piece.
static uint32_t journal_sum(const unsigned char* bytes, size_t n)
{
    return cond_hdf_checksum(bytes, CHECKSUM_AT) ^ cond_hdf_checksum(bytes + HEAD, n);
}

// What HDF5 knows of an open file.
typedef struct Driver {
    H5FD_t base; // must be first
    H5FD_t* file;
    CondHdfJournal* journal;
} Driver;

int cond_hdf_journal_begin(const CondContext* context, CondHdfJournal* journal)
{
    *journal = (CondHdfJournal){.context = *context};
    journal->bytes = cond_allocate(context, 2 * COND_HDF_JOURNAL, 1);
    journal->driver = cond_allocate(context, 1, sizeof(Driver));
    return !journal->bytes || !journal->driver;
}

void cond_hdf_journal_end(CondHdfJournal* journal)
{
    if (journal->bytes)
        cond_release(&journal->context, journal->bytes);
    if (journal->driver)
        cond_release(&journal->context, journal->driver);
    journal->bytes = journal->driver = NULL;
    if (journal->kind > 0)
        H5FDunregister(journal->kind);
    journal->kind = 0;
}

int cond_hdf_journal_add(CondHdfJournal* journal, hid_t file)
{
    const hsize_t size = COND_HDF_JOURNAL;
    hid_t space = H5Screate_simple(1, &size, NULL), plist = cond_hdf_plist(H5P_DATASET_CREATE);
    H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY);
    hid_t set =
        H5Dcreate2(file, journal_location, H5T_STD_U8LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    haddr_t at = set >= 0 ? H5Dget_offset(set) : HADDR_UNDEF;
    if (set >= 0)
        H5Dclose(set);
    H5Pclose(plist);
    H5Sclose(space);
    journal->at = at == HADDR_UNDEF ? 0 : (int64_t)at;
    return journal->at == 0;
}

void cond_hdf_journal_clear(CondHdfJournal* journal, int descriptor)
{
    if (journal->at == 0)
        return;
    memset(journal->bytes, 0, COND_HDF_JOURNAL);
    if (pwrite(descriptor, journal->bytes, COND_HDF_JOURNAL, (off_t)journal->at) < 0)
        journal->at = 0; // its last piece stays, and is in its place too
}

// Where the journal of a file is; 0: it has none.
static int64_t find_journal(hid_t file)
{
    if (H5Lexists(file, "/cond", H5P_DEFAULT) <= 0 ||
        H5Lexists(file, journal_location, H5P_DEFAULT) <= 0)
        return 0;
    hid_t set = H5Dopen2(file, journal_location, H5P_DEFAULT);
    haddr_t at =
        set >= 0 && H5Dget_storage_size(set) == COND_HDF_JOURNAL ? H5Dget_offset(set) : HADDR_UNDEF;
    if (set >= 0)
        H5Dclose(set);
    return at == HADDR_UNDEF ? 0 : (int64_t)at;
}

// 1 where the journal has a whole piece, and what is in its place is none.
static int is_torn(CondHdfJournal* journal, int descriptor)
{
    unsigned char* bytes = journal->bytes;
    if (pread(descriptor, bytes, COND_HDF_JOURNAL, (off_t)journal->at) != COND_HDF_JOURNAL ||
        memcmp(bytes, magic, sizeof magic) != 0)
        return 0;
    uint64_t at = get_number(bytes + 8), n = get_number(bytes + 16);
    if (n == 0 || n > COND_HDF_JOURNAL - HEAD || at > INT64_MAX - n ||
        get_number(bytes + CHECKSUM_AT) != journal_sum(bytes, (size_t)n))
        return 0;
    journal->piece_at = (int64_t)at;
    journal->n_piece = (int64_t)n;
    // Every piece of HDF5's metadata ends with a checksum of itself: one that fits is whole, be it
    // older than the journal's or changed since by somebody else.
    unsigned char* there = bytes + COND_HDF_JOURNAL;
    uint32_t sum = 0;
    if (n < 8 || pread(descriptor, there, (size_t)n, (off_t)at) != (ssize_t)n)
        return n >= 8;
    for (int k = 0; k < 4; k++)
        sum |= (uint32_t)there[n - 4 + (uint64_t)k] << 8 * k;
    return sum != cond_hdf_checksum(there, (size_t)n - 4);
}

int cond_hdf_journal_read(CondHdfJournal* journal, hid_t file, const char* path)
{
    // A writer that lives brings its piece to its place within microseconds.
    const struct timespec pause = {0, 2000000};
    int descriptor = -1, torn = 0;
    journal->at = find_journal(file);
    if (journal->at > 0)
        descriptor = open(path, O_RDONLY);
    if (descriptor >= 0) {
        torn = is_torn(journal, descriptor);
        if (torn) {
            int64_t at = journal->piece_at;
            uint64_t sum = get_number(journal->bytes + CHECKSUM_AT);
            nanosleep(&pause, NULL);
            torn = is_torn(journal, descriptor) && journal->piece_at == at &&
                   get_number(journal->bytes + CHECKSUM_AT) == sum;
        }
        close(descriptor);
    }
    if (!torn)
        journal->n_piece = 0;
    return torn;
}

// The driver: everything goes to HDF5's ordinary one, by the calls that are public for drivers.

static Driver* driver_of(const H5FD_t* file)
{
    return (Driver*)(uintptr_t)file;
}

static H5FD_t* driver_open(const char* name, unsigned flags, hid_t access, haddr_t most)
{
    CondHdfJournal* const* journal = H5Pget_driver_info(access);
    hid_t plain = H5Pcreate(H5P_FILE_ACCESS);
    Driver* driver = journal ? (*journal)->driver : NULL;
    if (driver) {
        *driver = (Driver){.journal = *journal};
        if (H5Pset_fapl_sec2(plain) >= 0)
            driver->file = H5FDopen(name, flags, plain, most);
    }
    H5Pclose(plain);
    return driver && driver->file ? &driver->base : NULL;
}

static herr_t driver_close(H5FD_t* file)
{
    return H5FDclose(driver_of(file)->file);
}

static int driver_compare(const H5FD_t* a, const H5FD_t* b)
{
    return H5FDcmp(driver_of(a)->file, driver_of(b)->file);
}

static herr_t driver_query(const H5FD_t* file, unsigned long* flags)
{
    // Before a file is open there is none to ask; the journal allows what the plain driver does.
    if (!file) {
        *flags = 0;
        return 0;
    }
    return H5FDquery(driver_of(file)->file, flags) < 0 ? -1 : 0;
}

static haddr_t driver_end_of_space(const H5FD_t* file, H5FD_mem_t type)
{
    return H5FDget_eoa(driver_of(file)->file, type);
}

static herr_t driver_set_end_of_space(H5FD_t* file, H5FD_mem_t type, haddr_t end)
{
    return H5FDset_eoa(driver_of(file)->file, type, end);
}

static haddr_t driver_end_of_file(const H5FD_t* file, H5FD_mem_t type)
{
    return H5FDget_eof(driver_of(file)->file, type);
}

static herr_t driver_handle(H5FD_t* file, hid_t access, void** handle)
{
    return H5FDget_vfd_handle(driver_of(file)->file, access, handle);
}

static herr_t driver_read(H5FD_t* file, H5FD_mem_t type, hid_t plist, haddr_t at, size_t n,
                          void* bytes)
{
    const Driver* driver = driver_of(file);
    const CondHdfJournal* j = driver->journal;
    if (H5FDread(driver->file, type, plist, at, n, bytes) < 0)
        return -1;
    if (j->n_piece > 0) {
        int64_t begin = (int64_t)at > j->piece_at ? (int64_t)at : j->piece_at;
        int64_t end = (int64_t)(at + n), last = j->piece_at + j->n_piece;
        end = end < last ? end : last;
        if (begin < end)
            memcpy((unsigned char*)bytes + (begin - (int64_t)at),
                   j->bytes + HEAD + (begin - j->piece_at), (size_t)(end - begin));
    }
    return 0;
}

// Metadata that may be torn goes to the journal first. Rows of datasets need not: those of
// finished frames are written again with the same bytes.
static int write_journal(const Driver* driver, H5FD_mem_t type, hid_t plist, haddr_t at, size_t n,
                         const void* bytes)
{
    CondHdfJournal* j = driver->journal;
    if (j->at == 0 || type == H5FD_MEM_DRAW || n == 0 || n > COND_HDF_JOURNAL - HEAD ||
        at / SECTOR == (at + n - 1) / SECTOR)
        return 0;
    memcpy(j->bytes, magic, sizeof magic);
    put_number(j->bytes + 8, (uint64_t)at);
    put_number(j->bytes + 16, (uint64_t)n);
    memcpy(j->bytes + HEAD, bytes, n);
    put_number(j->bytes + CHECKSUM_AT, journal_sum(j->bytes, n));
    return H5FDwrite(driver->file, H5FD_MEM_DRAW, plist, (haddr_t)j->at, HEAD + n, j->bytes) < 0;
}

static herr_t driver_write(H5FD_t* file, H5FD_mem_t type, hid_t plist, haddr_t at, size_t n,
                           const void* bytes)
{
    const Driver* driver = driver_of(file);
    if (write_journal(driver, type, plist, at, n, bytes))
        return -1;
    return H5FDwrite(driver->file, type, plist, at, n, bytes);
}

static herr_t driver_flush(H5FD_t* file, hid_t plist, hbool_t closing)
{
    return H5FDflush(driver_of(file)->file, plist, closing);
}

static herr_t driver_truncate(H5FD_t* file, hid_t plist, hbool_t closing)
{
    return H5FDtruncate(driver_of(file)->file, plist, closing);
}

static herr_t driver_lock(H5FD_t* file, hbool_t exclusive)
{
    return H5FDlock(driver_of(file)->file, exclusive);
}

static herr_t driver_unlock(H5FD_t* file)
{
    return H5FDunlock(driver_of(file)->file);
}

static const H5FD_class_t driver_class = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, // any number of those that are free
#endif
    .name = "cond",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(CondHdfJournal*),
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_compare,
    .query = driver_query,
    .get_eoa = driver_end_of_space,
    .set_eoa = driver_set_end_of_space,
    .get_eof = driver_end_of_file,
    .get_handle = driver_handle,
    .read = driver_read,
    .write = driver_write,
    .flush = driver_flush,
    .truncate = driver_truncate,
    .lock = driver_lock,
    .unlock = driver_unlock,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

int cond_hdf_journal_use(hid_t access, CondHdfJournal* journal)
{
    // A file that is closed looks at its driver's table once more after it has let go of it, so the
    // journal, which outlives the file, holds on to it.
    if (journal->kind <= 0)
        journal->kind = H5FDregister(&driver_class);
    return journal->kind < 0 || H5Pset_driver(access, journal->kind, &journal) < 0;
}
