// CHARM Tab. 2 (§5.4): Streamcluster's cache lines from main memory, SHOAL's over CHARM's, by cores.
#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

using counters::FillSource;

struct Counts {
  double own_chiplet, other_chiplet, memory;  // thousands
  [[nodiscard]] double local_share() const { return own_chiplet / (own_chiplet + other_chiplet + memory); }
};
struct FillRow {
  int cores;
  Counts charm, shoal;
};
constexpr FillRow fill_rows[] = {{8, {27055, 718, 7037}, {11014, 9, 49222}},
                                 {16, {30956, 893, 6941}, {27302, 3623, 41273}},
                                 {32, {35099, 1179, 6634}, {50054, 2528, 24832}},
                                 {64, {48798, 1852, 5256}, {67560, 1142, 5092}}};

double from_memory(const sim::Fills& fills) { return fills[4] + fills[5]; }
double own_chiplet_of_all(const sim::Fills& fills) {
  return fills[1] / (fills[1] + fills[2] + fills[3] + fills[4] + fills[5]);
}

/// The shares themselves, and SHOAL as the simulator imitates it.
void add_shares(Plan& plan, const Context& context, const std::string& work, const FillRow& row) {
  for (const auto& [name, policy, counts] :
       {std::tuple{"CHARM", "charm", &row.charm}, std::tuple{"SHOAL", "shoal", &row.shoal}}) {
    const std::string series = std::string(policy) + " share " + std::to_string(row.cores);
    add_subject(plan, fills(series, context, work, policy, row.cores, own_chiplet_of_all, true));
    plan.points.push_back({.series = std::string(name) + ", local chiplet",
                           .x = static_cast<double>(row.cores),
                           .first = series,
                           .published = counts->local_share(),
                           .source = "Tab. 2",
                           .basis = Basis::fitted,
                           .unit = "share"});
  }
}

Plan plan_charm_table_2(const Context& context) {
  Plan out{.x = "workers", .y = "lines from memory, cores in order over CHARM"};
  out.notes = {
      "SHOAL is not measured: CHARM's own runtime stands for it, with cores in order and stealing from anybody."};
  const Input input = streamcluster_input(context);
  const std::string& work = input.kernels.front().simulated;
  for (const FillRow& each : fill_rows) {
    if (each.cores > socket_cores(context.machine())) continue;
    if (context.paper()) add_shares(out, context, work, each);
    if (each.cores == 64) continue;  // where both are alike
    Job job{.title = "fills of Streamcluster on " + std::to_string(each.cores) + " cores"};
    const auto series = [&](std::string_view policy) {
      FillRun run;
      run.words = bench_words(input, {.policies = {std::string(policy)},
                                      .workers = each.cores,
                                      .trials = 1,
                                      .trial_seconds = context.quick() ? 3.0 : 10.0});
      run.part = {FillSource::local_dram, FillSource::remote_dram};
      std::string name = std::string(policy) + " " + std::to_string(each.cores);
      job.variants.push_back({name, run});
      add_subject(out, fills(name, context, work, policy, each.cores, from_memory, false));
      return name;
    };
    const std::string mine = series("adaptive"), other = series(in_order);
    job.rounds = context.quick() ? 4 : 10;
    job.seconds = context.quick() ? 40 : 600;
    out.jobs.push_back(std::move(job));
    out.points.push_back({.series = "main memory, SHOAL over CHARM",
                          .x = static_cast<double>(each.cores),
                          .first = mine,
                          .second = other,
                          .expect = Expect::ahead,
                          .published = each.shoal.memory / each.charm.memory,
                          .source = "Tab. 2",
                          .basis = Basis::fitted});
  }
  if (context.paper())
    out.notes = {"Lines that go to another chiplet with the tasks and data that move: 1 to 5 % of the accesses.",
                 "SHOAL goes to memory more often in the table than cores in order do: its bindings are spread in the "
                 "logs."};
  return out;
}

}  // namespace

constinit const Experiment charm_table_2{
    .name = "charm-tab2",
    .title = "Streamcluster's lines from memory",
    .claim =
        "With 8 to 32 cores Streamcluster reads fewer cache lines from memory under CHARM than with cores filled "
        "in order.",
    .paper = "CHARM Tab. 2, §5.4",
    .published = "SHOAL reads 7 times as many with 8 cores, 3.7 times with 32",
    .machine = "epyc-7713-2s",
    .needs = {.cores = 8, .chiplets = 2, .fills = true, .benchmark = "streamcluster"},
    .plan = plan_charm_table_2};

}  // namespace charm::evaluate
