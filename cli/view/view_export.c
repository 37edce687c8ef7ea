// The data of an exported page: the scene and every frame, each behind its length (64 bits,
// little-endian), compressed by gzip and written as base64.
#include "view/view_export.h"

#include "cli.h"
#include "progress.h"
#include "view/view_encode.h"
#include "view_page.h"

#include <string.h>
#include <zlib.h>

// Takes bytes and writes their base64 in whole groups of three.
typedef struct Base64 {
    FILE* file;
    unsigned char left[3];
    int n_left;
} Base64;

static void put_group(Base64* out, int n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char* b = out->left;
    char text[4] = {digits[b[0] >> 2], digits[(b[0] & 3) << 4 | b[1] >> 4],
                    n > 1 ? digits[(b[1] & 15) << 2 | b[2] >> 6] : '=',
                    n > 2 ? digits[b[2] & 63] : '='};
    fwrite(text, 1, sizeof text, out->file);
    memset(out->left, 0, sizeof out->left);
    out->n_left = 0;
}

static void put_bytes(Base64* out, const unsigned char* bytes, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        out->left[out->n_left++] = bytes[k];
        if (out->n_left == 3)
            put_group(out, 3);
    }
}

static int pack(z_stream* stream, const void* bytes, size_t n, int flush, Base64* out)
{
    unsigned char part[65536];
    // zlib does not change what next_in points to, and counts in 32 bits.
    enum { MOST = 1 << 30 };
    int result = Z_OK;
    for (; n > MOST && result == Z_OK; n -= MOST, bytes = (const char*)bytes + MOST)
        if (pack(stream, bytes, MOST, Z_NO_FLUSH, out))
            return 1;
    stream->next_in = (Bytef*)bytes;
    stream->avail_in = (uInt)n;
    do {
        stream->next_out = part;
        stream->avail_out = sizeof part;
        result = deflate(stream, flush);
        put_bytes(out, part, sizeof part - stream->avail_out);
    } while (result == Z_OK &&
             (stream->avail_in > 0 || stream->avail_out == 0 || flush == Z_FINISH));
    return result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR;
}

static int pack_part(z_stream* stream, const Bytes* part, Base64* out)
{
    unsigned char length[8];
    for (int k = 0; k < 8; k++)
        length[k] = (unsigned char)((unsigned long long)part->size >> 8 * k);
    return part->failed || pack(stream, length, sizeof length, Z_NO_FLUSH, out) ||
           pack(stream, part->data, part->size, Z_NO_FLUSH, out);
}

static CondStatus pack_all(ViewRecording* view, Base64* out, CondError* error)
{
    enum { GZIP = 16 };
    z_stream stream = {0};
    Bytes frame = {0};
    CondStatus status = COND_OK;
    error->message[0] = '\0';
    if (deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return COND_OUT_OF_MEMORY;
    int n = cond_recording_n_frame(view->recording);
    Progress progress = progress_start("export");
    int failed = pack_part(&stream, &view->scene, out);
    for (int k = 0; k < n && !failed && !status; k++) {
        const CondMoment* moment;
        status = cond_recording_frame(view->recording, k, &moment, error);
        if (status)
            break;
        view_encode_frame(cond_recording_scenery(view->recording), moment, k, &frame);
        failed = pack_part(&stream, &frame, out);
        progress_update(&progress, k + 1, n);
    }
    progress_end(&progress);
    failed = failed || pack(&stream, "", 0, Z_FINISH, out);
    if (out->n_left > 0)
        put_group(out, out->n_left);
    deflateEnd(&stream);
    bytes_free(&frame);
    return status ? status : failed ? COND_OUT_OF_MEMORY : COND_OK;
}

int view_page_write(const char* recording, const char* page)
{
    ViewRecording view;
    int code = view_recording_open(recording, &view);
    if (code == CLI_FINE)
        code = view_export(&view, page);
    view_recording_close(&view);
    return code == CLI_FINE;
}

int view_export(ViewRecording* view, const char* path)
{
    static const char mark[] = "<!-- data -->";
    CondError error;
    CondFile* file;
    CondStatus status;
    Base64 out = {.file = NULL};
    bytes_add(&view->page, "", 1); // a zero at its end
    char* page = (char*)view->page.data;
    char* at = view->page.failed ? NULL : strstr(page, mark);
    if (!at) {
        cli_complain("the viewer's page has no place for data: build it again");
        return CLI_INPUT;
    }
    if ((status = cond_file_begin(NULL, path, &file, &error))) {
        cli_complain("%s", error.message);
        return cli_exit(status);
    }
    out.file = cond_file_stream(file);
    fwrite(page, 1, (size_t)(at - page), out.file);
    fputs("<script id=\"cond-data\" type=\"application/x-cond\">", out.file);
    status = pack_all(view, &out, &error);
    fputs("</script>", out.file);
    fputs(at + sizeof mark - 1, out.file);
    CondError why;
    CondStatus ended = cond_file_end(file, !status, &why);
    if (status)
        cli_complain("%s", error.message[0] ? error.message : cond_status_name(status));
    else if (ended)
        cli_complain("%s", why.message);
    if (status || ended)
        return CLI_INPUT;
    fprintf(stderr, "%s: %d frames\n", path, cond_recording_n_frame(view->recording));
    return CLI_FINE;
}
