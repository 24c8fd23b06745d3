# charm_one_definition(): the target "one_definition" of a build with link-time optimisation. It merges all objects of the
# library, the tools and the workloads, as the first half of a link does, and fails where two of them define one type in
# different ways (-Wodr). No code is generated, which would take as long as compiling.
function(charm_object_targets result directory)
  set(found "")
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(sources ${target} SOURCES)
    if(type MATCHES "^(OBJECT|STATIC|SHARED|MODULE)_LIBRARY$|^EXECUTABLE$" AND sources MATCHES "\\.cpp")
      list(APPEND found ${target})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(folder IN LISTS folders)
    charm_object_targets(inner ${folder})
    list(APPEND found ${inner})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

function(charm_one_definition)
  if(NOT CMAKE_INTERPROCEDURAL_OPTIMIZATION OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  charm_object_targets(targets ${PROJECT_SOURCE_DIR})
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
