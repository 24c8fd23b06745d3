// ycsb and tpcc: short transactions on an engine that holds its tables in memory (CHARM §5.7). Every transaction goes
// down an index, reads and changes rows, and commits: it writes lines that all workers write (the head of the log, the
// list of snapshots). Its own instructions, an engine's some thousands, take most of the time. Rows and index are
// shared; the rows of a TPC-C home warehouse are used by one worker, but for the share that concerns another. Waits for
// the disk and for locks of rows are not modelled.
//
// The times of a transaction are what one thread of `charm bench oltp` takes on WiredTiger
// (docs/design/transactions.md), less its misses, rounded.
#include <algorithm>

#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr double commit_lines = 16;  // that all commits write
constexpr double descent = 0.25;     // of the misses in flight: the next node's address is in this one

Component shared(const char* name, double bytes, double accesses, double writes, double skew) {
  return {name,
          Component::Order::random,
          Component::Reach::shared,
          bytes,
          accesses,
          writes,
          descent,
          zipf_popularity(skew, bytes / line_bytes),
          false};
}

Component commits(double accesses) {
  return {"commits",
          Component::Order::random,
          Component::Reach::shared,
          commit_lines * line_bytes,
          accesses,
          1,
          descent,
          {},
          false};
}

constexpr Parameter ycsb_parameters[] = {
    {"records", 50e6, "records of the table", 64, 1e10},
    {"record_bytes", 128, "bytes of a record with its key", 16, 1e+06},
    {"writes", 0.55, "share of the transactions that change their record", 0, 1},
    {"skew", 0.99, "Zipf's exponent of the records", 0, 10},
    {"compute_ns", 3000, "computing on a transaction", 0, 1e9},
};

Workload make_ycsb(const Arguments& a, int) {
  const double table = a["records"] * a["record_bytes"], lines = std::max(1.0, a["record_bytes"] / line_bytes);
  Phase phase;
  phase.components = {shared("records", table, lines, a["writes"], a["skew"]),
                      shared("index", a["records"] * 16, 4, 0, a["skew"]), commits(3 * a["writes"])};
  phase.compute_ns = a["compute_ns"];
  phase.instructions = 3 * a["compute_ns"] + 500;
  phase.task_operations = 1;
  return steady("ycsb", "transactions", phase);
}

constexpr Parameter tpcc_parameters[] = {
    {"warehouses", 50, "warehouses", 1, 1e+06},
    {"warehouse_mb", 100, "MiB of a warehouse", least_mib, largest_mib},
    {"remote", 0.1, "share of the accesses to rows of another warehouse than the home", 0, 1},
    {"compute_ns", 50000, "computing on a transaction", 0, 1e9},
};

Workload make_tpcc(const Arguments& a, int workers) {
  constexpr double row_lines = 100, index_lines = 60, item_lines = 20;  // a transaction of the mix touches about these
  constexpr double items_mb = 10, written = 0.4;
  const double all = a["warehouses"] * a["warehouse_mb"] * mib;
  Component home{"home warehouse",
                 Component::Order::random,
                 Component::Reach::own,
                 std::min(a["warehouse_mb"] * mib, all / workers),
                 row_lines * (1 - a["remote"]),
                 written,
                 descent,
                 zipf_popularity(0.5, a["warehouse_mb"] * mib / line_bytes),
                 false};
  Phase phase;
  phase.components = {std::move(home), shared("other warehouses", all, row_lines * a["remote"], written, 0.5),
                      shared("index", all / 10, index_lines, 0.05, 0.9),
                      shared("items", items_mb * mib, item_lines, 0, 0), commits(8)};
  phase.compute_ns = a["compute_ns"];
  phase.instructions = 3 * a["compute_ns"] + 2000;
  phase.task_operations = 1;
  return steady("tpcc", "transactions", phase);
}

}  // namespace

constinit const Generator ycsb_generator{"ycsb", "read or change single records of a large table", ycsb_parameters,
                                         make_ycsb};
constinit const Generator tpcc_generator{"tpcc", "TPC-C's mix of transactions on warehouses", tpcc_parameters,
                                         make_tpcc};

}  // namespace charm::sim
