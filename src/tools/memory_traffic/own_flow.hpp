// Which part of the machine's traffic the programs under the malloc cause themselves, so that the sampler does not take
// it for that of others (TAPMM §3.2 leaves it out).
//
// Traffic counters tell what all programs read together. What is known besides is where the programs' threads and those
// of others are busy, and where new pages of the programs go. So a bus's traffic is divided in the ratio of what both
// could put on it: a busy core of a program under the malloc reads by the weights, any other the memory nearest to it.
// A tenth of each counts as evenly spread, for pages that are older than the weights, and for shared ones.
//
// Where the cores count their fills by source (own_counts.hpp), the ratio is that of the lines that both got from
// memory: then it does not matter how much of their time programs compute, and pages far from others' threads are seen.
// The absolute number of lines is not used, because cores count fewer than memory delivers (a prefetch into L2 is no
// fill from memory), for all programs alike.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "memory/weight_page.hpp"
#include "os/machine/cpu_load.hpp"
#include "tools/memory_traffic/flow.hpp"

namespace charm::memory_traffic {

/// Cores that were busy, by index in roots(model): those of programs under the malloc, and those of all others.
struct BusyCores {
  std::vector<double> ours, others;
};

/// \param reading what the buses and controllers carry in all. \param page by whose weights the programs' pages lie.
/// \return the programs' part of it; at most what the model says that so many cores can read.
Bandwidths own_flow(const Model& model, const memory::WeightPage& page, const Bandwidths& reading,
                    const BusyCores& busy);

/// Cache lines by index in roots(model) of the cpus that got them: from near memory, and from all other.
struct Lines {
  std::vector<double> near, far;
};

struct CountedLines {
  Lines ours, others;
  /// Whether near means the memories of the socket; else the one of the node. The cores of some machines (64-bit Arm)
  /// tell sockets apart and nothing below.
  bool near_is_socket = false;
};

/// The same by counted lines.
Bandwidths own_flow(const Model& model, const memory::WeightPage& page, const Bandwidths& reading,
                    const CountedLines& lines);

/// A thread, and the cpu on which it ran last.
struct RunningThread {
  int thread = 0, cpu = 0;
};

/// Finds the programs under the malloc that this user may see, by the variable LD_PRELOAD with which they were started
/// (by their mappings where they have overwritten it), and reads from /proc where their threads and those of others are
/// busy.
class OwnPrograms {
 public:
  /// \param root of procfs, for tests.
  explicit OwnPrograms(const Model& model, std::string root = "/");

  /// Reads /proc if a second has passed since it was last read: a program may have thousands of threads. Until it was
  /// read twice nothing is known, and nobody is busy. \param page which cpu belongs to which root.
  const BusyCores& read(double now_s, const memory::WeightPage& page);

  /// Those that were found.
  [[nodiscard]] const std::vector<int>& processes() const { return processes_; }
  /// Their threads.
  [[nodiscard]] const std::vector<RunningThread>& threads() const { return running_; }
  /// Increases with every look into /proc.
  [[nodiscard]] int looks() const { return looks_; }

 private:
  void find();

  std::string root_;
  std::vector<int> processes_;
  std::vector<RunningThread> running_;
  int looks_ = 0;
  std::map<std::pair<int, int>, double> thread_s_;  // cpu time by process and thread
  std::map<int, os::CpuTime> cpus_;
  double read_s_ = -1;
  BusyCores busy_;
};

}  // namespace charm::memory_traffic
