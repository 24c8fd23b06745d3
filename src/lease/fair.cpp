#include "lease/fair.hpp"

#include <algorithm>
#include <map>

namespace charm::lease {
namespace {

/// The cores assigned so far: a matching of cores and holders that grows by one core at a time.
class Dealing {
 public:
  explicit Dealing(const std::vector<Holder>& holders) : holders_(holders), has_(holders.size()) {
    for (const Holder& holder : holders) {
      for (const int core : holder.may) owner_[core] = nobody;
    }
  }

  /// Assigns one more core to `holder`, if need be by exchanges along a path. The others keep as many as they have.
  bool deal(std::size_t holder) {
    for (const int core : holders_[holder].may) {
      if (int& owner = owner_[core]; owner == nobody) {
        owner = static_cast<int>(holder);
        ++has_[holder];
        return true;
      }
    }
    std::vector<bool> asked(holders_.size(), false);
    if (!hand_on(holder, asked)) return false;
    ++has_[holder];
    return true;
  }

  [[nodiscard]] const std::vector<int>& counts() const { return has_; }

 private:
  static constexpr int nobody = -1;

  /// Gives `holder` a core of another holder, which then takes a different one.
  bool hand_on(std::size_t holder, std::vector<bool>& asked) {
    asked[holder] = true;
    for (const int core : holders_[holder].may) {
      const int owner = owner_[core];
      if (owner == nobody) {
        owner_[core] = static_cast<int>(holder);
        return true;
      }
      const auto other = static_cast<std::size_t>(owner);
      if (asked[other]) continue;
      if (hand_on(other, asked)) {
        owner_[core] = static_cast<int>(holder);
        return true;
      }
    }
    return false;
  }

  const std::vector<Holder>& holders_;
  std::map<int, int> owner_;
  std::vector<int> has_;
};

/// As many cores as it wants; where no other holder may use one of its cores, all of them.
int most_for(const std::vector<Holder>& holders, std::size_t self) {
  for (std::size_t h = 0; h < holders.size(); ++h) {
    if (h != self && holders[h].may.intersects(holders[self].may)) return holders[self].want;
  }
  return static_cast<int>(holders[self].may.size());
}

}  // namespace

std::vector<int> fair_counts(const std::vector<Holder>& holders) {
  Dealing dealing(holders);
  std::vector<int> most(holders.size());
  for (std::size_t h = 0; h < holders.size(); ++h) most[h] = most_for(holders, h);
  std::vector<bool> done(holders.size(), false);
  for (;;) {
    std::size_t next = holders.size();
    double best = -1;
    for (std::size_t h = 0; h < holders.size(); ++h) {
      const int has = dealing.counts()[h];
      if (done[h] || has >= most[h]) continue;
      const double due = has == 0 ? 1e12 : static_cast<double>(holders[h].weight) / (has + 1);
      if (due > best) {
        best = due;
        next = h;
      }
    }
    if (next == holders.size()) return dealing.counts();
    if (!dealing.deal(next)) done[next] = true;  // it will not be possible later either
  }
}

CoreCpuSet free_cores(const std::vector<Holder>& holders) {
  CoreCpuSet all;
  CoreCpuSet taken;
  for (const Holder& holder : holders) {
    all |= holder.may;
    taken |= holder.holds;
  }
  return all - taken;
}

std::optional<std::pair<int, int>> exchange(const std::vector<Holder>& holders, const std::vector<int>& counts,
                                            std::size_t self) {
  const CoreCpuSet free = free_cores(holders);
  auto free_for = [&](const Holder& holder) {
    return std::find_if(free.begin(), free.end(), [&](int core) { return holder.may.contains(core); });
  };
  if (free_for(holders[self]) == free.end()) return std::nullopt;
  // A breadth-first search from each holder that is short of cores: over holders whose cores it may use, until one
  // that can take a free core.
  for (std::size_t s = 0; s < holders.size(); ++s) {
    if (static_cast<int>(holders[s].holds.size()) >= counts[s] || free_for(holders[s]) != free.end()) continue;
    std::vector<bool> seen(holders.size(), false);
    std::vector<std::size_t> path{s};
    seen[s] = true;
    for (std::size_t at = 0; at < path.size(); ++at) {
      const Holder& asking = holders[path[at]];
      for (std::size_t h = 0; h < holders.size(); ++h) {
        if (seen[h]) continue;
        const auto core = std::find_if(holders[h].holds.begin(), holders[h].holds.end(),
                                       [&](int each) { return asking.may.contains(each); });
        if (core == holders[h].holds.end()) continue;
        seen[h] = true;
        path.push_back(h);
        const auto instead = free_for(holders[h]);
        if (instead == free.end()) continue;
        if (h == self) return std::pair(*core, *instead);
        return std::nullopt;  // it is another holder's turn: one exchange at a time
      }
    }
  }
  return std::nullopt;
}

}  // namespace charm::lease
