// The line-granular back-end: every access looks for its line in the tags of its core and its chiplet, and in a
// directory that knows for each line which chiplets hold it, which one changed it, and who touched it last.
//
// Invariant: a chiplet's bit in a line's directory entry is set exactly while its tags hold the line, so a hit costs
// one load. Large jobs are sampled: one line and one cache set in so many, which leaves every hit rate as it is.
#include <charm/error.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "sim/access.hpp"
#include "sim/backend.hpp"
#include "sim/tags.hpp"

namespace charm::sim {
namespace {

struct Line {
  std::uint64_t holders = 0;  // a bit for each chiplet in use
  std::int16_t owner = -1;    // the chiplet that changed it and still has it
  std::int16_t last = -1;     // the worker that touched it last
  std::uint16_t version = 0;  // goes up when another worker writes
  std::uint8_t component = 0;
  bool last_wrote = false;
};

struct Counts {
  std::uint64_t own_l2 = 0, own_chiplet = 0, neighbour = 0, memory = 0, written_back = 0, all = 0;
  std::uint64_t from[3] = {}, upgrade[3] = {};  // other chiplet, other node, other socket
};

class Caches {
 public:
  Caches(const Job& job, double sampling, std::uint64_t seed) : forward_(clean_forward), random_(seed) {
    std::map<int, int> index;
    const Machine& machine = job.model->machine;
    std::vector<double> room;
    for (const Seat& seat : job.seats) {
      const Chiplet& chiplet = machine.chiplets[static_cast<std::size_t>(seat.chiplet)];
      auto [at, is_new] = index.try_emplace(seat.chiplet, static_cast<int>(room.size()));
      if (is_new) {
        room.push_back(static_cast<double>(chiplet.l3_bytes));
        sites_.push_back({chiplet.node, chiplet.socket});
      }
      const auto l2 = static_cast<double>(machine.cores[static_cast<std::size_t>(seat.core)].l2_bytes);
      room[static_cast<std::size_t>(at->second)] += l2;
      site_of_.push_back(at->second);
      l2_.emplace_back(l2 / line_bytes / sampling);
      l2_version_.emplace_back(l2_.back().slots(), 0);
    }
    if (room.size() > 64) {
      throw Error(Errc::bad_config, "the line-granular back-end takes workers on at most 64 chiplets",
                  "use the analytic back-end, or fewer workers");
    }
    for (const double bytes : room) l3_.emplace_back(bytes / line_bytes / sampling);
  }

  /// \returns the first of `count` new lines.
  std::uint32_t add_lines(std::uint32_t count, std::uint8_t component) {
    const auto first = static_cast<std::uint32_t>(lines_.size());
    lines_.resize(lines_.size() + count);
    for (std::size_t i = first; i < lines_.size(); ++i) lines_[i].component = component;
    return first;
  }

  void touch(std::size_t w, const Access& access, std::vector<Counts>& counts) {
    Line& line = lines_[access.line];
    Counts& count = counts[line.component];
    const auto site = static_cast<std::size_t>(site_of_[w]);
    const std::uint64_t bit = std::uint64_t{1} << site;
    ++count.all;
    const bool here = (line.holders & bit) != 0;
    std::int64_t slot = l2_[w].find(access.line);
    const bool own = here && slot >= 0 && l2_version_[w][static_cast<std::size_t>(slot)] == line.version;
    if (own) {
      ++count.own_l2;
    } else if (here) {
      const bool fresh = line.last_wrote && line.last != static_cast<std::int16_t>(w) &&
                         site_of_[static_cast<std::size_t>(line.last)] == static_cast<int>(site);
      ++(fresh ? count.neighbour : count.own_chiplet);
    } else {
      fetch(line, site, count);
      std::uint32_t out = 0;
      l3_[site].insert(access.line, random_, out);
      line.holders |= bit;
      if (out != Tags<16>::none) evict(lines_[out], site, counts);
    }
    if (slot < 0) {
      std::uint32_t out = 0;
      slot = static_cast<std::int64_t>(l2_[w].insert(access.line, random_, out));
    }
    if (access.write) write(access.line, line, w, site, here, count);
    l2_version_[w][static_cast<std::size_t>(slot)] = line.version;
    line.last = static_cast<std::int16_t>(w);
    line.last_wrote = access.write;
  }

 private:
  struct Site {
    int node, socket;
  };

  [[nodiscard]] std::size_t distance(std::size_t a, std::size_t b) const {
    return sites_[a].socket != sites_[b].socket ? 2 : sites_[a].node != sites_[b].node ? 1 : 0;
  }

  void fetch(const Line& line, std::size_t site, Counts& count) {
    if (line.owner >= 0) {
      ++count.from[distance(site, static_cast<std::size_t>(line.owner))];
    } else if (line.holders != 0 && random_.unit() < forward_) {
      auto skip = random_.below(static_cast<std::uint32_t>(std::popcount(line.holders)));
      std::uint64_t left = line.holders;
      while (skip-- > 0) left &= left - 1;
      ++count.from[distance(site, static_cast<std::size_t>(std::countr_zero(left)))];
    } else {
      ++count.memory;
    }
  }

  void evict(Line& line, std::size_t site, std::vector<Counts>& counts) {
    line.holders &= ~(std::uint64_t{1} << site);
    if (line.owner == static_cast<std::int16_t>(site)) {
      line.owner = -1;
      ++counts[line.component].written_back;
    }
  }

  void write(std::uint32_t id, Line& line, std::size_t w, std::size_t site, bool was_here, Counts& count) {
    const std::uint64_t bit = std::uint64_t{1} << site;
    std::size_t farthest = 0;
    const bool taken = (line.holders & ~bit) != 0;
    for (std::uint64_t left = line.holders & ~bit; left != 0; left &= left - 1) {
      const auto other = static_cast<std::size_t>(std::countr_zero(left));
      l3_[other].remove(id);
      farthest = std::max(farthest, distance(site, other));
    }
    if (taken && was_here) ++count.upgrade[farthest];
    line.holders = bit;
    line.owner = static_cast<std::int16_t>(site);
    if (line.last != static_cast<std::int16_t>(w)) ++line.version;
  }

  double forward_;
  Random random_;
  std::vector<Site> sites_;
  std::vector<int> site_of_;  // by worker
  std::vector<Tags<16>> l3_;
  std::vector<Tags<8>> l2_;
  std::vector<std::vector<std::uint16_t>> l2_version_;
  std::vector<Line> lines_;
};

double all_lines(const Job& job) {
  double sum = 0;
  for (const auto& component : job.phase->components) {
    for (const auto& group : groups_of(job, component)) sum += group_bytes(component, group.size()) / line_bytes;
  }
  return sum;
}

double cache_lines(const Job& job) {
  std::map<int, double> lines;
  for (const Seat& seat : job.seats) {
    const Machine& machine = job.model->machine;
    lines[seat.chiplet] =
        static_cast<double>(machine.chiplets[static_cast<std::size_t>(seat.chiplet)].l3_bytes) / line_bytes;
  }
  double sum = 0;
  for (const auto& [chiplet, count] : lines) sum += count;
  return sum;
}

/// Turns until the caches are as they will stay: each line was touched, or the caches were filled twice over.
double round_of(const Job& job, double most_accesses) {
  double round = 1;
  const double refill = 2 * cache_lines(job) / static_cast<double>(job.seats.size());
  for (const auto& component : job.phase->components) {
    const double often = component.accesses / most_accesses;
    for (const auto& group : groups_of(job, component)) {
      const double touchers = component.reach == Component::Reach::shared ? 1.0 : static_cast<double>(group.size());
      const double lines = group_bytes(component, group.size()) / line_bytes / touchers;
      round = std::max(round, std::min(lines, refill) / often);
    }
  }
  return round;
}

/// One line in so many: few enough lines and accesses, but caches that still have some hundred lines.
double sampling_of(const Job& job, double most_lines, double accesses, double most_accesses) {
  double smallest = std::numeric_limits<double>::max();
  for (const Seat& seat : job.seats) {
    const auto& chiplet = job.model->machine.chiplets[static_cast<std::size_t>(seat.chiplet)];
    smallest = std::min(smallest, static_cast<double>(chiplet.l3_bytes) / line_bytes);
  }
  const double most = std::max(1.0, std::floor(smallest / 1024));
  return std::clamp(std::ceil(std::max(all_lines(job) / most_lines, accesses / most_accesses)), 1.0, most);
}

}  // namespace

LinesResult line_mixes(const Job& job, const LinesOptions& options) {
  const auto& components = job.phase->components;
  const std::size_t workers = job.seats.size();
  LinesResult result;
  double most_accesses = 0, per_turn = 0;  // of a component in an operation; of a worker in a turn
  for (const auto& component : components) most_accesses = std::max(most_accesses, component.accesses);
  for (const auto& component : components) per_turn += component.accesses / most_accesses;
  const double accesses_per_turn = per_turn * static_cast<double>(workers), rounds = 2 * options.measured_rounds + 1;
  double round = round_of(job, most_accesses);
  result.sampling = sampling_of(job, static_cast<double>(options.most_lines), rounds * round * accesses_per_turn,
                                static_cast<double>(options.most_accesses));
  round /= result.sampling;
  Caches caches(job, result.sampling, options.seed);
  std::vector<std::vector<Accesses>> streams(workers);
  std::uint64_t seed = options.seed;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const Component& component = components[i];
    for (const auto& group : groups_of(job, component)) {
      const double lines = group_bytes(component, group.size()) / line_bytes / result.sampling;
      // What is small is not to vanish in the sample.
      const double least = component.reach == Component::Reach::pair ? 8.0 * static_cast<double>(group.size()) : 8.0;
      const auto count = static_cast<std::uint32_t>(std::max(least, std::round(lines)));
      const std::uint32_t first = caches.add_lines(count, static_cast<std::uint8_t>(i));
      for (std::uint32_t m = 0; m < group.size(); ++m) {
        streams[static_cast<std::size_t>(group[m])].emplace_back(
            component, Accesses::Place{first, count, m, static_cast<std::uint32_t>(group.size()),
                                       wanders(component, group.size()), mixed(++seed)});
      }
    }
  }

  std::vector<std::vector<Counts>> counts(workers, std::vector<Counts>(components.size()));
  std::vector<double> credit(components.size(), 0);
  std::vector<Counts> scratch(components.size());
  const auto play = [&](double turns, bool counted) {
    const auto all = static_cast<std::uint64_t>(turns);
    for (std::uint64_t turn = 0; turn < all; ++turn) {
      for (std::size_t i = 0; i < components.size(); ++i) {
        credit[i] += components[i].accesses / most_accesses;
        for (; credit[i] >= 1; credit[i] -= 1) {
          for (std::size_t w = 0; w < workers; ++w) {
            caches.touch(w, streams[w][i].next(), counted ? counts[w] : scratch);
          }
        }
      }
    }
  };
  const double most = static_cast<double>(options.most_accesses) / accesses_per_turn;
  const double least = static_cast<double>(options.least_accesses) / accesses_per_turn;
  const double measured = std::clamp(round * options.measured_rounds, least, most / 2);
  play(std::clamp(round * (options.measured_rounds + 1), least, most / 2), false);
  play(measured, true);

  result.mixes.assign(workers, {});
  for (const auto& count : scratch) result.accesses += count.all;
  for (std::size_t w = 0; w < workers; ++w) {
    for (const Counts& c : counts[w]) {
      result.accesses += c.all;
      const double all = std::max<double>(1, static_cast<double>(c.all));
      const auto share = [&](std::uint64_t n) { return static_cast<double>(n) / all; };
      result.mixes[w].push_back({share(c.own_l2), share(c.own_chiplet), share(c.neighbour), share(c.from[0]),
                                 share(c.from[1]), share(c.from[2]), share(c.memory),
                                 share(c.upgrade[0] + c.upgrade[1]), share(c.upgrade[2]), share(c.written_back)});
    }
  }
  return result;
}

}  // namespace charm::sim
