#include "sched/sharing.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <pthread.h>
#include <unistd.h>
#include <utility>

#include "os/affinity.hpp"
#include "os/cpu_load.hpp"
#include "placement/quiet.hpp"
#include "sched/steering.hpp"

namespace charm::sched {
namespace {

constexpr double idle_below = 0.05;  // of a cpu
constexpr double quiet_s = 1;        // until an idle process gives its cores back
constexpr double leave_s = 2;        // that a worker in a long function is waited for

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double cpu_s() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

std::vector<int> without(const std::vector<int>& all, const std::vector<int>& some) {
  std::vector<int> left;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(left));
  return left;
}

}  // namespace

std::unique_ptr<Sharing> Sharing::start(const base::Settings& settings, const Machine& machine, int workers,
                                        Steering& steering) {
  if (settings.share == "auto" || settings.share == "off") return nullptr;
  const std::string path = settings.share == "on" ? lease::default_path() : settings.share;
  auto lease = std::make_unique<lease::Lease>(path, machine, settings.share_weight, workers);
  return std::unique_ptr<Sharing>(new Sharing(std::move(lease), machine, workers, steering));
}

Sharing::Sharing(std::unique_ptr<lease::Lease> lease, const Machine& machine, int workers, Steering& steering)
    : lease_(std::move(lease)),
      machine_(machine),
      workers_(workers),
      steering_(steering),
      begun_(now_s()),
      seen_(begun_),
      used_(cpu_s()) {
  steering_.lease(cpus_of(lease_->standing().holds));
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "charm-share");
    main();
  });
}

Sharing::~Sharing() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  ending_.notify_all();
  thread_.join();
}

void Sharing::main() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    lock.unlock();
    look();
    const double pause = leaving_.empty() ? lease_->pause() : lease::short_look_seconds;
    lock.lock();
    ending_.wait_for(lock, std::chrono::duration<double>(pause), [this] { return stop_; });
  }
}

int Sharing::wanted() {
  const double now = now_s();
  const double used = cpu_s();
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

/// Once in a while: it costs two system calls a thread.
void Sharing::listen() {
  const double now = now_s();
  if (!machine_.is_live() || !noise_.due(now)) return;
  std::map<int, std::uint64_t> ran_ns;
  for (const int thread : processes_.threads(getpid())) {
    const auto time = processes_.time(getpid(), thread);
    if (!time) continue;
    ran_ns[thread] = time->run_ns;
    const auto before = ran_ns_.find(thread);
    const std::vector<int> mask = os::allowed_cpus_of(thread);
    if (before == ran_ns_.end() || time->run_ns < before->second || mask.size() != 1) continue;
    own_.bound[mask.front()] += static_cast<double>(time->run_ns - before->second) * 1e-9;
  }
  ran_ns_ = std::move(ran_ns);
  own_.all = cpu_s();
  noise_.look(now, os::cpu_times(), own_, cpus_of(lease_->standing().others));
}

void Sharing::look() {
  const double now = now_s();
  if (!leaving_.empty() && (steering_.has_left(cpus_of(leaving_)) || now - leaving_since_ >= leave_s)) {
    lease_->give_back(leaving_);
    leaving_.clear();
  }
  listen();
  const lease::Lease::Standing standing = lease_->look(wanted(), placement::loud_cores(machine_, noise_.loud()));
  std::vector<int> give_up = standing.give_up;
  if (!leaving_.empty()) return;  // one thing after the other
  steering_.lease(cpus_of(without(standing.holds, give_up)));
  if (give_up.empty()) return;
  leaving_ = std::move(give_up);
  leaving_since_ = now;
}

std::vector<int> Sharing::cpus_of(const std::vector<int>& cores) const {
  std::vector<int> cpus;
  for (const Core& core : machine_.cores) {
    if (std::binary_search(cores.begin(), cores.end(), core.cpu))
      cpus.insert(cpus.end(), core.siblings.begin(), core.siblings.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

}  // namespace charm::sched
