# assimp, for meshes in COLLADA, glTF, PLY and 3DS. It is optional: without it these files are refused.
pkg_check_modules(ASSIMP QUIET assimp)
set(found OFF)
if(ASSIMP_FOUND)
  set(found ON)
else()
  message(STATUS "assimp is not installed (Debian: libassimp-dev): meshes in COLLADA, glTF, PLY and 3DS are refused")
endif()
option(COND_ASSIMP "Read meshes in COLLADA, glTF, PLY and 3DS (needs assimp)" ${found})
