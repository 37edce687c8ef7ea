# The CUDA sources for the processor, as the object library cond_emulation, and the kernels of the tests as
# cond_emulation_test. For tests only; not with sanitizers, which do not know its fibers.
if(TARGET cond_emulation OR COND_SANITIZE OR COND_SANITIZE_THREAD)
  return()
endif()
if(NOT CMAKE_CXX_COMPILER AND CMAKE_C_COMPILER_ID MATCHES "Clang")
  find_program(COND_CLANGXX clang++)
  set(CMAKE_CXX_COMPILER ${COND_CLANGXX})
endif()
include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
  message(STATUS "there is no C++ compiler: the tests do not run the CUDA sources")
  return()
endif()
enable_language(CXX)

set(folder ${PROJECT_SOURCE_DIR}/test/cuda)
file(GLOB kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cuda/*.cu)
file(GLOB emulation CONFIGURE_DEPENDS ${folder}/emulation/*.cpp)
set_source_files_properties(${kernels} ${folder}/verbs.cu ${folder}/faults.cu PROPERTIES LANGUAGE CXX)
add_library(cond_emulation OBJECT ${kernels} ${emulation})
add_library(cond_emulation_test OBJECT ${folder}/verbs.cu)
add_library(cond_emulation_faults OBJECT ${folder}/faults.cu)
foreach(target cond_emulation cond_emulation_test cond_emulation_faults)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON
                                             CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${target} PRIVATE ${folder}/emulation ${folder} ${PROJECT_SOURCE_DIR}/src
                                               ${PROJECT_SOURCE_DIR}/include)
  # Fibers jump between stacks, which fortified jumps refuse.
  target_compile_options(${target} PRIVATE -U_FORTIFY_SOURCE -ffp-contract=off -Wall $<$<BOOL:${COND_WERROR}>:-Werror>
                                           -D__CUDACC__ "SHELL:-include cuda_runtime.h")
endforeach()

# A test program with libcond's objects, in which the emulated device takes the place of none.
function(cond_add_emulated_program name)
  add_executable(${name} ${ARGN} $<TARGET_OBJECTS:cond_emulation> $<TARGET_OBJECTS:cond_emulation_test>
                         $<FILTER:$<TARGET_OBJECTS:cond_objects>,EXCLUDE,_absent>)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/test/cuda)
  target_link_libraries(${name} PRIVATE cond_flags cond_io_inside OpenMP::OpenMP_C m stdc++ pthread)
endfunction()
