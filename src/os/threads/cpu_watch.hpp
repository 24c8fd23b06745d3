// The cpus that this process may use at the moment. They are queried again and again while the process runs: a cgroup
// may be narrowed, cpus go offline, and affinity masks may be set from outside (taskset). An interface, so that tests
// can replace the kernel.
#pragma once

#include <charm/id_set.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace charm::os {

class CpuWatch {
 public:
  CpuWatch() = default;
  virtual ~CpuWatch() = default;
  CpuWatch(const CpuWatch&) = delete;
  CpuWatch& operator=(const CpuWatch&) = delete;

  /// Online cpus that the cgroups of the process grant; nothing if the system tells neither.
  virtual std::optional<CpuSet> granted() = 0;
  /// The calling thread's mask; empty if it cannot be read.
  virtual CpuSet mask() = 0;
  /// Binds the calling thread; false where the kernel refuses.
  virtual bool bind(const CpuSet& cpus) = 0;
  /// The cpu that the calling thread is on at the moment; -1 where that is not known.
  virtual int cpu() { return -1; }
};

/// The real one. \param root of /proc, /sys and the cgroup mounts. \param process whose cgroups grant the cpus: its
/// number, or "self".
std::unique_ptr<CpuWatch> live_cpu_watch(const std::string& root = "/", const std::string& process = "self");

/// The facts that a thread remembers about its own mask.
struct ThreadMask {
  CpuSet set;                     // the mask that it has set last; empty: none yet
  std::optional<CpuSet> granted;  // the cpus that were granted at its last check
  CpuSet found;                   // its mask at that time
  bool bound = false;             // whether its mask is still `set`
};

/// Concludes from a thread's mask which cpus the process may use now.
///
/// A worker binds itself to single cpus, so its mask alone does not show what the process may use. The mask is compared
/// with its expected value: the mask that the thread has set, as far as it is granted; if none of it is granted the
/// kernel falls back to all granted cpus. Kernels before 6.2 do so for every thread whenever a cpuset changes. Any
/// other mask was set from outside, and counts as the user's wish from then on.
class AllowedCpus {
 public:
  /// \param wanted the mask that the process came with.
  explicit AllowedCpus(CpuSet wanted) : wanted_(std::move(wanted)) {}

  /// Whether a mask is the result of the thread's own binding and the grant. If it is not, the grant may have
  /// changed a moment ago: ask for the grant again before judge() takes the mask for the user's wish.
  [[nodiscard]] bool explains(const CpuSet& found, const ThreadMask& thread,
                              const std::optional<CpuSet>& granted) const;

  /// \param found the thread's mask now. \param thread is brought up to date.
  /// \returns the cpus that may be used now: those that the user wants and the system grants, or all granted cpus if
  /// the two have none in common.
  CpuSet judge(const CpuSet& found, ThreadMask& thread, const std::optional<CpuSet>& granted);

  [[nodiscard]] const CpuSet& wanted() const { return wanted_; }

 private:
  CpuSet wanted_;
};

}  // namespace charm::os
