# CHARM_STATIC: programs that need no library but libc, to be carried to another machine (scripts/package tarball). It is
# included after the packages of the library were found.
# charm_link_alone(TARGET): the C++ library and GCC's are linked statically, too.
# oneTBB, which is distributed as a shared library only, is then left out as a peer.
set(Boost_USE_STATIC_LIBS ON)
set(ZLIB_USE_STATIC_LIBS ON)
set(CMAKE_DISABLE_FIND_PACKAGE_TBB ON)

find_library(CHARM_STATIC_HWLOC libhwloc.a REQUIRED)
add_library(charm_no_udev STATIC ${PROJECT_SOURCE_DIR}/packaging/tarball/no_udev.c)
set_property(TARGET PkgConfig::HWLOC PROPERTY INTERFACE_LINK_LIBRARIES ${CHARM_STATIC_HWLOC} charm_no_udev m)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.a OUTPUT_VARIABLE gomp
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(OpenMP_gomp_LIBRARY ${gomp} CACHE FILEPATH "OpenMP's library" FORCE)  # which FindOpenMP takes
endif()

function(charm_link_alone target)
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
endfunction()
