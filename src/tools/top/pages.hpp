// Finds on which nodes memory lies: that of a process, by the kernel's walk through its pages, or the used memory of
// each node of the machine. The walk takes about a millisecond for a GiB, so it is done rarely if there is much memory.
#pragma once

#include <charm/machine.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace charm::top {

class PageWatch {
 public:
  /// \param pid 0: the whole machine.
  PageWatch(const Machine& machine, int pid, std::string root);

  /// Bytes by node (OS number); empty if the kernel does not say. At most a fiftieth of the time is spent on it; in
  /// between the last result is returned.
  const std::map<int, std::uint64_t>& bytes_by_node();

 private:
  void read();

  int pid_;
  std::string root_;
  std::map<int, std::uint64_t> bytes_;
  std::vector<int> nodes_;  // of the machine
  double next_s_ = 0;
};

}  // namespace charm::top
