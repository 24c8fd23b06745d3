// The C interface: each call forwards to the C++ one and turns exceptions into codes.
#include <charm/charm.h>
#include <charm/charm.hpp>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/notices.hpp"

namespace {

thread_local std::string last_error;

template <class F>
int guarded(F&& function) noexcept {
  try {
    std::forward<F>(function)();
    return CHARM_OK;
  } catch (const charm::Error& error) {
    last_error = error.what();
    return static_cast<int>(error.code()) + 1;
  } catch (const std::exception& error) {
    last_error = error.what();
  } catch (...) {
    last_error = "an exception that is not a std::exception left a task";
  }
  return CHARM_UNKNOWN;
}

static_assert(static_cast<int>(charm::Errc::bad_input) + 1 == CHARM_BAD_INPUT);
static_assert(static_cast<int>(charm::Errc::not_running) + 1 == CHARM_NOT_RUNNING);
static_assert(static_cast<int>(charm::Errc::cancelled) + 1 == CHARM_CANCELLED);

/// A task that nothing waits for. A C program cannot get an exception that leaves it: so it is reported, and
/// dropped.
auto unwatched(CHARM_Function function, void* argument) {
  return [function, argument] {
    try {
      function(argument);
    } catch (const std::exception& error) {
      charm::base::notice("unwatched", std::string("an exception left a task that nobody waits for: ") + error.what());
    } catch (...) {
      charm::base::notice("unwatched", "an exception that is not a std::exception left a task that nobody waits for");
    }
  };
}

/// A partial result of a reduction.
class Bytes {
 public:
  Bytes(const void* from, std::size_t size) : size_(size), bytes_(new std::byte[size == 0 ? 1 : size]) {
    std::memcpy(bytes_.get(), from, size);
  }
  Bytes(const Bytes& other) : Bytes(other.data(), other.size_) {}
  Bytes(Bytes&&) noexcept = default;
  Bytes& operator=(const Bytes&) = delete;
  Bytes& operator=(Bytes&&) noexcept = default;
  ~Bytes() = default;
  [[nodiscard]] void* data() { return bytes_.get(); }
  [[nodiscard]] const void* data() const { return bytes_.get(); }

 private:
  std::size_t size_;
  std::unique_ptr<std::byte[]> bytes_;
};

int outcome(int code, bool in_time) { return code != CHARM_OK ? code : in_time ? CHARM_OK : CHARM_TIMEOUT; }

}  // namespace

struct CHARM_Group {
  charm::task_group group;
};
struct CHARM_Arena {
  explicit CHARM_Arena(const charm::ArenaOptions& options) : arena(options) {}
  charm::arena arena;
};
struct CHARM_Mutex {
  charm::mutex mutex;
};
struct CHARM_Cond {
  charm::condition_variable condition;
};
struct CHARM_Channel {
  explicit CHARM_Channel(std::size_t capacity) : channel(capacity) {}
  charm::channel<void*> channel;
};

extern "C" {

int CHARM_Init(void) {
  return guarded([] { charm::init(); });
}
int CHARM_Init_with(int workers, const char* policy) {
  return guarded([&] {
    charm::Config config;
    if (workers != 0) config.workers = workers;
    if (policy != nullptr) config.policy = policy;
    charm::init(config);
  });
}
int CHARM_Init_settings(const CHARM_Setting* settings, size_t count) {
  return guarded([&] {
    charm::Config config;
    for (size_t i = 0; i < count; ++i) config.named.emplace_back(settings[i].name, settings[i].value);
    charm::init(config);
  });
}
int CHARM_Finalize(void) {
  return guarded([] { charm::finalize(); });
}
int CHARM_Run(CHARM_Function function, void* argument) {
  return guarded([&] { charm::run([&] { function(argument); }); });
}
int CHARM_All_do(CHARM_Body body, void* argument) {
  return guarded([&] { charm::all_do([&](int worker) { body(worker, argument); }); });
}
int CHARM_Call(int worker, CHARM_Function function, void* argument) {
  return guarded([&] { charm::call(worker, [&] { function(argument); }); });
}
int CHARM_Call_async(int worker, CHARM_Function function, void* argument) {
  return guarded([&] { charm::call_detached(worker, unwatched(function, argument)); });
}
int CHARM_Call_chiplet(int chiplet, CHARM_Function function, void* argument) {
  return guarded([&] { charm::call(charm::on_chiplet{chiplet}, [&] { function(argument); }); });
}
int CHARM_Call_node(int node, CHARM_Function function, void* argument) {
  return guarded([&] { charm::call(charm::on_node{node}, [&] { function(argument); }); });
}
int CHARM_Call_address(const void* address, CHARM_Function function, void* argument) {
  return guarded([&] { charm::call(charm::on_address{address}, [&] { function(argument); }); });
}
int CHARM_Where(const void* address) {
  int node = -1;
  guarded([&] {
    charm::Whereabouts found = charm::where(address);
    if (found.known)
      node = found.node;
    else
      last_error = found.reason;
  });
  return node;
}
int CHARM_Parallel_for(int64_t first, int64_t last, int64_t grain, CHARM_Range body, void* argument) {
  return guarded([&] {
    charm::parallel_for(first, last, [&](int64_t low, int64_t high) { body(low, high, argument); }, {grain});
  });
}
int CHARM_Parallel_reduce(int64_t first, int64_t last, int64_t grain, const void* identity, size_t size,
                          CHARM_Reduce body, CHARM_Combine combine, void* argument, void* result) {
  return guarded([&] {
    Bytes start(identity, size);
    Bytes sum = charm::parallel_reduce(
        first, last, std::move(start),
        [&](int64_t low, int64_t high, Bytes partial) {
          body(low, high, partial.data(), argument);
          return partial;
        },
        [&](Bytes into, const Bytes& from) {
          combine(into.data(), from.data(), argument);
          return into;
        },
        {grain});
    std::memcpy(result, sum.data(), size);
  });
}
int CHARM_Invoke(CHARM_Function first, void* first_argument, CHARM_Function second, void* second_argument) {
  return guarded([&] { charm::invoke([&] { first(first_argument); }, [&] { second(second_argument); }); });
}
int CHARM_Barrier(void) {
  return guarded([] { charm::barrier(); });
}
void CHARM_Yield(void) { charm::yield(); }

int CHARM_Group_create(CHARM_Group** group) {
  return guarded([&] { *group = new CHARM_Group; });
}
int CHARM_Group_spawn(CHARM_Group* group, CHARM_Function function, void* argument) {
  return guarded([&] { group->group.run([function, argument] { function(argument); }); });
}
int CHARM_Group_wait(CHARM_Group* group) {
  return guarded([&] { group->group.wait(); });
}
void CHARM_Group_destroy(CHARM_Group* group) {
  if (group == nullptr) return;
  guarded([&] { group->group.wait(); });
  delete group;
}
int CHARM_Spawn(CHARM_Function function, void* argument) {
  return guarded([&] { charm::run_detached(unwatched(function, argument)); });
}

int CHARM_Arena_create(CHARM_Arena** arena, const int* chiplets, size_t count, int workers, int priority) {
  return guarded([&] {
    if (priority < CHARM_PRIORITY_LOW || priority > CHARM_PRIORITY_HIGH)
      throw charm::Error(charm::Errc::bad_input, "an arena has no priority " + std::to_string(priority),
                         "give CHARM_PRIORITY_LOW, CHARM_PRIORITY_NORMAL or CHARM_PRIORITY_HIGH");
    charm::ArenaOptions options;
    for (size_t i = 0; i < count; ++i) options.chiplets.insert(chiplets[i]);
    options.workers = workers;
    options.priority = static_cast<charm::Priority>(priority);
    *arena = new CHARM_Arena(options);
  });
}
int CHARM_Arena_run(CHARM_Arena* arena, CHARM_Function function, void* argument) {
  return guarded([&] { arena->arena.execute([&] { function(argument); }); });
}
int CHARM_Arena_spawn(CHARM_Arena* arena, CHARM_Function function, void* argument) {
  return guarded([&] { arena->arena.run_detached(unwatched(function, argument)); });
}
int CHARM_Arena_workers(const CHARM_Arena* arena) { return arena->arena.max_concurrency(); }
void CHARM_Arena_destroy(CHARM_Arena* arena) { delete arena; }

int CHARM_Mutex_create(CHARM_Mutex** mutex) {
  return guarded([&] { *mutex = new CHARM_Mutex; });
}
int CHARM_Mutex_lock(CHARM_Mutex* mutex) {
  return guarded([&] { mutex->mutex.lock(); });
}
int CHARM_Mutex_try_lock(CHARM_Mutex* mutex) { return mutex->mutex.try_lock() ? CHARM_OK : CHARM_TIMEOUT; }
int CHARM_Mutex_lock_for(CHARM_Mutex* mutex, int64_t nanoseconds) {
  bool got = false;
  int code = guarded([&] { got = mutex->mutex.try_lock_for(std::chrono::nanoseconds(nanoseconds)); });
  return outcome(code, got);
}
void CHARM_Mutex_unlock(CHARM_Mutex* mutex) { mutex->mutex.unlock(); }
void CHARM_Mutex_destroy(CHARM_Mutex* mutex) { delete mutex; }

int CHARM_Cond_create(CHARM_Cond** cond) {
  return guarded([&] { *cond = new CHARM_Cond; });
}
int CHARM_Cond_wait(CHARM_Cond* cond, CHARM_Mutex* mutex) {
  return guarded([&] { cond->condition.wait(mutex->mutex); });
}
int CHARM_Cond_wait_for(CHARM_Cond* cond, CHARM_Mutex* mutex, int64_t nanoseconds) {
  std::cv_status status = std::cv_status::no_timeout;
  int code = guarded([&] { status = cond->condition.wait_for(mutex->mutex, std::chrono::nanoseconds(nanoseconds)); });
  return outcome(code, status == std::cv_status::no_timeout);
}
void CHARM_Cond_signal(CHARM_Cond* cond) { cond->condition.notify_one(); }
void CHARM_Cond_broadcast(CHARM_Cond* cond) { cond->condition.notify_all(); }
void CHARM_Cond_destroy(CHARM_Cond* cond) { delete cond; }

int CHARM_Channel_create(CHARM_Channel** channel, size_t capacity) {
  return guarded([&] { *channel = new CHARM_Channel(capacity); });
}
int CHARM_Channel_send(CHARM_Channel* channel, void* item) {
  bool sent = false;
  int code = guarded([&] { sent = channel->channel.send(item); });
  return code != CHARM_OK ? code : sent ? CHARM_OK : CHARM_CLOSED;
}
int CHARM_Channel_try_send(CHARM_Channel* channel, void* item) {
  bool sent = false;
  int code = guarded([&] { sent = channel->channel.try_send(item); });
  return code == CHARM_OK && !sent && channel->channel.closed() ? CHARM_CLOSED : outcome(code, sent);
}
static int received(CHARM_Channel* channel, int code, const std::optional<void*>& got, void** item) {
  if (got) *item = *got;
  return code == CHARM_OK && !got && channel->channel.closed() ? CHARM_CLOSED : outcome(code, got.has_value());
}
int CHARM_Channel_recv(CHARM_Channel* channel, void** item) {
  std::optional<void*> got;
  int code = guarded([&] { got = channel->channel.recv(); });
  return received(channel, code, got, item);
}
int CHARM_Channel_try_recv(CHARM_Channel* channel, void** item) {
  std::optional<void*> got;
  int code = guarded([&] { got = channel->channel.try_recv(); });
  return received(channel, code, got, item);
}
int CHARM_Channel_recv_for(CHARM_Channel* channel, void** item, int64_t nanoseconds) {
  std::optional<void*> got;
  int code = guarded([&] { got = channel->channel.try_recv_for(std::chrono::nanoseconds(nanoseconds)); });
  return received(channel, code, got, item);
}
void CHARM_Channel_close(CHARM_Channel* channel) { channel->channel.close(); }
void CHARM_Channel_destroy(CHARM_Channel* channel) { delete channel; }

int CHARM_Sleep(int64_t nanoseconds) {
  return guarded([&] { charm::sleep_for(std::chrono::nanoseconds(nanoseconds)); });
}
int CHARM_Blocking(CHARM_Function function, void* argument) {
  return guarded([&] { charm::blocking([&] { function(argument); }); });
}
void CHARM_Name_task(const char* name) { charm::name_task(name); }
void CHARM_Dump_tasks(void) { charm::dump_tasks(); }

int CHARM_Stats(int worker, CHARM_Worker_stats* stats) {
  return guarded([&] {
    charm::Stats all = charm::stats();
    if (worker < -1 || worker >= static_cast<int>(all.workers.size()))
      throw charm::Error(charm::Errc::bad_input, "there is no worker " + std::to_string(worker),
                         "give 0 to " + std::to_string(all.workers.size() - 1) + ", or -1 for all together");
    charm::WorkerStats one = worker == -1 ? all.total() : all.workers[static_cast<std::size_t>(worker)];
    *stats = {one.jobs,        one.steals_chiplet, one.steals_node, one.steals_far, one.lost_races,
              one.suspensions, one.exposures,      one.parks,       one.wakes,      one.migrations,
              one.busy_ns,     one.searching_ns,   one.parked_ns};
  });
}
int CHARM_Stats_runtime(CHARM_Runtime_stats* stats) {
  return guarded([&] {
    charm::Stats all = charm::stats();
    *stats = {all.stacks, all.blocking_threads, all.oversubscribed ? 1 : 0};
  });
}
int CHARM_Worker_id(void) { return charm::worker_id(); }
int CHARM_Num_workers(void) { return charm::num_workers(); }
const char* CHARM_Error(void) { return last_error.c_str(); }

}  // extern "C"
