#include "tools/evaluate/experiments/common.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/format.hpp"
#include "placement/placement_policy.hpp"

namespace charm::evaluate {
namespace {

constexpr int largest_graph = 24;          // CHARM §5.1
constexpr double bytes_of_a_vertex = 500;  // 16 edges of both directions, the input's and the kernel's state
constexpr int largest_table = 30;          // of 2^30 words (CHARM's artifact)

/// A policy of `charm bench` as the simulator has it: there "numa" is a runtime that is blind to chiplets, and threads
/// that nobody binds are the kernel's.
std::string simulated_policy(const Context& context, std::string_view policy) {
  if (policy == "adaptive" || policy.starts_with("adaptive/")) return "charm" + std::string(policy.substr(8));
  if (policy == "numa") return "numa/stealing=near";
  if (policy == "os") return context.facts.kernel_gathers ? "linux-7.2" : "linux-6";
  return std::string(policy);
}

std::string in_words(const std::string& workload, const std::string& policy, int workers) {
  return fmt::format("{}, {}, {}", workload, policy, base::counted(static_cast<std::size_t>(workers), "worker"));
}

}  // namespace

std::vector<int> cpus_by(const Machine& machine, std::string_view policy, int workers) {
  const placement::Placement placement = placement::policy(policy).place(machine, {.workers = workers});
  std::vector<int> cpus;
  for (const WorkerCore& core : placement.start()) cpus.push_back(core.cpu);
  return cpus;
}

int chiplet_cores(const Machine& machine) {
  std::size_t most = 1;
  for (const Chiplet& chiplet : machine.chiplets) most = std::max(most, chiplet.cores.size());
  return static_cast<int>(most);
}

int socket_cores(const Machine& machine) {
  const int socket = machine.cores.empty() ? 0 : machine.cores.front().socket;
  return static_cast<int>(std::count_if(machine.cores.begin(), machine.cores.end(),
                                        [&](const Core& core) { return core.socket == socket; }));
}

std::size_t chiplet_cache(const Machine& machine) {
  return machine.chiplets.empty() ? 0 : machine.chiplets.front().l3_bytes;
}

std::size_t socket_cache(const Machine& machine) {
  std::size_t sum = 0;
  for (const Chiplet& chiplet : machine.chiplets) {
    if (chiplet.socket == machine.chiplets.front().socket) sum += chiplet.l3_bytes;
  }
  return sum;
}

bool fits(const Context& context, std::size_t bytes) {
  if (context.paper()) return true;
  const std::size_t most = context.quick() ? 3 * gib : 128 * gib;
  const std::size_t available = context.facts.available_bytes;
  return bytes <= most && (available == 0 || bytes <= available / 3);
}

std::string at_size(std::string_view what, std::size_t bytes) {
  return fmt::format("{} at {}", what, base::format_bytes(bytes));
}

int graph_that_fits(const Context& context, int scale) {
  const auto available = static_cast<double>(context.facts.available_bytes);
  while (available > 0 && scale > 10 && bytes_of_a_vertex * static_cast<double>(1ULL << scale) > available / 3) --scale;
  return scale;
}

int graph_scale(const Context& context) {
  if (!context.quick()) return graph_that_fits(context, largest_graph);
  const auto cores = context.machine().cores.size();
  return graph_that_fits(context, cores >= 16 ? 20 : cores >= 4 ? 18 : 16);
}

std::string row(std::string_view kernel, std::string_view runtime, std::string_view policy, int workers) {
  return fmt::format("{} {} {} {}", kernel, runtime, policy, workers);
}

Input graph_input(const std::vector<std::string>& kernels, int scale) {
  Input input{.words = {"graph", "--scale", std::to_string(scale)}};
  for (const std::string& kernel : kernels)
    input.kernels.push_back({kernel, fmt::format("{}:scale={}", kernel == "pr" ? "pagerank" : kernel, scale)});
  return input;
}

Input gups_input(const Context& context) {
  // A table of four times the bytes that the last-level caches hold would be cached nowhere; 2^26 words are 512 MiB.
  int scale = context.quick() ? context.machine().cores.size() >= 16 ? 26 : 22 : largest_table;
  const std::uint64_t available = context.facts.available_bytes;
  while (available > 0 && scale > 16 && (std::uint64_t{16} << static_cast<unsigned>(scale)) > available / 3) --scale;
  const double mebibytes = 0x1p-17 * static_cast<double>(std::uint64_t{1} << static_cast<unsigned>(scale));
  return {.words = {"gups", "--scale", std::to_string(scale)},
          .kernels = {{"gups", fmt::format("gups:total_mb={:g}", mebibytes)}},
          .one_kernel = true};
}

Input streamcluster_input(const Context& context) {
  // PARSEC's native input, of which the paper has 512 MB; --quick has its simlarge.
  const bool native = !context.quick() && fits(context, 2 * gib);
  const std::string chunk = native ? "200000" : "16384";
  Input input{.words = {"streamcluster", "--points", native ? "1000000" : chunk, "--chunk", chunk},
              .kernels = {{"streamcluster", "streamcluster:points=" + chunk}},
              .one_kernel = true};
  if (native) input.words.insert(input.words.end(), {"--intermediate", "5000"});
  return input;
}

std::vector<std::string> bench_words(const Input& input, const BenchRows& rows) {
  std::vector<std::string> words = input.words, kernels;
  for (const Kernel& kernel : input.kernels) kernels.push_back(kernel.name);
  if (!input.one_kernel) words.insert(words.end(), {"--kernel", fmt::format("{}", fmt::join(kernels, ","))});
  for (const std::string& word :
       {std::string("--runtime"), fmt::format("{}", fmt::join(rows.runtimes, ",")), std::string("--policy"),
        fmt::format("{}", fmt::join(rows.policies, ",")), std::string("--workers"), std::to_string(rows.workers),
        std::string("--trials"), std::to_string(rows.trials)})
    words.push_back(word);
  if (rows.trial_seconds > 0) words.insert(words.end(), {"--trial-seconds", fmt::format("{}", rows.trial_seconds)});
  return words;
}

Job& add_bench(Plan& plan, const Context& context, std::string title, const Input& input, const BenchRows& rows,
               double seconds) {
  Job job{.title = std::move(title)};
  job.bench = bench_words(input, rows);
  job.prefix = input.prefix;
  job.seconds = seconds;
  for (const Kernel& kernel : input.kernels) {
    if (kernel.simulated.empty()) continue;
    for (const std::string& policy : rows.policies)
      add_subject(plan, rate(input.prefix + row(kernel.name, "charm", policy, rows.workers), context, kernel.simulated,
                             policy, rows.workers));
  }
  plan.jobs.push_back(std::move(job));
  return plan.jobs.back();
}

void add_subject(Plan& plan, Subject subject) {
  const bool known = std::any_of(plan.subjects.begin(), plan.subjects.end(),
                                 [&](const Subject& each) { return each.name == subject.name; });
  if (!known) plan.subjects.push_back(std::move(subject));
}

Subject rate(std::string name, const Context& context, std::string workload, std::string_view policy, int workers) {
  const std::string simulated = simulated_policy(context, policy);
  return {std::move(name), in_words(workload, simulated, workers),
          [=](const sim::Model& model, const sim::Scatter& scatter) {
            return sim::settled(model, workload, simulated, workers, scatter).throughput;
          }};
}

Subject fills(std::string name, const Context& context, std::string workload, std::string_view policy, int workers,
              double (*of)(const sim::Fills&), bool more_is_better) {
  const std::string simulated = simulated_policy(context, policy);
  return {std::move(name), in_words(workload, simulated, workers),
          [=](const sim::Model& model, const sim::Scatter& scatter) {
            return of(sim::settled(model, workload, simulated, workers, scatter).fills);
          },
          more_is_better};
}

Subject plain_rate(std::string name, std::string workload, std::string_view policy, int workers) {
  return {std::move(name), in_words(workload, std::string(policy), workers),
          [=, placed = std::string(policy)](const sim::Model& model, const sim::Scatter& /*scatter*/) {
            const auto placement = placement::policy(placed).place(model.machine, {.workers = workers});
            return sim::plain_rates(model, placement, workload).operations_per_s;
          }};
}

}  // namespace charm::evaluate
