# MPI, for what runs on many machines: sweeps and environments over ranks, and cond-mpi. It is optional,
# and nothing else links it: libcond, libcond_io and `cond` itself stay without. Afterwards the target
# MPI::MPI_C is there, or a line says what is left out.
option(COND_MPI "Build what runs over MPI, where MPI is installed" ON)
if(COND_MPI)
  find_package(MPI QUIET COMPONENTS C)
  if(NOT MPI_C_FOUND)
    message(STATUS "MPI is not installed (Debian: libopenmpi-dev): sweeps and environments over MPI are left out")
  endif()
endif()
