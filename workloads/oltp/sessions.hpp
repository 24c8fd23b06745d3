// Work that is shared out over all sessions, each on a thread of its own: loading and checking, which are not measured.
#pragma once

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "workloads/oltp/engine.hpp"

namespace charm::workloads::oltp {

/// f(number, session) for all numbers below `sessions`; rethrows the first exception.
template <class F>
void on_all_sessions(Engine& engine, int sessions, F&& f) {
  std::mutex mutex;
  std::exception_ptr thrown;
  {
    std::vector<std::jthread> threads;
    for (int number = 0; number < sessions; ++number) {
      threads.emplace_back([&, number] {
        try {
          f(number, engine.session(number));
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!thrown) thrown = std::current_exception();
        }
      });
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

/// Writes rows in transactions of many, so that a load is quick. Nobody else may write the tables meanwhile.
class BulkWriter {
 public:
  explicit BulkWriter(Session& session) : session_(session) { session_.begin(); }

  /// \throws Error (bad_input) if the row is there already.
  void add(int table, std::string_view key, std::string_view value);
  /// What was added since the last commit is lost if this is not called.
  void finish();

 private:
  static constexpr int rows_each = 500;

  Session& session_;
  int rows_ = 0;
};

}  // namespace charm::workloads::oltp
