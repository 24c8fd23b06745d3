// The line-granular back-end: every access looks up its line in tags and directory (caches.hpp). Large jobs are
// sampled: only one line and one cache set in so many are simulated, which leaves every hit rate as it is (R. E.
// Kessler, M. D. Hill, D. A. Wood, "A comparison of trace-sampling techniques for multi-megabyte caches", IEEE ToC
// 1994). Data so large that even the sample is many times the caches is reduced in the same way. The sample's error is
// estimated from blocks of the measured accesses; bench-sim compares it with finer samples.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "tools/sim/access.hpp"
#include "tools/sim/backend.hpp"
#include "tools/sim/caches.hpp"

namespace charm::sim {
namespace {

constexpr std::uint32_t blocks = 8;    // of the measured accesses, for the error
constexpr double most_kept = 1 << 20;  // lines at all, whatever the job is, unless more are asked for
constexpr double least_l3_lines = 1024, least_l2_lines = 128;  // of the smallest caches in the sample
static_assert(3 * most_kept < Tags<16>::most_lines, "ids have to fit the tags");

double all_lines(const Job& job) {
  double sum = 0;
  for (const auto& component : job.phase->components) {
    for (const auto& group : groups_of(job, component)) sum += group_bytes(component, group.size()) / line_bytes;
  }
  return sum;
}

double cache_lines(const Job& job) {
  std::map<int, double> lines;
  for (const WorkerCore& worker_core : job.worker_cores) {
    const Machine& machine = job.model->machine;
    lines[worker_core.chiplet] =
        static_cast<double>(machine.chiplets[static_cast<std::size_t>(worker_core.chiplet)].l3_bytes) / line_bytes;
  }
  double sum = 0;
  for (const auto& [chiplet, count] : lines) sum += count;
  return sum;
}

/// Turns until the caches are as they will stay: each line was touched, or the caches were filled twice over.
double round_of(const Job& job, double most_accesses) {
  double round = 1;
  const double refill = 2 * cache_lines(job) / static_cast<double>(job.worker_cores.size());
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
  double most = std::numeric_limits<double>::max();
  const Machine& machine = job.model->machine;
  for (const WorkerCore& worker_core : job.worker_cores) {
    const auto l3 = static_cast<double>(machine.chiplets[static_cast<std::size_t>(worker_core.chiplet)].l3_bytes),
               l2 = static_cast<double>(machine.cores[static_cast<std::size_t>(worker_core.core)].l2_bytes);
    // Some machines have no L3 to speak of; there the L2s decide.
    if (l3 > l2) most = std::min(most, l3 / line_bytes / least_l3_lines);
    most = std::min(most, l2 / line_bytes / least_l2_lines);
  }
  most = std::max(1.0, std::floor(most));
  return std::clamp(std::ceil(std::max(all_lines(job) / most_lines, accesses / most_accesses)), 1.0, most);
}

/// Lines that stand for a group's. What is small is not to vanish in the sample.
double sampled_lines(const Component& component, std::size_t members, double sampling) {
  const double least = component.reach == Component::Reach::pair ? 8.0 * static_cast<double>(members) : 8.0;
  return std::max(least, std::round(group_bytes(component, members) / line_bytes / sampling));
}

/// The size at which the largest are to be cut so that their sum is no more than `most`. All of the caches hold next to
/// nothing of what is so large, either way.
double cut(std::vector<double> sizes, double most) {
  std::sort(sizes.begin(), sizes.end());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double each = most / static_cast<double>(sizes.size() - i);
    if (sizes[i] > each) return std::max(16.0, std::floor(each));
    most -= sizes[i];
  }
  return std::numeric_limits<double>::max();
}

Mix mix_of(const Caches::Counts& c) {
  const double all = std::max<double>(1, static_cast<double>(c.all));
  const auto share = [&](std::uint64_t n) { return static_cast<double>(n) / all; };
  return {share(c.own_l2),     share(c.own_chiplet), share(c.neighbour), share(c.from[0]),
          share(c.from[1]),    share(c.from[2]),     share(c.memory),    share(c.upgrade[0] + c.upgrade[1]),
          share(c.upgrade[2]), share(c.written_back)};
}

/// Workers, their streams of accesses and the caches, played turn by turn.
class Play {
 public:
  Play(const Job& job, double sampling, double most_lines, double most_accesses, std::uint64_t seed)
      : components_(job.phase->components),
        workers_(job.worker_cores.size()),
        counts_(workers_ * components_.size()),
        credit_(components_.size(), 0) {
    struct Group {
      std::size_t component;
      std::vector<int> members;
      std::uint32_t lines;
    };
    std::vector<Group> groups;
    std::vector<double> sizes;
    for (std::size_t i = 0; i < components_.size(); ++i) {
      for (auto& members : groups_of(job, components_[i])) {
        sizes.push_back(sampled_lines(components_[i], members.size(), sampling));
        groups.push_back({i, std::move(members), 0});
      }
    }
    const double most = cut(sizes, std::clamp(most_lines, most_kept, 2 * most_kept));
    double lines = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      groups[g].lines = static_cast<std::uint32_t>(std::min(most, sizes[g]));
      lines += groups[g].lines;
    }
    caches_ = std::make_unique<Caches>(job, sampling, lines, seed);
    struct Start {
      Accesses::Place place;
      std::shared_ptr<const LineDraw> draw;
    };
    std::vector<std::vector<Start>> starts(components_.size(), std::vector<Start>(workers_));
    for (const Group& group : groups) {
      const Component& component = components_[group.component];
      const std::uint32_t first = caches_->add_lines(group.lines, static_cast<std::uint8_t>(group.component));
      std::shared_ptr<const LineDraw> draw;
      if (component.order == Component::Order::random) {
        draw = std::make_shared<const LineDraw>(component.popularity, group.lines);
      }
      const auto size = static_cast<std::uint32_t>(group.members.size());
      for (std::uint32_t m = 0; m < size; ++m) {
        const Accesses::Place place{first, group.lines, m, size, wanders(component, size), base::mixed(++seed)};
        starts[group.component][static_cast<std::size_t>(group.members[m])] = {place, draw};
      }
    }
    for (std::size_t i = 0; i < components_.size(); ++i) {
      streams_.emplace_back();
      for (const Start& start : starts[i]) streams_.back().emplace_back(components_[i], start.place, start.draw);
      credits_.push_back(components_[i].accesses / most_accesses);
      next_.emplace_back();
      for (auto& stream : streams_.back()) next_.back().push_back(stream.next());
    }
  }

  /// In a turn each worker makes one access to the component that has most of them, and their share to the others.
  void turns(std::uint64_t count) {
    for (std::uint64_t turn = 0; turn < count; ++turn) {
      for (std::size_t i = 0; i < credits_.size(); ++i) {
        credit_[i] += credits_[i];
        for (; credit_[i] >= 1; credit_[i] -= 1) {
          Caches::Counts* counts = counts_.data();
          Access* next = next_[i].data();
          for (std::size_t w = 0; w < workers_; ++w, counts += components_.size()) {
            caches_->touch(w, next[w], counts);
            // What is drawn depends on nobody's caches: a turn ahead, so that its lines are on the way meanwhile.
            next[w] = streams_[i][w].next();
            caches_->prefetch(w, next[w].line);
          }
        }
      }
    }
  }

  void forget() { counts_.assign(counts_.size(), {}); }

  [[nodiscard]] const Caches::Counts& counts(std::size_t component, std::size_t worker) const {
    return counts_[worker * components_.size() + component];
  }
  [[nodiscard]] std::uint64_t sum(std::uint64_t Caches::Counts::* member) const {
    std::uint64_t all = 0;
    for (const auto& count : counts_) all += count.*member;
    return all;
  }

 private:
  const std::vector<Component>& components_;
  std::size_t workers_;
  std::unique_ptr<Caches> caches_;
  std::vector<std::vector<Accesses>> streams_;  // [component][worker]
  std::vector<Caches::Counts> counts_;          // [worker][component]
  std::vector<double> credits_, credit_;
  std::vector<std::vector<Access>> next_;  // [component][worker]
};

/// Standard error of the mean of equal blocks.
double error_of(const std::array<double, blocks>& values) {
  double mean = 0, squares = 0;
  for (const double v : values) mean += v / blocks;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return std::sqrt(squares / (blocks - 1) / blocks);
}

}  // namespace

LinesResult line_mixes(const Job& job, const LinesOptions& options) {
  const auto& components = job.phase->components;
  const std::size_t workers = job.worker_cores.size();
  LinesResult result;
  double most_accesses = 0, per_turn = 0;  // of a component in an operation; of a worker in a turn
  for (const auto& component : components) most_accesses = std::max(most_accesses, component.accesses);
  for (const auto& component : components) per_turn += component.accesses / most_accesses;
  const double accesses_per_turn = per_turn * static_cast<double>(workers), rounds = 2 * options.measured_rounds + 1;
  double round = round_of(job, most_accesses);
  result.sampling = sampling_of(job, static_cast<double>(options.most_lines), rounds * round * accesses_per_turn,
                                static_cast<double>(options.most_accesses));
  round /= result.sampling;
  Play play(job, result.sampling, static_cast<double>(options.most_lines), most_accesses, options.seed);

  const double most = static_cast<double>(options.most_accesses) / accesses_per_turn;
  const double least = static_cast<double>(options.least_accesses) / accesses_per_turn;
  const auto turns = [&](double wanted) { return std::clamp(wanted, least, std::max(least, most / 2)); };
  play.turns(static_cast<std::uint64_t>(turns(round * (options.measured_rounds + 1))));
  result.accesses = play.sum(&Caches::Counts::all);
  play.forget();
  const double block = turns(round * options.measured_rounds) / blocks;
  std::array<double, blocks> from_memory{};
  double all = 0, memory = 0;
  for (auto& share : from_memory) {
    play.turns(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(block)));
    const auto all_now = static_cast<double>(play.sum(&Caches::Counts::all)),
               memory_now = static_cast<double>(play.sum(&Caches::Counts::memory));
    share = (memory_now - memory) / std::max(1.0, all_now - all);
    all = all_now;
    memory = memory_now;
  }
  result.error = error_of(from_memory);
  result.accesses += play.sum(&Caches::Counts::all);
  result.mixes.assign(workers, {});
  for (std::size_t w = 0; w < workers; ++w) {
    for (std::size_t i = 0; i < components.size(); ++i) result.mixes[w].push_back(mix_of(play.counts(i, w)));
  }
  return result;
}

}  // namespace charm::sim
