// Verdicts: how each point came out, and what follows for the claim. Pure.
//
// A point is judged by the rules of `charm compare`: the 95 % interval of the ratio, and one that is so much wider that
// all points of an experiment together claim a wrong difference as rarely as a single one. A claim is confirmed if all
// its points hold. It is not confirmed if one is known not to hold, and where a difference is claimed, if there is
// none. It is smaller than published if all hold and somewhere more than a quarter of the published gain is missing. In
// all other cases it cannot be told.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tools/evaluate/experiment.hpp"

namespace charm::evaluate {

/// Fills in what was measured at each point, and how it came out.
void judge_points(std::vector<Point>& points, const std::vector<Samples>& samples, std::uint64_t seed);

/// Whether a point that is about the controller's decisions has samples without any.
bool undecided(const Point& point, const std::vector<Samples>& samples);

/// What the points say of the claim. \param x title of the points' x, for the sentence.
Verdict verdict_of(const std::vector<Point>& points, std::string_view x);

/// How the point comes out if what was predicted is measured without any noise; unclear where one is ahead by less than
/// a twentieth, and no tie.
Outcome predicted_outcome(const Point& point);
/// What the predictions say of the claim.
Verdict predicted_verdict(const std::vector<Point>& points, std::string_view x);
/// Whether what was predicted is within a quarter of the published value, a share within .15; nothing where one of them
/// is missing.
std::optional<bool> near_published(const Point& point);

/// "confirmed", "smaller than published", "not confirmed", "cannot be told".
std::string_view words(Finding finding);
std::string_view words(Outcome outcome);
/// The same for JSON: "confirmed", "not_confirmed", "cannot_tell".
std::string_view name(Finding finding);
std::string_view name(Outcome outcome);
std::string_view name(Expect expect);

/// Where the point is on an axis with that title: "8 workers", "1 worker", "64 MiB".
std::string x_text(const Point& point, std::string_view x);

/// "1.84 (1.79–1.90)"; with a unit where it is a value and no ratio.
std::string measured_text(const Point& point);
/// The same for what was predicted, which has no interval.
std::string predicted_text(const Point& point);
/// "above 1", "at most 500 µs", "within 10 % of 1": what the claim expects; empty if nothing.
std::string expected_text(const Point& point);

}  // namespace charm::evaluate
