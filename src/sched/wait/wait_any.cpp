// wait_any(): a watcher at every future's event completes the one event that the caller waits for.
//
// The watchers lie on the stack of the waiting task. Afterwards it removes the watchers whose event has not completed;
// each of the others was notified, or is about to be. `left` counts the watchers and the waiter itself: the one that
// makes it 0 completes `all_gone`, and only then the task leaves its stack frame.
#include <charm/detail/cancel_scope.hpp>
#include <charm/error.hpp>
#include <charm/wait_any.hpp>

#include <algorithm>
#include <atomic>

namespace charm::detail {

struct AnyDone {
  explicit AnyDone(std::size_t watchers) noexcept : left(watchers + 1) {}
  void leave(std::size_t count) noexcept {
    if (left.fetch_sub(count, std::memory_order_acq_rel) == count) all_gone.complete();
  }
  Completion first;
  Completion all_gone;
  std::atomic<bool> one_is_done{false};
  std::atomic<std::size_t> left;
};

int wait_any_of(std::span<Completion* const> events, std::span<AnyWatcher> watchers, std::int64_t deadline,
                const std::stop_token* stop) {
  const auto done = [&] {
    const auto at = std::find_if(events.begin(), events.end(), [](const Completion* event) { return event->done(); });
    return at == events.end() ? -1 : static_cast<int>(at - events.begin());
  };
  if (const int which = done(); which >= 0) return which;
  AnyDone any(watchers.size());
  std::size_t taken_back = 1;  // the waiter itself
  std::size_t watched = 0;
  for (; watched < events.size(); ++watched) {
    AnyWatcher& watcher = watchers[watched];
    watcher.notified = &any;
    watcher.notify = [](Watcher* self) noexcept {
      AnyDone& notified = *static_cast<AnyWatcher*>(self)->notified;
      if (!notified.one_is_done.exchange(true, std::memory_order_acq_rel)) notified.first.complete();
      notified.leave(1);
    };
    if (!events[watched]->watch(watcher)) break;  // it is done
  }
  if (watched == events.size()) any.first.wait_until(deadline, {Wait::task, nullptr, nullptr, false, stop});
  taken_back += events.size() - watched;
  for (std::size_t i = 0; i < watched; ++i) taken_back += events[i]->unwatch(watchers[i]) ? 1 : 0;
  any.leave(taken_back);
  any.all_gone.wait();
  const int which = done();
  if (which < 0 && watched < events.size())
    throw Error(Errc::bad_input, "wait_any() on a future that somebody else waits for",
                "let one task at a time wait for a future");
  return which;
}

}  // namespace charm::detail
