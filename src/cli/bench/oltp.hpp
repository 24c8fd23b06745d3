// What is of `charm bench oltp` alone: its options, their defaults and checks, and the figures of its rows.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "workloads/oltp/options.hpp"

namespace charm::cli {

/// What `oltp` runs on and how, as given.
struct OltpRequest {
  std::optional<std::string> engine;
  std::optional<std::string> data;
  std::optional<std::int64_t> records;
  std::optional<std::int64_t> warehouses;
  std::optional<int> key_bytes;
  std::optional<int> value_bytes;
  std::optional<std::string> distribution;
  std::optional<std::string> durability;
  std::optional<double> duration;
  std::optional<double> warm_up;
};

/// The same with defaults. \throws Error (bad_config) for an empty path.
workloads::OltpOptions oltp_options(const OltpRequest& request, std::uint64_t seed, int workers);

/// \throws Error (bad_config) if the databases need more memory than there is.
void check_oltp_memory(const workloads::OltpOptions& options, std::uint64_t needed, std::uint64_t available);

/// What a row of transactions has besides its rate, over all its trials.
struct TransactionFigures {
  struct Latency {
    double percent = 0;
    double seconds = 0;
  };
  struct Aborts {
    std::string reason;
    std::uint64_t count = 0;
  };
  std::vector<Latency> latencies;
  std::vector<Aborts> aborts;     // those that happened, and were tried again
  std::uint64_t rolled_back = 0;  // on purpose
  std::uint64_t commits = 0;

  /// Attempts that were in vain for each transaction that was committed.
  [[nodiscard]] double aborts_each() const;
};

}  // namespace charm::cli
