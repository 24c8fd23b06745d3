// The connections on which queries run: one query of a connection at a time, and closing in the middle of one.
//
// In DuckDB a second query on a connection ends the first one, and closing a connection in the middle of a query frees
// memory that the query uses. So the queries of a connection take turns, and close() takes the last turn.
#pragma once

#include <charm/mutex.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "duckdb/functions.hpp"

namespace charm::duckdb {

class Connections {
 public:
  /// One connection's.
  struct Entry {
    charm::mutex turn;
    std::atomic<bool> closing{false};
  };

  /// The right to run a query on a connection, for as long as it lives.
  class Turn {
   public:
    /// Waits for it. \throws Error (cancelled) if the connection is being closed.
    Turn(Connections& connections, Connection connection);
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    [[nodiscard]] bool closing() const noexcept { return entry_->closing; }

   private:
    std::shared_ptr<Entry> entry_;
    std::unique_lock<charm::mutex> lock_;
  };

  /// Ends what runs on the connection, waits for that, and closes it.
  void close(const Functions& functions, Connection* connection);

 private:
  std::shared_ptr<Entry> entry(Connection connection);

  std::mutex mutex_;
  std::map<Connection, std::weak_ptr<Entry>> entries_;  // those in use
};

}  // namespace charm::duckdb
