// Reading descriptions in tests, and making them.
#pragma once

#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "topology/hwloc_handle.hpp"
#include "topology/machine_checks.hpp"

namespace charm::test {

/// What was said against it; empty where it was read, as a sound machine.
inline std::string judged(const std::string& description) {
  try {
    EXPECT_EQ(structure_error(Machine::from(description)), "");
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input) << error.what();
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    return error.what();
  }
}

inline std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What hwloc makes of a string, as the XML that it would write.
inline std::string xml_of(const std::string& synthetic) {
  const topology::HwlocHandle handle = topology::load_synthetic(synthetic);
  char* text = nullptr;
  int length = 0;
  EXPECT_EQ(hwloc_topology_export_xmlbuffer(handle.get(), &text, &length, 0), 0);
  std::string xml(text, static_cast<std::size_t>(length) - 1);
  hwloc_free_xmlbuffer(handle.get(), text);
  return xml;
}

}  // namespace charm::test
