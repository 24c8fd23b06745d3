// Who has started the process, by what it has in its environment.
#include "ranks/launch.hpp"

#include <cstdlib>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace charm::remote {
namespace {

constexpr const char* all[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS",
                               "PMIX_RANK"};

Launch launch_with(const std::map<std::string, std::string>& variables) {
  for (const char* name : all) ::unsetenv(name);
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  const Launch found = find_launch();
  for (const char* name : all) ::unsetenv(name);
  return found;
}

TEST(Launch, IsKnownByTheVariablesOfMpirunAndSrun) {
  EXPECT_EQ(launch_with({}).ranks, 1);
  EXPECT_EQ(launch_with({{"OMPI_COMM_WORLD_SIZE", "3"}}).ranks, 3);
  EXPECT_EQ(launch_with({{"PMI_SIZE", "4"}}).name, "PMI_SIZE");
  EXPECT_EQ(launch_with({{"SLURM_STEP_NUM_TASKS", "8"}, {"PMIX_RANK", "7"}}).ranks, 8);
  EXPECT_EQ(launch_with({{"PMI_SIZE", "many"}}).ranks, 1);
}

// srun starts the servers of mpirun, one on each machine, and the ranks inherit its variables.
TEST(Launch, TheInnermostStarterCounts) {
  EXPECT_EQ(launch_with({{"SLURM_STEP_NUM_TASKS", "2"}, {"OMPI_COMM_WORLD_SIZE", "6"}}).ranks, 6);
}

TEST(Launch, PmixWithoutANumberLeavesItToMpi) {
  EXPECT_FALSE(launch_with({}).only_mpi_knows);
  EXPECT_FALSE(launch_with({{"OMPI_COMM_WORLD_SIZE", "1"}, {"PMIX_RANK", "0"}}).only_mpi_knows);
  EXPECT_TRUE(launch_with({{"PMIX_RANK", "0"}}).only_mpi_knows);
}

}  // namespace
}  // namespace charm::remote
