// The properties of docs/design/placement.md on the machines of tests/data/topologies, at every number of workers.
#include <algorithm>
#include <cctype>
#include <filesystem>

#include <gtest/gtest.h>

#include "placement/bins.hpp"
#include "placement/properties.hpp"

using namespace charm;
using namespace charm::placement;
using namespace charm::test;

namespace {

std::vector<std::string> topologies() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(CHARM_TEST_DATA "/topologies")) {
    if (entry.path().extension() == ".xml") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class RealMachine : public testing::TestWithParam<std::string> {};

TEST_P(RealMachine, KeepsEveryPropertyAtEveryNumberOfWorkers) {
  Machine machine = Machine::from(GetParam());
  for (bool smt : {false, true}) {
    for (int workers = 1; workers <= capacity(machine, smt); ++workers) {
      for (SocketOrder sockets : {SocketOrder::widen, SocketOrder::fill, SocketOrder::balance}) {
        for (auto name : {"local", "distributed", "numa"}) {
          Request request{.workers = workers, .sockets = sockets, .smt = smt};
          Placement p = policy(name).place(machine, request);
          ASSERT_EQ(ranges_overlap(p), "") << name << ' ' << workers;
          ASSERT_EQ(wrong_core(machine, p, smt), "") << name << ' ' << workers;
          if (sockets == SocketOrder::fill) {
            ASSERT_EQ(out_of_order(machine, p, &WorkerCore::socket, &Core::socket, smt), "") << name << ' ' << workers;
          }
          if (std::string(name) == "numa") continue;  // its parts of a chiplet that spans nodes count apart
          ASSERT_EQ(wrong_width(p), "") << name << ' ' << workers;
          ASSERT_EQ(needless_moves(p), "") << name << ' ' << workers;
        }
      }
    }
  }
}

TEST_P(RealMachine, RefusesOneWorkerTooMany) {
  Machine machine = Machine::from(GetParam());
  Request request{.workers = capacity(machine, false) + 1};
  for (const PlacementPolicy& each : policies()) EXPECT_ANY_THROW(each.place(machine, request)) << each.name;
}

INSTANTIATE_TEST_SUITE_P(Topologies, RealMachine, testing::ValuesIn(topologies()), [](const auto& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
});

}  // namespace
