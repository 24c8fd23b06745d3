#include "tools/evaluate/host.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/format.hpp"
#include "os/files/system_files.hpp"
#include "os/machine/cpu_identity.hpp"
#include "os/memory/memory.hpp"
#include "os/processes/this_process.hpp"
#include "tools/os/system_placement.hpp"

namespace charm::evaluate {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

/// "always [madvise] never" has its value in brackets.
std::string bracketed(const std::string& text) {
  const auto open = text.find('['), close = text.find(']');
  return open == std::string::npos || close < open ? "" : text.substr(open + 1, close - open - 1);
}

std::string caches(const Machine& machine) {
  std::map<std::uint64_t, std::size_t> sizes;
  for (const Chiplet& chiplet : machine.chiplets) ++sizes[chiplet.l3_bytes];
  std::string text;
  for (const auto& [bytes, count] : sizes) {
    text += fmt::format("{}{} × {}", text.empty() ? "" : ", ", count,
                        bytes == 0 ? "unknown size" : base::format_bytes(bytes));
  }
  return text;
}

std::string memory(const Machine& machine) {
  std::uint64_t bytes = 0;
  for (const Node& node : machine.nodes) bytes += node.bytes;
  return bytes == 0 ? "" : base::format_bytes(bytes);
}

std::string smt(const Machine& machine, const std::string& root) {
  const auto most = std::max_element(machine.cores.begin(), machine.cores.end(), [](const Core& a, const Core& b) {
    return a.siblings.size() < b.siblings.size();
  });
  const std::size_t threads = most == machine.cores.end() ? 0 : most->siblings.size();
  if (threads > 1) return fmt::format("{} threads a core", threads);
  const auto active = os::first_line(os::path_below(root, "sys/devices/system/cpu/smt/active"));
  return active && *active == "1" ? "on, one thread a core may be used" : "one thread a core";
}

}  // namespace

MachineFacts described_machine_facts(const Machine& machine) {
  MachineFacts facts;
  facts.name = machine.name;
  facts.cores = static_cast<int>(machine.cores.size());
  facts.chiplets = static_cast<int>(machine.chiplets.size());
  facts.nodes = static_cast<int>(machine.nodes.size());
  facts.sockets = static_cast<int>(machine.sockets.size());
  for (const auto& [name, value] : {std::pair{"last-level caches", caches(machine)}, {"memory", memory(machine)}}) {
    if (!value.empty()) facts.others.emplace_back(name, value);
  }
  return facts;
}

MachineFacts machine_facts(const Machine& machine, const counters::Description& counters, const std::string& version,
                           const std::string& root) {
  MachineFacts facts = described_machine_facts(machine);
  facts.host = os::host_name();
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) facts.others.emplace_back(name, value);
  };
  add("threads", smt(machine, root));
  add("kernel", os::kernel_name());
  add("placed by the system", os::one_line(os::read_system_placement(root)));
  if (os::read_cpu_identity(root).guest) add("system", "a virtual machine");
  std::string governors;
  for (const auto& [governor, cpus] : os::frequency_governors(root))
    governors += fmt::format("{}{} (cpus {})", governors.empty() ? "" : ", ", governor, cpus.to_text());
  add("frequency governor", governors.empty() ? "none is shown" : governors);
  add("transparent huge pages",
      bracketed(os::read_text(os::path_below(root, "sys/kernel/mm/transparent_hugepage/enabled"))));
  add("counters", counters.why_not.empty() ? counters.name : "no hardware counters: " + counters.why_not);
  add("probe", machine.measured.profile.empty() ? "none; `charm probe` measures latencies and bandwidths"
                                                : "measured " + machine.measured.date);
  if (machine.cpu_quota > 0) add("cpu quota", fmt::format("{:.3g} cpus", machine.cpu_quota));
  facts.key = fmt::format("{}, {} cores, {} chiplets, {} nodes, cpus {}, charm {}", machine.name, facts.cores,
                          facts.chiplets, facts.nodes, machine.allowed_cpus.to_text(), version);
  return facts;
}

bool separates_fills(const counters::Description& counters, std::string& why_not) {
  using counters::FillSource;
  why_not = counters.why_not;
  if (counters.kind != counters::Description::Kind::hardware) {
    if (why_not.empty()) why_not = "counters: " + counters.name;
    return false;
  }
  const counters::FillSet apart = counters::told_apart(counters.classes);
  for (const FillSource source : {FillSource::own_chiplet, FillSource::remote_cache, FillSource::local_dram}) {
    if (apart.has(source)) continue;
    why_not =
        fmt::format("the counters of this processor do not tell {} apart from other sources", counters::name(source));
    return false;
  }
  return true;
}

std::vector<std::string> conditions_of(const os::OthersUse& use, int cpus,
                                       const std::map<std::string, CpuSet>& governors) {
  std::vector<std::string> all;
  if (use.cpus > 0.03 * cpus) {
    all.push_back(fmt::format("Other programs took {:.2g} of {} cpus at the start{}.", use.cpus, cpus,
                              use.who.empty() ? "" : " (" + use.who + ")"));
  }
  if (use.stolen > 0.005)
    all.push_back(
        fmt::format("The hypervisor took {} of the cpus' time at the start.", base::format_percent(use.stolen)));
  for (const auto& [governor, on] : governors) {
    if (governor != "performance")
      all.push_back(
          fmt::format("The frequency governor of cpus {} is {}, which follows the load; performance is "
                      "steadier.",
                      on.to_text(), governor));
  }
  return all;
}

}  // namespace charm::evaluate
