// The receiving half of the engine: what has arrived becomes jobs, and jobs run the functions.
#include <charm/detail/idle_look.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/error.hpp>

#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "base/clock.hpp"
#include "base/notices.hpp"
#include "ranks/called.hpp"
#include "ranks/engine.hpp"
#include "ranks/spinning.hpp"

namespace charm::remote {

using charm::detail::Job;
using detail::Kind;

namespace detail {

struct ReplyTo {
  Engine& engine;
  int rank;
  std::uint64_t id;
};

void reply_value(ReplyTo& to, const void* value, std::size_t bytes) {
  to.engine.reply(to.rank, to.id, 0, value, bytes);
}

}  // namespace detail

namespace {

constexpr std::size_t small_call =
    1024;  // bytes of arguments that are copied to the stack, so that the buffer is free again
constexpr std::int64_t check_ns = 100000000;  // between two questions for lost ranks
constexpr std::int64_t linger_ns = 10000;     // linger for the next call
constexpr int most_runs = 64;                 // calls until the worker returns to the scheduler

struct ReplyHead {
  std::uint64_t id;
  std::uint64_t status;  // 0, or 1 + the code of an Error
};

/// A function that nobody waits for has thrown; called in the handler.
[[noreturn]] void called_function_failed(int from, int here) noexcept {
  const std::string head = "an exception left a function that rank " + std::to_string(from) + " has sent to rank " +
                           std::to_string(here) + " by post() or call_detached(): ";
  try {
    throw;
  } catch (const std::exception& error) {
    base::notice("remote function", head + error.what());
  } catch (...) {
    base::notice("remote function", head + "something that is not a std::exception");
  }
  std::terminate();
}

}  // namespace

/// A request or detached call that has a task of its own; its arguments follow in memory.
struct Engine::Task : charm::detail::ListedJob {
  Task(Engine& owner, int rank, Kind what, std::uint64_t number, std::size_t size) noexcept
      : ListedJob(&Task::start), engine(owner), from(rank), kind(what), code(number), bytes(size) {}
  static void start(Job* job) noexcept {
    auto* self = static_cast<Task*>(job);
    in_called_function.with(true, [self] {
      self->engine.run_function(self->from, self->kind, self->code, reinterpret_cast<std::byte*>(self + 1),
                                self->bytes);
    });
    if (self->kind == Kind::detached) self->engine.count_run(self->from, 1);
    self->engine.end_task(self->from);
    self->~Task();
    ::operator delete(static_cast<void*>(self));
  }
  Engine& engine;
  int from;
  Kind kind;
  std::uint64_t code;
  std::size_t bytes;
};

bool Engine::progress(bool in_task, bool thorough) noexcept { return work(in_task, thorough, nullptr); }

/// \param next not null: the caller runs a buffer that it gets there, instead of a job.
bool Engine::work(bool in_task, bool thorough, Buffer** next) noexcept {
  if (!lock_.try_lock()) return true;
  Buffer* replies = nullptr;
  bool any = false;
  for (int i = 0; i < 32; ++i) {
    const Transport::Event event = transport_.poll(thorough);
    if (event.kind == Transport::Event::Kind::nothing) break;
    any = true;
    if (event.kind == Transport::Event::Kind::finished) {
      if (step_ != event.collective) continue;  // it was given up
      charm::detail::post_anywhere(*std::exchange(step_, nullptr));
    } else {
      // A buffer that is not full was sent because somebody waits: it is run before anything else is looked for.
      const bool urgent = event.buffer->bytes < Buffer::usual_bytes / 4 && event.buffer->head().messages != 0;
      if (Buffer* buffer = receive(event.buffer, in_task, next != nullptr)) {
        if (!buffer->all_replies()) {
          *next = buffer;
          break;
        }
        buffer->after = replies;
        replies = buffer;
      }
      if (urgent) break;
    }
  }
  send_notes(in_task ? least_window / 2 : 1);
  if (any) event_seen_.store(true, std::memory_order_relaxed);
  lock_.unlock();
  while (Buffer* buffer = replies) {
    replies = buffer->after;
    run_messages(*buffer);
  }
  return any;
}

/// Under lock_. \return a buffer that the caller has to run.
Buffer* Engine::receive(Buffer* buffer, bool in_task, bool runs_any) noexcept {
  const WireHead& head = buffer->head();
  acknowledge(buffer->peer, head);
  if (head.messages == 0) {
    pool_.give(buffer);
    return nullptr;
  }
  buffer->engine = this;
  buffer->run = &Engine::run_buffer;
  if (runs_any || (in_task && buffer->all_replies())) return buffer;
  charm::detail::post_anywhere(*buffer);
  return nullptr;
}

/// Under lock_.
void Engine::acknowledge(int from, const WireHead& head) noexcept {
  Peer& there = peer(from);
  there.credits += head.credits;
  // Heads may overtake each other (those of large buffers), by far less than half of 2^32.
  const std::uint64_t known = there.acknowledged.load(std::memory_order_relaxed);
  const auto more = static_cast<std::int32_t>(head.run - static_cast<std::uint32_t>(known));
  if (more > 0) {
    there.acknowledged.store(known + static_cast<std::uint32_t>(more), std::memory_order_release);
    wake_all(fences_);
  }
  pump(from);
}

std::int64_t Engine::look(bool asleep) noexcept {
  // A worker that searches looks so often that it need not look for everything each time, nor ask for the time.
  const std::uint32_t looks = asleep ? 0 : looks_.fetch_add(1, std::memory_order_relaxed);
  const bool any = progress(false, looks % look_thoroughly == 0);
  if (!any) flush_idle();
  if (looks % 32 != 0) return 20000;
  const std::int64_t now = base::monotonic_ns();
  if (event_seen_.load(std::memory_order_relaxed)) {
    event_seen_.store(false, std::memory_order_relaxed);
    last_event_ns_.store(now, std::memory_order_relaxed);
  }
  look_for_lost(now);
  const std::int64_t quiet = now - last_event_ns_.load(std::memory_order_relaxed);
  return quiet < 2000000 ? 20000 : quiet < 50000000 ? 200000 : 1000000;
}

void Engine::look_for_lost(std::int64_t now) noexcept {
  std::int64_t due = next_check_ns_.load(std::memory_order_relaxed);
  if (now < due || !next_check_ns_.compare_exchange_strong(due, now + check_ns, std::memory_order_relaxed)) return;
  const std::lock_guard guard(lock_);
  if (!transport_.suspects()) return;
  constexpr int most_events = 1000;
  for (int quiet = 0, events = 0; quiet < 3 && events < most_events; ++events) {
    const Transport::Event event = transport_.poll(true);
    quiet = event.kind == Transport::Event::Kind::nothing ? quiet + 1 : 0;
    if (event.kind == Transport::Event::Kind::received) receive(event.buffer, false, false);
    if (event.kind == Transport::Event::Kind::finished && step_ == event.collective)
      charm::detail::post_anywhere(*std::exchange(step_, nullptr));
  }
  std::string name;
  const int rank = transport_.lost(name);
  if (rank < 0) return;
  Peer& there = peer(rank);
  there.name = name;
  there.gone.store(true, std::memory_order_release);
  next_check_ns_.store(now, std::memory_order_relaxed);  // there may be more
  if (!failed()) {
    lost_ = name;
    failed_.store(true, std::memory_order_release);
    base::notice("lost rank",
                 name + " has ended without charm::remote::finalize(); calls to it and barriers fail on rank " +
                     std::to_string(rank_));
  }
  pump(rank);  // also wakes who waits for room
  wake_all(fences_);
  if (step_ != nullptr) charm::detail::post_anywhere(*std::exchange(step_, nullptr));
  fail_calls_soon();
}

/// fail_calls() as a job of a worker. Where there is no memory for one, the program ends.
void Engine::fail_calls_soon() noexcept {
  charm::detail::post_anywhere(*new FailJob(*this));  // NOLINT(bugprone-unhandled-exception-at-new)
}

/// Ends the calls to ranks that are gone.
void Engine::fail_calls() noexcept {
  for (int rank = 0; rank < ranks_; ++rank) {
    if (!gone(rank)) continue;
    while (detail::Pending* call = pending.take_any_to(rank)) {
      try {
        check_rank(rank);
      } catch (...) {
        call->arrived(call, nullptr, 0, std::current_exception());
      }
    }
  }
}

void Engine::run_buffer(Job* job) noexcept {
  Buffer& buffer = *static_cast<Buffer*>(job);
  Engine& engine = *buffer.engine;
  const int from = buffer.peer;
  in_called_function.with(true, [&] { engine.linger(&buffer); });
  if (engine.peer(from).owed.load(std::memory_order_relaxed) >= least_window / 2) engine.progress(true);
}

/// Runs a buffer, and others that follow (linger for the next call).
void Engine::linger(Buffer* buffer) noexcept {
  for (int runs = 0; buffer != nullptr; ++runs) {
    const bool called = run_messages(*buffer);
    if (!called || runs == most_runs || lingering_.exchange(true, std::memory_order_acquire)) return;
    buffer = wait_for_next();
    lingering_.store(false, std::memory_order_release);
  }
}

/// \return nullptr if none has come for some time, or there is other work.
Buffer* Engine::wait_for_next() noexcept {
  const sched::Worker* worker = sched::this_worker();
  if (worker == nullptr) return nullptr;
  Spinning spinning(worker, linger_ns);
  Buffer* next = nullptr;
  do {
    work(true, spinning.is_thorough(look_thoroughly), &next);
  } while (next == nullptr && spinning.goes_on(true));
  return next;
}

/// \return whether any function was called that somebody waits for.
bool Engine::run_messages(Buffer& buffer) noexcept {
  const int from = buffer.peer;
  std::uint64_t run = 0;
  std::uint64_t code = 0;  // of the last posted function, since many of the same follow one another
  detail::Runner runner = nullptr;
  for (std::size_t at = sizeof(WireHead); at < buffer.bytes;) {
    MessageHead head(0, 0, 0);
    std::memcpy(&head, buffer.data + at, sizeof head);
    const std::byte* arguments = buffer.data + at + sizeof head;
    const std::size_t rest = buffer.bytes - at - sizeof head;
    const std::size_t bytes = head.bytes() == MessageHead::all_the_rest ? rest : head.bytes();
    at += sizeof head + detail::padded(bytes, 8);
    const auto kind = static_cast<Kind>(head.kind());
    if (kind == Kind::reply) {
      hand_over_reply(arguments, bytes);
      ++run;
    } else if (kind == Kind::post) {
      if (runner == nullptr || head.code() != code) {
        code = head.code();
        runner = reinterpret_cast<detail::Runner>(detail::code_of_number(code));
      }
      run_alone(from, runner, arguments, bytes);
      ++run;
    } else if (at >= buffer.bytes && bytes <= small_call) {
      alignas(16) std::byte copy[small_call];  // the last one needs no other task than this
      std::memcpy(copy, arguments, bytes);
      finish(buffer, run);
      run_function(from, kind, head.code(), copy, bytes);
      if (kind == Kind::detached) count_run(from, 1);
      return kind == Kind::request;
    } else {
      start_task(from, kind, head.code(), arguments, bytes);
    }
  }
  finish(buffer, run);
  return false;
}

/// A function that nobody waits for.
void Engine::run_alone(int from, detail::Runner runner, const std::byte* at, std::size_t bytes) noexcept {
  try {
    runner(at, bytes, nullptr);
  } catch (...) {
    called_function_failed(from, rank_);
  }
}

void Engine::run_function(int from, Kind kind, std::uint64_t code, const std::byte* at, std::size_t bytes) noexcept {
  const auto runner = reinterpret_cast<detail::Runner>(detail::code_of_number(code));
  if (kind != Kind::request) return run_alone(from, runner, at, bytes);
  detail::ReplyTo to{*this, from, 0};
  std::memcpy(&to.id, at, sizeof to.id);
  auto fail = [&](Errc errc, const char* text) {
    reply(from, to.id, 1 + static_cast<std::uint64_t>(errc), text, std::strlen(text));
  };
  try {
    runner(at + sizeof to.id, bytes - sizeof to.id, &to);
  } catch (const Error& error) {
    fail(error.code(), error.what());
  } catch (const std::exception& error) {
    fail(Errc::remote, error.what());
  } catch (...) {
    fail(Errc::remote, "something that is not a std::exception");
  }
}

void Engine::reply(int to, std::uint64_t id, std::uint64_t status, const void* value, std::size_t bytes) noexcept {
  count_run(to, 1);
  try {
    const ReplyHead head{id, status};
    // Others may follow at once, and this worker looks for messages when nothing does.
    const bool alone = peer(to).tasks.load(std::memory_order_relaxed) == 0;
    const detail::Writing message = begin(to, Kind::reply, 0, sizeof head + bytes, alone);
    std::memcpy(message.at, &head, sizeof head);
    if (bytes > 0) std::memcpy(message.at + sizeof head, value, bytes);
    send(to, message, alone);
  } catch (const Error&) {  // the rank that has called is gone
  }
}

void Engine::hand_over_reply(const std::byte* at, std::size_t bytes) noexcept {
  ReplyHead head;
  std::memcpy(&head, at, sizeof head);
  detail::Pending* call = pending.take(head.id);
  if (call == nullptr) return;
  if (head.status == 0) return call->arrived(call, at + sizeof head, bytes - sizeof head, nullptr);
  const std::string text(reinterpret_cast<const char*>(at + sizeof head), bytes - sizeof head);
  const auto code = static_cast<Errc>(head.status - 1);
  call->arrived(call, nullptr, 0,
                std::make_exception_ptr(Error(code, "on rank " + std::to_string(call->rank) + ": " + text, "")));
}

void Engine::start_task(int from, Kind kind, std::uint64_t code, const std::byte* at, std::size_t bytes) {
  void* memory = ::operator new(sizeof(Task) + bytes);
  auto* task = new (memory) Task(*this, from, kind, code, bytes);
  std::memcpy(static_cast<void*>(task + 1), at, bytes);
  peer(from).tasks.fetch_add(1, std::memory_order_relaxed);
  charm::detail::submit(*task);
}

void Engine::end_task(int from) noexcept {
  Peer& there = peer(from);
  if (there.tasks.fetch_sub(1, std::memory_order_seq_cst) - 1 > most_tasks / 2) return;
  if (there.withheld.load(std::memory_order_seq_cst) == 0) return;
  give_credits(from, there.withheld.exchange(0, std::memory_order_seq_cst));
}

void Engine::count_run(int from, std::uint64_t messages) noexcept {
  if (messages == 0) return;
  Peer& there = peer(from);
  there.run.fetch_add(messages, std::memory_order_acq_rel);
  if (from != rank_) return notes_due_.store(true, std::memory_order_release);
  const std::lock_guard guard(lock_);
  there.acknowledged.fetch_add(messages, std::memory_order_acq_rel);
  wake_all(fences_);
}

/// All messages of a buffer were run or started.
void Engine::finish(Buffer& buffer, std::uint64_t run) noexcept {
  const int from = buffer.peer;
  Peer& there = peer(from);
  count_run(from, run);
  pool_.give(&buffer);
  std::uint32_t credits = 1;
  if (there.tasks.load(std::memory_order_relaxed) > most_tasks) {
    there.withheld.fetch_add(1, std::memory_order_seq_cst);
    if (there.tasks.load(std::memory_order_seq_cst) > most_tasks / 2) return;
    credits =
        there.withheld.exchange(0, std::memory_order_seq_cst);  // the task that would return it has ended meanwhile
  }
  give_credits(from, credits);
}

void Engine::give_credits(int from, std::uint32_t credits) noexcept {
  if (credits == 0) return;
  Peer& there = peer(from);
  if (from == rank_) {
    const std::lock_guard guard(lock_);
    there.credits += credits;
    return pump(from);
  }
  there.owed.fetch_add(credits, std::memory_order_release);
  notes_due_.store(true, std::memory_order_release);
}

}  // namespace charm::remote
