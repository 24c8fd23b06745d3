# Debian packages by CPack, one for each component of the installation:
#   libcharm0.1      the shared library; its name has the version of its interface, so that two can be installed
#   libcharm-dev     headers, find_package(charm), charm.pc, the gdb script
#   charm            the command, its completion, the Grafana dashboard
#   libcharm-malloc  libcharm_malloc.so
#   charm-doc        the pages under docs/
# scripts/package configures, builds and checks them. Debian's policy wants in each a copyright and a changelog, and in a
# library's a trigger for ldconfig.
if(NOT BUILD_SHARED_LIBS OR NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  message(FATAL_ERROR "Debian packages want BUILD_SHARED_LIBS and CMAKE_INSTALL_PREFIX=/usr: take the preset \"package\"")
endif()
set(interface ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(revision 1)
set(version ${PROJECT_VERSION}-${revision})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # or it would be the summary of every package
set(CPACK_PACKAGE_NAME charm)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
# Who answers for the packages is who builds them, named as for all of Debian's tools.
if(DEFINED ENV{DEBEMAIL})
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
else()
  set(CPACK_PACKAGE_CONTACT "CHARM built without DEBEMAIL <charm@localhost>")
  message(STATUS "The packages name nobody to write to: set DEBFULLNAME and DEBEMAIL before others get them")
endif()
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL library development command documentation)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${revision})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
if(TARGET charm_malloc)
  list(APPEND CPACK_COMPONENTS_ALL malloc)
endif()

# debian_package(COMPONENT package section summary text [depends]): what is particular to one package.
function(debian_package component package section summary text)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${ARGN}" PARENT_SCOPE)
  set(doc ${PROJECT_BINARY_DIR}/debian/${package})
  file(MAKE_DIRECTORY ${doc})
  execute_process(COMMAND gzip -9nc ${PROJECT_SOURCE_DIR}/packaging/debian/changelog
                  OUTPUT_FILE ${doc}/changelog.Debian.gz COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/debian/copyright ${doc}/changelog.Debian.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  file(READ ${PROJECT_SOURCE_DIR}/packaging/debian/lintian/all overrides)
  if(EXISTS ${PROJECT_SOURCE_DIR}/packaging/debian/lintian/${component})
    file(READ ${PROJECT_SOURCE_DIR}/packaging/debian/lintian/${component} more)
    string(APPEND overrides "${more}")
  endif()
  file(CONFIGURE OUTPUT ${doc}/overrides CONTENT "${overrides}" @ONLY)
  install(FILES ${doc}/overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${package}
          COMPONENT ${component})
endfunction()

set(what "CHARM keeps the tasks of a parallel program near their data on processors that\nare built of chiplets: groups of cores that share a last-level cache.")
debian_package(library libcharm${interface} libs "chiplet-aware task runtime - shared library"
  "${what}\n.\nThis package contains the shared library.")
debian_package(development libcharm-dev libdevel "chiplet-aware task runtime - development files"
  "${what}\n.\nThis package contains the headers for C++20 and C, and what CMake\nand pkg-config read." "libcharm${interface} (= ${version})")
debian_package(command charm utils "show, measure and use the chiplets of a machine"
  "${what}\n.\nThis package contains the charm command, which draws and measures machines,\nplaces the threads of other programs, and shows live what runs where."
  "libcharm${interface} (= ${version}), python3:any")  # python3 for charm bench deploy
debian_package(malloc libcharm-malloc libs "malloc that spreads large blocks over NUMA nodes"
  "${what}\n.\nThis package contains an allocator to preload, which spreads the large blocks\nof any program over the NUMA nodes by their bandwidth.")
debian_package(documentation charm-doc doc "chiplet-aware task runtime - documentation"
  "${what}\n.\nThis package contains the documentation.")
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "charm-doc, libcharm-malloc")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_DEBIAN_MALLOC_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)
include(CPack)
