// Runs clients for a time: on CHARM's workers, each transaction a task, or on plain threads, one for each client.
//
// Clients are a closed loop without think time. There are as many as workers. A transaction uses the session of the
// worker that runs it and does not suspend, so that a session has one user at a time. The counts are the commits within
// the measured time, which begins after the warm-up, and the attempts that failed meanwhile. A transaction's latency is
// the time from its first attempt to its commit.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "workloads/oltp/engine.hpp"
#include "workloads/oltp/histogram.hpp"
#include "workloads/oltp/transactions.hpp"

namespace charm::workloads::oltp {

struct ClientOptions {
  std::string runtime = "threads";  ///< "charm", which is up, or "threads"
  int workers = 1;                  ///< of "threads"; CHARM has as many as it has
  double warm_up = 0;               ///< seconds
  double duration = 1;              ///< seconds
};

struct ClientCounts {
  double seconds = 0;  ///< measured
  std::uint64_t commits = 0;
  std::uint64_t rolled_back = 0;  ///< on purpose
  std::uint64_t given_up = 0;     ///< transactions that failed in each of most_attempts attempts
  std::array<std::uint64_t, reasons> aborts{};
  Histogram latency;  ///< of committed transactions, in ns
};

inline constexpr int most_attempts = 1000;

/// Runs them. \throws what an attempt threw; then all clients have stopped.
ClientCounts run_clients(Engine& engine, Transactions& transactions, const ClientOptions& options);

}  // namespace charm::workloads::oltp
