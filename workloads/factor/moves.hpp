// Counts page faults of the process and migrations of its threads between cpus, which ABSS §4.3 compares for several
// ways to bind threads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace charm::workloads::factor {

class Moves {
 public:
  /// Begins to count.
  Moves();
  /// Page faults since then, minor and major; none if the kernel does not say.
  [[nodiscard]] std::optional<std::uint64_t> page_faults() const;
  /// Migrations since then of all threads that exist now; none if the kernel does not say (CONFIG_SCHED_DEBUG).
  [[nodiscard]] std::optional<std::uint64_t> migrations() const;

 private:
  std::optional<std::uint64_t> faults_;
  std::map<int, std::uint64_t> migrations_;  // by thread
};

}  // namespace charm::workloads::factor
