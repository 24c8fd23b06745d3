#include "workloads/oltp/clients.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#ifdef CHARM_WORKLOADS_CHARM
#include <charm/runtime.hpp>
#include <charm/task_group.hpp>
#endif

namespace charm::workloads::oltp {
namespace {

using Clock = std::chrono::steady_clock;

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

/// Whoever it was in conflict with may be waiting for this cpu, or for the log's file, for milliseconds.
void wait_before(int attempt) {
  constexpr int at_once = 32, most_doublings = 7;
  if (attempt < at_once) return std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::microseconds(10 << std::min((attempt - at_once) / 8, most_doublings)));
}

class ClientRun {
 public:
  ClientRun(Engine& engine, Transactions& transactions, const ClientOptions& options, int clients)
      : engine_(engine), transactions_(transactions), counts_(static_cast<std::size_t>(clients)) {
    begin_ = Clock::now() + seconds(options.warm_up);
    end_ = begin_ + seconds(options.duration);
  }

  /// One transaction of a client, on a worker's session. \return whether there is time for another.
  bool step(int client, int worker) noexcept {
    if (stopped_.load(std::memory_order_relaxed)) return false;
    try {
      return run_one(client, engine_.session(worker));
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
      stopped_ = true;
      return false;
    }
  }

  ClientCounts sum() {
    if (thrown_) std::rethrow_exception(thrown_);
    ClientCounts all;
    for (const Padded& each : counts_) {
      all.commits += each.counts.commits;
      all.rolled_back += each.counts.rolled_back;
      all.given_up += each.counts.given_up;
      for (std::size_t i = 0; i < reasons; ++i) all.aborts[i] += each.counts.aborts[i];
      all.latency.add(each.counts.latency);
    }
    all.seconds = std::chrono::duration<double>(end_ - begin_).count();
    return all;
  }

 private:
  struct alignas(128) Padded {
    ClientCounts counts;
  };

  bool run_one(int client, Session& session) {
    ClientCounts& counts = counts_[static_cast<std::size_t>(client)].counts;
    std::array<std::uint64_t, reasons> aborts{};
    const auto start = Clock::now();
    transactions_.draw(client);
    Attempt last = Attempt::conflict;
    for (int attempts = 0; attempts < most_attempts; ++attempts) {
      last = transactions_.attempt(client, session);
      if (last != Attempt::conflict) break;
      ++aborts[static_cast<std::size_t>(session.reason())];
      wait_before(attempts + 1);
    }
    transactions_.finished(client, last == Attempt::committed);
    const auto now = Clock::now();
    if (now >= end_) return false;
    if (now < begin_) return true;
    for (std::size_t i = 0; i < reasons; ++i) counts.aborts[i] += aborts[i];
    if (last == Attempt::committed) {
      ++counts.commits;
      counts.latency.add(static_cast<std::uint64_t>(std::chrono::nanoseconds(now - start).count()));
    } else if (last == Attempt::rolled_back) {
      ++counts.rolled_back;
    } else {
      ++counts.given_up;
    }
    return true;
  }

  Engine& engine_;
  Transactions& transactions_;
  std::vector<Padded> counts_;
  Clock::time_point begin_;
  Clock::time_point end_;
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

void run_on_threads(ClientRun& run, int workers) {
  std::vector<std::jthread> threads;
  for (int worker = 1; worker < workers; ++worker) {
    threads.emplace_back([&run, worker] {
      while (run.step(worker, worker)) {
      }
    });
  }
  while (run.step(0, 0)) {
  }
}

#ifdef CHARM_WORKLOADS_CHARM
/// A client's transactions: each task makes the next. The group is the client's own, so that no counter is shared.
class Chain {
 public:
  Chain(ClientRun& run, int client) : run_(run), client_(client) { go_on(); }
  void wait() { group_.wait(); }

 private:
  void go_on() {
    group_.run([this] {
      if (run_.step(client_, charm::worker_id())) go_on();
    });
  }

  ClientRun& run_;
  int client_;
  charm::task_group group_;
};

void run_on_charm(ClientRun& run, int workers) {
  charm::run([&] {
    std::deque<Chain> chains;
    for (int client = 0; client < workers; ++client) chains.emplace_back(run, client);
    for (Chain& chain : chains) chain.wait();
  });
}
#endif

}  // namespace

ClientCounts run_clients(Engine& engine, Transactions& transactions, const ClientOptions& options) {
#ifdef CHARM_WORKLOADS_CHARM
  if (options.runtime == "charm") {
    const int workers = charm::num_workers();
    ClientRun run(engine, transactions, options, workers);
    run_on_charm(run, workers);
    return run.sum();
  }
#endif
  if (options.runtime != "threads")
    throw Error(Errc::bad_config, "runtime '" + options.runtime + "' is not one of this build's",
                "choose among charm, threads");
  ClientRun run(engine, transactions, options, options.workers);
  run_on_threads(run, options.workers);
  return run.sum();
}

}  // namespace charm::workloads::oltp
