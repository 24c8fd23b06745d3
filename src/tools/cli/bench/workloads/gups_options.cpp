#include "tools/cli/bench/workloads/gups_options.hpp"

#include "tools/cli/bench/workloads/scale.hpp"
#include "tools/cli/options.hpp"

namespace charm::cli {

const WorkloadText& GupsWorkload::text() const {
  static constexpr WorkloadText words = {.name = "gups",
                                         .summary = "Random updates of a table (HPCC RandomAccess)",
                                         .example = "  charm bench gups --scale 27 --runtime charm,openmp --json",
                                         .title = "CHARM: random memory access",
                                         .on_ranks = true};
  return words;
}

void GupsWorkload::declare(CLI::App& app, BenchRequest& /*request*/) {
  whole_number(app.add_option("--scale", scale, "A table of 2^N words of 8 bytes [25]"), 3, 40);
}

void GupsWorkload::check_plan(const BenchPlan& plan, const Facts& facts) const {
  check_scale(*this, scale, plan, facts);
}

}  // namespace charm::cli
