// The static schedule: one contiguous chunk for each worker, in the order of the chiplets, sent to the workers'
// inboxes.
#include <charm/detail/completion.hpp>
#include <charm/detail/loop_body.hpp>
#include <charm/detail/scheduler.hpp>

#include <atomic>
#include <cstdint>
#include <vector>

#include "sched/api/loop_parts.hpp"

namespace charm::detail {
namespace {

class StaticLoop {
 public:
  StaticLoop(std::int64_t count, std::int64_t grain, FailScope& loop, const LoopBody& body)
      : grain_(grain), loop_(loop), body_(body) {
    const LoopParts layout;
    const auto chunks = static_cast<std::size_t>(std::min(count, static_cast<std::int64_t>(layout.workers)));
    chunks_.reserve(chunks);
    for (const LoopParts::Part& part : layout.parts) {
      for (int worker : part.workers) {
        const std::size_t c = chunks_.size();
        if (c == chunks) return;
        chunks_.emplace_back(*this, worker, share_begin(count, at(c), at(chunks)),
                             share_begin(count, at(c + 1), at(chunks)));
      }
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
  static std::int64_t at(std::size_t number) noexcept { return static_cast<std::int64_t>(number); }

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
      run_in_chunks(share.low, share.high, chunk, loop_, body_.kind, body_);
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
