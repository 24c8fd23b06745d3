# How the files of a target reach the compiler. Three quarters of its work is reading headers, most of them the standard
# library's, so that they are read as rarely as can be:
# - CHARM_UNITY: several files of a target are compiled as one. Whoever changes one file again and again wants it off; it
#   is, unless asked for, with a compiler launcher.
# - CHARM_PRECOMPILE: the large headers of others are compiled once.
# - CHARM_CCACHE: ccache is used where it is installed, unless another compiler launcher was chosen.
# charm_precompile(TARGET header...): the target's large headers, if CHARM_PRECOMPILE is on.

# Whoever chooses a compiler launcher compiles again and again, and single files.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(unity OFF)
else()
  set(unity ON)
endif()
option(CHARM_UNITY "Compile several files of a target at once" ${unity})

option(CHARM_CCACHE "Use ccache where it is installed" ON)
find_program(CHARM_CCACHE_PROGRAM ccache)
mark_as_advanced(CHARM_CCACHE_PROGRAM)
if(CHARM_CCACHE AND CHARM_CCACHE_PROGRAM AND PROJECT_IS_TOP_LEVEL)
  foreach(language IN ITEMS C CXX)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${CHARM_CCACHE_PROGRAM})
    endif()
  endforeach()
endif()

# ccache names an object by all that it includes, and a precompiled header is in all objects: they would share its fate.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(precompile OFF)
else()
  set(precompile ON)
endif()
option(CHARM_PRECOMPILE "Read large headers once" ${precompile})
if(CHARM_UNITY AND NOT DEFINED CMAKE_UNITY_BUILD)
  set(CMAKE_UNITY_BUILD ON)
  # Large enough to read headers rarely, small enough to keep several processors busy until the end.
  if(NOT DEFINED CMAKE_UNITY_BUILD_BATCH_SIZE)
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)
  endif()
endif()
# A class with a member of an unnamed namespace's type is a mistake in a header. GCC takes every file that is included
# for one, and so all files of a unity build; builds without it look.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()

# GCC looks through all it holds for what it no longer needs, again and again. Most files end within a gigabyte: they take
# a twelfth less time without (and 100 to 160 MiB more). ccache would take all objects for new ones, and has them anyway.
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1000000>)
endif()

function(charm_precompile target)
  if(CHARM_PRECOMPILE)
    list(TRANSFORM ARGN REPLACE "^(.+)$" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>" OUTPUT_VARIABLE headers)
    target_precompile_headers(${target} PRIVATE ${headers})
  endif()
endfunction()
