// CHARM Tab. 2 (§5.4): Streamcluster's cache lines from main memory, SHOAL's over CHARM's, by cores.
#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

using counters::FillSource;

Plan plan_charm_table_2(const Context& context) {
  Plan out{.x = "workers", .y = "lines from memory, cores in order over CHARM"};
  out.notes = {"SHOAL is not measured: the policy local, which fills cores in order, stands for it."};
  struct Row {
    int cores;
    double charm, shoal;  // thousands, from main memory
  };
  constexpr Row rows[] = {{8, 7037, 49222}, {16, 6941, 41273}, {32, 6634, 24832}};
  for (const Row& each : rows) {
    if (each.cores > socket_cores(context.machine())) continue;
    Job job{.title = "fills of Streamcluster on " + std::to_string(each.cores) + " cores"};
    for (const char* policy : {"adaptive", "local"}) {
      FillRun run;
      run.words = with_rows(
          {"streamcluster"},
          {.policies = policy, .workers = each.cores, .trials = 1, .trial_seconds = context.quick() ? 3.0 : 10.0});
      run.part = {FillSource::local_dram, FillSource::remote_dram};
      job.variants.push_back({std::string(policy) + " " + std::to_string(each.cores), run});
    }
    job.rounds = context.quick() ? 4 : 10;
    job.seconds = context.quick() ? 40 : 600;
    out.jobs.push_back(std::move(job));
    Point point{.series = "main memory, SHOAL over CHARM",
                .x = static_cast<double>(each.cores),
                .first = "adaptive " + std::to_string(each.cores),
                .second = "local " + std::to_string(each.cores),
                .expect = Expect::ahead,
                .published = each.shoal / each.charm,
                .source = "Tab. 2"};
    const auto charm = simulated_fills(context, "streamcluster", "charm", each.cores);
    const auto shoal = simulated_fills(context, "streamcluster", "shoal", each.cores);
    if (charm && shoal && (*charm)[4] + (*charm)[5] > 0)
      point.predicted = ((*shoal)[4] + (*shoal)[5]) / ((*charm)[4] + (*charm)[5]);
    out.points.push_back(std::move(point));
  }
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
    .needs = {.cores = 8, .chiplets = 2, .fills = true, .benchmark = "streamcluster"},
    .plan = plan_charm_table_2};

}  // namespace charm::evaluate
