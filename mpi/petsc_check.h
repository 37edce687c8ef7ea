// PETSc says by a number that is not zero that something failed: memory, or numbers.
#ifndef COND_MPI_PETSC_CHECK_H
#define COND_MPI_PETSC_CHECK_H

// Within a function that gives a CondStatus, and within one that PETSc calls.
#define CHECK(call)                                                                                \
    do {                                                                                           \
        PetscErrorCode failed = (call);                                                            \
        if (failed)                                                                                \
            return failed == PETSC_ERR_MEM ? COND_OUT_OF_MEMORY : COND_DIVERGED;                   \
    } while (0)
#define PASS(call)                                                                                 \
    do {                                                                                           \
        PetscErrorCode failed = (call);                                                            \
        if (failed)                                                                                \
            return failed;                                                                         \
    } while (0)

#endif
