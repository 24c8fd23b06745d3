// A survey as text and back, to pass it from one process to another (foreign.cpp), and the check that makes it safe to
// use, whoever wrote it.
#pragma once

#include <optional>
#include <string>

#include "topology/survey.hpp"

namespace charm::topology {

std::string survey_text(const Survey& survey);

/// Nothing where it is no such text or contradicts itself; `problem` then says how.
std::optional<Survey> survey_from_text(const std::string& text, std::string& problem);

/// What later steps rely on: indices that fit, no cpu in two cores, a square table. \return what is wrong; empty: fine.
std::string contradiction_in(const Survey& survey);

}  // namespace charm::topology
