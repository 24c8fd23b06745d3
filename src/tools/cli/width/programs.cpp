#include "tools/cli/width/programs.hpp"

#include <algorithm>
#include <cstddef>

namespace charm::cli {
namespace {

std::string with_number(std::string word, const std::string& number) {
  for (const std::string& place : {std::string("{threads}"), std::string("{}")}) {
    for (std::size_t at = 0; (at = word.find(place, at)) != std::string::npos; at += number.size())
      word.replace(at, place.size(), number);
  }
  return word;
}

/// Cores chiplet by chiplet, then their further hardware threads in the same order.
std::vector<int> cpus_in_order(const Machine& machine) {
  std::vector<int> cpus;
  for (std::size_t nth = 0;; ++nth) {
    const std::size_t before = cpus.size();
    for (const Chiplet& chiplet : machine.chiplets) {
      for (const int core : chiplet.cores) {
        const CpuSet& siblings = machine.cores[static_cast<std::size_t>(core)].siblings;
        if (nth < siblings.size()) cpus.push_back(*(siblings.begin() + static_cast<std::ptrdiff_t>(nth)));
      }
    }
    if (cpus.size() == before) return cpus;
  }
}

}  // namespace

const std::vector<std::string>& usual_variables() {
  static const std::vector<std::string> names = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
                                                 "GOMAXPROCS",      "RAYON_NUM_THREADS",    "TOKIO_WORKER_THREADS",
                                                 "CHARM_WORKERS"};
  return names;
}

bool has_place_for_threads(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return with_number(word, "1") != word; });
}

compare::Program program_at(const ProgramAsked& asked, const Machine& machine, const width::Level& level) {
  const std::string number = std::to_string(level.threads);
  compare::Program program;
  program.name = width::name_of(level);
  if (asked.by == TellBy::variables) {
    program.words.emplace_back("env");
    for (const std::string& variable : asked.variables) program.words.push_back(variable + "=" + number);
  } else if (asked.by == TellBy::mask) {
    std::vector<int> cpus = cpus_in_order(machine);
    cpus.resize(std::min(cpus.size(), static_cast<std::size_t>(level.threads)));
    program.words = {"taskset", "--cpu-list", CpuSet(cpus.begin(), cpus.end()).to_text()};
  }
  if (!level.policy.empty()) {
    for (const std::string& word : {asked.tool, std::string("run"), std::string("--policy"), level.policy,
                                    std::string("--workers"), number, std::string("--")})
      program.words.push_back(word);
  }
  for (const std::string& word : asked.words) program.words.push_back(with_number(word, number));
  return program;
}

}  // namespace charm::cli
