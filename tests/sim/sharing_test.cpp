// TAPMM with several programs and several readers (§3.3, §4.2): what Figs. 10 and 11, whose programs run alone or
// beside a database, leave open. Two programs under the malloc follow one sampler: does each take the other's traffic
// for a reason to move, and do they swing together? And a block that threads of several dies read: the paper computes
// its weights for the die that allocates it. The sampler and the weights are those of src/tools/memory_traffic; it is
// told the traffic of all programs, as `charm malloc sample` is.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tools/memory_traffic/sampler.hpp"
#include "tools/memory_traffic/source.hpp"
#include "tools/sim/page_mapping.hpp"

namespace charm::sim {
namespace {

constexpr int steps = 60, counted = 30;  // of a sampler: the second half
constexpr double nearly = 0.95;

/// Programs on the dies of the first socket. They allocate anew in each step, so their pages follow at once: the worst
/// case for herding.
class Followers {
 public:
  Followers(const Model& machine, const memory_traffic::SamplerOptions& options)
      : machine_(machine),
        forest_(traffic_model(machine)),
        sampler_(forest_, machine.machine, memory_traffic::policy("exact"), options) {
    for (const int node : {0, 1}) programs_.push_back({node, 32, 0, 0, layout_of(node)});
  }

  struct Outcome {
    double gb_per_s = 0;  ///< of both programs, mean
    double swing = 0;     ///< the largest change of a part in one step
  };

  /// \param others what the memories carry besides, in a step. \param fixed the weights stay those of the idle machine.
  template <class Others>
  Outcome run(Others others, bool fixed = false) {
    Outcome outcome;
    for (int i = 0; i < steps; ++i) {
      const std::vector<double> database = others(i);
      const std::vector<double> rates = gb_per_s_of(machine_, programs_, database);
      memory_traffic::Bandwidths reading = memory_traffic::no_traffic(forest_);
      for (std::size_t m = 0; m < database.size(); ++m) reading.memory[m] += database[m];
      for (std::size_t p = 0; p < programs_.size(); ++p) add(reading, programs_[p], rates[p]);
      sampler_.add(reading, memory_traffic::no_traffic(forest_));
      double swing = 0;
      for (Reading& program : programs_) {
        if (fixed) continue;
        const memory_traffic::Weights now = layout_of(program.node);
        for (std::size_t m = 0; m < now.size(); ++m) swing = std::max(swing, std::abs(now[m] - program.weights[m]));
        program.weights = now;
      }
      if (i < steps - counted) continue;
      outcome.swing = std::max(outcome.swing, swing);
      for (const double rate : rates) outcome.gb_per_s += rate / counted;
    }
    return outcome;
  }

 private:
  [[nodiscard]] memory_traffic::Weights layout_of(int node) const {
    const memory::WeightPage& page = sampler_.page();
    const int cpu = machine_.machine.nodes[static_cast<std::size_t>(node)].cpus[0];
    const auto parts = memory::weights_of(page, page.root_of_cpu[static_cast<std::size_t>(cpu)]);
    return memory_traffic::normalised(memory_traffic::Weights(parts.begin(), parts.end()));
  }

  void add(memory_traffic::Bandwidths& reading, const Reading& program, double gb_per_s) const {
    memory_traffic::Weights flow = program.weights;
    for (double& part : flow) part *= gb_per_s;
    const memory_traffic::Bandwidths more =
        memory_traffic::flow_on_buses(forest_, memory_traffic::root_of_node(forest_, program.node), flow);
    for (std::size_t d = 0; d < more.out.size(); ++d) reading.out[d] += more.out[d];
    for (std::size_t d = 0; d < more.in.size(); ++d) reading.in[d] += more.in[d];
    for (std::size_t m = 0; m < more.memory.size(); ++m) reading.memory[m] += more.memory[m];
  }

  const Model& machine_;
  memory_traffic::Model forest_;
  memory_traffic::Sampler sampler_;
  std::vector<Reading> programs_;
};

/// Every reading counts at once and in full.
memory_traffic::SamplerOptions naive() {
  memory_traffic::SamplerOptions options;
  options.smoothing = {1, 0, false};
  options.least = 0;
  options.step = 1;
  return options;
}

double of_both(const Model& machine, const memory_traffic::Weights& first, const memory_traffic::Weights& second) {
  const std::vector<double> rates = gb_per_s_of(machine, {{0, 32, 0, 0, first}, {1, 32, 0, 0, second}});
  return rates[0] + rates[1];
}

Model kunpeng() { return model("kunpeng-920-128"); }

TEST(SeveralPrograms, ThatFollowOneSamplerSettle) {
  const Model machine = kunpeng();
  const auto nobody = [](int) { return std::vector<double>(); };
  const auto herd = Followers(machine, naive()).run(nobody);
  const auto calm = Followers(machine, {}).run(nobody);
  EXPECT_GT(herd.swing, 0.2) << "programs that follow every reading at once herd";
  EXPECT_LT(calm.swing, 0.05);
  EXPECT_GT(calm.gb_per_s / herd.gb_per_s, 0.97) << "settling costs no bandwidth";
  EXPECT_GT(calm.gb_per_s / of_both(machine, only_on(4, 0), only_on(4, 1)), 1.1)
      << "both use the other socket's memories besides their own";
  const memory_traffic::Weights all(4, 1);
  EXPECT_GT(calm.gb_per_s / of_both(machine, all, all), 1.1) << "the bus between the sockets is not overloaded";
}

TEST(SeveralPrograms, LeaveWhatADatabaseUses) {
  const Model machine = kunpeng();
  for (const double busy : {10.0, 20.0, 30.0}) {
    // As a recording replays it: busy most of the time.
    const auto database = [busy](int step) {
      return step % 10 < 8 ? std::vector<double>{busy, busy / 2, busy / 4, busy / 4} : std::vector<double>();
    };
    const auto following = Followers(machine, {}).run(database);
    const auto fixed = Followers(machine, {}).run(database, true);
    const auto without = Followers(machine, naive()).run(database);
    EXPECT_GT(following.gb_per_s / fixed.gb_per_s, busy == 30 ? 1.05 : nearly) << busy;
    EXPECT_GT(following.gb_per_s / without.gb_per_s, nearly) << busy;
    EXPECT_LT(following.swing, without.swing / 2) << busy;
  }
}

/// GB/s of a block that so many dies read alike, which end together.
double read_by(const Model& machine, int dies, const memory_traffic::Weights& weights) {
  std::vector<Reading> readers;
  for (int die = 0; die < dies; ++die) readers.push_back({die, 32, 0, 0, weights});
  const std::vector<double> rates = gb_per_s_of(machine, readers);
  return dies * *std::min_element(rates.begin(), rates.end());
}

TEST(SeveralReaders, AreServedBetterThanByTheRuleForTheAllocatingDie) {
  const Model machine = kunpeng();
  const memory_traffic::Model forest = traffic_model(machine);
  const memory_traffic::Bandwidths all = capacities(forest);
  const memory_traffic::Weights rooted = weights_of(forest, "paper", 0, all);
  for (const int dies : {1, 2, 3, 4}) {
    std::vector<memory_traffic::Reader> readers;
    for (int die = 0; die < dies; ++die) readers.push_back({memory_traffic::root_of_node(forest, die), 1.0 / dies});
    const double best = read_by(machine, dies, memory_traffic::shared_flow(forest, all, readers));
    EXPECT_GT(best / read_by(machine, dies, rooted), dies == 4 ? 1.2 : 0.98) << dies;
    EXPECT_GT(best / read_by(machine, dies, memory_traffic::Weights(4, 1)), nearly) << dies;
  }
}

}  // namespace
}  // namespace charm::sim
