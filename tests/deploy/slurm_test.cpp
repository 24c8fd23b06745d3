// The files for Slurm, as a real slurmctld and slurmd of this machine read and run them (Debian: scripts/setup
// launchers).
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/tool.hpp"

namespace charm::cli::test {
namespace {

/// A cluster of this machine alone, of the plan in the folder p: the line for slurm.conf is the one that gres.conf has.
constexpr const char* cluster = R"(
mkdir state spool
cp p/gres.conf .
host=$(hostname -s) port=$((22000 + $$ % 20000))
node=$(sed -n 's/^#   \(NodeName=.*\)/\1/p' gres.conf)
cat >slurm.conf <<TEXT
ClusterName=charm
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool
SlurmctldPidFile=$PWD/slurmctld.pid
SlurmdPidFile=$PWD/slurmd.pid
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SwitchType=switch/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
$(grep -o 'GresTypes=.*' gres.conf)
$(grep -o 'SlurmdParameters=.*' gres.conf)
$(slurmd -C | grep -o 'NodeName=.*' | sed "s/RealMemory=.*/RealMemory=1000/") NodeAddr=127.0.0.1 ${node##* }
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
TEXT
export SLURM_CONF=$PWD/slurm.conf
slurmctld -D >slurmctld.log 2>&1 & controller=$!
slurmd -D -N $host >slurmd.log 2>&1 & daemon=$!
trap 'kill $daemon $controller; wait' EXIT
idle() { kill -0 $daemon && sinfo -h -o %T | grep -q idle; }
)";

TEST_F(Tool, SlurmRunsTheBatchScriptAndBindsItsTasks) {
  if (geteuid() != 0) GTEST_SKIP() << "slurmd runs as root";
  if (shell("command -v slurmctld slurmd sbatch").exit_code != 0)
    GTEST_SKIP() << "no Slurm here (scripts/setup launchers)";
  if (shell("ls /usr/lib/*/slurm*/auth_none.so").exit_code != 0) GTEST_SKIP() << "this Slurm needs munge";
  const Said planned = charm(
      "deploy plan --policy wic --from $(hostname -s)=- --node-memory 8G --target slurm --output p --dir $PWD/d "
      "--exec 'sh -c \"grep Cpus_allowed_list /proc/self/status >bound\"'");
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  const Said ran = waiting(std::string(cluster) +
                           "await idle || { cat slurmd.log; exit 1; }\n"
                           "(cd p && timeout 60 sbatch --wait --output=../job deploy.sbatch) && "
                           "for w in d/*; do echo $(basename $w) $(cat $w/bound); done");
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err << file("slurmd.log") << file("job");
  const auto plan = nlohmann::json::parse(charm("deploy plan --policy wic --json").out, nullptr, false);
  ASSERT_FALSE(plan["workers"].empty());
  for (const auto& worker : plan["workers"]) {
    const std::string line =
        worker["name"].get<std::string>() + " Cpus_allowed_list: " + worker["cpus"].get<std::string>();
    EXPECT_NE(ran.out.find(line + "\n"), std::string::npos) << ran.out << file("job");
  }
  EXPECT_EQ(file("slurmd.log").find("error"), std::string::npos) << file("slurmd.log");
}

}  // namespace
}  // namespace charm::cli::test
