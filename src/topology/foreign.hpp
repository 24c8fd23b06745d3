// Reads descriptions of other machines: they come from elsewhere, and may be damaged or made to do harm.
//
// F1  hwloc sees them in a confined child alone (os/processes/confined.hpp): what makes it crash, hang or fill memory
// is an error
//     that names the description. What the child gives back is checked like any other input (survey_wire.hpp). One
//     exception: synthetic strings of plain levels, which are counted out here (synthetic.hpp).
// F2  Nothing of this machine gets into the answer: neither its cpus, where a description tells none, nor the machine
//     that the user's own HWLOC_* variables name.
#pragma once

#include <string>

#include "topology/survey.hpp"

namespace charm::topology {

/// \param xml what hwloc wrote. \param file where it is from, for errors.
/// \throws Error (bad_input) that names the file, what is wrong with it and how to get a good one.
Survey survey_xml(const std::string& xml, const std::string& file, Detail detail);

/// \throws Error (bad_input): `problem` of a file that was to be such XML.
[[noreturn]] void refuse_file(const std::string& file, const std::string& problem);

/// What hwloc's own variables put in this machine's place (HWLOC_XMLFILE, HWLOC_SYNTHETIC, HWLOC_FSROOT).
/// \throws Error (bad_input).
Survey survey_of_variables(Detail detail);
/// Whether any of them is set.
bool variables_name_a_machine();

}  // namespace charm::topology
