// Writes the .xdmf file of a recording (xdmf.h).
#define _POSIX_C_SOURCE 200809L
#include "record/xdmf.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <locale.h>
#include <string.h>

static const char tail[] = "</Grid>\n</Domain>\n</Xdmf>\n";

static void add_location(CondXdmf* x, const CondXdmfArray* a)
{
    cond_mesh_text_bytes(&x->text, x->name.data, x->name.size);
    cond_mesh_text_add(&x->text, ":%s", a->location);
}

// Rows of a dataset, twice, because ParaView's two readers know different ways to say it: XDMF 3
// reads the text of the item (where|start:stride:count:size) and neither `Type` nor the items
// within, XDMF 2 reads those and not the text.
static void add_slab(CondXdmf* x, const CondXdmfArray* a, long long n)
{
    CondMeshText* t = &x->text;
    char dims[32] = "", ones[4] = "", zero[4] = "", kind[64] = "";
    if (a->columns > 1) {
        snprintf(dims, sizeof dims, " %d", a->columns);
        snprintf(ones, sizeof ones, " 1");
        snprintf(zero, sizeof zero, " 0");
    }
    if (strcmp(a->type, "Float") != 0 || a->size != 4) // which is what is meant without
        snprintf(kind, sizeof kind, " NumberType=\"%s\" Precision=\"%d\"", a->type, a->size);
    cond_mesh_text_add(t, "<DataItem Type=\"HyperSlab\" Dimensions=\"%lld%s\"%s Format=\"HDF\">", n,
                       dims, kind);
    add_location(x, a);
    cond_mesh_text_add(t,
                       "|%lld%s:1%s:%lld%s:%lld%s"
                       "<DataItem Dimensions=\"3 %d\" Format=\"XML\">%lld%s 1%s %lld%s</DataItem>"
                       "<DataItem Dimensions=\"%lld%s\"%s Format=\"HDF\">",
                       a->first, zero, ones, n, dims, a->first + n, dims, a->columns > 1 ? 2 : 1,
                       a->first, zero, ones, n, dims, a->first + n, dims, kind);
    add_location(x, a);
    cond_mesh_text_add(t, "</DataItem></DataItem>\n");
}

// What is the same in all frames stands in the first and is taken from there: child `child` of the
// grid that is child 2 of the frame, behind its time.
static int add_again(CondXdmf* x, int child)
{
    if (x->i_frame > 0)
        cond_mesh_text_add(&x->text, "<xi:include xpointer=\"element(/1/1/1/1/2/1/%d)\"/>\n",
                           child);
    return x->i_frame > 0;
}

static void add_topology(CondXdmf* x, const CondXdmfGrid* grid)
{
    CondMeshText* t = &x->text;
    if (grid->topology.fixed && add_again(x, 1))
        return;
    cond_mesh_text_add(t, "<Topology TopologyType=\"%s\" NumberOfElements=\"%lld\">\n",
                       grid->mixed ? "Mixed" : "Polyvertex\" NodesPerElement=\"1", grid->n_cell);
    add_slab(x, &grid->topology, grid->n_topology);
    cond_mesh_text_add(t, "</Topology>\n");
}

static void add_grid(CondXdmf* x, const CondXdmfGrid* grid)
{
    CondMeshText* t = &x->text;
    // A collection of one has the same name in all frames; readers number the grids themselves.
    cond_mesh_text_add(t,
                       "<Grid Name=\"%s\" GridType=\"Collection\" CollectionType=\"Spatial\">\n"
                       "<Grid Name=\"%s\" GridType=\"Uniform\">\n",
                       grid->name, grid->name);
    add_topology(x, grid);
    cond_mesh_text_add(t, "<Geometry GeometryType=\"XYZ\">\n");
    add_slab(x, &grid->point, grid->n_point);
    cond_mesh_text_add(t, "</Geometry>\n");
    for (int k = 0; k < grid->n_array; k++) {
        const CondXdmfArray* a = &grid->array[k];
        if (a->fixed && add_again(x, 3 + k))
            continue;
        const char* kind = a->columns == 1   ? "Scalar"
                           : a->columns == 3 ? "Vector"
                           : a->columns == 9 ? "Tensor"
                                             : "Matrix";
        cond_mesh_text_add(t, "<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">\n",
                           a->name, kind, a->cell ? "Cell" : "Node");
        add_slab(x, a, a->cell ? grid->n_cell : grid->n_point);
        cond_mesh_text_add(t, "</Attribute>\n");
    }
    cond_mesh_text_add(t, "</Grid>\n</Grid>\n");
}

// Writes the text where the last frame ends, and the end of the file behind it, in one piece.
CondStatus cond_xdmf_flush(CondXdmf* x)
{
    size_t length = x->text.size;
    cond_mesh_text_add(&x->text, "%s", tail);
    if (x->text.failed) {
        x->text.size = length;
        x->text.failed = 0;
        return COND_OUT_OF_MEMORY;
    }
    int failed = fseek(x->file, x->end, SEEK_SET) != 0 ||
                 fwrite(x->text.data, 1, x->text.size, x->file) != x->text.size ||
                 fflush(x->file) != 0;
    x->text.size = failed ? length : 0;
    if (!failed)
        x->end += (long)length;
    return failed ? COND_NO_FILE : COND_OK;
}

CondStatus cond_xdmf_frame(CondXdmf* xdmf, int i_frame, double time, int n_grid,
                           const CondXdmfGrid* grid)
{
    // Numbers have a decimal point, whatever the language of the host program.
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return COND_OUT_OF_MEMORY;
    locale_t host = uselocale(plain);
    size_t before = xdmf->text.size;
    xdmf->i_frame = i_frame;
    cond_mesh_text_add(&xdmf->text,
                       "<Grid GridType=\"Collection\" CollectionType=\"Spatial\">\n"
                       "<Time Value=\"%.15g\"/>\n",
                       time);
    for (int k = 0; k < n_grid; k++)
        if (grid[k].n_point > 0)
            add_grid(xdmf, &grid[k]);
    cond_mesh_text_add(&xdmf->text, "</Grid>\n");
    uselocale(host);
    freelocale(plain);
    if (!xdmf->text.failed)
        return COND_OK;
    xdmf->text.size = before;
    xdmf->text.failed = 0;
    return COND_OUT_OF_MEMORY;
}

CondStatus cond_xdmf_open(const CondContext* context, const char* path, const char* hdf_name,
                          CondXdmf* xdmf, CondError* error)
{
    memset(xdmf, 0, sizeof *xdmf);
    xdmf->text.context = xdmf->name.context = *context;
    cond_mesh_text_escaped(&xdmf->name, hdf_name);
    cond_mesh_text_add(&xdmf->text, "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\" "
                                    "xmlns:xi=\"http://www.w3.org/2001/XInclude\">\n<Domain>\n"
                                    "<Grid GridType=\"Collection\" CollectionType=\"Temporal\">\n");
    if (xdmf->name.failed || xdmf->text.failed)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    xdmf->file = fopen(path, "w");
    CondStatus status = xdmf->file ? cond_xdmf_flush(xdmf) : COND_NO_FILE;
    if (!status)
        return COND_OK;
    if (status == COND_OUT_OF_MEMORY)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    return cond_error_set(error, COND_NO_FILE, "%.1000s: cannot be written: %s", path,
                          strerror(errno));
}

void cond_xdmf_close(CondXdmf* xdmf)
{
    if (xdmf->file)
        fclose(xdmf->file);
    cond_release(&xdmf->text.context, xdmf->text.data);
    cond_release(&xdmf->name.context, xdmf->name.data);
    memset(xdmf, 0, sizeof *xdmf);
}
