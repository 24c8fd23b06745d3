// A sysfs as Linux has it on a large EPYC, in a temporary folder, so that the cost of discovering such a machine can be
// measured on any machine (hwloc reads the folder that HWLOC_FSROOT names).
#pragma once

#include <filesystem>

namespace charm::bench {

struct FakeMachine {
  int sockets = 2;
  int chiplets = 8;  // of a socket
  int cores = 8;     // of a chiplet
  int threads = 2;   // of a core; siblings are numbered after all cores
};

class FakeSysfs {
 public:
  explicit FakeSysfs(const FakeMachine& machine);
  ~FakeSysfs();
  FakeSysfs(const FakeSysfs&) = delete;
  FakeSysfs& operator=(const FakeSysfs&) = delete;
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

}  // namespace charm::bench
