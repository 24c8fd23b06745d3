// An evaluation as a value: the machine, what was asked for, and the result of each experiment. The file
// evaluation.json holds it (json.hpp); text and page show it and compute nothing.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/evaluate/experiment.hpp"

namespace charm::evaluate {

/// What is known of the machine, as names and texts for people, in the order in which they are shown.
struct MachineFacts {
  std::string name;  ///< product or processor
  std::string host;
  int cores = 0, chiplets = 0, nodes = 0, sockets = 0;
  std::vector<std::pair<std::string, std::string>> others;  ///< kernel, governor, SMT, ...
  /// What has to be the same for one evaluation to go on where another stopped: the topology and the program.
  std::string key;
};

enum class State {
  planned,   ///< not run yet
  unmet,     ///< the machine lacks what it needs
  measured,  ///< run, with all or some of its samples
};

struct Result {
  std::string name, title, claim, paper, published;  ///< as in Experiment
  State state = State::planned;
  Plan plan;  ///< with what was measured at each point; its jobs are not kept in the file
  std::vector<Samples> samples;
  std::vector<std::string> problems;      ///< what could not be measured, and why
  std::vector<std::string> disturbances;  ///< what else ran meanwhile
  double seconds = 0;                     ///< that it took
  Verdict verdict;
};

struct Evaluation {
  std::string version;  ///< of CHARM
  std::string command;
  std::string started, finished;  ///< UTC; `finished` is empty as long as an experiment is left
  MachineFacts machine;
  Extent extent = Extent::quick;
  std::vector<std::string> only;  ///< experiments that were asked for; empty: all
  std::uint64_t seed = 1;
  std::string predicted_by;             ///< the model
  std::vector<std::string> conditions;  ///< load, steal, governor, ... at the start, a sentence each
  std::vector<Result> results;
};

std::string_view name(Extent extent);
std::string_view name(State state);

}  // namespace charm::evaluate
