// The table of keys (cond/key.h) as Markdown and as JSON, for the reference pages and editors.
#include "check_keys.h"
#include "cli.h"
#include "json.h"

#include <cond/key.h>
#include <stdio.h>
#include <string.h>

static void print_keys(void)
{
    const char* section = NULL;
    CondKeyInfo key;
    for (int i = 0; cond_key_get(i, &key, sizeof key); i++) {
        if (!section || strcmp(section, key.section) != 0) {
            const char* quote = key.section[0] ? "`" : "";
            printf("%s### %s%s%s\n\n", section ? "\n" : "", quote,
                   key.section[0] ? key.section : "top level", quote);
            puts("| key | type | unit | default | meaning |\n| --- | --- | --- | --- | --- |");
            section = key.section;
        }
        printf("| `%s` | %s | %s | %s | %s |\n", key.key, key.words, key.unit, key.initial,
               key.meaning);
    }
}

static json_t* key_json(int index, const CondKeyInfo* key)
{
    json_t* row = json_object();
    const struct {
        const char *name, *text;
    } texts[] = {{"section", key->section},
                 {"key", key->key},
                 {"alias", key->alias},
                 {"structure", key->structure},
                 {"field", key->field},
                 {"type", cond_key_type_name(key->type)},
                 {"unset", cond_key_unset_name(key->unset)},
                 {"words", key->words},
                 {"unit", key->unit},
                 {"default", key->initial},
                 {"bodies", key->bodies},
                 {"since", key->since},
                 {"meaning", key->meaning}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        json_object_set_new(row, texts[i].name, json_string(texts[i].text));
    json_object_set_new(row, "count", json_integer(key->count));
    json_object_set_new(row, "low", json_number(key->low)); // null: none
    json_object_set_new(row, "high", json_number(key->high));
    json_object_set_new(row, "low_is_open", json_boolean(key->low_is_open));
    json_object_set_new(row, "high_is_open", json_boolean(key->high_is_open));
    json_object_set_new(row, "infinite", json_boolean(key->infinite));
    json_object_set_new(row, "required", json_boolean(key->required));
    json_t* choices = json_array();
    for (int k = 0; cond_key_choice(index, k); k++)
        json_array_append_new(choices, json_string(cond_key_choice(index, k)));
    json_object_set_new(row, "choices", choices);
    return row;
}

int check_keys(const char* json)
{
    CondKeyInfo key;
    if (!json) {
        print_keys();
        return CLI_FINE;
    }
    json_t* rows = json_array();
    for (int i = 0; cond_key_get(i, &key, sizeof key); i++)
        json_array_append_new(rows, key_json(i, &key));
    return json_put(rows, json) ? CLI_INPUT : CLI_FINE;
}
