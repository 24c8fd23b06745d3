#include "ranks/launch.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "base/environment.hpp"

namespace charm::remote {

Launch find_launch() {
  // Slurm's last: its srun starts the servers of mpirun, whose variables the ranks inherit.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"}) {
    const char* text = base::environment(name);
    if (text == nullptr) continue;
    int ranks = 0;
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), ranks);
    if (error == std::errc() && *end == '\0' && ranks > 0) return {ranks, name};
  }
  if (base::environment("PMIX_RANK") != nullptr) return {1, "PMIX_RANK", true};
  return {};
}

}  // namespace charm::remote
