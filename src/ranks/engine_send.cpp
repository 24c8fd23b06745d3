// The sending half of the engine: lanes, windows, notes.
#include <charm/detail/idle_look.hpp>
#include <charm/detail/worker.hpp>
#include <charm/error.hpp>

#include <algorithm>
#include <cstring>
#include <new>

#include "base/prefetch.hpp"
#include "ranks/called.hpp"
#include "ranks/engine.hpp"

namespace charm::remote {

using detail::Kind;
using detail::Writing;

Engine::Engine(BufferPool& pool, Transport& transport, int workers)
    : pool_(pool),
      transport_(transport),
      rank_(transport.rank()),
      ranks_(transport.ranks()),
      window_(window_of(workers, ranks_)),
      rows_(static_cast<std::size_t>(workers) + 1),
      peers_(static_cast<std::size_t>(ranks_)) {
  for (Row& row : rows_) row.lanes = std::vector<Lane>(static_cast<std::size_t>(ranks_));
  const std::uint32_t more = window_ - least_window;
  if (more == 0) return;
  for (Peer& there : peers_) there.owed.store(more, std::memory_order_relaxed);
  Peer& self = peer(rank_);
  self.owed.store(0, std::memory_order_relaxed);
  self.credits = window_;
  notes_due_.store(true, std::memory_order_release);
}

/// Workers of arenas share the rows of others.
[[gnu::always_inline]] inline Engine::Row& Engine::own_row() noexcept {
  const charm::detail::WorkerBase* worker = charm::detail::this_worker();
  if (worker == nullptr) return rows_[0];
  const auto row = static_cast<std::size_t>(std::int64_t{worker->number} + 1);
  return rows_[row < rows_.size() ? row : row % rows_.size()];
}

void Engine::no_such_rank(int rank) const {
  throw Error(Errc::bad_input, "there is no rank " + std::to_string(rank),
              ranks_ == 1 ? "this program has rank 0 alone; mpirun -n starts more"
                          : "this program has the ranks 0 to " + std::to_string(ranks_ - 1));
}

void rank_is_lost(const std::string& name) {
  throw Error(Errc::remote, name + " has ended without charm::remote::finalize()",
              "its own output says why; start the program again");
}

void Engine::check() {
  if (!failed()) return;
  loss_reported_.store(true, std::memory_order_relaxed);
  rank_is_lost(lost_);
}

void Engine::check_rank(int rank) {
  if (!gone(rank)) return;
  loss_reported_.store(true, std::memory_order_relaxed);
  rank_is_lost(peer(rank).name);
}

/// The buffer has room. \return where the arguments go.
[[gnu::always_inline]] inline std::byte* Engine::add_message(Buffer& buffer, std::uint64_t code, Kind kind,
                                                             std::size_t bytes) noexcept {
  std::byte* at = buffer.data + buffer.bytes;
  // The transport has read these lines last, perhaps on another core; the lane's lock would wait for them.
  base::prefetch_to_write(at + 512);
  new (at) MessageHead(code, static_cast<unsigned>(kind), bytes);
  buffer.bytes += sizeof(MessageHead) + detail::padded(bytes, 8);
  ++buffer.messages;
  if (kind == Kind::reply) ++buffer.replies;
  return at + sizeof(MessageHead);
}

Writing Engine::begin(int to, Kind kind, std::uint64_t code, std::size_t bytes, bool now) {
  if (to < 0 || to >= ranks_) no_such_rank(to);
  const std::size_t whole = sizeof(MessageHead) + detail::padded(bytes, 8);
  if (whole > Buffer::usual_bytes - sizeof(WireHead)) {
    if (whole > most_message_bytes)
      throw Error(Errc::bad_input, "a message of " + std::to_string(bytes) + " bytes to rank " + std::to_string(to),
                  "send at most " + std::to_string(most_message_bytes >> 20) + " MiB at a time");
    if (!called_by_rank()) wait_for_room(to);
    Buffer* buffer = pool_.take(sizeof(WireHead) + whole);
    buffer->begin();
    return {add_message(*buffer, code, kind, bytes), nullptr, buffer};
  }
  if (now && own_row().open.load(std::memory_order_relaxed) == 0) {  // nothing to send it with
    check_rank(to);
    if (peer(to).waiting.load(std::memory_order_relaxed) >= most_waiting && !called_by_rank()) wait_for_room(to);
    Buffer* buffer = pool_.take();
    buffer->begin();
    return {add_message(*buffer, code, kind, bytes), nullptr, buffer};
  }
  for (;;) {
    Row& row = own_row();
    Lane& lane = row.lanes[static_cast<std::size_t>(to)];
    lane.lock.lock();
    Buffer* buffer = lane.buffer;
    if (buffer != nullptr && buffer->bytes + whole <= buffer->capacity)
      return {add_message(*buffer, code, kind, bytes), &lane, nullptr};
    if (buffer != nullptr) {
      lane.buffer = nullptr;
      row.open.fetch_sub(1, std::memory_order_relaxed);
      lane.lock.unlock();
      submit(to, buffer);
      progress(true);
      continue;
    }
    lane.lock.unlock();  // nothing below may be done under it, and nothing of it is left to protect
    check_rank(to);
    if (peer(to).waiting.load(std::memory_order_relaxed) >= most_waiting && !called_by_rank()) {
      wait_for_room(to);
      continue;
    }
    buffer = pool_.take();
    buffer->begin();
    lane.lock.lock();
    if (lane.buffer == nullptr) {
      lane.buffer = buffer;
      lane.seen = 0;
      row.open.fetch_add(1, std::memory_order_relaxed);
      return {add_message(*buffer, code, kind, bytes), &lane, nullptr};
    }
    lane.lock.unlock();  // another thread that shares the row was faster
    pool_.give(buffer);
  }
}

void Engine::send(int to, const Writing& message, bool now) noexcept {
  if (message.lane == nullptr) {
    Lane& lane = own_row().lanes[static_cast<std::size_t>(to)];
    lane.lock.lock();
    ++lane.sent;
    lane.lock.unlock();
    submit(to, static_cast<Buffer*>(message.single));
  } else {
    Lane& lane = *static_cast<Lane*>(message.lane);
    ++lane.sent;
    lane.lock.unlock();
    if (now) flush_lane(own_row(), to);
  }
  // A call to a rank that was lost since begin() was perhaps not among those that have failed then.
  if (gone(to)) [[unlikely]]
    fail_calls_soon();
}

void Engine::wait_for_room(int to) {
  Peer& there = peer(to);
  for (;;) {
    check_rank(to);
    if (there.waiting.load(std::memory_order_relaxed) < most_waiting) return;
    progress(true);
    Waiter waiter;
    {
      const std::lock_guard guard(lock_);
      if (there.waiting.load(std::memory_order_relaxed) < most_waiting || gone(to)) continue;
      waiter.after = there.stalled;
      there.stalled = &waiter;
    }
    waits_.fetch_add(1, std::memory_order_relaxed);
    waiter.event.wait();
  }
}

void Engine::wake_all(Waiter*& list) noexcept {
  while (Waiter* waiter = list) {
    list = waiter->after;
    charm::detail::post_anywhere(*waiter);
  }
}

void Engine::submit(int to, Buffer* buffer) noexcept {
  Peer& there = peer(to);
  const std::lock_guard guard(lock_);
  buffer->after = nullptr;
  if (there.first == nullptr && there.credits > 0 && to != rank_ && !gone(to)) {
    --there.credits;
    ++there.buffers;
    fill_head(to, *buffer);
    return transport_.send(to, *buffer);
  }
  (there.last != nullptr ? there.last->after : there.first) = buffer;
  there.last = buffer;
  there.waiting.fetch_add(1, std::memory_order_relaxed);
  pump(to);
}

/// Sends what waits, as far as there are credits. Under lock_.
void Engine::pump(int to) noexcept {
  Peer& there = peer(to);
  const bool nobody = gone(to);
  while (there.first != nullptr && (there.credits > 0 || nobody)) {
    Buffer* buffer = there.first;
    there.first = buffer->after;
    if (there.first == nullptr) there.last = nullptr;
    buffer->after = nullptr;
    there.waiting.fetch_sub(1, std::memory_order_relaxed);
    if (nobody) {
      pool_.give(buffer);
      continue;
    }
    --there.credits;
    ++there.buffers;
    if (to == rank_) {
      buffer->peer = rank_;
      buffer->engine = this;
      buffer->run = &Engine::run_buffer;
      charm::detail::post_anywhere(*buffer);
    } else {
      fill_head(to, *buffer);
      transport_.send(to, *buffer);
    }
  }
  if (there.waiting.load(std::memory_order_relaxed) < most_waiting) wake_all(there.stalled);
}

void Engine::fill_head(int to, Buffer& buffer) noexcept {
  Peer& there = peer(to);
  there.reported = there.run.load(std::memory_order_acquire);
  WireHead& head = buffer.head();
  head.run = static_cast<std::uint32_t>(there.reported);
  head.messages = static_cast<std::uint16_t>(buffer.messages);
  if (buffer.messages > 0 && buffer.replies == buffer.messages) head.messages |= WireHead::all_replies;
  std::uint32_t credits = there.owed.load(std::memory_order_relaxed);
  if (credits == 0) return;
  credits = std::min<std::uint32_t>(credits, UINT16_MAX);  // the rest comes with the next one
  there.owed.fetch_sub(credits, std::memory_order_acquire);
  head.credits = static_cast<std::uint16_t>(credits);
}

/// Tells other ranks what they may send and what was run. Under lock_. \param least credits that are worth a note; with
/// 1 every news is.
void Engine::send_notes(std::uint32_t least) noexcept {
  if (!notes_due_.load(std::memory_order_relaxed)) return;
  notes_due_.exchange(false, std::memory_order_acquire);
  for (int to = 0; to < ranks_; ++to) {
    Peer& there = peer(to);
    if (to == rank_ || gone(to)) continue;
    const std::uint32_t owed = there.owed.load(std::memory_order_relaxed);
    const bool news = owed > 0 || there.run.load(std::memory_order_relaxed) != there.reported;
    if (!news) continue;
    if (owed < least && least > 1) {
      notes_due_.store(true, std::memory_order_relaxed);
      continue;
    }
    Buffer* note = pool_.take();
    note->begin();
    fill_head(to, *note);
    transport_.send(to, *note);
  }
}

void Engine::flush_lane(Row& row, int to) noexcept {
  Lane& lane = row.lanes[static_cast<std::size_t>(to)];
  Buffer* buffer = nullptr;
  {
    const std::lock_guard guard(lane.lock);
    buffer = std::exchange(lane.buffer, nullptr);
  }
  if (buffer == nullptr) return;
  row.open.fetch_sub(1, std::memory_order_relaxed);
  submit(to, buffer);
}

void Engine::flush() noexcept {
  for (Row& row : rows_) {
    if (row.open.load(std::memory_order_relaxed) == 0) continue;
    for (int to = 0; to < ranks_; ++to) flush_lane(row, to);
  }
}

/// Sends the buffers to which nothing was added since the last look: their workers have other things to do, or none.
void Engine::flush_idle() noexcept {
  for (Row& row : rows_) {
    if (row.open.load(std::memory_order_relaxed) == 0) continue;
    for (int to = 0; to < ranks_; ++to) {
      Lane& lane = row.lanes[static_cast<std::size_t>(to)];
      if (!lane.lock.try_lock()) continue;
      Buffer* buffer = lane.buffer;
      const bool rests = buffer != nullptr && buffer->bytes == lane.seen;
      if (rests) lane.buffer = nullptr;
      if (buffer != nullptr) lane.seen = buffer->bytes;
      lane.lock.unlock();
      if (!rests) continue;
      row.open.fetch_sub(1, std::memory_order_relaxed);
      submit(to, buffer);
    }
  }
}

}  // namespace charm::remote
