#include "tools/attach/pools.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string_view>

#include "controller/controller.hpp"

namespace charm::attach {
namespace {

/// "{0},{4},...": one place for each thread, so that the threads are on their cores before they touch their memory.
/// Empty where the policy may change cores, or where threads share them.
std::string places(const AttachPlan& plan, int threads) {
  if (plan.bind != base::Bind::core || controller::moves(plan.spec)) return "";
  std::string text;
  for (const WorkerCore& worker_core : team_order(plan, threads))
    text += (text.empty() ? "{" : ",{") + std::to_string(worker_core.cpu) + "}";
  return text;
}

std::vector<WorkerCore> start_of(const AttachPlan& plan, int workers) {
  placement::Request request = plan.request;
  request.workers = workers;
  return controller::placement_for(plan.spec, plan.machine, request).start();
}

/// Sizes of teams from one to `most`: each one of the small ones, and a few dozen of the others, because a placement of
/// thousands of workers takes its time.
std::vector<int> sizes_up_to(int most) {
  constexpr int small = 64, others = 24;
  std::vector<int> sizes;
  for (int size = 1; size < most; size += size < small ? 1 : std::max(1, (most - small) / others))
    sizes.push_back(size);
  sizes.push_back(most);
  return sizes;
}

/// Pools that count the cpus of the mask of the thread that makes them, which is one cpu where that thread is placed,
/// unless their variable says how many threads to make.
struct CountVariable {
  const char *kind, *name, *of;
};
constexpr CountVariable count_variables[] = {{"go", "GOMAXPROCS", "Go"},
                                             {"rust", "RAYON_NUM_THREADS", "Rayon"},
                                             {"rust", "TOKIO_WORKER_THREADS", "Tokio"},
                                             {"rust", "POLARS_MAX_THREADS", "Polars"},
                                             {"python", "PYTHON_CPU_COUNT", "Python 3.13 and later"}};

std::string_view name_in(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

std::vector<WorkerCore> team_order(const AttachPlan& plan, int workers) {
  std::vector<WorkerCore> order;
  try {
    const std::vector<WorkerCore> all = start_of(plan, workers);
    std::set<int> left;  // cpus of the whole team that have no place in the order yet
    for (const WorkerCore& worker_core : all) {
      if (worker_core.cpu < 0 || !left.insert(worker_core.cpu).second) return {};
    }
    for (const int size : sizes_up_to(workers)) {
      for (const WorkerCore& worker_core : start_of(plan, size)) {
        if (left.erase(worker_core.cpu) > 0) order.push_back(worker_core);
      }
    }
  } catch (const std::exception&) {  // Algorithm 2 refuses some machines
    return {};
  }
  return order;
}

std::optional<int> openmp_threads(const std::function<const char*(const char*)>& environment) {
  const char* text = environment("OMP_NUM_THREADS");
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  const bool whole = end != text && (*end == '\0' || *end == ',' || *end == ' ');
  return whole && number > 0 && number < 1 << 20 ? std::optional(static_cast<int>(number)) : std::nullopt;
}

int pool_threads(const AttachPlan& plan) {
  if (plan.workers > 0) return plan.workers;
  const double quota = plan.machine.cpu_quota;
  return quota > 0 ? std::min(plan.cores, std::max(1, static_cast<int>(std::ceil(quota)))) : plan.cores;
}

std::set<CpuSet> openmp_masks(const std::vector<Pool>& pools) {
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
  static const std::vector<std::string> kinds = {"openmp", "go", "rust", "python", "java"};
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
  const auto team = openmp_threads(environment);
  if (!off("openmp") && !is_set({"OMP_THREAD_LIMIT"}) && (team || !is_set({"OMP_NUM_THREADS"}))) {
    if (!team) pools.push_back({"OMP_NUM_THREADS", count, "OpenMP"});
    if (!is_set({"OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})) {
      if (const std::string where = places(plan, team.value_or(threads)); !where.empty()) {
        pools.push_back({"OMP_PLACES", where, "OpenMP: threads begin where their cores are"});
        pools.push_back({"OMP_PROC_BIND", "true", "OpenMP"});
      }
    }
  }
  for (const CountVariable& variable : count_variables)
    if (!off(variable.kind) && !is_set({variable.name})) pools.push_back({variable.name, count, variable.of});
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
