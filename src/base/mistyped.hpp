// Reports environment variables whose names look like a mistyped setting. Unknown variables are otherwise ignored, so a
// typing error would go unnoticed.
#pragma once

#include <string>
#include <vector>

namespace charm::base {

/// A name of `known` that differs from `word` by one or two characters (inserted, left out, replaced), the nearest;
/// empty where there is none, or where `word` is short and so is near to many.
std::string nearest_name(const std::string& word, const std::vector<std::string>& known);

/// A notice for each variable of this process that looks like a misspelt one of the settings (settings.cpp has their
/// names). It is no error: other programs have variables of that prefix, too. resolve() does this where it reads the
/// environment.
void report_mistyped_variables();

struct Mistyped {
  std::string variable, meant;
};
/// \param variables "NAME=value", as the environment has them. \param known names of the variables that are read.
std::vector<Mistyped> mistyped_variables(const char* const* variables, const std::vector<std::string>& known);

}  // namespace charm::base
