#include "os/cpu_watch.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "os/affinity.hpp"
#include "os/cgroup.hpp"
#include "os/cpu_list.hpp"
#include "os/system_files.hpp"

namespace charm::os {
namespace {

using Cpus = std::vector<int>;

class LiveCpuWatch final : public CpuWatch {
 public:
  explicit LiveCpuWatch(std::string root) : root_(std::move(root)) {}

  std::optional<Cpus> granted() override {
    std::optional<Cpus> online;
    if (const auto line = first_line(path_below(root_, "sys/devices/system/cpu/online")))
      online = parse_cpu_list(*line);
    std::optional<Cpus> cgroup = read_cgroup_limits(root_).cpus;
    if (!online || !cgroup) return online ? online : cgroup;
    Cpus left = in_both(*online, *cgroup);
    return left.empty() ? online : left;
  }
  Cpus mask() override { return allowed_cpus(); }
  bool bind(const Cpus& cpus) override { return bind_this_thread(cpus); }

 private:
  std::string root_;
};

}  // namespace

std::unique_ptr<CpuWatch> live_cpu_watch(const std::string& root) { return std::make_unique<LiveCpuWatch>(root); }

bool AllowedCpus::explains(const Cpus& found, const ThreadMask& thread, const std::optional<Cpus>& granted) const {
  const Cpus& set = thread.set.empty() ? wanted_ : thread.set;
  Cpus expected = granted ? in_both(set, *granted) : set;
  if (expected.empty()) expected = *granted;
  const bool reset = granted && thread.granted && thread.granted != granted && found == *granted;
  return found.empty() || found == expected || found == set || reset;
}

Cpus AllowedCpus::judge(const Cpus& found, ThreadMask& thread, const std::optional<Cpus>& granted) {
  if (!explains(found, thread, granted)) wanted_ = thread.set = found;
  thread.granted = granted;
  thread.found = found;
  if (!granted) return wanted_;
  Cpus allowed = in_both(wanted_, *granted);
  return allowed.empty() ? *granted : allowed;
}

}  // namespace charm::os
