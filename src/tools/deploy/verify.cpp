#include "tools/deploy/verify.hpp"

#include <algorithm>
#include <string_view>

#include "base/format.hpp"
#include "os/files/system_files.hpp"
#include "tools/os/numa_maps.hpp"

namespace charm::deploy {
namespace {

/// Memory that the process filled itself: anonymous pages, and shared memory, which the kernel shows as a file. Pages
/// of real files are in the page cache, where any program may have read them first.
bool own_memory(const os::MappedPages& mapping) {
  const std::string& what = mapping.what;
  return what.empty() || what == "heap" || what == "stack" || what.starts_with("/dev/zero") ||
         what.starts_with("/dev/shm/") || what.starts_with("/memfd:") || what.starts_with("/SYSV") ||
         what.starts_with("/anon_hugepage");
}

/// "bind:0-1" binds to nodes 0 and 1, "prefer:0" prefers one, "weighted interleave:0-1" takes both in turn; flags may
/// stand between: "bind=static:0".
bool as_planned(const std::string& policy, const Worker& worker) {
  const std::string_view wanted = worker.memory == Memory::bind       ? "bind"
                                  : worker.memory == Memory::weighted ? "weighted interleave"
                                                                      : "prefer";
  const std::size_t colon = policy.rfind(':');
  if (!policy.starts_with(wanted) || colon == std::string::npos) return false;
  const auto nodes = OsNodeSet::try_parse(std::string_view(policy).substr(colon + 1));
  return nodes && !nodes->empty() && nodes->is_subset_of(worker.nodes);
}

void look_at_threads(const Worker& worker, int pid, const std::string& root, Verified& verified) {
  constexpr std::size_t most_named = 4;
  std::size_t wrong = 0;
  for (const int thread : os::Processes(root).threads(pid)) {
    const std::string status = os::read_text(
        os::path_below(root, "proc/" + std::to_string(pid) + "/task/" + std::to_string(thread) + "/status"));
    const auto mask = CpuSet::try_parse(os::value_of(status, "Cpus_allowed_list:").value_or(""));
    if (!mask || mask->empty()) continue;  // it has ended
    ++verified.threads;
    verified.cpus |= *mask;
    if (mask->is_subset_of(worker.cpus)) continue;
    if (++wrong > most_named) continue;
    verified.problems.push_back("thread " + std::to_string(thread) + " of process " + std::to_string(pid) +
                                " may run on cpus " + mask->to_text() + ", planned are " + worker.cpus.to_text());
  }
  if (wrong > most_named) {
    verified.problems.push_back("and " + std::to_string(wrong - most_named) + " more threads of process " +
                                std::to_string(pid));
  }
}

void look_at_memory(const Worker& worker, int pid, const std::string& root, Verified& verified) {
  const auto mappings = os::numa_maps(pid, root);
  if (!mappings) {
    // One that is ending has no memory any more, which its status tells to anybody.
    const std::string status = os::read_text(os::path_below(root, "proc/" + std::to_string(pid) + "/status"));
    if (!os::value_of(status, "VmSize:")) return;
    if (worker.memory != Memory::none && os::numa_maps(os::this_process().pid).has_value() && root == "/") {
      verified.problems.push_back("the memory of process " + std::to_string(pid) + " cannot be read (another user's?)");
    }
    return;
  }
  std::map<std::string, std::size_t> wrong;
  std::map<int, std::uint64_t> elsewhere;
  for (const auto& mapping : *mappings) {
    if (!own_memory(mapping)) continue;
    ++verified.policy[mapping.policy];
    if (worker.memory != Memory::none && !as_planned(mapping.policy, worker)) ++wrong[mapping.policy];
    for (const auto& [node, bytes] : mapping.bytes) {
      verified.bytes[node] += bytes;
      if (worker.memory == Memory::bind && !worker.nodes.contains(node)) elsewhere[node] += bytes;
    }
  }
  const std::string planned = (worker.memory == Memory::bind       ? "bind to node "
                               : worker.memory == Memory::weighted ? "interleave by weights over nodes "
                                                                   : "prefer node ") +
                              worker.nodes.to_text();
  for (const auto& [policy, count] : wrong) {
    verified.problems.push_back(base::counted(count, "mapping") + " of process " + std::to_string(pid) +
                                (count == 1 ? " has" : " have") + " the memory policy '" + policy +
                                "', planned is to " + planned);
  }
  for (const auto& [node, bytes] : elsewhere) {
    verified.problems.push_back(base::format_bytes(bytes) + " of process " + std::to_string(pid) + " lie on node " +
                                std::to_string(node) + ", planned is to " + planned);
  }
}

}  // namespace

Verified verify_worker(const Worker& worker, const std::vector<os::ProcessIdentity>& processes,
                       const std::string& root) {
  Verified verified;
  verified.worker = worker.name;
  verified.processes = processes.size();
  if (processes.empty()) verified.problems.emplace_back("it does not run");
  for (const auto& process : processes) {
    look_at_threads(worker, process.pid, root, verified);
    look_at_memory(worker, process.pid, root, verified);
  }
  return verified;
}

std::vector<Verified> verify(const State& state) {
  std::vector<Verified> all;
  for (std::size_t w = 0; w < state.workers.size(); ++w) {
    all.push_back(verify_worker(state.plan.workers[w], processes_of(state, w)));
  }
  return all;
}

}  // namespace charm::deploy
