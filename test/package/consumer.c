// The smallest program that uses an installed COND: it asks for the version and reads two files
// that are not there, which links the readers and with them every library COND stands on.
#include <stdio.h>
#include <string.h>

#include "cond/cond.h"

int main(int n_argument, char** argument)
{
    if (n_argument != 2 || strcmp(argument[1], cond_version()) != 0) {
        fprintf(stderr, "this is COND %s\n", cond_version());
        return 1;
    }
    CondError error;
    CondProblemFile* file = NULL;
    if (cond_fclib_read(NULL, "missing.hdf5", &file, &error) != COND_NO_FILE) {
        fprintf(stderr, "cond_fclib_read found a file that is not there\n");
        return 1;
    }
    CondScene* scene = NULL;
    if (cond_scene_read(NULL, "missing.yaml", 0, NULL, &scene, &error) != COND_NO_FILE) {
        fprintf(stderr, "cond_scene_read found a file that is not there\n");
        return 1;
    }
    printf("COND %s found and used\n", cond_version());
    return 0;
}
