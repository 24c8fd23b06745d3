// The options that `charm run` and `charm attach` share, and the plan that follows from them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.hpp"
#include "tools/attach/attachment.hpp"
#include "tools/attach/page_follower.hpp"
#include "tools/attach/plan.hpp"
#include "tools/attach/pools.hpp"
#include "tools/attach/progress.hpp"
#include "tools/cli/cli11.hpp"

namespace charm::cli {

/// --chiplets: how many, 0 for all, and which.
struct ChipletsWanted {
  int most = 0;
  attach::ChipletOrder order = attach::ChipletOrder::usual;
};

struct AttachOptions {
  std::string policy, cpus, pin_threads, share, report;
  std::string progress, metric;  // a file and a command that tell what the program has done
  int progress_fd = 0;           // a descriptor to which the program writes it; 0: none
  attach::Memory memory = attach::Memory::keep;
  std::vector<std::string> program;
  std::string left_out;  // kinds of pools that get no number of threads
  int pid = 0;
  ChipletsWanted chiplets;
  attach::PagesWish pages;
  int weight = 0, workers = 0;
  bool smt = false, children = false, no_size = false, dry_run = false, json = false, quiet = false, no_avoid = false;
  bool once = false;  // place it and leave

  /// The option that says how the program tells its progress; empty: none does.
  [[nodiscard]] std::string_view progress_option() const {
    return !progress.empty() ? "--progress" : !metric.empty() ? "--metric" : progress_fd > 0 ? "--progress-fd" : "";
  }
};

void declare_shared(CLI::App& app, AttachOptions& options);

/// The plan that the options give on this machine, before anything is started.
struct Prepared {
  base::Settings settings;
  CpuSet came_with;                     // mask that the program would have without charm
  attach::PlanRequest asked;            // of `whole`
  attach::AttachPlan whole;             // plan on all cpus that the user asked for
  std::unique_ptr<lease::Lease> lease;  // null: the machine is not shared
  attach::AttachPlan plan;              // plan on the leased cores
  std::vector<int> pins;                // cpus of the threads, in order (--pin-threads); empty: the policy places them
  std::vector<attach::Pool> pools;
  std::vector<std::string> notes;
};

/// What tells how far the program is, by the options; null: nothing does.
std::unique_ptr<attach::ProgressSource> progress_source(const AttachOptions& options);

/// A share of the cores of the plan. \param notes why there is none, where that is not the user's wish.
/// \return null: the machine is not shared. \throws Error (bad_input) where a table that was named cannot be used.
std::unique_ptr<lease::Lease> lease_for(const AttachOptions& options, const base::Settings& settings,
                                        const attach::AttachPlan& plan, std::vector<std::string>& notes);

/// Whether a controller has anything to decide.
bool decides(const Prepared& prepared);

/// \param came_with the mask that the program would have without charm.
/// \throws Error as make_plan() and lease::Lease do.
Prepared prepare(const AttachOptions& options, const CpuSet& came_with, bool attach);

}  // namespace charm::cli
