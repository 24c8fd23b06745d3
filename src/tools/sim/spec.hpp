// Parses "name:parameter=value,parameter=value", the form in which workloads and policies are given. An unknown name or
// parameter is an error.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace charm::sim {

struct Parameter {
  std::string_view name;
  double default_value;
  std::string_view doc;
  double least = 0, most = 1e12;
};

class Arguments {
 public:
  /// \param what appears in errors: "workload sweep".
  /// \throws Error (bad_config) that names the parameter and what is accepted.
  Arguments(const std::string& what, std::span<const Parameter> known, std::string_view text);

  [[nodiscard]] double operator[](std::string_view name) const { return values_.find(name)->second; }

 private:
  std::map<std::string, double, std::less<>> values_;
};

/// A list of specs at commas; a piece that is only "parameter=value" belongs to the spec before it.
std::vector<std::string> split_specs(std::string_view text);

/// The part before the first colon, and the part after it.
std::string_view spec_name(std::string_view spec);
std::string_view spec_arguments(std::string_view spec);

}  // namespace charm::sim
