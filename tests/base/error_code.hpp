// The charm::Error that a function throws, for tests of refusals.
#pragma once

#include <charm/error.hpp>

#include <optional>

#include <gtest/gtest.h>

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

/// The error itself. The test fails where `function` throws none.
Error error_of(auto&& function) {
  try {
    function();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {Errc::system, "", ""};
}

}  // namespace charm::test
