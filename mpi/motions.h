// The rigid motions of meshes, by which GAMG makes its groups.
#ifndef COND_MPI_MOTIONS_H
#define COND_MPI_MOTIONS_H

#include "system.h"

// Tells them to system->K, cut where contacts hold nodes; needs the law of the contacts.
CondStatus cond_mpi_motions_tell(CondMpiSystem* system);

#endif
