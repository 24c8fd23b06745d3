#include "tools/deploy/ending.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>
#include <thread>

#include "tools/os/service.hpp"

namespace charm::deploy {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<os::ProcessIdentity> still_there(const std::vector<os::ProcessIdentity>& all) {
  const os::Processes processes;
  std::vector<os::ProcessIdentity> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some),
               [&](const auto& process) { return processes.alive(process); });
  return some;
}

/// Until all have ended or the time is over. \returns those that have not.
std::vector<os::ProcessIdentity> wait_for(std::vector<os::ProcessIdentity> all, double seconds,
                                          const std::function<void()>& meanwhile) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    meanwhile();
    all = still_there(all);
    if (all.empty() || Clock::now() >= end) return all;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::size_t kill_all(std::vector<os::ProcessIdentity> all, std::size_t& left, const std::function<void()>& meanwhile) {
  constexpr double patience_s = 5;
  const std::size_t count = all.size();
  for (const auto& process : all) os::signal_process(process, SIGKILL);
  const std::size_t stayed = wait_for(std::move(all), patience_s, meanwhile).size();
  left += stayed;
  return count - stayed;
}

}  // namespace

Ending end_workers(const State& state, double grace_s, const std::function<void()>& meanwhile) {
  Ending ending;
  // Looked up before: what descends from a process cannot be found by that once it has ended.
  const std::vector<os::ProcessIdentity> before = processes_of(state);
  std::vector<os::ProcessIdentity> own;
  for (std::size_t w = 0; w < state.workers.size(); ++w) {
    if (!lives(state, w)) continue;
    own.push_back(state.workers[w].process);
    os::signal_process(own.back(), state.stop_signal > 0 ? state.stop_signal : SIGTERM);
    os::signal_process(own.back(), SIGCONT);  // one that is stopped would not hear of it
  }
  const std::size_t stayed = wait_for(own, grace_s, meanwhile).size();
  ending.asked = own.size() - stayed;
  // What they started may be gone a moment after them; two looks, since a process may start another in between.
  for (int look = 0; look < 2; ++look) {
    auto rest = still_there(before);
    for (const auto& process : processes_of(state)) {
      if (std::find(rest.begin(), rest.end(), process) == rest.end()) rest.push_back(process);
    }
    if (rest.empty()) break;
    if (look == 0) {
      for (const auto& process : rest) os::signal_process(process, SIGTERM);
      rest = wait_for(std::move(rest), stayed > 0 ? 0 : std::min(grace_s, 1.0), meanwhile);
    }
    ending.killed += kill_all(std::move(rest), ending.left, meanwhile);
  }
  return ending;
}

std::size_t kill_rest_of(const State& state, std::size_t worker) {
  std::size_t left = 0;
  auto rest = processes_of(state, worker);
  return rest.empty() ? 0 : kill_all(std::move(rest), left, [] {});
}

}  // namespace charm::deploy
