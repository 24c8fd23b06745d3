# Builds a project with ThreadSanitizer against the installed charm::charm_tsan: programs without a race run without a
# report, the README's first one among them, and one with a race does not get away.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
separate_arguments(EMULATOR)
file(REMOVE_RECURSE ${BUILD})
must(${CMAKE_COMMAND} -DPAGE=${CHARM_SOURCE}/README.md -DNUMBER=1 -DMOST_LINES=15 -DPROGRAM=${BUILD}/first_program.cpp
     -P ${CHARM_SOURCE}/tests/docs/extract.cmake)
must(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/sanitized -B ${BUILD} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
     -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_PREFIX_PATH=${PREFIX} -DFIRST_PROGRAM=${BUILD}/first_program.cpp)
must(${CMAKE_COMMAND} --build ${BUILD})

function(run result output program)
  execute_process(COMMAND ${EMULATOR} ${BUILD}/${program} COMMAND_ECHO STDOUT RESULT_VARIABLE code
                  OUTPUT_VARIABLE said ERROR_VARIABLE said)
  message(STATUS "${said}")
  set(${result} "${code}" PARENT_SCOPE)
  set(${output} "${said}" PARENT_SCOPE)
endfunction()

foreach(program sound first_program)
  run(code said ${program})
  if(NOT code EQUAL 0 OR said MATCHES "ThreadSanitizer")
    message(FATAL_ERROR "${program}, which has no race, ended with ${code}")
  endif()
endforeach()
run(code said racy)
if(code EQUAL 0 OR NOT said MATCHES "ThreadSanitizer: data race")
  message(FATAL_ERROR "the race of the program racy was not reported")
endif()
