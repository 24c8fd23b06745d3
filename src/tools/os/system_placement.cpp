#include "tools/os/system_placement.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "os/files/system_files.hpp"
#include "os/processes/this_process.hpp"

namespace charm::os {
namespace {

namespace fs = std::filesystem;

/// Programs that set the affinity of others' threads (numad, tuned) or of interrupts, or keep cpus for pods.
constexpr std::array pinning_programs = {"numad", "tuned", "irqbalance", "kubelet"};

std::string word_of(const std::string& zero_or_more) { return zero_or_more == "0" ? "off" : "on"; }

/// The release's first two numbers, as 702 of "7.2.1-cloud"; 0: unknown.
int release_number(const std::string& release) {
  int parts[2] = {0, 0};
  std::size_t part = 0;
  for (const char c : release) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      parts[part] = std::min(9999, parts[part] * 10 + (c - '0'));
    } else if (c != '.' || ++part == 2) {
      break;
    }
  }
  return parts[0] * 100 + parts[1];
}

std::string cache_aware_scheduling(const std::string& root) {
  const std::string file = path_below(root, "sys/kernel/debug/sched/llc_balancing/enabled");
  if (const auto line = first_line(file)) return *line == "Y" ? "on" : *line == "N" ? "off" : word_of(*line);
  const std::string release = first_line(path_below(root, "proc/sys/kernel/osrelease")).value_or("");
  constexpr int since = 702;
  if (const int number = release_number(release); number > 0 && number < since) return "not in Linux " + release;
  const std::string built = read_text(path_below(root, "boot/config-" + release));
  if (!built.empty() && built.find("\nCONFIG_SCHED_CACHE=y") == std::string::npos)
    return "not in this kernel, which was built without it";
  std::error_code error;
  const bool debugfs = fs::exists(path_below(root, "sys/kernel/debug/sched"), error);
  if (debugfs) return "not in this kernel";
  const std::string begin = built.empty() ? "not known: " : "not known, on by default: ";
  return begin + (user_id() == 0 ? "debugfs is not mounted (mount -t debugfs none /sys/kernel/debug)"
                                 : "only root can read debugfs");
}

std::string bpf_scheduler(const std::string& root) {
  if (first_line(path_below(root, "sys/kernel/sched_ext/state")).value_or("") != "enabled") return "";
  return first_line(path_below(root, "sys/kernel/sched_ext/root/ops")).value_or("of unknown name");
}

std::vector<std::string> running(const std::string& root) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator at(path_below(root, "proc"), error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto program = first_line((at->path() / "comm").string());
    if (!program || std::find(pinning_programs.begin(), pinning_programs.end(), *program) == pinning_programs.end())
      continue;
    // A kubelet pins containers only under its static policy.
    if (*program == "kubelet" &&
        read_text(path_below(root, "var/lib/kubelet/cpu_manager_state")).find("\"policyName\":\"static\"") ==
            std::string::npos)
      continue;
    if (std::find(found.begin(), found.end(), *program) == found.end()) found.push_back(*program);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

SystemPlacement read_system_placement(const std::string& root) {
  const auto balancing = first_line(path_below(root, "proc/sys/kernel/numa_balancing"));
  return {cache_aware_scheduling(root), bpf_scheduler(root), balancing ? word_of(*balancing) : "not in this kernel",
          running(root)};
}

std::string one_line(const SystemPlacement& placement) {
  std::string text = "cache-aware scheduling " + placement.cache_aware;
  text += placement.bpf_scheduler.empty() ? ", no BPF scheduler" : ", BPF scheduler " + placement.bpf_scheduler;
  text += ", NUMA balancing " + placement.numa_balancing;
  for (std::size_t i = 0; i < placement.by.size(); ++i) text += (i == 0 ? "; " : ", ") + placement.by[i];
  if (!placement.by.empty()) text += placement.by.size() == 1 ? " runs" : " run";
  return text;
}

}  // namespace charm::os
