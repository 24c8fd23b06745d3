// CHARM Fig. 13 (§5.6): TPC-H on DuckDB, whose tasks run on CHARM's workers or on DuckDB's own threads, on as many
// cores as a chiplet has. The paper names the queries that join large tables as those that gain most; of the others the
// text claims less, and nothing is expected.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "placement/placement_policy.hpp"
#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"
#include "tools/sim/deployments.hpp"

namespace charm::evaluate {
namespace {

struct Query {
  const char* name;
  std::optional<double> published;
  bool joins;  ///< large tables
};

constexpr std::array<Query, 10> queries = {{{"q1", std::nullopt, false},
                                            {"q3", std::nullopt, true},
                                            {"q4", std::nullopt, true},
                                            {"q5", std::nullopt, true},
                                            {"q6", std::nullopt, false},
                                            {"q7", std::nullopt, true},
                                            {"q9", std::nullopt, true},
                                            {"q10", std::nullopt, true},
                                            {"q18", std::nullopt, false},
                                            {"q21", 1.3, true}}};

constexpr const char* elsewhere = "the threads anywhere";

const sim::RecordedQuery* recorded(std::string_view name) {
  const auto& all = sim::recorded_tpch();
  const auto found = std::find_if(all.begin(), all.end(), [&](const sim::RecordedQuery& q) { return q.name == name; });
  return found == all.end() ? nullptr : &*found;
}

/// Queries a second on threads that the system places anywhere, every nth core of the machine, or on the best level of
/// the monotone family.
Subject query_rate(std::string series, std::string_view query, double scale, int workers, bool placed) {
  return {std::move(series), fmt::format("{} at scale {:g}, {}", query, scale, placed ? "the best level" : elsewhere),
          [=, name = std::string(query)](const sim::Model& model, const sim::Scatter& /*scatter*/) {
            const Machine& machine = model.machine;
            const sim::RecordedQuery* found = recorded(name);
            if (found == nullptr) return 0.0;
            const auto per_second = [&](const std::vector<int>& cores) {
              return 1 / sim::modelled_seconds(model, *found, {CoreSet(cores)}, scale);
            };
            if (!placed) {
              std::vector<int> anywhere;
              for (int w = 0; w < workers; ++w)
                anywhere.push_back(static_cast<int>(machine.cores.size()) * w / workers);
              return per_second(anywhere);
            }
            double best = 0;
            const placement::Placement family = placement::policy("local").place(machine, {.workers = workers});
            for (const auto& level : family.worker_cores) {
              std::vector<int> cores;
              for (const WorkerCore& worker_core : level) cores.push_back(machine.core_of_cpu(worker_core.cpu)->id);
              best = std::max(best, per_second(cores));
            }
            return best;
          }};
}

/// The paper's scale factor is 100, whose tables need about a third of a GiB each.
int scale_factor(const Context& context) { return context.paper() || fits(context, std::size_t{110} * gib) ? 100 : 10; }

Plan plan_charm_figure_13(const Context& context) {
  const int workers = chiplet_cores(context.machine());
  Plan out{.x = "query", .y = "CHARM's workers over DuckDB's threads"};
  const double scale = context.quick() ? 0.1 : scale_factor(context);
  out.notes = {fmt::format("The tables have scale factor {:g}, 100 in the paper; they are made once and kept in the "
                           "user's cache folder.",
                           scale),
               "Of the queries that the text does not name, q6 alone is measured.",
               "The predictions know where threads and data are and not how the engines divide a query."};
  Input input{.words = {"olap", "--suite", "tpch", "--scale", fmt::format("{:g}", scale)}};
  for (const Query& query : queries) input.kernels.push_back({query.name, ""});
  const BenchRows rows{.policies = {"adaptive"},
                       .workers = workers,
                       .trials = context.quick() ? 7 : 15,
                       .runtimes = {"charm", "duckdb"}};
  add_bench(out, context, "queries on " + std::to_string(workers) + " cores", input, rows,
            context.quick() ? 40 : 60 * scale);
  for (const Query& query : queries) {
    const std::string mine = row(query.name, "charm", "adaptive", workers);
    const std::string other = row(query.name, "duckdb", "none", workers);
    add_subject(out, query_rate(mine, query.name, scale, workers, true));
    add_subject(out, query_rate(other, query.name, scale, workers, false));
    out.points.push_back({.series = query.name,
                          .x = std::stod(query.name + 1),
                          .first = mine,
                          .second = other,
                          .expect = query.joins ? Expect::ahead : Expect::nothing,
                          .published = query.published,
                          .source = query.joins ? "§5.6, text: 1.2 to 1.5" : "Fig. 13"});
  }
  return out;
}

}  // namespace

constinit const Experiment charm_figure_13{
    .name = "charm-fig13",
    .title = "Queries",
    .claim = "TPC-H's queries that join large tables run faster on CHARM's workers than on DuckDB's own threads.",
    .paper = "CHARM Fig. 13, §5.6",
    .published = "1.2 to 1.5 times as fast at scale factor 100 on 8 cores",
    .machine = "epyc-7713-2s",
    .needs = {.cores = 4, .chiplets = 2, .benchmark = "olap"},
    .plan = plan_charm_figure_13};

}  // namespace charm::evaluate
