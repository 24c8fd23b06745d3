// `charm deploy plan` as a user runs it, and its files as the tools read them that they are for.
#include "cli/tool.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace charm::cli::test {
namespace {

using DeployPlan = Tool;

constexpr const char* machine = "'pack:2 numa:2(memory=64GiB) l3:2 core:4 pu:2'";

TEST_F(DeployPlan, PrintsATableAndTheSameAsJson) {
  const Said said = charm(std::string("deploy plan --from ") + machine + " --policy win --smt");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.out.find("win: 4 workers"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("w3          8  48-63  6-7       bind node 3"), std::string::npos) << said.out;
  const auto json = nlohmann::json::parse(
      charm(std::string("deploy plan --json --from ") + machine + " --policy win --smt").out, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["workers"].size(), 4U);
  EXPECT_EQ(json["workers"][3]["cpus"], "48-63");
}

TEST_F(DeployPlan, HasAWorkerForEachDomain) {
  const std::string tiles = "deploy plan --json --node-memory 64G --from 'pack:2 [numa] l3:1 core:56 pu:2'";
  EXPECT_EQ(nlohmann::json::parse(charm(tiles).out).at("workers").size(), 2U);
  const auto json = nlohmann::json::parse(charm(tiles + " --domains 4").out);
  EXPECT_EQ(json.at("workers").size(), 8U);
  EXPECT_EQ(json.at("workers").at(1).at("cpus"), "28,30,32,34,36,38,40,42,44,46,48,50,52,54");
}

TEST_F(DeployPlan, TakesSeveralMachinesByName) {
  const Said said = charm(std::string("deploy plan --json --from left=") + machine + " --from right=" + machine);
  const auto json = nlohmann::json::parse(said.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << said.err;
  EXPECT_EQ(json["workers"].size(), 16U);
  EXPECT_EQ(json["workers"][8]["name"], "right-w0");
}

TEST_F(DeployPlan, OfThisMachineHasOnlyTheCpusOfTheMask) {
  const Said said = shell("taskset -c 0 '" CHARM_TOOL "' deploy plan --json --policy wic");
  const auto json = nlohmann::json::parse(said.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << said.err;
  ASSERT_EQ(json["workers"].size(), 1U);
  EXPECT_EQ(json["workers"][0]["cpus"], "0");
}

TEST_F(DeployPlan, IsRefusedInOneLine) {
  const std::string from = std::string("deploy plan --from ") + machine;
  expect_refused(from + " --policy win --shape mixed", {"--shape mixed", "win"});
  expect_refused(from + " --policy wicpp", {"wicpp", "wicp"});
  expect_refused(from + " --per-chiplet 0", {"--per-chiplet", "0"});
  expect_refused(from + " --port 0", {"--port", "0"});
  expect_refused(from + " --reserve 63G --target spark --policy wic", {"spark", "834 MiB", "--reserve"});
  expect_refused(from + " --per-chiplet 9", {"chiplet 0", "4 cores", "9 workers"});
  expect_refused(from + " --cpus 0-99", {"--cpus", "64-99"});
  expect_refused(from + " --reserve 65G", {"--reserve", "node 0"});
  expect_refused(from + " --reserve lots", {"--reserve", "lots", "8G"});
  expect_refused(from + " --port 65530", {"65530"});
  expect_refused(from + " --target systemd", {"systemd", "--exec"});
  expect_refused(from + " --target docker", {"docker", "--image"});
  expect_refused(from + " --target process --exec 'x {prot}'", {"{prot}", "{port}"});
  expect_refused(from + " --output x", {"--output", "--target"});
  expect_refused(from + " --target nothing", {"nothing"});
  expect_refused("deploy plan --from a=" + std::string(machine) + " --from a=" + machine, {"'a'", "HOST=FILE"});
  expect_refused("deploy plan --from nowhere.xml", {"nowhere.xml"});
}

TEST_F(DeployPlan, WritesUnitsThatSystemdAccepts) {
  const std::string files = std::string("deploy plan --from h=") + machine +
                            " --target systemd --output units --exec '/bin/echo {port} \"a b\" $x %n'";
  const Said said = charm(files);
  ASSERT_EQ(said.exit_code, 0) << said.err;
  if (shell("command -v systemd-analyze").exit_code != 0) GTEST_SKIP() << "no systemd-analyze here";
  const std::string check = "systemd-analyze verify --man=no units/h/*.service units/h/*.target";
  const Said accepted = shell(check);
  EXPECT_EQ(accepted.exit_code, 0) << accepted.err;
  EXPECT_EQ(accepted.err.find("charm-"), std::string::npos) << accepted.err;
  // That it would say so: a setting that it does not know in that place.
  const Said wrong = shell("sed -i 's/^NUMAPolicy=.*/NUMAPolicy=near/' units/h/charm-w0.service\n" + check);
  EXPECT_NE(wrong.err.find("charm-w0.service"), std::string::npos) << wrong.err;
}

TEST_F(DeployPlan, WritesScriptsThatAShellCanRead) {
  for (const char* target : {"process", "postgresql", "duckdb", "spark", "trino", "presto", "singlestore", "docker",
                             "podman", "openmpi", "mpich", "openmp", "slurm"}) {
    const Said said = charm(std::string("deploy plan --from ") + machine + " --target " + target + " --output " +
                            target + " --image i --exec \"run 'it'\\''s' {port}\"");
    EXPECT_EQ(said.exit_code, 0) << said.err;
  }
  const Said read = shell("n=0; for f in */*.sh */*.sbatch; do sh -n $f || exit 1; n=$((n + 1)); done; echo $n");
  EXPECT_EQ(read.exit_code, 0) << read.err;
  EXPECT_EQ(read.out, "18\n");
  // The worker's process is what the script binds: here to cpu 0 alone.
  if (shell("command -v numactl").exit_code != 0) return;
  const Said bound =
      shell("'" CHARM_TOOL
            "' deploy plan --policy wic --cpus 0 --target process --output here -q "
            "--exec 'sh -c \"grep Cpus_allowed_list /proc/self/status\"' && sh here/start-*.sh && sleep 0.3 "
            "&& cat charm-deploy/w0/log");
  EXPECT_EQ(bound.out, "Cpus_allowed_list:\t0\n") << bound.err;
}

// The engine's tool, played: it notes what it is asked for, and knows --bind-to-l3 or not.
TEST_F(DeployPlan, LetsSinglestoreBindLeavesToChipletsWhereItCan) {
  const std::string plan = std::string("deploy plan -q --from ") + machine + " --target singlestore --dir w --output ";
  ASSERT_EQ(charm(plan + "s").exit_code, 0);
  ASSERT_EQ(charm(plan + "n --policy win").exit_code, 0);
  const std::string played =
      "mkdir bin; printf '#!/bin/sh\\ncase \"$*\" in *--help) echo $HELP;; *) echo \"$*\" >>asked;; esac\\n' "
      ">bin/memsqlctl\n"
      "printf '#!/bin/sh\\necho bound >>asked\\n' >bin/numactl\nchmod +x bin/*\nexport PATH=$PWD/bin:$PATH\n";
  const Said own = shell(played + "HELP=--bind-to-l3 sh s/start-host0.sh; cat asked");
  EXPECT_NE(own.out.find("optimize --yes --bind-to-l3"), std::string::npos) << own.out << own.err;
  EXPECT_EQ(own.out.find("bound"), std::string::npos) << own.out;
  EXPECT_NE(own.out.find("start-node"), std::string::npos) << own.out;
  const Said old = shell("rm asked; export PATH=$PWD/bin:$PATH; HELP=--yes sh s/start-host0.sh; cat asked");
  EXPECT_EQ(old.out.find("optimize --yes"), std::string::npos) << old.out << old.err;
  EXPECT_NE(old.out.find("bound"), std::string::npos) << old.out;
  const Said nodes = shell("rm asked; export PATH=$PWD/bin:$PATH; HELP=--bind-to-l3 sh n/start-host0.sh; cat asked");
  EXPECT_EQ(nodes.out.find("optimize --yes"), std::string::npos) << "a node is more than a cache" << nodes.out;
}

TEST_F(DeployPlan, WritesYamlForKubernetesAndXmlForYarn) {
  const std::string plan = std::string("deploy plan --from ") + machine + " --leave-cores 1 --image 'r/i:1' ";
  ASSERT_EQ(charm(plan + "--target kubernetes --output k --exec 'x \"a: b\" {port}'").exit_code, 0);
  ASSERT_EQ(charm(plan + "--target yarn --output y").exit_code, 0);
  if (shell("python3 -c 'import yaml'").exit_code != 0) GTEST_SKIP() << "no python3-yaml here";
  const Said read = shell(
      "python3 -c '\nimport yaml, xml.etree.ElementTree as x\n"
      "pods = [p for p in yaml.safe_load_all(open(\"k/pods.yaml\"))]\n"
      "kubelet = yaml.safe_load(open(\"k/kubelet-host0.yaml\"))\n"
      "x.parse(\"y/host0/yarn-site.xml\")\n"
      "for p in pods:\n  r = p[\"spec\"][\"containers\"][0][\"resources\"]; assert r[\"requests\"] == r[\"limits\"]\n"
      "print(len(pods), pods[1][\"spec\"][\"containers\"][0][\"command\"], kubelet[\"cpuManagerPolicy\"])'");
  EXPECT_EQ(read.out, "8 ['x', 'a: b', '20002'] static\n") << read.err;
}

TEST_F(DeployPlan, WritesPodsThatFitTheSchemaOfKubernetes) {
  const std::string find =
      "export PYTHONPATH=\"${CHARM_ENGINES:-${XDG_DATA_HOME:-$HOME/.local/share}/charm/engines}/kubernetes\"\n";
  const std::string check = find + "python3 -m kubernetes_validate.__main__ --strict k/pods.yaml";
  if (shell(find + "python3 -c 'import kubernetes_validate'").exit_code != 0)
    GTEST_SKIP() << "no schemas of Kubernetes here (scripts/engines kubernetes)";
  const std::string plan = std::string("deploy plan --from ") + machine + " --leave-cores 1 --image 'r/i:1' ";
  for (const char* target : {"kubernetes-dra", "kubernetes"}) {
    const std::string made = "--output k --exec 'x \"a: b\" {port}' --target ";
    shell("rm -rf k");
    ASSERT_EQ(charm(plan + made + target).exit_code, 0);
    const Said accepted = shell(check);
    EXPECT_EQ(accepted.exit_code, 0) << target << accepted.out << accepted.err;
  }
  const Said wrong = shell("sed -i 's/containerPort: 2000./containerPort: many/' k/pods.yaml\n" + check);
  EXPECT_NE(wrong.exit_code, 0) << wrong.out;
}

TEST_F(DeployPlan, WritesARankfileThatMpirunAccepts) {
  if (shell("mpirun --version 2>/dev/null | grep -q 'Open MPI'").exit_code != 0) GTEST_SKIP() << "no Open MPI here";
  if (shell("command -v numactl").exit_code != 0) GTEST_SKIP() << "no numactl here, which the ranks start with";
  const Said said = charm("deploy plan --policy wic --target openmpi --output m --exec 'true' --from localhost=-");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(shell("cd m && sh run.sh --allow-run-as-root --display-map").exit_code, 0);
}

// Containers are made and not started, which needs more of the kernel than a machine for tests may have.
TEST_F(DeployPlan, WritesAScriptThatPodmanAccepts) {
  if (shell("command -v podman tar").exit_code != 0) GTEST_SKIP() << "no podman here (scripts/setup launchers)";
  const std::string store =
      "printf '[storage]\\ndriver = \"vfs\"\\ngraphroot = \"%s\"\\nrunroot = \"%s\"\\n' $PWD/store $PWD/run "
      ">storage.conf\n"
      "export CONTAINERS_STORAGE_CONF=$PWD/storage.conf\n";
  const Said image = shell(store + "mkdir empty && tar -cC empty . | podman import - localhost/empty");
  if (image.exit_code != 0) GTEST_SKIP() << "podman makes no image here: " << image.err;
  const Said planned = charm(
      "deploy plan --policy wic --cpus 0 --node-memory 8G --target podman --image localhost/empty "
      "--output p --dir $PWD/d --exec '/engine {port}'");
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  const Said made = shell(store + "sed 's/podman run --detach/podman create/' p/start-*.sh | sh");
  if (made.err.find("OCI runtime") != std::string::npos) GTEST_SKIP() << "podman has no runtime: " << made.err;
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Said said = shell(store +
                          "podman inspect charm-w0 --format '{{.HostConfig.CpusetCpus}} {{.HostConfig.Memory}} "
                          "{{.Config.Cmd}} {{.Config.WorkingDir}}'");
  const auto plan = nlohmann::json::parse(charm("deploy plan --policy wic --cpus 0 --json").out, nullptr, false);
  const std::string bytes = std::to_string(plan["workers"][0]["memory_bytes"].get<std::uint64_t>());
  EXPECT_EQ(said.out.substr(0, said.out.find("] /") + 1), "0 " + bytes + " [/engine 20000]") << said.out << said.err;
  EXPECT_TRUE(said.out.ends_with("/d/w0\n")) << said.out;
}

using Advise = Tool;

/// What charm bench olap --json tells of a query of 16 times 30 MiB, on data of which one key has a share.
std::string measured(const std::string& share) {
  return R"({"results": [{"kernel": "q1", "median_s": 1}], "profiles": [{"query": "q1", "working_set_bytes": 503316480)" +
         (share.empty() ? "" : ", \"hottest_key_share\": " + share) + "}]}";
}

TEST_F(Advise, OfSkewedDataIsAnotherOneAndSaysWhy) {
  const std::string machine = " --machine 'pack:2 [numa] l3:8(size=33554432) core:8 pu:1'";
  const auto advice = [&](const std::string& share, const std::string& more = "") {
    given("queries.json", measured(share));
    return charm("advise olap --queries queries.json" + machine + more);
  };
  const Said even = advice("0.0001");
  EXPECT_NE(even.out.find("wicp, 16 workers"), std::string::npos) << even.out << even.err;
  EXPECT_NE(even.out.find("charm deploy plan --policy wicp\n"), std::string::npos) << even.out;
  EXPECT_EQ(even.out.find("Skew"), std::string::npos) << even.out;
  EXPECT_EQ(advice("").out, even.out) << "recorded by a version that did not tell it";
  const Said jcch = advice("0.0503");
  EXPECT_NE(jcch.out.find("charm deploy plan --policy wicp --shape mixed\n"), std::string::npos) << jcch.out;
  EXPECT_NE(jcch.out.find("Skew: one key has 5.0 % of the data"), std::string::npos) << jcch.out;
  EXPECT_NE(jcch.out.find("with the skew of JCC-H a worker per chiplet was still the best"), std::string::npos);
  EXPECT_NE(advice("0.2").out.find("charm deploy plan --policy win\n"), std::string::npos);
  EXPECT_EQ(advice("0.2", " --skew 1").out, even.out) << "what the user says counts";
  const auto json = nlohmann::json::parse(advice("0.0503", " --json").out, nullptr, false);
  EXPECT_NEAR(json["busiest_worker"].get<double>(), 1.75, .01);
  given("queries.json", measured("2"));
  expect_refused("advise olap --queries queries.json" + machine, {"hottest key", "2"});
  expect_refused("advise olap --queries missing.json", {"missing.json", "cannot be read"});
}

}  // namespace
}  // namespace charm::cli::test
