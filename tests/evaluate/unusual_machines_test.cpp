// What a process may use of a machine is not always a whole chiplet: one core, cores without their second threads, an
// odd cpuset. Every experiment must come to a verdict there, or say what it misses.
#include <charm/machine.hpp>

#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

#include "evaluate/pretended.hpp"
#include "tools/evaluate/evaluate.hpp"
#include "topology/build.hpp"
#include "topology/survey.hpp"

namespace charm::evaluate {
namespace {

using namespace test;

/// A server of two sockets with 24 chiplets, 192 cores and 384 threads, of which a process may use `cpus`.
Machine part_of_a_server(std::initializer_list<int> cpus) {
  topology::Restrictions restrictions;
  restrictions.affinity.emplace();
  for (const int cpu : cpus) restrictions.affinity->insert(cpu);
  return topology::build(topology::survey_file(CHARM_TEST_DATA "/topologies/AMD-19h-Zen4-2xEpyc-9654.xml"),
                         restrictions);
}

struct Part {
  const char* name;
  std::initializer_list<int> cpus;
  std::size_t cores, chiplets;
};

TEST(UnusualMachines, GetAVerdictFromEveryExperimentOrAReason) {
  for (const Part& part : {Part{"one cpu", {5}, 1, 1}, Part{"a core with both threads", {3, 195}, 1, 1},
                           Part{"second threads alone", {192, 193, 200, 201}, 4, 2},
                           Part{"one core of each of four chiplets", {0, 8, 16, 24}, 4, 4},
                           Part{"an odd cpuset", {0, 1, 2, 9, 96, 98, 290}, 6, 3}}) {
    const Machine machine = part_of_a_server(part.cpus);
    ASSERT_EQ(machine.cores.size(), part.cores) << part.name;
    ASSERT_EQ(machine.chiplets.size(), part.chiplets) << part.name;
    Pretended measuring(machine, Nature::as_published);
    const Evaluation evaluation = evaluated(context_of(machine), measuring, {});
    EXPECT_EQ(evaluation.results.size(), experiments().size()) << part.name;
    for (const Result& result : evaluation.results) {
      EXPECT_NE(result.verdict.why, "") << part.name << ", " << result.name;
      EXPECT_EQ(result.problems, std::vector<std::string>{}) << part.name << ", " << result.name;
      for (const Point& point : result.plan.points) {
        if (result.state != State::unmet) {
          EXPECT_NE(point.outcome, Outcome::not_measured) << part.name << ", " << point.first;
        }
      }
    }
  }
}

}  // namespace
}  // namespace charm::evaluate
