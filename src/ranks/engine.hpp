// The messages of a rank: collected by destination, held back where the receiver does not keep up, run as jobs.
//
// - A message is written into the lane of its worker and destination, under the lane's lock, and counted as sent there.
//   A full buffer goes to the peer's `waiting` list and from there to the transport, as long as the peer has given
//   credits: at most window_of() buffers of a sender are on the way or not yet run. So a receiver that runs nothing
//   keeps at most so many of each rank, and a sender at most `most_waiting` for it, and one for each worker.
// - Callers wait for room, called functions do not: a task that needs another buffer while `most_waiting` of them wait
//   is suspended. Functions that another rank has called never wait for this (docs/design/remote.md): the credit of
//   their buffer may be what the other rank waits for.
// - Credit after running: a credit is returned when the messages of a buffer were run, or, of those that run as tasks,
//   were started. It is withheld while `most_tasks` of the rank have been started and not ended.
// - `run` counts messages whose function has ended, a request before its reply is sent. Sender and receiver each count
//   all messages of a pair, so fence() compares the two, and barrier() the sums over all ranks, in two waves (Mattern,
//   Algorithms for distributed termination detection, 1987, the four-counter method).
// - A thread that calls the transport holds `lock_`, and neither waits nor completes an event meanwhile: completions
//   are posted as jobs, because look() is also called by threads that have no worker (detail/idle_look.hpp).
// - A job may still use the engine when its messages have been counted: the engine lasts until the workers have ended.
// - Linger for the next call: who has run a call runs the next one with less ado: the job of its buffer waits for it
//   some microseconds, unless there is anything else to do (linger()). One worker at a time does so, and returns to the
//   scheduler after a number of calls, which has timers and other duties.
#pragma once

#include <charm/detail/completion.hpp>
#include <charm/detail/remote.hpp>
#include <charm/detail/wait_list.hpp>
#include <charm/remote.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ranks/buffer.hpp"
#include "ranks/pending.hpp"
#include "ranks/transport.hpp"

namespace charm::remote {

class Engine {
 public:
  static constexpr std::uint32_t least_window = 8;
  static constexpr int most_waiting = 2;
  static constexpr int most_tasks = 4096;
  static constexpr std::uint32_t look_thoroughly = 8;  // one of so many looks that follow each other at once

  /// The number of buffers that a rank takes from each of the others at a time: two for each of its workers from all of
  /// them together, one to run and one on the way. Otherwise a rank with few others would use few of its workers.
  [[nodiscard]] static constexpr std::uint32_t window_of(int workers, int ranks) noexcept {
    const int fair = 2 * workers / (ranks > 1 ? ranks - 1 : 1);
    return fair > static_cast<int>(least_window) ? static_cast<std::uint32_t>(fair) : least_window;
  }

  /// \param workers number of lanes to each rank, beside one for threads that are no workers.
  Engine(BufferPool& pool, Transport& transport, int workers);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[noreturn]] void no_such_rank(int rank) const;

  /// \param now as for send(): then it does not wait in a lane.
  detail::Writing begin(int to, detail::Kind kind, std::uint64_t code, std::size_t bytes, bool now = false);
  void send(int to, const detail::Writing& message, bool now) noexcept;
  PendingCalls pending;

  /// Reads what has arrived. \param in_task the caller is a task, so that replies can be handed over at once. \param
  /// thorough as Transport::poll().
  /// \return whether there was anything, or another thread is reading.
  bool progress(bool in_task, bool thorough = true) noexcept;
  /// Of an idle worker. \param asleep it sleeps between the looks. \return nanoseconds until the next look.
  std::int64_t look(bool asleep) noexcept;
  void flush() noexcept;
  void fence();
  /// \throws Error: remote if a rank is lost; bad_input, on all ranks, if others take another step. The same of those
  /// that follow. \param kind barrier or finalize.
  void barrier(StepKind kind = StepKind::barrier);
  void gather(const void* mine, std::size_t bytes, void* all, StepKind kind = StepKind::gather);
  void broadcast(void* data, std::size_t bytes, int root);
  [[nodiscard]] Traffic traffic() noexcept;
  [[nodiscard]] bool failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  /// Whether an error has told the program that a rank was lost.
  [[nodiscard]] bool loss_was_reported() const noexcept { return loss_reported_.load(std::memory_order_relaxed); }
  /// \throws Error (remote) if any rank was lost.
  void check();

  /// The reply to a request. Counts the request.
  void reply(int to, std::uint64_t id, std::uint64_t status, const void* value, std::size_t bytes) noexcept;

 private:
  struct alignas(64) Lane {
    charm::detail::SpinLock lock;
    Buffer* buffer = nullptr;
    std::size_t seen = 0;  // bytes in it at the last look of an idle worker
    std::uint64_t sent = 0;
  };
  struct alignas(64) Row {
    std::atomic<int> open{0};  // lanes that have a buffer
    std::vector<Lane> lanes;   // by rank
  };
  struct Waiter : charm::detail::ListedJob {
    Waiter() noexcept : ListedJob(&Waiter::wake) {}
    static void wake(charm::detail::Job* job) noexcept { static_cast<Waiter*>(job)->event.complete(true); }
    charm::detail::Completion event;
    Waiter* after = nullptr;
  };
  struct alignas(64) Peer {
    // Under lock_:
    std::uint32_t credits = least_window;  // what the peer gives beyond comes with its first buffer or note
    Buffer* first = nullptr;               // those that wait for a credit
    Buffer* last = nullptr;
    Waiter* stalled = nullptr;   // tasks that wait for room
    std::uint64_t reported = 0;  // `run` as the peer knows it
    std::uint64_t buffers = 0;
    // By any thread:
    std::atomic<int> waiting{0};
    std::atomic<std::uint64_t> acknowledged{0};  // messages that the peer has run for this rank
    std::atomic<bool> gone{false};
    std::string name;                               // of a peer that is gone; written before `gone`
    alignas(64) std::atomic<std::uint64_t> run{0};  // messages that this rank has run for the peer
    std::atomic<std::uint32_t> owed{0};
    std::atomic<std::uint32_t> withheld{0};  // credits (credit after running)
    std::atomic<int> tasks{0};
  };
  struct Task;
  struct Step : Collective {
    Step() noexcept : Collective(&Step::finish) {}
    static void finish(charm::detail::Job* job) noexcept { static_cast<Step*>(job)->done.complete(true); }
    charm::detail::Completion done;
  };

  Peer& peer(int rank) noexcept { return peers_[static_cast<std::size_t>(rank)]; }
  Row& own_row() noexcept;
  [[nodiscard]] bool gone(int rank) noexcept { return peer(rank).gone.load(std::memory_order_acquire); }
  void check_rank(int rank);
  static std::byte* add_message(Buffer& buffer, std::uint64_t code, detail::Kind kind, std::size_t bytes) noexcept;
  void wait_for_room(int to);
  void submit(int to, Buffer* buffer) noexcept;
  void pump(int to) noexcept;
  void fill_head(int to, Buffer& buffer) noexcept;
  void send_notes(std::uint32_t least) noexcept;
  void flush_lane(Row& row, int to) noexcept;
  void flush_idle() noexcept;
  void acknowledge(int from, const WireHead& head) noexcept;
  static void wake_all(Waiter*& list) noexcept;
  Buffer* receive(Buffer* buffer, bool in_task, bool runs_any) noexcept;
  void look_for_lost(std::int64_t now) noexcept;
  void fail_calls() noexcept;
  void fail_calls_soon() noexcept;

  bool work(bool in_task, bool thorough, Buffer** next) noexcept;
  static void run_buffer(charm::detail::Job* job) noexcept;
  void linger(Buffer* buffer) noexcept;
  Buffer* wait_for_next() noexcept;
  bool run_messages(Buffer& buffer) noexcept;
  void run_function(int from, detail::Kind kind, std::uint64_t code, const std::byte* at, std::size_t bytes) noexcept;
  void run_alone(int from, detail::Runner runner, const std::byte* at, std::size_t bytes) noexcept;
  void start_task(int from, detail::Kind kind, std::uint64_t code, const std::byte* at, std::size_t bytes);
  void end_task(int from) noexcept;
  void finish(Buffer& buffer, std::uint64_t run) noexcept;
  void give_credits(int from, std::uint32_t credits) noexcept;
  void count_run(int from, std::uint64_t messages) noexcept;
  void hand_over_reply(const std::byte* at, std::size_t bytes) noexcept;
  template <class F>
  void together(F&& start);

  BufferPool& pool_;
  Transport& transport_;
  const int rank_;
  const int ranks_;
  const std::uint32_t window_;  // that this rank gives to each of the others
  std::vector<Row> rows_;
  std::vector<Peer> peers_;
  std::atomic<bool> notes_due_{false};
  std::atomic<bool> failed_{false};
  std::atomic<bool> loss_reported_{false};
  std::atomic<bool> together_{false};  // a task is in a collective
  std::atomic<std::uint64_t> waits_{0};
  std::atomic<bool> event_seen_{false};  // since last_event_ns_ was written
  std::atomic<bool> lingering_{false};   // a worker waits for the next call (linger for the next call)
  std::atomic<std::uint32_t> looks_{0};
  std::atomic<std::int64_t> last_event_ns_{0};
  std::atomic<std::int64_t> next_check_ns_{0};  // time of the next question for lost ranks
  alignas(64) charm::detail::SpinLock lock_;
  // Under lock_:
  Waiter* fences_ = nullptr;
  Step* step_ = nullptr;
  std::string lost_;  // the first rank that was lost; written before `failed_`
  struct FailJob : charm::detail::ListedJob {
    explicit FailJob(Engine& owner) noexcept : ListedJob(&FailJob::start), engine(owner) {}
    static void start(charm::detail::Job* job) noexcept {
      const std::unique_ptr<FailJob> self(static_cast<FailJob*>(job));
      self->engine.fail_calls();
    }
    Engine& engine;
  };
};

}  // namespace charm::remote
