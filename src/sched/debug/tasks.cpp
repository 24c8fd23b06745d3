#include <charm/mutex.hpp>
#include <charm/named.hpp>
#include <charm/tasks.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <exception>

#include "base/clock.hpp"
#include "os/processes/symbol.hpp"
#include "os/threads/threads.hpp"
#include "sched/debug/task_list.hpp"
#include "sched/run/arenas.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/visit.hpp"
#include "sched/wait/outside_waits.hpp"

namespace charm::sched {
namespace {

using detail::Wait;
using fiber::Fiber;
using fiber::TaskCard;

const char* text(Wait wait) {
  switch (wait) {
    case Wait::nothing:
      return "";
    case Wait::task:
      return "task";
    case Wait::group:
      return "task group";
    case Wait::mutex:
      return "mutex";
    case Wait::condition:
      return "condition";
    case Wait::semaphore:
      return "semaphore";
    case Wait::latch:
      return "latch";
    case Wait::channel_send:
      return "channel (send)";
    case Wait::channel_receive:
      return "channel (receive)";
    case Wait::barrier:
      return "barrier";
    case Wait::sleep:
      return "time";
    case Wait::blocking:
      return "blocking code";
    case Wait::shared_mutex:
      return "shared mutex";
    case Wait::select:
      return "one of several channels";
  }
  return "";
}

std::string hex(std::uintptr_t number) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(number));
  return digits;
}

double seconds_since(const Runtime& runtime, std::uint64_t then) {
  const std::uint64_t now = runtime.clock().now();
  return then == 0 || now <= then ? 0 : static_cast<double>(now - then) * runtime.clock().ns_per_tick() * 1e-9;
}

std::string name_on(const TaskCard& card) {
  char name[sizeof card.name + 1] = {};
  for (std::size_t i = 0; i < 4; ++i) {
    std::uint64_t word = card.name[i].load(std::memory_order_relaxed);
    std::memcpy(name + 8 * i, &word, 8);
  }
  return name;
}

std::string who(const TaskInfo& task) {
  std::string line = task.id == 0 ? task.function : "task " + std::to_string(task.id);
  if (!task.name.empty()) line += " '" + task.name + "'";
  if (task.id != 0) line += " (" + task.function + ")";
  return line;
}

/// Of a mutex that exists meanwhile.
void read_mutex(TaskInfo& info, const void* object) {
  info.object = object;
  info.holder = static_cast<const mutex*>(object)->holder();
}

TaskInfo read(const Runtime& runtime, const Fiber& fiber, detail::Job::Run function) {
  const TaskCard& card = fiber.card;
  TaskInfo info;
  info.id = card.id;
  info.name = name_on(card);
  info.function =
      card.id == 0 ? "the thread that called init()" : os::symbol(reinterpret_cast<std::uintptr_t>(function));
  const Wait wait = card.wait.load(std::memory_order_relaxed);
  switch (card.state.load(std::memory_order_relaxed)) {
    case TaskCard::State::running:
      info.state = wait == Wait::blocking ? "blocking" : "running";
      break;
    case TaskCard::State::waiting:
      info.state = "waiting";
      info.waits_for = text(wait);
      info.object = card.object.load(std::memory_order_relaxed);
      info.seconds = seconds_since(runtime, card.since.load(std::memory_order_relaxed));
      if (wait == Wait::mutex) card.follow_mutex([&](const void* object) { read_mutex(info, object); });
      break;
    default:
      info.state = "ready";
  }
  info.worker = fiber.bound;
  for (const auto& worker : runtime.workers) {
    if (worker->shown() == &fiber) info.worker = worker->id;
  }
  return info;
}

}  // namespace

bool everybody_sleeps(Runtime& runtime) noexcept {
  bool all = true;
  for_family(runtime, [&](const Runtime& each) {
    all = all && std::all_of(each.workers.begin(), each.workers.end(),
                             [](const auto& worker) { return worker->slot.state().parked(); });
  });
  return all;
}

std::vector<TaskInfo> list_tasks(Runtime& runtime) {
  std::vector<TaskInfo> all;
  for_family(runtime, [&](Runtime& each) {
    auto add = [&](const Fiber& fiber) {
      detail::Job::Run function = fiber.card.function.load(std::memory_order_relaxed);
      if (function != nullptr) all.push_back(read(each, fiber, function));
    };
    each.stacks.for_each(add);
    each.loan.with_guest(add);
  });
  std::sort(all.begin(), all.end(), [](const TaskInfo& a, const TaskInfo& b) { return a.id < b.id; });
  return all;
}

std::vector<TaskInfo> list_outside_waits(Runtime& runtime) {
  const std::int64_t now = base::monotonic_ns();
  std::vector<TaskInfo> all;
  outside_waits.for_each([&](const OutsideWaits::Wait& wait) {
    TaskInfo info;
    if (wait.task != nullptr) {
      info = read(runtime, *wait.task, wait.task->card.function.load(std::memory_order_relaxed));
      info.function += ", in blocking code";
    } else if (os::is_first_thread(wait.thread)) {
      info.function = "the main thread";
    } else {
      info.function = "thread " + std::to_string(wait.thread);
    }
    info.state = wait.is_over() ? "ready" : "waiting";
    info.waits_for = text(wait.reason.kind);
    info.object = wait.reason.object;
    info.seconds = 1e-9 * static_cast<double>(now - wait.since_ns);
    if (wait.reason.kind == Wait::mutex) read_mutex(info, wait.reason.object);
    all.push_back(std::move(info));
  });
  return all;
}

std::string running_task(std::string_view name) {
  const Fiber* fiber = running_fiber();
  if (fiber == nullptr) return "in a thread outside";
  TaskInfo task;
  task.id = fiber->card.id;
  task.name = name.empty() ? name_on(fiber->card) : std::string(name);
  task.function = os::symbol(reinterpret_cast<std::uintptr_t>(fiber->card.function.load(std::memory_order_relaxed)));
  return who(task);
}

std::string describe(const Runtime& runtime, const fiber::Fiber& fiber) {
  return describe(read(runtime, fiber, fiber.card.function.load(std::memory_order_relaxed)));
}

std::string describe(const TaskInfo& task) {
  std::string line = who(task);
  if (task.state == "waiting") {
    char since[32];
    std::snprintf(since, sizeof since, "%.1f s", task.seconds);
    line += std::string(" waits ") + since + " for " + task.waits_for;
    if (task.object != nullptr) line += " " + hex(reinterpret_cast<std::uintptr_t>(task.object));
    if (task.holder != 0) line += ", held by task " + std::to_string(task.holder);
    if (task.worker >= 0) line += ", bound to worker " + std::to_string(task.worker);
  } else {
    line += " " + task.state;
    if (task.worker >= 0)
      line += (task.state == "running" ? " on worker " : ", bound to worker ") + std::to_string(task.worker);
  }
  return line;
}

}  // namespace charm::sched

namespace charm {

namespace detail {
namespace {

/// The end of the text last, so that a reader never runs beyond it.
void write_name(fiber::TaskCard& card, const std::array<std::uint64_t, 4>& words) noexcept {
  for (std::size_t i = 4; i-- > 0;) card.name[i].store(words[i], std::memory_order_relaxed);
}

std::array<std::uint64_t, 4> words_of(std::string_view name) noexcept {
  std::array<std::uint64_t, 4> words{};
  std::memcpy(words.data(), name.data(), std::min(name.size(), sizeof words - 1));
  return words;
}

}  // namespace

WithName::WithName(std::string_view name) noexcept {
  fiber::Fiber* fiber = sched::running_fiber();
  if (fiber == nullptr) return;
  for (std::size_t i = 0; i < 4; ++i) former_[i] = fiber->card.name[i].load(std::memory_order_relaxed);
  write_name(fiber->card, words_of(name));
}

WithName::~WithName() {
  if (fiber::Fiber* fiber = sched::running_fiber()) write_name(fiber->card, former_);
}

}  // namespace detail

void name_task(std::string_view name) noexcept {
  if (fiber::Fiber* fiber = sched::running_fiber()) detail::write_name(fiber->card, detail::words_of(name));
}

std::vector<TaskInfo> tasks() { return sched::list_tasks(*sched::Visit()); }

[[gnu::used]] void dump_tasks() noexcept try {
  const sched::Visit runtime = sched::Visit::until_the_end();
  if (!runtime) return;
  std::string lines;
  for (const TaskInfo& task : sched::list_tasks(*runtime)) lines += "charm: " + sched::describe(task) + "\n";
  for (const TaskInfo& wait : sched::list_outside_waits(*runtime)) {
    if (wait.id == 0) lines += "charm: " + sched::describe(wait) + "\n";
  }
  std::fputs(lines.c_str(), stderr);
} catch (const std::exception&) {
  std::fputs("charm: no memory to list the tasks\n", stderr);
}

}  // namespace charm
