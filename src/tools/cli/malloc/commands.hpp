// The subcommands of `charm malloc`.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/malloc/source.hpp"

namespace charm::cli {

struct MallocWeightsOptions {
  WeightOptions weights;
  bool publish = false;
  bool withdraw = false;        ///< what was published
  bool kernel = false;          ///< of all programs, by the kernel
  bool live = false;            ///< what the traffic of this moment leaves
  std::string source = "auto";  ///< of the traffic
  double interval = 0.5;        ///< seconds over which it is read
  std::string file;
  OutputOptions output;
};
int malloc_weights(const MallocWeightsOptions& options, Session& session);
/// `malloc weights --kernel`, and with --withdraw.
int malloc_kernel_weights(const MallocWeightsOptions& options, Session& session);

struct MallocExplainOptions {
  int pid = 0;
  double least_mib = 4;
  OutputOptions output;
};
int malloc_explain(const MallocExplainOptions& options, Session& session);

struct MallocProfileOptions {
  double seconds = 20;
  std::string source = "auto";  ///< of the traffic of the load; "none": what it reads itself
  double error_percent = 5;     ///< up to which a polynomial fits
  std::string file;
  OutputOptions output;
};
int malloc_profile(const MallocProfileOptions& options, Session& session);

struct MallocSampleOptions {
  WeightOptions weights;
  std::string source = "auto";
  double interval = 0.1;  ///< seconds between two readings
  double seconds = 0;     ///< until it ends; 0: a signal ends it
  bool all_users = false;
  std::string file;
  std::string record;
  OutputOptions output;
};
int malloc_sample(const MallocSampleOptions& options, Session& session);

struct MallocSpeedOptions {
  std::string cpus;  ///< empty: all that are allowed
  std::string only;  ///< of malloc_speeds(), separated by commas; empty: all
  int mib = 256;     ///< of the block that is read
  OutputOptions output;
};
int malloc_speed(const MallocSpeedOptions& options, Session& session);

/// What it measures.
std::vector<std::string> malloc_speeds();

}  // namespace charm::cli
