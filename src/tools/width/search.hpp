// Finds how many threads a program should have, by running it: from all threads to one while that is not hopeless, then
// the better half again and again (successive halving: K. Jamieson and A. Talwalkar 2016), and the last few beside full
// width in pairs. Full width is kept unless another level is faster beyond doubt.
#pragma once

#include <charm/machine.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/compare/run.hpp"

namespace charm::width {

/// A way to run the program.
struct Level {
  int threads = 1;
  std::string policy;  ///< empty: the system places the threads
  friend bool operator==(const Level&, const Level&) = default;
};

/// "16 threads", "1 thread", "16 threads, local".
std::string name_of(const Level& level);

/// What to try on a machine, the most first: powers of two, all cpus, all cores, the cores of one chiplet, one node and
/// one socket; at most `most` (0: all cpus, or as many as the cgroup's quota gives).
std::vector<int> widths_of(const Machine& machine, int most = 0);

struct Request {
  std::vector<int> widths;            ///< the most first
  std::vector<std::string> policies;  ///< tried with the best two widths, beside the system's own placement
  std::function<compare::Program(const Level&)> program;
  std::size_t rounds = 15;  ///< of the last comparison
  std::uint64_t seed = 1;
  compare::Rules rules;
  /// A narrower level is not tried if it takes more than so many times the least time so far.
  double hopeless = 4;
};

/// All runs of one level.
struct Tried {
  Level level;
  std::vector<double> seconds;
  double cpu_s = 0;  ///< of all its runs

  [[nodiscard]] double median() const;
  /// How many cpus it used on average.
  [[nodiscard]] double cpus_used() const;
};

struct Advice {
  std::vector<Tried> tried;   ///< in the order of their first run
  std::vector<int> left_out;  ///< the widths that were hopeless
  compare::Outcome last;      ///< the last comparison: full width first. Empty if a run failed before it.
  std::size_t best = 0;       ///< in `last.series`: the level to use
  /// In `last.series`: the fewest threads that are not slower than `best`, if they are fewer than its own.
  std::optional<std::size_t> as_fast;
  std::vector<Level> finalists;  ///< of `last.series`
  std::optional<compare::Failed> failed;
  compare::Program failed_program;
  int interrupted = 0;
};

Advice find_width(const Request& request, const compare::Callbacks& callbacks);

/// Whether the program seems not to take its number of threads from what it was told: with the fewest threads it used
/// many more cpus.
bool ignores_width(const Advice& advice);

}  // namespace charm::width
