# How the libraries are made. Their objects are compiled once, with everything hidden that no public
# header marks. NAME is what others link. NAME_inside is an archive of the same objects, for the tests,
# which look at the parts, and for the other libraries and programs of this tree, which use what
# libcond has of memory and clocks; a static NAME is that archive itself.

# cond_add_library(NAME ALIAS SOURCE...): the target NAME, which others know as cond::ALIAS.
function(cond_add_library name alias)
  add_library(${name}_objects OBJECT ${ARGN})
  set_target_properties(${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON
                                                   C_VISIBILITY_PRESET hidden)
  target_include_directories(${name}_objects PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                     ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name}_objects PRIVATE cond_flags OpenMP::OpenMP_C)
  add_library(${name} $<TARGET_OBJECTS:${name}_objects>)
  add_library(cond::${alias} ALIAS ${name})
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} LINKER_LANGUAGE C
                                           SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                                           EXPORT_NAME ${alias}
                                           INSTALL_RPATH $ORIGIN)
  target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:cond_flags>)
  if(BUILD_SHARED_LIBS)
    add_library(${name}_inside STATIC $<TARGET_OBJECTS:${name}_objects>)
    set_target_properties(${name}_inside PROPERTIES LINKER_LANGUAGE C)
    target_include_directories(${name}_inside INTERFACE ${PROJECT_SOURCE_DIR}/include)
    # What a library or a program takes from the archive it does not show in its turn.
    target_link_options(${name}_inside INTERFACE -Wl,--exclude-libs,lib${name}_inside.a)
  else()
    add_library(${name}_inside ALIAS ${name})
  endif()
endfunction()

# cond_link_library(NAME PUBLIC|PRIVATE ITEM...): what a library stands on. Of another library of this
# tree it takes what that one shows, and from its archive what it hides.
function(cond_link_library name scope)
  foreach(item ${ARGN})
    target_link_libraries(${name} ${scope} ${item})
    if(TARGET ${item}_inside)
      if(BUILD_SHARED_LIBS)
        target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:${item}_inside>)
        target_link_libraries(${name}_inside PUBLIC ${item}_inside)
      endif()
    else()
      target_link_libraries(${name}_objects PRIVATE ${item})
      if(BUILD_SHARED_LIBS)
        target_link_libraries(${name}_inside PUBLIC ${item})
      endif()
    endif()
  endforeach()
endfunction()
