#include "tools/compare/verdict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace charm::compare {
namespace {

constexpr int no_more_runs = 100000;   // a larger number of runs is not suggested
constexpr double usual_ranks = 1.645;  // of equal programs, nine times in ten
constexpr double most_ratio = 100;     // an interval that reaches farther is not put into words

std::string number(const char* format, double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

/// "3.9–5.6 %" from the ratios' distances to 1, the smaller first; "-0.2–5.6 %" where it covers 1.
std::string percent_range(double one, double other) {
  const double low = std::min(one, other);
  const double high = std::max(one, other);
  return percent_digits(low) + "–" + percent_digits(high) + " %";
}

std::string times_range(double one, double other) {
  return number("%.3g", std::min(one, other)) + "–" + number("%.3g", std::max(one, other));
}

}  // namespace

std::string percent_digits(double share) {
  const double percent = share * 100;
  const double size = std::abs(percent);
  if (size < 0.005) return "0";
  return number(size < 0.995 ? "%.2f" : size < 99.5 ? "%.1f" : "%.0f", percent);
}

Verdict judge(const std::optional<Ratio>& ratio, int rounds, const Rules& rules) {
  Verdict verdict;
  if (!ratio) return verdict;
  const auto far = [](const Interval& interval) { return std::max(interval.high - 1, 1 - interval.low); };
  verdict.largest = std::max(0.0, far(ratio->at95));
  const bool differs =
      std::min(ratio->at95.low, ratio->at99.low) > 1 || std::max(ratio->at95.high, ratio->at99.high) < 1;
  const bool counts = differs && std::abs(ratio->value - 1) >= rules.threshold;
  if (verdict.largest > rules.threshold && counts) {
    verdict.finding = ratio->value > 1 ? Finding::first_wins : Finding::second_wins;
  } else if (verdict.largest <= std::max(rules.coarsest, rules.threshold)) {
    verdict.finding = Finding::same;
  } else {
    // The interval narrows as the root of the number of rounds: so many until half of it is as wide as half of what
    // has to be excluded, which tells equal programs and those that differ by all of it apart.
    const double half = (ratio->at95.high - ratio->at95.low) / 2;
    const double wanted = std::max(rules.coarsest, rules.threshold) / 2;
    const double more = (half / wanted) * (half / wanted);
    const double needed = std::ceil(std::max(more, 1.2) * rounds);
    verdict.runs_to_tell = needed < no_more_runs ? static_cast<int>(needed) : 0;
  }
  return verdict;
}

Verdict judge(const Evidence& evidence, int rounds, const Rules& rules) {
  const auto& [all, fastest, ranks] = evidence;
  const Verdict by_all = judge(all, rounds, rules);
  if (by_all.finding != Finding::unknown || !all || !fastest) return by_all;
  Verdict verdict = judge(fastest, rounds, rules);
  verdict.by_fastest = true;
  const bool agree = all->at95.low <= fastest->value && fastest->value <= all->at95.high;
  const bool differ =
      std::abs(ranks) > usual_ranks || std::abs(all->value - 1) > std::max(rules.coarsest, rules.threshold);
  const bool answers =
      verdict.finding == Finding::same ? agree && !differ : verdict.finding != Finding::unknown && agree;
  return answers ? verdict : by_all;
}

std::string sentence(const Verdict& verdict, const std::optional<Ratio>& ratio, const std::string& first,
                     const std::string& second) {
  if (!ratio) return "cannot tell: two runs of each and times above 0 are needed";
  const double value = ratio->value;
  const Interval& known = ratio->at95;
  const std::string where = verdict.by_fastest ? " in the fastest quarter of the runs" : "";
  const std::string others = verdict.by_fastest ? "; all of them vary too much to tell" : "";
  switch (verdict.finding) {
    case Finding::same:
      return "no difference larger than " + percent_digits(verdict.largest) + " %" + where + " (95 %)" + others;
    case Finding::first_wins:
      if (value >= 2) {
        return second + " takes " + number("%.3g", value) + " times as long as " + first + where +
               " (95 %: " + times_range(known.low, known.high) + ")" + others;
      }
      return second + " is " + percent_digits(value - 1) + " % slower" + where +
             " (95 %: " + percent_range(known.low - 1, known.high - 1) + ")" + others;
    case Finding::second_wins:
      if (value <= 0.5) {
        return first + " takes " + number("%.3g", 1 / value) + " times as long as " + second + where +
               " (95 %: " + times_range(1 / known.low, 1 / known.high) + ")" + others;
      }
      return second + " is " + percent_digits(1 - value) + " % faster" + where +
             " (95 %: " + percent_range(1 - known.low, 1 - known.high) + ")" + others;
    case Finding::unknown:
      break;
  }
  // "from 3.0 % faster to 9.1 % slower"
  const auto side = [](double ratio_at) {
    return percent_digits(std::abs(ratio_at - 1)) + (ratio_at < 1 ? " % faster" : " % slower");
  };
  // Two runs may allow for ratios of millions, of which the digits would say something that nobody knows.
  const bool nothing_known = known.low < 1 / most_ratio || known.high > most_ratio;
  std::string text = "cannot tell: too noisy; ";
  text += nothing_known ? "nothing is known of " + second + " from so few runs"
                        : second + " may be anything from " + side(known.low) + " to " + side(known.high) + " (95 %)";
  if (verdict.runs_to_tell > 0) text += "; about " + std::to_string(verdict.runs_to_tell) + " runs would tell";
  return text;
}

const char* word(Finding finding) {
  switch (finding) {
    case Finding::same:
      return "same";
    case Finding::first_wins:
      return "first";
    case Finding::second_wins:
      return "second";
    case Finding::unknown:
      break;
  }
  return "unknown";
}

}  // namespace charm::compare
