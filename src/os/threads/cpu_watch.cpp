#include "os/threads/cpu_watch.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "os/files/system_files.hpp"
#include "os/machine/cgroup.hpp"
#include "os/threads/affinity.hpp"

namespace charm::os {
namespace {

class LiveCpuWatch final : public CpuWatch {
 public:
  LiveCpuWatch(std::string root, std::string process) : root_(std::move(root)), process_(std::move(process)) {}

  std::optional<CpuSet> granted() override {
    std::optional<CpuSet> online;
    if (const auto line = first_line(path_below(root_, "sys/devices/system/cpu/online")))
      online = CpuSet::try_parse(*line);
    std::optional<CpuSet> cgroup = read_cgroup_limits(root_, process_).cpus;
    if (!online || !cgroup) return online ? online : cgroup;
    CpuSet left = *online & *cgroup;
    return left.empty() ? online : left;
  }
  CpuSet mask() override { return allowed_cpus(); }
  bool bind(const CpuSet& cpus) override { return bind_this_thread(cpus); }
  int cpu() override { return current_cpu(); }

 private:
  std::string root_, process_;
};

}  // namespace

std::unique_ptr<CpuWatch> live_cpu_watch(const std::string& root, const std::string& process) {
  return std::make_unique<LiveCpuWatch>(root, process);
}

bool AllowedCpus::explains(const CpuSet& found, const ThreadMask& thread, const std::optional<CpuSet>& granted) const {
  const CpuSet& set = thread.set.empty() ? wanted_ : thread.set;
  CpuSet expected = granted ? set & *granted : set;
  if (expected.empty() && granted) expected = *granted;
  const bool reset = granted && thread.granted && thread.granted != granted && found == *granted;
  return found.empty() || found == expected || found == set || reset;
}

CpuSet AllowedCpus::judge(const CpuSet& found, ThreadMask& thread, const std::optional<CpuSet>& granted) {
  if (!explains(found, thread, granted)) wanted_ = thread.set = found;
  thread.granted = granted;
  thread.found = found;
  if (!granted) return wanted_;
  CpuSet allowed = wanted_ & *granted;
  return allowed.empty() ? *granted : allowed;
}

}  // namespace charm::os
