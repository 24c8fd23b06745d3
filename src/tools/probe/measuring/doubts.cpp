#include "tools/probe/measuring/doubts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/format.hpp"

namespace charm::probe {
namespace {

// More busy than this and medians no longer come out the same; a daemon or two stay below.
constexpr double most_busy = 0.10;
// Share of the pairs that other work may hold up or make uneven.
constexpr double most_uneven = 0.25;
// Share of the pairs that were measured, where all should be.
constexpr double fewest_measured = 0.9;
// The same cores move the same bytes in one process or in many. First touches on other nodes may cost half.
constexpr double most_between_processes = 4;
// A line that takes as long as this goes through the kernel's scheduler, not through caches.
constexpr double longest_latency_ns = 20000;
// More than any core reads from beyond its own caches.
constexpr double most_gb_per_s_of_a_core = 250;

std::string gb(double value) { return base::three_digits(value) + " GB/s"; }

const Curve* curve_named(const Profile& profile, const std::string& name) {
  for (const Curve& curve : profile.curves) {
    if (curve.name == name) return &curve;
  }
  return nullptr;
}

void look_at_stream(const Profile& profile, std::vector<std::string>& doubts) {
  const Curve* curve = curve_named(profile, "STREAM by processes");
  if (curve == nullptr) return;
  for (const Series& series : curve->series) {
    const Point* least = nullptr;
    const Point* most = nullptr;
    for (const Point& point : series.points) {
      if (!(point.y > 0)) continue;
      if (least == nullptr || point.y < least->y) least = &point;
      if (most == nullptr || point.y > most->y) most = &point;
    }
    if (least == nullptr || most->y <= most_between_processes * least->y) continue;
    const auto processes = [](const Point& p) {
      return p.x > 1 ? std::to_string(std::lround(p.x)) + " processes" : std::string("one process");
    };
    doubts.push_back("STREAM " + series.label + " gave " + gb(least->y) + " to " + processes(*least) + " and " +
                     gb(most->y) + " to " + processes(*most) + " on the same cores");
    return;
  }
}

void look_at_memory(const Profile& profile, std::vector<std::string>& doubts) {
  const double cores = static_cast<double>(std::max<std::size_t>(1, profile.cpus.size()));
  if (profile.summary.memory_gb_per_s > most_gb_per_s_of_a_core * cores) {
    doubts.push_back("memory gave " + gb(profile.summary.memory_gb_per_s) + " to " +
                     base::counted(profile.cpus.size(), "cpu"));
  }
  const Curve* latency = curve_named(profile, "Latency by working set");
  if (latency == nullptr) return;
  for (const Series& series : latency->series) {
    if (series.points.size() < 2 || !(series.points.front().y > 0)) continue;
    const double first = series.points.front().y;
    const double last = series.points.back().y;
    if (last > 0 && first > 2 * last) {
      doubts.push_back("the smallest working set took " + base::three_digits(first) + " ns a load, the largest " +
                       base::three_digits(last) + " ns");
      return;
    }
  }
}

void look_at_pairs(const Profile& profile, std::vector<std::string>& doubts) {
  const auto n = static_cast<std::size_t>(profile.latency.rows());
  const std::size_t all = n < 2 ? 0 : n * (n - 1) / 2;
  std::size_t pairs = 0;
  std::size_t uneven = 0;
  std::vector<double> latencies;
  for (int i = 0; i < profile.latency.rows(); ++i) {
    for (int j = 0; j < i; ++j) {
      if (!profile.latency.measured(i, j)) continue;
      ++pairs;
      latencies.push_back(profile.latency.at(i, j));
      const auto row = static_cast<std::size_t>(i);
      const auto column = static_cast<std::size_t>(j);
      if (row < profile.latency_spread.size() && column < profile.latency_spread[row].size())
        uneven += profile.latency_spread[row][column] > 0.1;
    }
  }
  if (pairs == 0) return;
  if (!profile.sampled && static_cast<double>(pairs) < fewest_measured * static_cast<double>(all))
    doubts.push_back("only " + std::to_string(pairs) + " of " + std::to_string(all) +
                     " pairs of cpus could be measured");
  if (static_cast<double>(uneven) > most_uneven * static_cast<double>(pairs) && uneven > 1) {
    doubts.push_back(std::to_string(uneven) + " of " + std::to_string(pairs) +
                     " latencies spread by more than 10 % of their median");
  }
  if (const double middle = summarise(latencies).median; middle > longest_latency_ns)
    doubts.push_back("a line took " + base::three_digits(middle) + " ns from core to core");
}

}  // namespace

std::vector<std::string> doubts_about(const Profile& profile) {
  std::vector<std::string> doubts;
  if (profile.busy > most_busy) {
    doubts.push_back("the cpus were " + std::to_string(std::lround(profile.busy * 100)) +
                     " % busy with other work while it was measured");
  }
  look_at_pairs(profile, doubts);
  look_at_stream(profile, doubts);
  look_at_memory(profile, doubts);
  return doubts;
}

}  // namespace charm::probe
