// The subcommands of `charm malloc`.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "cli/console.hpp"
#include "cli/malloc/source.hpp"

namespace charm::cli {

struct MallocWeightsOptions {
  WeightOptions weights;
  bool publish = false;
  std::string file;
  OutputOptions output;
};
int malloc_weights(const MallocWeightsOptions& options, Session& session);

struct MallocExplainOptions {
  int pid = 0;
  double least_mib = 4;
  OutputOptions output;
};
int malloc_explain(const MallocExplainOptions& options, Session& session);

struct MallocProfileOptions {
  double seconds = 20;
  std::string file;
  OutputOptions output;
};
int malloc_profile(const MallocProfileOptions& options, Session& session);

}  // namespace charm::cli
