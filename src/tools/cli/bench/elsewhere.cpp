// The benchmarks in `charm`, which contains none: it becomes charm-bench, which parses the same command line again
// (bench/bench_options.hpp).
#include "tools/cli/bench/elsewhere.hpp"

#include <charm/error.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "os/processes/this_process.hpp"
#include "tools/cli/bench/bench_options.hpp"
#include "tools/cli/bench/ranks.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/sim/record_factor.hpp"
#include "tools/cli/sim/record_graph.hpp"

namespace charm::cli {
namespace fs = std::filesystem;

namespace {

/// \param name of a program that lies beside the command, or where it is installed.
std::string program_of(const char* name, const char* remedy = "install CHARM as a whole") {
  const fs::path folder = fs::path(os::program_path()).parent_path();
  for (const fs::path& path : {folder / name, (folder / CHARM_BENCH_FROM_BIN).parent_path() / name}) {
    std::error_code error;
    if (fs::exists(path, error)) return path.lexically_normal().string();
  }
  throw Error(Errc::system,
              std::string("the program ") + name + ", which has the benchmarks, is neither in '" + folder.string() +
                  "' nor in '" + (folder / CHARM_BENCH_FROM_BIN).parent_path().lexically_normal().string() + "'",
              remedy);
}

int hand_over(const Session& session) {
  const std::string path = bench_program();
  // Or OpenBLAS starts a thread for each processor while it is loaded; the factorisations use one for each call.
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);
  const int error = os::become(path, session.words);
  throw Error(Errc::system, "cannot run '" + path + "': " + std::strerror(error), "install CHARM as a whole");
}

int become_ranks(const BenchOptions& options, const remote::Launch& launch, const Session& session) {
  check_ranks(options, launch);
#ifdef CHARM_MPIRUN
  const std::string mpirun = CHARM_MPIRUN;
#else
  const std::string mpirun;
#endif
  const std::string program =
      program_of("charm-bench-ranks",
                 "build CHARM from its source, with an MPI library (scripts/setup mpi); packages are without it");
  const auto command =
      rank_command(options, launch, program, session.words, mpirun, colour_on_stdout(options.output.colour));
  // Or Open MPI refuses more ranks than there are cores; they take turns then, which a notice tells.
  ::setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
  const int error = os::become(command.front(), command);
  throw Error(Errc::system, "cannot run '" + command.front() + "': " + std::strerror(error),
              "install the MPI library that CHARM was built with, or start 'charm bench' under an mpirun");
}

}  // namespace

std::string bench_program() { return program_of("charm-bench"); }
std::string deploy_bench_program() { return program_of("charm-deploy-bench"); }

int run_bench(const BenchOptions& options, Session& session) {
  const remote::Launch launch = remote::find_launch();
  return runs_on_ranks(options, launch) ? become_ranks(options, launch, session) : hand_over(session);
}

int print_graph_record(int /*scale*/, Session& session) { return hand_over(session); }
int print_factor_record(int /*size*/, Session& session) { return hand_over(session); }

}  // namespace charm::cli
