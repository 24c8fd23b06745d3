// Bandwidth that some cores still reach while others load the same memory: the background load of TAPMM §3.2.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "os/memory/node_memory.hpp"
#include "tools/probe/measuring/pinned_threads.hpp"

namespace charm::probe {

/// The load reads a piece, then rests as long as its part demands: on a bus that gets slower it also reads less, as a
/// program does.
class LoadedRead {
 public:
  /// \param load, readers cpus, all different, some of each. \param nodes OS numbers; every cpu reads the same part of
  /// each. \param bytes_each of a cpu, larger than its caches. \throws Error (system) as memory_on() does.
  LoadedRead(const std::vector<int>& load, const std::vector<int>& readers, const std::vector<int>& nodes,
             std::size_t bytes_each);

  /// GB/s (10^9 bytes) that the load reads alone. \param part of what it can: 0 to 1.
  double load_alone(double part, double seconds);
  /// GB/s that the readers reach beside it.
  double beside_load(double part, double seconds);

 private:
  struct alignas(64) Member {
    std::vector<os::NodeMemory> memory;
    std::uint64_t bytes = 0;
  };

  void work(std::size_t rank);
  void read_until(Member& member, double part) const;
  double gb_per_s_of(std::size_t first, std::size_t end, double seconds);

  std::vector<Member> members_;  // the load first
  std::size_t loads_;
  std::size_t part_bytes_;
  bool touch_ = true;
  bool read_beside_ = false;
  double part_ = 0;
  double end_ns_ = 0;
  mutable std::atomic<std::uint64_t> result_{0};  // else nothing would have to be read
  PinnedThreads threads_;                         // last: its members use the others
};

}  // namespace charm::probe
