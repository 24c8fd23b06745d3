#include "workloads/streamcluster/local_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "workloads/array.hpp"

namespace charm::workloads {
namespace {

// The constants are PARSEC's (ITER, SP).
constexpr double rounds = 3;
constexpr int speedy_attempts = 1;
constexpr double rough = .1;
constexpr double fine = .001;

/// The state of one search. Centres sit in slots; a point knows the slot of its centre, and a slot is taken again when
/// its centre has been closed. Between two loops only the calling thread changes anything.
class Search {
 public:
  Search(BlockLoop& loop, const Points& points, Draws& draws)
      : loop_(loop),
        points_(points),
        draws_(draws),
        blocks_(points.count),
        block_sums_(size(blocks_.count())),
        costs_(loop.placement().split<float>(points.count)),
        slots_(loop.placement().split<std::int32_t>(points.count)),
        moves_(loop.placement().split<std::uint8_t>(points.count)) {}

  Clustering run(Index least, Index most) {
    if (points_.count <= most) return every_point();
    double high = cost_of_one_center();
    double low = 0;
    z_ = high / 2;
    start(least, high);
    const std::vector<Index> feasible = choose_feasible(least);
    const auto tries = static_cast<Index>(rounds * static_cast<double>(most) * std::log(static_cast<double>(least)));
    while (true) {
      improve(feasible, tries, rough);
      const bool near = (static_cast<double>(open_) <= 1.1 * static_cast<double>(most) &&
                         static_cast<double>(open_) >= .9 * static_cast<double>(least)) ||
                        (open_ <= most + 2 && open_ >= least - 2);
      if (near) improve(feasible, tries, fine);
      if (open_ > most) {
        low = z_;
        z_ = (high + low) / 2;
        cost_ += (z_ - low) * static_cast<double>(open_);
      } else if (open_ < least) {
        high = z_;
        z_ = (high + low) / 2;
        cost_ += (z_ - high) * static_cast<double>(open_);
      }
      if ((open_ <= most && open_ >= least) || low >= .999 * high) break;
    }
    return result();
  }

 private:
  static std::size_t size(Index i) { return static_cast<std::size_t>(i); }

  [[nodiscard]] static float cost_at(const Points& points, Index i, Index center) {
    return squared_distance(points[i], points[center], points.dimensions) * points.weight(i);
  }

  /// The points as the worker that calls is to read them.
  [[nodiscard]] Points here() const { return points_.near(loop_.worker()); }

  [[nodiscard]] double total_of_blocks() const { return std::accumulate(block_sums_.begin(), block_sums_.end(), 0.0); }

  [[nodiscard]] Clustering every_point() const {
    Clustering all;
    all.centers.resize(size(points_.count));
    std::iota(all.centers.begin(), all.centers.end(), Index{0});
    all.center_of.resize(size(points_.count));
    std::iota(all.center_of.begin(), all.center_of.end(), 0);
    return all;
  }

  /// The upper bound of z: with it one centre is as cheap as any number.
  double cost_of_one_center() {
    loop_.run(blocks_, [&](Index block, Index first, Index last) {
      const Points points = here();
      double sum = 0;
      for (Index i = first; i < last; ++i) sum += static_cast<double>(cost_at(points, i, 0));
      block_sums_[size(block)] = sum;
    });
    return total_of_blocks();
  }

  /// A first solution with `least` centres at least: z falls, and its upper bound with it, until there is one.
  void start(Index least, double& high) {
    const double lowest = high * 0x1p-40;
    order_.resize(size(points_.count));
    std::iota(order_.begin(), order_.end(), Index{0});
    draws_.shuffle(order_);
    open_speedily();
    for (int attempt = 0; open_ < least && attempt < speedy_attempts; ++attempt) open_speedily();
    for (int attempt = 0; open_ < least; ++attempt) {
      if (attempt >= speedy_attempts) {
        high = z_;
        z_ = high / 2;
        attempt = 0;
        if (!(z_ > lowest)) break;  // all points lie in fewer places than there shall be centres
      }
      draws_.shuffle(order_);
      open_speedily();
    }
  }

  /// Opens each point in turn with the probability cost/z (Meyerson's online facility location).
  void open_speedily() {
    centers_.assign(1, order_[0]);
    free_.clear();
    assign_all(0, order_[0], true);
    for (std::size_t at = 1; at < order_.size(); ++at) {
      const Index i = order_[at];
      if (!(draws_.uniform() < static_cast<double>(costs_[i]) / z_)) continue;
      centers_.push_back(i);
      assign_all(static_cast<std::int32_t>(centers_.size() - 1), i, false);
    }
    open_ = static_cast<Index>(centers_.size());
    loop_.run(blocks_, [&](Index block, Index first, Index last) {
      double sum = 0;
      for (Index i = first; i < last; ++i) sum += static_cast<double>(costs_[i]);
      block_sums_[size(block)] = sum;
    });
    cost_ = total_of_blocks() + z_ * static_cast<double>(open_);
  }

  /// Gives points to a new centre: all, or those that are nearer to it.
  void assign_all(std::int32_t slot, Index center, bool all) {
    loop_.run(blocks_, [&](Index, Index first, Index last) {
      const Points points = here();
      for (Index i = first; i < last; ++i) {
        const float cost = cost_at(points, i, center);
        if (!all && !(cost < costs_[i])) continue;
        costs_[i] = cost;
        slots_[i] = slot;
      }
    });
  }

  /// Points that may become centres, drawn by weight with replacement; all, if they are few.
  std::vector<Index> choose_feasible(Index least) {
    const auto wanted = static_cast<Index>(rounds * static_cast<double>(least) * std::log(static_cast<double>(least)));
    std::vector<Index> feasible(size(std::clamp(wanted, Index{1}, points_.count)));
    if (static_cast<Index>(feasible.size()) == points_.count) {
      feasible = order_;
      return feasible;
    }
    std::vector<double> sums(size(points_.count));
    double sum = 0;
    for (Index i = 0; i < points_.count; ++i) sums[size(i)] = sum += static_cast<double>(points_.weight(i));
    for (Index& one : feasible) {
      const auto found = std::upper_bound(sums.begin(), sums.end(), draws_.uniform() * sum);
      one = std::min(points_.count - 1, static_cast<Index>(found - sums.begin()));
    }
    return feasible;
  }

  /// Tries feasible points as centres until a pass over them gains less than the share `precision` of the cost.
  void improve(std::vector<Index> feasible, Index tries, double precision) {
    double change = cost_;
    while (change / cost_ > precision) {
      change = 0;
      draws_.shuffle(feasible);
      for (Index i = 0; i < tries; ++i) change += gain(feasible[size(i) % feasible.size()]);
      cost_ -= change;
    }
  }

  /// Opens `candidate` if that pays, with the closing of centres whose points are served well enough by it.
  /// \return what was saved, 0 if nothing was.
  double gain(Index candidate) {
    ++tried_;
    const std::size_t slots = centers_.size();
    savings_.assign(size(blocks_.count()) * slots, 0);
    loop_.run(blocks_, [&](Index block, Index first, Index last) {
      const Points points = here();
      double opening = 0;
      double* savings = savings_.data() + size(block) * slots;
      for (Index i = first; i < last; ++i) {
        const float there = cost_at(points, i, candidate);
        const double difference = static_cast<double>(there) - static_cast<double>(costs_[i]);
        moves_[i] = difference < 0 ? 1 : 0;
        if (difference < 0)
          opening += difference;
        else
          savings[slots_[i]] -= difference;  // if its centre were closed
      }
      block_sums_[size(block)] = opening;
    });
    double opening = z_ + total_of_blocks();
    closing_.assign(slots, 0);
    Index closed = 0;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      if (centers_[slot] < 0) continue;
      double saved = z_;
      for (Index block = 0; block < blocks_.count(); ++block) saved += savings_[size(block) * slots + slot];
      if (!(saved > 0)) continue;
      closing_[slot] = 1;
      ++closed;
      opening -= saved;
    }
    if (!(opening < 0)) return 0;
    open(candidate, closed);
    return -opening;
  }

  void open(Index candidate, Index closed) {
    for (std::size_t slot = 0; slot < closing_.size(); ++slot) {
      if (closing_[slot] == 0) continue;
      centers_[slot] = -1;
      free_.push_back(static_cast<std::int32_t>(slot));
    }
    // Not a slot that was closed just now while its points still name it: they all move to this one.
    const std::int32_t mine = free_.empty() ? static_cast<std::int32_t>(centers_.size()) : free_.back();
    if (free_.empty())
      centers_.push_back(candidate);
    else
      free_.pop_back();
    centers_[static_cast<std::size_t>(mine)] = candidate;
    loop_.run(blocks_, [&](Index, Index first, Index last) {
      const Points points = here();
      for (Index i = first; i < last; ++i) {
        if (moves_[i] == 0 && closing_[static_cast<std::size_t>(slots_[i])] == 0) continue;
        costs_[i] = cost_at(points, i, candidate);
        slots_[i] = mine;
      }
    });
    open_ += 1 - closed;
  }

  [[nodiscard]] Clustering result() const {
    std::vector<std::pair<Index, std::size_t>> open;  // by point, so that the order says nothing of slots
    for (std::size_t slot = 0; slot < centers_.size(); ++slot) {
      if (centers_[slot] >= 0) open.emplace_back(centers_[slot], slot);
    }
    std::sort(open.begin(), open.end());
    Clustering found;
    std::vector<std::int32_t> number(centers_.size(), -1);
    for (const auto& [center, slot] : open) {
      number[slot] = static_cast<std::int32_t>(found.centers.size());
      found.centers.push_back(center);
    }
    found.center_of.resize(size(points_.count));
    for (Index i = 0; i < points_.count; ++i) {
      found.center_of[size(i)] = number[static_cast<std::size_t>(slots_[i])];
      found.cost += static_cast<double>(costs_[i]);
    }
    found.candidates = tried_;
    return found;
  }

  BlockLoop& loop_;
  const Points& points_;
  Draws& draws_;
  Blocks blocks_;
  std::vector<double> block_sums_;
  std::vector<double> savings_;  // block by block, a slot each
  Array<float> costs_;           // by point
  Array<std::int32_t> slots_;    // by point: the slot of its centre
  Array<std::uint8_t> moves_;    // by point: whether the candidate is nearer
  std::vector<Index> order_;     // in which points are opened speedily
  std::vector<Index> centers_;   // by slot: the point, or -1
  std::vector<std::int32_t> free_;
  std::vector<std::uint8_t> closing_;  // by slot
  Index open_ = 0;
  Index tried_ = 0;
  double z_ = 0;
  double cost_ = 0;  // with z_ for each open centre
};

}  // namespace

Clustering local_search(BlockLoop& loop, const Points& points, Index least, Index most, Draws& draws) {
  return Search(loop, points, draws).run(least, most);
}

}  // namespace charm::workloads
