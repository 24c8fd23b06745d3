# Compiles and runs the consumer with a compiler and what pkg-config prints, from a moved copy of the installation: the
# paths in charm.pc must follow the file.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${BUILD})
file(COPY ${PREFIX}/ DESTINATION ${BUILD}/moved)
file(GLOB_RECURSE pc ${BUILD}/moved/*/charm.pc)
get_filename_component(pc_dir ${pc} DIRECTORY)
get_filename_component(lib_dir ${pc_dir} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${pc_dir})
set(ENV{LD_LIBRARY_PATH} ${lib_dir})

function(pkg_config result)
  execute_process(COMMAND pkg-config ${ARGN} charm OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "${flags}")
  separate_arguments(flags UNIX_COMMAND "${flags}")
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

pkg_config(version --modversion)
if(NOT version STREQUAL VERSION)
  message(FATAL_ERROR "pkg-config says version ${version}, not ${VERSION}")
endif()
pkg_config(cflags --cflags)
pkg_config(libs --libs)
must(${CXX} -std=c++20 ${cflags} ${CMAKE_CURRENT_LIST_DIR}/consumer/consumer.cpp -o ${BUILD}/consumer ${libs})
must_say("consumer: ok" ${BUILD}/consumer)
must(${CC} -std=c11 ${cflags} ${CMAKE_CURRENT_LIST_DIR}/consumer/consumer.c -o ${BUILD}/consumer_c ${libs})
must_say("consumer in C: ok" ${BUILD}/consumer_c)
