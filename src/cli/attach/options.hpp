// The options that `charm run` and `charm attach` share, and the plan that follows from them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "attach/attachment.hpp"
#include "attach/plan.hpp"
#include "attach/pools.hpp"
#include "base/settings.hpp"
#include "cli/cli11.hpp"

namespace charm::cli {

struct AttachOptions {
  std::string policy, cpus, pin_threads, share, report, progress;
  attach::Memory memory = attach::Memory::keep;
  std::vector<std::string> program;
  std::string left_out;  // kinds of pools that are not told a number of threads
  int pid = 0;
  int chiplets = 0, weight = 0;
  bool smt = false, children = false, no_size = false, dry_run = false, json = false, quiet = false, no_avoid = false;
  bool once = false;  // place it and leave
};

void declare_shared(CLI::App& app, AttachOptions& options);

/// The plan that the options give on this machine, before anything is started.
struct Prepared {
  base::Settings settings;
  CpuSet came_with;                     // mask that the program would have without charm
  attach::AttachPlan whole;             // plan on all cpus that the user asked for
  std::unique_ptr<lease::Lease> lease;  // null: the machine is not shared
  attach::AttachPlan plan;              // plan on the leased cores
  std::vector<int> pins;                // cpus of the threads, in order (--pin-threads); empty: the policy places them
  std::vector<attach::Pool> pools;
  std::vector<std::string> notes;
};

/// \param came_with the mask that the program would have without charm.
/// \throws Error as make_plan() and lease::Lease do.
Prepared prepare(const AttachOptions& options, const CpuSet& came_with, bool attach);

}  // namespace charm::cli
