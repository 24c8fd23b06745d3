// An evaluation as the file evaluation.json, and back.
#pragma once

#include <string>

#include "tools/evaluate/evaluation.hpp"

namespace charm::evaluate {

std::string to_json(const Evaluation& evaluation);

/// \param name of the file, for errors. \throws Error (bad_input) if it is no evaluation of a version that is known.
Evaluation from_json(const std::string& text, const std::string& name);

}  // namespace charm::evaluate
