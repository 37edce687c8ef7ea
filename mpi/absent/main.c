// cond-mpi where it could not be built.
#include <stdio.h>

int main(void)
{
    fprintf(stderr,
            "cond-mpi: built without what it needs:%s; install that and build again. One "
            "machine needs none of it: cond run, cond solve\n",
            COND_MISSING);
    return 2;
}
