#include "topology/source.hpp"

#include <charm/error.hpp>

#include <filesystem>

#include "topology/profile.hpp"

namespace charm::topology {

SourceKind kind_of_source(const std::string& description) {
  if (description.find_first_not_of(" \t\n") == std::string::npos) {
    throw Error(Errc::bad_input, "the topology's name is empty",
                "name an hwloc XML file or write a string such as 'pack:2 l3:8 core:8 pu:2'");
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(std::filesystem::path(description) / "sys", ignored)) return SourceKind::sysfs;
  if (is_profile(description)) return SourceKind::profile;
  // No level of a synthetic string has a dot or a slash in its name; memory sizes have no dot either.
  const bool file =
      std::filesystem::exists(description, ignored) || description.find_first_of("/.") != std::string::npos;
  return file ? SourceKind::xml : SourceKind::synthetic;
}

}  // namespace charm::topology
