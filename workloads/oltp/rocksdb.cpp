// The adapter of RocksDB: a TransactionDB with a column family for each table, and for each worker a session with one
// transaction object that is used again.
//
// Transactions have snapshot isolation, as WiredTiger's do: they read a snapshot, a write takes the row's lock, and a
// row that was written since the snapshot is refused. A lock that another transaction holds is not waited for: once
// that transaction has committed, the row is newer than this one's snapshot anyway. So there are no deadlocks.
#include <charm/error.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/transaction.h>
#include <rocksdb/utilities/transaction_db.h>
#include <rocksdb/utilities/transaction_db_mutex.h>
#include <rocksdb/version.h>

#include "workloads/oltp/engine.hpp"

namespace charm::workloads::oltp {
namespace {

using rocksdb::Slice;
using rocksdb::Status;

[[noreturn]] void fail(const std::string& what, const Status& status) {
  std::string said = status.ToString();
  for (char& c : said) c = c == '\n' ? ' ' : c;
  const bool full = status.IsNoSpace() || said.find("No space") != std::string::npos ||
                    said.find("File too large") != std::string::npos ||
                    said.find("quota exceeded") != std::string::npos;
  throw Error(Errc::bad_input, fmt::format("RocksDB cannot {}: {}", what, said),
              full ? "free space on the disk, or give a --data folder on another"
                   : "remove the folder, which is then made anew, or give another --data folder");
}

void check(const std::string& what, const Status& status) {
  if (!status.ok()) fail(what, status);
}

Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view bytes(const Slice& slice) { return {slice.data(), slice.size()}; }

/// RocksDB writes a log that is buffered in the process only when its buffer is full; this writes it every 50 ms, as
/// WiredTiger's own thread does.
class LogWriter {
 public:
  explicit LogWriter(rocksdb::DB& db)
      : thread_([&db, this](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          while (!ended_.wait_for(lock, stop, std::chrono::milliseconds(50), [] { return false; })) {
            if (stop.stop_requested()) return;
            db.FlushWAL(false).PermitUncheckedError();  // a full disk: the next commit says so
          }
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;
};

/// The mutexes that guard RocksDB's tables of locks. Its own are only tried where locks are not waited for, and a
/// transaction would be refused because another looks up a lock at that moment.
class LockTableMutex : public rocksdb::TransactionDBMutex {
 public:
  Status Lock() override {
    mutex_.lock();
    return Status::OK();
  }
  Status TryLockFor(std::int64_t /*microseconds*/) override { return Lock(); }
  void UnLock() override { mutex_.unlock(); }

  // As std::condition_variable_any uses it.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class LockTableCondition : public rocksdb::TransactionDBCondVar {
 public:
  Status Wait(std::shared_ptr<rocksdb::TransactionDBMutex> mutex) override {
    changed_.wait(static_cast<LockTableMutex&>(*mutex));
    return Status::OK();
  }
  Status WaitFor(std::shared_ptr<rocksdb::TransactionDBMutex> mutex, std::int64_t microseconds) override {
    auto& held = static_cast<LockTableMutex&>(*mutex);
    if (microseconds < 0) return Wait(mutex);
    const auto woken = changed_.wait_for(held, std::chrono::microseconds(microseconds));
    return woken == std::cv_status::timeout ? Status::TimedOut(Status::SubCode::kMutexTimeout) : Status::OK();
  }
  void Notify() override { changed_.notify_one(); }
  void NotifyAll() override { changed_.notify_all(); }

 private:
  std::condition_variable_any changed_;
};

class LockTableMutexes : public rocksdb::TransactionDBMutexFactory {
 public:
  std::shared_ptr<rocksdb::TransactionDBMutex> AllocateMutex() override { return std::make_shared<LockTableMutex>(); }
  std::shared_ptr<rocksdb::TransactionDBCondVar> AllocateCondVar() override {
    return std::make_shared<LockTableCondition>();
  }
};

using Families = std::vector<rocksdb::ColumnFamilyHandle*>;

class RocksdbSession : public Session {
 public:
  RocksdbSession(rocksdb::TransactionDB& db, const Families& families, Durability durability)
      : db_(db), families_(families) {
    write_options_.disableWAL = durability == Durability::none;
    write_options_.sync = durability == Durability::synced;
    transaction_options_.set_snapshot = true;
    transaction_options_.lock_timeout = 0;  // it does not wait
  }

  void begin() override {
    transaction_.reset(db_.BeginTransaction(write_options_, transaction_options_, transaction_.release()));
    read_options_.snapshot = transaction_->GetSnapshot();
  }

  Outcome commit() override {
    end_reads();
    const Status status = transaction_->Commit();
    if (status.ok()) return Outcome::ok;
    const Outcome outcome = refused(status, Reason::commit, "commit");
    check("roll back", transaction_->Rollback());
    reason_ = Reason::commit;
    return outcome;
  }

  void rollback() override {
    end_reads();
    check("roll back", transaction_->Rollback());
  }

  Outcome get(int table, std::string_view key, std::string_view& value) override {
    value_.Reset();
    const Status status = transaction_->Get(read_options_, family(table), slice(key), &value_);
    if (status.IsNotFound()) return Outcome::not_found;
    if (!status.ok()) return refused(status, Reason::read_conflict, "read");
    value = bytes(value_);
    return Outcome::ok;
  }

  Outcome get_for_update(int table, std::string_view key, std::string_view& value) override {
    const Outcome outcome = lock(table, key);
    if (outcome == Outcome::ok) value = bytes(value_);
    return outcome;
  }

  Outcome put(int table, std::string_view key, std::string_view value) override {
    const Status status = transaction_->Put(family(table), slice(key), slice(value));
    return status.ok() ? Outcome::ok : refused(status, Reason::write_conflict, "write");
  }

  Outcome insert(int table, std::string_view key, std::string_view value) override {
    const Outcome there = lock(table, key);
    if (there == Outcome::ok) return Outcome::duplicate;
    return there == Outcome::not_found ? put(table, key, value) : there;
  }

  Outcome erase(int table, std::string_view key) override {
    const Outcome there = lock(table, key);
    if (there != Outcome::ok) return there;
    const Status status = transaction_->Delete(family(table), slice(key));
    return status.ok() ? Outcome::ok : refused(status, Reason::write_conflict, "erase");
  }

  Outcome seek(int table, std::string_view from, std::string_view& key, std::string_view& value) override {
    rows_.reset(transaction_->GetIterator(read_options_, family(table)));
    rows_->Seek(slice(from));
    return row(key, value);
  }

  Outcome next(std::string_view& key, std::string_view& value) override {
    rows_->Next();
    return row(key, value);
  }

  [[nodiscard]] Reason reason() const override { return reason_; }

 private:
  [[nodiscard]] rocksdb::ColumnFamilyHandle* family(int table) const {
    return families_[static_cast<std::size_t>(table)];
  }

  /// Locks the row, whether it is there or not, and reads it into value_.
  Outcome lock(int table, std::string_view key) {
    value_.Reset();
    const Status status = transaction_->GetForUpdate(read_options_, family(table), slice(key), &value_);
    if (status.ok()) return Outcome::ok;
    if (status.IsNotFound()) return Outcome::not_found;
    return refused(status, Reason::write_conflict, "read");
  }

  Outcome row(std::string_view& key, std::string_view& value) {
    if (!rows_->Valid()) {
      const Status status = rows_->status();
      return status.ok() ? Outcome::not_found : refused(status, Reason::read_conflict, "read");
    }
    key = bytes(rows_->key());
    value = bytes(rows_->value());
    return Outcome::ok;
  }

  /// Busy: written since the snapshot. TimedOut: locked. TryAgain: the snapshot is too old to tell.
  Outcome refused(const Status& status, Reason reason, const char* what) {
    if (!status.IsBusy() && !status.IsTimedOut() && !status.IsTryAgain()) fail(what, status);
    reason_ = reason;
    return Outcome::conflict;
  }

  void end_reads() {
    rows_.reset();
    value_.Reset();
  }

  rocksdb::TransactionDB& db_;
  const Families& families_;
  rocksdb::WriteOptions write_options_;
  rocksdb::TransactionOptions transaction_options_;
  rocksdb::ReadOptions read_options_;
  // What is read is of the transaction, so it goes before that.
  std::unique_ptr<rocksdb::Transaction> transaction_;
  std::unique_ptr<rocksdb::Iterator> rows_;
  rocksdb::PinnableSlice value_;
  Reason reason_ = Reason::write_conflict;
};

class RocksdbEngine : public Engine {
 public:
  explicit RocksdbEngine(const EngineOptions& options) {
    rocksdb::Options made;
    made.create_if_missing = made.error_if_exists = made.create_missing_column_families = options.create;
    made.manual_wal_flush = options.durability == Durability::buffered;
    made.max_open_files = -1;  // all of them, so that no read opens one
    made.info_log_level = rocksdb::InfoLogLevel::ERROR_LEVEL;
    made.keep_log_file_num = 1;
    made.compression = rocksdb::kNoCompression;  // as the other engine
    rocksdb::BlockBasedTableOptions blocks;
    blocks.block_cache = rocksdb::NewLRUCache(options.cache_bytes);
    blocks.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;  // single rows are read
    made.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
    rocksdb::TransactionDBOptions transactions;
    transactions.custom_mutex_factory = std::make_shared<LockTableMutexes>();
    transactions.default_lock_timeout = 0;
    std::vector<rocksdb::ColumnFamilyDescriptor> families = {{rocksdb::kDefaultColumnFamilyName, made}};
    for (const std::string& table : options.tables) families.emplace_back(table, made);
    rocksdb::TransactionDB* opened = nullptr;
    check(fmt::format("open '{}'", options.folder),
          rocksdb::TransactionDB::Open(made, transactions, options.folder, families, &families_, &opened));
    db_.reset(opened);
    default_ = families_.front();
    families_.erase(families_.begin());
    for (int i = 0; i < options.sessions; ++i)
      sessions_.push_back(std::make_unique<RocksdbSession>(*db_, families_, options.durability));
    if (made.manual_wal_flush) log_writer_ = std::make_unique<LogWriter>(*db_);
  }

  // Without a log, closing writes what only the memory has. If that fails nobody can be told.
  ~RocksdbEngine() override {
    log_writer_.reset();
    sessions_.clear();
    for (auto* family : families_) db_->DestroyColumnFamilyHandle(family).PermitUncheckedError();
    db_->DestroyColumnFamilyHandle(default_).PermitUncheckedError();
    db_->Close().PermitUncheckedError();
  }

  Session& session(int number) override { return *sessions_.at(static_cast<std::size_t>(number)); }

  void checkpoint() override { check("write a checkpoint", db_->Flush(rocksdb::FlushOptions(), families_)); }

 private:
  std::unique_ptr<rocksdb::TransactionDB> db_;
  rocksdb::ColumnFamilyHandle* default_ = nullptr;
  Families families_;  // by table
  std::vector<std::unique_ptr<RocksdbSession>> sessions_;
  std::unique_ptr<LogWriter> log_writer_;
};

}  // namespace

std::unique_ptr<Engine> open_rocksdb(const EngineOptions& options) { return std::make_unique<RocksdbEngine>(options); }

std::string rocksdb_release() { return "RocksDB " + rocksdb::GetRocksVersionAsString(); }

}  // namespace charm::workloads::oltp
