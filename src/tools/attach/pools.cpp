#include "tools/attach/pools.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string_view>

#include "controller/controller.hpp"

namespace charm::attach {
namespace {

/// "{0},{4},...": one place for each thread, in the order of the workers' cores, so that the threads are there before
/// they touch their memory. Empty where the policy may change cores, or where threads share them.
std::string places(const AttachPlan& plan, int threads) {
  if (plan.bind != base::Bind::core || controller::moves(plan.spec)) return "";
  placement::Request request = plan.request;
  request.workers = threads;
  std::string text;
  try {
    std::set<int> seen;
    const placement::Placement placement = controller::placement_for(plan.spec, plan.machine, request);
    for (const WorkerCore& worker_core : placement.start()) {
      if (worker_core.cpu < 0 || !seen.insert(worker_core.cpu).second) return "";
      text += (text.empty() ? "{" : ",{") + std::to_string(worker_core.cpu) + "}";
    }
  } catch (const std::exception&) {  // Algorithm 2 refuses some machines
    return "";
  }
  return text;
}

std::string_view name_in(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

int pool_threads(const AttachPlan& plan) {
  const double quota = plan.machine.cpu_quota;
  return quota > 0 ? std::min(plan.cores, std::max(1, static_cast<int>(std::ceil(quota)))) : plan.cores;
}

std::set<CpuSet> told_masks(const std::vector<Pool>& pools) {
  std::set<CpuSet> masks;
  for (const Pool& pool : pools) {
    if (pool.name != "OMP_PLACES") continue;
    // "{0},{4}", as written above.
    for (std::size_t at = 0; (at = pool.value.find('{', at)) != std::string::npos; ++at)
      masks.insert(CpuSet{std::atoi(pool.value.c_str() + at + 1)});
  }
  return masks;
}

const std::vector<std::string>& pool_kinds() {
  static const std::vector<std::string> kinds = {"openmp", "go", "java"};
  return kinds;
}

std::vector<Pool> pool_sizes(const AttachPlan& plan, const Words& program, const std::vector<std::string>& left_out,
                             const std::function<const char*(const char*)>& environment) {
  if (plan.spec == "os") return {};
  auto off = [&](const char* kind) { return std::find(left_out.begin(), left_out.end(), kind) != left_out.end(); };
  std::vector<Pool> pools;
  auto is_set = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return environment(name) != nullptr; });
  };
  const int threads = pool_threads(plan);
  const std::string count = std::to_string(threads);
  if (!off("openmp") && !is_set({"OMP_NUM_THREADS", "OMP_THREAD_LIMIT"})) {
    pools.push_back({"OMP_NUM_THREADS", count, "OpenMP"});
    if (!is_set({"OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})) {
      if (const std::string where = places(plan, threads); !where.empty()) {
        pools.push_back({"OMP_PLACES", where, "OpenMP: threads begin where their cores are"});
        pools.push_back({"OMP_PROC_BIND", "true", "OpenMP"});
      }
    }
  }
  if (!off("go") && !is_set({"GOMAXPROCS"})) pools.push_back({"GOMAXPROCS", count, "Go"});
  // A Java virtual machine counts the cpus of the calling thread's mask whenever it makes a pool, and a thread that is
  // bound to a core would count one. It reports every variable that it has read on stderr, which some scripts do not
  // bear, but no argument. So other programs get a variable only where the threads of the Java programs that they start
  // are placed, too.
  const auto value_of = [&](const char* name) {
    const char* value = environment(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string options = value_of("JAVA_TOOL_OPTIONS");
  std::string said = options + value_of("JDK_JAVA_OPTIONS") + value_of("_JAVA_OPTIONS");
  for (const std::string& word : program.words) said += word;
  if (off("java") || said.find("ActiveProcessorCount") != std::string::npos) return pools;
  const bool is_java = !program.words.empty() && name_in(program.words.front()) == "java";
  if (is_java && !program.children) {
    pools.push_back({"-XX:ActiveProcessorCount", count, "Java", true});
  } else if (program.children) {
    pools.push_back(
        {"JAVA_TOOL_OPTIONS", (options.empty() ? "" : options + " ") + "-XX:ActiveProcessorCount=" + count, "Java"});
  }
  return pools;
}

}  // namespace charm::attach
