# Installation: the library, its headers, the charm command, the documentation, and what find_package(charm) and
# pkg-config read. A build with a sanitizer installs a library of another name, charm::charm_tsan or charm::charm_asan,
# beside the plain one or alone, and nothing else than what programs need to use it.
# Everything is found relative to where the files lie, so that "cmake --install --prefix" and moved trees work.
# A static libcharm needs Boost.Context and hwloc again when a program links it; a shared one brings them itself.
# What is installed belongs to a component: library, development, duckdb, remote, malloc, documentation or, if nothing else
# is said, command;
# distributions make a package of each (packaging/debian).
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME command)

get_target_property(CHARM_LIBRARY_TYPE charm TYPE)
set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/charm)

set(CHARM_LIBRARY_NAME charm)
set(CHARM_PC_CFLAGS "")
if(CHARM_SANITIZE)
  if(CHARM_SANITIZE STREQUAL "thread")
    set(CHARM_LIBRARY_NAME charm_tsan)
  else()
    set(CHARM_LIBRARY_NAME charm_asan)
  endif()
  set_target_properties(charm PROPERTIES OUTPUT_NAME ${CHARM_LIBRARY_NAME} EXPORT_NAME ${CHARM_LIBRARY_NAME})
  # Its users get the sanitizer with it: only code that was built with it is looked at.
  set(CHARM_PC_CFLAGS "-fsanitize=${CHARM_SANITIZE}")
  target_compile_options(charm INTERFACE $<INSTALL_INTERFACE:${CHARM_PC_CFLAGS}>)
  target_link_options(charm INTERFACE $<INSTALL_INTERFACE:${CHARM_PC_CFLAGS}>)
endif()
if(CHARM_ASSERTIONS)
  string(APPEND CHARM_PC_CFLAGS " -DCHARM_ASSERTIONS")
endif()
install(TARGETS charm EXPORT ${CHARM_LIBRARY_NAME}-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
if(NOT CHARM_SANITIZE)
  set_target_properties(charm_remote PROPERTIES EXPORT_NAME remote)
  install(TARGETS charm_remote EXPORT charm-remote-targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT remote
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT remote)
  install(EXPORT charm-remote-targets NAMESPACE charm:: DESTINATION ${cmake_dir} COMPONENT remote)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT ${CHARM_LIBRARY_NAME}-targets NAMESPACE charm:: DESTINATION ${cmake_dir} COMPONENT development)
# charm::duckdb, an optional component: static also where libcharm is shared, since few programs use it.
if(TARGET charm_duckdb AND NOT CHARM_SANITIZE)
  install(TARGETS charm_duckdb EXPORT charm_duckdb-targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT duckdb)
  install(FILES ${PROJECT_SOURCE_DIR}/integrations/duckdb/include/charm/duckdb.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/charm COMPONENT duckdb)
  install(EXPORT charm_duckdb-targets NAMESPACE charm:: DESTINATION ${cmake_dir} COMPONENT duckdb)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/charmConfig.cmake.in ${PROJECT_BINARY_DIR}/charmConfig.cmake
                              INSTALL_DESTINATION ${cmake_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/charmConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/charmConfig.cmake ${PROJECT_BINARY_DIR}/charmConfigVersion.cmake
        DESTINATION ${cmake_dir} COMPONENT development)

# pkg-config: a prefix relative to the file, unless the directories were given as absolute ones.
function(charm_pc_dir result dir)
  if(IS_ABSOLUTE "${dir}")
    set(${result} "${dir}" PARENT_SCOPE)
  else()
    set(${result} "\${prefix}/${dir}" PARENT_SCOPE)
  endif()
endfunction()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(CHARM_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(CHARM_PC_PREFIX "\${pcfiledir}/${up}")
endif()
charm_pc_dir(CHARM_PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
charm_pc_dir(CHARM_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
# Where only libcharm.a is installed nothing links without what it uses, with or without --static.
set(CHARM_PC_PRIVATE "-lboost_context -lstdc++ -lm")
if(CHARM_LIBRARY_TYPE STREQUAL "STATIC_LIBRARY")
  set(CHARM_PC_REQUIRES "Requires: hwloc >= 2.5")
  set(CHARM_PC_LIBS "-l${CHARM_LIBRARY_NAME} ${CHARM_PC_PRIVATE} -pthread ${CHARM_PC_CFLAGS}")
  set(CHARM_PC_LIBS_PRIVATE "")
else()
  set(CHARM_PC_REQUIRES "Requires.private: hwloc >= 2.5")
  set(CHARM_PC_LIBS "-l${CHARM_LIBRARY_NAME} -pthread ${CHARM_PC_CFLAGS}")
  set(CHARM_PC_LIBS_PRIVATE "Libs.private: ${CHARM_PC_PRIVATE}")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/charm.pc.in ${PROJECT_BINARY_DIR}/${CHARM_LIBRARY_NAME}.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/${CHARM_LIBRARY_NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)
if(CHARM_SANITIZE)
  return()
endif()
set(remote_mpi "")
foreach(library IN LISTS CHARM_MPI_LIBRARIES)
  string(APPEND remote_mpi " ${library}")
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/charm_remote.pc.in ${PROJECT_BINARY_DIR}/charm_remote.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/charm_remote.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT remote)

# Removes what was installed last from this build.
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
                                      -P ${PROJECT_SOURCE_DIR}/cmake/Uninstall.cmake)
endif()

if(TARGET charm_cli)
  if(CHARM_LIBRARY_TYPE STREQUAL "SHARED_LIBRARY")
    file(RELATIVE_PATH to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(charm_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
    file(RELATIVE_PATH to_lib "/${CMAKE_INSTALL_LIBEXECDIR}/charm" "/${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(charm_bench charm_bench_ranks PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
  endif()
  install(TARGETS charm_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS charm_bench RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/charm)
  install(PROGRAMS ${PROJECT_BINARY_DIR}/charm-deploy-bench DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/charm)
  install(FILES ${PROJECT_BINARY_DIR}/deploy_clients.py ${PROJECT_BINARY_DIR}/deploy_report.py DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/charm)
  if(NOT CHARM_STATIC)
    install(TARGETS charm_bench_ranks RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/charm COMPONENT remote)
  endif()
  # Shells load the completion from there when "charm" is first completed; the command prints it itself.
  if(NOT CMAKE_CROSSCOMPILING)
    set(folder ${PROJECT_BINARY_DIR}/completion)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${folder}/charm ${folder}/_charm ${folder}/charm.fish
                       COMMAND charm_cli completion bash > ${folder}/charm COMMAND charm_cli completion zsh > ${folder}/_charm
                       COMMAND charm_cli completion fish > ${folder}/charm.fish DEPENDS charm_cli)
    add_custom_target(charm_completion ALL DEPENDS ${folder}/charm)
    install(FILES ${folder}/charm DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
    install(FILES ${folder}/_charm DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
    install(FILES ${folder}/charm.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d OPTIONAL)
    # The manual pages follow from the declarations of the options, too.
    set(man ${PROJECT_BINARY_DIR}/man/man1)
    file(MAKE_DIRECTORY ${man})
    if(CHARM_DEBIAN)  # whose packages have them compressed
      set(pages ${man}/charm.1.gz)
      set(compress COMMAND gzip -n9f ${man}/*.1)
    else()
      set(pages ${man}/charm.1)
      set(compress "")
    endif()
    add_custom_command(OUTPUT ${pages} COMMAND charm_cli help --man-pages ${man} ${compress} DEPENDS charm_cli)
    add_custom_target(charm_man ALL DEPENDS ${pages})
    install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1" PATTERN "*.1.gz")
  endif()
endif()
if(TARGET charm_mirror AND TARGET charm_cli)
  install(TARGETS charm_mirror LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/charm COMPONENT command)
endif()
if(TARGET charm_malloc)
  install(TARGETS charm_malloc LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT malloc)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/scripts/charm-gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/charm/gdb
        COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/grafana/charm-top.json DESTINATION ${CMAKE_INSTALL_DATADIR}/charm/grafana)

# The documentation, where the links of the README lead. The pages for the headers are Doxygen's, where there is one; it
# takes a second, and nobody who changes a header has to commit what follows from it.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT documentation)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(FILES ${PROJECT_SOURCE_DIR}/integrations/python/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/integrations/python
        COMPONENT documentation)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/integrations/runtime-benchmarks DESTINATION ${CMAKE_INSTALL_DOCDIR}/integrations COMPONENT documentation)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation
        FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN *.png PATTERN terminal_svg EXCLUDE PATTERN make EXCLUDE)
find_program(CHARM_DOXYGEN doxygen)
mark_as_advanced(CHARM_DOXYGEN)
if(CHARM_DOXYGEN)
  set(reference ${PROJECT_BINARY_DIR}/reference)
  file(CONFIGURE OUTPUT ${reference}/Doxyfile @ONLY CONTENT "@INCLUDE = docs/Doxyfile
OUTPUT_DIRECTORY = ${reference}
WARNINGS = NO
WARN_IF_UNDOCUMENTED = NO
WARN_AS_ERROR = NO
")
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/charm/*.h ${PROJECT_SOURCE_DIR}/include/charm/*.hpp)
  add_custom_command(OUTPUT ${reference}/stamp
                     COMMAND ${CMAKE_COMMAND} -E rm -rf ${reference}/html
                     COMMAND ${CHARM_DOXYGEN} ${reference}/Doxyfile
                     COMMAND ${CMAKE_COMMAND} -E touch ${reference}/stamp
                     DEPENDS ${headers} ${PROJECT_SOURCE_DIR}/docs/Doxyfile ${PROJECT_SOURCE_DIR}/docs/reference.md
                             ${reference}/Doxyfile
                     WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM
                     COMMENT "Writing the reference of the headers")
  add_custom_target(charm_reference ALL DEPENDS ${reference}/stamp)
  install(DIRECTORY ${reference}/html/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs/reference COMPONENT documentation OPTIONAL)
endif()
