// A back-end that measures nothing: it makes up the samples of a described machine, as the papers say they are, all
// alike, the wrong way round, or too noisy to tell.
#pragma once

#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "tools/evaluate/evaluate.hpp"
#include "tools/sim/model.hpp"

namespace charm::evaluate::test {

enum class Nature { as_published, smaller, alike, reversed };

class Pretended : public Measuring {
 public:
  Pretended(const Machine& machine, Nature nature, double noise = 0.002)
      : machine_(machine), nature_(nature), noise_(noise) {}

  double measure(const Variant& variant, double /*limit_s*/) override {
    ++measured;
    clock += 0.1;
    if (stop_after >= 0 && measured > stop_after) stopped_ = true;
    return std::visit([this](const auto& what) { return noisy(truth(what)); }, variant.run);
  }

  std::vector<Samples> bench(const Job& job, double /*limit_s*/) override {
    ++measured;
    clock += 1;
    if (stop_after >= 0 && measured > stop_after) stopped_ = true;
    if (!failing.empty() && job.title == failing) throw Error(Errc::system, "it broke", "mend it");
    std::map<std::string, std::string> words;
    for (std::size_t i = 1; i + 1 < job.bench.size(); i += 2) words[job.bench[i]] = job.bench[i + 1];
    const std::string kernels = words.contains("--kernel") ? words.at("--kernel") : job.bench.front();
    std::vector<Samples> rows;
    for (const std::string& kernel : listed(kernels)) {
      for (const std::string& runtime : listed(words.at("--runtime"))) {
        for (const std::string& policy : runtime == "charm" ? listed(words.at("--policy")) : listed("none")) {
          Samples row{kernel + " " + runtime + " " + policy + " " + words.at("--workers"), "s", false, {}};
          const double seconds = time_of(runtime, policy, std::stoi(words.at("--workers")));
          for (int trial = 0; trial < std::stoi(words.at("--trials")); ++trial) row.values.push_back(noisy(seconds));
          if (policy == "adaptive") row.decisions = decisions;
          rows.push_back(std::move(row));
        }
      }
    }
    return rows;
  }

  bool stopped() override { return stopped_; }

  int measured = 0;
  int stop_after = -1;
  std::string failing;          // title of a job
  std::uint64_t decisions = 4;  // of the controller, in all trials of a row
  double clock = 0;

 private:
  static std::vector<std::string> listed(const std::string& text) {
    std::vector<std::string> all;
    std::istringstream in(text);
    for (std::string each; std::getline(in, each, ',');) all.push_back(each);
    return all;
  }

  /// More than 1 where the papers have the first thing ahead, seen from the better side; 8 is more than they publish.
  [[nodiscard]] double advantage() const {
    switch (nature_) {
      case Nature::as_published:
        return 8;
      case Nature::smaller:
        return 1.2;
      case Nature::alike:
        return 1;
      case Nature::reversed:
        break;
    }
    return 1 / 1.5;
  }

  double truth(const StreamRun& run) {
    if (machine_.chiplets.size() == 1) return 100;
    std::set<int> chiplets;
    for (const auto& process : run.processes) {
      for (const int cpu : process) chiplets.insert(machine_.core_of_cpu(cpu)->chiplet);
    }
    std::size_t cache = 0, caches = 0;
    for (const Chiplet& chiplet : machine_.chiplets) cache = chiplet.l3_bytes, caches += chiplet.l3_bytes;
    if (run.processes.size() > 1) {  // by chiplet beside by node, of all cores
      const bool by_chiplet = run.processes.size() >= machine_.chiplets.size();
      return by_chiplet && run.bytes <= caches ? 100 * advantage() : 100;
    }
    const bool spread = chiplets.size() > 1;
    const bool fits = run.bytes <= cache;
    return spread != fits ? 100 * advantage() : 100;
  }
  double truth(const MoveRun& run) const {
    return nature_ == Nature::reversed ? 5000 : 10 + 1e-5 * static_cast<double>(run.bytes);
  }
  static double truth(const ReadingRun& /*run*/) { return 60; }
  static double truth(const DecisionRun& /*run*/) { return 8; }
  double truth(const FillRun& run) const {
    const bool ours = std::find(run.words.begin(), run.words.end(), "adaptive") != run.words.end();
    if (run.whole.empty()) return ours ? 1000 : 1000 * advantage();
    return ours ? 0.6 : 0.6 / advantage();
  }
  /// Local memory is best for one thread; for all of a node those that are spread by bandwidth are.
  [[nodiscard]] double truth(const MallocRun& run) const {
    if (run.what == Blocks::small) return 20;
    if (run.what == Blocks::huge) return run.policy == "exact" && nature_ == Nature::reversed ? 2000 : 1000;
    const bool local = run.policy.empty() || run.policy == "local", spread = run.policy == "paper";
    const bool best = run.policy == "exact" || (run.cpus.size() == 1 ? local : spread);
    return best ? 100 * advantage() : 100;
  }
  [[nodiscard]] double time_of(const std::string& runtime, const std::string& policy, int workers) const {
    const double alone = nature_ == Nature::as_published ? 10.0 / workers : 10.0;
    if (runtime != "charm" || policy.ends_with("/stealing=random")) return alone * advantage();
    if (policy == "local" && nature_ == Nature::reversed) return alone * 1.5;
    return alone;
  }

  double noisy(double value) { return value * std::max(0.05, 1 + noise_ * random_.normal()); }

  const Machine& machine_;
  Nature nature_;
  double noise_;
  base::Random random_{7};
  bool stopped_ = false;
};

/// Everything that an experiment could need.
inline Context context_of(const Machine& machine, bool fills = true) {
  Context context;
  context.facts.machine = machine;
  context.facts.vendor = "amd";
  context.facts.fills = fills;
  if (!fills) context.facts.why_no_fills = "the kernel refuses perf_event_open";
  context.facts.benchmarks = {"graph", "gups", "sgd", "streamcluster", "oltp", "olap", "factor"};
  context.facts.runtimes = {"charm", "openmp", "serial"};
  context.facts.available_bytes = std::uint64_t{256} << 30U;
  context.model = sim::estimated_model(machine);
  return context;
}

inline Machine stored(const std::string& file) { return Machine::from(CHARM_TEST_DATA "/topologies/" + file); }

/// The results of the named experiments (all: none named), measured by `measuring`.
inline Evaluation evaluated(const Context& context, Pretended& measuring, const std::vector<std::string>& names,
                            double limit_s = 1e9) {
  Evaluation evaluation;
  const auto experiments = chosen(names);
  evaluation.machine.key = context.machine().name;
  evaluation.only = names;
  evaluation.results = planned(experiments, context);
  Callbacks callbacks;
  callbacks.now = [&] { return measuring.clock; };
  callbacks.store = [](const Evaluation&) {};
  measure(evaluation, experiments, context, measuring, callbacks, limit_s);
  return evaluation;
}

}  // namespace charm::evaluate::test
