#include "tools/evaluate/simulated.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "controller/known_machines.hpp"

namespace charm::evaluate {
namespace {

/// The word behind an option in the words of a benchmark.
std::string option_of(const std::vector<std::string>& words, const char* option) {
  const auto found = std::find(words.begin(), words.end(), option);
  return found == words.end() || found + 1 == words.end() ? "" : *(found + 1);
}

/// Whether a row of a benchmark belongs to its words: it has one of the kernels, or there is but one.
bool belongs_to(std::string_view row, const Job& job) {
  if (!row.starts_with(job.prefix)) return false;
  row.remove_prefix(job.prefix.size());
  const std::vector<std::string>& words = job.bench;
  const std::string kernel(row.substr(0, row.find(' ')));
  const std::string kernels = option_of(words, "--kernel");
  const std::string workers = " " + option_of(words, "--workers");
  return row.ends_with(workers) &&
         ("," + (kernels.empty() ? words.front() : kernels) + ",").find("," + kernel + ",") != std::string::npos;
}

}  // namespace

double SimulatedMeasuring::sample(double value) { return value * std::exp(scatter_.noise * random_.normal()); }

void SimulatedMeasuring::begin(const Plan& plan) {
  plan_ = &plan;
  values_.clear();
  for (const Subject& subject : plan.subjects) {
    try {
      values_[subject.name] = subject.value(model_, scatter_);
    } catch (const Error&) {  // it is missed where it is asked for
    }
  }
}

double SimulatedMeasuring::measure(const Variant& variant, double /*limit_s*/) {
  const auto found = values_.find(variant.name);
  if (found == values_.end())
    throw Error(Errc::system, "the simulator cannot tell '" + variant.name + "'", "measure it on the machine");
  return sample(found->second);
}

std::vector<Samples> SimulatedMeasuring::bench(const Job& job, double /*limit_s*/) {
  const int trials = std::max(1, std::atoi(option_of(job.bench, "--trials").c_str()));
  std::vector<Samples> rows;
  for (const Subject& subject : plan_->subjects) {
    const auto found = values_.find(subject.name);
    if (found == values_.end() || !belongs_to(subject.name, job)) continue;
    // The runner puts the prefix before it.
    Samples row{.name = subject.name.substr(job.prefix.size()), .unit = "1/s", .more_is_better = true, .values = {}};
    for (int trial = 0; trial < trials; ++trial) row.values.push_back(sample(found->second));
    if (subject.name.find(" adaptive") != std::string::npos) row.decisions = 1;
    rows.push_back(std::move(row));
  }
  if (rows.empty()) throw Error(Errc::system, "the simulator has no model of it", "measure it on the machine");
  return rows;
}

Context simulated_context(sim::Model model, Extent extent) {
  constexpr std::uint64_t memory_of_a_core = std::uint64_t{4} << 30U;  // as servers have it
  Context context;
  context.extent = extent;
  context.model = std::move(model);
  Facts& facts = context.facts;
  facts.machine = context.model.machine;
  facts.vendor = controller::maker_of(context.model.title);
  facts.counters = facts.fills = true;
  facts.benchmarks = {"graph", "gups", "sgd", "streamcluster", "oltp", "olap", "factor"};
  facts.runtimes = {"charm"};
  facts.available_bytes = memory_of_a_core * facts.machine.cores.size();
  return context;
}

}  // namespace charm::evaluate
