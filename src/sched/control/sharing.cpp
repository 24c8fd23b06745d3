#include "sched/control/sharing.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/clock.hpp"
#include "binding/masks.hpp"
#include "os/files/shared_file.hpp"
#include "os/machine/cpu_load.hpp"
#include "os/processes/this_process.hpp"
#include "os/threads/affinity.hpp"
#include "os/threads/threads.hpp"
#include "sched/control/steering.hpp"
#include "sched/run/arenas.hpp"
#include "sched/run/runtime.hpp"

namespace charm::sched {
namespace {

constexpr double idle_below = 0.05;  // load of an idle process, in cpus
constexpr double quiet_s = 1;        // seconds until an idle process gives its cores back

std::string path_of(const base::ChoiceWithFile<base::Share>& share) {
  return share.choice == base::Share::file ? share.file : lease::default_path();
}

}  // namespace

std::unique_ptr<Sharing> Sharing::start(Runtime& runtime) {
  const base::Settings& settings = runtime.settings;
  const base::Share share = settings.share.choice;
  if (share == base::Share::automatic || share == base::Share::off) return nullptr;
  const std::string path = path_of(settings.share);
  auto lease = std::make_unique<lease::Lease>(path, runtime.machine, settings.share_weight,
                                              static_cast<int>(runtime.workers.size()));
  try {
    return std::unique_ptr<Sharing>(new Sharing(std::move(lease), runtime));
  } catch (const std::system_error& error) {
    throw Error(Errc::system,
                "no thread to look after the share: " + error.code().message() + " (" + os::thread_limits() + ")",
                "raise the limit that is reached, or end other threads");
  }
}

std::uint64_t Sharing::table(const base::Settings& settings) {
  if (settings.share.choice == base::Share::off) return 0;
  try {
    return os::SharedFile::open(path_of(settings.share))->identity();
  } catch (const Error&) {
    return 0;
  }
}

Sharing::Sharing(std::unique_ptr<lease::Lease> lease, Runtime& runtime)
    : runtime_(runtime),
      machine_(runtime.machine),
      workers_(static_cast<int>(runtime.workers.size())),
      follower_(std::move(lease), machine_),
      begun_(base::monotonic_seconds()),
      seen_(begun_),
      used_(os::cpu_seconds()) {
  const std::lock_guard lock(mutex_);  // the thread waits for it; where there is none, nothing has been leased
  thread_ = std::thread([this] {
    os::name_this_thread("charm-share");
    main();
  });
  use_cores(follower_.cores(), begun_);
}

Sharing::~Sharing() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  news_.notify_all();
  thread_.join();
}

void Sharing::main() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const std::uint64_t asked = asked_;
    lock.unlock();
    const double pause = look();
    const bool settled = follower_.settled();
    lock.lock();
    settled_ = settled;
    answered_ = asked;
    news_.notify_all();
    news_.wait_for(lock, std::chrono::duration<double>(pause), [this] { return stop_ || asked_ != answered_; });
  }
}

bool Sharing::look_now() {
  std::unique_lock lock(mutex_);
  const std::uint64_t asked = ++asked_;
  news_.notify_all();
  news_.wait(lock, [&] { return answered_ >= asked; });
  return settled_;
}

int Sharing::wanted() {
  const double now = base::monotonic_seconds();
  const double used = os::cpu_seconds();
  if (now - seen_ >= 0.1) {
    const double load = (used - used_) / (now - seen_);
    seen_ = now;
    used_ = used;
    if (load >= idle_below) {
      quiet_since_ = -1;
      // One core that it has kept is enough to find out that it works again.
      if (load >= 4 * idle_below) idle_ = false;
    } else if (quiet_since_ < 0) {
      quiet_since_ = now;
    } else if (now - quiet_since_ >= quiet_s) {
      idle_ = true;
    }
  }
  return idle_ ? 1 : workers_;
}

/// Called once a second: it costs two system calls for each thread.
void Sharing::sample_interference() {
  const double now = base::monotonic_seconds();
  if (!machine_.is_live() || !interference_.due(now)) return;
  std::map<int, std::uint64_t> ran_ns;
  for (const int thread : processes_.threads(os::process_id())) {
    const auto time = processes_.time(os::process_id(), thread);
    if (!time) continue;
    ran_ns[thread] = time->run_ns;
    const auto before = ran_ns_.find(thread);
    const CpuSet mask = os::allowed_cpus_of(thread);
    if (before == ran_ns_.end() || time->run_ns < before->second || mask.size() != 1) continue;
    own_.bound[mask.front()] += static_cast<double>(time->run_ns - before->second) * 1e-9;
  }
  ran_ns_ = std::move(ran_ns);
  own_.all = os::cpu_seconds();
  interference_.sample(now, os::cpu_times(), own_, follower_.cpus_of_others());
}

double Sharing::look() {
  sample_interference();
  return follower_.look(base::monotonic_seconds(), wanted(), interference_.busy(), *this);
}

// The process's own workers first: an arena that is being made looks what they have when it is in the list.
void Sharing::use_cores(const CoreCpuSet& cores, double /*now*/) {
  const CpuSet cpus = binding::cpus_of_cores(machine_, cores);
  runtime_.steering->lease(cpus);
  if (!runtime_.shares_cores()) return;
  const std::lock_guard lock(arenas_mutex());
  for (const auto& state : runtime_.family.arenas) {
    if (Runtime* arena = state->runtime.load(std::memory_order_acquire)) arena->steering->lease(cpus);
  }
}

bool Sharing::has_left(const CpuSet& cpus) const {
  if (!runtime_.steering->has_left(cpus)) return false;
  if (!runtime_.shares_cores()) return true;
  const std::lock_guard lock(arenas_mutex());
  return std::all_of(runtime_.family.arenas.begin(), runtime_.family.arenas.end(), [&](const auto& state) {
    const Runtime* arena = state->runtime.load(std::memory_order_acquire);
    return arena != nullptr && arena->steering->has_left(cpus);  // null: it begins or ends at this moment
  });
}

}  // namespace charm::sched
