// The adapter of WiredTiger: one connection, and for each worker a session with a cursor for each table.
//
// Transactions have snapshot isolation. WiredTiger refuses the second writer of a row at once (WT_ROLLBACK from the
// write). It does not say why a read was refused; that happens when the cache is too full to keep the snapshot.
#include <charm/error.hpp>

#include <cerrno>
#include <mutex>
#include <wiredtiger.h>

#include <fmt/format.h>

#include "workloads/oltp/engine.hpp"

namespace charm::workloads::oltp {
namespace {

/// WiredTiger prints its messages unless it is given somewhere else to put them. The first since the last take() is the
/// one that names the cause.
struct Messages : WT_EVENT_HANDLER {
  std::mutex mutex;
  std::string first;

  Messages() : WT_EVENT_HANDLER{} {
    handle_error = [](WT_EVENT_HANDLER* handler, WT_SESSION*, int, const char* text) {
      auto* self = static_cast<Messages*>(handler);
      const std::lock_guard lock(self->mutex);
      if (self->first.empty()) self->first = text;
      return 0;
    };
    handle_message = [](WT_EVENT_HANDLER*, WT_SESSION*, const char*) { return 0; };
  }

  std::string take() {
    const std::lock_guard lock(mutex);
    return std::exchange(first, {});
  }
};

std::string one_line_of(std::string text) {
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return text;
}

[[noreturn]] void fail(Messages& messages, const std::string& what, int error) {
  const std::string said = one_line_of(messages.take());
  const bool full = error == ENOSPC || error == EFBIG || error == EDQUOT ||
                    said.find("No space") != std::string::npos || said.find("File too large") != std::string::npos;
  throw Error(
      Errc::bad_input,
      fmt::format("WiredTiger cannot {}: {}{}{}", what, wiredtiger_strerror(error), said.empty() ? "" : ": ", said),
      full ? "free space on the disk, or give a --data folder on another"
           : "remove the folder, which is then made anew, or give another --data folder");
}

WT_ITEM item(std::string_view bytes) {
  WT_ITEM it{};
  it.data = bytes.data();
  it.size = bytes.size();
  return it;
}

std::string_view bytes(const WT_ITEM& it) { return {static_cast<const char*>(it.data), it.size}; }

class WiredtigerSession : public Session {
 public:
  WiredtigerSession(WT_CONNECTION* connection, Messages& messages, const std::vector<std::string>& tables, bool create)
      : messages_(messages) {
    check("open a session", connection->open_session(connection, nullptr, "isolation=snapshot", &session_));
    for (const std::string& table : tables) {
      const std::string uri = "table:" + table;
      if (create) {
        // Small leaves: a transaction reads single rows.
        constexpr const char* config = "key_format=u,value_format=u,leaf_page_max=16KB,memory_page_max=1MB";
        check("make the table " + table, session_->create(session_, uri.c_str(), config));
      }
      check("open the table " + table, session_->open_cursor(session_, uri.c_str(), nullptr, nullptr, &open_cursor()));
      check("open the table " + table,
            session_->open_cursor(session_, uri.c_str(), nullptr, "overwrite=false", &inserters_.emplace_back()));
    }
  }

  void begin() override { check("begin a transaction", session_->begin_transaction(session_, nullptr)); }

  Outcome commit() override {
    const int error = session_->commit_transaction(session_, nullptr);
    return error == 0 ? Outcome::ok : refused(error, Reason::commit, "commit");
  }

  void rollback() override { check("roll back", session_->rollback_transaction(session_, nullptr)); }

  Outcome get(int table, std::string_view key, std::string_view& value) override {
    WT_CURSOR* cursor = cursors_[static_cast<std::size_t>(table)];
    const WT_ITEM name = item(key);
    cursor->set_key(cursor, &name);
    const int error = cursor->search(cursor);
    if (error == WT_NOTFOUND) return Outcome::not_found;
    if (error != 0) return refused(error, Reason::read_conflict, "read");
    WT_ITEM found{};
    check("read", cursor->get_value(cursor, &found));
    value = bytes(found);
    return Outcome::ok;
  }

  // Who writes first wins: there are no locks to take before.
  Outcome get_for_update(int table, std::string_view key, std::string_view& value) override {
    return get(table, key, value);
  }

  Outcome put(int table, std::string_view key, std::string_view value) override {
    return write(cursors_[static_cast<std::size_t>(table)], key, value);
  }

  Outcome insert(int table, std::string_view key, std::string_view value) override {
    return write(inserters_[static_cast<std::size_t>(table)], key, value);
  }

  Outcome erase(int table, std::string_view key) override {
    WT_CURSOR* cursor = inserters_[static_cast<std::size_t>(table)];  // this one tells whether there was a row
    const WT_ITEM name = item(key);
    cursor->set_key(cursor, &name);
    const int error = cursor->remove(cursor);
    if (error == 0) return Outcome::ok;
    if (error == WT_NOTFOUND) return Outcome::not_found;
    return refused(error, Reason::write_conflict, "erase");
  }

  Outcome seek(int table, std::string_view from, std::string_view& key, std::string_view& value) override {
    WT_CURSOR* cursor = cursors_[static_cast<std::size_t>(table)];
    scanned_ = cursor;
    const WT_ITEM name = item(from);
    cursor->set_key(cursor, &name);
    int exact = 0;
    const int error = cursor->search_near(cursor, &exact);
    if (error == WT_NOTFOUND) return Outcome::not_found;
    if (error != 0) return refused(error, Reason::read_conflict, "read");
    if (exact < 0) return next(key, value);  // it went to the row before
    return row(key, value);
  }

  Outcome next(std::string_view& key, std::string_view& value) override {
    const int error = scanned_->next(scanned_);
    if (error == WT_NOTFOUND) return Outcome::not_found;
    if (error != 0) return refused(error, Reason::read_conflict, "read");
    return row(key, value);
  }

  [[nodiscard]] Reason reason() const override { return reason_; }

 private:
  WT_CURSOR*& open_cursor() { return cursors_.emplace_back(nullptr); }

  void check(const std::string& what, int error) {
    if (error != 0) fail(messages_, what, error);
  }

  Outcome write(WT_CURSOR* cursor, std::string_view key, std::string_view value) {
    const WT_ITEM name = item(key);
    const WT_ITEM content = item(value);
    cursor->set_key(cursor, &name);
    cursor->set_value(cursor, &content);
    const int error = cursor->insert(cursor);
    if (error == 0) return Outcome::ok;
    if (error == WT_DUPLICATE_KEY) return Outcome::duplicate;
    return refused(error, Reason::write_conflict, "write");
  }

  Outcome refused(int error, Reason reason, const char* what) {
    if (error != WT_ROLLBACK && error != WT_PREPARE_CONFLICT) fail(messages_, what, error);
    reason_ = reason;
    return Outcome::conflict;
  }

  Outcome row(std::string_view& key, std::string_view& value) {
    WT_ITEM name{};
    WT_ITEM content{};
    check("read", scanned_->get_key(scanned_, &name));
    check("read", scanned_->get_value(scanned_, &content));
    key = bytes(name);
    value = bytes(content);
    return Outcome::ok;
  }

  Messages& messages_;
  WT_SESSION* session_ = nullptr;
  std::vector<WT_CURSOR*> cursors_;    // these overwrite; they belong to the session
  std::vector<WT_CURSOR*> inserters_;  // these do not
  WT_CURSOR* scanned_ = nullptr;
  Reason reason_ = Reason::write_conflict;
};

class WiredtigerEngine : public Engine {
 public:
  explicit WiredtigerEngine(const EngineOptions& options) {
    const char* log = "log=(enabled=false)";
    if (options.durability == Durability::buffered)
      log = "log=(enabled=true),transaction_sync=(enabled=false)";
    else if (options.durability == Durability::written)
      log = "log=(enabled=true),transaction_sync=(enabled=true,method=none)";
    else if (options.durability == Durability::synced)
      log = "log=(enabled=true),transaction_sync=(enabled=true,method=fsync)";
    // The cache is to hold everything: what was written stays there until the database is closed.
    const char* in_memory =
        "eviction_target=90,eviction_trigger=97,eviction_dirty_target=90,eviction_dirty_trigger=97,"
        "eviction_checkpoint_target=0";
    // Each session and the engine's own threads need one of session_max.
    const std::string config = fmt::format(
        "{},config_base=false,use_environment=false,cache_size={},session_max={},eviction=(threads_min=1,threads_max=4)"
        ",{},{}",
        options.create ? "create,exclusive" : "create=false", options.cache_bytes, options.sessions + 50, in_memory,
        log);
    const int error = wiredtiger_open(options.folder.c_str(), &messages_, config.c_str(), &connection_);
    if (error != 0) fail(messages_, fmt::format("open '{}'", options.folder), error);
    try {
      for (int i = 0; i < options.sessions; ++i)
        sessions_.push_back(
            std::make_unique<WiredtigerSession>(connection_, messages_, options.tables, options.create && i == 0));
      if (options.create) checkpoint();
    } catch (...) {
      connection_->close(connection_, nullptr);
      throw;
    }
  }

  // Closing writes a checkpoint. If that fails the log has what it lacks; a destructor cannot tell anybody.
  ~WiredtigerEngine() override { connection_->close(connection_, nullptr); }

  Session& session(int number) override { return *sessions_.at(static_cast<std::size_t>(number)); }

  void checkpoint() override {
    WT_SESSION* session = nullptr;
    int error = connection_->open_session(connection_, nullptr, nullptr, &session);
    if (error == 0) error = session->checkpoint(session, nullptr);
    if (session != nullptr) session->close(session, nullptr);
    if (error != 0) fail(messages_, "write a checkpoint", error);
  }

 private:
  Messages messages_;
  WT_CONNECTION* connection_ = nullptr;
  std::vector<std::unique_ptr<WiredtigerSession>> sessions_;
};

}  // namespace

std::unique_ptr<Engine> open_wiredtiger(const EngineOptions& options) {
  return std::make_unique<WiredtigerEngine>(options);
}

std::string wiredtiger_release() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  wiredtiger_version(&major, &minor, &patch);
  return fmt::format("WiredTiger {}.{}.{}", major, minor, patch);
}

}  // namespace charm::workloads::oltp
