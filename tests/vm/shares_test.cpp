// Programs that share the machine by leases, on a real kernel: what the table says and which masks threads really have,
// while programs join, leave and are killed.
//
// All is looked at while the test has the table to itself, so that nobody can pass a core on between two of its looks.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "vm/neighbours.hpp"

namespace {

using namespace charm;
using namespace charm::test;

const std::string shares = "/tmp/neighbours.shares";

std::string words(const lease::Table& table) {
  std::string text;
  for (const lease::Entry& entry : table.entries) {
    text += "process " + std::to_string(entry.pid) + " wants " + std::to_string(entry.want) + " and has " +
            entry.holds.to_text() + "\n";
  }
  return text;
}

/// What is watched over all the time, look by look.
class Watch {
 public:
  explicit Watch(const Machine& machine) : machine_(machine) {}

  void look(const std::vector<std::unique_ptr<Neighbour>>& neighbours) {
    const auto held = HeldTable::take(shares);
    if (!held) return;
    const lease::Decoded now = held->read();
    EXPECT_FALSE(now.damaged);
    ++looks;
    leased_once(now.table);
    dead_are_struck_out(now.table);
    for (const auto& neighbour : neighbours) {
      if (neighbour) on_its_own_cores(now.table, *neighbour);
    }
  }

  /// That the holder has been killed, and is gone.
  void died(int holder) { dead_.push_back({holder, now_ms(), {}}); }

  /// Whether programs that live came too late to their looks a moment ago, so that others took them for dead: an
  /// emulation too slow to expect anything of.
  [[nodiscard]] bool slow() const { return late_ != 0 && now_ms() - late_ < 60'000; }

  int looks = 0, masks = 0;
  std::int64_t longest_ms = 0;  // from a death until the cores were seen to be free

 private:
  struct Dead {
    int holder;
    std::int64_t when;
    std::map<int, std::set<std::int64_t>> looked;  // by holder: its looks since then
  };
  struct Known {
    std::uint64_t number = 0;
    std::int64_t first_look = 0;  // of those at which it had cores and all of its threads
  };

  static void leased_once(const lease::Table& table) {
    std::set<int> taken;
    for (const lease::Entry& entry : table.entries) {
      for (const int core : entry.holds) EXPECT_TRUE(taken.insert(core).second) << core << "\n" << words(table);
    }
  }

  /// Whoever begins to look after a death strikes the dead out. (The second look after it has begun after it.)
  void dead_are_struck_out(const lease::Table& table) {
    std::erase_if(dead_, [&](Dead& dead) {
      if (entry_of(table, dead.holder) == nullptr) {
        longest_ms = std::max(longest_ms, now_ms() - dead.when);
        return true;
      }
      for (const lease::Entry& entry : table.entries) {
        if (entry.pid == dead.holder || entry.looked_ms <= dead.when) continue;
        dead.looked[entry.pid].insert(entry.looked_ms);
        EXPECT_LT(dead.looked[entry.pid].size(), 2U) << dead.holder << " is dead, but not to " << entry.pid;
      }
      return false;
    });
  }

  /// Whoever lives is struck out only if it is late by seconds; that it was is seen by its last look.
  void judge_its_looks(const Neighbour& neighbour, const lease::Entry* entry) {
    if (entry != nullptr) looked_[neighbour.holder()] = entry->looked_ms;
    const auto looked = looked_.find(neighbour.holder());
    if (looked == looked_.end()) return;
    const std::int64_t since = now_ms() - looked->second;
    if (since > 1000) late_ = now_ms();
    EXPECT_TRUE(entry != nullptr || since > 1000)
        << neighbour.name() << " " << neighbour.holder() << " lives, looked " << since << " ms ago and was struck out";
    if (entry == nullptr) looked_.erase(looked);
  }

  /// Threads under `charm run` leave a core before it is given back, and come after it was taken. Workers of the
  /// library are waited for, but not for ever: those get half a minute, and more where all is late.
  void on_its_own_cores(const lease::Table& table, const Neighbour& neighbour) {
    const lease::Entry* entry = entry_of(table, neighbour.holder());
    Known& known = known_[neighbour.holder()];
    const bool joined = neighbour.program() != 0;
    if (joined) judge_its_looks(neighbour, entry);
    if (entry == nullptr || entry->holds.empty() || !joined) {
      known = {};
      return;
    }
    if (known.number != entry->number) known = {entry->number, entry->looked_ms};
    if (known.first_look == entry->looked_ms) return;  // its threads come over after that look, and before the next
    const CpuSet own = cpus_of(machine_, entry->holds);
    for (const auto& [thread, mask] : masks_of(neighbour)) {
      ++masks;
      if (mask.is_subset_of(own)) {
        since_.erase(thread);
        continue;
      }
      const auto since = since_.try_emplace(thread, now_ms()).first->second;
      const bool patient = neighbour.kind() == Neighbour::Kind::library && (now_ms() - since < 30'000 || slow());
      EXPECT_TRUE(patient) << neighbour.name() << " " << entry->pid << ": thread " << thread << " may run on "
                           << mask.to_text() << "\n"
                           << words(table);
    }
  }

  const Machine& machine_;
  std::vector<Dead> dead_;
  std::map<int, Known> known_;  // by holder
  std::map<int, std::int64_t> since_;
  std::map<int, std::int64_t> looked_;  // by holder, as long as it is in the table
  std::int64_t late_ = 0;
};

constexpr const char* too_slow = "\nprograms come seconds late to their looks: is this machine too slow to judge them?";

/// in_the_end(), which goes on for ten minutes while programs come too late to their looks.
template <class F>
bool at_last(const Watch& watch, F&& holds) {
  for (int rounds = 0; rounds < 5; ++rounds) {
    if (in_the_end(holds)) return true;
    if (!watch.slow()) return false;
  }
  return false;
}

std::string doubt(const Watch& watch) { return watch.slow() ? too_slow : ""; }

/// Nothing if all threads are on cores that their own program has leased; else the threads that are not.
std::string unsettled(const Machine& machine, const std::vector<std::unique_ptr<Neighbour>>& neighbours) {
  const auto held = HeldTable::take(shares);
  if (!held) return "the table is in use";
  const lease::Table table = held->read().table;
  for (const auto& neighbour : neighbours) {
    if (!neighbour) continue;
    const std::string who = std::string(neighbour->name()) + " " + std::to_string(neighbour->holder());
    const lease::Entry* entry = entry_of(table, neighbour->holder());
    if (entry == nullptr || entry->holds.empty()) return who + " has no cores\n" + words(table);
    if (neighbour->program() == 0) return who + " has not begun";
    const CpuSet own = cpus_of(machine, entry->holds);
    for (const auto& [thread, mask] : masks_of(*neighbour)) {
      if (!mask.is_subset_of(own))
        return who + ": thread " + std::to_string(thread) + " may run on " + mask.to_text() + "\n" + words(table);
    }
  }
  return "";
}

TEST(Shares, ProgramsThatJoinAndLeaveAndAreKilledHaveEachCoreOnceAndTheLastOneHasAll) {
  const auto machine = Machine::discover();
  const int cores = static_cast<int>(machine.cores.size());
  const char* set = std::getenv("CHURN_SECONDS");
  const int seconds = set != nullptr && std::atoi(set) > 0 ? std::atoi(set) : 60;
  std::filesystem::remove(shares);
  // A core for each at least: while there are fewer, the last ones have none by design.
  std::vector<std::unique_ptr<Neighbour>> neighbours(static_cast<std::size_t>(std::min(10, cores)));
  std::mt19937 random(7);
  const auto any = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
  Watch watch(machine);
  int started = 0, killed = 0, most = 0;
  const auto start = [&](std::size_t place, Neighbour::Kind kind, Neighbour::Does does) {
    neighbours[place] = std::make_unique<Neighbour>(kind, does, shares, "/tmp/neighbour." + std::to_string(started++));
  };
  const auto end = [&](std::size_t place) {
    const int holder = neighbours[place]->holder();
    const bool hard = any(0, 1) == 0;
    const std::string stayed = neighbours[place]->end(hard ? SIGKILL : SIGTERM);
    EXPECT_EQ(stayed, "") << neighbours[place]->name() << " " << holder << " did not end on signal "
                          << (hard ? SIGKILL : SIGTERM);
    if (hard) watch.died(holder);
    killed += hard ? 1 : 0;
    neighbours[place].reset();
  };
  // Where programs need seconds to begin, it goes on until some have been killed.
  const auto begun = now_ms();
  while (now_ms() < begun + 1000LL * seconds || (killed < 3 && now_ms() < begun + 3000LL * seconds)) {
    const auto place = static_cast<std::size_t>(any(0, static_cast<int>(neighbours.size()) - 1));
    if (!neighbours[place]) {
      // All want every core at first; the library as many as it has workers, but for those that doze most of the time.
      start(place, any(0, 1) == 0 ? Neighbour::Kind::library : Neighbour::Kind::steered,
            {any(1, cores / 2), 20, any(0, 2) == 0 ? 3000 : 180});
    } else if (neighbours[place]->program() != 0 && any(0, 1) == 0) {
      end(place);
    }
    most = std::max(most, static_cast<int>(std::count_if(neighbours.begin(), neighbours.end(),
                                                         [](const auto& each) { return each != nullptr; })));
    for (int i = any(1, 3); i > 0; --i) {
      watch.look(neighbours);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  std::cout << started << " programs, at most " << most << " at a time, " << killed << " killed; " << watch.looks
            << " looks at " << watch.masks << " masks; cores of the killed were free after at most " << watch.longest_ms
            << " ms\n";
  EXPECT_GT(watch.looks, 0);
  std::string who;
  const bool settled = at_last(watch, [&] {
    watch.look(neighbours);
    who = unsettled(machine, neighbours);
    return who.empty();
  });
  EXPECT_TRUE(settled) << who << doubt(watch);

  // One of each kind, in turn, is left with threads for all cores.
  for (const auto kind : {Neighbour::Kind::library, Neighbour::Kind::steered}) {
    for (std::size_t place = 0; place < neighbours.size(); ++place) {
      if (neighbours[place]) end(place);
    }
    start(0, kind, {cores, 20, kind == Neighbour::Kind::library ? 480 : 0});
    const bool has_all = at_last(watch, [&] {
      watch.look(neighbours);
      const auto table = table_at(shares);
      const lease::Entry* entry = table ? entry_of(*table, neighbours[0]->holder()) : nullptr;
      return entry != nullptr && table->entries.size() == 1 && static_cast<int>(entry->holds.size()) == cores;
    });
    EXPECT_TRUE(has_all) << neighbours[0]->name() << ": " << words(table_at(shares).value_or(lease::Table{}))
                         << doubt(watch);
  }
}

TEST(Shares, TwoProgramsHaveWhatTheyWantOrHalfEachAndTheCoresOfOneThatIsKilledGoToTheOther) {
  const auto machine = Machine::discover();
  const int cores = static_cast<int>(machine.cores.size());
  std::filesystem::remove(shares);
  for (const auto dies : {Neighbour::Kind::steered, Neighbour::Kind::library}) {
    std::vector<std::unique_ptr<Neighbour>> both;
    // What is steered has to compute all the time to be believed; the library has not.
    const bool steered = dies == Neighbour::Kind::steered;
    const Neighbour::Does does{steered ? 2 : cores, 20, steered ? 0 : 480};
    const int due = steered ? 2 : cores / 2;
    both.push_back(std::make_unique<Neighbour>(dies, does, shares, "/tmp/two.0"));
    both.push_back(
        std::make_unique<Neighbour>(Neighbour::Kind::library, Neighbour::Does{cores, 20, 480}, shares, "/tmp/two.1"));
    const auto has = [&](std::size_t which) {
      const auto table = table_at(shares);
      const lease::Entry* entry = table ? entry_of(*table, both[which]->holder()) : nullptr;
      return entry == nullptr ? 0 : static_cast<int>(entry->holds.size());
    };
    Watch watch(machine);
    const bool shared = at_last(watch, [&] {
      watch.look(both);
      return std::min(has(0), has(1)) == due && has(0) + has(1) == cores && unsettled(machine, both).empty();
    });
    EXPECT_TRUE(shared) << words(table_at(shares).value_or(lease::Table{})) << doubt(watch);
    const int dead = both[0]->holder();
    both[0]->end(SIGKILL);
    watch.died(dead);
    const bool inherited = at_last(watch, [&] {
      watch.look(both);
      return has(1) == cores;
    });
    EXPECT_TRUE(inherited) << words(table_at(shares).value_or(lease::Table{})) << doubt(watch);
    std::cout << "free after at most " << watch.longest_ms << " ms\n";
    if (watch.slow()) {
      std::cout << "left out: whether that is within two seconds;" << too_slow << "\n";
    } else {
      EXPECT_LE(watch.longest_ms, 2000) << "cores of the killed are free within two seconds";
    }
  }
}

}  // namespace
