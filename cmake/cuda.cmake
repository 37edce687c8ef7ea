# CUDA, for solver.device: cuda. It is optional, and off unless asked for. nvcc is taken from COND_NVCC,
# from the PATH, from /usr/local/cuda, or from the PyPI packages nvidia-cuda-nvcc, nvidia-cuda-runtime,
# nvidia-cuda-crt, nvidia-nvvm and nvidia-cuda-cccl of the Python that is first on the PATH. The run time
# is linked statically: what is built runs on machines without CUDA as well, and says there is no device.
#
# COND_CUDA=emulated, for tests: the same sources by the C++ compiler, with kernels on the processor
# (test/cuda/emulation).
set(COND_CUDA OFF CACHE STRING "Build the device cuda: ON (needs nvcc), OFF, or emulated for tests")
set(COND_CUDA_ARCHITECTURES "80;90" CACHE STRING "Compute capabilities to compile for; the last one also as PTX")
set(COND_CUDA_OBJECTS)
set(COND_CUDA_LIBRARIES)

# Adds the objects of the CUDA sources to a library made by cond_add_library.
function(cond_add_cuda name)
  foreach(target ${name} ${name}_inside)
    get_target_property(alias ${target} ALIASED_TARGET)
    if(COND_CUDA_OBJECTS AND NOT alias)
      target_sources(${target} PRIVATE ${COND_CUDA_OBJECTS})
    endif()
    if(COND_CUDA_OBJECTS AND NOT alias AND TARGET cond_cuda_objects)
      add_dependencies(${target} cond_cuda_objects)
    endif()
  endforeach()
endfunction()

# Programs that check the device on a machine that has one; they are built on request.
function(cond_add_cuda_test)
  if(NOT COND_CUDA_OBJECTS)
    return()
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/test/cuda)
  set(object $<$<TARGET_EXISTS:cond_emulation_test>:$<TARGET_OBJECTS:cond_emulation_test>>)
  if(NOT TARGET cond_emulation_test)
    set(object ${PROJECT_BINARY_DIR}/cuda/test/verbs.cu.o)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/cuda/test)
    add_custom_command(OUTPUT ${object}
                       COMMAND ${COND_NVCC} ${nvcc_flags} -MD -MF ${object}.d -MT ${object} -c ${folder}/verbs.cu -o ${object}
                       DEPENDS ${folder}/verbs.cu DEPFILE ${object}.d VERBATIM
                       COMMENT "Building CUDA object test/verbs.cu")
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  endif()
  add_executable(cond_cuda_test EXCLUDE_FROM_ALL ${folder}/cuda_test.c ${object})
  set_target_properties(cond_cuda_test PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(cond_cuda_test PRIVATE ${PROJECT_SOURCE_DIR}/src ${folder})
  target_link_libraries(cond_cuda_test PRIVATE cond_flags cond_inside OpenMP::OpenMP_C m ${COND_CUDA_LIBRARIES})
endfunction()

if(NOT COND_CUDA)
  return()
endif()
if(COND_CUDA STREQUAL "emulated")
  include(cmake/emulation.cmake)
  if(NOT TARGET cond_emulation)
    message(FATAL_ERROR "COND_CUDA=emulated needs a C++ compiler, and a build without sanitizers")
  endif()
  set(COND_CUDA_OBJECTS $<TARGET_OBJECTS:cond_emulation>)
  set(COND_CUDA_LIBRARIES stdc++ pthread)
  return()
endif()

set(hints /usr/local/cuda/bin)
find_program(COND_PYTHON_FOR_CUDA NAMES python3 python)
if(COND_PYTHON_FOR_CUDA)
  execute_process(COMMAND ${COND_PYTHON_FOR_CUDA} -c
                          "import glob, sysconfig; print(';'.join(glob.glob(sysconfig.get_path('platlib') + '/nvidia/cu*/bin')))"
                  OUTPUT_VARIABLE of_python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  list(APPEND hints ${of_python})
endif()
find_program(COND_NVCC nvcc HINTS ${hints})
if(NOT COND_NVCC)
  message(FATAL_ERROR "COND_CUDA is on, but nvcc was not found: set COND_NVCC to its path, or "
                      "pip install nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-crt nvidia-nvvm nvidia-cuda-cccl")
endif()
get_filename_component(cuda_root ${COND_NVCC} REALPATH)
get_filename_component(cuda_root ${cuda_root} DIRECTORY)
get_filename_component(cuda_root ${cuda_root} DIRECTORY)
find_library(COND_CUDART NAMES libcudart_static.a HINTS ${cuda_root} PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib
             NO_DEFAULT_PATH)
if(NOT COND_CUDART)
  message(FATAL_ERROR "libcudart_static.a was not found below ${cuda_root}")
endif()

set(nvcc_flags -std=c++17 -O3 -fmad=true -lineinfo -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include
               -Werror all-warnings -Xcompiler -fPIC,-fvisibility=hidden,-fno-threadsafe-statics,-fno-exceptions,-Wall)
foreach(architecture ${COND_CUDA_ARCHITECTURES})
  list(APPEND nvcc_flags -gencode arch=compute_${architecture},code=sm_${architecture})
endforeach()
list(GET COND_CUDA_ARCHITECTURES -1 last)
list(APPEND nvcc_flags -gencode arch=compute_${last},code=compute_${last})

# Compiles the sources by nvcc; the objects are linked into libcond.
file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cu)
foreach(source ${cuda_sources})
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
  set(object ${PROJECT_BINARY_DIR}/cuda/${name}.o)
  get_filename_component(folder ${object} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${object}
                     COMMAND ${COND_NVCC} ${nvcc_flags} -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
                     DEPENDS ${source} DEPFILE ${object}.d VERBATIM
                     COMMENT "Building CUDA object ${name}")
  list(APPEND COND_CUDA_OBJECTS ${object})
endforeach()
set_source_files_properties(${COND_CUDA_OBJECTS} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
add_custom_target(cond_cuda_objects DEPENDS ${COND_CUDA_OBJECTS})
set(COND_CUDA_LIBRARIES ${COND_CUDART} rt pthread dl)
