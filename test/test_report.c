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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_box)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
