// The static schedule: one contiguous chunk for each worker, in the order of the chiplets, sent to the workers'
// inboxes; on cores of several kinds in proportion to what the worker's core does of this loop in a second.
#include <charm/detail/completion.hpp>
#include <charm/detail/loop_body.hpp>
#include <charm/detail/scheduler.hpp>

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/clock.hpp"
#include "sched/api/capacity_shares.hpp"
#include "sched/api/loop_parts.hpp"
#include "sched/api/loop_speeds.hpp"
#include "sched/api/schedules.hpp"

namespace charm::detail {
namespace {

LoopSpeeds& loop_speeds() {
  static LoopSpeeds speeds;
  return speeds;
}

class StaticLoop {
 public:
  StaticLoop(std::int64_t count, std::int64_t grain, FailScope& loop, const LoopBody& body)
      : grain_(grain), loop_(loop), body_(body), learns_(has_several_kinds(machine())) {
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
    const std::vector<std::int64_t> begins = capacity_shares(
        count, learns_ ? loop_speeds().weights(body.kind, machine(), cores) : capacities_of(machine(), cores));
    for (std::size_t c = 0; c < chunks; ++c) {
      if (begins[c] < begins[c + 1]) chunks_.emplace_back(*this, workers[c], cores[c], begins[c], begins[c + 1]);
    }
  }

  void run() {
    run_parts();
    if (learns_ && !loop_.cancelled()) learn();
  }

 private:
  void run_parts() {
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

  void learn() const {
    KindTimes times;
    for (const Share& share : chunks_) {
      if (share.core < 0) return;
      PartTimes& of = times[static_cast<std::size_t>(machine().cores[static_cast<std::size_t>(share.core)].kind)];
      of.iterations += share.high - share.low;
      of.ns += share.ns;
      ++of.parts;
    }
    loop_speeds().learn(body_.kind, times);
  }

  struct Share : ListedJob {
    Share(StaticLoop& o, int w, int c, std::int64_t l, std::int64_t h) noexcept
        : ListedJob(&Share::start), owner(&o), worker(w), core(c), low(l), high(h) {}
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
    int worker, core;
    std::int64_t low, high;
    std::int64_t ns = 0;  // that it took
  };

  void work(Share& share) noexcept {
    const std::int64_t begun = learns_ ? base::monotonic_ns() : 0;
    run_part(share);
    if (learns_) share.ns = base::monotonic_ns() - begun;
  }

  void run_part(const Share& share) noexcept {
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
  const bool learns_;
  std::vector<Share> chunks_;
  std::atomic<std::size_t> left_{0};
  Completion done_;
};

}  // namespace

void for_static(std::int64_t count, std::int64_t grain, FailScope& loop, const LoopBody& body) {
  StaticLoop(count, grain, loop, body).run();
}

}  // namespace charm::detail
