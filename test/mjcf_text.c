// MJCF files that stand in the text of a test: written, read, and held against their warnings.
#include "mjcf_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "scene/scene.h"

void mjcf_write(const char* name, const char* text)
{
    FILE* file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

CondScene* mjcf_read(const char* text)
{
    CondScene* scene = NULL;
    CondError error = {0};
    mjcf_write(MJCF_FILE, text);
    if (cond_scene_read(NULL, MJCF_FILE, 0, NULL, &scene, &error))
        fail_msg("%s", error.message);
    return scene;
}

int mjcf_warns(const CondScene* scene, const char* part)
{
    for (int i = 0; i < scene->n_warning; i++)
        if (strstr(scene->warning[i], part))
            return 1;
    return 0;
}
