// The analytic back-end. Each cache is exactly full, which determines the rate at which its lines leave, and from that
// the hit rate of every pattern (residency.hpp). A chiplet's cache is its L3 and the L2s of its workers
// together, since the L3 takes the lines that the L2s evict; the caches of other chiplets never hold lines for it.
#include <algorithm>
#include <cmath>
#include <map>

#include "tools/sim/backend.hpp"
#include "tools/sim/residency.hpp"

namespace charm::sim {
namespace {

struct Member {
  Share share;                      // as seen from the worker's chiplet
  Share own_share;                  // as seen from its L2
  std::map<int, double> elsewhere;  // workers of the group on other chiplets
};

/// e such that the cache is just full; 0 where everything fits.
double eviction_rate(const std::vector<std::pair<Share, double>>& shares, double capacity) {
  const auto filled = [&](double e) {
    double sum = 0;
    for (const auto& [share, times] : shares) sum += times * occupancy(share, e);
    return sum;
  };
  if (filled(0) <= capacity) return 0;
  double low = 1e-14, high = 1e3;
  for (int i = 0; i < 80; ++i) {
    const double middle = std::sqrt(low * high);
    (filled(middle) > capacity ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

std::vector<double> fingerprint(const std::vector<std::pair<Share, double>>& shares, double capacity) {
  std::vector<double> key{capacity};
  for (const auto& [share, times] : shares) {
    key.insert(key.end(),
               {times, share.lines, share.here, share.all, share.wanders ? 1.0 : 0.0, share.pair_together ? 1.0 : 0.0});
  }
  return key;
}

class Steady {
 public:
  explicit Steady(const Job& job) : job_(job), workers_(job.worker_cores.size()) {
    find_members();
    find_evictions();
  }

  Mixes mixes() const {
    Mixes out(workers_);
    for (std::size_t w = 0; w < workers_; ++w) {
      for (std::size_t i = 0; i < job_.phase->components.size(); ++i) out[w].push_back(mix(w, i));
    }
    return out;
  }

 private:
  [[nodiscard]] const WorkerCore& worker_core(std::size_t w) const { return job_.worker_cores[w]; }

  void find_members() {
    members_.assign(workers_, std::vector<Member>(job_.phase->components.size()));
    for (std::size_t i = 0; i < job_.phase->components.size(); ++i) {
      const Component& component = job_.phase->components[i];
      for (const auto& group : groups_of(job_, component)) {
        std::map<int, double> on;
        for (const int w : group) ++on[worker_core(static_cast<std::size_t>(w)).chiplet];
        for (const int w : group) {
          Member& m = members_[static_cast<std::size_t>(w)][i];
          const int here = worker_core(static_cast<std::size_t>(w)).chiplet;
          const auto all = static_cast<double>(group.size());
          m.share = {&component,
                     group_bytes(component, group.size()) / line_bytes,
                     on[here],
                     all,
                     wanders(component, group.size()),
                     on[here] > 1};
          if (component.reach == Component::Reach::pair && group.size() < 2) m.share.pair_together = true;
          m.own_share = m.share;
          m.own_share.here = 1;
          m.own_share.pair_together = group.size() < 2;
          m.elsewhere = on;
          m.elsewhere.erase(here);
        }
      }
    }
  }

  void find_evictions() {
    std::map<int, std::vector<std::size_t>> on;
    for (std::size_t w = 0; w < workers_; ++w) on[worker_core(w).chiplet].push_back(w);
    std::map<std::vector<double>, double> known;
    const auto solve = [&](const std::vector<std::pair<Share, double>>& shares, double capacity) {
      auto [at, is_new] = known.try_emplace(fingerprint(shares, capacity), 0);
      if (is_new) at->second = eviction_rate(shares, capacity);
      return at->second;
    };
    own_evict_.resize(workers_);
    for (const auto& [chiplet, here] : on) {
      auto capacity = static_cast<double>(job_.model->machine.chiplets[static_cast<std::size_t>(chiplet)].l3_bytes);
      std::vector<std::pair<Share, double>> shares;
      for (const std::size_t w : here) {
        const auto& core = job_.model->machine.cores[static_cast<std::size_t>(worker_core(w).core)];
        capacity += static_cast<double>(core.l2_bytes);
        std::vector<std::pair<Share, double>> own;
        for (const Member& m : members_[w]) {
          shares.emplace_back(m.share, 1 / m.share.here);
          // Of a pair's two mailboxes a worker's own L2 holds both.
          own.emplace_back(m.own_share, 1);
        }
        own_evict_[w] = solve(own, static_cast<double>(core.l2_bytes) / line_bytes);
      }
      evict_[chiplet] = solve(merged(shares), capacity / line_bytes);
    }
  }

  /// Equal shares once, with their number.
  static std::vector<std::pair<Share, double>> merged(const std::vector<std::pair<Share, double>>& shares) {
    std::vector<std::pair<Share, double>> out;
    for (const auto& [share, times] : shares) {
      bool found = false;
      for (auto& [other, count] : out) {
        if (other.component == share.component && other.lines == share.lines && other.here == share.here &&
            other.all == share.all && other.pair_together == share.pair_together) {
          count += times;
          found = true;
          break;
        }
      }
      if (!found) out.emplace_back(share, times);
    }
    return out;
  }

  [[nodiscard]] Mix mix(std::size_t w, std::size_t i) const {
    const Member& m = members_[w][i];
    const double e = evict_.at(worker_core(w).chiplet);
    if (m.share.component->reach == Component::Reach::pair && m.share.all > 1) return pair_mix(w, m, e);
    Mix out;
    const double hit = hit_rate(m.share, e), writes = m.share.component->writes;
    out.own_l2 = std::min(hit, hit_rate(m.own_share, own_evict_[w]));
    const double neighbours = m.share.here > 1 ? writes * (m.share.here - 1) / m.share.here : 0;
    out.neighbour = (hit - out.own_l2) * neighbours;
    out.own_chiplet = hit - out.own_l2 - out.neighbour;
    out.written_back = write_backs(m.share, e);

    const auto& chiplets = job_.model->machine.chiplets;
    const Chiplet& home = chiplets[static_cast<std::size_t>(worker_core(w).chiplet)];
    double near = 0, node = 0, far = 0, absent = 1, evict_there = 0;
    for (const auto& [chiplet, there] : m.elsewhere) {
      const double e_there = evict_.at(chiplet), presence = presence_there(m.share, there, e_there);
      const Chiplet& other = chiplets[static_cast<std::size_t>(chiplet)];
      (other.socket != home.socket ? far : other.node != home.node ? node : near) += presence;
      absent *= 1 - presence;
      evict_there += e_there * there / (m.share.all - m.share.here);
    }
    const double total = near + node + far;
    double supplied = 0;
    if (total > 0) {
      const double dirty = dirty_elsewhere(m.share, e, evict_there);
      supplied = (1 - hit) * (dirty + (1 - dirty) * (1 - absent) * job_.model->free.clean_forward);
      out.other_chiplet = supplied * near / total;
      out.other_node = supplied * node / total;
      out.other_socket = supplied * far / total;
      const double taken = writes * hit * (1 - absent);
      out.upgrade_near = taken * (near + node) / total;
      out.upgrade_far = taken * far / total;
    }
    out.memory = std::max(0.0, 1 - hit - supplied);
    return out;
  }

  /// Half of the accesses write to the own mailbox, half read the partner's.
  [[nodiscard]] Mix pair_mix(std::size_t w, const Member& m, double e) const {
    Mix out;
    const double t = m.share.lines / 2 / m.share.component->accesses;
    const double y = std::exp(-e * t);
    out.written_back = write_backs(m.share, e);
    if (m.share.pair_together) {
      const double own = std::exp(-2 * own_evict_[w] * t);
      out.own_l2 = std::min(y, own) / 2;
      out.neighbour = y / 2;
      out.own_chiplet = (y - std::min(y, own)) / 2;
      out.memory = 1 - y;
      return out;
    }
    const auto& chiplets = job_.model->machine.chiplets;
    const Chiplet& home = chiplets[static_cast<std::size_t>(worker_core(w).chiplet)];
    const int there = m.elsewhere.begin()->first;
    const Chiplet& other = chiplets[static_cast<std::size_t>(there)];
    const double z = std::exp(-evict_.at(there) * t), x = y * y;
    out.own_l2 = std::min(x, std::exp(-2 * own_evict_[w] * t)) / 2;
    out.own_chiplet = x / 2 - out.own_l2;
    const bool far = other.socket != home.socket;
    (far ? out.other_socket : other.node != home.node ? out.other_node : out.other_chiplet) = (z + (1 - x) * z) / 2;
    (far ? out.upgrade_far : out.upgrade_near) = x * z / 2;
    out.memory = std::max(0.0, 1 - out.own_l2 - out.own_chiplet - (z + (1 - x) * z) / 2);
    return out;
  }

  const Job& job_;
  std::size_t workers_;
  std::vector<std::vector<Member>> members_;  // [worker][component]
  std::map<int, double> evict_;               // by chiplet
  std::vector<double> own_evict_;             // by worker, of its L2
};

}  // namespace

Mixes analytic_mixes(const Job& job) { return Steady(job).mixes(); }

}  // namespace charm::sim
