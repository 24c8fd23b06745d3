// The text of targets: what every one keeps, and the lines that bind.
#include "tools/deploy/target.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/error_code.hpp"
#include "base/folder.hpp"
#include "deploy/plans.hpp"
#include "placement/machines.hpp"
#include "tools/deploy/coordinator.hpp"

namespace {

using namespace charm;
using namespace charm::deploy;
using charm::test::code_of;
using charm::test::plan_of;
using charm::test::request_of;
using charm::test::uniform;
using charm::test::with_memory;

TargetOptions all_options() {
  TargetOptions options{"/bin/engine --port {port} 'a b'", "registry/engine:1", "head"};
  options.model = "/models/small.gguf";
  return options;
}

Plan small_plan(Policy policy = Policy::wicp, int leave = 0) {
  Request request = request_of(policy);
  request.leave_cores = leave;
  request.directory = "/data/deploy";
  return plan_of(with_memory(uniform(2, 2, 4), 64), request);
}

std::string whole(const std::vector<File>& files) {
  std::string text;
  for (const File& file : files) text += "==> " + file.path + "\n" + file.text;
  return text;
}

std::string text_for(const char* name, const Plan& plan) { return whole(files_for(target(name), plan, all_options())); }

testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no '" << part << "' in\n" << text;
}

TEST(EveryTarget, WritesDistinctFilesBelowTheFolderAndNamesEveryWorkersPortOrCpus) {
  for (const Target& each : targets()) {
    SCOPED_TRACE(std::string(each.name));
    const bool of_whole_machines = each.name == "openmpi5";
    const Plan plan = small_plan(Policy::wicp, of_whole_machines ? 0 : 1);
    if (of_whole_machines) {
      EXPECT_EQ(code_of([&] { files_for(each, small_plan(Policy::wicp, 1), all_options()); }), Errc::bad_config);
    }
    const auto files = files_for(each, plan, all_options());
    ASSERT_FALSE(files.empty());
    std::set<std::string> paths;
    for (const File& file : files) {
      EXPECT_TRUE(paths.insert(file.path).second) << file.path;
      EXPECT_FALSE(file.path.starts_with("/")) << file.path;
      EXPECT_FALSE(file.text.empty());
      EXPECT_EQ(file.executable, file.text.starts_with("#!")) << file.path;
    }
    if (each.name == "yarn") continue;  // one NodeManager for all
    const std::string text = whole(files);
    for (const Worker& worker : plan.workers) {
      EXPECT_TRUE(text.find(std::to_string(worker.port)) != std::string::npos ||
                  text.find(worker.cpus.to_text()) != std::string::npos)
          << worker.name;
    }
  }
}

TEST(EveryTarget, ThatNeedsACommandOrAnImageSaysSo) {
  for (const Target& each : targets()) {
    if (each.uses.empty()) continue;
    EXPECT_EQ(code_of([&] { files_for(each, small_plan(Policy::wicp, 1), {}); }), Errc::bad_config) << each.name;
  }
  EXPECT_EQ(code_of([] { target("sprak"); }), Errc::bad_config);
}

TEST(EveryTarget, RefusesTextsThatWouldBecomeLinesOrCommands) {
  Plan odd = small_plan();
  odd.directory += "\nhttp-server.process-forwarded=true";
  for (const Target& each : targets()) {
    SCOPED_TRACE(std::string(each.name));
    EXPECT_EQ(code_of([&] { files_for(each, odd, all_options()); }), Errc::bad_config);
    for (const char* host : {"$(id)", "`id`", "a b", "a;id", "a\nb", "'", "\"", "-x", "", "a=b", "a/b", "ä"}) {
      TargetOptions options = all_options();
      options.coordinator = host;
      EXPECT_EQ(code_of([&] { files_for(each, small_plan(), options); }), Errc::bad_config) << host;
    }
  }
  for (const char* host : {"node7.example.org", "192.0.2.1", "[2001:db8::1]", "my_host"}) {
    TargetOptions options = all_options();
    options.coordinator = host;
    EXPECT_NO_THROW(check_texts(small_plan(), options)) << host;
  }
}

// With programs that do nothing in place of the engines: what runs is the script's own shell text.
TEST(EveryTarget, ScriptsRunNothingThatANameSays) {
  const test::Folder folder;
  folder.file("played", "#!/bin/sh\nexit 0\n");
  const std::string in = "cd '" + folder.path("") + "' && ";
  ASSERT_EQ(
      std::system(
          (in + "chmod +x played && mkdir bin home home/bin data && for p in numactl mkdir cp initdb postgres sbatch "
                "srun docker podman mpirun memsqlctl yarn rm ln python3 nohup; do cp played bin/$p; done; for p in "
                "spark-class launcher; do cp played home/bin/$p; done; ln -s \"$(command -v touch)\" bin/touch; "
                "printf word >secret")
              .c_str()),
      0);
  for (const char* name :
       {"$(touch ran)", "`touch ran`", "';touch ran;'", "\";touch ran;\"", "&touch ran&", "|touch ran"}) {
    Request request = request_of(Policy::wicp);
    request.directory = folder.path("data/") + name;
    for (const Target& each : targets()) {
      std::vector<File> files;
      if (code_of([&] { files = files_for(each, plan_of(with_memory(uniform(2, 2, 4), 64), request), all_options()); }))
        continue;  // refused
      for (const File& file : files) {
        if (!file.text.starts_with("#!/bin/sh")) continue;
        folder.file("script", file.text);
        [[maybe_unused]] const int code = std::system((in + "PATH=$PWD/bin SPARK_HOME=$PWD/home TRINO_HOME=$PWD/home "
                                                            "PRESTO_HOME=$PWD/home SPARK_SECRET_FILE=$PWD/secret "
                                                            "/bin/sh script >out 2>&1; wait")
                                                          .c_str());
        EXPECT_FALSE(std::filesystem::exists(folder.path("ran")))
            << each.name << ' ' << file.path << ' ' << name << '\n'
            << file.text;
        std::filesystem::remove(folder.path("ran"));
      }
    }
  }
}

TEST(EveryTarget, RefusesAPlanWithoutMemoryOrWritesNoLimit) {
  const Plan plan = plan_of(uniform(1, 2, 4));
  for (const Target& each : targets()) {
    std::string text;
    const auto code = code_of([&] { text = whole(files_for(each, plan, all_options())); });
    if (code) {
      EXPECT_EQ(code, Errc::bad_config) << each.name;
    } else {
      EXPECT_EQ(text.find("MemoryMax"), std::string::npos);
      EXPECT_EQ(text.find("--memory "), std::string::npos) << each.name;
      EXPECT_EQ(text.find("shared_buffers"), std::string::npos);
    }
  }
}

TEST(SystemdTarget, BindsCpusAndMemory) {
  const std::string text = text_for("systemd", small_plan());
  EXPECT_TRUE(has(text, "==> a/charm-w2.service"));
  EXPECT_TRUE(has(text, "AllowedCPUs=8-11\nCPUAffinity=8-11\nAllowedMemoryNodes=1\nNUMAPolicy=bind\nNUMAMask=1\n"));
  EXPECT_TRUE(has(text, "ExecStart=\"/bin/engine\" \"--port\" \"20004\" \"a b\"\n"));
  EXPECT_TRUE(has(text, "MemoryMax=29491M"));
  EXPECT_FALSE(has(text_for("systemd", small_plan(Policy::wim)), "NUMAPolicy"));
}

TEST(SlurmTarget, HasAMaskForEachTask) {
  const std::string text = text_for("slurm", small_plan());
  EXPECT_TRUE(has(text,
                  "--ntasks=4 --overlap --cpu-bind=verbose,mask_cpu:0xf,0xf0,0xf00,0xf000 "
                  "--mem-bind=mask_mem:0x1,0x1,0x2,0x2"));
  EXPECT_TRUE(has(text, "NodeName=a Name=charm Type=w1 Count=1 Cores=4-7"));
  EXPECT_FALSE(has(text_for("slurm", small_plan(Policy::wicp, 1)), "Cores=4-7")) << "Slurm would count other cores";
}

TEST(KubernetesTarget, NeedsCoresForTheSystemAndLocalWorkers) {
  EXPECT_EQ(code_of([] { text_for("kubernetes", small_plan()); }), Errc::bad_config);
  const std::string text = text_for("kubernetes", small_plan(Policy::wicp, 1));
  EXPECT_TRUE(has(text, "reservedSystemCPUs: \"15\""));
  EXPECT_TRUE(has(text, "topologyManagerPolicy: single-numa-node"));
  // 2 x 6553 MiB are left to the system, and the kubelet wants that to be the sum of the two.
  EXPECT_TRUE(has(text, "systemReserved:\n  memory: 13006Mi\nevictionHard:\n  memory.available: 100Mi\n"));
  EXPECT_TRUE(has(text, "      memory: 6553Mi"));
  EXPECT_TRUE(has(text, "command: [\"/bin/engine\", \"--port\", \"20000\", \"a b\"]"));
  Request mixed = request_of(Policy::wicp, Shape::mixed);
  mixed.leave_cores = 1;
  const Plan plan = plan_of(with_memory(uniform(1, 2, 4), 64), mixed);
  EXPECT_EQ(code_of([&] { text_for("kubernetes", plan); }), Errc::bad_config);
}

TEST(KubernetesTarget, MountsTheFolderOfAWorkerAndWritesNamesInLowerCase) {
  Request request;
  request.leave_cores = 1;
  request.directory = "/data/deploy";
  const std::vector hosts = {test::host_of(with_memory(uniform(1, 2, 4), 64), "NodeA"),
                             test::host_of(with_memory(uniform(1, 2, 4), 64), "NodeB")};
  const std::string text = text_for("kubernetes", make_plan(hosts, request));
  EXPECT_TRUE(has(text, "  name: charm-nodeb-w1\n"));
  EXPECT_TRUE(has(text, "kubernetes.io/hostname: \"nodeb\"\n"));
  EXPECT_TRUE(has(text, "workingDir: \"/data/deploy/NodeB-w1\"\n"));
  EXPECT_TRUE(has(text, "path: \"/data/deploy/NodeB-w1\"\n        type: DirectoryOrCreate\n"));
}

// The engine or launcher distributes the work; the plan has the configuration of each machine.
TEST(SeveralMachines, HaveTheirOwnFilesForSparkSlurmAndKubernetes) {
  Request request;
  request.leave_cores = 1;
  const std::vector hosts = {test::host_of(with_memory(uniform(1, 2, 4), 64), "left"),
                             test::host_of(with_memory(uniform(2, 2, 6), 96), "right")};
  const Plan plan = make_plan(hosts, request);
  ASSERT_EQ(plan.workers.size(), 6U);
  const std::string spark = text_for("spark", plan);
  for (const char* part : {"==> left-w1/spark-env.sh", "==> right-w3/spark-env.sh", "==> start-left.sh",
                           "==> start-right.sh", "==> master.sh", "SPARK_WORKER_CORES=3", "SPARK_WORKER_CORES=6"}) {
    EXPECT_TRUE(has(spark, part));
  }
  const std::string slurm = text_for("slurm", plan);
  for (const char* part :
       {"#SBATCH --nodes=2\n#SBATCH --nodelist=left,right\n",
        "srun --nodes=1 --nodelist=left --ntasks=2 --overlap --cpu-bind=verbose,mask_cpu:0xf,0x70 ",
        "srun --nodes=1 --nodelist=right --ntasks=4 --overlap ", "NodeName=right Name=charm Type=w3 "}) {
    EXPECT_TRUE(has(slurm, part));
  }
  const std::string pods = text_for("kubernetes", plan);
  for (const char* part : {"==> kubelet-left.yaml", "==> kubelet-right.yaml", "reservedSystemCPUs: \"7\"",
                           "reservedSystemCPUs: \"23\"", "numaNode: 1", "name: charm-right-w3\n"}) {
    EXPECT_TRUE(has(pods, part));
  }
}

TEST(KubernetesTarget, CountsWholeCores) {
  Request request;
  request.leave_cores = 1;
  const Plan plan = plan_of(with_memory(uniform(1, 1, 4, 2), 64), request);
  EXPECT_TRUE(has(text_for("kubernetes", plan), "cpu: \"6\""));
}

TEST(KubernetesDraTarget, ClaimsTheCpusOfThePlan) {
  const std::string text = text_for("kubernetes-dra", small_plan());
  EXPECT_TRUE(has(text, "name: charm-w2-cpus\n"));
  EXPECT_TRUE(has(text,
                  "count: 4\n          selectors:\n            - cel:\n                expression: "
                  "\"device.attributes[\\\"dra.cpu\\\"].cpuID in [8, 9, 10, 11]\"\n"));
  EXPECT_TRUE(has(text,
                  "        claims:\n          - name: cpus\n  resourceClaims:\n    - name: cpus\n      "
                  "resourceClaimName: charm-w2-cpus\n"));
  EXPECT_TRUE(has(text, "cpu: \"4\"\n")) << "also as a plain request, by which Kubernetes counts";
  EXPECT_TRUE(has(text, "args:\n  cpuDeviceMode: individual\n"));
  EXPECT_FALSE(has(text, "reservedCPUs"));
  EXPECT_TRUE(has(text_for("kubernetes-dra", small_plan(Policy::wicp, 1)), "reservedCPUs: \"15\"\n"));
  EXPECT_TRUE(has(
      text_for("kubernetes-dra", plan_of(with_memory(uniform(1, 2, 4), 64), request_of(Policy::wicp, Shape::mixed))),
      "cpuID in ["))
      << "the driver packs nothing by itself";
}

TEST(KubernetesDraTarget, ReservesWhatTheSystemHasOnEveryMachineOrNothing) {
  Request request;
  request.leave_cores = 1;
  const auto text = [&](int cores) {
    const std::vector hosts = {test::host_of(with_memory(uniform(1, 2, 4), 64), "left"),
                               test::host_of(with_memory(uniform(1, 2, cores), 64), "right")};
    return text_for("kubernetes-dra", make_plan(hosts, request));
  };
  EXPECT_TRUE(has(text(4), "reservedCPUs: \"7\"\n"));
  EXPECT_FALSE(has(text(6), "reservedCPUs"));
  EXPECT_TRUE(has(text(6), "differs by machine"));
  EXPECT_TRUE(has(text(6), "kubernetes.io/hostname: \"right\"\n"));
}

TEST(KubernetesDraTarget, ClaimsWholeCoresAndNoMoreThanAClaimHolds) {
  EXPECT_TRUE(has(text_for("kubernetes-dra", plan_of(with_memory(uniform(1, 1, 4, 2), 64), request_of(Policy::wicp))),
                  "count: 8\n"));
  const Plan large = plan_of(with_memory(uniform(1, 1, 17, 2), 64), request_of(Policy::wicp));
  EXPECT_EQ(code_of([&] { text_for("kubernetes-dra", large); }), Errc::bad_config);
}

TEST(ContainerTargets, BindCpusAndMemoryAndCannotPreferANode) {
  EXPECT_TRUE(has(text_for("docker", small_plan()), "docker run --detach --name charm-w3"));
  EXPECT_TRUE(has(text_for("podman", small_plan()), "--cpuset-cpus 12-15 --cpuset-mems 1 --memory 29491m"));
  Request request;
  request.memory = deploy::Memory::preferred;
  const Plan plan = plan_of(with_memory(uniform(1, 2, 4), 64), request);
  for (const char* name : {"docker", "podman", "slurm"})
    EXPECT_EQ(code_of([&] { text_for(name, plan); }), Errc::bad_config) << name;
  request.memory = deploy::Memory::weighted;
  request.policy = deploy::Policy::wim;
  const Plan weighted = plan_of(with_memory(uniform(2, 2, 4), 64), request);
  for (const char* name : {"docker", "podman", "slurm", "systemd"})
    EXPECT_EQ(code_of([&] { text_for(name, weighted); }), Errc::bad_config) << name;
  EXPECT_TRUE(has(text_for("openmpi", weighted), "exec numactl --weighted-interleave=0-1 "))
      << text_for("openmpi", weighted);
}

TEST(MpiTargets, BindEachRankToItsCpus) {
  const std::string open = text_for("openmpi", small_plan());
  EXPECT_TRUE(has(open, "rank 2=a slot=8-11\n"));
  EXPECT_TRUE(has(open, "a slots=4\n"));
  EXPECT_TRUE(has(open, "2) mkdir -p /data/deploy/w2 && cd /data/deploy/w2 && exec numactl --membind=1 /bin/engine"));
  EXPECT_TRUE(has(text_for("mpich", small_plan()), "-bind-to user:0+1+2+3,4+5+6+7,8+9+10+11,12+13+14+15"));
}

TEST(MpiTargets, OfMpichNeedMachinesThatAreAlike) {
  const std::vector alike = {test::host_of(with_memory(uniform(1, 2, 4), 64), "a"),
                             test::host_of(with_memory(uniform(1, 2, 4), 64), "b")};
  EXPECT_TRUE(has(text_for("mpich", make_plan(alike, {})), "-n 4"));
  const std::vector unlike = {alike[0], test::host_of(with_memory(uniform(1, 2, 6), 64), "b")};
  EXPECT_EQ(code_of([&] { text_for("mpich", make_plan(unlike, {})); }), Errc::bad_config);
}

TEST(EngineTargets, HaveTheWorkersSizes) {
  const Plan plan = small_plan();
  EXPECT_TRUE(has(text_for("openmp", plan), "OMP_NUM_THREADS=4\nOMP_PLACES={4},{5},{6},{7}\nOMP_PROC_BIND=close\n"));
  EXPECT_TRUE(
      has(text_for("spark", plan), "SPARK_WORKER_CORES=4\nSPARK_WORKER_MEMORY=23592m\nSPARK_WORKER_PORT=20000\n"));
  EXPECT_TRUE(has(text_for("spark", plan), "spark://head:7077"));
  EXPECT_TRUE(has(text_for("trino", plan), "discovery.uri=http://head:8080"));
  EXPECT_TRUE(has(text_for("trino", plan), "-Xmx23592M"));
  // Trino 368 and Presto refuse more than three tenths of the heap for a query.
  EXPECT_TRUE(has(text_for("trino", plan), "query.max-memory-per-node=7077MB\nmemory.heap-headroom-per-node=7077MB\n"));
  EXPECT_FALSE(has(text_for("trino", plan), "discovery-server.enabled"));
  EXPECT_TRUE(has(text_for("presto", plan), "discovery-server.enabled=true"));
  EXPECT_TRUE(has(text_for("yarn", plan), "<name>yarn.nodemanager.numa-awareness.1.cpus</name>\n    <value>8</value>"));
  EXPECT_TRUE(has(text_for("singlestore", plan), "--key maximum_memory --value 29491"));
  EXPECT_TRUE(has(text_for("duckdb", plan), "SET threads = 4;\nSET memory_limit = '23592MiB';"));
  EXPECT_TRUE(has(text_for("postgresql", plan), "shared_buffers = 7372MB"));
}

TEST(EngineTargets, RefuseAHeapWithWhichTheEngineWouldNotWork) {
  Request request = request_of(Policy::wic);
  const Plan small = plan_of(with_memory(uniform(1, 1, 4), 5), request);  // 1 GiB each
  EXPECT_EQ(code_of([&] { text_for("spark", small); }), Errc::bad_input);
  EXPECT_EQ(code_of([&] { text_for("spark", plan_of(with_memory(uniform(1, 1, 4), 10), request)); }), std::nullopt);
  const Plan smaller = plan_of(with_memory(uniform(1, 1, 4), 2), request);  // 256 MiB each
  for (const char* name : {"trino", "presto"}) {
    EXPECT_EQ(code_of([&] { text_for(name, smaller); }), Errc::bad_input) << name;
    EXPECT_EQ(code_of([&] { text_for(name, small); }), std::nullopt) << name;
  }
}

TEST(EngineTargets, RefuseACoordinatorForWhichTheSystemHasTooLittle) {
  Request request;
  request.reserve = std::uint64_t{600} << 20U;
  const Plan plan = plan_of(with_memory(uniform(1, 1, 4), 8), request);  // 300 MiB, half of which is its heap
  try {
    text_for("trino", plan);
    FAIL() << "not refused";
  } catch (const Error& refused) {
    EXPECT_TRUE(has(refused.what(), "coordinator would have 150 MiB for its heap"));
    EXPECT_EQ(refused.remedy(), "leave more to the system with --reserve");
  }
}

// Trino's coordinator ran out of memory by the texts of INSERT statements that it kept for fifteen minutes.
TEST(EngineTargets, KeepAsManyEndedQueriesAsACoordinatorsHeapCanHold) {
  for (const char* name : {"trino", "presto"}) {
    const auto kept = [&](std::uint64_t gib) {
      const std::string text = text_for(name, plan_of(with_memory(uniform(1, 1, 4), gib), {}));
      EXPECT_TRUE(has(text, "\nquery.min-expire-age=10s\n"));
      const std::string word = "\nquery.max-history=";
      return text.substr(text.find(word) + word.size(), 3);
    };
    EXPECT_EQ(kept(8), "5\nq");   // 256 MiB of heap
    EXPECT_EQ(kept(40), "27\n");  // 1.6 GiB
    EXPECT_EQ(kept(512), "100");
  }
}

TEST(EngineTargets, KeepThePortsOfTheirCoordinator) {
  Request request;
  for (const auto& [name, port] :
       {std::pair("spark", 7076), std::pair("spark", 8080), std::pair("trino", 8078), std::pair("presto", 8080)}) {
    request.port = port;
    EXPECT_EQ(code_of([&] { text_for(name, plan_of(with_memory(uniform(1, 2, 4), 64), request)); }), Errc::bad_config)
        << name << port;
  }
}

TEST(EngineTargets, HaveNoFileTwiceWhereAMachineIsCalledMaster) {
  for (const char* name : {"spark", "trino"}) {
    const std::vector hosts = {test::host_of(with_memory(uniform(1, 2, 4), 64), "master"),
                               test::host_of(with_memory(uniform(1, 2, 4), 64), "coordinator")};
    std::set<std::string> paths;
    for (const File& file : files_for(target(name), make_plan(hosts, {}), all_options()))
      EXPECT_TRUE(paths.insert(file.path).second) << file.path;
  }
}

TEST(YarnTarget, AllowsContainersOfSmallWorkers) {
  const std::string text = text_for("yarn", plan_of(with_memory(uniform(1, 1, 4), 4), request_of(Policy::wic)));
  EXPECT_TRUE(has(text, "<name>yarn.scheduler.minimum-allocation-mb</name>\n    <value>768</value>"));
  EXPECT_FALSE(has(text_for("yarn", small_plan()), "minimum-allocation-mb"));
}

TEST(Coordinator, HasTheCoresThatAreLeftToTheSystemElseThoseOfAllWorkers) {
  EXPECT_EQ(coordinator_of(small_plan()).cpus.to_text(), "0-15");
  EXPECT_EQ(coordinator_of(small_plan(Policy::wicp, 1)).cpus.to_text(), "15");
}

TEST(Coordinator, StaysWithinTheLimitOfTheCgroupTogetherWithTheWorkers) {
  Host host = test::host_of(with_memory(uniform(2, 2, 4), 64));
  host.memory_limit = std::uint64_t{20} << 30U;  // the nodes leave twice 6.4 GiB to the system
  const std::vector hosts = {host};
  const Plan plan = make_plan(hosts, {});
  std::uint64_t all = coordinator_of(plan).memory_bytes;
  EXPECT_GT(all, std::uint64_t{512} << 20U);
  for (const Worker& worker : plan.workers) all += worker.memory_bytes;
  EXPECT_LT(all, host.memory_limit);
  EXPECT_TRUE(has(text_for("trino", plan), "-Xmx" + std::to_string(coordinator_of(plan).heap_bytes >> 20U) + "M"));
}

TEST(Coordinator, HasPortsOfItsOwnAndMemoryThatIsLeftToTheSystem) {
  const Plan plan = small_plan();
  const Worker coordinator = coordinator_of(plan);
  std::uint64_t system = 0;
  for (const NodeShare& share : plan.hosts.front().memory) system += share.system_bytes;
  EXPECT_GT(coordinator.memory_bytes, 0U);
  EXPECT_LE(coordinator.memory_bytes, system / 2);
  for (const Worker& worker : plan.workers) {
    EXPECT_LT(worker.web_port, coordinator.port);
    EXPECT_NE(worker.directory, coordinator.directory);
  }
  Request last;
  last.port = 65535 - 2 * 2 + 1;  // two workers have the last four ports
  EXPECT_EQ(code_of([&] { coordinator_of(plan_of(with_memory(uniform(1, 2, 4), 64), last)); }), Errc::bad_input);
}

}  // namespace
