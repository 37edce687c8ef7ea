// Writes the tables of experiments as text, Markdown and HTML (report.h).
#define _POSIX_C_SOURCE 200809L
#include "report.h"

#include "plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

void report_cell(const json_t* row, const PaperColumn* column, char* cell, size_t size)
{
    const json_t* value = json_object_get(row, column->key);
    cell[0] = '\0';
    if (json_is_string(value))
        snprintf(cell, size, "%s", json_string_value(value));
    else if (json_is_number(value))
        snprintf(cell, size, column->format, json_number_value(value));
}

static int same_label(const json_t* a, const json_t* b)
{
    const char* x = json_string_value(json_object_get(a, "label"));
    const char* y = json_string_value(json_object_get(b, "label"));
    return x && y && strcmp(x, y) == 0;
}

int report_row(const PaperResult* result, int k, const json_t** row)
{
    size_t n = json_array_size(result->rows),
           m = result->whole ? 0 : json_array_size(result->paper);
    for (size_t i = 0; i < n; i++) {
        const json_t* own = json_array_get(result->rows, i);
        *row = own;
        if (k-- == 0)
            return 0;
        for (size_t p = 0; p < m; p++) {
            *row = json_array_get(result->paper, p);
            if (same_label(own, *row) && k-- == 0)
                return 1;
        }
    }
    for (size_t p = 0; p < m; p++) {
        int found = 0;
        *row = json_array_get(result->paper, p);
        for (size_t i = 0; i < n && !found; i++)
            found = same_label(json_array_get(result->rows, i), *row);
        if (!found && k-- == 0)
            return 1;
    }
    return -1;
}

static void add_cell(Text* text, const json_t* row, const PaperColumn* column, int markdown)
{
    char cell[64];
    report_cell(row, column, cell, sizeof cell);
    if (markdown)
        text_add(text, " %s |", cell);
    else if (column->format)
        text_add(text, " %12s", cell);
    else
        text_add(text, "%-30s", cell);
}

void report_table(Text* text, const PaperResult* result, int markdown)
{
    if (!result->alone || markdown)
        text_add(text, !markdown ? "%-8s" : result->alone ? "|" : "| |", "");
    for (int k = 0; k < result->n_column; k++) {
        const char* heading = result->column[k].heading;
        if (markdown)
            text_add(text, " %s |", heading);
        else if (result->column[k].format)
            text_add(text, " %12s", heading);
        else
            text_add(text, "%-30s", heading);
    }
    text_add(text, "\n");
    if (markdown) {
        text_add(text, "|");
        for (int k = result->alone; k <= result->n_column; k++)
            text_add(text, " --- |");
        text_add(text, "\n");
    }
    const json_t* row;
    for (int i = 0, whose; (whose = report_row(result, i, &row)) >= 0; i++) {
        if (!result->alone || markdown)
            text_add(text,
                     !markdown       ? "%-8s"
                     : result->alone ? "|"
                                     : "| %s |",
                     whose ? "paper" : "COND");
        for (int k = 0; k < result->n_column; k++)
            add_cell(text, row, &result->column[k], markdown);
        text_add(text, "\n");
    }
}

static void add_escaped(Text* text, const char* from, size_t n)
{
    for (size_t k = 0; k < n && from[k]; k++) {
        switch (from[k]) {
        case '&':
            text_add(text, "&amp;");
            break;
        case '<':
            text_add(text, "&lt;");
            break;
        case '>':
            text_add(text, "&gt;");
            break;
        default:
            text_add(text, "%c", from[k]);
        }
    }
}

// One line of Markdown: `code` and **strong**, all else as it is.
static void add_inline(Text* text, const char* from, size_t n)
{
    int code = 0, strong = 0;
    for (size_t k = 0; k < n; k++) {
        if (from[k] == '`') {
            text_add(text, code ? "</code>" : "<code>");
            code = !code;
        } else if (!code && from[k] == '*' && k + 1 < n && from[k + 1] == '*') {
            text_add(text, strong ? "</strong>" : "<strong>");
            strong = !strong;
            k++;
        } else {
            add_escaped(text, from + k, 1);
        }
    }
}

// Paragraphs and lists of Markdown.
static void add_prose(Text* text, const char* from)
{
    enum { NOTHING, PARAGRAPH, LIST } in = NOTHING;
    static const char* const ends[] = {"", "</p>\n", "</li></ul>\n"};
    for (const char* line = from; line && *line;) {
        size_t n = strcspn(line, "\n");
        int item = n > 2 && (line[0] == '*' || line[0] == '-') && line[1] == ' ';
        if (n == 0) {
            text_add(text, "%s", ends[in]);
            in = NOTHING;
        } else if (item) {
            text_add(text, "%s", in == LIST ? "</li>\n<li>" : in ? "</p>\n<ul><li>" : "<ul><li>");
            in = LIST;
            add_inline(text, line + 2, n - 2);
        } else {
            text_add(text, in ? " " : "<p>");
            in = in ? in : PARAGRAPH;
            add_inline(text, line, n);
        }
        line += n + (line[n] == '\n');
    }
    text_add(text, "%s", ends[in]);
}

static void add_html_table(Text* text, const PaperResult* result)
{
    text_add(text, "<table>\n<tr>%s", result->alone ? "" : "<th></th>");
    for (int k = 0; k < result->n_column; k++) {
        text_add(text, "<th>");
        add_escaped(text, result->column[k].heading, strlen(result->column[k].heading));
        text_add(text, "</th>");
    }
    text_add(text, "</tr>\n");
    const json_t* row;
    for (int i = 0, whose; (whose = report_row(result, i, &row)) >= 0; i++) {
        text_add(text, "<tr class=\"%s\">", whose ? "paper" : "ours");
        if (!result->alone)
            text_add(text, "<td>%s</td>", whose ? "paper" : "COND");
        for (int k = 0; k < result->n_column; k++) {
            char cell[128];
            report_cell(row, &result->column[k], cell, sizeof cell);
            text_add(text, result->column[k].format ? "<td class=\"number\">" : "<td>");
            add_escaped(text, cell, sizeof cell);
            text_add(text, "</td>");
        }
        text_add(text, "</tr>\n");
    }
    text_add(text, "</table>\n");
}

static void add_details(Text* text, const char* title, const json_t* value)
{
    char* dump = json_dumps(value, JSON_INDENT(1));
    text_add(text, "<details><summary>%s</summary><pre>", title);
    add_escaped(text, dump ? dump : "", dump ? strlen(dump) : 0);
    text_add(text, "</pre></details>\n");
    free(dump);
}

// Pictures, and below each the viewer in a frame that is loaded when it is opened.
static void add_views(Text* html, const PaperResult* result)
{
    if (result->n_view > 0)
        text_add(html, "<div class=\"plots\">\n");
    for (int i = 0; i < result->n_view; i++) {
        const PaperView* view = &result->view[i];
        text_add(html, "<figure><img src=\"%s.png\" alt=\"%s\"><figcaption>%s</figcaption>\n",
                 view->name, view->title, view->title);
        if (view->interactive)
            text_add(html,
                     "<details><summary>Interactive view (<a href=\"%s.html\">page of its "
                     "own</a>)</summary><iframe src=\"%s.html\" title=\"%s\" "
                     "loading=\"lazy\"></iframe></details>\n",
                     view->name, view->name, view->title);
        text_add(html, "</figure>\n");
    }
    if (result->n_view > 0)
        text_add(html, "</div>\n");
}

static void add_section(Report* report, const Experiment* experiment, const PaperResult* result,
                        const json_t* json, const int* drawn)
{
    Text* html = &report->html;
    text_add(&report->contents, "<li><a href=\"#%s\">%s</a></li>\n", experiment->name,
             experiment->title);
    text_add(html, "<section id=\"%s\">\n<h2>%s</h2>\n", experiment->name, experiment->title);
    text_add(&report->markdown, "* [%s](%s.md)\n", experiment->title, experiment->name);
    add_html_table(html, result);
    add_views(html, result);
    if (result->n_plot > 0)
        text_add(html, "<div class=\"plots\">\n");
    for (int i = 0; i < result->n_plot; i++)
        if (drawn[i])
            text_add(html, "<img src=\"%s.svg\" alt=\"%s\">\n", result->plot[i].name,
                     result->plot[i].title);
    if (result->n_plot > 0)
        text_add(html, "</div>\n");
    if (result->whole)
        text_add(html, "<p>" REPORT_CUT_SHORT "</p>\n", result->whole);
    add_prose(html, result->remarks);
    text_add(html, "<p class=\"made\">Made by <code>%s %s</code>", report->command,
             experiment->name);
    if (result->csv)
        text_add(html, "; data in <a href=\"%s.csv\">%s.csv</a>", experiment->name,
                 experiment->name);
    text_add(html, ".</p>\n");
    add_details(html, "settings", json_object_get(json, "settings"));
    text_add(html, "</section>\n");
}

void report_add_failure(Report* report, const Experiment* experiment)
{
    text_add(&report->contents, "<li><a href=\"#%s\">%s</a> (failed)</li>\n", experiment->name,
             experiment->title);
    text_add(&report->html,
             "<section id=\"%s\">\n<h2>%s</h2>\n<p><strong>This experiment could not be made; "
             "<code>%s %s</code> says why.</strong></p>\n</section>\n",
             experiment->name, experiment->title, report->command, experiment->name);
    text_add(&report->markdown, "* %s: failed\n", experiment->title);
}

// Writes the parts into a file of the folder; 1 after a message.
static int put(const char* directory, const char* name, const Text* const* part, int n)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return text_put(path, part, n);
}

static void add_settings(Text* text, const json_t* settings)
{
    char* dump = json_dumps(settings, JSON_INDENT(1));
    text_add(text, "\nSettings:\n\n```json\n%s\n```\n", dump ? dump : "");
    free(dump);
}

int report_add(Report* report, const Experiment* experiment, const PaperResult* result,
               const json_t* json, const char* directory)
{
    Text text = {0};
    int* drawn = calloc((size_t)result->n_plot + 1, sizeof *drawn);
    if (!drawn) {
        cli_complain("out of memory");
        return 1;
    }
    text_add(&text, "# %s\n\n", experiment->title);
    report_table(&text, result, 1);
    if (result->whole)
        text_add(&text, "\n" REPORT_CUT_SHORT "\n", result->whole);
    text_add(&text, "\n%s\n", result->remarks);
    char csv[128], page[128];
    snprintf(csv, sizeof csv, "%s.csv", experiment->name);
    snprintf(page, sizeof page, "%s.md", experiment->name);
    const Text data = {.data = result->csv, .size = result->csv ? strlen(result->csv) : 0};
    const Text* part[] = {&data, &text};
    int failed = result->csv && put(directory, csv, part, 1);
    for (int i = 0; i < result->n_plot && !failed; i++) {
        const PaperPlot* plot = &result->plot[i];
        drawn[i] =
            plot_svg(directory, plot->name, experiment->name, plot->title, plot->script) == 0;
        if (drawn[i])
            text_add(&text, "\n![%s](%s.svg)\n", plot->title, plot->name);
        else
            text_add(&text, "\n(%s was not drawn: gnuplot is missing or failed.)\n", plot->name);
    }
    for (int i = 0; i < result->n_view; i++) {
        const PaperView* view = &result->view[i];
        text_add(&text, "\n![%s](%s.png)\n\n*%s*\n", view->title, view->name, view->title);
        if (view->interactive)
            text_add(&text, "[interactive view](%s.html)\n", view->name);
    }
    add_settings(&text, json_object_get(json, "settings"));
    add_settings(&text, json_object_get(json, "machine"));
    failed |= put(directory, page, part + 1, 1);
    add_section(report, experiment, result, json, drawn);
    free(text.data);
    free(drawn);
    return failed;
}

int report_folder(const char* directory)
{
    if (mkdir(directory, 0777) == 0 || errno == EEXIST)
        return 0;
    cli_complain("%s: cannot make the folder: %s", directory, strerror(errno));
    return 1;
}

static const char* text_of(const json_t* object, const char* key)
{
    const char* text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

int report_write(const Report* report, const char* directory, const json_t* machine)
{
    static const char style[] =
        "body{font:15px/1.5 system-ui,sans-serif;color:#1f2733;max-width:1180px;margin:40px auto;"
        "padding:0 20px}h1{margin-bottom:0}h2{margin-top:48px;border-bottom:1px solid #d9dee5}"
        "table{border-collapse:collapse;font-size:14px;margin:14px 0;display:block;overflow-x:auto}"
        "td,th{padding:3px 10px;border-bottom:1px solid #e6eaef;text-align:left}"
        "td.number{text-align:right;font-variant-numeric:tabular-nums}tr.paper{color:#66707f;"
        "background:#f6f8fa}img{max-width:100%;display:block;margin:6px "
        "0}.plots{display:grid;gap:12px;"
        "grid-template-columns:repeat(auto-fit,minmax(500px,1fr));align-items:start}p{max-width:"
        "860px}pre,code{background:"
        "#f3f5f8;border-radius:4px;padding:1px 4px;font-size:13px}pre{padding:10px;overflow:auto}"
        ".made,summary,figcaption{color:#66707f;font-size:13px}figure{margin:0}"
        "iframe{width:100%;aspect-ratio:16/10;border:1px solid #d9dee5}";
    Text head = {0}, top = {0}, tail = {0};
    char* dump = json_dumps(machine, JSON_INDENT(1));
    char date[32] = "";
    time_t now = time(NULL);
    struct tm* day = localtime(&now);
    if (day)
        strftime(date, sizeof date, "%Y-%m-%d %H:%M", day);
    text_add(&head,
             "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
             "<title>COND: %s</title>\n<style>%s</style></head><body>\n"
             "<h1>%s</h1>\n<p class=\"made\">COND %s, %s, on %s with %d threads. %s</p>\n<ul>\n",
             report->title, style, report->title, cond_version(), date, text_of(machine, "cpu"),
             (int)json_integer_value(json_object_get(machine, "threads")), report->about);
    text_add(&top, "</ul>\n");
    add_details(&top, "machine", machine);
    text_add(&tail, "</body></html>\n");
    const Text* html[] = {&head, &report->contents, &top, &report->html, &tail};
    Text begin = {0}, end = {0};
    text_add(&begin, "# %s\n\nMeasured by COND %s. %s `report.html` holds all pages.\n\n",
             report->title, cond_version(), report->about);
    text_add(&end, "\nMachine:\n\n```json\n%s\n```\n", dump ? dump : "");
    const Text* markdown[] = {&begin, &report->markdown, &end};
    int failed = put(directory, "report.html", html, 5) | put(directory, "report.md", markdown, 3);
    free(dump);
    Text* made[] = {&head, &top, &tail, &begin, &end};
    for (size_t k = 0; k < sizeof made / sizeof *made; k++)
        free(made[k]->data);
    return failed;
}

void report_free(Report* report)
{
    free(report->html.data);
    free(report->markdown.data);
    free(report->contents.data);
}
