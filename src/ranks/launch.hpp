// What started this process: an mpirun, or nobody.
#pragma once

#include <string>

namespace charm::remote {

struct Launch {
  int ranks = 1;                ///< that the starter has started; 1 without one
  std::string name{};           ///< of the variable that tells; empty without one
  bool only_mpi_knows = false;  ///< a starter has started it that does not say how many
};

/// From the environment that mpirun (Open MPI, MPICH, Intel MPI), srun and PMIx set.
Launch find_launch();

}  // namespace charm::remote
