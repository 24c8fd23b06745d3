#include "ranks/beginning.hpp"

#include <charm/error.hpp>
#include <charm/machine.hpp>
#include <charm/runtime.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/notices.hpp"
#include "os/threads/affinity.hpp"
#include "ranks/apart.hpp"
#include "ranks/code.hpp"
#include "ranks/distances.hpp"
#include "sched/control/sharing.hpp"
#include "sched/run/runtime.hpp"

namespace charm::remote {

Beginning keep_apart(const Transport& transport, const Config& config, const base::Settings& settings) {
  Beginning beginning{config, {}};
  if (transport.ranks() < 2 || !settings.topology.empty()) return beginning;
  const Machine machine = Machine::discover();
  const Crowd crowd = transport.crowd();
  const Leasing leases = leasing(machine, crowd, settings);
  if (leases.possible) {
    if (settings.share.choice == base::Share::automatic) beginning.config.share = "on";
    if (settings.workers == 0) beginning.config.workers = workers_of_rank(machine, crowd);
    return beginning;
  }
  if (!leases.reason.empty() && crowd.index == 0) base::notice("share", leases.reason);
  if (crowd.count < 2) return beginning;
  CpuSet all = os::allowed_cpus();
  if (os::bind_this_thread(cpus_of_rank(machine, crowd))) beginning.cpus = std::move(all);
  return beginning;
}

void wait_for_cores(Engine& with) {
  constexpr std::int64_t patience_ns = 1000000000;
  struct State {
    bool waits;
    bool gives_up;
  };
  sched::Sharing* sharing = sched::Runtime::get().sharing();
  const std::int64_t start = base::monotonic_ns();
  std::vector<State> all(static_cast<std::size_t>(with.ranks()));
  for (bool joined = false;; joined = true) {
    const bool settled = sharing == nullptr || sharing->look_now();
    const State mine{!settled || (sharing != nullptr && !joined), base::monotonic_ns() - start > patience_ns};
    with.gather(&mine, sizeof mine, all.data());
    if (std::none_of(all.begin(), all.end(), [](const State& each) { return each.waits; })) return;
    if (std::any_of(all.begin(), all.end(), [](const State& each) { return each.gives_up; })) {
      if (!settled) base::notice("share", "this rank has not got the cores that it is due; it begins without them");
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(joined ? 1 : 0));
  }
}

void compare_code(Engine& with) {
  struct Code {
    std::uint64_t program = 0;
    std::uint64_t images = 0;
  };
  std::vector<std::uint64_t> mine = code_identities();
  std::vector<Code> all(static_cast<std::size_t>(with.ranks()));
  const Code code{mine.front(), mine.size()};
  with.gather(&code, sizeof code, all.data());
  std::size_t images = mine.size();
  for (std::size_t other = 0; other < all.size(); ++other) {
    images = std::min<std::size_t>(images, all[other].images);
    if (all[other].program != all.front().program)
      throw Error(Errc::refused, "ranks 0 and " + std::to_string(other) + " run different builds of the program",
                  "start all ranks from the same file");
  }
  std::vector<std::uint64_t> identities(images * all.size());
  with.gather(mine.data(), images * sizeof(std::uint64_t), identities.data());
  std::vector<bool> same(images, true);
  for (std::size_t i = 0; i < identities.size(); ++i)
    same[i % images] = same[i % images] && identities[i] == mine[i % images];
  allow_code(same);
}

std::vector<double> measure_distances(Engine& with, const Config& config) {
  const base::Settings settings = base::resolve(config);
  const Machine machine = settings.topology.empty() ? Machine::discover() : Machine::from(settings.topology);
  const auto workers = worker_cores();
  const RankPlace mine = place_of_rank(machine, workers.empty() ? -1 : workers.front().cpu);
  std::vector<RankPlace> all(static_cast<std::size_t>(with.ranks()));
  with.gather(&mine, sizeof mine, all.data());
  return distances_from(machine, all, with.rank());
}

}  // namespace charm::remote
