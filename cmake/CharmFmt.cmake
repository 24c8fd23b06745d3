# charm_fmt: fmt for what the command links. The command's start is a part of what `charm run` costs, and a third of it was
# spent on loading libfmt and libstdc++: the first for a few functions, the second because the first needs it. So these
# functions are compiled into a static library (cmake/fmt.cpp), which works for fmt 9 as Debian 12 and Ubuntu 24.04 have
# it; with another version charm_fmt is fmt::fmt.
# charm_link_runtime(TARGET): links the C++ library statically, where nothing else in the process brings a second one.
include(CheckCXXSourceCompiles)
find_package(fmt REQUIRED)

add_library(charm_fmt INTERFACE)
if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  add_library(charm_fmt_functions STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cpp)
  target_include_directories(charm_fmt_functions SYSTEM PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(charm_fmt INTERFACE charm_fmt_functions)
else()
  target_link_libraries(charm_fmt INTERFACE fmt::fmt)
endif()

set(CMAKE_REQUIRED_LINK_OPTIONS -static-libstdc++ -static-libgcc)
check_cxx_source_compiles("#include <string>\nint main(int, char** words) { return std::string(words[0]).empty(); }"
                          CHARM_STATIC_LIBSTDCXX)
unset(CMAKE_REQUIRED_LINK_OPTIONS)

function(charm_link_runtime target)
  # libcharm.so and libfmt.so need the shared one, and a sanitizer wants to see its calls.
  if(CHARM_STATIC_LIBSTDCXX AND TARGET charm_fmt_functions AND NOT BUILD_SHARED_LIBS AND NOT CHARM_SANITIZE)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()
