// The code of the charm::Error that a function throws, for tests of refusals.
#pragma once

#include <charm/error.hpp>

#include <optional>

namespace charm::test {

/// Nothing where `function` throws no charm::Error.
std::optional<Errc> code_of(auto&& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.code();
  }
  return std::nullopt;
}

}  // namespace charm::test
