// A folder for a test's databases, and small engines in it.
#pragma once

#include <charm/error.hpp>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "workloads/oltp/engine.hpp"
#include "workloads/oltp/names.hpp"

namespace charm::workloads::testing {

class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "charm-oltp-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TestFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  [[nodiscard]] std::string path() const { return path_; }

 private:
  std::string path_;
};

/// The engines that this build has.
inline std::vector<std::string> built_engines() {
  std::vector<std::string> built;
  for (const std::string& name : oltp_engines()) {
    try {
      oltp::require_engine(name);
      built.push_back(name);
    } catch (const Error&) {
    }
  }
  return built;
}

inline oltp::EngineOptions small_engine(const std::string& folder, const std::vector<std::string>& tables, bool create,
                                        int sessions = 2) {
  oltp::EngineOptions options;
  options.folder = folder;
  options.tables = tables;
  options.create = create;
  options.sessions = sessions;
  options.cache_bytes = std::uint64_t{64} << 20U;
  options.durability = oltp::Durability::written;
  return options;
}

}  // namespace charm::workloads::testing
