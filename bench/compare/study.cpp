// A study which estimate and which interval `charm compare` should use: several, on the simulated machines of the
// tests. For each noise it prints how often the 95 % interval contains the truth, how often the 99 % interval claims a
// difference where there is none, and how often a slowdown of 5 percent is found; and the same with Welch's t on
// unpaired runs, to show the advantage of pairs. docs/compare.md has the result.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "base/quantile.hpp"
#include "base/random.hpp"
#include "compare/simulated_noise.hpp"
#include "compare/statistics.hpp"

namespace {

using namespace charm::compare;
using namespace charm;
using simulated::Times;

constexpr std::size_t resamples = 3999;

struct Estimate {
  Interval at95, at99;      // of the logarithm of the ratio
  bool needs_both = false;  // to claim a difference
};
bool claims_more(const Estimate& e) { return e.at99.low > 0 && (!e.needs_both || e.at95.low > 0); }
bool claims_less(const Estimate& e) { return e.at99.high < 0 && (!e.needs_both || e.at95.high < 0); }
using Method = std::function<Estimate(const Times&)>;

std::vector<double> log_ratios(const Times& times) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < times.first.size(); ++i) logs.push_back(std::log(times.second[i] / times.first[i]));
  return logs;
}

double quantile(std::vector<double>& values, double at) {
  std::sort(values.begin(), values.end());
  const double rank = at * static_cast<double>(values.size() + 1) - 1;
  return values[static_cast<std::size_t>(std::clamp(rank, 0.0, static_cast<double>(values.size() - 1)))];
}

double student(double level, double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), 0.5 + level / 2);
}

/// Percentiles of a statistic of resampled pairs. \param expanded: further out, by as much as Student's distribution is
/// wider than the normal one (T. Hesterberg 2015).
Estimate percentiles(const Times& times, const std::function<double(const Times&)>& statistic, bool expanded = false) {
  base::Random random(7);
  std::vector<double> values;
  Times drawn = times;
  for (std::size_t n = 0; n < resamples; ++n) {
    for (std::size_t i = 0; i < times.first.size(); ++i) {
      const std::size_t from = random.index(times.first.size());
      drawn.first[i] = times.first[from];
      drawn.second[i] = times.second[from];
    }
    values.push_back(statistic(drawn));
  }
  const auto n = static_cast<double>(times.first.size());
  const auto at = [&](double level) {
    double tail = (1 - level) / 2;
    if (expanded) {
      tail = boost::math::cdf(boost::math::normal(), -std::sqrt(n / (n - 1)) * student(level, n - 1));
    }
    return Interval{quantile(values, tail), quantile(values, 1 - tail)};
  };
  return {at(0.95), at(0.99)};
}

Estimate around(double middle, double error, double at95, double at99) {
  return {{middle - at95 * error, middle + at95 * error}, {middle - at99 * error, middle + at99 * error}};
}

Estimate by_student(const Times& times, double share) {
  auto logs = log_ratios(times);
  const auto mean = trimmed_mean(logs, share);
  const double degrees = static_cast<double>(mean.kept) - 1;
  return around(mean.mean, mean.error, student(0.95, degrees), student(0.99, degrees));
}

/// Symmetric: quantiles of |t*|.
Estimate by_bootstrap_t(const Times& times, double share) {
  const auto logs = log_ratios(times);
  auto sorted = logs;
  const auto mean = trimmed_mean(sorted, share);
  base::Random random(7);
  std::vector<double> distances;
  auto drawn = logs;
  for (std::size_t n = 0; n < resamples; ++n) {
    for (double& value : drawn) value = logs[random.index(logs.size())];
    const auto of_drawn = trimmed_mean(drawn, share);
    const double t = of_drawn.error > 0 ? (of_drawn.mean - mean.mean) / of_drawn.error : 0;
    distances.push_back(std::abs(t));
  }
  return around(mean.mean, mean.error, quantile(distances, 0.95), quantile(distances, 0.99));
}

Estimate unpaired(const Times& times) {
  const auto logs_of = [](std::vector<double> values) {
    for (double& value : values) value = std::log(value);
    return values;
  };
  auto a = logs_of(times.first);
  auto b = logs_of(times.second);
  const auto of_a = trimmed_mean(a, 0);
  const auto of_b = trimmed_mean(b, 0);
  const double degrees = 2 * static_cast<double>(a.size()) - 2;
  return around(of_b.mean - of_a.mean, std::hypot(of_a.error, of_b.error), student(0.95, degrees),
                student(0.99, degrees));
}

Estimate of(const Ratio& ratio) {
  const auto logs = [](const Interval& interval) { return Interval{std::log(interval.low), std::log(interval.high)}; };
  return {logs(ratio.at95), logs(ratio.at99), true};
}

Estimate of_the_command(const Times& times) { return of(*paired_ratio(times.first, times.second, 7)); }

Estimate of_the_fastest(const Times& times) { return of(*fastest_ratio(times.first, times.second, 7)); }

struct Row {
  std::string name;
  Method method;
};

std::vector<Row> methods() {
  return {
      {"unpaired, Welch", unpaired},
      {"ratio of medians, percentiles",
       [](const Times& times) {
         return percentiles(times, [](const Times& t) {
           return std::log(charm::base::median(t.second) / charm::base::median(t.first));
         });
       }},
      {"median of ratios, percentiles",
       [](const Times& times) {
         return percentiles(times, [](const Times& t) { return charm::base::median(log_ratios(t)); });
       }},
      {"geometric mean, percentiles",
       [](const Times& times) {
         return percentiles(times, [](const Times& t) {
           auto logs = log_ratios(t);
           return trimmed_mean(logs, 0).mean;
         });
       }},
      {"ratio of medians, expanded",
       [](const Times& times) {
         return percentiles(
             times,
             [](const Times& t) { return std::log(charm::base::median(t.second) / charm::base::median(t.first)); },
             true);
       }},
      {"geometric mean, expanded",
       [](const Times& times) {
         return percentiles(
             times,
             [](const Times& t) {
               auto logs = log_ratios(t);
               return trimmed_mean(logs, 0).mean;
             },
             true);
       }},
      {"trimmed, percentiles",
       [](const Times& times) {
         return percentiles(times, [](const Times& t) {
           auto logs = log_ratios(t);
           return trimmed_mean(logs, 0.2).mean;
         });
       }},
      {"trimmed, expanded",
       [](const Times& times) {
         return percentiles(
             times,
             [](const Times& t) {
               auto logs = log_ratios(t);
               return trimmed_mean(logs, 0.2).mean;
             },
             true);
       }},
      {"geometric mean, Student", [](const Times& times) { return by_student(times, 0); }},
      {"geometric mean, bootstrap-t", [](const Times& times) { return by_bootstrap_t(times, 0); }},
      {"trimmed, Student", [](const Times& times) { return by_student(times, 0.2); }},
      {"trimmed, bootstrap-t", [](const Times& times) { return by_bootstrap_t(times, 0.2); }},
      {"the command's", of_the_command},
      {"fastest quarters", of_the_fastest},
  };
}

void study(const simulated::Shape& shape, std::size_t rounds, int trials) {
  std::printf("%s\n", shape.name.c_str());
  for (const Row& row : methods()) {
    int inside = 0;
    int claims = 0;
    int found = 0;
    double width = 0;
    for (int trial = 0; trial < trials; ++trial) {
      const auto seed = static_cast<std::uint64_t>(trial) + 1;
      const Estimate equal = row.method(simulated::simulate(shape, rounds, 1.0, seed));
      const Estimate slower = row.method(simulated::simulate(shape, rounds, 1.05, seed));
      inside += equal.at95.low <= 0 && equal.at95.high >= 0 ? 1 : 0;
      claims += claims_more(equal) || claims_less(equal) ? 1 : 0;
      found += claims_more(slower) ? 1 : 0;
      width += equal.at95.high - equal.at95.low;
    }
    const auto percent = [&](int count) { return 100.0 * count / trials; };
    std::printf("  %-30s contains %5.1f %%  false claims %4.1f %%  5 %% found %5.1f %%  half width %4.2f %%\n",
                row.name.c_str(), percent(inside), percent(claims), percent(found), 50 * width / trials);
  }
}

}  // namespace

int main(int count, char** words) {
  int rounds = 15;
  int trials = 1000;
  const auto number = [&](int at, int& into) {
    if (count <= at) return true;
    const char* end = words[at] + std::strlen(words[at]);
    const auto [stop, error] = std::from_chars(words[at], end, into);
    return error == std::errc() && stop == end && into >= 2;
  };
  if (!number(1, rounds) || !number(2, trials)) {
    std::fputs("compare-study [ROUNDS [TRIALS]]\n", stderr);
    return 2;
  }
  for (const auto& shape : simulated::quiet_shapes()) study(shape, static_cast<std::size_t>(rounds), trials);
  for (const auto& shape : simulated::disturbed_shapes()) study(shape, static_cast<std::size_t>(rounds), trials);
  for (const auto& shape : simulated::busy_shapes()) study(shape, static_cast<std::size_t>(rounds), trials);
}
