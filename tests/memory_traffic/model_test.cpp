#include <charm/error.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "memory_traffic/machines.hpp"
#include "tools/memory_traffic/flow.hpp"
#include "tools/memory_traffic/model_json.hpp"

namespace charm::memory_traffic::test {
namespace {

std::string refusal(const std::string& text) {
  try {
    model_from_json(text, "m.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

}  // namespace

TEST(ModelFile, IsReadAsItWasWritten) {
  base::Random random(5);
  for (int i = 0; i < 200; ++i) {
    Model model = random_model(random);
    model.core_gb_per_s = random.below(3) * 4.5;
    model.notes = {"a note"};
    model.date = "2026-01-01T00:00:00Z";
    const std::string text = model_to_json(model);
    EXPECT_EQ(model_to_json(model_from_json(text, "m.json")), text);
  }
}

TEST(ModelFile, ErrorsNameThePlaceAndTheProblem) {
  const std::string good = model_to_json(kunpeng(30));
  EXPECT_EQ(refusal(good), "accepted");
  const auto expect = [&](const std::string& what, const std::string& by, const std::string& error) {
    const std::string said = refusal(replaced(good, what, by));
    EXPECT_NE(said.find(error), std::string::npos) << said;
    EXPECT_EQ(said.rfind("m.json", 0), 0U) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  };
  expect("{", "[", "no JSON");
  expect("\"charm_traffic_model\": 1", "\"charm_traffic_model\": 2", "version 1");
  expect("out_gb_per_s", "out_gbps", "domains[1]: 'out_gbps' is no key");
  expect("\"out_gb_per_s\": 30.0", "\"out_gb_per_s\": 0", "domain 'socket0' has a bus without bandwidth");
  expect("\"out_gb_per_s\": 30.0", "\"out_gb_per_s\": \"30\"", "domains[1]: 'out_gb_per_s' is no number");
  expect("\"in\": \"socket1\"", "\"in\": \"socket9\"", "'socket9', which is no domain above it");
  expect("\"level\": \"socket\"", "\"level\": \"package\"", "domains[1]: 'level' is 'package'");
  expect("\"node\": 1,", "\"node\": 0,", "the memory of node 0 is there twice");
  expect("\"node\": 1,", "", "memories[1]: 'node' is missing");
  expect("\"gb_per_s\": 40.0", "\"gb_per_s\": -1", "the memory of node 0 has no usable gb_per_s");
  expect("\"cpus_of_node\": 1", "\"cpus_of_node\": -1", "'cpus_of_node' is no number of a node");
  EXPECT_NE(refusal("[]").find("is no object"), std::string::npos);
  EXPECT_NE(refusal("{\"charm_traffic_model\":1,\"domains\":[],\"memories\":[]}").find("no domains"),
            std::string::npos);
}

TEST(ModelFile, TheExampleOfTheManualIsOne) {
  std::ifstream file(CHARM_DOCS "/design/malloc.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t begin = page.find("```json\n") + 8;
  const Model model = model_from_json(page.substr(begin, page.find("```", begin) - begin), "example");
  EXPECT_EQ(model.memories.size(), 3U);
  EXPECT_EQ(demand_of(model, 4), 44);
  const AccessTree tree = access_tree(model, root_of_node(model, 0), capacities(model));
  EXPECT_EQ(max_flow(tree), 150);
}

TEST(ModelFile, TwoDomainsOfOneNameAreRefused) {
  Model model = kunpeng(30);
  model.domains[6].name = "sccl2";
  try {
    check(model, "m.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("m.json: domain 'sccl2' is there twice"), std::string::npos);
  }
}

TEST(ModelFile, OneThatIsNotThereSaysSo) {
  try {
    read_model("/nowhere/model.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/model.json"), std::string::npos);
  }
}

TEST(ModelFile, ADeviceIsNotRead) {
  try {
    read_model("/dev/zero");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'/dev/zero' is a device"), std::string::npos) << error.what();
  }
}

TEST(ModelOfMachine, HasTheLevelsOfTheKunpeng) {
  const Machine machine = Machine::from(std::string(CHARM_TEST_DATA) + "/topologies/128arm-2pa2n8cluster4co.xml");
  const Model model = model_of(machine);
  check(model, "model");
  ASSERT_EQ(roots(model).size(), 4U);
  ASSERT_EQ(model.memories.size(), 4U);
  const int root = root_of_node(model, machine.nodes[0].os_index);
  EXPECT_EQ(model.domains[static_cast<std::size_t>(near_domain(model, root))].level, Level::socket);
  // Its own memory is nearest, then that of its socket.
  const auto ns = [&](std::size_t m) { return read_latency(model, root, model.memories[m]); };
  EXPECT_LT(ns(0), ns(1));
  EXPECT_LT(ns(1), ns(2));
  EXPECT_EQ(model.notes.size(), 2U);
}

TEST(ModelOfMachine, IsSoundForEveryMachine) {
  for (const char* what : {"pack:1 core:4 pu:1", "pack:2 numa:2 l3:2 core:4 pu:2", "numa:1 pack:1 core:2 pu:1"}) {
    const Model model = model_of(Machine::from(what));
    check(model, what);
    for (const AccessTree& tree : access_forest(model, capacities(model))) EXPECT_GT(max_flow(tree), 0) << what;
  }
}

TEST(ModelOfMachine, HasMemoriesOnEveryStoredMachine) {
  for (const auto& file : std::filesystem::directory_iterator(std::string(CHARM_TEST_DATA) + "/topologies")) {
    if (file.path().extension() != ".xml") continue;
    const Model model = model_of(Machine::from(file.path().string()));
    EXPECT_FALSE(model.memories.empty()) << file.path() << ", also where it tells no sizes";
    check(model, file.path().filename().string());
  }
}

namespace {
/// Two sockets of a node each, and memory without cpus at the first.
Machine with_far_memory(const std::string& kind) {
  Machine machine = Machine::from("pack:2 numa:1 l3:1 core:4 pu:1");
  machine.nodes.push_back({.id = 2, .os_index = 2, .cpus = {}, .bytes = 1U << 30U, .socket = 0, .kind = kind});
  machine.node_distance = {{10, 21, 30}, {21, 10, 40}, {30, 40, 10}};
  return machine;
}
bool has_note(const Model& model, const std::string& part) {
  return std::any_of(model.notes.begin(), model.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}
}  // namespace

TEST(ModelOfMachine, TakesWhatTheFirmwareSaysOfMemories) {
  Machine machine = with_far_memory("CXL");
  for (const std::size_t near : {0U, 1U}) machine.nodes[near].firmware_gb_per_s = 100;
  machine.nodes[2].firmware_gb_per_s = 17;
  machine.nodes[0].firmware_latency_ns = 90;
  Model model = model_of(machine);
  EXPECT_EQ(model.memories[0].gb_per_s, 100);
  EXPECT_EQ(model.memories[0].latency_ns, 90);
  EXPECT_EQ(model.memories[2].gb_per_s, 17);
  EXPECT_EQ(model.memories[2].latency_ns, 270);
  EXPECT_TRUE(has_note(model, "what the firmware says"));
  // Measured comes before told, whose ratios remain.
  machine.measured.memory_gb_per_s = 160;
  model = model_of(machine);
  EXPECT_EQ(model.memories[1].gb_per_s, 80);
  EXPECT_NEAR(model.memories[2].gb_per_s, 13.6, 1e-9);
}

TEST(ModelOfMachine, FarMemoryThatNobodyDescribesIsAFifthAndHbmIsNot) {
  Model model = model_of(with_far_memory(""));
  EXPECT_EQ(model.memories[2].gb_per_s, model.memories[0].gb_per_s / 5);
  EXPECT_TRUE(has_note(model, "a fifth of a node's own is assumed"));
  model = model_of(with_far_memory("HBM"));
  EXPECT_EQ(model.memories[2].gb_per_s, model.memories[0].gb_per_s);
}

TEST(ModelOfMachine, LeavesTheMemoryOfGpusAlone) {
  const Model model = model_of(with_far_memory("GPU"));
  check(model, "model");
  EXPECT_EQ(model.memories.size(), 2U);
  EXPECT_TRUE(has_note(model, "memory of GPUs"));
}

TEST(ModelOfMachine, TakesWhatTheProbeHasMeasured) {
  Machine machine = with_far_memory("CXL");
  machine.measured.node_memory_gb_per_s = 70;
  machine.measured.memory_latency_ns = {{80, 140, 230}, {150, 85, 320}, {}};
  machine.measured.node_gb_per_s = {{11, 7, 5}, {7, 12, 4}, {}};
  const Model model = model_of(machine);
  EXPECT_EQ(model.memories[0].latency_ns, 80);
  EXPECT_EQ(model.memories[1].latency_ns, 85);
  EXPECT_EQ(model.memories[2].latency_ns, 230);
  EXPECT_EQ(model.memories[1].gb_per_s, 70);
  EXPECT_EQ(demand_of(model, 2), 24);
  // A read of the other socket's memory: 60 more than of the own.
  const auto ns = [&](int node, std::size_t m) {
    return read_latency(model, root_of_node(model, node), model.memories[m]);
  };
  EXPECT_NEAR(ns(0, 1), 145, 5);
  EXPECT_NEAR(ns(0, 2), 230, 5);
  EXPECT_NEAR(ns(1, 2), 290, 5);
}

TEST(ModelOfMachine, MeasuredBandwidthIsSharedByTheControllers) {
  Machine machine = Machine::from("pack:2 numa:1 l3:1 core:4 pu:1");
  machine.measured.memory_gb_per_s = 90;
  const Model model = model_of(machine);
  for (const Memory& memory : model.memories) EXPECT_EQ(memory.gb_per_s, 45);
  EXPECT_EQ(model.notes.size(), 1U);
}

}  // namespace charm::memory_traffic::test
