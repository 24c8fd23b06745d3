// Model files: what `charm malloc profile` writes and people edit, as JSON. The keys are in docs/design/malloc.md.
#pragma once

#include <string>

#include "tools/memory_traffic/model.hpp"

namespace charm::memory_traffic {

inline constexpr int model_version = 1;

std::string model_to_json(const Model& model);

/// \param name stands in errors. \throws Error (bad_input) that says what is wrong, and where.
Model model_from_json(const std::string& text, const std::string& name);

/// \throws Error (bad_input) where the file cannot be read or is no model.
Model read_model(const std::string& path);

}  // namespace charm::memory_traffic
