// A database with its transactions, as bench.cpp uses it: YCSB or TPC-C.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/oltp/engine.hpp"
#include "workloads/oltp/transactions.hpp"
#include "workloads/oltp/ycsb.hpp"
#include "workloads/oltp/zipfian.hpp"

namespace charm::workloads::oltp {

struct SuiteOptions {
  YcsbOptions ycsb;
  int warehouses = 1;
  Distribution distribution = Distribution::zipfian;
  int sessions = 1;  ///< and clients
};

class Suite {
 public:
  Suite() = default;
  Suite(const Suite&) = delete;
  Suite& operator=(const Suite&) = delete;
  virtual ~Suite() = default;

  [[nodiscard]] virtual std::string describe() const = 0;     ///< "1000000 records of 24 + 100 bytes"
  [[nodiscard]] virtual std::string folder_name() const = 0;  ///< "ycsb-1000000x24+100"
  [[nodiscard]] virtual std::vector<std::string> tables() const = 0;
  /// Memory that the engine needs to have all of it in its cache, with the versions of a run.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;

  virtual void load(Engine& engine) const = 0;
  /// The engine has been opened: finds out what is in it.
  virtual void start(Engine& engine) = 0;
  /// The clients of the next run, as many as sessions. They are the suite's.
  virtual Transactions* begin(const std::string& kernel, std::uint64_t seed) = 0;
  /// After the run: what is wrong with the database; empty if nothing is.
  virtual std::string complaint(Engine& engine) = 0;
  /// Figures of the workload's own.
  [[nodiscard]] virtual std::string detail() const = 0;
};

std::unique_ptr<Suite> make_suite(bool tpcc, const SuiteOptions& options);

}  // namespace charm::workloads::oltp
