// TPC-H, TPC-DS and JCC-H (suite.hpp) on DuckDB: their queries on CHARM's workers and, from the same file, on DuckDB's
// own threads (CHARM §5.6).
//
// Data, queries and answers are those of DuckDB's extensions. The database is generated once and kept as a file,
// which each runtime opens for itself, read-only, so none warms the pages of another, and all see the same rows in the
// same order. An answer is right if it is the published one, where there is one for the query, the data and the scale
// factor (TPC-H at 0.01, 0.1 and 1), else if it is that of DuckDB's own threads. Tables and queries may be the user's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workloads/kernel_run.hpp"
#include "workloads/olap/demand.hpp"

namespace charm::workloads {

struct OlapOptions {
  std::string suite = "tpch";  ///< one of olap_suites()
  /// Scale factor: 1 is about 1 GB of text. None: .1, or that of a database that is there.
  std::optional<double> scale = {};
  std::string database = {};  ///< the file; empty: one in the user's cache folder. Generated where it does not exist
  std::string engine = {};    ///< folder of DuckDB's files; empty: see find_duckdb
  /// A folder with files of the suite's tables (own_files.hpp), of which the database is made; empty: it is generated.
  /// A database in the user's cache folder is made anew where the files have changed; one that `database` names must
  /// not exist.
  std::string tables = {};
  std::string queries = {};  ///< a folder of statements in place of the suite's; empty: those
  int workers = 1;           ///< of each contender
};

class Olap {
 public:
  /// Finds DuckDB and opens the database, or generates it. \param progress is called with what takes long.
  /// \throws Error: bad_input as find_duckdb; with DuckDB's message if it cannot open, read or generate the file.
  static Olap open(const OlapOptions& options, const std::function<void(const std::string&)>& progress = {});
  Olap(Olap&&) noexcept;
  Olap& operator=(Olap&&) noexcept;
  ~Olap();

  /// "TPC-H, scale factor 0.1, DuckDB v1.5.5: 866602 rows; published answers".
  [[nodiscard]] std::string describe() const;

  /// One trial of a query, one of olap_queries(), as runner.runtime says: "charm" (which is up; the calling thread
  /// becomes its worker 0), "duckdb" or "duckdb-pinned" (its setting pin_threads). The unit is queries/s. `work` is 1,
  /// and `detail` says, for charm, how evenly its workers were busy.
  KernelRun run(const std::string& query, const Runner& runner);

  /// What the query asks of a machine, by DuckDB's profile of it on its own threads. All zero where this DuckDB has
  /// none.
  OlapDemand demand(const std::string& query);

  [[nodiscard]] double scale() const;

  /// How skewed the data are: the largest share of a table's rows that one of its keys has. Data that are divided by
  /// the key among processes cannot be divided further. 0 where the suite has no such keys (TPC-DS).
  double hottest_key();

  /// How evenly CHARM's workers were busy in each trial since the last call: the time of the busiest inside of tasks
  /// over the mean of all, 1 where all had the same.
  std::vector<double> take_imbalances();

  struct Data;

 private:
  explicit Olap(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

}  // namespace charm::workloads
