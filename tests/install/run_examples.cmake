# Builds the installed examples against the installation, as their page says, and runs them.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${BUILD})
file(GLOB examples ${PREFIX}/share/doc/*/examples)
must(${CMAKE_COMMAND} -S ${examples} -B ${BUILD} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${PREFIX}
     "-DCMAKE_CXX_FLAGS=-O0 -Wall -Wextra -Wconversion -Werror")
must(${CMAKE_COMMAND} --build ${BUILD})
must(${CMAKE_CTEST_COMMAND} --test-dir ${BUILD} --output-on-failure --timeout 120)
