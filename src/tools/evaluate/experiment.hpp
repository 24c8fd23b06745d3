// Experiments as values in one registry: the claim, where it was published, what has to be there to judge it, what is
// measured and what the simulator runs for it, and how the verdict follows. `charm evaluate` measures them, `charm sim
// reproduce` predicts them on the papers' machines. A new experiment is one file in experiments/ and one line in
// experiment.cpp.
//
// An experiment consists of points. A point compares two series of samples (or one with a bound), and says what the
// claim expects of their ratio. A series is named once, with how it is measured (a job) and how the model computes it
// (a subject), so that a prediction is of what is measured, at that size; it is known before anything runs.
#pragma once

#include <charm/machine.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/compare/statistics.hpp"
#include "tools/evaluate/run.hpp"
#include "tools/sim/model.hpp"
#include "tools/sim/settled.hpp"

namespace charm::evaluate {

enum class Extent {
  quick,  ///< minutes
  full,   ///< the papers' inputs as far as they fit
  paper,  ///< the papers' inputs and numbers of workers, on a model of their machine; nothing is measured
};

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
  std::string_view programs{};   ///< of the user's, which charm evaluate does not run; empty: none
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
  [[nodiscard]] bool paper() const { return extent == Extent::paper; }
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
  smaller,       ///< it is on the claimed side, and more than a quarter of the published gain is missing
  fails,         ///< it is on the other side of the bound
  tie,           ///< no difference, where one was claimed
  unclear,       ///< the interval is too wide to tell
  not_measured,  ///< there are no samples
  reported,      ///< nothing was expected
};

/// What a prediction rests on besides the machine's numbers (sim::Free). A test moves every number that was fitted, or
/// chosen with a figure in view, and fails where a point that is called predicted needs it.
enum class Basis { predicted, fitted, assumed };

/// A series of samples as the model computes it.
struct Subject {
  std::string name;       ///< of the samples
  std::string simulated;  ///< what the model runs, in words: "bfs:scale=20, charm, 64 workers"
  std::function<double(const sim::Model&, const sim::Scatter&)> value;
  bool more_is_better = true;
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
  Basis basis = Basis::predicted;
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
  std::vector<Subject> subjects = {};
  std::vector<std::string> notes = {};  ///< what differs from the paper's experiment, a sentence each
};

enum class Finding {
  confirmed,
  smaller,  ///< the difference is there, and is smaller than the published one
  not_confirmed,
  cannot_tell,
};

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
  std::string_view machine{};  ///< the model of the paper's machine; empty: there is none
  Needs needs;                 ///< if they are not met nothing is run, and nothing can be told
  /// Points with what is published, what has to be run, and what the model runs for it. Pure.
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

/// Computes the predictions of the plan's points by its subjects. What the model cannot tell stays empty: it must not
/// keep anybody from measuring.
void predict(Plan& plan, const sim::Model& model);

/// Why the claim cannot be judged on this machine; empty if it can.
std::string unmet(const Needs& needs, const Facts& facts);

}  // namespace charm::evaluate
