# charm_module(NAME source...): one module of libcharm as an object library with the house's warnings.
# charm_warnings(TARGET): the warnings and sanitizer flags that every target of the house is built with.
# charm_cold(TARGET): it reads, words and draws; optimising it takes long and nobody would notice.
# charm_check_layers(): the build fails when a module includes one that it may not use (cmake/layers.txt), or when a rule
# has a letter and a number instead of words or a comment names a file that does not exist (cmake/CheckRules.cmake).

# A newer compiler has warnings that nobody here has seen yet; they are shown, but do not keep anyone from building.
if(CHARM_WERROR AND ((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
                     OR (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 20)))
  message(STATUS "Warnings are errors with GCC 12 and Clang 19, not with ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  set(CHARM_WERROR OFF)
endif()

# GCC 12 sees overlapping copies in any "text" + std::string (its bug 105651), most of all with -O3.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
# libstdc++'s std::stable_sort calls a function that it has deprecated itself. GCC warns of what is deprecated for both.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
endif()

function(charm_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
  # Where files are compiled together, a local name would shadow what another file has in its unnamed namespace.
  get_target_property(together ${target} UNITY_BUILD)
  if(NOT together)
    target_compile_options(${target} PRIVATE -Wshadow)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wshadow=local)
  endif()
  if(CHARM_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  charm_described(${target})
  if(CHARM_SANITIZE STREQUAL "thread")
    # std::atomic_thread_fence is not understood by TSan; the code that uses one says why it is not needed there.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -Wno-tsan)
    endif()
  endif()
endfunction()

function(charm_cold target)
  target_compile_options(${target} PRIVATE -O1)
endfunction()

if(CHARM_SANITIZE)
  # Little optimisation and line tables only: these builds are for finding faults, and half of the time goes into compiling.
  set(CMAKE_C_FLAGS_SANITIZE "-O1 -g1")
  set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1")
  add_compile_options(-fsanitize=${CHARM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CHARM_SANITIZE})
endif()

# Debug builds and those with a sanitizer check what the code relies on (charm/detail/assert.hpp). Programs that are built
# with such a library check it in its headers, too.
set(assertions OFF)
if(CHARM_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(assertions ON)
endif()
option(CHARM_ASSERTIONS "Check the library's own invariants while programs run" ${assertions})
if(CHARM_ASSERTIONS)
  add_compile_definitions(CHARM_ASSERTIONS)
endif()

function(charm_module name)
  add_library(charm_${name} OBJECT ${ARGN})
  charm_warnings(charm_${name})
  target_include_directories(charm_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(charm_${name} PUBLIC Threads::Threads)
  set_property(GLOBAL APPEND PROPERTY CHARM_MODULES ${name})
endfunction()

function(charm_check_layers)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.[ch]pp ${PROJECT_SOURCE_DIR}/include/*.h
       ${PROJECT_SOURCE_DIR}/include/*.hpp ${PROJECT_SOURCE_DIR}/workloads/*.[ch]pp ${PROJECT_SOURCE_DIR}/integrations/*.[ch]pp)
  add_custom_command(
    OUTPUT ${PROJECT_BINARY_DIR}/layers.stamp
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/CheckLayers.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/layers.stamp
    DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/cmake/layers.txt ${PROJECT_SOURCE_DIR}/cmake/CheckLayers.cmake
    COMMENT "Checking that includes follow cmake/layers.txt")
  file(GLOB_RECURSE models CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*.pml ${PROJECT_SOURCE_DIR}/tests/*.[ch]pp)
  add_custom_command(
    OUTPUT ${PROJECT_BINARY_DIR}/rules.stamp
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/CheckRules.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/rules.stamp
    DEPENDS ${sources} ${models} ${PROJECT_SOURCE_DIR}/cmake/CheckRules.cmake
    COMMENT "Checking that rules have words and that files that comments name exist")
  add_custom_target(layers ALL DEPENDS ${PROJECT_BINARY_DIR}/layers.stamp ${PROJECT_BINARY_DIR}/rules.stamp)
endfunction()
