// The static schedule: one contiguous chunk for each worker, in the order of the chiplets, sent to the workers'
// inboxes; on cores of several kinds in proportion to what the worker's core does in a second.
#include <charm/detail/completion.hpp>
#include <charm/detail/loop_body.hpp>
#include <charm/detail/scheduler.hpp>

#include <atomic>
#include <cstdint>
#include <vector>

#include "sched/api/capacity_shares.hpp"
#include "sched/api/loop_parts.hpp"
#include "sched/api/schedules.hpp"

namespace charm::detail {
namespace {

class StaticLoop {
 public:
  StaticLoop(std::int64_t count, std::int64_t grain, FailScope& loop, const LoopBody& body)
      : grain_(grain), loop_(loop), body_(body) {
    const LoopParts layout;
    const auto chunks = static_cast<std::size_t>(std::min(count, static_cast<std::int64_t>(layout.workers)));
    chunks_.reserve(chunks);
    std::vector<int> workers, cores;
    for (const LoopParts::Part& part : layout.parts) {
      for (int worker : part.workers) {
        if (workers.size() == chunks) break;
        workers.push_back(worker);
        cores.push_back(layout.cores[static_cast<std::size_t>(worker)]);
      }
    }
    const std::vector<std::int64_t> begins = capacity_shares(count, capacities_of(machine(), cores));
    for (std::size_t c = 0; c < chunks; ++c) {
      if (begins[c] < begins[c + 1]) chunks_.emplace_back(*this, workers[c], begins[c], begins[c + 1]);
    }
  }

  void run() {
    const int here = this_worker()->id;
    left_.store(chunks_.size(), std::memory_order_relaxed);
    Share* mine = nullptr;
    for (Share& share : chunks_) {
      if (share.worker == here)
        mine = &share;
      else
        post({Target::Kind::worker, share.worker}, share);
    }
    if (mine != nullptr) {
      work(*mine);
      if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) return;
    }
    done_.wait();
  }

 private:
  struct Share : ListedJob {
    Share(StaticLoop& o, int w, std::int64_t l, std::int64_t h) noexcept
        : ListedJob(&Share::start), owner(&o), worker(w), low(l), high(h) {}
    static void start(Job* job) noexcept {
      auto* self = static_cast<Share*>(job);
      StaticLoop& owner = *self->owner;
      {
        WithScope within(&owner.loop_);
        owner.work(*self);
      }
      if (owner.left_.fetch_sub(1, std::memory_order_acq_rel) == 1) owner.done_.complete(true);
    }
    StaticLoop* owner;
    int worker;
    std::int64_t low, high;
  };

  void work(const Share& share) noexcept {
    try {
      if (body_.takes_blocks && grain_ <= 0) {  // a body that takes blocks gets all of a part in one block
        if (loop_.cancelled()) return;
        body_(share.low, share.high);
        return count_work(body_.kind, share.high - share.low);
      }
      Chunk chunk(grain_);
      run_in_chunks(share.low, share.high, chunk, loop_, body_);
    } catch (...) {
      loop_.fail();
    }
  }

  std::int64_t grain_;
  FailScope& loop_;
  const LoopBody& body_;
  std::vector<Share> chunks_;
  std::atomic<std::size_t> left_{0};
  Completion done_;
};

}  // namespace

void for_static(std::int64_t count, std::int64_t grain, FailScope& loop, const LoopBody& body) {
  StaticLoop(count, grain, loop, body).run();
}

}  // namespace charm::detail
