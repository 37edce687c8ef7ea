# What `cmake --install` puts where: the libraries, their headers, the tool, the scenes, and the files
# by which other projects find the libraries (CMake and pkg-config). libcond and libcond_io have sets
# of their own, so that who needs the core alone needs nothing of the other.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cond)

install(TARGETS cond EXPORT condTargets)
install(EXPORT condTargets NAMESPACE cond:: DESTINATION ${package_dir})
install(DIRECTORY include/cond DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
if(COND_IO)
  install(TARGETS cond_io EXPORT condIoTargets)
  install(EXPORT condIoTargets NAMESPACE cond:: DESTINATION ${package_dir})
  install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/cond)
  install(FILES cmake/dependencies.cmake DESTINATION ${package_dir})
endif()
if(TARGET cond_cli)
  install(TARGETS cond_cli)
  if(TARGET cond_ranks)
    install(TARGETS cond_ranks)
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/share/cond/viewer.html
          DESTINATION ${CMAKE_INSTALL_DATADIR}/cond OPTIONAL)
endif()

configure_package_config_file(cmake/condConfig.cmake.in ${PROJECT_BINARY_DIR}/condConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/condConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/condConfig.cmake ${PROJECT_BINARY_DIR}/condConfigVersion.cmake
        DESTINATION ${package_dir})

# The OpenMP runtime of the compiler that built libcond: gcc finds its own by name, any other is
# named by its path.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(openmp -fopenmp)
else()
  list(JOIN OpenMP_C_LIBRARIES " " openmp)
endif()
# A static library asks for its libraries openly. They are shared libraries on most systems, and
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
if(COND_IO)
  if(COND_ASSIMP)
    set(PC_ASSIMP " assimp")
  endif()
  configure_file(cmake/cond_io.pc.in cond_io.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cond_io.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# cmake --build BUILD --target uninstall removes what the last installation from this tree put there.
add_custom_target(uninstall
                  COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
                          -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake
                  COMMENT "Removing what was installed" VERBATIM)
