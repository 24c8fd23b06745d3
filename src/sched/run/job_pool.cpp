// Returns blocks to the worker that made the job: filling parcels, sending them, unpacking them.
//
// A pool's `returned_` is a stack on which any thread pushes parcels and which its owner takes as a whole, so an
// address that comes back cannot be mistaken for an old one. `blocks` only bounds the stack: it may differ by the
// parcels that are being pushed.
#include <charm/detail/job_pool.hpp>

#include "sched/run/runtime.hpp"

namespace charm::detail {

void* JobPool::take_slow(List& list, std::size_t size) {
  Parcel* parcel = opened_[size];
  if (parcel == nullptr) {
    Returned& returned = returned_[size];
    if (returned.parcels.load(std::memory_order_relaxed) == nullptr) return ::operator new(std::size_t{64} << size);
    returned.blocks.store(0, std::memory_order_relaxed);
    parcel = returned.parcels.exchange(nullptr, std::memory_order_acquire);
  }
  opened_[size] = parcel->next;
  void** const blocks = parcel->blocks();
  for (std::uint64_t i = 0; i < parcel->count; ++i) list.head = new (blocks[i]) Free{list.head};
  list.length += static_cast<std::uint32_t>(parcel->count);
  return parcel;
}

void JobPool::give_back(void* block, std::size_t bytes, JobPool& home, int home_id) noexcept {
  if (bytes > largest) return ::operator delete(block);
  const std::size_t size = index(bytes);
  Outgoing& outgoing = outgoing_[size];
  if (outgoing.open == nullptr || outgoing.home_id != home_id) {
    send(outgoing, size);
    outgoing = {new (block) Parcel{nullptr, 0}, &home, home_id};
    return;
  }
  outgoing.open->blocks()[outgoing.open->count++] = block;
  if (outgoing.open->count == room(size)) send(outgoing, size);
}

void JobPool::send(Outgoing& outgoing, std::size_t size) noexcept {
  Parcel* parcel = std::exchange(outgoing.open, nullptr);
  if (parcel == nullptr) return;
  Returned& to = outgoing.home->returned_[size];
  const auto blocks = static_cast<std::uint32_t>(parcel->count + 1);
  if (to.blocks.load(std::memory_order_relaxed) >= most) return discard(parcel);
  to.blocks.fetch_add(blocks, std::memory_order_relaxed);
  parcel->next = to.parcels.load(std::memory_order_relaxed);
  while (
      !to.parcels.compare_exchange_weak(parcel->next, parcel, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

void JobPool::discard(Parcel* parcel) noexcept {
  for (std::uint64_t i = 0; i < parcel->count; ++i) ::operator delete(parcel->blocks()[i]);
  ::operator delete(parcel);
}

JobPool::~JobPool() {
  for (List& list : lists_) {
    while (list.head != nullptr) ::operator delete(std::exchange(list.head, list.head->next));
  }
  auto discard_all = [](Parcel* first) {
    while (first != nullptr) discard(std::exchange(first, first->next));
  };
  for (std::size_t size = 0; size < sizes; ++size) {
    discard_all(opened_[size]);
    discard_all(returned_[size].parcels.load(std::memory_order_acquire));
    discard_all(outgoing_[size].open);
  }
}

void* take_job_memory(std::size_t bytes) {
  WorkerBase* worker = this_worker();
  return worker != nullptr ? worker->pool.take(bytes) : JobPool::take_outside(bytes);
}

void give_job_memory(void* block, std::size_t bytes, int home) noexcept {
  sched::Worker* worker = sched::this_worker();
  if (worker == nullptr) return ::operator delete(block);
  const auto& workers = worker->runtime->workers;
  // The number may be one of an earlier runtime, with more workers.
  if (home < 0 || home == worker->id || static_cast<std::size_t>(home) >= workers.size())
    return worker->pool.give(block, bytes);
  worker->pool.give_back(block, bytes, workers[static_cast<std::size_t>(home)]->pool, home);
}

}  // namespace charm::detail
