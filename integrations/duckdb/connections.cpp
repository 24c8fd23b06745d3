#include "duckdb/connections.hpp"

#include <charm/error.hpp>

namespace charm::duckdb {
namespace {

Error closed() { return {Errc::cancelled, "the connection was closed", ""}; }

}  // namespace

Connections::Turn::Turn(Connections& connections, Connection connection)
    : entry_(connections.entry(connection)), lock_(entry_->turn) {
  if (closing()) throw closed();
}

std::shared_ptr<Connections::Entry> Connections::entry(Connection connection) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [](const auto& each) { return each.second.expired(); });
  if (auto there = entries_[connection].lock()) return there;
  auto made = std::make_shared<Entry>();
  entries_[connection] = made;
  return made;
}

void Connections::close(const Functions& functions, Connection* connection) {
  if (connection == nullptr || *connection == nullptr) return;
  const auto mine = entry(*connection);
  if (mine->closing.exchange(true)) throw closed();
  // A query that is about to begin looks at `closing` once it can be interrupted (Attached::run).
  functions.interrupt(*connection);
  const std::unique_lock turn(mine->turn);
  {
    const std::lock_guard lock(mutex_);
    entries_.erase(*connection);  // DuckDB may give the next connection the same address
  }
  functions.disconnect(connection);
}

}  // namespace charm::duckdb
