// What a row of transactions has besides its rate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace charm::cli {

/// Over all trials of a row.
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
  std::uint64_t given_up = 0;     // aborted in every attempt
  std::uint64_t commits = 0;

  /// Failed attempts for each committed transaction.
  [[nodiscard]] double aborts_each() const {
    std::uint64_t all = 0;
    for (const Aborts& each : aborts) all += each.count;
    return commits > 0 ? static_cast<double>(all) / static_cast<double>(commits) : 0;
  }
};

}  // namespace charm::cli
