// CHARM Fig. 13 (§5.6): TPC-H on DuckDB, whose tasks run on CHARM's workers or on DuckDB's own threads, on as many
// cores as a chiplet has. The paper names the queries that join large tables as those that gain most; of the others the
// text claims less, and nothing is expected.
#include <array>
#include <optional>
#include <string>

#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

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

Plan plan_charm_figure_13(const Context& context) {
  const int workers = chiplet_cores(context.machine());
  Plan out{.x = "query", .y = "CHARM's workers over DuckDB's threads"};
  out.notes = {"The tables have scale factor " + std::string(context.quick() ? "0.1" : "10") +
                   " instead of 100; they are made once and kept in the user's cache folder.",
               "Of the queries that the text does not name, q6 alone is measured.",
               "The predictions know where threads and data are and not how the engines divide a query."};
  std::string kernels;
  for (const Query& query : queries) kernels += (kernels.empty() ? "" : ",") + std::string(query.name);
  const BenchRows rows{"adaptive", workers, context.quick() ? 7 : 15, "charm,duckdb"};
  out.jobs = {bench_job(
      "queries on " + std::to_string(workers) + " cores",
      with_rows({"olap", "--suite", "tpch", "--scale", context.quick() ? "0.1" : "10", "--kernel", kernels}, rows),
      context.quick() ? 40 : 600)};
  for (const Query& query : queries) {
    out.points.push_back({.series = query.name,
                          .x = std::stod(query.name + 1),
                          .first = row(query.name, "charm", "adaptive", workers),
                          .second = row(query.name, "duckdb", "none", workers),
                          .expect = query.joins ? Expect::ahead : Expect::nothing,
                          .published = query.published,
                          .source = query.joins ? "§5.6, text: 1.2 to 1.5" : "Fig. 13",
                          .predicted = query_ratio(context, query.name, context.quick() ? 0.1 : 10, workers)});
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
    .needs = {.cores = 4, .chiplets = 2, .benchmark = "olap"},
    .plan = plan_charm_figure_13};

}  // namespace charm::evaluate
