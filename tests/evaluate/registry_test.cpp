// One object for what is measured and what is predicted: the model runs the inputs of the benchmark, and an evaluation
// of a simulated machine comes to the verdicts that its predictions imply.
#include <charm/machine.hpp>

#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "evaluate/pretended.hpp"
#include "thorough.hpp"
#include "tools/evaluate/judge.hpp"
#include "tools/evaluate/reproduction.hpp"
#include "tools/evaluate/simulated.hpp"

namespace charm::evaluate {
namespace {

using namespace test;

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string each; std::getline(in, each, ',');) all.push_back(each);
  return all;
}

std::map<std::string, std::string> options_of(const Job& job) {
  std::map<std::string, std::string> options;
  for (std::size_t i = 1; i + 1 < job.bench.size(); i += 2) options[job.bench[i]] = job.bench[i + 1];
  return options;
}

/// The names of all series that a plan measures, and the job of each.
std::map<std::string, const Job*> series_of(const Plan& plan) {
  std::map<std::string, const Job*> all;
  for (const Job& job : plan.jobs) {
    for (const Variant& variant : job.variants) all[variant.name] = &job;
    if (job.bench.empty()) continue;
    auto words = options_of(job);
    for (const std::string& kernel : listed(words.contains("--kernel") ? words["--kernel"] : job.bench.front())) {
      for (const std::string& runtime : listed(words["--runtime"])) {
        for (const std::string& policy : runtime == "charm" ? listed(words["--policy"]) : listed("none"))
          all[fmt::format("{}{} {} {} {}", job.prefix, kernel, runtime, policy, words["--workers"])] = &job;
      }
    }
  }
  return all;
}

/// The number behind `name` in what the model runs.
double number_in(const std::string& simulated, const std::string& name) {
  const auto at = simulated.find(name);
  return at == std::string::npos ? NAN : std::strtod(simulated.c_str() + at + name.size(), nullptr);
}

/// What the model runs has the size of the benchmark's input.
void expect_same_size(const Subject& subject, const Job& job, const std::string& where) {
  const auto words = options_of(job);
  const auto option = [&](const char* name) { return std::stod(words.at(name)); };
  const std::string& model = subject.simulated;
  const std::string& benchmark = job.bench.front();
  if (benchmark == "graph") {
    EXPECT_EQ(number_in(model, "scale="), option("--scale")) << where << model;
  }
  if (benchmark == "gups") {
    EXPECT_EQ(number_in(model, "total_mb="), std::exp2(option("--scale") - 17)) << where << model;
  }
  if (benchmark == "streamcluster") {
    EXPECT_EQ(number_in(model, "points="), option("--chunk")) << where << model;
  }
  if (benchmark == "olap") {
    EXPECT_EQ(number_in(model, "at scale "), option("--scale")) << where << model;
  }
  if (benchmark == "factor") {
    EXPECT_EQ(option("--size"), 8000) << where << "as the graphs were recorded";
  }
  if (benchmark == "sgd") {
    constexpr double simulated_bytes = 8, bytes = 4;  // of a feature
    // What the kernel places is predicted as what the kernel places.
    EXPECT_EQ(model.find("linux-") != std::string::npos, subject.name.find(" openmp ") != std::string::npos) << model;
    EXPECT_NEAR(number_in(model, "samples=") * number_in(model, "features=") * simulated_bytes,
                option("--rows") * option("--features") * bytes, simulated_bytes * option("--features"))
        << where << model;
  }
  if (benchmark == "oltp" && subject.name.starts_with("ycsb")) {
    EXPECT_EQ(number_in(model, "records="), option("--records")) << where << model;
  } else if (benchmark == "oltp") {
    EXPECT_EQ(number_in(model, "warehouses="), option("--warehouses")) << where << model;
  }
}

void expect_same_size(const Subject& subject, const Variant& variant, const std::string& where) {
  if (const auto* run = std::get_if<StreamRun>(&variant.run)) {
    const double bytes = number_in(subject.simulated, "total_mb=") * 0x1p20;
    const double least = static_cast<double>(run->processes.front().size()) * 64;  // a line for each thread
    EXPECT_NEAR(bytes / std::max(least, static_cast<double>(run->bytes)), 1, 1e-4) << where << subject.simulated;
  } else if (const auto* fill = std::get_if<FillRun>(&variant.run)) {
    Job job;
    job.bench = fill->words;
    expect_same_size(subject, job, where);
  }
}

TEST(Registry, PredictsWhatIsMeasuredAtThatSize) {
  for (const char* name : {"epyc-7713-2s", "xeon-8488c", "kunpeng-920-128", "epyc-9274f"}) {
    for (const Extent extent : {Extent::quick, Extent::full, Extent::paper}) {
      const Context context = simulated_context(sim::model(name), extent);
      int predicted = 0;
      for (const Experiment& experiment : experiments()) {
        if (extent != Extent::paper && !unmet(experiment.needs, context.facts).empty()) continue;
        if (extent == Extent::paper && experiment.machine != name) continue;
        const std::string where = fmt::format("{} --{} on {}: ", experiment.name, evaluate::name(extent), name);
        const Plan plan = experiment.plan(context);
        const auto measured = series_of(plan);
        std::set<std::string> names;
        for (const Subject& subject : plan.subjects) {
          EXPECT_TRUE(names.insert(subject.name).second) << where << subject.name << " twice";
          const auto job = measured.find(subject.name);
          if (job == measured.end()) {
            // What only the model can run belongs to the papers' machines, or follows from other series.
            EXPECT_TRUE(extent == Extent::paper || subject.name.ends_with(" static")) << where << subject.name;
            continue;
          }
          ++predicted;
          if (!job->second->bench.empty()) expect_same_size(subject, *job->second, where);
          for (const Variant& variant : job->second->variants)
            if (variant.name == subject.name) expect_same_size(subject, variant, where);
        }
        for (const Point& point : plan.points) {
          for (const std::string& series : {point.first, point.second}) {
            const bool there = series.empty() || measured.contains(series) || series.ends_with(" static");
            EXPECT_TRUE(there || extent == Extent::paper) << where << "nothing measures '" << series << "'";
          }
        }
      }
      EXPECT_TRUE(extent == Extent::paper || predicted > 20) << name;
    }
  }
}

std::string needs_text(const Experiment& experiment) {
  const Needs& needs = experiment.needs;
  std::vector<std::string> all;
  if (needs.most_chiplets == 1) all.emplace_back("one last-level cache");
  if (needs.chiplets > 0) all.push_back(fmt::format("{} chiplets", needs.chiplets));
  if (needs.nodes > 0) all.push_back(fmt::format("{} NUMA nodes", needs.nodes));
  if (needs.cores > 0) all.push_back(fmt::format("{} cores", needs.cores));
  if (!needs.vendor.empty()) all.emplace_back(needs.vendor == "intel" ? "Intel" : "AMD");
  if (needs.fills) all.emplace_back("counters");
  if (needs.malloc) all.emplace_back("CHARM's malloc");
  if (!needs.benchmark.empty()) all.emplace_back(needs.benchmark);
  if (!needs.programs.empty()) all.emplace_back(needs.programs);
  return fmt::format("{}", fmt::join(all, ", "));
}

/// What charm sim reproduce says of all claims is what the page says.
TEST(Registry, IsOnItsPageWithTheModelsVerdicts) {
  std::string table = "| experiment | paper | claim | needs | by the model |\n|---|---|---|---|---|\n";
  Tally tally;
  for (const Experiment& experiment : experiments()) {
    std::string finding = "–";
    if (!experiment.machine.empty()) {
      const Finding found = reproduce(experiment).verdict.finding;
      tally.add(found);
      finding = words(found);
    }
    table += fmt::format("| `{}` | {} | {} | {} | {} |\n", experiment.name, experiment.paper, experiment.claim,
                         needs_text(experiment), finding);
  }
  table += "\nBy the model, of the claims: " + text_of(tally) + ".\n";
  std::ifstream in(std::string(CHARM_DOCS) + "/design/reproduce.md");
  std::stringstream page;
  page << in.rdbuf();
  EXPECT_NE(page.str().find("registry_test.cpp -->\n" + table + "<!-- end -->"), std::string::npos)
      << "write this between the marks of docs/design/reproduce.md:\n"
      << table;
  std::ifstream readme(std::string(CHARM_DOCS) + "/../README.md");
  std::stringstream first_page;
  first_page << readme.rdbuf();
  EXPECT_NE(first_page.str().find("by a model of their machines " + text_of(tally) + ":"), std::string::npos)
      << "README.md: " << text_of(tally);
}

TEST(Registry, HasASourceForEveryPublishedValue) {
  for (const Experiment* experiment : reproducible()) {
    const Context context = simulated_context(sim::model(experiment->machine), Extent::paper);
    for (const Point& point : experiment->plan(context).points) {
      EXPECT_FALSE(point.published && point.source.empty()) << experiment->name << ": " << point.series;
    }
  }
}

/// The whole evaluation of a machine of the paper, "measured" by the model with noise and another seed: it tells what
/// the predictions imply, or that it cannot tell.
TEST(Registry, OfASimulatedMachineGivesNoVerdictAgainstItsPredictions) {
  const double noises[] = {0.01, 0.05};
  for (const double noise : noises) {
    if (noise > 0.02 && !charm::tests::thorough()) continue;
    const Context context = simulated_context(sim::model("epyc-7713-2s"), Extent::quick);
    SimulatedMeasuring measuring(context.model, {noise, 17});
    const auto all = chosen({});
    Evaluation evaluation;
    evaluation.results = planned(all, context);
    Callbacks callbacks;
    callbacks.now = [] { return 0.0; };
    callbacks.store = [](const Evaluation&) {};
    ASSERT_TRUE(measure(evaluation, all, context, measuring, callbacks, 1e9));
    int told = 0;
    for (const Result& result : evaluation.results) {
      if (result.state == State::unmet) continue;
      const Verdict predicted = predicted_verdict(result.plan.points, result.plan.x);
      const Finding finding = result.verdict.finding;
      if (finding == Finding::cannot_tell || predicted.finding == Finding::cannot_tell) continue;
      ++told;
      EXPECT_EQ(finding, predicted.finding)
          << result.name << "\n measured: " << result.verdict.why << "\n predicted: " << predicted.why;
    }
    EXPECT_GE(told, 6) << noise;
  }
}

TEST(Registry, TellsWhatTheModelHasNot) {
  const Context context = simulated_context(sim::model("epyc-7713-2s"), Extent::quick);
  SimulatedMeasuring measuring(context.model, {});
  const auto cost = chosen({"counting-cost"});
  Evaluation evaluation;
  evaluation.results = planned(cost, context);
  Callbacks callbacks;
  callbacks.now = [] { return 0.0; };
  callbacks.store = [](const Evaluation&) {};
  measure(evaluation, cost, context, measuring, callbacks, 1e9);
  EXPECT_EQ(evaluation.results.front().verdict.finding, Finding::cannot_tell);
  EXPECT_NE(evaluation.results.front().verdict.why.find("the simulator has no model of it"), std::string::npos)
      << evaluation.results.front().verdict.why;
}

}  // namespace
}  // namespace charm::evaluate
