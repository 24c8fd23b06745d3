// TAPMM Figs. 8 and 9 (§4.2): threads of one NUMA node read a large block whose pages are local, interleaved over all
// nodes, or spread by bandwidth (Algorithm 1: `paper`; the malloc's own weights: `exact`). With few threads local
// memory is best; with more than about four TAPMM leads, by up to 1.44 over interleaving. And its overhead: allocating
// huge blocks takes 1.4 times as long as under jemalloc, normal ones no longer.
#include <algorithm>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"
#include "tools/evaluate/judge.hpp"
#include "tools/sim/page_mapping.hpp"

namespace charm::evaluate {
namespace {

constexpr int many_threads = 4;         // where the paper's curves cross
constexpr double as_fast = 0.95;        // within the noise of a memory's bandwidth
constexpr double nearly_as_fast = 0.9;  // of small blocks, which take some nanoseconds
constexpr double huge_overhead = 1.4;
constexpr const char* figure_8 = "§4.2, text to Fig. 8";
constexpr const char* overhead = "§4.2, Overhead";

/// A node with cores: those of one cpu each.
struct Reader {
  int node = 0;
  int os_node = 0;
  std::vector<int> cpus;
};

Reader reader_of(const Machine& machine) {
  Reader reader;
  reader.node = machine.cores.front().node;
  reader.os_node = machine.nodes[static_cast<std::size_t>(reader.node)].os_index;
  for (const Core& core : machine.cores) {
    if (core.node == reader.node) reader.cpus.push_back(core.cpu);
  }
  return reader;
}

bool one_memory(const Context& context) { return context.machine().nodes.size() < 2; }

std::vector<int> thread_counts(const Context& context, int cores) {
  std::vector<int> counts = {1};
  for (int count = 2; count < cores && !context.quick(); count *= 2) counts.push_back(count);
  if (cores > 1) counts.push_back(cores);
  return counts;
}

/// The model's GB/s of threads on the cores of a node that read a block whose pages a policy of the malloc spreads.
Subject block_rate(std::string name, int node, std::string_view policy, int threads) {
  return {std::move(name), fmt::format("a block spread by {}, {} threads", policy, threads),
          [=, spread = std::string(policy)](const sim::Model& model, const sim::Scatter& /*scatter*/) {
            const Machine& machine = model.machine;
            // The model of the memories knows nodes by their place in the machine.
            for (const Node& each : machine.nodes) {
              if (each.os_index != each.id) return 0.0;
            }
            if (std::none_of(machine.cores.begin(), machine.cores.end(), [&](const Core& c) { return c.node == node; }))
              return 0.0;
            const auto memories = sim::traffic_model(model);
            const auto weights =
                sim::weights_of(memories, spread, node, capacities(memories), demand_of(memories, threads));
            return sim::gb_per_s_of(model, {{node, threads, 0, 0, weights}}).front();
          }};
}

/// More than the caches beside the node hold.
std::size_t block_bytes(const Context& context, int node) {
  std::size_t caches = 0;
  for (const Chiplet& chiplet : context.machine().chiplets) caches += chiplet.node == node ? chiplet.l3_bytes : 0;
  std::size_t bytes = std::max(256 * mib, 4 * caches);
  while (bytes > 32 * mib && !fits(context, bytes)) bytes /= 2;
  return bytes;
}

std::string reading(std::string_view policy, int threads) {
  return fmt::format("reading, {}, {}", policy.empty() ? "no malloc of CHARM" : policy,
                     base::counted(static_cast<std::size_t>(threads), "thread"));
}

std::string blocks(const char* what, std::string_view policy) {
  return fmt::format("{} blocks, {}", what,
                     policy.empty()    ? "no malloc of CHARM"
                     : policy == "off" ? "jemalloc alone"
                                       : policy);
}

class Planner {
 public:
  Planner(const Context& context, Plan& plan)
      : context_(context),
        plan_(plan),
        reader_(reader_of(context.machine())),
        bytes_(block_bytes(context, reader_.node)) {
    const auto rounds = context.quick() ? 15 : 40;
    reads_ = {.title = "reading blocks of malloc", .rounds = rounds};
    allocations_ = {.title = "getting and giving back blocks", .rounds = rounds};
  }

  [[nodiscard]] int cores() const { return static_cast<int>(reader_.cpus.size()); }

  std::string read(std::string_view policy, int threads) {
    std::string name = reading(policy, threads);
    std::vector<int> cpus(reader_.cpus.begin(), reader_.cpus.begin() + threads);
    add(reads_, name, {std::string(policy), Blocks::read, reader_.os_node, std::move(cpus), bytes_});
    add_subject(plan_, block_rate(name, reader_.node, policy.empty() ? "local" : policy, threads));
    return name;
  }

  std::string allocate(Blocks what, std::string_view policy) {
    std::string name = blocks(what == Blocks::small ? "small" : "huge", policy);
    add(allocations_, name, {std::string(policy), what, reader_.os_node, {reader_.cpus.front()}, bytes_});
    return name;
  }

  /// \param one, two names of readings. The policies' ratio is predicted if there are two of the malloc's.
  Point ratio(std::string series, int threads, std::string_view policy, std::string_view other) {
    Point point{.series = std::move(series), .x = static_cast<double>(threads)};
    point.first = read(policy, threads);
    point.second = read(other, threads);
    return point;
  }

  std::vector<Job> jobs() {
    constexpr double start_s = 0.15, bytes_a_second = 2e9;  // of a child; of touching and reading by one thread
    const double read_s = start_s + 8 * static_cast<double>(bytes_) / bytes_a_second / 4;
    reads_.seconds = reads_.rounds * static_cast<double>(reads_.variants.size()) * read_s;
    if (!one_memory(context_)) reads_.seconds += 30;  // the model of the memories
    allocations_.seconds = allocations_.rounds * static_cast<double>(allocations_.variants.size()) * 2 * start_s;
    return {reads_, allocations_};
  }

 private:
  static void add(Job& job, const std::string& name, MallocRun run) {
    const bool known =
        std::any_of(job.variants.begin(), job.variants.end(), [&](const Variant& each) { return each.name == name; });
    if (!known) job.variants.push_back({name, std::move(run)});
  }

  const Context& context_;
  Plan& plan_;
  Reader reader_;
  std::size_t bytes_;
  Job reads_, allocations_;
};

Plan plan_tapmm_figure_8(const Context& context) {
  Plan out{.x = "threads", .y = "by how much the first is better"};
  Planner planner(context, out);
  const bool several = !one_memory(context);
  const auto expecting = [&](Point point, Expect expect, double bound, const char* source) {
    point.expect = expect;
    point.bound = bound;
    point.source = source;
    out.points.push_back(std::move(point));
  };
  for (const int threads : thread_counts(context, planner.cores())) {
    if (!several) break;
    const bool few = threads == 1, many = threads == planner.cores() && threads >= many_threads;
    expecting(planner.ratio("local over interleaved", threads, "local", "interleave"),
              few ? Expect::ahead : Expect::nothing, 1, figure_8);
    Point lead = planner.ratio("TAPMM over interleaved", threads, "paper", "interleave");
    if (threads == planner.cores()) lead.published = 1.44;  // at most
    expecting(std::move(lead), many ? Expect::ahead : Expect::nothing, 1, figure_8);
    expecting(planner.ratio("TAPMM over local", threads, "paper", "local"), many ? Expect::ahead : Expect::nothing, 1,
              figure_8);
    const bool ends = few || threads == planner.cores();
    for (const char* other : {"local", "interleave", "paper"})
      expecting(planner.ratio(fmt::format("exact over {}", other), threads, "exact", other),
                ends ? Expect::at_least : Expect::nothing, as_fast, "CHARM's own claim");
  }
  expecting(planner.ratio("reading under the malloc over without it", planner.cores(), several ? "local" : "exact", ""),
            Expect::at_least, as_fast, "CHARM's own claim");
  const auto allocating = [&](const char* series, Blocks what, const char* other) {
    Point point{.series = series, .x = 1};
    point.first = planner.allocate(what, "exact");
    point.second = planner.allocate(what, other);
    return point;
  };
  expecting(allocating("small blocks over glibc", Blocks::small, ""), Expect::at_least, as_fast, "CHARM's own claim");
  Point normal = allocating("small blocks over jemalloc", Blocks::small, "off");
  normal.published = 1;
  expecting(std::move(normal), Expect::at_least, nearly_as_fast, overhead);
  Point huge = allocating("huge blocks over jemalloc", Blocks::huge, "off");
  huge.published = 1 / huge_overhead;
  expecting(std::move(huge), Expect::at_least, 1 / huge_overhead, overhead);
  out.jobs = planner.jobs();
  out.notes = {
      "The paper's block is of an unknown size; this one is larger than the caches.",
      "Nothing is predicted of getting and giving back blocks: the simulator models memories, not a malloc's code.",
      "The weights follow what `charm malloc profile` measures first, without other programs' traffic."};
  return out;
}

Verdict judge_tapmm_figure_8(const Context& context, const std::vector<Point>& points) {
  if (!one_memory(context)) return verdict_of(points, "threads");
  std::string seen;
  for (const Point& point : points) {
    if (point.measured) seen += fmt::format("{}{} {}", seen.empty() ? "" : ", ", point.series, measured_text(point));
  }
  return {Finding::cannot_tell,
          "it is about the memories of several NUMA nodes and this machine has one" +
              (seen.empty() ? "" : "; what the malloc costs where it has nothing to choose, as speeds: " + seen)};
}

}  // namespace

constinit const Experiment tapmm_figure_8{
    .name = "tapmm-fig8",
    .title = "Blocks spread by bandwidth",
    .claim =
        "One thread reads a large block fastest from local memory, and all threads of a NUMA node read it fastest "
        "where the malloc spreads its pages by bandwidth; the malloc itself costs next to nothing.",
    .paper = "TAPMM Figs. 8 and 9, §4.2",
    .published =
        "with more than 4 threads ahead of local memory and up to 1.44 times as fast as interleaved; huge "
        "blocks take 1.4 times as long to allocate, others no longer",
    .machine = "kunpeng-920-128",
    .needs = {.malloc = true},
    .plan = plan_tapmm_figure_8,
    .judge = judge_tapmm_figure_8};

}  // namespace charm::evaluate
