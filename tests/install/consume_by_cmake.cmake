# Configures, builds and runs the consumer project against the installation; another minor version must be refused.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${BUILD})
must(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${BUILD} -G ${GENERATOR} -DCMAKE_C_COMPILER=${CC}
     -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${PREFIX} -DCHARM_VERSION=${VERSION})
must(${CMAKE_COMMAND} --build ${BUILD})
must_say("consumer: ok" ${BUILD}/consumer)
must_say("consumer in C: ok" ${BUILD}/consumer_c)
file(GLOB_RECURSE remote ${PREFIX}/*/charm-remote-targets.cmake)
if(remote)  # not where libcharm alone is installed
  must(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer_ranks -B ${BUILD}/ranks -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
       -DCMAKE_PREFIX_PATH=${PREFIX} -DCHARM_VERSION=${VERSION})
  must(${CMAKE_COMMAND} --build ${BUILD}/ranks)
  must_say("consumer on ranks: ok" ${BUILD}/ranks/consumer_ranks)
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${BUILD}/refused -G ${GENERATOR}
                        -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${PREFIX} -DCHARM_VERSION=99.0
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(result EQUAL 0)
  message(FATAL_ERROR "find_package(charm 99.0) accepted version ${VERSION}")
endif()
