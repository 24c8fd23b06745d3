// One sampler and several programs that follow its page, on a modelled machine and beside a recording: they spread over
// what others leave, and do not herd.
#include "tools/memory_traffic/sampler.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "memory_traffic/fake_uncore.hpp"
#include "memory_traffic/machines.hpp"
#include "memory_traffic/modelled_machine.hpp"
#include "tools/memory_traffic/source.hpp"
#include "tools/memory_traffic/traffic_recording.hpp"

namespace charm::memory_traffic::test {
namespace {

Machine four_nodes_of_four() { return Machine::from("pack:2 numa:2 l3:1 core:4 pu:1"); }

Weights layout_of(const memory::WeightPage& page, std::size_t root) {
  Weights weights;
  for (std::size_t m = 0; m < page.memories; ++m) weights.push_back(page.weights[root][m]);
  return normalised(std::move(weights));
}

struct Outcome {
  double gb_per_s = 0;  ///< of the followers together, mean of the second half
  double swing = 0;     ///< the largest change of a weight in one step of the second half
};

/// Programs on the two dies of socket 0 that allocate anew all the time, so that pages follow the weights at once.
class Followers {
 public:
  Followers(const Model& model, SamplerOptions options, bool own_is_known)
      : model_(model), sampler_(model, cpus_, policy("exact"), options), own_is_known_(own_is_known) {
    for (const int root : {3, 4})
      programs_.push_back({root, 60, layout_of(sampler_.page(), static_cast<std::size_t>(root - 3))});
  }

  /// \param others what the buses carry besides, in step i.
  template <class Others>
  Outcome run(int steps, Others others) {
    Outcome outcome;
    for (int i = 0; i < steps; ++i) {
      std::vector<Program> all = programs_;
      for (const Program& other : others(i)) all.push_back(other);
      share_fairly(model_, all);
      Bandwidths reading = flow_of(model_, all.front(), 0);
      Bandwidths own = reading;
      for (std::size_t p = 0; p < all.size(); ++p) {
        reading += flow_of(model_, all[p], all[p].gb_per_s);
        if (p < programs_.size() && own_is_known_) own += flow_of(model_, all[p], all[p].gb_per_s);
      }
      sampler_.add(reading, own);
      double swing = 0;
      for (std::size_t p = 0; p < programs_.size(); ++p) {
        const Weights now = layout_of(sampler_.page(), p);
        for (std::size_t m = 0; m < now.size(); ++m) swing = std::max(swing, std::abs(now[m] - programs_[p].layout[m]));
        programs_[p].layout = now;
      }
      if (i < steps / 2) continue;
      outcome.swing = std::max(outcome.swing, swing);
      for (std::size_t p = 0; p < programs_.size(); ++p) outcome.gb_per_s += all[p].gb_per_s / (steps - steps / 2);
    }
    return outcome;
  }

  [[nodiscard]] Weights weights(std::size_t root) const { return layout_of(sampler_.page(), root); }

 private:
  const Model& model_;
  Machine cpus_ = four_nodes_of_four();
  Sampler sampler_;
  bool own_is_known_;
  std::vector<Program> programs_;
};

std::vector<Program> nobody(int /*step*/) { return {}; }

SamplerOptions naive() {
  SamplerOptions options;
  options.smoothing = {1, 0, false};
  options.least = 0;
  options.step = 1;
  return options;
}

}  // namespace

TEST(SamplerTest, WithoutTrafficItIsThePageOfTheIdleMachine) {
  const Model model = kunpeng(30);
  Sampler sampler(model, four_nodes_of_four(), policy("exact"));
  const Bandwidths none = no_traffic(model);
  EXPECT_FALSE(sampler.add(none, none));
  EXPECT_EQ(sampler.page().weights[0][0], 1000);
  EXPECT_EQ(sampler.page().weights[0][2], 375);
}

TEST(SamplerTest, WeightsLeaveABusyMemoryAndComeBack) {
  const Model model = kunpeng(30);
  Sampler sampler(model, four_nodes_of_four(), policy("exact"));
  Bandwidths busy = no_traffic(model);
  busy.memory[0] = 30;  // of 40
  const Bandwidths none = no_traffic(model);
  for (int i = 0; i < 50; ++i) sampler.add(busy, none);
  // What is left of the memories is 10, 40, and 30 for the two behind the bus.
  const Weights there = layout_of(sampler.page(), 0);
  EXPECT_NEAR(there[0], 10. / 80, 0.02);
  EXPECT_NEAR(there[1], 40. / 80, 0.02);
  EXPECT_EQ(sampler.page().normal[0], 1);
  for (int i = 0; i < 50; ++i) sampler.add(none, none);
  EXPECT_NEAR(layout_of(sampler.page(), 0)[0], 40. / 110, 0.02);
  EXPECT_EQ(sampler.page().normal[0], 0);
}

TEST(SamplerTest, AFullMachineHasTheWeightsOfAnIdleOne) {
  const Model model = kunpeng(30);
  Sampler sampler(model, four_nodes_of_four(), policy("exact"));
  const Bandwidths all = capacities(model);
  Bandwidths full = no_traffic(model);
  full.memory = all.memory;
  full.out[1] = full.out[2] = 30;
  for (int i = 0; i < 50; ++i) sampler.add(full, no_traffic(model));
  EXPECT_NEAR(layout_of(sampler.page(), 0)[0], 40. / 110, 0.02);
}

TEST(SamplerTest, TheSameReadingHasTheSameGeneration) {
  const Model model = kunpeng(30);
  Sampler sampler(model, four_nodes_of_four(), policy("exact"));
  Bandwidths busy = no_traffic(model);
  busy.memory[3] = 25;
  for (int i = 0; i < 60; ++i) sampler.add(busy, no_traffic(model));
  EXPECT_FALSE(sampler.add(busy, no_traffic(model)));
}

TEST(Herding, ANaiveSamplerSwingsAndOursDoesNot) {
  const Model model = kunpeng(30);
  Followers plain(model, naive(), false);
  const Outcome herd = plain.run(200, nobody);
  EXPECT_GT(herd.swing, 0.2);  // so the model can show it
  for (const bool own_is_known : {true, false}) {
    Followers ours(model, {}, own_is_known);
    const Outcome calm = ours.run(200, nobody);
    EXPECT_LT(calm.swing, 0.05) << own_is_known;
    EXPECT_GT(calm.gb_per_s, 0.97 * herd.gb_per_s) << own_is_known;
  }
  Followers knowing(model, {}, true);
  EXPECT_NEAR(knowing.run(200, nobody).gb_per_s, 110, 1);  // the most that the machine gives to socket 0
}

TEST(Herding, BesideARecordedProgramBothLeaveWhatItUses) {
  const Model model = kunpeng(30);
  const Machine machine = four_nodes_of_four();
  const charm::test::Folder folder;
  Bandwidths database = no_traffic(model);
  database.memory[0] = 30;
  std::string text = traffic_heading(model);
  for (int i = 1; i <= 10; ++i) text += traffic_line({i * 1.0, i < 9 ? database : no_traffic(model)});
  const auto recording =
      open_source({&model, &machine, folder.root(), nullptr, {}, {}}, "replay:" + folder.file("database.csv", text));
  for (const bool own_is_known : {true, false}) {
    Followers programs(model, {}, own_is_known);
    const auto beside = [&](int step) {
      const double used = recording->read(step % 8).memory[0];  // the part in which the database is busy
      return std::vector<Program>{{3, used, {1, 0, 0, 0}}};
    };
    const Outcome outcome = programs.run(160, beside);
    EXPECT_LT(outcome.swing, 0.05) << own_is_known;
    EXPECT_LT(programs.weights(0)[0], own_is_known ? 0.16 : 0.36) << own_is_known;
    Followers fixed(model, naive(), false);
    EXPECT_GT(outcome.gb_per_s, 0.95 * fixed.run(160, beside).gb_per_s) << own_is_known;
  }
}

}  // namespace charm::memory_traffic::test
