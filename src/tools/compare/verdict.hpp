// The verdict about two programs, from the ratio and its intervals, and its wording. Pure.
//
// A difference is claimed if both intervals exclude "equal" and the estimate reaches the threshold. In a hundred
// comparisons of equal programs the 95 % interval excludes it in five; both do in one.
//
// If all runs together cannot tell, the fastest quarters may, and then the verdict says so: only if they agree with
// what all runs leave possible, and "no difference" only if neither the estimate nor the ranks of all runs point to
// one. A program that is slow in some of its runs must not be hidden by those in which it is not.
#pragma once

#include <optional>
#include <string>

#include "tools/compare/statistics.hpp"

namespace charm::compare {

enum class Finding {
  same,         ///< no difference larger than `largest`
  first_wins,   ///< the first needs less
  second_wins,  ///< the second needs less
  unknown,      ///< too noisy, or too few runs, to say either
};

struct Rules {
  double threshold = 0.01;  ///< differences below it do not matter
  /// "No difference" is the verdict only if a difference of so much (or of the threshold, if that is more) is excluded.
  double coarsest = 0.05;
};

struct Verdict {
  Finding finding = Finding::unknown;
  double largest = 0;       ///< the largest difference that the 95 % interval leaves possible, as a share of the first
  int runs_to_tell = 0;     ///< if unknown: about how many rounds would decide if the noise stays; 0: not known
  bool by_fastest = false;  ///< it is about the fastest quarters; all runs together cannot tell
};

/// \param ratio nothing if there is none (see paired_ratio).
Verdict judge(const std::optional<Ratio>& ratio, int rounds, const Rules& rules);

/// Three results from the same runs.
struct Evidence {
  std::optional<Ratio> all;      ///< paired_ratio
  std::optional<Ratio> fastest;  ///< fastest_ratio
  double ranks = 0;              ///< rank_sum
};
Verdict judge(const Evidence& evidence, int rounds, const Rules& rules);

/// The verdict in words: "B is 4.8 % slower (95 %: 3.9–5.6 %)". \param ratio the ratio that it is about. \param first,
/// second names of the programs.
std::string sentence(const Verdict& verdict, const std::optional<Ratio>& ratio, const std::string& first,
                     const std::string& second);

/// A word for scripts: "same", "first", "second", "unknown".
const char* word(Finding finding);

/// "4.8", "0.31", "0.05": a share of one in percent, with as many digits as are worth reading.
std::string percent_digits(double share);

}  // namespace charm::compare
