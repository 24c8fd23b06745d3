// A value that is there by its owner's protocol: what was prepared before a trial, a name that was checked before.
#pragma once

#include <cstdlib>
#include <optional>

namespace charm::base {

/// Ends the program where there is none: that is a fault of ours, not of the input.
template <class Value>
Value& present(std::optional<Value>& value) {
  if (!value) std::abort();
  return *value;
}
template <class Value>
const Value& present(const std::optional<Value>& value) {
  if (!value) std::abort();
  return *value;
}

}  // namespace charm::base
