# charm_one_definition(): the target "one_definition". It merges all objects of the library, the tools and the workloads, as
# the first half of a link with optimisation does, and fails where two of them define one type in different ways (-Wodr).
# charm_described(TARGET): the target's objects are among them. With CHARM_ONE_DEFINITION they keep beside their code what
# such a link reads. That takes a twentieth longer to compile; objects that hold nothing else would be compiled again.
# charm_code_alone(TARGET): a static library made of such objects has their code alone.
include(CMakeDependentOption)
set(charm_gnu OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CHARM_SANITIZE)
  set(charm_gnu ON)
endif()
cmake_dependent_option(CHARM_ONE_DEFINITION "Let the target one_definition look for types that are defined twice in different ways"
                       OFF charm_gnu OFF)
if(CHARM_ONE_DEFINITION)
  add_link_options(-fno-lto)  # programs are linked from the code
endif()

function(charm_described target)
  if(CHARM_ONE_DEFINITION)
    target_compile_options(${target} PRIVATE -flto -ffat-lto-objects)
    set_property(GLOBAL APPEND PROPERTY CHARM_DESCRIBED ${target})
    charm_code_alone(${target})
  endif()
endfunction()

# An archive has the code alone: its index would name functions that only the other form of an object has, and a linker
# takes every object that the index names. Users with another version of GCC could not read that form anyway.
function(charm_code_alone target)
  get_target_property(type ${target} TYPE)
  if(CHARM_ONE_DEFINITION AND type STREQUAL "STATIC_LIBRARY")
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM
      COMMAND ${CMAKE_OBJCOPY} --remove-section=.gnu.lto_* --remove-section=.gnu.debuglto_* --strip-symbol=__gnu_lto_slim
              $<TARGET_FILE:${target}>)
  endif()
endfunction()

function(charm_one_definition)
  if(NOT CHARM_ONE_DEFINITION)
    return()
  endif()
  get_property(targets GLOBAL PROPERTY CHARM_DESCRIBED)
  list(TRANSFORM targets REPLACE "^(.+)$" "$<FILTER:$<TARGET_OBJECTS:\\1>,EXCLUDE,gch$>" OUTPUT_VARIABLE objects)
  set(merged ${PROJECT_BINARY_DIR}/one_definition.o)
  # Several objects define main, and one malloc.
  add_custom_command(OUTPUT ${merged}
    COMMAND ${CMAKE_CXX_COMPILER} -flto -flinker-output=rel -r -nostdlib -Wl,-z,muldefs
            -Werror=odr -Werror=lto-type-mismatch ${objects} -o ${merged}
    DEPENDS ${objects} COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Checking that every type has one definition")
  add_custom_target(one_definition DEPENDS ${merged})
endfunction()
