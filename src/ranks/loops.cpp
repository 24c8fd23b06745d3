// The part of a loop over all ranks that runs on one of them, and what another rank may take of it.
//
// A part is a range from whose beginning the rank's workers take blocks, and from whose end other ranks take half. What
// was taken becomes the part of the rank that took it, so the ranges of all ranks and of the answers on the way are
// disjoint, and together are what has not been run. A rank ends its part when it is empty and no other rank gave it
// anything: whoever still has a range runs it.
#include <charm/charm.hpp>
#include <charm/detail/wait_list.hpp>
#include <charm/remote_loops.hpp>

#include <atomic>
#include <memory>
#include <mutex>

#include "ranks/answer.hpp"
#include "ranks/called.hpp"
#include "ranks/numbered.hpp"

namespace charm::remote::detail {
namespace {

struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;
  [[nodiscard]] bool empty() const noexcept { return low >= high; }
};

class Part : public Numbered<Part> {
 public:
  explicit Part(const LoopPart& given) noexcept : Numbered(given.loop), rest_{given.low, given.high} {}

  Range take(std::int64_t grain) noexcept {
    const std::lock_guard guard(lock_);
    const Range block{rest_.low, std::min(rest_.high, rest_.low + grain)};
    rest_.low = block.high;
    return block;
  }
  void put(const Range& range) noexcept {
    const std::lock_guard guard(lock_);
    rest_ = range;
  }
  /// Half of what is left, or all of it if that is no more than a block.
  Range give(std::int64_t grain) noexcept {
    const std::lock_guard guard(lock_);
    const std::int64_t left = rest_.high - rest_.low;
    if (left <= 0) return {};
    const std::int64_t share = left <= grain ? left : left / 2;
    rest_.high -= share;
    return {rest_.high, rest_.high + share};
  }

 private:
  charm::detail::SpinLock lock_;
  Range rest_;
};

bool steal(Part& part, const LoopPart& given) {
  for (const int victim : ranks_by_distance()) {
    const Range got = call(
        victim,
        [](std::uint64_t loop, std::int64_t grain) {
          return Part::with(loop, [grain](Part* of) { return of != nullptr ? of->give(grain) : Range{}; });
        },
        given.loop, given.grain);
    if (got.empty()) continue;
    part.put(got);
    return true;
  }
  return false;
}

}  // namespace

std::uint64_t new_loop() {
  static std::atomic<std::uint64_t> loops{0};
  return static_cast<std::uint64_t>(rank()) << 40 | loops.fetch_add(1, std::memory_order_relaxed);
}

void open_part(const LoopPart& given) { new Part(given); }  // in the list; run_part() ends it

void run_part(const LoopPart& given, LoopBody body, void* function) {
  const std::unique_ptr<Part> own(given.steal ? Part::find(given.loop) : new Part(given));
  Part& part = *own;
  auto run_blocks = [&] {
    charm::parallel_for(0, num_workers(),
                        [&](int) {
                          for (Range block = part.take(given.grain); !block.empty(); block = part.take(given.grain)) {
                            try {
                              body(function, block.low, block.high);
                            } catch (...) {
                              part.put({});  // nobody takes more of it
                              throw;
                            }
                            if (given.steal) answer_now_and_then();  // others may ask for their share
                          }
                        },
                        {.grain = 1});
  };
  // A loop is no message that another rank waits for while it holds a buffer back: its iterations wait for room.
  in_called_function.with(false, [&] {
    do run_blocks();
    while (given.steal && steal(part, given));
  });
}

}  // namespace charm::remote::detail
