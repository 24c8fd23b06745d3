// Experiments as values in one registry: the claim, where it was published, what has to be there to judge it, what is
// measured, and how the verdict follows. A new experiment is one file in experiments/ and one line in experiment.cpp.
//
// An experiment consists of points. A point compares two series of samples (or one with a bound), and says what the
// claim expects of their ratio. What the paper published and what the simulator predicts for this machine belong to the
// point, and are known before anything runs.
#pragma once

#include <charm/machine.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/compare/statistics.hpp"
#include "tools/evaluate/run.hpp"
#include "tools/sim/model.hpp"

namespace charm::evaluate {

enum class Extent { quick, full };

/// What a claim needs of the machine. Numbers are the least; 0 is any.
struct Needs {
  int cores = 0;
  int chiplets = 0;              ///< last-level caches
  int most_chiplets = 0;         ///< 0: any number
  int cores_per_chiplet = 0;     ///< of the largest
  int nodes = 0;                 ///< NUMA nodes with cores
  bool cache_sizes = false;      ///< the sizes of the last-level caches
  bool fills = false;            ///< hardware counters that tell other chiplets from memory
  std::string_view vendor{};     ///< "amd", "intel"; empty: any
  std::string_view benchmark{};  ///< a kind of `charm bench`; empty: none
  bool malloc = false;           ///< libcharm_malloc.so
};

/// What is known of the machine and the program when experiments are planned.
struct Facts {
  Machine machine;
  std::string vendor;                   ///< as os::CpuIdentity has it
  bool counters = false;                ///< there are hardware counters
  bool fills = false;                   ///< they tell other chiplets from memory
  std::string why_no_fills;             ///< the exact reason
  std::vector<std::string> benchmarks;  ///< kinds of `charm bench`
  std::string why_no_benchmarks;        ///< why there are none
  std::string why_no_malloc;            ///< why there is no libcharm_malloc.so; empty: there is
  std::vector<std::string> runtimes;    ///< of `charm bench`: "charm", "openmp", ...
  std::uint64_t available_bytes = 0;    ///< memory that may be taken; 0: not known
  bool kernel_gathers = false;          ///< the kernel gathers threads by caches (os::SystemPlacement)
};

struct Context {
  Facts facts;
  sim::Model model;  ///< of this machine, for predictions
  Extent extent = Extent::quick;

  [[nodiscard]] bool quick() const { return extent == Extent::quick; }
  [[nodiscard]] const Machine& machine() const { return facts.machine; }
};

/// What the claim says of a point's ratio.
enum class Expect {
  ahead,     ///< above the bound
  at_least,  ///< not below the bound
  at_most,   ///< not above the bound
  equal,     ///< no further from 1 than the bound
  nothing,   ///< it is reported, and does not count
};

/// How a point came out.
enum class Outcome {
  holds,
  fails,         ///< it is on the other side of the bound
  tie,           ///< no difference, where one was claimed
  unclear,       ///< the interval is too wide to tell
  not_measured,  ///< there are no samples
  reported,      ///< nothing was expected
};

struct Point {
  std::string series = {};  ///< the curve that it belongs to
  double x = 0;
  std::string first = {};   ///< samples, by name
  std::string second = {};  ///< empty: the first one's own value counts, and not a ratio
  Expect expect = Expect::nothing;
  double bound = 1;
  std::optional<double> published = std::nullopt;
  std::string source = {};  ///< where the paper says so
  std::optional<double> predicted = std::nullopt;
  /// It is about the controller, and says nothing if that made no decision meanwhile.
  bool decided = false;

  /// By how much `first` is better than `second` (2: twice as fast), or its own value.
  std::optional<compare::Ratio> measured = std::nullopt;
  std::string unit = {};  ///< of a value; empty: it is a ratio
  Outcome outcome = Outcome::not_measured;
};

struct Plan {
  std::string x = {}, y = {};  ///< titles of the axes
  std::vector<Point> points = {};
  std::vector<Job> jobs = {};
  std::vector<std::string> notes = {};  ///< what differs from the paper's experiment, a sentence each
};

enum class Finding { confirmed, not_confirmed, cannot_tell };

struct Verdict {
  Finding finding = Finding::cannot_tell;
  std::string why;  ///< a clause
};

struct Experiment {
  std::string_view name;       ///< "charm-fig5"
  std::string_view title;      ///< a few words
  std::string_view claim;      ///< a sentence
  std::string_view paper;      ///< "CHARM" or "OLAP on chiplets", with the place
  std::string_view published;  ///< the published value in words
  Needs needs;                 ///< if they are not met nothing is run, and nothing can be told
  /// Points with what is published and predicted, and what has to be run. Pure.
  Plan (*plan)(const Context& context) = nullptr;
  /// Adds samples that follow from others ("the best static policy"); null: none do.
  void (*derive)(std::vector<Samples>& samples) = nullptr;
  /// Overrules the verdict of the points; null: they decide.
  Verdict (*judge)(const Context& context, const std::vector<Point>& points) = nullptr;
};

/// All experiments, in the order in which they run.
std::span<const Experiment> experiments();

/// Those of a list of names, in the registry's order; all if it is empty. \throws Error (bad_config) that lists them.
std::vector<const Experiment*> chosen(const std::vector<std::string>& names);

/// Why the claim cannot be judged on this machine; empty if it can.
std::string unmet(const Needs& needs, const Facts& facts);

}  // namespace charm::evaluate
