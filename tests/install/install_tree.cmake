# Installs the build tree that the test runs in.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${PREFIX})
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})
if(EXISTS ${PREFIX}/bin/charm)
  must_say("[0-9]+\\.[0-9]+\\.[0-9]+" ${PREFIX}/bin/charm --version)
endif()
