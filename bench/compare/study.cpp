// A study which estimate and which interval `charm compare` should use: several, on the simulated machines of the
// tests. For each noise it prints how often the 95 % interval contains the truth, how often the 99 % interval claims a
// difference where there is none, and how often a slowdown of 5 percent is found; and the same with Welch's t on
// unpaired runs, to show the advantage of pairs. docs/design/compare.md has the result.
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

#include "base/random.hpp"
#include "compare/simulated_noise.hpp"
#include "tools/base/quantile.hpp"
#include "tools/compare/statistics.hpp"

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

double trimmed_of(const Times& times) {
  auto logs = log_ratios(times);
  return trimmed_mean(logs, 0.2).mean;
}

/// Percentiles that lie further out by what Student's distribution of n - 1 degrees is wider than the normal one, but
/// without the factor for the bias of the deviation, which the trimmed mean of resamples has not.
Estimate by_less_expanded(const Times& times) {
  base::Random random(7);
  std::vector<double> values;
  const auto logs = log_ratios(times);
  auto drawn = logs;
  for (std::size_t n = 0; n < resamples; ++n) {
    for (double& value : drawn) value = logs[random.index(logs.size())];
    auto sorted = drawn;
    values.push_back(trimmed_mean(sorted, 0.2).mean);
  }
  const auto at = [&](double level) {
    const double tail = boost::math::cdf(boost::math::normal(), -student(level, static_cast<double>(logs.size()) - 1));
    return Interval{quantile(values, tail), quantile(values, 1 - tail)};
  };
  return {at(0.95), at(0.99)};
}

/// Bias-corrected and accelerated (B. Efron 1987), with the acceleration of the jackknife.
Estimate by_bca(const Times& times) {
  base::Random random(7);
  std::vector<double> values;
  const auto logs = log_ratios(times);
  auto drawn = logs;
  const double middle = trimmed_of(times);
  double below = 0;
  for (std::size_t n = 0; n < resamples; ++n) {
    for (double& value : drawn) value = logs[random.index(logs.size())];
    auto sorted = drawn;
    values.push_back(trimmed_mean(sorted, 0.2).mean);
    below += values.back() < middle ? 1 : values.back() == middle ? 0.5 : 0;
  }
  std::vector<double> without;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    auto rest = logs;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    without.push_back(trimmed_mean(rest, 0.2).mean);
  }
  double mean = 0;
  for (const double value : without) mean += value / static_cast<double>(without.size());
  double squares = 0;
  double cubes = 0;
  for (const double value : without) {
    squares += (mean - value) * (mean - value);
    cubes += (mean - value) * (mean - value) * (mean - value);
  }
  const double acceleration = squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
  const boost::math::normal normal;
  const double count = static_cast<double>(resamples);
  const double bias = boost::math::quantile(normal, std::clamp(below / count, 1 / count, 1 - 1 / count));
  const auto at = [&](double level) {
    const auto end = [&](double z) {
      return boost::math::cdf(normal, bias + (bias + z) / (1 - acceleration * (bias + z)));
    };
    const double z = boost::math::quantile(normal, 0.5 + level / 2);
    return Interval{quantile(values, end(-z)), quantile(values, end(z))};
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

/// The 95 % interval of one method, and that of 99 % by Student's distribution, as the command has them.
Estimate with_student(Estimate narrow, const Times& times) { return {narrow.at95, by_student(times, 0.2).at99, true}; }

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
      {"trimmed, less expanded", by_less_expanded},
      {"trimmed, BCa", by_bca},
      {"geometric mean, Student", [](const Times& times) { return by_student(times, 0); }},
      {"geometric mean, bootstrap-t", [](const Times& times) { return by_bootstrap_t(times, 0); }},
      {"trimmed, Student", [](const Times& times) { return by_student(times, 0.2); }},
      {"trimmed, bootstrap-t", [](const Times& times) { return by_bootstrap_t(times, 0.2); }},
      {"less expanded, 99 % Student", [](const Times& times) { return with_student(by_less_expanded(times), times); }},
      {"BCa, 99 % Student", [](const Times& times) { return with_student(by_bca(times), times); }},
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
