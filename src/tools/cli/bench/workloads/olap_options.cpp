#include "tools/cli/bench/workloads/olap_options.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/cli/options.hpp"
#include "workloads/olap/names.hpp"
#include "workloads/olap/own_files.hpp"

namespace charm::cli {

const WorkloadText& OlapWorkload::text() const {
  static constexpr WorkloadText words = {
      .name = "olap",
      .summary = "TPC-H, TPC-DS or JCC-H on DuckDB, by CHARM's workers and by its own threads",
      .example = "  charm bench olap --scale 1 --query q1,q9,q18 --policy local,distributed --report out.html",
      .title = "CHARM: analytical queries on DuckDB",
      .places_arrays = false};  // DuckDB has memory of its own
  return words;
}

std::vector<std::string> OlapWorkload::kernels() const {
  return queries && !queries->empty() ? workloads::own_queries(*queries) : workloads::olap_queries(suite);
}

std::vector<std::string> OlapWorkload::runtimes() const { return workloads::olap_runtimes(); }

void OlapWorkload::declare(CLI::App& app, BenchRequest& request) {
  one_of(app.add_option("--suite", suite, "TPC-H, TPC-DS, or TPC-H with skew as in JCC-H [tpch]"),
         workloads::olap_suites());
  number_within(app.add_option("--scale", scale, "Scale factor; 1 is about 1 GB of text [0.1]"), .001, 10000);
  file_path(app.add_option("--database", database,
                           "DuckDB's file with the tables, generated if there is none [in the user's cache folder]"));
  file_path(app.add_option("--engine", engine,
                           "Folder of libduckdb.so and its extensions [what scripts/setup engines installed]"));
  file_path(app.add_option("--tables", tables,
                           "Folder of files that dbgen, dsdgen or JCC-H's generator wrote, to make the database of"));
  file_path(
      app.add_option("--queries", queries, "Folder of files NAME.sql with a statement each, in place of the suite's"));
  list_option(app, "--query,--kernel", request.kernels, "Queries to run, as q1,q9 [all]");
}

void OlapWorkload::check_options(const BenchRequest& request) const {
  const std::vector<std::string> known = kernels();
  for (const std::string& query : request.kernels) {
    if (std::find(known.begin(), known.end(), query) == known.end())
      refuse(fmt::format("--query: '{}' is unknown", query), fmt::format("take some of {}", fmt::join(known, ", ")));
  }
}

/// Memory is not checked: DuckDB has a limit of its own, and spills to disk beyond it.
void OlapWorkload::check_plan(const BenchPlan& /*plan*/, const Facts& /*facts*/) const {
  for (const auto& [option, path] : {std::pair("--database", &database), std::pair("--engine", &engine),
                                     std::pair("--tables", &tables), std::pair("--queries", &queries)}) {
    if (*path && (*path)->empty())
      refuse(fmt::format("{}: the path is empty", option), "give a path or drop the option");
  }
  if (tables && scale) refuse("--scale is of data that are generated, and --tables has some", "drop one of them");
}

}  // namespace charm::cli
