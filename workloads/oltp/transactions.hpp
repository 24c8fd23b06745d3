// The interface of a workload to the code that runs it: clients, each of which draws one transaction after the other.
#pragma once

#include <cstdint>
#include <string>

#include "workloads/oltp/engine.hpp"

namespace charm::workloads::oltp {

enum class Attempt : std::uint8_t {
  committed,
  rolled_back,  ///< on purpose, as one in a hundred of TPC-C's new orders
  conflict,     ///< rolled back, and worth another attempt
};

class Transactions {
 public:
  Transactions() = default;
  Transactions(const Transactions&) = delete;
  Transactions& operator=(const Transactions&) = delete;
  virtual ~Transactions() = default;

  /// Draws the client's next transaction. A client is used by one worker at a time, not always by the same.
  virtual void draw(int client) = 0;
  /// Makes an attempt at the transaction that was drawn; after a conflict the same may be tried again.
  virtual Attempt attempt(int client, Session& session) = 0;
  /// The transaction that was drawn is over for good.
  virtual void finished(int client, bool committed) = 0;
};

}  // namespace charm::workloads::oltp
