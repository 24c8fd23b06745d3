// Lookup of values by name, shared by all registries (placement policies, controllers). A registry is a span of values
// that have a `name`; an unknown name is an error that lists the existing names.
#pragma once

#include <charm/error.hpp>

#include <span>
#include <string>
#include <string_view>

namespace charm::base {

/// The names of all values, as "one, two, three".
template <class T>
std::string names_of(std::span<const T> all) {
  std::string names;
  for (const T& value : all) names += (names.empty() ? "" : ", ") + std::string(value.name);
  return names;
}

/// nullptr if there is none of that name.
template <class T>
const T* find_named(std::span<const T> all, std::string_view name) {
  for (const T& value : all) {
    if (value.name == name) return &value;
  }
  return nullptr;
}

/// \param what the kind of thing, for the error: "placement policy".
/// \throws Error (bad_config) that lists the existing values.
template <class T>
const T& named(std::span<const T> all, std::string_view name, std::string_view what) {
  if (const T* found = find_named(all, name)) return *found;
  throw Error(Errc::bad_config, "unknown " + std::string(what) + " '" + std::string(name) + "'",
              "choose one of " + names_of(all));
}

}  // namespace charm::base
