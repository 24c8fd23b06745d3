#include "tools/top/masks.hpp"

#include <utility>

#include "os/files/system_files.hpp"
#include "os/machine/cgroup.hpp"
#include "os/processes/processes.hpp"
#include "os/threads/affinity.hpp"
#include "tools/os/process_claim.hpp"
#include "tools/top/replay_writer.hpp"

namespace charm::top {

std::string_view name_of(MaskFrom from) {
  switch (from) {
    case MaskFrom::cpuset:
      return "cpuset";
    case MaskFrom::charm:
      return "charm";
    case MaskFrom::program:
      return "program";
    case MaskFrom::nobody:
      break;
  }
  return "";
}

MaskReader::MaskReader(std::string root) : root_(std::move(root)) {}

void MaskReader::read(std::vector<ThreadShare>& rows) {
  const std::string online = os::first_line(os::path_below(root_, "sys/devices/system/cpu/online")).value_or("");
  online_ = CpuSet::try_parse(online).value_or(CpuSet());
  processes_.clear();
  for (ThreadShare& row : rows) {
    row.mask = mask_of(row);
    row.mask_from = from(row);
  }
}

CpuSet MaskReader::mask_of(const ThreadShare& row) const {
  if (root_ == "/") return os::allowed_cpus_of(row.tid);
  const std::string file = "proc/" + std::to_string(row.pid) + "/task/" + std::to_string(row.tid) + "/status";
  const std::string status = os::read_text(os::path_below(root_, file));
  const auto list = os::value_of(status, "Cpus_allowed_list:");
  return list ? CpuSet::try_parse(*list).value_or(CpuSet()) : CpuSet();
}

/// The kernel does not say who set a mask. What the cgroups grant needs nobody to set it; CHARM claims the processes
/// whose threads it places, and names its workers; anything else is the program's wish, or that of whoever started it.
MaskFrom MaskReader::from(const ThreadShare& row) {
  if (row.mask.empty() || (online_ - row.mask).empty()) return MaskFrom::nobody;
  auto [at, is_new] = processes_.try_emplace(row.pid);
  if (is_new) {
    const auto granted = os::read_cgroup_limits(root_, std::to_string(row.pid)).cpus;
    at->second.granted = granted ? *granted & online_ : online_;
    const os::Processes processes(root_);
    at->second.claimed = os::ProcessClaim::holder(processes, os::identity(row.pid, processes)).has_value();
  }
  if (row.mask == at->second.granted) return MaskFrom::cpuset;
  return at->second.claimed || worker_number(row.name) >= 0 ? MaskFrom::charm : MaskFrom::program;
}

}  // namespace charm::top
