# Installation: the library, its headers, the charm command, and what find_package(charm) and pkg-config read.
# Everything is found relative to where the files lie, so that "cmake --install --prefix" and moved trees work.
# A static libcharm needs Boost.Context and hwloc again when a program links it; a shared one brings them itself.
include(CMakePackageConfigHelpers)

get_target_property(CHARM_LIBRARY_TYPE charm TYPE)
set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/charm)

install(TARGETS charm EXPORT charm-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT charm-targets NAMESPACE charm:: DESTINATION ${cmake_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/charmConfig.cmake.in ${PROJECT_BINARY_DIR}/charmConfig.cmake
                              INSTALL_DESTINATION ${cmake_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/charmConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/charmConfig.cmake ${PROJECT_BINARY_DIR}/charmConfigVersion.cmake
        DESTINATION ${cmake_dir})

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
  set(CHARM_PC_LIBS "-lcharm ${CHARM_PC_PRIVATE} -pthread")
  set(CHARM_PC_LIBS_PRIVATE "")
else()
  set(CHARM_PC_REQUIRES "Requires.private: hwloc >= 2.5")
  set(CHARM_PC_LIBS "-lcharm -pthread")
  set(CHARM_PC_LIBS_PRIVATE "Libs.private: ${CHARM_PC_PRIVATE}")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/charm.pc.in ${PROJECT_BINARY_DIR}/charm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/charm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET charm_cli)
  if(CHARM_LIBRARY_TYPE STREQUAL "SHARED_LIBRARY")
    file(RELATIVE_PATH to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(charm_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
  endif()
  install(TARGETS charm_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # Bash loads the completion from there when "charm" is first completed; the command prints it itself.
  if(NOT CMAKE_CROSSCOMPILING)
    set(completion ${PROJECT_BINARY_DIR}/completion/charm)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/completion)
    add_custom_command(OUTPUT ${completion} COMMAND charm_cli completion bash > ${completion} DEPENDS charm_cli)
    add_custom_target(charm_completion ALL DEPENDS ${completion})
    install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
  endif()
endif()
install(FILES ${PROJECT_SOURCE_DIR}/scripts/charm-gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/charm/gdb)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
