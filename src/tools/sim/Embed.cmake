# charm_embed(OUTPUT FUNCTION file...): a source file that defines charm::sim::FUNCTION() over the texts of the files.
function(charm_embed output function)
  set(entries "")
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
#include "tools/sim/embedded.hpp"

namespace charm::sim {

std::span<const Embedded> @function@() {
  static constexpr Embedded all[] = {
@entries@  };
  return all;
}

}  // namespace charm::sim
]])
endfunction()
