// Tells the kinds of descriptions apart: an XML dump, a synthetic string, a measured profile or a sysfs tree. Used by
// Machine::from and by callers that need the source itself.
#pragma once

#include <string>

namespace charm::topology {

enum class SourceKind { xml, synthetic, profile, sysfs };

/// \throws Error (bad_input) where the description is empty.
SourceKind kind_of_source(const std::string& description);

}  // namespace charm::topology
