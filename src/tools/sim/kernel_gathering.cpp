#include "tools/sim/kernel_gathering.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace charm::sim {
namespace {

constexpr double busy_thread = .99;  // the utilisation of a thread that never sleeps stays just below one
constexpr int no_limit = 100;        // a tolerance from which on nothing is too large

}  // namespace

KernelGathering::KernelGathering(std::vector<int> cpus, std::vector<double> cache_bytes, int smt, GatheringKnobs knobs)
    : cpus_(std::move(cpus)), cache_bytes_(std::move(cache_bytes)), smt_(smt), knobs_(knobs) {
  busy_.assign(cpus_.size(), 0);
  on_.assign(cpus_.size(), 0);
}

int KernelGathering::add_process(double footprint) {
  processes_.push_back({footprint, none, 0});
  return static_cast<int>(processes_.size()) - 1;
}

std::size_t KernelGathering::add_thread(int process, int cache, double share) {
  threads_.push_back({process, cache, share, false});
  return threads_.size() - 1;
}

void KernelGathering::end_thread(std::size_t thread) { threads_[thread].cache = none; }

void KernelGathering::hold_thread(std::size_t thread, int cache) {
  threads_[thread].cache = cache;
  threads_[thread].held = true;
}

std::vector<int> KernelGathering::shape(int process) const {
  std::vector<int> shape(cpus_.size(), 0);
  for (const Thread& thread : threads_) {
    if (thread.process == process && thread.cache != none) ++shape[static_cast<std::size_t>(thread.cache)];
  }
  return shape;
}

void KernelGathering::count() {
  std::fill(busy_.begin(), busy_.end(), 0);
  std::fill(on_.begin(), on_.end(), 0);
  for (const Thread& thread : threads_) {
    if (thread.cache == none) continue;
    const auto cache = static_cast<std::size_t>(thread.cache);
    busy_[cache] = std::min<double>(cpus_[cache], busy_[cache] + busy_thread * thread.share);
    ++on_[cache];
  }
}

void KernelGathering::steps(int count) {
  for (int i = 0; i < count; ++i) step();
}

void KernelGathering::step() {
  count();
  if (knobs_.enabled && cpus_.size() > 1) {
    for (std::size_t process = 0; process < processes_.size(); ++process) look(static_cast<int>(process));
  }
  const int caches = static_cast<int>(cpus_.size());
  for (int i = 0; i < caches; ++i) {
    const int to = (first_ + i) % caches;
    if (pull_home(to) || balance(to)) count();
  }
  first_ = (first_ + 1) % std::max(1, caches);
}

/// Too many threads for a cache, or too much memory. The average is compared as it was: the kernel leaves before it
/// updates it, so a process that was too large once stays so.
bool KernelGathering::is_left_alone(const Process& process) const {
  if (knobs_.aggr_tolerance >= no_limit) return false;
  const int scale = knobs_.aggr_tolerance;  // 1 + (tolerance - 1)
  const int cpus = *std::max_element(cpus_.begin(), cpus_.end());
  if (process.average * smt_ * 1280 >= scale * cpus * 1024) return true;
  const double cache = *std::max_element(cache_bytes_.begin(), cache_bytes_.end());
  return knobs_.numa_balancing && process.footprint > cache * (1 + (scale - 1) * 256.0);
}

void KernelGathering::look(int number) {
  Process& process = processes_[static_cast<std::size_t>(number)];
  int threads = 0;
  double running = 0;
  std::vector<double> filled(cpus_.size(), 0);  // cpus of each cache, by the process's part of their busy time
  for (const Thread& thread : threads_) {
    if (thread.process != number || thread.cache == none) continue;
    const auto cache = static_cast<std::size_t>(thread.cache);
    const double part = std::min(1.0, static_cast<double>(cpus_[cache]) / on_[cache]);
    filled[cache] += part;
    running += part * thread.share;
    ++threads;
  }
  if (threads < 2 || is_left_alone(process)) {
    process.preferred = none;
    return;
  }
  const auto best = std::max_element(filled.begin(), filled.end());
  const double kept = process.preferred == none ? 0 : filled[static_cast<std::size_t>(process.preferred)];
  if (*best > 2 * kept) process.preferred = static_cast<int>(best - filled.begin());
  const int cpus = *std::max_element(cpus_.begin(), cpus_.end());
  process.average += (static_cast<int>(std::lround(running)) - process.average) / std::clamp(cpus / 4, 2, 8);
}

KernelGathering::Verdict KernelGathering::may_move(int from, int to, double share, bool to_preferred) const {
  double left = busy_[static_cast<std::size_t>(from)], there = busy_[static_cast<std::size_t>(to)];
  const auto fits = [&](double busy, int cache) {
    return 100 * busy < knobs_.overaggr_percent * cpus_[static_cast<std::size_t>(cache)];
  };
  const auto much_more = [&](double a, double b) { return 100 * a > (100 + knobs_.imbalance_percent) * b; };
  if (!fits(left, from) && !fits(there, to)) return Verdict::unrestricted;
  // Threads that queue for their cache's cpus show what they get.
  const double gets = std::min(1.0, cpus_[static_cast<std::size_t>(from)] /
                                        static_cast<double>(std::max(1, on_[static_cast<std::size_t>(from)])));
  left -= busy_thread * share * gets;
  there += busy_thread * share * gets;
  const bool from_fits = fits(left, from), to_fits = fits(there, to);
  if (to_preferred ? !to_fits && much_more(there, left) : from_fits || !much_more(left, there))
    return Verdict::forbidden;
  return Verdict::allowed;
}

/// Towards the cache that a thread prefers. The decision is for the cache as a whole, without the thread's own part.
/// Between two caches that are both more than half busy the kernel was seen to pull one thread from an equal number.
bool KernelGathering::pull_home(int to) {
  if (busy_[static_cast<std::size_t>(to)] + busy_thread / 2 > cpus_[static_cast<std::size_t>(to)]) return false;
  for (Thread& thread : threads_) {
    if (thread.cache == none || thread.cache == to || thread.held) continue;
    if (processes_[static_cast<std::size_t>(thread.process)].preferred != to) continue;
    const Verdict verdict = may_move(thread.cache, to, 0, true);
    const bool as_many = on_[static_cast<std::size_t>(thread.cache)] >= on_[static_cast<std::size_t>(to)];
    if (verdict == Verdict::forbidden || (verdict == Verdict::unrestricted && !as_many)) continue;
    thread.cache = to;
    return true;
  }
  return false;
}

/// As without gathering: from the cache with the most threads, until they differ by one. A thread that has its cpu is
/// kept at home if the rule forbids the move; of those that queue one goes after some refusals.
bool KernelGathering::balance(int to) {
  const auto most = std::max_element(on_.begin(), on_.end());
  if (*most <= on_[static_cast<std::size_t>(to)] + 1) return false;
  const int from = static_cast<int>(most - on_.begin());
  const bool queue = *most > cpus_[static_cast<std::size_t>(from)];
  for (Thread& thread : threads_) {
    if (thread.cache != from || thread.held) continue;
    const int home = processes_[static_cast<std::size_t>(thread.process)].preferred;
    if (home == from && !queue && may_move(from, to, thread.share, false) == Verdict::forbidden) continue;
    thread.cache = to;
    return true;
  }
  return false;
}

}  // namespace charm::sim
