// Analytical queries on engines that run as several worker processes, modelled: what OLAP on chiplets Fig. 7, 8 and 12
// measure. A query is what was recorded of it (`charm bench olap --json`): how long a core is busy, what it scans, what
// its hash tables hold, and how many rows and bytes go into joins, groups and sorts, which is what processes exchange.
//
// A core alone takes as long as recorded; the model adds what the others' caches, links and memory do to it. The
// threads of a process share its hash tables and scan each other's parts; its memory lies on the nodes of its cores.
// Processes have equal parts of everything, and send each other all that they exchange but their own part.
#pragma once

#include <string>
#include <vector>

#include "base/id_sets.hpp"
#include "tools/sim/model.hpp"

namespace charm::sim {

struct RecordedQuery {
  std::string name;
  double scale = 1;              // scale factor of the data; all below grows with it
  double busy_s = 0;             // of all threads together
  double scanned_bytes = 0;      // of tables
  double working_set_bytes = 0;  // that it allocates
  double moved_rows = 0;         // into joins, groups and sorts
  double moved_bytes = 0;        // of these rows
  int exchanges = 0;             // joins, groups and sorts
};

/// Estimates, the same for all machines and queries.
struct DeploymentCosts {
  double network_ns = 0.5;    // a byte from process to process over the loopback interface, both sides together
  double flow_ns = 20000;     // a process's work for each process that it exchanges rows with
  double state_writes = 0.1;  // share of the accesses to hash tables that write
};

/// What `charm bench olap --json` printed. \throws Error (bad_input) if it is not that, or has no profiles of queries.
std::vector<RecordedQuery> recorded_queries(const std::string& json, const std::string& origin);

/// TPC-H as it was recorded when CHARM was made (src/tools/sim/queries/tpch.json).
const std::vector<RecordedQuery>& recorded_tpch();

/// Cores by process. \returns the division of all cores into so many processes, in hardware order, as even as it goes.
using Processes = std::vector<CoreSet>;
Processes evenly(const Machine& machine, int processes);

/// How long a query takes. \param scale of the data.
double modelled_seconds(const Model& model, const RecordedQuery& query, const Processes& processes, double scale,
                        const DeploymentCosts& costs = {});

/// A machine to deploy on: a model by name, or a pair of sockets of one that has a model ("2x7763", "2x9654").
Model deployed_machine(const std::string& name);

}  // namespace charm::sim
