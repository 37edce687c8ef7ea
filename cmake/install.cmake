# What `cmake --install` puts where: the library, its headers, the tool, the scenes, and the two
# files by which other projects find the library (CMake and pkg-config).
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cond)

install(TARGETS cond EXPORT condTargets)
install(DIRECTORY include/cond DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/cond)
if(TARGET cond_cli)
  install(TARGETS cond_cli)
  install(FILES ${PROJECT_BINARY_DIR}/share/cond/viewer.html
          DESTINATION ${CMAKE_INSTALL_DATADIR}/cond OPTIONAL)
endif()

install(EXPORT condTargets NAMESPACE cond:: DESTINATION ${package_dir})
configure_package_config_file(cmake/condConfig.cmake.in ${PROJECT_BINARY_DIR}/condConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/condConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/condConfig.cmake ${PROJECT_BINARY_DIR}/condConfigVersion.cmake
              cmake/dependencies.cmake
        DESTINATION ${package_dir})

# The OpenMP runtime of the compiler that built libcond: gcc finds its own by name, any other is
# named by its path.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(openmp -fopenmp)
else()
  list(JOIN OpenMP_C_LIBRARIES " " openmp)
endif()
# A static libcond asks for its libraries openly. They are shared libraries on most systems, and
# `pkg-config --static` would ask for static copies of all they need in turn.
if(BUILD_SHARED_LIBS)
  set(PC_PRIVATE ".private")
  set(PC_SHARED_LIBS "${openmp} -lm")
else()
  set(PC_STATIC_LIBS "${openmp} -lm")
endif()
# The prefix follows from the place of the file, so that an installed tree may be moved.
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PC_PREFIX "\${pcfiledir}/${up}")
configure_file(cmake/cond.pc.in cond.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cond.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# cmake --build BUILD --target uninstall removes what the last installation from this tree put there.
add_custom_target(uninstall
                  COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
                          -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake
                  COMMENT "Removing what was installed" VERBATIM)
