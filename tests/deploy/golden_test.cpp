// Plans of real and synthetic machines against the files of golden/. With CHARM_WRITE_GOLDEN set the files are written
// instead, to be read before they are kept.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "deploy/plans.hpp"
#include "placement/machines.hpp"
#include "tools/deploy/target.hpp"

namespace {

using namespace charm;
using charm::deploy::Policy;
using charm::deploy::Shape;

std::string plans(const std::string& description, std::uint64_t node_gib) {
  const deploy::Host host = test::host_of(Machine::from(description));
  std::string text;
  for (const auto& [policy, shape] : {std::pair(Policy::wim, Shape::local), std::pair(Policy::win, Shape::local),
                                      std::pair(Policy::wicp, Shape::local), std::pair(Policy::wicp, Shape::mixed)}) {
    deploy::Request request = test::request_of(policy, shape);
    request.node_memory = node_gib << 30U;
    const std::vector hosts = {host};
    text += std::string(base::word_of(policy)) + " " + std::string(base::word_of(shape)) + "\n" +
            test::text_of(deploy::make_plan(hosts, request)) + "\n";
  }
  return text;
}

struct Golden {
  const char* name;
  const char* description;
  std::uint64_t node_gib;  // for dumps that know no memory
};

void expect_file(const std::string& name, const std::string& text) {
  const std::string path = std::string(CHARM_GOLDEN) + "/" + name + ".txt";
  if (std::getenv("CHARM_WRITE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream in(path);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(in), {}));
}

/// Of engines that no test starts, since no registry has them, or which need more than a test machine.
class GoldenTarget : public testing::TestWithParam<const char*> {};

TEST_P(GoldenTarget, WritesTheFilesOfTheFile) {
  deploy::Request request = test::request_of(Policy::wicp);
  request.directory = "/data/deploy";
  deploy::TargetOptions options{"/bin/engine --port {port}", "registry/engine:1", "head"};
  options.model = "/models/small.gguf";
  const auto plan = test::plan_of(test::with_memory(test::uniform(1, 2, 4), 64), request);
  std::string text;
  for (const deploy::File& file : deploy::files_for(deploy::target(GetParam()), plan, options))
    text += "==> " + file.path + (file.executable ? " (executable)\n" : "\n") + file.text;
  expect_file(std::string("target_") + GetParam(), text);
}

INSTANTIATE_TEST_SUITE_P(Engines, GoldenTarget,
                         testing::Values("clickhouse", "llama", "mongodb", "openmpi5", "presto", "pytorch", "ray",
                                         "singlestore", "vllm", "yarn"),
                         [](const auto& info) { return std::string(info.param); });

class GoldenPlan : public testing::TestWithParam<Golden> {};

TEST_P(GoldenPlan, IsTheOneOfTheFile) {
  const std::string given = GetParam().description;
  const bool file = given.ends_with(".xml");
  const std::string text = plans(file ? CHARM_TEST_DATA "/topologies/" + given : given, GetParam().node_gib);
  expect_file(GetParam().name, text);
}

INSTANTIATE_TEST_SUITE_P(Machines, GoldenPlan,
                         testing::Values(Golden{"epyc_7763_2s", "AMD-19h-Zen3-2xEpyc-7763.xml", 256},
                                         Golden{"epyc_9654_2s", "AMD-19h-Zen4-2xEpyc-9654.xml", 384},
                                         Golden{"kunpeng_920_2s", "128arm-2pa2n8cluster4co.xml", 0},
                                         Golden{"strix_point", "AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml", 64},
                                         Golden{"core_ultra_155h", "Intel-MeteorLake-CoreUltra155H.xml", 32},
                                         Golden{"cgroup_opteron", "32amd64-4s2n4c-cgroup2.xml", 0},
                                         Golden{"nps4", "pack:2 numa:4(memory=64GiB) l3:2 core:8 pu:2", 0},
                                         Golden{"snc2", "pack:2 l3:1 numa:2(memory=128GiB) core:14 pu:2", 0},
                                         Golden{"six_core_ccd", "pack:1 numa:1(memory=96GiB) l3:4 core:6 pu:2", 0},
                                         Golden{"one_core", "pack:1 numa:1(memory=4GiB) l3:1 core:1 pu:1", 0}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
