// The registry, and what a claim needs; see experiment.hpp.
#include "tools/evaluate/experiment.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/evaluate/experiments/all.hpp"

namespace charm::evaluate {
namespace {

int nodes_with_cores(const Machine& machine) {
  std::set<int> nodes;
  for (const Core& core : machine.cores) nodes.insert(core.node);
  return static_cast<int>(nodes.size());
}

int cores_of_largest_chiplet(const Machine& machine) {
  std::size_t most = 0;
  for (const Chiplet& chiplet : machine.chiplets) most = std::max(most, chiplet.cores.size());
  return static_cast<int>(most);
}

std::string too_few(int least, int there, const char* what) {
  return fmt::format("it needs {} and this machine has {}", base::counted(static_cast<std::size_t>(least), what),
                     there);
}

std::string vendor_name(std::string_view vendor) {
  if (vendor.empty()) return "an unknown vendor";
  return vendor == "amd" ? "AMD" : vendor == "intel" ? "Intel" : std::string(vendor);
}

}  // namespace

std::span<const Experiment> experiments() {
  static const Experiment all[] = {charm_figure_5, charm_figure_7,  mechanisms,      scaling,         charm_figure_8,
                                   charm_figure_9, charm_table_1,   charm_table_2,   charm_figure_10, sgd,
                                   adaptive,       charm_figure_13, charm_figure_14, no_tool,         counting_cost,
                                   moves,          olap_figure_5,   olap_monolithic, olap_figure_10,  abss_figure_13,
                                   tapmm_figure_8, tapmm_figure_10, tapmm_figure_11};
  return all;
}

std::vector<const Experiment*> chosen(const std::vector<std::string>& names) {
  std::string known;
  for (const Experiment& each : experiments()) known += (known.empty() ? "" : ", ") + std::string(each.name);
  for (const std::string& name : names) {
    if (std::none_of(experiments().begin(), experiments().end(), [&](const Experiment& e) { return e.name == name; })) {
      throw Error(Errc::bad_config, "there is no experiment '" + name + "'", "choose among " + known);
    }
  }
  std::vector<const Experiment*> all;
  for (const Experiment& each : experiments()) {
    if (names.empty() || std::find(names.begin(), names.end(), each.name) != names.end()) all.push_back(&each);
  }
  return all;
}

namespace {

/// The values of subjects, each computed once; nothing where the model cannot tell.
class Values {
 public:
  Values(const std::vector<Subject>& subjects, const sim::Model& model) : subjects_(subjects), model_(model) {}

  const Subject* find(const std::string& name) const {
    const auto found =
        std::find_if(subjects_.begin(), subjects_.end(), [&](const Subject& s) { return s.name == name; });
    return found == subjects_.end() ? nullptr : &*found;
  }

  std::optional<double> of(const Subject& subject) {
    const auto [known, is_new] = values_.try_emplace(subject.name);
    if (is_new) {
      try {
        const double value = subject.value(model_, {});
        if (std::isfinite(value) && value > 0) known->second = value;
      } catch (const Error&) {  // it stays empty
      }
    }
    return known->second;
  }

 private:
  const std::vector<Subject>& subjects_;
  const sim::Model& model_;
  std::map<std::string, std::optional<double>> values_;
};

}  // namespace

void predict(Plan& plan, const sim::Model& model) {
  Values values(plan.subjects, model);
  for (Point& point : plan.points) {
    const Subject* first = values.find(point.first);
    const Subject* second = values.find(point.second);
    if (first == nullptr || (second == nullptr && !point.second.empty())) continue;
    const auto one = values.of(*first);
    if (!one) continue;
    if (second == nullptr) {
      point.predicted = one;
    } else if (const auto other = values.of(*second)) {
      point.predicted = first->more_is_better ? *one / *other : *other / *one;
    }
  }
}

std::string unmet(const Needs& needs, const Facts& facts) {
  const Machine& machine = facts.machine;
  const int cores = static_cast<int>(machine.cores.size());
  const int chiplets = static_cast<int>(machine.chiplets.size());
  if (!needs.programs.empty())
    return fmt::format("it is about {}; charm sim reproduce has a model of it", needs.programs);
  if (!needs.vendor.empty() && facts.vendor != needs.vendor) {
    return fmt::format("it is about processors of {} and this one is of {}", vendor_name(needs.vendor),
                       vendor_name(facts.vendor));
  }
  if (chiplets < needs.chiplets) {
    const std::string told = chiplets == 1 ? "this machine has one last-level cache, or shows only one"
                                           : fmt::format("this machine has {}", chiplets);
    return fmt::format("it needs {} and {}", base::counted(static_cast<std::size_t>(needs.chiplets), "chiplet"), told);
  }
  if (needs.most_chiplets > 0 && chiplets > needs.most_chiplets) {
    return fmt::format("it is about machines of {} and this one has {}",
                       base::counted(static_cast<std::size_t>(needs.most_chiplets), "chiplet"), chiplets);
  }
  if (nodes_with_cores(machine) < needs.nodes) return too_few(needs.nodes, nodes_with_cores(machine), "NUMA node");
  if (cores_of_largest_chiplet(machine) < needs.cores_per_chiplet) {
    return too_few(needs.cores_per_chiplet, cores_of_largest_chiplet(machine), "core") + " on a chiplet";
  }
  if (cores < needs.cores) return too_few(needs.cores, cores, "core");
  if (needs.cache_sizes && std::any_of(machine.chiplets.begin(), machine.chiplets.end(),
                                       [](const Chiplet& chiplet) { return chiplet.l3_bytes == 0; })) {
    return "it needs the size of the last-level caches, and the system does not report it";
  }
  if (needs.fills && !facts.fills) {
    return "it needs hardware counters that tell other chiplets from memory" +
           (facts.why_no_fills.empty() ? "" : ": " + facts.why_no_fills);
  }
  if (needs.malloc && !facts.why_no_malloc.empty()) return "it needs CHARM's malloc: " + facts.why_no_malloc;
  if (!needs.benchmark.empty()) {
    if (facts.benchmarks.empty() && !facts.why_no_benchmarks.empty()) return facts.why_no_benchmarks;
    if (std::find(facts.benchmarks.begin(), facts.benchmarks.end(), needs.benchmark) == facts.benchmarks.end())
      return fmt::format("it needs the workload {}, which this build does not have", needs.benchmark);
  }
  return "";
}

}  // namespace charm::evaluate
