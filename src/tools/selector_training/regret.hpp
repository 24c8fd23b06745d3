// Judging selectors by regret: the time that their choices lose against the better schedule of each graph. Pure.
//
// Accuracy is also reported, but does not decide: many graphs run equally fast both ways, and some of the others lose a
// hundred times more than the rest by the wrong choice.
#pragma once

#include <charm/graph_selector.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/compare/statistics.hpp"
#include "tools/selector_training/label.hpp"

namespace charm::selector_training {

/// A selector's schedule for a labelled graph, from what is in the file.
GraphSchedule choice_of(const GraphSelector& selector, const Label& label);

/// A mean over graphs with its interval of 95 %: the percentile bootstrap, which draws as many graphs of each family as
/// there are.
struct Mean {
  double value = 0;
  compare::Interval at95;
};

struct Judgement {
  std::string selector;        // "tree"
  std::size_t parameters = 0;  // of its largest model
  Mean regret;                 // share of the time
  Mean gained;                 // regret of the stream, less its own
  double right = 0;            // share of the graphs where the schedule is the label's, or the label is "both"
  double batches = 0;          // share of the graphs that it runs in batches
  struct OfFamily {
    std::string family;
    std::size_t graphs = 0;
    double regret = 0;
    double right = 0;
  };
  std::vector<OfFamily> families;  // in the order of the alphabet
};

/// \param selector_for the selector that is asked about a graph of that family: one that has not seen the family.
Judgement judge(const std::string& name, const std::vector<LabelledGraph>& graphs,
                const std::function<const GraphSelector&(const std::string& family)>& selector_for,
                std::uint64_t seed = 1);

/// The selector that is to be the default, and why.
struct Verdict {
  std::string selector;
  std::string reason;
};
inline constexpr double worth_shipping = 0.01;  // of regret that a model must gain over the stream
inline constexpr double as_good_as = 0.005;     // by which a tree may be behind the network

/// The smallest model that gains a point of regret over always-stream by the lower end of the 95 % interval; a tree
/// within half a point of the network is preferred to it. If there is none, "stream". \param judgements of all
/// selectors.
Verdict verdict(const std::vector<Judgement>& judgements);

}  // namespace charm::selector_training
