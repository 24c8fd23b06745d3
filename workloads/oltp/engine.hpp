// What a transactional key-value engine has to offer to the workloads: tables of bytes, and snapshot transactions.
//
// A Session belongs to one worker and is used by one thread at a time; a transaction begins and ends on it and does not
// suspend in between. A conflict is a value and not an exception, because it is an everyday result: the caller rolls
// back and tries again. Invariant: after an operation has returned Outcome::conflict, rollback() is the only call that
// is allowed on the session. What the workloads cannot go on after (a full disk, a damaged file) is charm::Error.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace charm::workloads::oltp {

enum class Outcome : std::uint8_t { ok, not_found, duplicate, conflict };

/// Why a transaction could not go on.
enum class Reason : std::uint8_t {
  write_conflict,  ///< another transaction has written the row since this one's snapshot, or holds its lock
  read_conflict,   ///< a read was refused: the engine needed the memory of old versions, or would not wait
  lock_timeout,    ///< a lock was not had in time
  deadlock,        ///< the engine found a cycle of waits
  commit,          ///< the commit itself was refused
};
inline constexpr std::array reason_names = {"write conflict", "read conflict", "lock timeout", "deadlock", "commit"};
inline constexpr std::size_t reasons = reason_names.size();

/// When a commit returns (the log of the engine).
enum class Durability : std::uint8_t {
  none,      ///< there is no log: what is not in a checkpoint is lost with the process
  buffered,  ///< its log record is in the process; the engine writes it soon
  written,   ///< its log record is with the kernel: it outlives the process
  synced,    ///< its log record is on the disk: it outlives the machine
};

struct EngineOptions {
  std::string folder;
  std::vector<std::string> tables;  ///< by number, as sessions use them
  bool create = false;              ///< the folder is empty: make the database; else it must be there
  int sessions = 1;
  std::uint64_t cache_bytes = std::uint64_t{256} << 20;
  Durability durability = Durability::buffered;
};

class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  /// Begins a transaction, which sees what was committed before.
  virtual void begin() = 0;
  /// ok or conflict; after either the transaction has ended, so that no rollback is needed.
  virtual Outcome commit() = 0;
  virtual void rollback() = 0;

  /// Sets \p value, which is valid until the session's next call. \return ok, not_found or conflict.
  virtual Outcome get(int table, std::string_view key, std::string_view& value) = 0;
  /// The same for a row that the transaction is going to write: an engine with locks takes the lock.
  virtual Outcome get_for_update(int table, std::string_view key, std::string_view& value) = 0;
  /// Writes the row, whether it is there or not. \return ok or conflict.
  virtual Outcome put(int table, std::string_view key, std::string_view value) = 0;
  /// Writes a row that must not be there. \return ok, duplicate or conflict.
  virtual Outcome insert(int table, std::string_view key, std::string_view value) = 0;
  /// \return ok, not_found or conflict.
  virtual Outcome erase(int table, std::string_view key) = 0;

  /// Goes to the first row whose key is not below \p from, and on by next(), in the order of the bytes. Key and value
  /// are valid until the next call. \return ok, not_found (there is none) or conflict.
  virtual Outcome seek(int table, std::string_view from, std::string_view& key, std::string_view& value) = 0;
  virtual Outcome next(std::string_view& key, std::string_view& value) = 0;

  /// Why the last operation returned Outcome::conflict.
  [[nodiscard]] virtual Reason reason() const = 0;
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  /// From 0 to EngineOptions::sessions.
  virtual Session& session(int number) = 0;
  /// Writes all that was committed to the tables' files; what went before needs no log any more.
  virtual void checkpoint() = 0;
};

/// The engines' names are those of oltp_engines() (oltp/names.hpp).
/// \throws Error (bad_config) with what to install if this build lacks the engine, or if nobody knows it; (bad_input)
/// with the engine's message if it cannot open or make the database.
std::unique_ptr<Engine> open_engine(const std::string& name, const EngineOptions& options);

/// "WiredTiger 3.2.1". \throws as open_engine.
std::string engine_version(const std::string& name);

/// \throws Error as open_engine, if this build lacks the engine.
void require_engine(const std::string& name);

#ifdef CHARM_OLTP_WIREDTIGER
std::unique_ptr<Engine> open_wiredtiger(const EngineOptions& options);
std::string wiredtiger_release();
#endif
#ifdef CHARM_OLTP_ROCKSDB
std::unique_ptr<Engine> open_rocksdb(const EngineOptions& options);
std::string rocksdb_release();
#endif

}  // namespace charm::workloads::oltp
