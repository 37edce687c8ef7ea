// Making and breaking FCLib files with plain HDF5 calls, independent of the library's own writer.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fclib_edit.h"

void fclib_edit_create(const char* path)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_true(H5Fclose(file) >= 0);
}

void fclib_edit_copy(const char* from, const char* to, long bytes)
{
    FILE* in = fopen(from, "rb");
    FILE* out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    int c;
    for (long k = 0; (bytes < 0 || k < bytes) && (c = fgetc(in)) != EOF; k++)
        assert_int_equal(fputc(c, out), c);
    assert_int_equal(fclose(in), 0);
    assert_int_equal(fclose(out), 0);
}

static hid_t open_file(const char* path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static int exists(hid_t file, const char* location)
{
    htri_t found;
    H5E_BEGIN_TRY
    {
        found = H5Lexists(file, location, H5P_DEFAULT);
    }
    H5E_END_TRY;
    return found > 0;
}

int fclib_edit_exists(const char* path, const char* location)
{
    hid_t file = open_file(path);
    int found = exists(file, location);
    H5Fclose(file);
    return found;
}

void fclib_edit_delete(const char* path, const char* location)
{
    hid_t file = open_file(path);
    assert_true(H5Ldelete(file, location, H5P_DEFAULT) >= 0);
    H5Fclose(file);
}

// Writes a dataset in place of what was there.
static void put(const char* path, const char* location, hid_t type, hid_t space, const void* values)
{
    hid_t file = open_file(path);
    if (exists(file, location))
        assert_true(H5Ldelete(file, location, H5P_DEFAULT) >= 0);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t dataset = H5Dcreate2(file, location, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(dataset >= 0);
    if (H5Sget_simple_extent_npoints(space) > 0)
        assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
    H5Pclose(links);
    H5Sclose(space);
    assert_true(H5Fclose(file) >= 0);
}

static hid_t array_space(int n)
{
    hsize_t size = (hsize_t)n;
    return H5Screate_simple(1, &size, NULL);
}

void fclib_edit_group(const char* path, const char* location)
{
    hid_t file = open_file(path);
    hid_t group = H5Gcreate2(file, location, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(group >= 0);
    H5Gclose(group);
    H5Fclose(file);
}

void fclib_edit_put_ints(const char* path, const char* location, int n, const int* values)
{
    put(path, location, H5T_NATIVE_INT, array_space(n), values);
}

void fclib_edit_put_int(const char* path, const char* location, int value)
{
    fclib_edit_put_ints(path, location, 1, &value);
}

void fclib_edit_put_doubles(const char* path, const char* location, int n, const double* values)
{
    put(path, location, H5T_NATIVE_DOUBLE, array_space(n), values);
}

void fclib_edit_put_text(const char* path, const char* location, const char* text)
{
    // Of variable length, as Python writes it; FCLib's own are of fixed length.
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    put(path, location, type, H5Screate(H5S_SCALAR), &text);
    H5Tclose(type);
}

void fclib_edit_get_doubles(const char* path, const char* location, int n, double* values)
{
    hid_t file = open_file(path);
    hid_t dataset = H5Dopen2(file, location, H5P_DEFAULT);
    assert_true(dataset >= 0);
    hid_t space = H5Dget_space(dataset);
    assert_int_equal(H5Sget_simple_extent_npoints(space), n);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
}

void fclib_edit_set_double(const char* path, const char* location, int index, double value)
{
    hid_t file = open_file(path);
    hid_t dataset = H5Dopen2(file, location, H5P_DEFAULT);
    assert_true(dataset >= 0);
    hid_t space = H5Dget_space(dataset);
    int n = (int)H5Sget_simple_extent_npoints(space);
    assert_in_range(index, 0, n - 1);
    double* values = calloc((size_t)n, sizeof *values);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    values[index] = value;
    assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    free(values);
    H5Sclose(space);
    H5Dclose(dataset);
    assert_true(H5Fclose(file) >= 0);
}

static void put_member(const char* path, const char* group, const char* name, int n,
                       const int* values)
{
    char location[128];
    snprintf(location, sizeof location, "%s/%s", group, name);
    fclib_edit_put_ints(path, location, n, values);
}

void fclib_edit_put_matrix(const char* path, const char* location, int n, const double* dense,
                           int upper)
{
    int* row = calloc((size_t)(n * n), sizeof *row);
    int* column = calloc((size_t)(n * n), sizeof *column);
    double* value = calloc((size_t)(n * n), sizeof *value);
    int n_entry = 0;
    for (int i = 0; i < n; i++)
        for (int j = upper ? i : 0; j < n; j++)
            if (dense[i * n + j] != 0.0) {
                row[n_entry] = i;
                column[n_entry] = j;
                value[n_entry++] = dense[i * n + j];
            }
    char x[128];
    snprintf(x, sizeof x, "%s/x", location);
    put_member(path, location, "m", 1, &n);
    put_member(path, location, "n", 1, &n);
    put_member(path, location, "nz", 1, &n_entry);
    put_member(path, location, "nzmax", 1, &n_entry);
    put_member(path, location, "i", n_entry, row);
    put_member(path, location, "p", n_entry, column);
    fclib_edit_put_doubles(path, x, n_entry, value);
    free(row);
    free(column);
    free(value);
}

void fclib_edit_put_local(const char* path, int n, const double* W, const double* q, double mu)
{
    double* friction = calloc((size_t)n, sizeof *friction);
    for (int c = 0; c < n / 3; c++)
        friction[c] = mu;
    fclib_edit_put_int(path, "/fclib_local/spacedim", 3);
    fclib_edit_put_matrix(path, "/fclib_local/W", n, W, 0);
    fclib_edit_put_doubles(path, "/fclib_local/vectors/q", n, q);
    fclib_edit_put_doubles(path, "/fclib_local/vectors/mu", n / 3, friction);
    free(friction);
}
