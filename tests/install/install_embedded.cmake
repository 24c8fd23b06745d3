# Builds a project that has CHARM as a subdirectory, runs its program, and installs what it built.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
if(KIND STREQUAL "shared")
  set(shared ON)
else()
  set(shared OFF)
endif()
file(REMOVE_RECURSE ${PREFIX})
must(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/embedding -B ${BUILD} -G ${GENERATOR} -DCMAKE_C_COMPILER=${CC}
     -DCMAKE_CXX_COMPILER=${CXX} -DCHARM_SOURCE=${CHARM_SOURCE} -DBUILD_SHARED_LIBS=${shared} -DCMAKE_BUILD_TYPE=None)
must(${CMAKE_COMMAND} --build ${BUILD})
must_say("consumer: ok" ${BUILD}/consumer)
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})
