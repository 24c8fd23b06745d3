#include "tools/evaluate/judge.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/compare/verdict.hpp"

namespace charm::evaluate {
namespace {

using compare::Ratio;

const Samples* find(const std::vector<Samples>& samples, const std::string& name) {
  const auto found =
      std::find_if(samples.begin(), samples.end(), [&](const Samples& each) { return each.name == name; });
  return found == samples.end() || found->values.empty() ? nullptr : &*found;
}

/// By how much the first is better than the second; rounds that one of them lacks do not count.
std::optional<Ratio> advantage(const Samples& first, const Samples& second, std::uint64_t seed,
                               std::size_t comparisons) {
  const std::size_t rounds = std::min(first.values.size(), second.values.size());
  const std::span<const double> a(first.values.data(), rounds);
  const std::span<const double> b(second.values.data(), rounds);
  // paired_ratio() gives its second argument as a multiple of the first.
  return first.more_is_better ? compare::paired_ratio(b, a, seed, comparisons)
                              : compare::paired_ratio(a, b, seed, comparisons);
}

std::optional<Ratio> value_of(const Samples& samples, std::uint64_t seed, std::size_t comparisons) {
  const std::vector<double> ones(samples.values.size(), 1.0);
  return compare::paired_ratio(ones, samples.values, seed, comparisons);
}

Ratio relative_to(const Ratio& ratio, double bound) {
  const auto divided = [&](const compare::Interval& interval) {
    return compare::Interval{interval.low / bound, interval.high / bound};
  };
  return {ratio.value / bound, divided(ratio.at95), divided(ratio.at99)};
}

/// Whether the gain is known to be less than three quarters of the published one.
bool is_smaller(const Point& point, const Ratio& measured) {
  if (!point.published || *point.published <= point.bound) return false;
  const double enough = point.bound + 0.75 * (*point.published - point.bound);
  return std::max(measured.at95.high, measured.at99.high) < enough;
}

Outcome outcome_of(const Point& point, int rounds) {
  if (point.expect == Expect::nothing) return Outcome::reported;
  const Ratio& measured = *point.measured;
  const double least = std::min(measured.at95.low, measured.at99.low);
  const double most = std::max(measured.at95.high, measured.at99.high);
  switch (point.expect) {
    case Expect::at_least:
      return least >= point.bound ? Outcome::holds : most < point.bound ? Outcome::fails : Outcome::unclear;
    case Expect::at_most:
      return most <= point.bound ? Outcome::holds : least > point.bound ? Outcome::fails : Outcome::unclear;
    case Expect::equal:
      switch (compare::judge(measured, rounds, {.threshold = point.bound, .coarsest = point.bound}).finding) {
        case compare::Finding::same:
          return Outcome::holds;
        case compare::Finding::unknown:
          return Outcome::unclear;
        default:
          return Outcome::fails;
      }
    default:
      switch (compare::judge(relative_to(measured, point.bound), rounds, {}).finding) {
        case compare::Finding::first_wins:  // the ratio is above the bound
          return is_smaller(point, measured) ? Outcome::smaller : Outcome::holds;
        case compare::Finding::second_wins:
          return Outcome::fails;
        case compare::Finding::same:
          return Outcome::tie;
        default:
          return Outcome::unclear;
      }
  }
}

constexpr int exact_rounds = 1000;  // more than any noise needs
constexpr double clearly = 1.05;    // a model that is closer to a tie does not say who is ahead

/// The point as if what was predicted were measured without any noise.
Point exactly(Point point) {
  point.measured.reset();
  if (point.predicted) {
    const compare::Interval exact{*point.predicted, *point.predicted};
    point.measured = Ratio{*point.predicted, exact, exact};
  }
  return point;
}

std::string place_of(const Point& point, std::string_view x) {
  if (x.empty()) return point.series;
  return fmt::format("{} at {}", point.series, x_text(point, x));
}

}  // namespace

bool undecided(const Point& point, const std::vector<Samples>& samples) {
  if (!point.decided) return false;
  const auto decisions = [&](const std::string& name) {
    const Samples* found = find(samples, name);
    return found == nullptr ? 0 : found->decisions.value_or(0);
  };
  return decisions(point.first) + decisions(point.second) == 0;
}

void judge_points(std::vector<Point>& points, const std::vector<Samples>& samples, std::uint64_t seed) {
  const auto counts = static_cast<std::size_t>(
      std::count_if(points.begin(), points.end(), [](const Point& each) { return each.expect != Expect::nothing; }));
  for (Point& point : points) {
    point.measured.reset();
    point.outcome = Outcome::not_measured;
    ++seed;
    const Samples* first = find(samples, point.first);
    const Samples* second = point.second.empty() ? nullptr : find(samples, point.second);
    if (first == nullptr || (second == nullptr && !point.second.empty()) || undecided(point, samples)) continue;
    const std::size_t comparisons = std::max<std::size_t>(counts, 1);
    std::size_t rounds = first->values.size();
    if (second != nullptr) {
      rounds = std::min(rounds, second->values.size());
      point.measured = advantage(*first, *second, seed, comparisons);
    } else {
      point.measured = value_of(*first, seed, comparisons);
      point.unit = first->unit;
    }
    if (point.measured) point.outcome = outcome_of(point, static_cast<int>(rounds));
  }
}

Verdict verdict_of(const std::vector<Point>& points, std::string_view x) {
  std::vector<const Point*> against, open, smaller;
  std::size_t holding = 0, hard = 0;
  for (const Point& point : points) {
    if (point.expect == Expect::nothing) continue;
    ++hard;
    switch (point.outcome) {
      case Outcome::holds:
        ++holding;
        break;
      case Outcome::smaller:
        smaller.push_back(&point);
        break;
      case Outcome::fails:
      case Outcome::tie:
        against.push_back(&point);
        break;
      default:
        open.push_back(&point);
    }
  }
  if (hard == 0) return {Finding::cannot_tell, "nothing was measured that the claim is about"};
  const auto of_all = [&](std::size_t count) {
    return count == hard && hard == 1   ? std::string("the one point")
           : count == hard && hard == 2 ? std::string("both points")
           : count == hard              ? fmt::format("all {} points", hard)
                                        : fmt::format("{} of {} points", count, hard);
  };
  if (!against.empty()) {
    const Point& worst = *against.front();
    const std::string which = against.size() < hard
                                  ? of_all(against.size()) + (against.size() == 1 ? " does" : " do") + " not hold"
                              : hard == 1 ? std::string("the one point does not hold")
                                          : fmt::format("none of the {} points holds", hard);
    return {Finding::not_confirmed,
            fmt::format("{}: {} is {}, {} is expected{}", which, place_of(worst, x), measured_text(worst),
                        expected_text(worst), worst.outcome == Outcome::tie ? "; there is no difference" : "")};
  }
  if (!open.empty()) {
    const auto missing = static_cast<std::size_t>(std::count_if(
        open.begin(), open.end(), [](const Point* point) { return point->outcome == Outcome::not_measured; }));
    const std::size_t vague = open.size() - missing;
    std::string why;
    if (vague > 0) {
      const Point& first = **std::find_if(open.begin(), open.end(),
                                          [](const Point* point) { return point->outcome != Outcome::not_measured; });
      why = fmt::format(
          "at {} the interval is too wide: {} is {}, {} is expected; more rounds (--full) or a quieter machine would "
          "tell",
          of_all(vague), place_of(first, x), measured_text(first), expected_text(first));
    }
    if (missing > 0) {
      const Point& first = **std::find_if(open.begin(), open.end(),
                                          [](const Point* point) { return point->outcome == Outcome::not_measured; });
      why += fmt::format("{}{} {} not measured: {}", vague > 0 ? "; " : "", of_all(missing),
                         missing == 1 ? "was" : "were", place_of(first, x));
    }
    return {Finding::cannot_tell, why};
  }
  if (!smaller.empty()) {
    const Point& first = *smaller.front();
    return {Finding::smaller,
            fmt::format("{} {} less than three quarters of the published gain: {} is {}, {} is "
                        "published",
                        of_all(smaller.size()), smaller.size() == 1 ? "has" : "have", place_of(first, x),
                        measured_text(first), base::three_digits(first.published.value_or(0)))};
  }
  const auto strength = [](const Point& point) {
    return point.measured ? std::abs(std::log(point.measured->value / point.bound)) : 0;
  };
  const Point* strongest = nullptr;
  for (const Point& point : points) {
    if (point.expect == Expect::nothing) continue;
    if (strongest == nullptr || strength(point) > strength(*strongest)) strongest = &point;
  }
  return {Finding::confirmed, fmt::format("{} {}: {} is {}", of_all(holding), holding == 1 ? "holds" : "hold",
                                          place_of(*strongest, x), measured_text(*strongest))};
}

Outcome predicted_outcome(const Point& point) {
  if (point.expect == Expect::nothing) return Outcome::reported;
  if (!point.predicted) return Outcome::not_measured;
  const Outcome outcome = outcome_of(exactly(point), exact_rounds);
  const double over = *point.predicted / point.bound;
  const bool close = over < clearly && over > 1 / clearly;
  return point.expect == Expect::ahead && close && outcome != Outcome::tie ? Outcome::unclear : outcome;
}

Verdict predicted_verdict(const std::vector<Point>& points, std::string_view x) {
  std::vector<Point> exact;
  bool against = false;
  const Point* close = nullptr;
  for (const Point& point : points) {
    if (!point.predicted) continue;
    exact.push_back(exactly(point));
    exact.back().outcome = predicted_outcome(point);
    against = against || exact.back().outcome == Outcome::fails || exact.back().outcome == Outcome::tie;
    if (close == nullptr && exact.back().outcome == Outcome::unclear) close = &point;
  }
  if (close == nullptr || against) return verdict_of(exact, x);
  return {Finding::cannot_tell, fmt::format("{} is {}, which is too close to {} to predict who is ahead",
                                            place_of(*close, x), predicted_text(*close), close->bound)};
}

std::optional<bool> near_published(const Point& point) {
  constexpr double near_share = 0.15, near_ratio = 0.25;
  if (!point.predicted || !point.published) return std::nullopt;
  const double allowed = point.unit == "share" ? near_share : near_ratio * std::abs(*point.published);
  return std::abs(*point.predicted - *point.published) <= allowed;
}

std::string_view words(Finding finding) {
  switch (finding) {
    case Finding::confirmed:
      return "confirmed";
    case Finding::smaller:
      return "smaller than published";
    case Finding::not_confirmed:
      return "not confirmed";
    case Finding::cannot_tell:
      break;
  }
  return "cannot be told here";
}

std::string_view name(Finding finding) {
  switch (finding) {
    case Finding::confirmed:
      return "confirmed";
    case Finding::smaller:
      return "smaller";
    case Finding::not_confirmed:
      return "not_confirmed";
    case Finding::cannot_tell:
      break;
  }
  return "cannot_tell";
}

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::holds:
      return "holds";
    case Outcome::smaller:
      return "smaller";
    case Outcome::fails:
      return "fails";
    case Outcome::tie:
      return "tie";
    case Outcome::unclear:
      return "unclear";
    case Outcome::reported:
      return "reported";
    case Outcome::not_measured:
      break;
  }
  return "not_measured";
}

std::string_view words(Outcome outcome) { return outcome == Outcome::not_measured ? "not measured" : name(outcome); }

std::string_view name(Expect expect) {
  switch (expect) {
    case Expect::ahead:
      return "ahead";
    case Expect::at_least:
      return "at_least";
    case Expect::at_most:
      return "at_most";
    case Expect::equal:
      return "equal";
    case Expect::nothing:
      break;
  }
  return "nothing";
}

std::string x_text(const Point& point, std::string_view x) {
  // Titles of axes are plurals of what is counted, or units.
  const bool one = point.x == 1 && (x.ends_with("workers") || x.ends_with("threads"));
  return fmt::format("{:.4g} {}", point.x, one ? x.substr(0, x.size() - 1) : x);
}

std::string measured_text(const Point& point) {
  if (!point.measured) return "–";
  const Ratio& ratio = *point.measured;
  const std::string unit = point.unit.empty() ? "" : " " + point.unit;
  if (ratio.at95.low == ratio.at95.high) return base::three_digits(ratio.value) + unit;
  return fmt::format("{}{} ({}–{})", base::three_digits(ratio.value), unit, base::three_digits(ratio.at95.low),
                     base::three_digits(ratio.at95.high));
}

std::string predicted_text(const Point& point) {
  if (!point.predicted) return "–";
  return base::three_digits(*point.predicted) + (point.unit.empty() ? "" : " " + point.unit);
}

std::string expected_text(const Point& point) {
  const std::string unit = point.unit.empty() ? "" : " " + point.unit;
  switch (point.expect) {
    case Expect::ahead:
      return fmt::format("more than {:.4g}{}", point.bound, unit);
    case Expect::at_least:
      return fmt::format("at least {:.4g}{}", point.bound, unit);
    case Expect::at_most:
      return fmt::format("at most {:.4g}{}", point.bound, unit);
    case Expect::equal:
      return fmt::format("1 within {:.3g} %", 100 * point.bound);
    case Expect::nothing:
      break;
  }
  return "";
}

}  // namespace charm::evaluate
