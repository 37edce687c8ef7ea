# The libraries that libcond_io uses, found by pkg-config. The installed package reads this file
# too, so that a static libcond_io finds the same libraries in the project that links it.
pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(XML2 REQUIRED IMPORTED_TARGET libxml-2.0)
pkg_check_modules(QHULL REQUIRED IMPORTED_TARGET qhull_r)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
if(COND_ASSIMP)
  pkg_check_modules(ASSIMP REQUIRED IMPORTED_TARGET assimp)
endif()
