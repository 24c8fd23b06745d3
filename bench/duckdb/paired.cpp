// bench-duckdb: TPC-H on CHARM's workers and on DuckDB's own threads, in turns within one process, both kept up all the
// time, as a program has them. Prints for each query and in all CHARM's time as a multiple of DuckDB's, with its 95 %
// interval. The bar is 1.02 at scale factor 1 with two workers.
//   bench-duckdb [SCALE [SECONDS [WORKERS [POLICY]]]]     defaults: 1, 60, 2, local; at least two rounds
// Needs scripts/setup engines, and the database that charm bench olap --scale SCALE keeps in the cache folder.
#include <charm/charm.hpp>
#include <charm/duckdb.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "duckdb/statements.hpp"
#include "tools/compare/statistics.hpp"
#include "workloads/olap/engine.hpp"

namespace {

using namespace charm::duckdb;

struct Open {
  Open(const Functions& functions, const std::string& path, int threads) : duckdb(functions) {
    Settings settings = nullptr;
    duckdb.create_config(&settings);
    duckdb.set_config(settings, "access_mode", "READ_ONLY");
    duckdb.set_config(settings, "threads", std::to_string(threads).c_str());
    duckdb.set_config(settings, "pin_threads", "off");
    char* why = nullptr;
    if (duckdb.open_ext(path.c_str(), &database, settings, &why) != 0) {
      std::fprintf(stderr, "bench-duckdb: %s; run charm bench olap --scale N first\n", why);
      std::exit(1);
    }
    duckdb.destroy_config(&settings);
    duckdb.connect(database, &connection);
  }
  ~Open() {
    duckdb.disconnect(&connection);
    duckdb.close(&database);
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;

  const Functions& duckdb;
  Database database = nullptr;
  Connection connection = nullptr;
};

template <class F>
double seconds_of(F&& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void print(const std::string& name, const std::vector<double>& stock, const std::vector<double>& charm) {
  const auto ratio = charm::compare::paired_ratio(stock, charm, 1);
  double fastest[2] = {1e9, 1e9};
  for (const double s : stock) fastest[0] = std::min(fastest[0], s);
  for (const double s : charm) fastest[1] = std::min(fastest[1], s);
  std::printf("%-7s %9.1f ms %9.1f ms", name.c_str(), fastest[0] * 1e3, fastest[1] * 1e3);
  if (ratio) std::printf("   %.3f (%.3f to %.3f)", ratio->value, ratio->at95.low, ratio->at95.high);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) try {
  const std::string scale = count > 1 ? words[1] : "1";
  const double limit = count > 2 ? std::atof(words[2]) : 60;
  const int workers = count > 3 ? std::atoi(words[3]) : 2;
  const std::string policy = count > 4 ? words[4] : "local";
  const auto files = charm::workloads::find_duckdb("");
  const Library library = Library::load(files.library);
  const Functions& duckdb = library.functions();
  const std::string path = charm::workloads::olap_cache() + "/tpch-" + scale + "-" + library.version() + ".duckdb";
  Open stock(duckdb, path, workers);
  Open ours(duckdb, path, workers);
  ask(duckdb, stock.connection, "LOAD '" + files.folder + "/tpch.duckdb_extension'");
  std::vector<std::string> queries;
  for (int q = 1; q <= 22; ++q)
    queries.push_back(
        ask(duckdb, stock.connection, "SELECT query FROM tpch_queries() WHERE query_nr = " + std::to_string(q)));

  charm::init({.workers = workers, .policy = policy, .stack_bytes = std::size_t{2} << 20U});
  {
    Attachment attachment = attach(ours.database, {}, library);
    const auto by_duckdb = [&](const std::string& sql) {
      OwnedResult result(duckdb);
      return seconds_of([&] { duckdb.query(stock.connection, sql.c_str(), result.out()); });
    };
    const auto by_charm = [&](const std::string& sql) {
      Result result{};
      const double seconds = seconds_of([&] { attachment.query(ours.connection, sql, &result); });
      duckdb.destroy_result(&result);
      return seconds;
    };
    std::vector<std::vector<double>> stock_seconds(22);
    std::vector<std::vector<double>> charm_seconds(22);
    int rounds = 0;
    const auto begin = std::chrono::steady_clock::now();
    const auto over = [&] {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      return rounds >= 2 && spent.count() * (rounds + 2) / (rounds + 1) > limit;  // another one would be too long
    };
    for (int round = -1; round < 0 || !over(); ++round) {  // the first is not counted
      rounds = round + 1;
      for (std::size_t q = 0; q < 22; ++q) {
        const bool first = (static_cast<std::size_t>(round + 1) + q) % 2 == 0;
        double a = first ? by_duckdb(queries[q]) : 0;
        const double b = by_charm(queries[q]);
        if (!first) a = by_duckdb(queries[q]);
        if (round < 0) continue;
        stock_seconds[q].push_back(a);
        charm_seconds[q].push_back(b);
      }
    }
    std::printf(
        "scale factor %s, %d workers, policy %s, %d rounds; fastest, and the ratio of all with its 95 %% interval\n",
        scale.c_str(), workers, policy.c_str(), rounds);
    std::printf("query      duckdb        charm\n");
    std::vector<double> all[2] = {std::vector<double>(static_cast<std::size_t>(rounds)),
                                  std::vector<double>(static_cast<std::size_t>(rounds))};
    for (std::size_t q = 0; q < 22; ++q) {
      print("q" + std::to_string(q + 1), stock_seconds[q], charm_seconds[q]);
      for (std::size_t r = 0; r < stock_seconds[q].size(); ++r) {
        all[0][r] += stock_seconds[q][r];
        all[1][r] += charm_seconds[q][r];
      }
    }
    print("in all", all[0], all[1]);
  }
  charm::finalize();
} catch (const charm::Error& error) {
  std::fprintf(stderr, "bench-duckdb: %s\n", error.what());
  return 1;
}
