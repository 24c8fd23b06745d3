// Reads descriptions of other machines: they come from elsewhere, and may be damaged or made to do harm.
//
// - Only a confined child gives them to hwloc (os/processes/confined.hpp). If hwloc crashes, hangs or fills memory, the
//   error names the description. The child's result is checked like any other input (survey_wire.hpp). One exception:
//   synthetic strings of plain levels are built here (synthetic.hpp).
// - Nothing of this machine gets into the answer: neither its cpus, if a description has none, nor the machine that the
//   user's own HWLOC_* variables name.
#pragma once

#include <string>

#include "topology/survey.hpp"

namespace charm::topology {

/// \param xml what hwloc wrote. \param file where it is from, for errors.
/// \throws Error (bad_input) that names the file, what is wrong with it and how to get a good one.
Survey survey_xml(const std::string& xml, const std::string& file);

/// \throws Error (bad_input): `problem` of a file that was to be such XML.
[[noreturn]] void refuse_file(const std::string& file, const std::string& problem);

/// Text of a user for an error, in quotes and on one line.
std::string quoted(std::string text);

/// What hwloc's own variables put in this machine's place (HWLOC_XMLFILE, HWLOC_SYNTHETIC, HWLOC_FSROOT).
/// \throws Error (bad_input).
Survey survey_of_variables(Detail detail);
/// Whether any of them is set.
bool variables_name_a_machine();

}  // namespace charm::topology
