// The report of an experiment holds its table, its plots and the paper's numbers.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <libxml/HTMLparser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_run.h"

static int count(xmlNodePtr node, const char* name)
{
    int n = 0;
    for (; node; node = node->next)
        n += count(node->children, name) +
             (node->type == XML_ELEMENT_NODE && strcmp((const char*)node->name, name) == 0);
    return n;
}

static void test_box(void** state)
{
    (void)state;
    char folder[] = "report_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    CliOutput output =
        cli_run("paper", "box", "--steps", "100", "--threads", "1", "--out", folder, "--json", "-");
    assert_true(output.code == 0 || output.code == 3);
    json_t* json = cli_output_json(&output);
    size_t rows = json_array_size(json_object_get(json, "rows"));
    size_t paper = json_array_size(json_object_get(json, "paper"));
    assert_non_null(strstr(output.err, "report.html"));
    snprintf(path, sizeof path, "%s/report.html", folder);
    htmlDocPtr page = htmlReadFile(path, "UTF-8", HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING);
    assert_non_null(page);
    xmlNodePtr root = xmlDocGetRootElement(page);
    assert_int_equal(count(root, "table"), 1);
    assert_int_equal(count(root, "tr"), rows + paper + 1);
    assert_int_equal(count(root, "section"), 1);
    assert_int_equal(count(root, "details"), 2);
    xmlFreeDoc(page);
    static const char* const files[] = {"report.html", "report.md", "box.md",
                                        "box.csv",     "box.svg",   "box_path.svg"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        int there = remove(path) == 0;
        assert_true(there || k >= 4); // without gnuplot there is no plot
    }
    assert_int_equal(rmdir(folder), 0);
    json_decref(json);
    cli_output_free(&output);
}

// Two experiments in one report: a list of results, a figure of each recorded run. The viewer's
// page needs a tool that was built with it.
static void test_manipulation(void** state)
{
    (void)state;
    char folder[] = "report_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    CliOutput output = cli_run("paper", "box", "manipulation", "--steps", "3", "--threads", "1",
                               "--rows", "ball,cable,exact kv=inf", "--out", folder, "--json", "-");
    assert_int_equal(output.code, 0);
    json_t* json = cli_output_json(&output);
    assert_int_equal(json_array_size(json), 2);
    const json_t* rows = json_object_get(json_array_get(json, 1), "rows");
    assert_int_equal(json_array_size(rows), 2);
    for (size_t k = 0; k < 2; k++) {
        const json_t* row = json_array_get(rows, k);
        assert_int_equal(json_integer_value(json_object_get(row, "missed")), 0);
        assert_int_equal(json_integer_value(json_object_get(row, "steps")), 3);
        assert_true(json_number_value(json_object_get(row, "residual")) <= 1e-6);
    }
    snprintf(path, sizeof path, "%s/report.html", folder);
    htmlDocPtr page = htmlReadFile(path, "UTF-8", HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING);
    assert_non_null(page);
    xmlNodePtr root = xmlDocGetRootElement(page);
    assert_int_equal(count(root, "section"), 2);
    assert_int_equal(count(root, "figure"), 2);
    int interactive = count(root, "iframe");
    assert_true(interactive == 0 || interactive == 2);
    xmlFreeDoc(page);
    static const char* const files[] = {"report.html", "report.md", "box.md",     "manipulation.md",
                                        "box.csv",     "ball.png",  "cable.png",  "ball.h5",
                                        "cable.h5",    "ball.html", "cable.html", "box.svg",
                                        "box_path.svg"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        int there = remove(path) == 0;
        assert_true(there || k >= (interactive ? 11 : 9)); // plots need gnuplot
    }
    assert_int_equal(rmdir(folder), 0);
    json_decref(json);
    cli_output_free(&output);
    cli_expect(1, "no experiment is named 'wrong'", "paper", "box", "wrong");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_box),
                                       cmocka_unit_test(test_manipulation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
