# Builds the programs for runtime-benchmarks against the installation and runs them as that suite does: with a number of
# threads as the last argument, and YAML on standard output.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${BUILD})
must(${CMAKE_COMMAND} -S ${CHARM_SOURCE}/integrations/runtime-benchmarks/charm -B ${BUILD} -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX}
     -DCMAKE_PREFIX_PATH=${PREFIX} "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wconversion -Werror")
must(${CMAKE_COMMAND} --build ${BUILD})
foreach(program IN ITEMS "fib;25" "matmul;256" nqueens skynet channel)
  list(POP_FRONT program name)
  execute_process(COMMAND ${BUILD}/${name} ${program} 2 OUTPUT_VARIABLE printed RESULT_VARIABLE result)
  if(NOT result EQUAL 0 OR NOT printed MATCHES "^threads: 2\n(.*\n)?runs:\n  - [a-z_]+: [0-9]+\n    duration: [0-9]+ us\n(.*\n)?    max_rss: [0-9]+ KiB\n$")
    message(FATAL_ERROR "${name} ended with ${result} and printed:\n${printed}")
  endif()
endforeach()
