// On which nodes memory lies: that of a process, by the kernel's walk through its pages, or what is in use of each node
// of the machine. The walk takes about a millisecond for a GiB, so it is not done more often than that is worth.
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

  /// Bytes by node (OS number); empty where the kernel does not tell. At most a fiftieth of the time goes into it: in
  /// between it is what was found last.
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
