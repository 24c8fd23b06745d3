// What a description names: an XML dump, a synthetic string, a measured profile or a sysfs tree. One place that tells
// them apart, for Machine::from and for whoever wants the source's own words.
#pragma once

#include <string>

namespace charm::topology {

enum class SourceKind { xml, synthetic, profile, sysfs };

/// \throws Error (bad_input) where the description is empty.
SourceKind kind_of_source(const std::string& description);

}  // namespace charm::topology
